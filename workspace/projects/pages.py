"""The list of projects, and one project."""

from collections.abc import Sequence

from django.db.models import Count, Q
from msgspec import Struct

from workspace.access.permissions import get_refusal
from workspace.audit.permissions import check_see_audit_log
from workspace.models import Membership, Person, Project
from workspace.projects.permissions import check_create_project, check_see_members


class ProjectsPage(Struct, frozen=True):
    """The projects that a person may see, each with their role there ("" for an admin who is no member).

    Projects have a `member_count`. `create_refusal` is "" when the person may open one.
    """

    projects: Sequence[tuple[Project, str]]
    create_refusal: str


class ProjectPage(Struct, frozen=True):
    """What one project's page offers the person; `role` is "" for an admin who is no member."""

    role: str
    member_count: int
    members_refusal: str
    audit_refusal: str


def projects_page(*, person: Person) -> ProjectsPage:
    """All projects that the person may see, by name."""
    members = Count("memberships", filter=Q(memberships__ended_at=None), distinct=True)
    rows = Project.objects.filter(pk__in=Project.objects.visible_to(person)).annotate(member_count=members)
    roles = dict(Membership.objects.filter(person=person, ended_at=None).values_list("project_id", "role"))
    projects = [(project, roles.get(project.pk, "")) for project in rows]
    return ProjectsPage(projects, get_refusal(check_create_project, person))


def project_page(*, person: Person, project: Project) -> ProjectPage:
    """One project as the person sees it."""
    members = project.memberships.filter(ended_at=None)
    return ProjectPage(
        role=members.filter(person=person).values_list("role", flat=True).first() or "",
        member_count=members.count(),
        members_refusal=get_refusal(check_see_members, person, project),
        audit_refusal=get_refusal(check_see_audit_log, person, project),
    )
