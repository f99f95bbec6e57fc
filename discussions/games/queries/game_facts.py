"""The games of a list as plain values, for its page and for programs; the text of a transcript is never read."""

from typing import NamedTuple

import msgspec

from discussions.core.evaluation_states import OPEN, SUBMITTED
from discussions.core.outcome import Outcome
from discussions.games.queries.list_filters import (
    COMPLETE,
    LEFT_OUT,
    MEASURING,
    RATED,
    RECORDED,
    WAITING,
    GameRow,
)
from discussions.metrics.core.registry import METRICS
from discussions.models import Evaluation, Iteration, ManualFigure, Measured, Verdict
from discussions.models.manual_figures import COST
from discussions.models.slots import RATING
from discussions.queries import rubric_record
from discussions.verdicts.core.rule import Rules, read_rules
from rubric.core.records import RubricRecord
from workspace.database.prepared_queries import Prepared
from workspace.models import Project


class IterationRules(NamedTuple):
    number: int
    name: str
    evaluator_count: int
    version: int
    rubric: RubricRecord
    rules: Rules
    limit: float


class GameFacts(NamedTuple):
    """A game of the list: its row, how it is judged, its state, and the facts of its verdict.

    `figures` is the JSON of the measurement of a game without a verdict.
    """

    row: GameRow
    rules: IterationRules
    state: str
    figures: str | None
    outcome: Outcome | None
    is_cost_by_hand: bool


def load_iteration_rules(project: Project) -> dict[int, IterationRules]:
    iterations = {}
    for pk, number, name, evaluator_count, version, sha256 in _ITERATIONS(project.pk):
        rubric = rubric_record(version, sha256)
        rules = read_rules(rubric)
        limit = float(rules.limit)
        iterations[pk] = IterationRules(number, name, evaluator_count, version, rubric, rules, limit)
    return iterations


def load_game_facts(games: list[GameRow], iterations: dict[int, IterationRules]) -> list[GameFacts]:
    """The facts of these games; two queries, and two more if one of them has no verdict."""
    keys = [game.pk for game in games]
    verdicts = OUTCOMES(keys)
    outcomes = {game: msgspec.json.decode(outcome, type=Outcome) for game, outcome in verdicts}
    by_hand = {game for (game,) in _COSTS_BY_HAND(keys)}
    undecided = [key for key in keys if key not in outcomes]
    figures: dict[tuple[int, int], str] = {}
    states: dict[int, list[str]] = {}
    if undecided:
        figures = {(game, version): counted for game, version, counted in FIGURES(undecided)}
        for game, state in _STATES(undecided):
            states.setdefault(game, []).append(state)
    facts = []
    for row in games:
        rules, outcome = iterations[row.iteration_id], outcomes.get(row.pk)
        counted = figures.get((row.pk, rules.version))
        state = _find_state(row, rules, counted, states.get(row.pk, [])) if outcome is None else RECORDED
        facts.append(GameFacts(row, rules, state, counted, outcome, row.pk in by_hand))
    return facts


def _find_state(game: GameRow, rules: IterationRules, figures: str | None, evaluations: list[str]) -> str:
    if figures is None:
        return MEASURING
    if evaluations.count(SUBMITTED) >= (game.needed_count or rules.evaluator_count):
        return COMPLETE
    if any(state in OPEN for state in evaluations):
        return RATED
    return LEFT_OUT if game.queue_draw__is_in is False else WAITING


_ITERATIONS = Prepared(
    lambda project: (
        Iteration.objects.filter(project=project)
        .order_by("number")
        .values_list("pk", "number", "name", "evaluator_count", "rubric_version_id", "rubric_version__sha256")
    ),
    int,
)
FIGURES = Prepared(
    lambda games: (
        Measured.objects.filter(game__in=games)
        .order_by("pk")
        .values_list("game_id", "rubric_version_id", "figures")
    ),
    list,
)
OUTCOMES = Prepared(
    lambda games: Verdict.objects.not_superseded().filter(game__in=games).values_list("game_id", "outcome"),
    list,
)


def is_unknown(key: str, counted: list[int] | None) -> bool:
    """Whether a metric has no score before people judge it.

    `counted` are its figures: numerator, denominator, whether it applies, and whether people have to judge it.
    """
    metric = METRICS[key]
    if counted is None or metric.is_rated:
        return True
    _numerator, denominator, is_applicable, is_pending = counted
    return bool(is_applicable) and (not denominator or (bool(is_pending) and not metric.has_estimate))


_COSTS_BY_HAND = Prepared(
    lambda games: (
        ManualFigure.objects.filter(kind=COST, game__in=games).not_superseded().values_list("game_id")
    ),
    list,
)
_STATES = Prepared(
    lambda games: Evaluation.objects.filter(purpose=RATING, game__in=games).values_list("game_id", "state"),
    list,
)
