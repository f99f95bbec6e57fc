"""The games of a project, a page at a time: a fixed number of queries, and never the text of a transcript."""

from datetime import datetime
from decimal import Decimal
from typing import NamedTuple

import msgspec
from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.core.moves import OPEN, SUBMITTED
from discussions.core.outcome import ABOVE, AMBER, UNREPORTED, Outcome
from discussions.core.verdict import Rules, rules_of, state_of_cost
from discussions.models import Evaluation, Game, Iteration, ManualFigure, Measured, Verdict
from discussions.models.manual_figures import COST
from discussions.models.slots import RATING
from discussions.models.standings import rubric_record
from discussions.pages.cells import Cell, Words, cells_of_figures, cells_of_outcome, words_of_cells
from discussions.pages.games_order import (
    GAMES_A_PAGE,
    HANDED_IN,
    MEASURING,
    RATED,
    RECORDED,
    SORTS,
    STATES,
    WAITING,
    Wanted,
    window_of,
)
from rubric.core.records import RubricRecord
from workspace.core.text_display import figure
from workspace.models import Project
from workspace.models.prepared import Prepared


class GameLine(Struct, frozen=True):
    """One row, its figures as text: `cells` are the six scores and the rating, `state` where the game is."""

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
    return GamesPage(
        lines=_lines(window.games, iterations),
        columns=[
            _("Memory"),
            _("Depth"),
            _("Coherence"),
            _("Role"),
            _("Diversity"),
            _("Repetition"),
            _("Rating"),
        ],
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


class _Row(NamedTuple):
    pk: int
    number: int
    iteration: int
    message_count: int
    cost: Decimal | None
    withdrawn_at: datetime | None
    needed: int | None
    entered: Decimal | None = None


class _Said(NamedTuple):
    """Words looked up once for the page."""

    states: dict[str, str]
    costs: dict[str, str]
    by_hand: str
    cells: Words


def _iterations(project: Project) -> dict[int, _Rules]:
    found = {}
    for pk, name, evaluator_count, version, sha256 in _ITERATIONS.rows(project.pk):
        rubric = rubric_record(version, sha256)
        rules = rules_of(rubric)
        found[pk] = _Rules(name, evaluator_count, version, rubric, rules, float(rules.limit))
    return found


def _lines(keys: list[int], iterations: dict[int, _Rules]) -> list[GameLine]:
    page = [*keys, *[NO_GAME] * (GAMES_A_PAGE - len(keys))]
    rows = {row[0]: _Row(*row) for row in _GAMES.rows(*page)}
    by_hand = dict(_BY_HAND.rows(*page))
    figures = {(game, version): said for game, version, said in _FIGURES.rows(*page)}
    outcomes = {game: msgspec.json.decode(outcome, type=Outcome) for game, outcome in _OUTCOMES.rows(*page)}
    states: dict[int, list[str]] = {}
    for game, state in _STATES.rows(*page):
        states.setdefault(game, []).append(state)
    said = _Said(
        {key: str(label) for key, label in STATES.items()},
        {AMBER: _("amber"), ABOVE: _("too high"), UNREPORTED: _("not reported")},
        _("by hand"),
        words_of_cells(),
    )
    lines = []
    for key in keys:
        rules = iterations[rows[key].iteration]
        counted = figures.get((key, rules.version))
        row = rows[key]._replace(entered=by_hand.get(key))
        lines.append(_line(row, rules, counted, outcomes.get(key), states.get(key, []), said))
    return lines


# A page asks for as many games as it can hold, so that its queries are made once.
NO_GAME = 0
_OF_A_PAGE = (int,) * GAMES_A_PAGE
_ITERATIONS = Prepared(
    lambda project: (
        Iteration.objects.filter(project=project)
        .order_by("number")
        .values_list("pk", "name", "evaluator_count", "rubric_version_id", "rubric_version__sha256")
    ),
    int,
)
_GAMES = Prepared(
    lambda *keys: Game.objects.filter(pk__in=keys).values_list(
        "pk", "number", "iteration_id", "message_count", "cost_usd", "withdrawn_at", "needed_count"
    ),
    *_OF_A_PAGE,
)
_FIGURES = Prepared(
    lambda *keys: (
        Measured.objects.filter(game__in=keys)
        .order_by("pk")
        .values_list("game_id", "rubric_version_id", "figures")
    ),
    *_OF_A_PAGE,
)
_OUTCOMES = Prepared(
    lambda *keys: Verdict.objects.filter(game__in=keys).standing().values_list("game_id", "outcome"),
    *_OF_A_PAGE,
)
_BY_HAND = Prepared(
    lambda *keys: (
        ManualFigure.objects.filter(game__in=keys, kind=COST).standing().values_list("game_id", "value")
    ),
    *_OF_A_PAGE,
)
_STATES = Prepared(
    lambda *keys: Evaluation.objects.filter(game__in=keys, purpose=RATING).values_list("game_id", "state"),
    *_OF_A_PAGE,
)


def _line(
    game: _Row,
    rules: _Rules,
    figures: str | None,
    outcome: Outcome | None,
    evaluations: list[str],
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
    is_entered = game.entered is not None
    cost = game.entered if is_entered else game.cost
    return GameLine(
        number=str(game.number),
        iteration=rules.name,
        message_count=str(game.message_count),
        state=state,
        state_says=said.states[state],
        tone="" if outcome is None else "pass" if outcome.passes else "fail",
        headline="" if outcome is None else _headline(outcome),
        cells=cells,
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


def _state(game: _Row, rules: _Rules, figures: str | None, evaluations: list[str]) -> str:
    if figures is None:
        return MEASURING
    if evaluations.count(SUBMITTED) >= (game.needed or rules.evaluator_count):
        return HANDED_IN
    return RATED if any(state in OPEN for state in evaluations) else WAITING


def _headline(outcome: Outcome) -> str:
    """The short form: reasons have their place on the verdict's own page."""
    word = _("PASS") if outcome.passes else _("FAIL")
    rule = _(", %(n)d by rule") % {"n": outcome.by_rule_count} if outcome.by_rule_count else ""
    return f"{outcome.passed_count}/{len(outcome.lines)} {word}{rule}"
