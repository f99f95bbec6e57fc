"""The members of a project, and all accounts (for admins)."""

from datetime import datetime

from django.db.models import Q
from django.utils.translation import gettext as _
from msgspec import Struct

from workspace.access.permissions import get_refusal
from workspace.authentication.queries import people_with_factor
from workspace.core.refusals import Malformed
from workspace.models import Invitation, Membership, Person, Project, SignIn
from workspace.people.permissions import check_change_account
from workspace.projects.permissions import check_change_membership, check_manage_members

PEOPLE_A_PAGE = 100


class MembersPage(Struct, frozen=True):
    """The members of a project, each with why the person may not change them; and its open invitations.

    `manage_refusal` is "" when the person may add members.
    """

    members: list[tuple[Membership, str]]
    invitations: list[Invitation]
    manage_refusal: str


def members_page(*, person: Person, project: Project, now: datetime) -> MembersPage:
    """The members and open invitations of a project."""
    members = project.memberships.filter(ended_at=None).select_related("person", "project")
    refusal = get_refusal(check_manage_members, person, project)
    lines = [
        (member, refusal or get_refusal(check_change_membership, person, member))
        for member in members.order_by("person__name", "pk")
    ]
    return MembersPage(lines, open_invitations(project=project, now=now), refusal)


def open_invitations(*, project: Project | None, now: datetime) -> list[Invitation]:
    """The open invitations into a project, or (None) of admins, newest first."""
    rows = Invitation.objects.open(now=now).filter(project=project).select_related("created_by")
    return list(rows.order_by("-created_at", "-pk"))


class PersonLine(Struct, frozen=True):
    """One account with its projects; `change_refusal` says why the viewer cannot deactivate or activate it.

    `seen_at` is when the person last used a sign-in that has not ended, else when they last signed in.
    """

    person: Person
    projects: list[str]
    change_refusal: str
    has_second_factor: bool
    seen_at: datetime | None


class PeoplePage(Struct, frozen=True):
    """A page of accounts; `after` is the key of the next page, "" on the last. They match `query` and `role`."""

    people: list[PersonLine]
    invitations: list[Invitation]
    after: str
    query: str
    role: str
    roles: dict[str, str]


def people_page(*, person: Person, after: int, query: str, role: str, now: datetime) -> PeoplePage:
    """Up to a hundred accounts after `after`, by ascending number; `query` is part of a name or an address."""
    found = Person.objects.filter(is_system=False, pk__gt=after).filter(_with_role(role))
    if query:
        found = found.filter(Q(name__icontains=query) | Q(email__icontains=query))
    rows = list(found.order_by("pk")[: PEOPLE_A_PAGE + 1])
    shown = rows[:PEOPLE_A_PAGE]
    projects: dict[int, list[str]] = {}
    memberships = Membership.objects.filter(person__in=shown, ended_at=None).select_related("project")
    for membership in memberships.order_by("project__name"):
        name = f"{membership.project.name} ({membership.role})"
        projects.setdefault(membership.person_id, []).append(name)
    with_factor, seen = people_with_factor(shown), _last_seen(shown)
    lines = [
        PersonLine(
            person=account,
            projects=projects.get(account.pk, []),
            change_refusal=get_refusal(check_change_account, person, account),
            has_second_factor=account.pk in with_factor,
            seen_at=seen.get(account.pk) or account.last_login,
        )
        for account in shown
    ]
    following = str(shown[-1].pk) if len(rows) > PEOPLE_A_PAGE else ""
    return PeoplePage(lines, open_invitations(project=None, now=now), following, query, role, _roles())


def _roles() -> dict[str, str]:
    return {
        "": _("all"),
        "admin": _("admins"),
        "lead": _("team leads"),
        "evaluator": _("evaluators"),
        "service": _("service accounts"),
        "off": _("deactivated"),
    }


def _with_role(role: str) -> Q:
    """The condition for one of `_roles`; raises Malformed for any other value."""
    if role not in _roles():
        raise Malformed(_("This address holds something that the page does not know. Open the page again."))
    if role in ("lead", "evaluator"):
        present = Membership.objects.filter(ended_at=None, role=role)
        return Q(pk__in=present.values("person"))
    return {
        "": Q(),
        "admin": Q(is_admin=True),
        "service": Q(is_service=True),
        "off": Q(is_active=False),
    }[role]


def _last_seen(people: list[Person]) -> dict[int, datetime]:
    """By person: when one of their sign-ins was last used."""
    seen: dict[int, datetime] = {}
    for sign_in in SignIn.objects.filter(person__in=people):
        at, person = sign_in.noted("seen"), sign_in.person_id
        if at is not None and person is not None:
            seen[person] = max(at, seen.get(person, at))
    return seen
