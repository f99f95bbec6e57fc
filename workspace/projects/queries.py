"""The projects that a person may see; how much a project stores, and its limit; a short name that is free."""

from itertools import count

from django.conf import settings
from django.db.models import Count, Q
from django.utils.module_loading import import_string
from msgspec import Struct

from workspace.core.identifiers import is_slug, slug_of
from workspace.models import Membership, Person, Project, StorageLimit

MB = 1024 * 1024


def load_projects(person: Person) -> list[tuple[Project, str]]:
    """The projects that the person may see, by name, each with their role there ("" for an admin who is no member).

    Projects have a `member_count`.
    """
    members = Count("memberships", filter=Q(memberships__ended_at=None), distinct=True)
    rows = Project.objects.filter(pk__in=Project.objects.visible_to(person)).annotate(member_count=members)
    roles = dict(Membership.objects.filter(person=person, ended_at=None).values_list("project_id", "role"))
    return [(project, roles.get(project.pk, "")) for project in rows]


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
    return next(free for free in tries if is_slug(free) and free not in taken) if slug else ""
