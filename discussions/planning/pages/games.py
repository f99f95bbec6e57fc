"""The games of an iteration: their figures and states, and which could still be moved into it."""

from collections.abc import Collection

import msgspec
from django.db.models import Exists, OuterRef
from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.core.evaluation_states import OPEN, SUBMITTED
from discussions.games.pages.list import ScoreCell
from discussions.gates.pages import cost_text
from discussions.iterations.core.history import (
    COMPLETE,
    RECORDED,
    HistoryGame,
    HistoryIteration,
    WithdrawnGame,
)
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

    `withdrawn` says why it does not count, "" where it does.
    """

    number: int
    state: str
    tone: str
    cells: list[ScoreCell]
    cost: str
    is_cost_by_hand: bool
    cache: str
    is_cache_by_hand: bool
    may_move: bool
    withdrawn: str = ""


class Candidate(Struct, frozen=True):
    """One unsorted game that nobody has begun to rate."""

    number: int
    source_id: str


class Candidates(Struct, frozen=True):
    """The unsorted games that could move in, the newest first; `more` says how many are not listed."""

    games: list[Candidate]
    more: int


def iteration_games(iteration: Iteration, row: HistoryIteration) -> list[IterationGame]:
    """The rows, in order of their numbers, those that were withdrawn last; two queries."""
    keys = [game.id for game in row.games]
    measured = set(_measured(iteration, keys))
    begun: dict[int, list[str]] = {}
    fewer: dict[int, int | None] = {}
    found = Evaluation.objects.filter(game__in=keys, purpose=RATING)
    for game, state, fewer[game] in found.values_list("game_id", "state", "game__needed_count"):
        begun.setdefault(game, []).append(state)
    rubric = load_rubric(row)
    return [
        _row(
            game,
            iteration,
            rubric,
            is_measured=game.id in measured,
            begun=begun.get(game.id, []),
            needed=fewer.get(game.id) or iteration.evaluator_count,
        )
        for game in row.games
    ] + [_withdrawn(out, iteration, rubric) for out in row.left_out]


def candidates(iteration: Iteration) -> Candidates:
    """The project's unsorted games that could move into the iteration; two queries."""
    rows = Game.objects.filter(
        ~Exists(Evaluation.objects.filter(game=OuterRef("pk"))),
        ~Exists(Verdict.objects.filter(game=OuterRef("pk"))),
        project=iteration.project_id,
        iteration__stage=None,
        withdrawn_at=None,
    )
    shown = list(rows.order_by("-number").values_list("number", "source_id")[: MOST_CANDIDATES + 1])
    more = rows.count() - MOST_CANDIDATES if len(shown) > MOST_CANDIDATES else 0
    return Candidates([Candidate(*row) for row in shown[:MOST_CANDIDATES]], more)


def _measured(iteration: Iteration, keys: Collection[int]) -> list[int]:
    rows = Game.objects.filter(Exists(measured_for(iteration)), pk__in=keys)
    return list(rows.values_list("pk", flat=True))


def _row(
    game: HistoryGame,
    iteration: Iteration,
    rubric: RubricRecord,
    *,
    is_measured: bool,
    begun: list[str],
    needed: int,
) -> IterationGame:
    figures = game.figures
    says, tone = _state(game, iteration, is_measured=is_measured, begun=begun, needed=needed)
    return IterationGame(
        number=figures.number,
        state=says,
        tone=tone,
        cells=[_cell(game, criterion) for criterion in rubric.criteria],
        cost=cost_text(figures, rubric),
        is_cost_by_hand=figures.is_cost_by_hand,
        cache="" if figures.cache_hit_rate is None else f"{100 * figures.cache_hit_rate:.1f} %",
        is_cache_by_hand=figures.is_cache_by_hand,
        may_move=iteration.takes_games and not begun,
    )


def _withdrawn(out: WithdrawnGame, iteration: Iteration, rubric: RubricRecord) -> IterationGame:
    row = _row(out.game, iteration, rubric, is_measured=True, begun=[SUBMITTED], needed=1)
    return msgspec.structs.replace(row, state=_("withdrawn"), tone="", withdrawn=f"{out.reason} ({out.by})")


def _state(
    game: HistoryGame, iteration: Iteration, *, is_measured: bool, begun: list[str], needed: int
) -> tuple[str, str]:
    """Where the game is, and its tone."""
    if game.state == RECORDED:
        return (_("verdict: PASS"), PASS) if game.figures.is_pass else (_("verdict: FAIL"), FAIL)
    if game.state == COMPLETE:
        return _("rated, no verdict yet"), PENDING
    if not is_measured:
        return _("being measured"), PENDING
    if done := begun.count(SUBMITTED):
        return _("%(done)d of %(needed)d evaluations in") % {"done": done, "needed": needed}, PENDING
    if any(state in OPEN for state in begun):
        return _("being rated"), PENDING
    return (_("waiting for an evaluator") if iteration.has_slots else _("measured")), ""


def _cell(game: HistoryGame, criterion: Criterion) -> ScoreCell:
    value = game.figures.score(criterion.key)
    passes = game.figures.passes.get(criterion.key)
    if value is None:
        return ScoreCell("", PENDING, _("open"))
    text = figure(value, criterion.threshold)
    if not game.figures.applies(criterion.key):
        return ScoreCell(text, PASS, _("by rule"))
    return ScoreCell(text, PASS if passes else FAIL, _("pass") if passes else _("fail"))
