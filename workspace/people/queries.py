"""Open invitations; accounts by role and when they were last seen; the person whose password a link changes."""

from datetime import datetime
from itertools import count
from typing import Any

from django.conf import settings
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.db.models import Count, Q
from django.utils.module_loading import import_string
from msgspec import Struct

from workspace.core.identifiers import is_slug, slug_of
from workspace.models import Invitation, Membership, Person, Project, SignIn, StorageLimit

# The conditions of the roles by which accounts are listed.
PRESENT = Membership.objects.filter(ended_at=None)
ROLES = {
    "": Q(),
    "admin": Q(is_admin=True),
    "lead": Q(pk__in=PRESENT.filter(role="lead").values("person")),
    "evaluator": Q(pk__in=PRESENT.filter(role="evaluator").values("person")),
    "service": Q(is_service=True),
    "off": Q(is_active=False),
}


class PasswordLinks(PasswordResetTokenGenerator):
    """Django's tokens, which also expire when the rights of the person change: the link was made for the old rights."""

    key_salt = "workspace.people.queries.PasswordLinks"

    def _make_hash_value(self, user: Any, timestamp: int) -> str:
        present = Membership.objects.filter(person=user, ended_at=None).order_by("project")
        rights = [user.is_admin, *present.values_list("project", "role")]
        return f"{super()._make_hash_value(user, timestamp)}{rights}"


password_links = PasswordLinks()


def person_of_link(person: int, secret: str) -> Person | None:
    """The account for which a link chooses a new password; None when the link is used, expired or forged."""
    account = Person.objects.signing_in().filter(pk=person).first()
    return account if account is not None and password_links.check_token(account, secret) else None


def open_invitations(project: Project | None, *, now: datetime) -> list[Invitation]:
    """The open invitations into a project, or (None) of admins, newest first."""
    rows = Invitation.objects.open(now=now).filter(project=project).select_related("created_by")
    return list(rows.order_by("-created_at", "-pk"))


def last_seen(people: list[Person]) -> dict[int, datetime]:
    """By person: when one of their sign-ins that have not ended was last used, else when they last signed in."""
    signed_in = {person.pk: person.last_login for person in people if person.last_login}
    used: dict[int, datetime] = {}
    for sign_in in SignIn.objects.filter(person__in=people):
        seen_at, person = sign_in.noted("seen"), sign_in.person_id
        if seen_at is not None and person is not None:
            used[person] = max(seen_at, used.get(person, seen_at))
    return signed_in | used


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
