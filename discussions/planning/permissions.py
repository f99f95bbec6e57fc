"""Who may open an iteration."""

from django.utils.translation import gettext as _

from discussions.iterations.permissions import check_stage_open
from discussions.models import Stage
from workspace.access.permissions import check_leads
from workspace.models import Person


def check_open_iteration(person: Person, stage: Stage) -> None:
    """Only leads of the project and admins open iterations, while the stage is not closed."""
    check_leads(
        person, stage.project, _("Only team leads of this project create iterations. Ask one of them.")
    )
    check_stage_open(stage)
