"""The members of a project, and all accounts (for admins)."""

from datetime import datetime

from msgspec import Struct

from workspace.access.permissions import get_refusal
from workspace.authentication.queries import people_with_factor
from workspace.models import Invitation, Membership, Person, Project
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
    """One account with its projects; `change_refusal` says why the viewer cannot switch it off or on."""

    person: Person
    projects: list[str]
    change_refusal: str
    has_second_factor: bool


class PeoplePage(Struct, frozen=True):
    """A page of accounts; `after` is the key of the next page, "" on the last."""

    people: list[PersonLine]
    invitations: list[Invitation]
    after: str


def people_page(*, person: Person, after: int, now: datetime) -> PeoplePage:
    """Up to a hundred accounts by rising number, those after `after`."""
    rows = list(Person.objects.filter(is_system=False, pk__gt=after).order_by("pk")[: PEOPLE_A_PAGE + 1])
    shown = rows[:PEOPLE_A_PAGE]
    projects: dict[int, list[str]] = {}
    memberships = Membership.objects.filter(person__in=shown, ended_at=None).select_related("project")
    for membership in memberships.order_by("project__name"):
        name = f"{membership.project.name} ({membership.role})"
        projects.setdefault(membership.person_id, []).append(name)
    with_factor = people_with_factor(shown)
    lines = [
        PersonLine(
            person=account,
            projects=projects.get(account.pk, []),
            change_refusal=get_refusal(check_change_account, person, account),
            has_second_factor=account.pk in with_factor,
        )
        for account in shown
    ]
    following = str(shown[-1].pk) if len(rows) > PEOPLE_A_PAGE else ""
    return PeoplePage(lines, open_invitations(project=None, now=now), following)
