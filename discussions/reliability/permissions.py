"""Who sees how far evaluators and the machine agree."""

from django.utils.translation import gettext as _

from discussions.access.permissions import check_leads
from workspace.models import Person, Project


def check_see_team_statistics(person: Person, project: Project) -> None:
    """Leads of the project and admins see how the machine and its evaluators agree; evaluators judge unaware of it."""
    check_leads(person, project, _("Only team leads of this project see how its evaluators agree."))
