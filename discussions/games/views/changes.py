"""The forms of one game: for its costs, its withdrawal, its evaluations, its repeats and its rounds."""

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from discussions.adjudication.queries import find_by_handle
from discussions.adjudication.views.game import led_game_or_404
from discussions.games.actions import drop_repeats as drop
from discussions.games.actions import enter_figure as enter
from discussions.games.actions import restore_game
from discussions.games.actions import return_evaluation as send_back
from discussions.games.actions import set_round_offset as set_offset
from discussions.games.actions import withdraw_game as withdraw
from discussions.games.forms import WITHDRAW, FewerForm, FigureForm, ReturnForm, RoundsForm, WithdrawalForm
from discussions.games.permissions import check_enter_figure, check_return_evaluation, check_withdraw_game
from discussions.games.views.game import list_withdrawals, metric_labels, paid_figures
from discussions.models import Game
from discussions.models.manual_figures import KINDS
from discussions.slots.actions import reduce_required_evaluators as lower
from discussions.slots.permissions import check_need_fewer
from workspace.core.refusals import Malformed, Refusal
from workspace.web.bind_form import bind_form, kept_status, only_parameters
from workspace.web.form_page import press
from workspace.web.frame import frame
from workspace.web.require import SignedIn, require
from workspace.web.respond import respond


@require("return_evaluation", methods=("POST",))
def return_evaluation(request: SignedIn, slug: str, number: int, evaluation: str) -> HttpResponse:
    game = led_game_or_404(request.user, slug, number)
    returned = find_by_handle(game, evaluation)
    if returned is None:
        raise Http404
    form = bind_form(request, ReturnForm, labels=metric_labels(game))
    status = 422
    try:
        check_return_evaluation(request.user, returned)
        if form.is_valid():
            send_back(evaluation=returned, comment=form.to_comment(), by=request.user, now=timezone.now())
            address = reverse("game", args=[slug, number])
            return respond(request, page="", redirect=f"{address}#game-people")
    except Refusal as refusal:
        status = kept_status(form, refusal)
    title = _("Return an evaluation")
    context = {
        "title": title,
        "game": game,
        "evaluation": evaluation,
        "fewer_form": None,
        "return_form": form,
    }
    context |= frame(request.user, game.project, "games")
    return respond(request, page="discussions/games/form.html", context=context, status=status)


@require("need_fewer", methods=("POST",))
def need_fewer(request: SignedIn, slug: str, number: int) -> HttpResponse:
    game = led_game_or_404(request.user, slug, number)
    form = bind_form(request, FewerForm, auto_id="fewer-%s")
    status = 422
    try:
        check_need_fewer(request.user, game)
        if form.is_valid():
            lower(game=game, **form.cleaned_data, by=request.user, now=timezone.now())
            address = reverse("game", args=[slug, number])
            return respond(request, page="", redirect=f"{address}#game-people")
    except Refusal as refusal:
        status = kept_status(form, refusal)
    context = {"title": _("Fewer evaluations"), "game": game, "most_needed": 0, "fewer_form": form}
    context |= frame(request.user, game.project, "games")
    return respond(request, page="discussions/games/form.html", context=context, status=status)


@require("drop_repeats", methods=("POST",))
def drop_repeats(request: SignedIn, slug: str, number: int) -> HttpResponse:
    game = led_game_or_404(request.user, slug, number)
    return press(request, drop, lambda new: reverse("game", args=[slug, new.number]), game=game)


@require("set_round_offset", methods=("POST",))
def set_round_offset(request: SignedIn, slug: str, number: int) -> HttpResponse:
    game = led_game_or_404(request.user, slug, number)
    form = bind_form(request, RoundsForm)
    if not form.is_valid():
        raise Malformed(_("The form does not say how the texts count the rounds. Load the page again."))
    set_offset(game=game, offset=form.cleaned_data["offset"], by=request.user, now=timezone.now())
    address = reverse("game", args=[slug, number])
    return respond(request, page="", redirect=f"{address}#game-rounds")


@require("enter_figure", methods=("GET", "POST"))
def enter_figure(request: SignedIn, slug: str, number: int) -> HttpResponse:
    rows = Game.objects.visible_to(request.user).select_related("project")
    game = get_object_or_404(rows, project__slug=slug, number=number)
    check_enter_figure(request.user, game)
    kind = only_parameters(request, "kind")["kind"]
    if kind and kind not in dict(KINDS):
        raise Malformed(_("There is no such figure. Open the page afresh."))
    form, status = FigureForm(initial={"kind": kind} if kind else {}), 200
    if request.method == "POST":
        form, status = bind_form(request, FigureForm), 422
        try:
            if form.is_valid():
                entered = form.cleaned_data | {"value": form.entered}
                enter(game=game, **entered, by=request.user, now=timezone.now())
                return respond(request, page="", redirect=reverse("enter_figure", args=[slug, number]))
        except Refusal as refusal:
            status = kept_status(form, refusal)
    context = {"game": game, "figures": paid_figures(game), "form": form}
    context |= frame(request.user, game.project, "games")
    return respond(request, page="discussions/games/enter_cost.html", context=context, status=status)


@require("withdraw_game", methods=("GET", "POST"))
def withdraw_game(request: SignedIn, slug: str, number: int) -> HttpResponse:
    rows = Game.objects.visible_to(request.user).select_related("project", "iteration", "withdrawn_by")
    game = get_object_or_404(rows, project__slug=slug, number=number)
    check_withdraw_game(request.user, game)
    form, status = WithdrawalForm(), 200
    if request.method == "POST":
        form, status = bind_form(request, WithdrawalForm), 422
        try:
            if form.is_valid():
                turn = withdraw if form.cleaned_data["do"] == WITHDRAW else restore_game
                turn(game=game, reason=form.cleaned_data["reason"], by=request.user, now=timezone.now())
                return respond(request, page="", redirect=reverse("game", args=[slug, number]))
        except Refusal as refusal:
            status = kept_status(form, refusal)
            game.refresh_from_db()
    context = {"game": game, "withdrawals": list_withdrawals(game), "withdrawal_form": form}
    context |= frame(request.user, game.project, "games")
    return respond(request, page="discussions/games/withdraw.html", context=context, status=status)
