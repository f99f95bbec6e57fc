"""The list of projects, one project, and the people of a project."""

from datetime import datetime

from django.db.models import Count, Q
from msgspec import Struct

from workspace.models import Invitation, Membership, Person, Project
from workspace.permissions import (
    check_change_membership,
    check_create_project,
    check_manage_members,
    check_see_audit_log,
    check_see_members,
    refusal_of,
)


class ProjectLine(Struct, frozen=True):
    """One project in the list, with one's own role there ("" for an admin who is no member)."""

    slug: str
    name: str
    role: str
    member_count: int


class ProjectsPage(Struct, frozen=True):
    """The projects that a person may see; `create_refusal` is "" when they may open one."""

    lines: list[ProjectLine]
    create_refusal: str


class ProjectPage(Struct, frozen=True):
    """One project, with the doors that are open to the person."""

    slug: str
    name: str
    role: str
    member_count: int
    members_refusal: str
    audit_refusal: str


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


def projects_page(*, person: Person) -> ProjectsPage:
    """All projects that the person may see, by name."""
    members = Count("memberships", filter=Q(memberships__ended_at=None), distinct=True)
    seen = Project.objects.filter(pk__in=Project.objects.visible_to(person)).annotate(member_count=members)
    roles = dict(Membership.objects.filter(person=person, ended_at=None).values_list("project_id", "role"))
    lines = [ProjectLine(each.slug, each.name, roles.get(each.pk, ""), each.member_count) for each in seen]
    return ProjectsPage(lines, refusal_of(check_create_project, person))


def project_page(*, person: Person, project: Project) -> ProjectPage:
    """One project as the person sees it."""
    members = project.memberships.filter(ended_at=None)
    mine = members.filter(person=person).first()
    return ProjectPage(
        slug=project.slug,
        name=project.name,
        role=mine.role if mine else "",
        member_count=members.count(),
        members_refusal=refusal_of(check_see_members, person, project),
        audit_refusal=refusal_of(check_see_audit_log, person, project),
    )


def members_page(*, person: Person, project: Project, now: datetime) -> MembersPage:
    """Who belongs to the project and who is invited."""
    members = project.memberships.filter(ended_at=None).select_related("person", "project")
    manage = refusal_of(check_manage_members, person, project)
    lines = [
        MemberLine(
            id=each.pk,
            name=each.person.name,
            email=each.person.email,
            role=each.role,
            since=each.created_at,
            is_active=each.person.is_active,
            change_refusal=manage or refusal_of(check_change_membership, person, each),
        )
        for each in members.order_by("person__name", "pk")
    ]
    return MembersPage(project.slug, project.name, lines, invitation_lines(project=project, now=now), manage)


def invitation_lines(*, project: Project | None, now: datetime) -> list[InvitationLine]:
    """The open invitations into a project, or (None) of admins, newest first."""
    still_open = Invitation.objects.open(now=now).filter(project=project).select_related("created_by")
    return [
        InvitationLine(each.pk, each.email, each.role, each.created_by.name, each.expires_at)
        for each in still_open.order_by("-created_at", "-pk")
    ]
