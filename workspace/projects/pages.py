"""The list of projects."""

from collections.abc import Sequence

from django.db.models import Count, Q
from msgspec import Struct

from workspace.access.permissions import get_refusal
from workspace.models import Membership, Person, Project
from workspace.projects.permissions import check_create_project


class ProjectsPage(Struct, frozen=True):
    """The projects that a person may see, each with their role there ("" for an admin who is no member).

    Projects have a `member_count`. `create_refusal` is "" when the person may open one.
    """

    projects: Sequence[tuple[Project, str]]
    create_refusal: str


def projects_page(*, person: Person) -> ProjectsPage:
    """All projects that the person may see, by name."""
    members = Count("memberships", filter=Q(memberships__ended_at=None), distinct=True)
    rows = Project.objects.filter(pk__in=Project.objects.visible_to(person)).annotate(member_count=members)
    roles = dict(Membership.objects.filter(person=person, ended_at=None).values_list("project_id", "role"))
    projects = [(project, roles.get(project.pk, "")) for project in rows]
    return ProjectsPage(projects, get_refusal(check_create_project, person))
