"""The form by which a lead takes a game out of the averages, and back."""

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone

from discussions.actions.withdrawing import restore_game
from discussions.actions.withdrawing import withdraw_game as withdraw
from discussions.forms.withdrawals import WITHDRAW, WithdrawalForm
from discussions.models import Game
from discussions.pages.withdrawals import withdrawal_part
from discussions.permissions import check_withdraw_game
from discussions.views.moved import kept_status
from workspace.core.refusals import Refusal
from workspace.pages.frame import frame
from workspace.views.answers import answer
from workspace.views.bodies import only_parameters, typed
from workspace.views.gate import SignedIn, needs


@needs("withdraw_game", methods=("GET", "POST"))
def withdraw_game(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Whether the game counts, what was said of that so far, and the form to turn it; leads back to the game."""
    only_parameters(request)
    rows = Game.objects.visible_to(request.user).select_related("project", "iteration", "withdrawn_by")
    game = get_object_or_404(rows, project__slug=slug, number=number)
    check_withdraw_game(request.user, game)
    form, status = WithdrawalForm(), 200
    if request.method == "POST":
        form, status = typed(request, WithdrawalForm), 422
        try:
            if form.is_valid():
                turn = withdraw if form.cleaned_data["do"] == WITHDRAW else restore_game
                turn(game=game, reason=form.cleaned_data["reason"], by=request.user, now=timezone.now())
                return answer(request, page="", redirect=reverse("game", args=[slug, number]))
        except Refusal as refusal:
            status = kept_status(form, refusal)
            game.refresh_from_db()
    context = {"withdrawal": withdrawal_part(game), "withdrawal_form": form}
    context |= frame(request.user, game.project, "games")
    return answer(request, page="discussions/game_withdraw.html", context=context, status=status)
