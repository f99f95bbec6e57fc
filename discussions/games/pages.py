"""The cells of a game's figures in tables: recorded values, or automatic ones before a verdict."""

from fractions import Fraction
from functools import lru_cache

import msgspec
from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.core.outcome import Outcome, OutcomeLine
from discussions.games.queries.game_facts import is_unknown
from discussions.metrics.core.metric import FigureScale
from discussions.metrics.core.registry import METRICS
from discussions.models import Measured
from discussions.verdicts.pages.lines import FAIL, OPEN, PASS, PENDING, format_score, get_state
from rubric.core.records import Criterion, RubricRecord
from workspace.core.text import figure

# The state of an automatic value, which no verdict rests on yet; grey in every table.
AUTOMATIC = "quiet"
BY_RULE, ESTIMATE, AUTOMATIC_PASS, AUTOMATIC_FAIL = "by_rule", "estimate", "automatic_pass", "automatic_fail"


class ScoreCell(Struct, frozen=True):
    """One figure: its text, its state ("pass", "fail", "pending", AUTOMATIC), the word for that, and if it fails."""

    text: str
    state: str
    says: str
    fails: bool = False


def list_cell_words() -> dict[str, str]:
    return {
        PASS: _("pass"),
        FAIL: _("fail"),
        PENDING: _("pending"),
        OPEN: _("open"),
        BY_RULE: _("n/a, pass"),
        ESTIMATE: _("estimate"),
        AUTOMATIC_PASS: _("automatic, pass"),
        AUTOMATIC_FAIL: _("automatic, fail"),
    }


def build_outcome_cells(outcome: Outcome, words: dict[str, str]) -> dict[str, ScoreCell]:
    return {line.key: _recorded(line, words) for line in outcome.lines}


def load_figure_cells(
    games: list[int], version: int, rubric: RubricRecord
) -> dict[int, dict[str, ScoreCell]]:
    """The cells of these games before a verdict, by game and metric, under that rubric version; one query."""
    rows = Measured.objects.filter(game__in=games, rubric_version=version).order_by("pk")
    words = list_cell_words()
    return {
        game: build_figure_cells(figures, rubric, words)
        for game, figures in rows.values_list("game_id", "figures")
    }


def build_figure_cells(
    figures: str | None, rubric: RubricRecord, words: dict[str, str]
) -> dict[str, ScoreCell]:
    """The cells of a game without a verdict: automatic values, pending where people have to judge first."""
    counted = msgspec.json.decode(figures) if figures else {}
    return {
        criterion.key: _counted(criterion, counted.get(criterion.key), words) for criterion in rubric.criteria
    }


def _recorded(line: OutcomeLine, words: dict[str, str]) -> ScoreCell:
    text, state = format_score(line).removesuffix(METRICS[line.key].scale.symbol), get_state(line)
    return ScoreCell(text, state, words[BY_RULE if line.is_by_rule else state], fails=state == FAIL)


def _counted(criterion: Criterion, counted: list[int] | None, words: dict[str, str]) -> ScoreCell:
    metric = METRICS[criterion.key]
    if counted is None or is_unknown(criterion.key, counted):
        return ScoreCell("", PENDING, words[PENDING])
    numerator, denominator, is_applicable, is_pending = counted
    if not is_applicable:
        return ScoreCell(f"{metric.scale.high:g}", AUTOMATIC, words[BY_RULE])
    text, reaches = _compare(numerator, denominator, metric.scale, criterion.threshold or 0)
    if is_pending:
        return ScoreCell(text, PENDING, words[ESTIMATE])
    says = words[AUTOMATIC_PASS if reaches else AUTOMATIC_FAIL]
    return ScoreCell(text, AUTOMATIC, says, fails=not reaches)


@lru_cache(maxsize=4096)
def _compare(numerator: int, denominator: int, scale: FigureScale, threshold: float) -> tuple[str, bool]:
    """The figure as text, and whether it reaches the threshold; cached, since a list repeats the same few counts."""
    value = scale.value(numerator, denominator)
    return figure(value, threshold), value >= Fraction(str(threshold))
