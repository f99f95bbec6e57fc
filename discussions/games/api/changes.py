"""API of a lead's changes to a game: withdrawal, rounds, figures, returned evaluations."""

from decimal import Decimal
from typing import Literal

from django.http import Http404
from django.utils import timezone
from pydantic import Field

from discussions.adjudication.queries import find_by_handle
from discussions.adjudication.views.game import led_game_or_404
from discussions.games.actions import (
    enter_figure,
    restore_game,
    return_evaluation,
    set_round_offset,
    withdraw_game,
)
from discussions.games.api.games import SingleGameAnswer, show_game
from discussions.games.forms import ROUND_OFFSETS
from discussions.games.permissions import check_return_evaluation, check_withdraw_game
from discussions.models.manual_figures import KINDS
from workspace.web.endpoints import Given, Operations
from workspace.web.require import SignedIn

router = Operations()


class WithdrawalGiven(Given):
    """Whether the game is withdrawn or counts again, and why."""

    is_withdrawn: bool
    reason: str


class RoundsGiven(Given):
    """The round offset: what to add to a round number in the texts of the game to get the file's."""

    offset: Literal[tuple(offset for offset, _words in ROUND_OFFSETS)]  # type: ignore[valid-type]


class ReturnGiven(Given):
    """What to look at again; the evaluator reads it, and their page opens at the metric or message that it names."""

    comment: str


class FigureGiven(Given):
    """The cost in dollars or the cache hit rate from 0 to 1, as a number in a string, and its source."""

    kind: Literal[tuple(kind for kind, _name in KINDS)]  # type: ignore[valid-type]
    value: str = Field(pattern=r"^[0-9]{1,9}(\.[0-9]{1,9})?$")
    reason: str


@router.post(
    "/projects/{slug:slug}/games/{int:number}/withdrawal/", "api_withdrawal", "withdraw_game", "admin"
)
def withdraw(request: SignedIn, slug: str, number: int, given: WithdrawalGiven) -> SingleGameAnswer:
    """Withdraw a game, or let it count again.

    No average, comparison or gate counts a withdrawn game; the game and its evaluations stay.
    """
    game = led_game_or_404(request.user, slug, number)
    check_withdraw_game(request.user, game)
    turn = withdraw_game if given.is_withdrawn else restore_game
    turn(game=game, reason=given.reason, by=request.user, now=timezone.now())
    return show_game(request, slug, number)


@router.post("/projects/{slug:slug}/games/{int:number}/rounds/", "api_rounds", "set_round_offset", "admin")
def set_rounds(request: SignedIn, slug: str, number: int, given: RoundsGiven) -> SingleGameAnswer:
    """Say how the texts of a game count its rounds, before anybody rates it. The game is measured again."""
    game = led_game_or_404(request.user, slug, number)
    set_round_offset(game=game, offset=given.offset, by=request.user, now=timezone.now())
    return show_game(request, slug, number)


@router.post("/projects/{slug:slug}/games/{int:number}/figures/", "api_figures", "enter_figure", "admin")
def enter(request: SignedIn, slug: str, number: int, given: FigureGiven) -> SingleGameAnswer:
    """Enter the cost or the cache hit rate of a game, where its transcript does not report it."""
    game = led_game_or_404(request.user, slug, number)
    figure = given.model_dump() | {"value": Decimal(given.value)}
    enter_figure(game=game, **figure, by=request.user, now=timezone.now())
    return show_game(request, slug, number)


@router.post(
    "/projects/{slug:slug}/games/{int:number}/evaluations/{slug:evaluation}/return/",
    "api_return_evaluation",
    "return_evaluation",
    "admin",
)
def send_back(
    request: SignedIn, slug: str, number: int, evaluation: str, given: ReturnGiven
) -> SingleGameAnswer:
    """Return a submitted evaluation with a comment. It counts again once its evaluator submits it again.

    `evaluation` is its `id` in the list of the game's evaluations.
    """
    game = led_game_or_404(request.user, slug, number)
    row = find_by_handle(game, evaluation)
    if row is None:
        raise Http404
    check_return_evaluation(request.user, row)
    return_evaluation(evaluation=row, comment=given.comment, by=request.user, now=timezone.now())
    return show_game(request, slug, number)
