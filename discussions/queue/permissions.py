"""Who sees the team page."""

from django.utils.translation import gettext as _

from workspace.access.permissions import check_leads
from workspace.models import Person, Project


def check_see_team(person: Person, project: Project) -> None:
    """Leads of the project and admins see who holds which game, and how much each person has to do."""
    sentence = _("Only team leads of this project see who rates what. Yours is under “My evaluations”.")
    check_leads(person, project, sentence)
