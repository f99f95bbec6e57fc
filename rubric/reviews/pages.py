"""The header of every page of a comparison set: its name, its scoring mode and its tabs."""

from django.utils.translation import gettext_lazy as _

from rubric.models import ComparisonSet
from rubric.reviews.permissions import check_open_set, check_see_results
from workspace.access.permissions import get_refusal, may
from workspace.models import Person

MODE_NAMES = {
    "holistic": _("one holistic score"),
    "rubric": _("scores by criterion"),
    "both": _("a holistic score first, then scores by criterion"),
}

# Only leads see these pages.
COMPARISONS, CALIBRATIONS, ASKING, TUNING = "comparison_set", "set_calibrations", "set_answers", "set_weights"

# Route and name of each page of a set, in the order of the tabs.
TABS = [
    (COMPARISONS, _("Comparisons")),
    (CALIBRATIONS, _("Calibration")),
    (ASKING, _("Models")),
    ("set_results", _("Results")),
    ("set_reviewers", _("Reviewers")),
    ("set_agreement", _("Agreement")),
    ("set_success", _("Success")),
    (TUNING, _("Weights")),
]


class SetFrame:
    """The header of a set's page, for a set fetched with its project and its version's rubric.

    `current` is the route of the page, `tabs` are routes with their labels. `refusal` says why the results are not
    shown yet; then no tabs lead to them.
    """

    def __init__(self, comparison_set: ComparisonSet, current: str, person: Person) -> None:
        self.comparison_set, self.current = comparison_set, current
        self.project, self.version = comparison_set.project, comparison_set.rubric_version
        self.slug, self.number = self.project.slug, comparison_set.number
        self.name, self.mode = comparison_set.name, MODE_NAMES[comparison_set.mode]
        self.is_closed = comparison_set.closed_at is not None
        self.may_lead = may(check_open_set, person, self.project)
        self.refusal = get_refusal(check_see_results, person, comparison_set)
        is_open = dict.fromkeys((COMPARISONS, CALIBRATIONS, ASKING), self.may_lead)
        is_open[TUNING] = self.may_lead and not self.refusal
        self.tabs = [(route, label) for route, label in TABS if is_open.get(route, not self.refusal)]
