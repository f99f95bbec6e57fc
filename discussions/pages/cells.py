"""Seven figures of a game as compact cells, from a recorded verdict or from what the machine counted so far."""

from fractions import Fraction

import msgspec
from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.core.outcome import ENGAGEMENT, MEMORY, Outcome
from discussions.pages.figures import PENDING, shown_score, state_of
from rubric.core.records import Criterion, RubricRecord
from workspace.core.text_display import figure


class Cell(Struct, frozen=True):
    """One figure: its text, its state ("pass", "fail", "pending") and the word for that."""

    text: str
    state: str
    says: str


def cells_of_outcome(outcome: Outcome) -> list[Cell]:
    """The cells of a recorded verdict."""
    words = {"pass": _("pass"), "fail": _("fail"), PENDING: _("open")}
    return [
        Cell(
            shown_score(line).removesuffix(" %"),
            state_of(line),
            _("by rule") if line.is_by_rule else words[state_of(line)],
        )
        for line in outcome.lines
    ]


def cells_of_figures(figures: str | None, rubric: RubricRecord) -> list[Cell]:
    """The cells of a game without a verdict: what the machine counted, and what is open until people judged."""
    counted = msgspec.json.decode(figures) if figures else {}
    return [_cell(criterion, counted.get(criterion.key)) for criterion in rubric.criteria]


def _cell(criterion: Criterion, counted: list[int] | None) -> Cell:
    if counted is None or criterion.key == ENGAGEMENT:
        return Cell("", PENDING, _("open"))
    numerator, denominator, is_applicable, is_pending = counted
    if not is_applicable:
        return Cell("100", "pass", _("by rule"))
    if not denominator or (is_pending and criterion.key == MEMORY):
        return Cell("", PENDING, _("open"))
    threshold = criterion.threshold or 0
    share = Fraction(100 * numerator, denominator)
    text = figure(share, threshold)
    if is_pending:
        return Cell(text, PENDING, _("estimate"))
    passes = share >= Fraction(str(threshold))
    return Cell(text, "pass" if passes else "fail", _("pass") if passes else _("fail"))
