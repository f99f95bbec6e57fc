"""The games of a project, a page at a time: a fixed number of queries, and never the text of a transcript."""

from decimal import Decimal
from typing import NamedTuple

import msgspec
from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.core.metrics import METRICS
from discussions.core.moves import OPEN, SUBMITTED
from discussions.core.outcome import ABOVE, AMBER, UNREPORTED, Outcome
from discussions.core.verdict import Rules, rules_of, state_of_cost
from discussions.models import Evaluation, Iteration, ManualFigure, Measured, Verdict
from discussions.models.manual_figures import COST
from discussions.models.slots import RATING
from discussions.models.standings import rubric_record
from discussions.pages.cells import NO_CELL, Cell, Words, cells_of_figures, cells_of_outcome, words_of_cells
from discussions.pages.games_order import (
    HANDED_IN,
    MEASURING,
    RATED,
    RECORDED,
    SORTS,
    STATES,
    WAITING,
    GameRow,
    Wanted,
    window_of,
)
from discussions.pages.metric_labels import LABELS
from rubric.core.records import RubricRecord
from workspace.core.text_display import figure
from workspace.models import Project


class GameLine(Struct, frozen=True):
    """One row, its figures as text: `cells` has a figure for each column, `state` where the game is."""

    number: str
    iteration: str
    message_count: str
    state: str
    state_says: str
    tone: str
    headline: str
    cells: list[Cell]
    composite: str
    cost: str
    cost_says: str
    turns: str
    is_withdrawn: bool


class Choice(Struct, frozen=True):
    """One entry of the order or of a filter."""

    value: str
    label: str
    is_chosen: bool


class GamesPage(Struct, frozen=True):
    """A page of games; `after` and `before` are cursors to go on from, 0 where there is nothing more."""

    lines: list[GameLine]
    columns: list[str]
    sorts: list[Choice]
    states: list[Choice]
    iterations: list[Choice]
    game_count: int
    after: int
    before: int
    wanted: Wanted


def build_games_page(*, project: Project, wanted: Wanted) -> GamesPage:
    """The games that were asked for."""
    window = window_of(project, wanted)
    iterations = _iterations(project)
    metrics = _metrics(iterations)
    return GamesPage(
        lines=_lines(window.games, iterations, metrics),
        columns=[str(LABELS[key].column) for key in metrics],
        sorts=[Choice(key, str(label), key == wanted.sort) for key, label in SORTS.items()],
        states=[Choice(key, str(label), key == wanted.state) for key, label in STATES.items()],
        iterations=[Choice(str(pk), rules.name, pk == wanted.iteration) for pk, rules in iterations.items()],
        # Games are never deleted, so the next number tells how many there are.
        game_count=project.next_game_number - 1,
        after=window.after,
        before=window.before,
        wanted=wanted,
    )


class _Rules(Struct, frozen=True):
    """What an iteration's games are judged by."""

    name: str
    evaluator_count: int
    version: int
    rubric: RubricRecord
    rules: Rules
    limit: float


class _Said(NamedTuple):
    """What all rows share: words looked up once for the page, and its metrics."""

    states: dict[str, str]
    costs: dict[str, str]
    by_hand: str
    cells: Words
    metrics: list[str]


def _iterations(project: Project) -> dict[int, _Rules]:
    found = {}
    for pk, name, evaluator_count, version, sha256 in _ITERATIONS.filter(project=project):
        rubric = rubric_record(version, sha256)
        rules = rules_of(rubric)
        found[pk] = _Rules(name, evaluator_count, version, rubric, rules, float(rules.limit))
    return found


def _metrics(iterations: dict[int, _Rules]) -> list[str]:
    """The metrics of all rubric versions of the project, in the order of the table."""
    there = {criterion.key for rules in iterations.values() for criterion in rules.rubric.criteria}
    return [key for key in METRICS if key in there]


def _lines(games: list[GameRow], iterations: dict[int, _Rules], metrics: list[str]) -> list[GameLine]:
    keys = [game.pk for game in games]
    verdicts = _OUTCOMES.filter(game__in=keys)
    outcomes = {game: msgspec.json.decode(outcome, type=Outcome) for game, outcome in verdicts}
    by_hand = dict(_COSTS_BY_HAND.filter(game__in=keys))
    undecided = [key for key in keys if key not in outcomes]
    figures: dict[tuple[int, int], str] = {}
    states: dict[int, list[str]] = {}
    if undecided:
        figures = {(game, version): found for game, version, found in _FIGURES.filter(game__in=undecided)}
        for game, state in _STATES.filter(game__in=undecided):
            states.setdefault(game, []).append(state)
    said = _Said(
        {key: str(label) for key, label in STATES.items()},
        {AMBER: _("amber"), ABOVE: _("too high"), UNREPORTED: _("not reported")},
        _("by hand"),
        words_of_cells(),
        metrics,
    )
    lines = []
    for row in games:
        rules = iterations[row.iteration_id]
        counted = figures.get((row.pk, rules.version))
        lines.append(
            _line(
                row, rules, counted, outcomes.get(row.pk), states.get(row.pk, []), by_hand.get(row.pk), said
            )
        )
    return lines


# Built once, since the build is most of what such a query costs; a page narrows them.
_ITERATIONS = Iteration.objects.order_by("number").values_list(
    "pk", "name", "evaluator_count", "rubric_version_id", "rubric_version__sha256"
)
_FIGURES = Measured.objects.order_by("pk").values_list("game_id", "rubric_version_id", "figures")
_OUTCOMES = Verdict.objects.standing().values_list("game_id", "outcome")
_COSTS_BY_HAND = ManualFigure.objects.filter(kind=COST).standing().values_list("game_id", "value")
_STATES = Evaluation.objects.filter(purpose=RATING).values_list("game_id", "state")


def _line(
    game: GameRow,
    rules: _Rules,
    figures: str | None,
    outcome: Outcome | None,
    evaluations: list[str],
    by_hand: Decimal | None,
    said: _Said,
) -> GameLine:
    state = RECORDED if outcome is not None else _state(game, rules, figures, evaluations)
    cells = (
        cells_of_figures(figures, rules.rubric, said.cells)
        if outcome is None
        else cells_of_outcome(outcome, said.cells)
    )
    composite = None if outcome is None else outcome.composite
    turns = None if outcome is None else outcome.flip_distance
    is_entered = by_hand is not None
    cost = by_hand if is_entered else game.cost_usd
    return GameLine(
        number=str(game.number),
        iteration=rules.name,
        message_count=str(game.message_count),
        state=state,
        state_says=said.states[state],
        tone="" if outcome is None else "pass" if outcome.passes else "fail",
        headline="" if outcome is None else _headline(outcome),
        cells=[cells.get(key, NO_CELL) for key in said.metrics],
        composite="" if composite is None else f"{composite:.1f}",
        cost="" if cost is None else f"${figure(cost, rules.limit, decimals=2)}",
        cost_says=", ".join(
            filter(
                None, (said.costs.get(state_of_cost(cost, rules.rules)), said.by_hand if is_entered else "")
            )
        ),
        turns="" if turns is None else str(turns),
        is_withdrawn=game.withdrawn_at is not None,
    )


def _state(game: GameRow, rules: _Rules, figures: str | None, evaluations: list[str]) -> str:
    if figures is None:
        return MEASURING
    if evaluations.count(SUBMITTED) >= (game.needed_count or rules.evaluator_count):
        return HANDED_IN
    return RATED if any(state in OPEN for state in evaluations) else WAITING


def _headline(outcome: Outcome) -> str:
    """The short form: reasons have their place on the verdict's own page."""
    word = _("PASS") if outcome.passes else _("FAIL")
    rule = _(", %(n)d by rule") % {"n": outcome.by_rule_count} if outcome.by_rule_count else ""
    return f"{outcome.passed_count}/{len(outcome.lines)} {word}{rule}"
