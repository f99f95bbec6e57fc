"""The state of a set's figures: current, being computed, out of date or missing."""

from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from msgspec import Struct

from rubric.models import ComparisonSet, SetFigures
from rubric.reviewer_statistics.core.figure_kinds import AGREEMENT, RATER_EFFECTS, SUCCESS, TUNING
from rubric.reviewer_statistics.queries import SET_STATISTICS, count_not_blind
from rubric.sets.pages import SetFrame
from workspace.stored_statistics.pages import StatisticsState, read_state

KIND_NAMES = {
    RATER_EFFECTS: gettext_lazy("Reviewers"),
    AGREEMENT: gettext_lazy("Agreement"),
    SUCCESS: gettext_lazy("Success"),
    TUNING: gettext_lazy("Weights"),
}


class FiguresState(StatisticsState, frozen=True, kw_only=True):
    """The state of the figures of one kind, and the address of their page; `not_blind` reviews are left out."""

    route: str
    slug: str
    number: int
    not_blind: int


class StatisticsPage(Struct, frozen=True):
    """The fields that all statistics pages share."""

    head: SetFrame
    state: FiguresState


def build_state(
    *, comparison_set: ComparisonSet, kind: str, now: datetime
) -> tuple[FiguresState, SetFigures | None]:
    """The state of the figures of that kind, and their row if it matches the present input."""
    state, row = read_state(
        store=SET_STATISTICS, owner=comparison_set, kind=kind, names=KIND_NAMES, since=_since, now=now
    )
    slug, number = comparison_set.project.slug, comparison_set.number
    left_out = count_not_blind(comparison_set)
    return FiguresState(**state, route=f"set_{kind}", slug=slug, number=number, not_blind=left_out), row


def _since(more: int) -> str:
    if more <= 0:
        return _(
            "The figures there are come from other reviews or an earlier way of computing, so they are not shown."
        )
    sentence = ngettext(
        "%(n)d review was submitted since the figures were computed, so they are not shown.",
        "%(n)d reviews were submitted since the figures were computed, so they are not shown.",
        more,
    )
    return sentence % {"n": more}
