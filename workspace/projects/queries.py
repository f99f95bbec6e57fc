"""How much a project stores, and its limit; a short name that is free."""

from itertools import count

from django.conf import settings
from django.utils.module_loading import import_string
from msgspec import Struct

from workspace.core.identifiers import is_slug, slug_of
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
    used = sum(import_string(counts)(project) for counts in settings.STORED_BYTES)
    return Storage(used, own or settings.PROJECT_STORAGE_MB, own is not None)


def propose_slug(name: str) -> str:
    """A short name for a project of that name that no project has; "" if the name has no letter or digit for one."""
    slug = slug_of(name)
    taken = set(Project.objects.filter(slug__startswith=slug[:50]).values_list("slug", flat=True))
    tries = (slug if number == 1 else f"{slug[:55].rstrip('-')}-{number}" for number in count(1))
    return next(found for found in tries if is_slug(found) and found not in taken) if slug else ""
