"""The inbox of flags with answers to them, and the forms by which leads change one game."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from django.db.models import Case, Count, Prefetch, QuerySet, Value, When
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from discussions.adjudication.queries import find_by_handle
from discussions.adjudication.views.game import led_game_or_404
from discussions.games.actions import answer_flag, restore_game
from discussions.games.actions import drop_repeats as drop
from discussions.games.actions import enter_figure as enter
from discussions.games.actions import return_evaluation as send_back
from discussions.games.actions import set_round_offset as set_offset
from discussions.games.actions import withdraw_game as withdraw
from discussions.games.forms import (
    WITHDRAW,
    AnswerForm,
    FewerForm,
    FigureForm,
    ReturnForm,
    RoundsForm,
    WithdrawalForm,
)
from discussions.games.permissions import check_enter_figure, check_return_evaluation, check_withdraw_game
from discussions.games.queries.flags import query_flags, waits_for_evaluator, waits_for_lead
from discussions.games.views.game import list_withdrawals, metric_labels, paid_figures
from discussions.models import Evaluation, FlagReply, Game, GameText, Remark
from discussions.models.manual_figures import KINDS
from discussions.models.slots import RATING, REPEAT
from discussions.slots.actions import reduce_required_evaluators as lower
from discussions.slots.permissions import check_need_fewer
from workspace.access.permissions import may_lead
from workspace.core.refusals import Malformed, Refusal
from workspace.models import Person, Project
from workspace.web.bind_form import bind_form, kept_status, parse_number, project_or_404
from workspace.web.form_page import press, send
from workspace.web.views import SignedIn, frame, only_parameters, require, respond

LONGEST_QUOTE, FLAGS_A_PAGE = 400, 20
FIELD_IDS = "flag-{}-%s"


class FlagThread:
    """A flag and its replies as the reader may see them; `message` is the flagged one, None for others and evaluators.

    Evaluators read no quote: the same quote twice would reveal a hidden duplicate. `name` is "" where several rate the
    game: leads do not see who wrote. `known_as` is the number under which the evaluator judged the game, 0 if it is
    the same, or if it would reveal who set an unnamed flag.
    """

    def __init__(self, flag: Remark, message: str, *, is_lead: bool, is_named: bool) -> None:
        evaluation = flag.evaluation
        is_repeat = evaluation.purpose == REPEAT
        self.flag, self.replies = flag, flag.replies.all()
        self.quote = message if len(message) <= LONGEST_QUOTE else f"{message[:LONGEST_QUOTE]}…"
        self.position = _position(flag)
        self.is_repeat = is_lead and is_repeat
        self.name = evaluation.evaluator.name if is_named else ""
        self.number = evaluation.game.number if is_lead else evaluation.game_number
        self.known_as = evaluation.rated_as
        if is_lead:
            self.known_as = (evaluation.shown_number or 0) if is_named or is_repeat else 0


@require("see_project")
def flags(request: SignedIn, slug: str) -> HttpResponse:
    return show_flags(request, project_or_404(request.user, slug))


@require("answer_flag", methods=("POST",))
def answer(request: SignedIn, slug: str, flag: int) -> HttpResponse:
    project = project_or_404(request.user, slug)
    visible = _visible_flags(request.user, project, is_lead=may_lead(request.user, project))
    row = get_object_or_404(visible, pk=flag)
    form = bind_form(request, AnswerForm, auto_id=FIELD_IDS.format(flag))

    def act(do: str, **given: Any) -> None:
        answer_flag(flag=row, is_resolved=do == "resolve", **given)

    show = partial(show_flags, request, project, flag=flag, form=form)
    return send(request, form, act, reverse("flags", args=[slug]), show=show)


def show_flags(
    request: SignedIn, project: Project, *, flag: int = 0, form: AnswerForm | None = None, status: int = 200
) -> HttpResponse:
    """Those that wait for the reader come first, then the newest.

    With `flag` only that one, whatever its state, with the text typed below it and its faults.
    """
    asked = only_parameters(request, "show", "from")
    is_resolved, start = asked["show"] == "resolved", parse_number(asked["from"])
    is_lead = may_lead(request.user, project)
    visible = _visible_flags(request.user, project, is_lead=is_lead)
    chosen = visible.filter(pk=flag) if flag else visible.filter(resolved_at__isnull=not is_resolved)
    waiting = waits_for_lead() if is_lead else waits_for_evaluator()
    chosen = chosen.annotate(waits=Case(When(waiting, then=Value(1)), default=Value(0)))
    chosen = chosen.order_by(*(("-resolved_at", "-pk") if is_resolved else ("-waits", "-pk")))
    chosen = chosen.select_related("evaluation__game__iteration", "evaluation__evaluator")
    replies = Prefetch("replies", FlagReply.objects.select_related("created_by").order_by("pk"))
    rows = list(chosen.prefetch_related(replies)[start : start + FLAGS_A_PAGE + 1])
    shown = rows[:FLAGS_A_PAGE]
    forms = {row.pk: AnswerForm(auto_id=FIELD_IDS.format(row.pk)) for row in shown}
    context = {
        "threads": _threads(shown, is_lead=is_lead),
        "following": start + FLAGS_A_PAGE if len(rows) > FLAGS_A_PAGE else 0,
        "open_count": visible.filter(resolved_at=None).count(),
        "resolved_count": visible.exclude(resolved_at=None).count(),
        "is_resolved": is_resolved,
        "forms": forms | ({flag: form} if form is not None else {}),
        **frame(request.user, project, "flags"),
    }
    return respond(request, page="discussions/flags/list.html", context=context, status=status)


def _visible_flags(person: Person, project: Project, *, is_lead: bool) -> QuerySet[Remark]:
    rows = query_flags().filter(evaluation__game__project=project)
    return rows if is_lead else rows.filter(evaluation__evaluator=person)


def _threads(flags: Sequence[Remark], *, is_lead: bool) -> list[FlagThread]:
    shared = _shared_games(flags) if is_lead else set()
    quoted = [flag.evaluation.game_id for flag in flags if is_lead and _position(flag)]
    texts = {text.game_id: text.to_record().messages for text in GameText.objects.filter(game__in=quoted)}
    return [
        FlagThread(
            flag,
            texts[flag.evaluation.game_id][_position(flag) - 1].text if is_lead and _position(flag) else "",
            is_lead=is_lead,
            is_named=flag.evaluation.game_id not in shared,
        )
        for flag in flags
    ]


def _shared_games(flags: Sequence[Remark]) -> set[int]:
    games = {flag.evaluation.game for flag in flags}
    ratings = Evaluation.objects.filter(game__in=games, purpose=RATING).values("game").annotate(n=Count("pk"))
    shared = set(ratings.filter(n__gt=1).values_list("game", flat=True))
    return shared | {game.pk for game in games if game.evaluator_count > 1}


def _position(flag: Remark) -> int:
    return int(flag.target.partition(":")[2] or 0)


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
