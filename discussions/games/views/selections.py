"""Bulk actions: a page says what happens to each, and a button does it."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from typing import Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from discussions.games.actions import withdraw_games
from discussions.games.forms import (
    EXPORT,
    PAGES,
    AssignSelectedForm,
    GamesForm,
    MoveSelectedForm,
    RecordGamesForm,
    WithdrawSelectedForm,
    parse_list_address,
    read_numbers,
    read_selection,
)
from discussions.games.permissions import check_withdraw_games
from discussions.iterations.actions import move_games
from discussions.iterations.permissions import check_change_iteration
from discussions.models import Evaluation, Game, Iteration, Slot, Verdict
from discussions.models.slots import RATING
from discussions.queue.actions import assign_games
from discussions.slots.permissions import check_assign, check_see_games
from discussions.slots.queries import barred_until, evaluators_in
from discussions.transcripts.permissions import check_takes_games
from discussions.verdicts.actions import MOST_RECORDED, record_ready_games
from discussions.verdicts.pages.verdict import list_ready_games
from discussions.verdicts.permissions import check_record_games
from discussions.verdicts.queries import list_complete_games
from workspace.access.permissions import get_refusal
from workspace.core.refusals import Refusal
from workspace.display.core.number_lists import write_numbers
from workspace.models import Person, Project
from workspace.web.bind_form import bind_form, kept_status, parse_number, project_or_404
from workspace.web.views import SignedIn, frame, only_parameters, require, respond

SECTION = "games"
# The query parameters of an action besides the games: the answers to its question.
_QUESTIONS = {"assign": ("person",), "move": ("iteration",), "withdraw": ()}


class Selection:
    """Some games, in the order of numbers: each with what an act does to it (`taken`), or why it does nothing."""

    def __init__(self, games: list[Game], refuse: Callable[[Game], str], say: Callable[[Game], str]) -> None:
        refusals = [(game, refuse(game)) for game in games]
        self.taken = [(game, say(game)) for game, refusal in refusals if not refusal]
        self.refused = [(game, refusal) for game, refusal in refusals if refusal]

    @property
    def numbers(self) -> str:
        return write_numbers(game.number for game, _says in self.taken)


def preview_assigning(*, project: Project, numbers: Collection[int], person: Person) -> Selection:
    games = _load(project, numbers)
    keys = [game.pk for game in games]
    rated = Evaluation.objects.filter(game__in=keys, evaluator=person, purpose=RATING)
    started = set(rated.values_list("game_id", flat=True))
    slots = Slot.objects.filter(game__in=keys, purpose=RATING)
    assigned = set(slots.filter(assigned_to=person).values_list("game_id", flat=True))
    free = set(slots.free().filter(assigned_to=None).values_list("game_id", flat=True))
    led_until = barred_until(person, project)

    def refuse(game: Game) -> str:
        if game.withdrawn_at is not None:
            return _("Withdrawn, so nobody is to rate it.")
        if game.pk in started:
            return _("They have started or rated it already.")
        if game.pk <= led_until:
            return _("They led this project while the game was in it and could see its roles.")
        if game.pk not in free and game.pk not in assigned:
            return _("No slot is open: all are taken or assigned, or the iteration is not open for rating.")
        return ""

    def say(game: Game) -> str:
        return _("is assigned to them already") if game.pk in assigned else _("a slot is assigned to them")

    return Selection(games, refuse, say)


def preview_moving(*, project: Project, numbers: Collection[int], to: Iteration) -> Selection:
    games = _load(project, numbers)
    keys = [game.pk for game in games]
    started = Counter(Evaluation.objects.filter(game__in=keys).values_list("game_id", flat=True))
    started += Counter(Verdict.objects.filter(game__in=keys).values_list("game_id", flat=True))
    into = get_refusal(check_takes_games, to)

    def refuse(game: Game) -> str:
        if game.iteration_id == to.pk:
            return _("It is there already.")
        if game.withdrawn_at is not None:
            return _("Withdrawn, so it stays where it is.")
        if started[game.pk]:
            return _("Somebody rates or rated it already.")
        return into or get_refusal(check_takes_games, game.iteration)

    return Selection(games, refuse, lambda _game: _("moves to %(name)s") % {"name": to.name})


def preview_withdrawing(*, project: Project, numbers: Collection[int]) -> Selection:
    def refuse(game: Game) -> str:
        return _("It is withdrawn already.") if game.withdrawn_at is not None else ""

    return Selection(
        _load(project, numbers), refuse, lambda _game: _("no average, comparison or gate counts it any more")
    )


def _load(project: Project, numbers: Collection[int]) -> list[Game]:
    rows = Game.objects.filter(project=project, number__in=numbers).select_related("iteration", "transcript")
    return list(rows.order_by("number"))


@require("see_games", own_address=True)
def choose_games(request: SignedIn, slug: str) -> HttpResponse:
    project = project_or_404(request.user, slug, check_see_games)
    act, numbers, query = read_selection(request, project)
    written = write_numbers(numbers)
    parameters = {"of": f"games:{written}"} if act == EXPORT else {"games": written, "in": query}
    return redirect(_address(PAGES[act], slug, parameters))


@require("record_games", methods=("GET", "POST"))
def record_games(request: SignedIn, slug: str) -> HttpResponse:
    project = project_or_404(request.user, slug, check_record_games)
    asked = only_parameters(request, "games", "iteration", "in")
    if request.method != "POST":
        return _show_ready(request, project, _read_wanted(project, asked), RecordGamesForm())
    form, status = bind_form(request, RecordGamesForm), 422
    try:
        if form.is_valid():
            shown, now = form.cleaned_data["ready"], timezone.now()
            _made, refused = record_ready_games(project=project, shown=shown, by=request.user, now=now)
            if not refused:
                left = {"games": write_numbers(shown), "in": asked["in"]}
                return respond(request, page="", redirect=_address("record_games", slug, left))
            return _show_ready(request, project, list(shown), form, refused=refused, status=409)
    except Refusal as refusal:
        status = kept_status(form, refusal)
    return _show_ready(request, project, _read_wanted(project, asked), form, status=status)


def _read_wanted(project: Project, asked: Mapping[str, str]) -> list[int]:
    if not asked["iteration"]:
        return read_numbers(asked["games"])
    rows = Iteration.objects.filter(project=project)
    iteration = get_object_or_404(rows, number=parse_number(asked["iteration"]))
    complete = list_complete_games(project, iteration=iteration, most=MOST_RECORDED)
    return [number for _key, number in complete]


def _address(name: str, slug: str, parameters: Mapping[str, str]) -> str:
    query = urlencode({key: value for key, value in parameters.items() if value})
    return f"{reverse(name, args=[slug])}?{query}"


def _show_ready(
    request: SignedIn,
    project: Project,
    numbers: list[int],
    form: RecordGamesForm,
    *,
    refused: Mapping[int, str] | None = None,
    status: int = 200,
) -> HttpResponse:
    games = list_ready_games(project=project, numbers=numbers[:MOST_RECORDED])
    context = {
        "ready": [game for game in games if not game.refusal],
        "waiting": [game for game in games if game.refusal],
        "refused": refused or {},
        "left_out": max(0, len(numbers) - MOST_RECORDED),
        "form": form,
        "query": parse_list_address(request.GET.get("in", "")).change(),
        **frame(request.user, project, SECTION),
    }
    return respond(request, page="discussions/selections/record.html", context=context, status=status)


@require("assign", methods=("GET", "POST"))
def assign_selected(request: SignedIn, slug: str) -> HttpResponse:
    project = project_or_404(request.user, slug, check_assign)
    people = evaluators_in(project)

    def preview(numbers: list[int], form: AssignSelectedForm) -> Selection | None:
        person = form.chosen
        return preview_assigning(project=project, numbers=numbers, person=person) if person else None

    def act(form: AssignSelectedForm) -> None:
        games, person = form.cleaned_data["games"], form.chosen
        assign_games(project=project, numbers=games, person=person, by=request.user, now=timezone.now())

    return _act_on_games(request, project, "assign", AssignSelectedForm, {"offered": people}, preview, act)


@require("change_iteration", methods=("GET", "POST"))
def move_selected(request: SignedIn, slug: str) -> HttpResponse:
    project = project_or_404(request.user, slug, check_change_iteration)
    rows = Iteration.objects.filter(project=project).taking_games().select_related("project")

    def preview(numbers: list[int], form: MoveSelectedForm) -> Selection | None:
        to = form.chosen
        return preview_moving(project=project, numbers=numbers, to=to) if to else None

    def act(form: MoveSelectedForm) -> None:
        move_games(games=form.cleaned_data["games"], to=form.chosen, by=request.user, now=timezone.now())

    offered = {"offered": list(rows.order_by("number"))}
    return _act_on_games(request, project, "move", MoveSelectedForm, offered, preview, act)


@require("withdraw_games", methods=("GET", "POST"))
def withdraw_selected(request: SignedIn, slug: str) -> HttpResponse:
    project = project_or_404(request.user, slug, check_withdraw_games)

    def preview(numbers: list[int], _form: WithdrawSelectedForm) -> Selection:
        return preview_withdrawing(project=project, numbers=numbers)

    def act(form: WithdrawSelectedForm) -> None:
        numbers, reason = form.cleaned_data["games"], form.cleaned_data["reason"]
        withdraw_games(project=project, numbers=numbers, reason=reason, by=request.user, now=timezone.now())

    return _act_on_games(request, project, "withdraw", WithdrawSelectedForm, {}, preview, act)


def _act_on_games(
    request: SignedIn,
    project: Project,
    name: str,
    form_class: type[Any],
    options: Mapping[str, Any],
    preview: Callable[[list[int], Any], Selection | None],
    act: Callable[[Any], None],
) -> HttpResponse:
    asked = only_parameters(request, "games", "in", *_QUESTIONS[name])
    query, status = parse_list_address(asked["in"]).change(), 200
    form: GamesForm = form_class(initial={**asked, "games": ""}, **options)
    if request.method == "POST":
        form, status = bind_form(request, form_class, **options), 422
        try:
            if form.is_valid():
                act(form)
                return respond(request, page="", redirect=f"{reverse('games', args=[project.slug])}?{query}")
        except Refusal as refusal:
            status = kept_status(form, refusal)
    selection = preview(numbers := read_numbers(asked["games"]), form)
    context = {
        "name": name,
        "form": form,
        "asked": asked,
        "query": query,
        "is_previewed": selection is not None,
        "selection": selection or Selection(_load(project, numbers), lambda _game: "", lambda _game: ""),
    } | frame(request.user, project, SECTION)
    return respond(request, page="discussions/selections/act.html", context=context, status=status)
