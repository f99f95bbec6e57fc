"""Whether a set's figures are there, of the present input, or on their way; and what the statistics pages share."""

from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from rubric.models import ComparisonSet, SetFigures
from rubric.reviewer_statistics.core.figure_kinds import AGREEMENT, KINDS, RATER_EFFECTS, SUCCESS, TUNING
from rubric.reviewer_statistics.core.rater_effects import RaterEffect
from rubric.reviewer_statistics.queries import SET_STATISTICS
from workspace.statistics.conclusions import Figure
from workspace.statistics.estimates import Agreement
from workspace.stored_statistics.pages import StatisticsState, read_state

KIND_NAMES = {
    RATER_EFFECTS: gettext_lazy("Reviewers"),
    AGREEMENT: gettext_lazy("Agreement"),
    SUCCESS: gettext_lazy("Success"),
    TUNING: gettext_lazy("Weights"),
}


ROUTES = {kind: f"set_{kind}" for kind in KINDS}


class FiguresState(StatisticsState, frozen=True, kw_only=True):
    """The state of the figures of one kind, and the address of their page."""

    route: str
    slug: str
    number: int

    @property
    def review_count(self) -> int:
        """The reviews that the figures come from."""
        return self.count


def build_state(
    *, comparison_set: ComparisonSet, kind: str, now: datetime
) -> tuple[FiguresState, SetFigures | None]:
    """The state of that kind's figures, and their row when they are of the present input."""
    state, row = read_state(
        store=SET_STATISTICS, owner=comparison_set, kind=kind, names=KIND_NAMES, since=_since, now=now
    )
    slug, number = comparison_set.project.slug, comparison_set.number
    return FiguresState(**state, route=ROUTES[kind], slug=slug, number=number), row


def why_not(found: Figure | RaterEffect | Agreement) -> str:
    """The sentence for a figure that is not there, or for its interval."""
    return found.reason or found.interval_reason


def _since(more: int) -> str:
    """That there are figures of other input, and how many reviews came since."""
    if more <= 0:
        return _(
            "The figures there are come from other reviews or an earlier way of computing, so they are not shown."
        )
    sentence = ngettext(
        "%(n)d review came in since the figures were computed, so they are not shown.",
        "%(n)d reviews came in since the figures were computed, so they are not shown.",
        more,
    )
    return sentence % {"n": more}
