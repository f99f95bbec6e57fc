"""Who opens calibration rounds."""

from django.utils.translation import gettext as _

from discussions.calibration.queries import unread_guideline
from workspace.access.permissions import check_leads
from workspace.core.refusals import NotAllowed
from workspace.models import Person, Project


def check_calibrate(person: Person, project: Project) -> None:
    check_leads(
        person, project, _("Only team leads of this project calibrate its evaluators. Ask one of them.")
    )


GUIDELINE_UNREAD = "guideline_unread"


def check_write_guideline(person: Person, project: Project) -> None:
    check_leads(person, project, _("Only team leads of this project write its guideline. Ask one of them."))


def check_guideline_is_read(person: Person, project: Project) -> None:
    """Evaluators confirm the guideline that holds before they take a game; the refusal is `GUIDELINE_UNREAD`."""
    if (guideline := unread_guideline(person, project)) is not None:
        says = _("Read version %(number)d of this project's guideline first, and confirm that you have.")
        raise NotAllowed(says % {"number": guideline.number}, code=GUIDELINE_UNREAD)
