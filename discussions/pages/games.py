"""The games of a project, a page at a time: a fixed number of queries, and never the text of a transcript."""

import msgspec
from django.db.models import QuerySet
from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.core.moves import OPEN, SUBMITTED
from discussions.core.outcome import Outcome
from discussions.core.verdict import rules_of, state_of_cost
from discussions.models import Evaluation, Game, Iteration, Measured, Verdict
from discussions.models.evaluations import RATING
from discussions.models.standings import rubric_record
from discussions.pages.cells import Cell, cells_of_figures, cells_of_outcome
from discussions.pages.games_order import (
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
from workspace.core.text_display import figure
from workspace.models import Project


class GameLine(Struct, frozen=True):
    """One row: `cells` are the six scores and the rating, `state` the word for where the game is."""

    number: int
    iteration: str
    message_count: int
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
    iterations = Iteration.objects.filter(project=project).order_by("number").values_list("pk", "name")
    return GamesPage(
        lines=_lines(window.games),
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
        iterations=[Choice(str(pk), name, pk == wanted.iteration) for pk, name in iterations],
        # Games are never deleted, so the next number tells how many there are.
        game_count=project.next_game_number - 1,
        after=window.after,
        before=window.before,
        wanted=wanted,
    )


def _lines(keys: list[int]) -> list[GameLine]:
    games = Game.objects.filter(pk__in=keys).select_related("iteration__rubric_version")
    rows = {
        game.pk: game
        for game in games.defer("warnings", "iteration__prompt", "iteration__rubric_version__body")
    }
    measured = _newest_measured(keys)
    verdicts = {row.game_id: row for row in Verdict.objects.filter(game__in=keys).standing().defer("basis")}
    states: dict[int, list[str]] = {}
    evaluations = Evaluation.objects.filter(game__in=keys, purpose=RATING).values_list("game_id", "state")
    for game, state in evaluations:
        states.setdefault(game, []).append(state)
    return [
        _line(
            rows[key],
            measured.get((key, rows[key].iteration.rubric_version_id)),
            verdicts.get(key),
            states.get(key, []),
        )
        for key in keys
    ]


def _newest_measured(keys: list[int]) -> dict[tuple[int, int], str]:
    rows = Measured.objects.filter(game__in=keys).order_by("pk")
    found: QuerySet[Measured, tuple[int, int, str]] = rows.values_list(
        "game_id", "rubric_version_id", "figures"
    )
    return {(game, version): figures for game, version, figures in found}


def _line(game: Game, figures: str | None, verdict: Verdict | None, evaluations: list[str]) -> GameLine:
    version = game.iteration.rubric_version
    rubric = rubric_record(version.pk, version.sha256)
    rules = rules_of(rubric)
    outcome = None if verdict is None else msgspec.json.decode(verdict.outcome, type=Outcome)
    state = _state(game, figures, verdict, evaluations)
    cost_state = state_of_cost(game.cost_usd, rules)
    return GameLine(
        number=game.number,
        iteration=game.iteration.name,
        message_count=game.message_count,
        state=state,
        state_says=str(STATES[state]),
        tone="" if verdict is None else "pass" if verdict.passes else "fail",
        headline="" if outcome is None else _headline(outcome),
        cells=cells_of_figures(figures, rubric) if outcome is None else cells_of_outcome(outcome),
        composite="" if outcome is None or outcome.composite is None else f"{outcome.composite:.1f}",
        cost="" if game.cost_usd is None else f"${figure(game.cost_usd, float(rules.limit), decimals=2)}",
        cost_says={"amber": _("amber"), "above": _("too high"), "unreported": _("not reported")}.get(
            cost_state, ""
        ),
        turns="" if verdict is None or verdict.flip_distance is None else str(verdict.flip_distance),
        is_withdrawn=game.withdrawn_at is not None,
    )


def _state(game: Game, figures: str | None, verdict: Verdict | None, evaluations: list[str]) -> str:
    if verdict is not None:
        return RECORDED
    if figures is None:
        return MEASURING
    if evaluations.count(SUBMITTED) >= game.iteration.evaluator_count:
        return HANDED_IN
    return RATED if any(state in OPEN for state in evaluations) else WAITING


def _headline(outcome: Outcome) -> str:
    """The short form: reasons have their place on the verdict's own page."""
    word = _("PASS") if outcome.passes else _("FAIL")
    rule = _(", %(n)d by rule") % {"n": outcome.by_rule_count} if outcome.by_rule_count else ""
    return f"{outcome.passed_count}/{len(outcome.lines)} {word}{rule}"
