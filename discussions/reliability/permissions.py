"""Who may see the statistics of reliability."""

from django.utils.translation import gettext as _

from workspace.access.permissions import check_leads
from workspace.models import Person, Project


def check_see_team_statistics(person: Person, project: Project) -> None:
    """Only leads of the project and admins see them; evaluators must judge without knowing them."""
    check_leads(person, project, _("Only team leads of this project see how its evaluators agree."))
