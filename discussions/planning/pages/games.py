"""The games of an iteration: their figures and states, and which could still be moved into it."""

from collections.abc import Mapping

import msgspec
from django.db.models import Exists, OuterRef
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from msgspec import Struct

from discussions.core.evaluation_states import OPEN, SUBMITTED
from discussions.games.pages.list import ScoreCell, load_figure_cells
from discussions.gates.queries import cost_text
from discussions.iterations.core.figures import GameFigures
from discussions.iterations.core.history import (
    COMPLETE,
    RECORDED,
    HistoryGame,
    HistoryIteration,
    WithdrawnGame,
)
from discussions.iterations.pages import describe_weak_score
from discussions.iterations.queries import load_rubric
from discussions.models import Evaluation, Game, Iteration, Verdict
from discussions.models.slots import RATING
from discussions.queries import measured_for
from discussions.verdicts.pages.lines import FAIL, PASS, PENDING
from rubric.core.records import Criterion, RubricRecord
from workspace.core.text import figure

MOST_CANDIDATES = 200


class IterationGame(Struct, frozen=True):
    """One game as a row. `may_move` says that it can go back to the unsorted ones.

    `withdrawn` says why the game does not count, "" if it does.
    """

    figures: GameFigures
    state: str
    tone: str
    cells: list[ScoreCell]
    cost: str
    may_move: bool
    withdrawn: str = ""


class Candidates(Struct, frozen=True):
    """The unsorted games that could move in, the newest first; `more` counts those that are not listed."""

    games: list[Game]
    more: int


def iteration_games(iteration: Iteration, row: HistoryIteration) -> list[IterationGame]:
    """The rows in order of their numbers, withdrawn games last; three queries.

    What people have not judged yet is shown by its automatic value, as in the list of games.
    """
    keys = [game.id for game in row.games]
    rows = Game.objects.filter(Exists(measured_for(iteration)), pk__in=keys)
    measured = set(rows.values_list("pk", flat=True))
    states: dict[int, list[str]] = {}
    fewer: dict[int, int | None] = {}
    found = Evaluation.objects.filter(game__in=keys, purpose=RATING)
    for game, state, fewer[game] in found.values_list("game_id", "state", "game__needed_count"):
        states.setdefault(game, []).append(state)
    rubric = load_rubric(row)
    shown = [*row.games, *(game.game for game in row.left_out)]
    open_keys = [game.id for game in shown if None in _scores(game, rubric)]
    automatic = load_figure_cells(open_keys, row.rubric_version, rubric)
    return [
        _row(
            game,
            iteration,
            rubric,
            automatic.get(game.id, {}),
            is_measured=game.id in measured,
            states=states.get(game.id, []),
            needed=fewer.get(game.id) or iteration.evaluator_count,
        )
        for game in row.games
    ] + [_withdrawn(game, iteration, rubric, automatic.get(game.game.id, {})) for game in row.left_out]


def candidates(iteration: Iteration) -> Candidates:
    """The project's unsorted games that could move into the iteration; two queries."""
    rows = Game.objects.filter(
        ~Exists(Evaluation.objects.filter(game=OuterRef("pk"))),
        ~Exists(Verdict.objects.filter(game=OuterRef("pk"))),
        project=iteration.project_id,
        iteration__stage=None,
        withdrawn_at=None,
    )
    shown = list(rows.order_by("-number").only("number", "source_id")[: MOST_CANDIDATES + 1])
    more = rows.count() - MOST_CANDIDATES if len(shown) > MOST_CANDIDATES else 0
    return Candidates(shown[:MOST_CANDIDATES], more)


def _row(
    game: HistoryGame,
    iteration: Iteration,
    rubric: RubricRecord,
    automatic: Mapping[str, ScoreCell],
    *,
    is_measured: bool,
    states: list[str],
    needed: int,
) -> IterationGame:
    figures = game.figures
    says, tone = _state(game, iteration, is_measured=is_measured, states=states, needed=needed)
    return IterationGame(
        figures=figures,
        state=says,
        tone=tone,
        cells=[_cell(game, criterion, automatic) for criterion in rubric.criteria],
        cost=cost_text(figures, rubric),
        may_move=iteration.takes_games and not states,
    )


def _withdrawn(
    withdrawn: WithdrawnGame, iteration: Iteration, rubric: RubricRecord, automatic: Mapping[str, ScoreCell]
) -> IterationGame:
    row = _row(withdrawn.game, iteration, rubric, automatic, is_measured=True, states=[SUBMITTED], needed=1)
    why = f"{withdrawn.reason} ({withdrawn.by})"
    return msgspec.structs.replace(row, state=_("withdrawn"), tone="", withdrawn=why)


def _state(
    game: HistoryGame, iteration: Iteration, *, is_measured: bool, states: list[str], needed: int
) -> tuple[str, str]:
    """The state of the game in words, and its tone."""
    if game.state == RECORDED:
        return (_("verdict: PASS"), PASS) if game.figures.is_pass else (_("verdict: FAIL"), FAIL)
    if game.state == COMPLETE:
        return _("rated, no verdict yet"), PENDING
    if not is_measured:
        return _("being measured"), PENDING
    if game.has_ties:
        return _("evaluators differ, a lead resolves the ties"), PENDING
    if done := states.count(SUBMITTED):
        says = ngettext(
            "%(done)d of %(needed)d evaluation submitted",
            "%(done)d of %(needed)d evaluations submitted",
            needed,
        )
        return says % {"done": done, "needed": needed}, PENDING
    if any(state in OPEN for state in states):
        return _("being rated"), PENDING
    return (_("waiting for an evaluator") if iteration.has_slots else _("measured")), ""


def _scores(game: HistoryGame, rubric: RubricRecord) -> list[float | None]:
    return [game.figures.score(criterion.key) for criterion in rubric.criteria]


def _cell(game: HistoryGame, criterion: Criterion, automatic: Mapping[str, ScoreCell]) -> ScoreCell:
    value = game.figures.score(criterion.key)
    passes = game.figures.passes.get(criterion.key)
    if value is None:
        return automatic.get(criterion.key) or ScoreCell("", PENDING, _("pending"))
    text = figure(value, criterion.threshold)
    if weak := describe_weak_score(game.figures, criterion.key):
        return ScoreCell(text, PASS, weak)
    return ScoreCell(text, PASS if passes else FAIL, _("pass") if passes else _("fail"))
