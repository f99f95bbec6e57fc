"""The members of a project, everybody who has an account (for admins), and an open invitation."""

from datetime import datetime

from msgspec import Struct

from workspace.access.permissions import get_refusal
from workspace.authentication.queries import people_with_factor
from workspace.models import Invitation, Membership, Person, Project
from workspace.people.permissions import check_change_account
from workspace.projects.permissions import check_change_membership, check_manage_members


class MemberLine(Struct, frozen=True):
    """One member; `change_refusal` says why the person who looks may not change this one."""

    id: int
    name: str
    email: str
    role: str
    since: datetime
    is_active: bool
    change_refusal: str


class InvitationLine(Struct, frozen=True):
    """One invitation that nobody has taken up yet."""

    id: int
    email: str
    role: str
    invited_by: str
    expires_at: datetime


class MembersPage(Struct, frozen=True):
    """The people of a project; `manage_refusal` is "" for who may add some."""

    slug: str
    name: str
    members: list[MemberLine]
    invitations: list[InvitationLine]
    manage_refusal: str


def members_page(*, person: Person, project: Project, now: datetime) -> MembersPage:
    """Who belongs to the project and who is invited."""
    members = project.memberships.filter(ended_at=None).select_related("person", "project")
    manage = get_refusal(check_manage_members, person, project)
    lines = [
        MemberLine(
            id=member.pk,
            name=member.person.name,
            email=member.person.email,
            role=member.role,
            since=member.created_at,
            is_active=member.person.is_active,
            change_refusal=manage or get_refusal(check_change_membership, person, member),
        )
        for member in members.order_by("person__name", "pk")
    ]
    return MembersPage(project.slug, project.name, lines, invitation_lines(project=project, now=now), manage)


def invitation_lines(*, project: Project | None, now: datetime) -> list[InvitationLine]:
    """The open invitations into a project, or (None) of admins, newest first."""
    still_open = Invitation.objects.open(now=now).filter(project=project).select_related("created_by")
    return [
        InvitationLine(
            invitation.pk,
            invitation.email,
            invitation.role,
            invitation.created_by.name,
            invitation.expires_at,
        )
        for invitation in still_open.order_by("-created_at", "-pk")
    ]


PEOPLE_A_PAGE = 100


class PersonLine(Struct, frozen=True):
    """One account, with the projects it belongs to; `change_refusal` says why it cannot be switched off or on."""

    id: int
    name: str
    email: str
    is_admin: bool
    is_active: bool
    since: datetime
    projects: list[str]
    change_refusal: str
    has_second_factor: bool


class PeoplePage(Struct, frozen=True):
    """A page of accounts by name; `after` is the key of the next page, "" on the last."""

    people: list[PersonLine]
    invitations: list[InvitationLine]
    after: str


class InvitationPage(Struct, frozen=True):
    """An open invitation: into which project (None: as admin), for whom, and whether that address has an account."""

    project: str | None
    role: str
    email: str
    name: str
    invited_by: str
    expires_at: datetime
    has_account: bool


def people_page(*, person: Person, after: int, now: datetime) -> PeoplePage:
    """Up to a hundred accounts by rising number, those after `after`."""
    rows = list(Person.objects.filter(is_system=False, pk__gt=after).order_by("pk")[: PEOPLE_A_PAGE + 1])
    shown = rows[:PEOPLE_A_PAGE]
    places: dict[int, list[str]] = {}
    memberships = Membership.objects.filter(person__in=shown, ended_at=None).select_related("project")
    for membership in memberships.order_by("project__name"):
        places.setdefault(membership.person_id, []).append(f"{membership.project.name} ({membership.role})")
    with_factor = people_with_factor(shown)
    lines = [
        PersonLine(
            id=account.pk,
            name=account.name,
            email=account.email,
            is_admin=account.is_admin,
            is_active=account.is_active,
            since=account.created_at,
            projects=places.get(account.pk, []),
            change_refusal=get_refusal(check_change_account, person, account),
            has_second_factor=account.pk in with_factor,
        )
        for account in shown
    ]
    following = str(shown[-1].pk) if len(rows) > PEOPLE_A_PAGE else ""
    return PeoplePage(lines, invitation_lines(project=None, now=now), following)


def invitation_page(*, invitation: Invitation) -> InvitationPage:
    """What the link of an invitation shows."""
    return InvitationPage(
        project=invitation.project.name if invitation.project else None,
        role=invitation.role,
        email=invitation.email,
        name=invitation.name,
        invited_by=invitation.created_by.name,
        expires_at=invitation.expires_at,
        has_account=Person.objects.filter(email=invitation.email).exists(),
    )
