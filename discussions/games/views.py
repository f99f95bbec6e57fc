"""The list of games, one game, and the forms for its costs, its withdrawal and its evaluations."""

from typing import Any

from django.conf import settings
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from msgspec.structs import replace

from discussions.access.permissions import check_see_game, check_see_games
from discussions.adjudication.queries import find_by_handle, has_seen_names
from discussions.adjudication.views import led_game_or_404
from discussions.games.actions import drop_repeats as drop
from discussions.games.actions import enter_figure as enter
from discussions.games.actions import restore_game
from discussions.games.actions import return_evaluation as send_back
from discussions.games.actions import set_round_offset as set_offset
from discussions.games.actions import withdraw_game as withdraw
from discussions.games.forms import (
    WITHDRAW,
    FewerForm,
    FigureForm,
    GameColumnsForm,
    ReturnForm,
    RoundsForm,
    WithdrawalForm,
    parse_list_address,
    parse_list_query,
    read_columns,
)
from discussions.games.pages.game import MissingFigures, build_game_page, list_withdrawals
from discussions.games.pages.list import build_games_page
from discussions.games.pages.list_columns import list_columns
from discussions.games.pages.manual_costs import paid_figures
from discussions.games.permissions import check_enter_figure, check_return_evaluation, check_withdraw_game
from discussions.metrics.actions import ask_for_diagnostics
from discussions.metrics.core.registry import METRICS
from discussions.models import Game
from discussions.models.manual_figures import KINDS
from discussions.queries import find_game, is_computing_diagnostics, rubric_record
from discussions.slots.actions import reduce_required_evaluators as lower
from discussions.slots.permissions import check_need_fewer
from workspace.access.permissions import may, role_in
from workspace.core.refusals import Malformed, Refusal
from workspace.models import Person
from workspace.web.bind_form import bind_form, kept_status, only_parameters, parse_number, project_or_404
from workspace.web.forms import NothingForm
from workspace.web.frame import frame
from workspace.web.require import SignedIn, is_htmx, require
from workspace.web.respond import respond

COLUMNS, YEAR = "games_columns", 365 * 24 * 3600


@require("return_evaluation", methods=("POST",))
def return_evaluation(request: SignedIn, slug: str, number: int, evaluation: str) -> HttpResponse:
    """Return a submitted evaluation; redirects to the game, or shows the form again with what was typed."""
    game = led_game_or_404(request.user, slug, number)
    found = find_by_handle(game, evaluation)
    if found is None:
        raise Http404
    form = bind_form(request, ReturnForm, labels=metric_labels(game))
    status = 422
    try:
        check_return_evaluation(request.user, found)
        if form.is_valid():
            send_back(evaluation=found, comment=form.to_comment(), by=request.user, now=timezone.now())
            address = reverse("game", args=[slug, number])
            return respond(request, page="", redirect=f"{address}#game-people")
    except Refusal as refusal:
        status = kept_status(form, refusal)
    context = {"game": game, "evaluation": evaluation, "return_form": form}
    context |= frame(request.user, game.project, "games")
    return respond(request, page="discussions/games/return_evaluation.html", context=context, status=status)


def metric_labels(game: Game) -> list[str]:
    """The names of the metrics, as the evaluators of the game read them."""
    version = game.iteration.rubric_version
    return [criterion.label for criterion in rubric_record(version.pk, version.sha256).criteria]


@require("need_fewer", methods=("POST",))
def need_fewer(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Lower how many evaluations the game needs; redirects to the game, or shows the form again."""
    game = led_game_or_404(request.user, slug, number)
    form = bind_form(request, FewerForm)
    status = 422
    try:
        check_need_fewer(request.user, game)
        if form.is_valid():
            given = form.cleaned_data
            lower(
                game=game, count=given["count"], reason=given["reason"], by=request.user, now=timezone.now()
            )
            address = reverse("game", args=[slug, number])
            return respond(request, page="", redirect=f"{address}#game-people")
    except Refusal as refusal:
        status = kept_status(form, refusal)
    context = {"game": game, "most_needed": 0, "fewer_form": form}
    context |= frame(request.user, game.project, "games")
    return respond(request, page="discussions/games/reduce_evaluators.html", context=context, status=status)


@require("drop_repeats", methods=("POST",))
def drop_repeats(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Drop the repeated messages of a game; redirects to the new game that replaces it."""
    game = led_game_or_404(request.user, slug, number)
    bind_form(request, NothingForm)
    made = drop(game=game, by=request.user, now=timezone.now())
    return respond(request, page="", redirect=reverse("game", args=[slug, made.number]))


@require("set_round_offset", methods=("POST",))
def set_round_offset(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Set how the texts of a game count its rounds; redirects to the game."""
    game = led_game_or_404(request.user, slug, number)
    form = bind_form(request, RoundsForm)
    if not form.is_valid():
        raise Malformed(_("The form does not say how the texts count the rounds. Load the page again."))
    set_offset(game=game, offset=form.cleaned_data["offset"], by=request.user, now=timezone.now())
    address = reverse("game", args=[slug, number])
    return respond(request, page="", redirect=f"{address}#game-rounds")


@require("see_games", costs="searches")
def games(request: SignedIn, slug: str) -> HttpResponse:
    """A page of the project's games; an evaluator is redirected to the queue."""
    project = project_or_404(request.user, slug)
    if role_in(request.user, project) == "evaluator":
        return redirect("queue", slug=slug)
    check_see_games(request.user, project)
    chosen = read_columns(request.COOKIES.get(COLUMNS, ""))
    page = build_games_page(project=project, wanted=parse_list_query(request.GET), chosen=chosen)
    context = {"page": page, **frame(request.user, project, "games")}
    return respond(request, page="discussions/games/list.html", context=context)


@require("see_game")
def game(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """One game, for its leads and, after the verdict, for its evaluators; 404 for everybody else."""
    found = game_or_404(request.user, slug, number)
    context = _game_context(request, found) | {
        "withdrawal_form": WithdrawalForm(),
        "return_form": ReturnForm(labels=metric_labels(found)),
        "fewer_form": FewerForm(),
    }
    return respond(request, page="discussions/games/game.html", context=context)


@require("see_game", methods=("GET", "POST"))
def diagnostics(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """The diagnostics of a game, as parts of its page. POST has them computed; GET answers 204 while that takes.

    Without htmx, redirects to the game.
    """
    found = game_or_404(request.user, slug, number)
    if request.method == "GET" and is_htmx(request) and is_computing_diagnostics(found):
        return HttpResponse(status=204)
    context = _game_context(request, found)
    page = context["page"]
    if request.method == "POST":
        bind_form(request, NothingForm)
        if measured := page.missing.unasked:
            ask_for_diagnostics(game=found, measured=measured, by=request.user, now=timezone.now())
            context["page"] = replace(page, missing=MissingFigures(is_computing=True))
    address = f"{reverse('game', args=[slug, number])}{page.query}#game-why"
    if not is_htmx(request):
        return HttpResponseRedirect(address, status=303 if request.method == "POST" else 302)
    return respond(request, page="discussions/games/_diagnostics_parts.html", context=context)


def _game_context(request: SignedIn, found: Game) -> dict[str, Any]:
    """What a game's page shows, of the part of the transcript that the address names."""
    given = only_parameters(request, "from", "names", "in")
    framed = frame(request.user, found.project, "games")
    leads = bool(framed["may_lead"])
    page = build_game_page(
        game=found,
        start=parse_number(given["from"]) or 1,
        is_named=given["names"] == "1" and leads and has_seen_names(request.user, found),
        only=None if leads else request.user,
        wanted=parse_list_address(given["in"]),
    )
    return {"page": page, **framed}


@require("see_games", methods=("POST",))
def choose_columns(request: SignedIn, slug: str) -> HttpResponse:
    """Keep the chosen columns of the list in a cookie, and go back to the list."""
    project = project_or_404(request.user, slug)
    check_see_games(request.user, project)
    form = bind_form(request, GameColumnsForm, known=list_columns(list(METRICS)))
    if not form.is_valid():
        raise Malformed(_("There is no such column. Load the page again."))
    query = parse_list_address(form.cleaned_data["back"]).change()
    answer = respond(request, page="", redirect=f"{reverse('games', args=[slug])}?{query}")
    # A dot stands for no columns: an empty cookie means that nothing was chosen.
    chosen = ".".join(form.cleaned_data["columns"]) or "."
    secure = settings.SESSION_COOKIE_SECURE
    answer.set_cookie(COLUMNS, chosen, max_age=YEAR, samesite="Lax", httponly=True, secure=secure)
    return answer


def game_or_404(person: Person, slug: str, number: int) -> Game:
    """The game of that number, if the person may see it, else 404."""
    found = find_game(slug, number)
    if found is None or not may(check_see_game, person, found):
        raise Http404
    return found


@require("enter_figure", methods=("GET", "POST"))
def enter_figure(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """The game's cost and cache hit rate, and a form for a figure; redirects to itself."""
    rows = Game.objects.visible_to(request.user).select_related("project")
    game = get_object_or_404(rows, project__slug=slug, number=number)
    check_enter_figure(request.user, game)
    form, status = FigureForm(initial=_wanted(request)), 200
    if request.method == "POST":
        form, status = bind_form(request, FigureForm), 422
        try:
            if form.is_valid():
                kind, reason = form.cleaned_data["kind"], form.cleaned_data["reason"]
                given = {"kind": kind, "value": form.entered, "reason": reason}
                enter(game=game, **given, by=request.user, now=timezone.now())
                return respond(request, page="", redirect=reverse("enter_figure", args=[slug, number]))
        except Refusal as refusal:
            status = kept_status(form, refusal)
    context = {"game": game, "figures": paid_figures(game), "form": form}
    context |= frame(request.user, game.project, "games")
    return respond(request, page="discussions/games/enter_cost.html", context=context, status=status)


def _wanted(request: SignedIn) -> dict[str, str]:
    """The kind of figure that a link requests."""
    kind = only_parameters(request, "kind")["kind"]
    if kind and kind not in dict(KINDS):
        raise Malformed(_("There is no such figure. Open the page afresh."))
    return {"kind": kind} if kind else {}


@require("withdraw_game", methods=("GET", "POST"))
def withdraw_game(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Whether the game counts, its withdrawals so far, and a form for another; redirects to the game."""
    only_parameters(request)
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
