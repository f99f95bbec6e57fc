"""How much a project stores, and its limit."""

from django.conf import settings
from django.utils.module_loading import import_string
from msgspec import Struct

from workspace.models import Project, StorageLimit

MB = 1024 * 1024


class Storage(Struct, frozen=True):
    """What a project stores, in bytes, and its limit in MB; `is_own` when an admin set it for this project."""

    used: int
    limit_mb: int
    is_own: bool

    @property
    def limit(self) -> int:
        """The limit in bytes."""
        return self.limit_mb * MB


def load_storage(project: Project) -> Storage:
    """What the project stores now: the sum of the counts of settings.STORED_BYTES."""
    own = StorageLimit.objects.filter(project=project).values_list("megabytes", flat=True).first()
    used = sum(import_string(count)(project) for count in settings.STORED_BYTES)
    return Storage(used, own or settings.PROJECT_STORAGE_MB, own is not None)
