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

# Each tab with its pages, route and name; a tab leads to the first page that its reader may open.
TABS = {
    _("Questions"): {COMPARISONS: _("Questions")},
    _("Results"): {"set_results": _("Results")},
    _("Reviewers"): {"set_reviewers": _("Effects"), ASKING: _("Models"), CALIBRATIONS: _("Calibration")},
    _("Reliability"): {"set_agreement": _("Agreement"), "set_success": _("Success"), TUNING: _("Weights")},
}


class SetFrame:
    """The header of a set's page, for a set fetched with its project and its version's rubric.

    `current` is the route of the page, `tabs` are labels with their pages. `refusal` says why the results are not
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
        seen = {route for tab in TABS.values() for route in tab if is_open.get(route, not self.refusal)}
        tabs = [(label, [page for page in pages.items() if page[0] in seen]) for label, pages in TABS.items()]
        self.tabs = [(label, pages) for label, pages in tabs if pages]
