"""The header of every page of a comparison set: its name, its scoring mode and its tabs."""

from django.utils.translation import gettext_lazy as _
from msgspec import Struct

from rubric.models import ComparisonSet
from rubric.sets.permissions import check_open_set, check_see_results
from workspace.access.permissions import get_refusal, may
from workspace.models import Person

MODE_NAMES = {
    "holistic": _("one holistic score"),
    "rubric": _("scores by criterion"),
    "both": _("a holistic score first, then scores by criterion"),
}

# Only leads see these pages.
COMPARISONS, CALIBRATIONS, ASKING, TUNING = "comparison_set", "set_calibrations", "set_answers", "set_tuning"

# Route and name of each page of a set, in the order of the tabs.
TABS = [
    (COMPARISONS, _("Comparisons")),
    (CALIBRATIONS, _("Calibration")),
    (ASKING, _("Models")),
    ("set_results", _("Results")),
    ("set_manners", _("Reviewers")),
    ("set_agreement", _("Agreement")),
    ("set_success", _("Success")),
    (TUNING, _("Weights")),
]


class Tab(Struct, frozen=True):
    """One page of the set: the name of its route, and its label."""

    route: str
    label: str
    is_current: bool


class SetFrame(Struct, frozen=True):
    """The header of a set's page. `refusal` says why the results are not shown yet; then no tabs lead to them."""

    slug: str
    number: int
    name: str
    rubric: str
    rubric_slug: str
    rubric_number: str
    mode: str
    has_second_round: bool
    is_closed: bool
    may_lead: bool
    tabs: list[Tab]
    refusal: str


def build_set_frame(*, comparison_set: ComparisonSet, current: str, person: Person) -> SetFrame:
    """The header for a set fetched with its project and its version's rubric; `current` is the route of the page."""
    version, project = comparison_set.rubric_version, comparison_set.project
    may_lead = may(check_open_set, person, project)
    refusal = get_refusal(check_see_results, person, comparison_set)
    open_to = {
        COMPARISONS: may_lead,
        CALIBRATIONS: may_lead,
        ASKING: may_lead,
        TUNING: may_lead and not refusal,
    }
    shown = [(route, label) for route, label in TABS if open_to.get(route, not refusal)]
    return SetFrame(
        slug=project.slug,
        number=comparison_set.number,
        name=comparison_set.name,
        rubric=version.rubric.name,
        rubric_slug=version.rubric.key,
        rubric_number=version.number,
        mode=str(MODE_NAMES[comparison_set.mode]),
        has_second_round=comparison_set.has_second_round,
        is_closed=comparison_set.closed_at is not None,
        may_lead=may_lead,
        tabs=[Tab(route, str(label), route == current) for route, label in shown],
        refusal=refusal,
    )
