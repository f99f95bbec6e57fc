"""The figures of a game as compact cells, from a recorded verdict or from what the machine counted so far."""

from fractions import Fraction

import msgspec
from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.core.metrics import METRICS
from discussions.core.outcome import Line, Outcome
from discussions.pages.figures import FAIL, PASS, PENDING, shown_score, state_of
from rubric.core.records import Criterion, RubricRecord
from workspace.core.text_display import figure


class Cell(Struct, frozen=True):
    """One figure: its text, its state ("pass", "fail", "pending") and the word for that."""

    text: str
    state: str
    says: str


# For a metric that the rubric version of a game does not have.
NO_CELL = Cell("", "", "")


class Words(Struct, frozen=True):
    """The words of the cells in the reader's language, looked up once for a page."""

    by_state: dict[str, str]
    by_rule: str
    estimate: str


def words_of_cells() -> Words:
    """The words as of now."""
    return Words({PASS: _("pass"), FAIL: _("fail"), PENDING: _("open")}, _("by rule"), _("estimate"))


def cells_of_outcome(outcome: Outcome, words: Words) -> dict[str, Cell]:
    """The cells of a recorded verdict, by metric."""
    return {line.key: _recorded(line, words) for line in outcome.lines}


def cells_of_figures(figures: str | None, rubric: RubricRecord, words: Words) -> dict[str, Cell]:
    """The cells of a game without a verdict: what the machine counted, and what is open until people judged."""
    counted = msgspec.json.decode(figures) if figures else {}
    return {
        criterion.key: _counted(criterion, counted.get(criterion.key), words) for criterion in rubric.criteria
    }


def _recorded(line: Line, words: Words) -> Cell:
    state = state_of(line)
    says = words.by_rule if line.is_by_rule else words.by_state[state]
    return Cell(shown_score(line).removesuffix(METRICS[line.key].scale.symbol), state, says)


def _counted(criterion: Criterion, counted: list[int] | None, words: Words) -> Cell:
    metric = METRICS[criterion.key]
    if counted is None or metric.is_rated:
        return Cell("", PENDING, words.by_state[PENDING])
    numerator, denominator, is_applicable, is_pending = counted
    if not is_applicable:
        return Cell(f"{metric.scale.high:g}", PASS, words.by_rule)
    if not denominator or (is_pending and not metric.has_estimate):
        return Cell("", PENDING, words.by_state[PENDING])
    threshold = criterion.threshold or 0
    value = metric.scale.value(numerator, denominator)
    text = figure(value, threshold)
    if is_pending:
        return Cell(text, PENDING, words.estimate)
    state = PASS if value >= Fraction(str(threshold)) else FAIL
    return Cell(text, state, words.by_state[state])
