"""Who may open calibration rounds of a set and set the share of hidden duplicates."""

from django.utils.translation import gettext as _

from rubric.models import ComparisonSet
from workspace.access.permissions import check_leads
from workspace.models import Person


def check_calibrate_set(person: Person, comparison_set: ComparisonSet) -> None:
    sentence = _("Only team leads of this project calibrate its reviewers. Ask one of them.")
    check_leads(person, comparison_set.project, sentence)
