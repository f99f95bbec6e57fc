"""Who may see what agents do wrong."""

from django.utils.translation import gettext as _

from workspace.access.permissions import check_leads
from workspace.models import Person, Project


def check_see_agents(person: Person, project: Project) -> None:
    """Only leads of the project and admins: the files name agents beside their roles and automatic values."""
    check_leads(
        person,
        project,
        _("Only team leads of this project see the files of its agents: who rates must not know them."),
    )
