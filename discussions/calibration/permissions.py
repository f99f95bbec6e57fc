"""Who opens calibration rounds."""

from django.utils.translation import gettext as _

from workspace.access.permissions import check_leads
from workspace.models import Person, Project


def check_calibrate(person: Person, project: Project) -> None:
    """Leads of the project and admins open calibration rounds, and see everybody's results."""
    check_leads(
        person, project, _("Only team leads of this project calibrate its evaluators. Ask one of them.")
    )
