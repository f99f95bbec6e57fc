"""The list of projects, and one project."""

from django.db.models import Count, Q
from msgspec import Struct

from workspace.access.permissions import get_refusal
from workspace.audit.permissions import check_see_audit_log
from workspace.models import Membership, Person, Project
from workspace.projects.permissions import check_create_project, check_see_members


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


def projects_page(*, person: Person) -> ProjectsPage:
    """All projects that the person may see, by name."""
    members = Count("memberships", filter=Q(memberships__ended_at=None), distinct=True)
    seen = Project.objects.filter(pk__in=Project.objects.visible_to(person)).annotate(member_count=members)
    roles = dict(Membership.objects.filter(person=person, ended_at=None).values_list("project_id", "role"))
    lines = [
        ProjectLine(project.slug, project.name, roles.get(project.pk, ""), project.member_count)
        for project in seen
    ]
    return ProjectsPage(lines, get_refusal(check_create_project, person))


def project_page(*, person: Person, project: Project) -> ProjectPage:
    """One project as the person sees it."""
    members = project.memberships.filter(ended_at=None)
    mine = members.filter(person=person).first()
    return ProjectPage(
        slug=project.slug,
        name=project.name,
        role=mine.role if mine else "",
        member_count=members.count(),
        members_refusal=get_refusal(check_see_members, person, project),
        audit_refusal=get_refusal(check_see_audit_log, person, project),
    )
