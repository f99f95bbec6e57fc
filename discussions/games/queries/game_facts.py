"""The games of a list as plain values, for its page and for programs; the text of a transcript is never read."""

from typing import Any, NamedTuple

import msgspec
from django.db.models import Exists, Func, IntegerField, OuterRef, QuerySet, Subquery, Value

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
from discussions.models import Evaluation, Game, Iteration, ManualFigure, Verdict
from discussions.models.manual_figures import COST
from discussions.models.slots import RATING
from discussions.queries import measured_for, rubric_record
from discussions.slots.queries import query_evaluators
from discussions.verdicts.core.rule import Rules, read_rules
from rubric.core.records import RubricRecord
from workspace.database.prepared_queries import prepared
from workspace.database.unions import select_part
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


def load_rules(project: Project) -> tuple[dict[int, IterationRules], dict[int, str]]:
    """The rules of the project's iterations, and the names of the people who rate in it, each by key; one query."""
    iterations: dict[int, IterationRules] = {}
    names: dict[int, str] = {}
    for part, number, name, pk, evaluator_count, version, sha256 in sorted(_list_rules(project.pk)):
        if part == _EVALUATOR:
            names[pk] = name
            continue
        rubric = rubric_record(version, sha256)
        rules = read_rules(rubric)
        limit = float(rules.limit)
        iterations[pk] = IterationRules(number, name, evaluator_count, version, rubric, rules, limit)
    return iterations, dict(sorted(names.items(), key=lambda row: (row[1].casefold(), row[0])))


def load_game_facts(games: list[GameRow], iterations: dict[int, IterationRules]) -> list[GameFacts]:
    """The facts of these games; one query."""
    found = {game: facts for game, *facts in list_facts([game.pk for game in games])}
    listed = []
    for row in games:
        recorded, figures, submitted, is_begun, is_cost_by_hand = found[row.pk]
        rules = iterations[row.iteration_id]
        if recorded is not None:
            outcome, state = msgspec.json.decode(recorded, type=Outcome), RECORDED
        else:
            outcome, state = None, _find_state(row, rules, figures, submitted, is_begun=is_begun)
        listed.append(GameFacts(row, rules, state, figures, outcome, is_cost_by_hand))
    return listed


def _find_state(
    game: GameRow, rules: IterationRules, figures: str | None, submitted: int, *, is_begun: bool
) -> str:
    if figures is None:
        return MEASURING
    if submitted >= (game.needed_count or rules.evaluator_count):
        return COMPLETE
    if is_begun:
        return RATED
    return LEFT_OUT if game.queue_draw__is_in is False else WAITING


_ITERATION, _EVALUATOR = range(2)


@prepared
def _list_rules(project: int) -> "QuerySet[Any, Any]":
    iterations, version = Iteration.objects.filter(project=project), "rubric_version"
    columns = ("number", "name", "pk", "evaluator_count", version, f"{version}__sha256")
    zero, people = Value(0), query_evaluators(project)
    return select_part(_ITERATION, iterations, *columns).union(
        select_part(_EVALUATOR, people, zero, "name", "pk", zero, zero, Value("")), all=True
    )


@prepared
def list_facts(games: list[int]) -> "QuerySet[Game, Any]":
    """Of each game: key, recorded outcome, figures, evaluations submitted, if one is begun, if the cost is by hand."""
    own = OuterRef("pk")
    verdict = Verdict.objects.filter(game=own).not_superseded()
    ratings = Evaluation.objects.filter(game=own, purpose=RATING)
    # An aggregate of Django would group the rows, which costs SQLite twice as much.
    count = Func("pk", function="COUNT", output_field=IntegerField())
    return Game.with_erased.filter(pk__in=games).values_list(
        "pk",
        Subquery(verdict.values("outcome")[:1]),
        Subquery(measured_for().order_by("-pk").values("figures")[:1]),
        Subquery(ratings.filter(state=SUBMITTED).values_list(count)),
        Exists(ratings.filter(state__in=OPEN)),
        Exists(ManualFigure.objects.filter(kind=COST, game=own).not_superseded()),
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
