"""A game's disagreements and a lead's decisions on them, names on demand, and the packet for a guideline meeting."""

import json
from secrets import token_urlsafe

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from discussions.access.permissions import check_see_games
from discussions.adjudication.actions import adjudicate as do_adjudicate
from discussions.adjudication.actions import unmask_evaluators
from discussions.adjudication.core.disagreements import letters
from discussions.adjudication.forms import AdjudicationForm, NamesForm, PacketForm
from discussions.adjudication.pages.cards import NEW_ANSWER, Card, PostedDecision
from discussions.adjudication.pages.game import PROGRESS, build_adjudication_page
from discussions.adjudication.pages.packet import Scope, build_packet, build_packet_page
from discussions.adjudication.permissions import check_adjudicate
from discussions.adjudication.queries import has_seen_names, letters_seed, submitted_in
from discussions.models import Evaluation, Game
from workspace.core.refusals import Conflict, Malformed, Unacceptable
from workspace.display.pages import render_markdown
from workspace.models import Person
from workspace.web.bind_form import bind_form, only_parameters, parse_number, project_or_404
from workspace.web.frame import frame
from workspace.web.require import SignedIn, is_htmx, require
from workspace.web.respond import download, respond

PAGE, REGION = "discussions/adjudication/game.html", "discussions/adjudication/_answer.html"


@require("see_games")
def adjudicate(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """The disagreements of a game; names only for a person who has shown them."""
    given = only_parameters(request, "page", "names")
    game = led_game_or_404(request.user, slug, number)
    check_see_games(request.user, game.project)
    is_named = given["names"] == "1" and has_seen_names(request.user, game)
    page = build_adjudication_page(
        game=game,
        person=request.user,
        nonce=token_urlsafe(12),
        page=parse_number(given["page"]),
        is_named=is_named,
    )
    context = {"page": page, "posted": None, **frame(request.user, game.project, "games")}
    return respond(request, page=PAGE, context=context)


@require("adjudicate", methods=("POST",))
def adjudicate_one(request: SignedIn, slug: str, number: int) -> HttpResponse:
    game = led_game_or_404(request.user, slug, number)
    check_adjudicate(request.user, game)
    form = bind_form(request, AdjudicationForm)
    if not form.is_valid():
        return _answered(request, game, form, faults=form.faults, status=422)
    try:
        _decide(request.user, game, form)
    except Unacceptable as refusal:
        return _answered(request, game, form, faults=[refusal.sentence], status=refusal.status)
    except Conflict as refusal:
        return _answered(request, game, form, conflict=refusal.sentence, status=refusal.status)
    return _answered(request, game, form)


@require("see_games", methods=("POST",))
def show_names(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Show the names of the evaluators, recorded in the audit log; redirects to the page that asked."""
    game = led_game_or_404(request.user, slug, number)
    check_see_games(request.user, game.project)
    form = bind_form(request, NamesForm)
    given = form.cleaned_data if form.is_valid() else {}
    unmask_evaluators(game=game, by=request.user, now=timezone.now())
    if given.get("to") == "game":
        return respond(
            request, page="", redirect=f"{reverse('game', args=[slug, number])}?names=1#game-people"
        )
    place = reverse("adjudicate", args=[slug, number])
    return respond(request, page="", redirect=f"{place}?page={given.get('page') or 1}&names=1")


def led_game_or_404(person: Person, slug: str, number: int) -> Game:
    """The game of that number, for leads of its project and admins; 404 for everybody else."""
    rows = Game.objects.visible_to(person).select_related(
        "iteration__rubric_version__rubric", "transcript", "project"
    )
    return get_object_or_404(rows, project__slug=slug, number=number)


def _decide(person: Person, game: Game, form: AdjudicationForm) -> None:
    given = form.cleaned_data
    choice = str(given["choice"])
    do_adjudicate(
        game=game,
        kind=given["kind"],
        subject=given["subject"],
        value=choice.removeprefix(NEW_ANSWER) if choice.startswith(NEW_ANSWER) else "",
        reason=given["reason"],
        adopted=None if choice.startswith(NEW_ANSWER) else find_side(game, choice),
        sides_sha256=given["sides_sha256"],
        key=given["key"],
        by=person,
        now=timezone.now(),
    )


def find_side(game: Game, letter: str) -> Evaluation:
    evaluations = {alias: key for key, alias in letters(letters_seed(game.pk), submitted_in(game)).items()}
    if letter not in evaluations:
        raise Unacceptable(_("There is no side called that. Choose one of the sides."), field="choice")
    return Evaluation.objects.get(pk=evaluations[letter])


def _answered(
    request: SignedIn,
    game: Game,
    form: AdjudicationForm,
    *,
    faults: list[str] | None = None,
    conflict: str = "",
    status: int = 200,
) -> HttpResponse:
    """The current card with any refusal; without htmx, a redirect to the next card, or the full page."""
    posted = PostedDecision(
        kind=form.typed("kind"),
        subject=form.typed("subject"),
        choice=form.typed("choice"),
        reason=form.typed("reason"),
        faults=faults or [],
        conflict=conflict,
    )
    is_named = bool(form.data.get("names")) and has_seen_names(request.user, game)
    page = build_adjudication_page(
        game=game, person=request.user, nonce=token_urlsafe(12), is_named=is_named, posted=posted
    )
    card = page.find_card(posted.kind, posted.subject)
    onward = page.choose_next(form.typed("next"))
    context = {"page": page, "card": card, "posted": posted, **frame(request.user, game.project, "games")}
    address = f"{reverse('adjudicate', args=[game.project.slug, game.number])}{page.link(onward)}"
    made = respond(request, page=PAGE, region=REGION, context=context, status=status, redirect=address)
    if is_htmx(request):
        made["HX-Trigger-After-Settle"] = json.dumps({"go-to": {"id": _focus(form, card, onward, status)}})
    return made


def _focus(form: AdjudicationForm, card: Card | None, onward: str, status: int) -> str:
    """The element that gets the focus: what is missing, what conflicts, else the first answer of the next card."""
    if status == Unacceptable.status and card:
        return f"{card.id}-reason" if form.typed("choice") else f"{card.id}-first"
    if status >= 400:
        return card.id if card else PROGRESS
    return f"{onward}-first" if form.typed("next") and onward != PROGRESS else PROGRESS


@require("see_games")
def packet(request: SignedIn, slug: str) -> HttpResponse:
    """The packet of the project, without names; faults of the scope are shown."""
    project = project_or_404(request.user, slug, check_see_games)
    form = PacketForm(only_parameters(request, "iteration", "games"))
    is_read = form.is_valid()
    page = build_packet_page(project=project, scope=read_scope(form), now=timezone.now())
    context = {"page": page, "form": form, **frame(request.user, project, "team")}
    return respond(
        request, page="discussions/adjudication/packet.html", context=context, status=200 if is_read else 422
    )


@require("see_games")
def packet_markdown(request: SignedIn, slug: str) -> HttpResponse:
    project = project_or_404(request.user, slug, check_see_games)
    form = PacketForm(only_parameters(request, "iteration", "games"))
    if not form.is_valid():
        raise Malformed(str(next(iter(next(iter(form.errors.values()))))))
    found, _games = build_packet(project=project, scope=read_scope(form), now=timezone.now())
    text = render_markdown("discussions/adjudication/packet.md", packet=found)
    return download(text.encode(), f"{slug}-packet.md", "text/markdown; charset=utf-8")


def read_scope(form: PacketForm) -> Scope:
    """The requested scope, as far as it is valid."""
    given = getattr(form, "cleaned_data", {})
    return Scope(iteration=given.get("iteration"), games=given.get("games") or [])
