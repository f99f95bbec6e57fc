"""The games of a project, a page at a time, with figures from recorded verdicts or from measurements so far.

A page takes a fixed number of queries and never reads the text of a transcript.
"""

from collections.abc import Mapping
from datetime import datetime
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec
from django.db.models import Count
from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.access.queries import name_evaluators
from discussions.core.evaluation_states import OPEN, SUBMITTED
from discussions.core.outcome import ABOVE, AMBER, UNREPORTED, Line, Outcome
from discussions.games.pages.list_columns import (
    FLAGS,
    ColumnChoice,
    Heading,
    build_headings,
    choose_columns,
    list_columns,
)
from discussions.games.pages.list_filters import (
    AGREEMENTS,
    COMPLETE,
    MEASURING,
    RATED,
    RECORDED,
    STATES,
    STATUSES,
    VERDICTS,
    WAITING,
    WEAK_PASSES,
    YES,
)
from discussions.games.pages.list_query import (
    MOST_CHOSEN,
    SORTS,
    GameRow,
    ListQuery,
    count_matches,
    load_list_window,
)
from discussions.metrics.core.metric import Scale
from discussions.metrics.core.registry import METRICS
from discussions.models import Evaluation, Iteration, ManualFigure, Measured, Remark, Verdict
from discussions.models.manual_figures import COST
from discussions.models.slots import RATING
from discussions.queries import find_stopped_jobs, rubric_record
from discussions.verdicts.core.rule import Rules, get_cost_state, read_rules
from discussions.verdicts.pages.lines import (
    FAIL,
    PASS,
    PENDING,
    describe_weak_pass,
    format_score,
    get_state,
)
from rubric.core.records import Criterion, RubricRecord
from workspace.core.text import figure
from workspace.database.prepared_queries import Prepared
from workspace.models import Project

# The state of an automatic value, which no verdict rests on yet; grey in every table.
AUTOMATIC = "quiet"


class ScoreCell(Struct, frozen=True):
    """One figure: its text, its state ("pass", "fail", "pending", AUTOMATIC) and the word for that."""

    text: str
    state: str
    says: str


class ListedGame(Struct, frozen=True):
    """One row, its figures as text: `cells` has a figure for each shown metric."""

    number: str
    source_id: str
    file_name: str
    iteration: str
    imported_at: datetime
    message_count: str
    state: str
    state_says: str
    tone: str
    headline: str
    cells: list[ScoreCell]
    composite: str
    cost: str
    cost_says: str
    turns: str
    weak: str
    flags: str
    is_withdrawn: bool


class FilterChip(Struct, frozen=True):
    """One active filter, in words; `without` is the query of the URL without it."""

    label: str
    without: str


class GamesPage(Struct, frozen=True):
    """A page of games; `after` and `before` are cursors to continue from, 0 if there are no more.

    `match_count` is how many games the whole list has, counted to `most_chosen` + 1. `shown` are this person's columns
    besides number and state, `columns` all that can be chosen.
    """

    lines: list[ListedGame]
    headings: dict[str, Heading]
    shown: list[str]
    metrics: list[str]
    columns: list[ColumnChoice]
    choices: dict[str, Mapping[Any, Any]]
    chips: list[FilterChip]
    game_count: int
    match_count: int
    most_chosen: int
    after: int
    before: int
    wanted: ListQuery

    @property
    def more_count(self) -> int:
        """How many of the collapsed filters are active."""
        return sum(name not in ("q", "state", "verdict", "iteration") for name in self.wanted.given)


def build_games_page(
    *, project: Project, wanted: ListQuery, chosen: frozenset[str] | None = None
) -> GamesPage:
    """The requested games, with the columns that a person chose."""
    window = load_list_window(project, wanted)
    iterations = _iterations(project)
    columns = list_columns(_metrics(iterations))
    shown = choose_columns(columns, chosen)
    labels = _row_labels([key for key in shown if key in METRICS])
    found = _load_rows(window.games, iterations)
    waiting = {game.row.iteration_id for game in found if game.state == MEASURING}
    stopped = find_stopped_jobs(waiting) if waiting else {}
    flags = _count_flags(window.games) if FLAGS in shown else {}
    choices = _choices(iterations, name_evaluators(project))
    is_whole = not (window.after or window.before)
    return GamesPage(
        lines=[
            _line(
                game,
                labels,
                flags.get(game.row.pk, 0),
                is_stopped=game.state == MEASURING and game.row.iteration_id in stopped,
            )
            for game in found
        ],
        headings=build_headings(columns, shown, wanted),
        shown=shown,
        metrics=labels.metrics,
        columns=[ColumnChoice(key, label, key in shown) for key, label in columns.items()],
        choices=choices,
        chips=_chips(wanted, choices),
        # Games are never deleted, so the next number gives their count.
        game_count=project.next_game_number - 1,
        match_count=len(found) if is_whole else count_matches(project, wanted, MOST_CHOSEN + 1),
        most_chosen=MOST_CHOSEN,
        after=window.after,
        before=window.before,
        wanted=wanted,
    )


def _choices(iterations: "dict[int, _Rules]", people: dict[int, str]) -> dict[str, Mapping[Any, Any]]:
    """The choices of each filter with a menu, by its name in the URL."""
    return {
        "sort": SORTS,
        "state": STATUSES,
        "verdict": VERDICTS,
        "iteration": {key: rules.name for key, rules in iterations.items()},
        "evaluator": people,
        "agreement": AGREEMENTS,
        "weak": WEAK_PASSES,
        "flag": {YES: _("with an open flag")},
        "odd": {YES: _("looks odd")},
    }


def _chips(wanted: ListQuery, choices: Mapping[str, Mapping[Any, Any]]) -> list[FilterChip]:
    words = {
        "q": _("search: %(value)s"),
        "since": _("imported from %(value)s"),
        "until": _("imported to %(value)s"),
        "evaluator": _("evaluator: %(value)s"),
    }
    chips = []
    for name, value in wanted.given.items():
        known: Mapping[Any, Any] = STATES if name == "state" else choices.get(name, {})
        label = known.get(value, value)
        says = words.get(name, "%(value)s") % {"value": label}
        chips.append(FilterChip(says, wanted.change(**{name: ""})))
    return chips


def _count_flags(games: list[GameRow]) -> dict[int, int]:
    """Open flags by game; one query."""
    return dict(_FLAGS.rows([game.pk for game in games]))


def load_listed_games(*, project: Project, wanted: ListQuery) -> "tuple[list[GameFacts], int]":
    """The same games as plain values, and the cursor to continue from (0: no more)."""
    window = load_list_window(project, wanted)
    return _load_rows(window.games, _iterations(project)), window.after


class _Rules(Struct, frozen=True):
    """The name of an iteration and how its games are judged."""

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
    rules: _Rules
    state: str
    figures: str | None
    outcome: Outcome | None
    is_cost_by_hand: bool


class CellLabels(Struct, frozen=True):
    """The words of the cells in the reader's language, looked up once for a page."""

    by_state: dict[str, str]
    by_rule: str
    estimate: str
    automatic: dict[str, str]


class _RowLabels(NamedTuple):
    """Data shared by all rows: words looked up once for the page, and its metrics."""

    states: dict[str, str]
    costs: dict[str, str]
    by_hand: str
    cells: CellLabels
    metrics: list[str]


def _iterations(project: Project) -> dict[int, _Rules]:
    found = {}
    for pk, number, name, evaluator_count, version, sha256 in _ITERATIONS.rows(project.pk):
        rubric = rubric_record(version, sha256)
        rules = read_rules(rubric)
        found[pk] = _Rules(number, name, evaluator_count, version, rubric, rules, float(rules.limit))
    return found


def _metrics(iterations: dict[int, _Rules]) -> list[str]:
    """The metrics of all rubric versions of the project, in the order of the table."""
    keys = {criterion.key for rules in iterations.values() for criterion in rules.rubric.criteria}
    return [key for key in METRICS if key in keys]


def _load_rows(games: list[GameRow], iterations: dict[int, _Rules]) -> list[GameFacts]:
    keys = [game.pk for game in games]
    verdicts = _OUTCOMES.rows(keys)
    outcomes = {game: msgspec.json.decode(outcome, type=Outcome) for game, outcome in verdicts}
    by_hand = {game for (game,) in _COSTS_BY_HAND.rows(keys)}
    undecided = [key for key in keys if key not in outcomes]
    figures: dict[tuple[int, int], str] = {}
    states: dict[int, list[str]] = {}
    if undecided:
        figures = {(game, version): found for game, version, found in _FIGURES.rows(undecided)}
        for game, state in _STATES.rows(undecided):
            states.setdefault(game, []).append(state)
    found = []
    for row in games:
        rules, outcome = iterations[row.iteration_id], outcomes.get(row.pk)
        counted = figures.get((row.pk, rules.version))
        state = _state(row, rules, counted, states.get(row.pk, [])) if outcome is None else RECORDED
        found.append(GameFacts(row, rules, state, counted, outcome, row.pk in by_hand))
    return found


def _row_labels(metrics: list[str]) -> _RowLabels:
    return _RowLabels(
        {key: str(label) for key, label in STATES.items()},
        {AMBER: _("over target"), ABOVE: _("too high"), UNREPORTED: _("not reported")},
        _("by hand"),
        build_cell_labels(),
        metrics,
    )


_ITERATIONS = Prepared(
    lambda project: (
        Iteration.objects.filter(project=project)
        .order_by("number")
        .values_list("pk", "number", "name", "evaluator_count", "rubric_version_id", "rubric_version__sha256")
    ),
    int,
)
_FIGURES = Prepared(
    lambda games: (
        Measured.objects.filter(game__in=games)
        .order_by("pk")
        .values_list("game_id", "rubric_version_id", "figures")
    ),
    list,
)
_OUTCOMES = Prepared(
    lambda games: Verdict.objects.not_superseded().filter(game__in=games).values_list("game_id", "outcome"),
    list,
)
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
_FLAGS = Prepared(
    lambda games: (
        Remark.objects.filter(kind="flag", resolved_at=None, evaluation__game__in=games)
        .order_by()
        .values("evaluation__game")
        .annotate(count=Count("pk"))
        .values_list("evaluation__game", "count")
    ),
    list,
)


def _line(found: GameFacts, labels: _RowLabels, flag_count: int, *, is_stopped: bool) -> ListedGame:
    game, rules, outcome, state = found.row, found.rules, found.outcome, found.state
    cells = (
        build_figure_cells(found.figures, rules.rubric, labels.cells)
        if outcome is None
        else build_outcome_cells(outcome, labels.cells)
    )
    composite = None if outcome is None else outcome.composite
    turns = None if outcome is None else outcome.flip_distance
    cost = game.paid_usd
    return ListedGame(
        number=str(game.number),
        source_id=game.source_id,
        file_name=game.transcript__name,
        iteration=rules.name,
        imported_at=game.created_at,
        message_count=str(game.message_count),
        state=state,
        state_says=labels.states[state],
        tone="fail" if is_stopped else "" if outcome is None else "pass" if outcome.passes else "fail",
        headline=_("measuring failed") if is_stopped else "" if outcome is None else _headline(outcome),
        cells=[cells.get(key, NO_CELL) for key in labels.metrics],
        composite="" if composite is None else figure(composite),
        cost="" if cost is None else f"${figure(cost, rules.limit, decimals=2)}",
        cost_says=", ".join(
            filter(
                None,
                (
                    labels.costs.get(get_cost_state(cost, rules.rules)),
                    labels.by_hand if found.is_cost_by_hand else "",
                ),
            )
        ),
        turns="" if turns is None else str(turns),
        weak="" if outcome is None else "; ".join(map(describe_weak_pass, outcome.weak_passes)),
        flags="" if not flag_count else str(flag_count),
        is_withdrawn=game.withdrawn_at is not None,
    )


def _state(game: GameRow, rules: _Rules, figures: str | None, evaluations: list[str]) -> str:
    if figures is None:
        return MEASURING
    if evaluations.count(SUBMITTED) >= (game.needed_count or rules.evaluator_count):
        return COMPLETE
    return RATED if any(state in OPEN for state in evaluations) else WAITING


def _headline(outcome: Outcome) -> str:
    """The outcome without reasons."""
    word = _("PASS") if outcome.passes else _("FAIL")
    return f"{outcome.passed_count}/{len(outcome.lines)} {word}"


# For a metric that the rubric version of a game does not have.
NO_CELL = ScoreCell("", "", "")


def build_cell_labels() -> CellLabels:
    """The words in the reader's language."""
    return CellLabels(
        {PASS: _("pass"), FAIL: _("fail"), PENDING: _("pending")},
        _("n/a, pass"),
        _("estimate"),
        {PASS: _("automatic, pass"), FAIL: _("automatic, fail")},
    )


def build_outcome_cells(outcome: Outcome, words: CellLabels) -> dict[str, ScoreCell]:
    """The cells of a recorded verdict, by metric."""
    return {line.key: _recorded(line, words) for line in outcome.lines}


def load_figure_cells(
    games: list[int], version: int, rubric: RubricRecord
) -> dict[int, dict[str, ScoreCell]]:
    """The cells of these games before a verdict, by game and metric, under that rubric version; one query."""
    rows = _FIGURES.rows(games) if games else []
    words = build_cell_labels()
    return {
        game: build_figure_cells(figures, rubric, words)
        for game, measured, figures in rows
        if measured == version
    }


def build_figure_cells(figures: str | None, rubric: RubricRecord, words: CellLabels) -> dict[str, ScoreCell]:
    """The cells of a game without a verdict: automatic values, pending where people have to judge first."""
    counted = msgspec.json.decode(figures) if figures else {}
    return {
        criterion.key: _counted(criterion, counted.get(criterion.key), words) for criterion in rubric.criteria
    }


def _recorded(line: Line, words: CellLabels) -> ScoreCell:
    state = get_state(line)
    says = words.by_rule if line.is_by_rule else words.by_state[state]
    return ScoreCell(format_score(line).removesuffix(METRICS[line.key].scale.symbol), state, says)


def _counted(criterion: Criterion, counted: list[int] | None, words: CellLabels) -> ScoreCell:
    metric = METRICS[criterion.key]
    if counted is None or metric.is_rated:
        return ScoreCell("", PENDING, words.by_state[PENDING])
    numerator, denominator, is_applicable, is_pending = counted
    if not is_applicable:
        return ScoreCell(f"{metric.scale.high:g}", AUTOMATIC, words.by_rule)
    if not denominator or (is_pending and not metric.has_estimate):
        return ScoreCell("", PENDING, words.by_state[PENDING])
    text, reaches = _compare(numerator, denominator, metric.scale, criterion.threshold or 0)
    if is_pending:
        return ScoreCell(text, PENDING, words.estimate)
    return ScoreCell(text, AUTOMATIC, words.automatic[PASS if reaches else FAIL])


@lru_cache(maxsize=4096)
def _compare(numerator: int, denominator: int, scale: Scale, threshold: float) -> tuple[str, bool]:
    """The figure as text, and whether it reaches the threshold; cached, since a list repeats the same few counts."""
    value = scale.value(numerator, denominator)
    return figure(value, threshold), value >= Fraction(str(threshold))
