"""Everybody who has an account, for admins; and an invitation as its taker sees it."""

from datetime import datetime

from msgspec import Struct

from workspace.models import Invitation, Membership, Person
from workspace.models.second_factors import people_with_factor
from workspace.pages.projects import InvitationLine, invitation_lines
from workspace.permissions import check_change_account, refusal_of

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
            id=each.pk,
            name=each.name,
            email=each.email,
            is_admin=each.is_admin,
            is_active=each.is_active,
            since=each.created_at,
            projects=places.get(each.pk, []),
            change_refusal=refusal_of(check_change_account, person, each),
            has_second_factor=each.pk in with_factor,
        )
        for each in shown
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
