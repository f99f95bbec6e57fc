"""Where a lead settles what evaluators differ about: the list, one decision at a time, and names on demand."""

import json
from secrets import token_urlsafe

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from discussions.actions.adjudicating import adjudicate as settle
from discussions.actions.naming import show_names as unveil
from discussions.core.disagreements import letters
from discussions.forms.adjudicating import NamesForm, SettleForm
from discussions.models import Evaluation, Game
from discussions.models.adjudicated import submitted_in
from discussions.models.named import has_seen_names
from discussions.pages.adjudicating import PROGRESS, build_adjudication_page
from discussions.pages.adjudicating_cards import ANEW, Card, Posted
from discussions.permissions import check_see_games
from discussions.permissions_team import check_adjudicate
from workspace.core.refusals import Conflict, Unacceptable
from workspace.models import Person
from workspace.pages.frame import frame
from workspace.views.answers import answer
from workspace.views.bodies import number_of, only_parameters, typed
from workspace.views.gate import SignedIn, is_htmx, needs

PAGE, REGION = "discussions/adjudicate_show.html", "discussions/_adjudicate_answer.html"


@needs("see_games")
def adjudicate(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """What evaluators differ about; names only for who asked for them."""
    given = only_parameters(request, "page", "names")
    game = led_game_or_404(request.user, slug, number)
    check_see_games(request.user, game.project)
    is_named = given["names"] == "1" and has_seen_names(request.user, game)
    page = build_adjudication_page(
        game=game,
        person=request.user,
        nonce=token_urlsafe(12),
        page=number_of(given["page"]),
        is_named=is_named,
    )
    return answer(request, page=PAGE, context={"page": page, **frame(request.user, game.project, "games")})


@needs("adjudicate", methods=("POST",))
def adjudicate_one(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Settle one thing: adopt what a side says, or decide anew; the answer is the thing as it stands now."""
    game = led_game_or_404(request.user, slug, number)
    check_adjudicate(request.user, game)
    form = typed(request, SettleForm)
    if not form.is_valid():
        return _answered(request, game, form, faults=form.faults, status=422)
    try:
        _decide(request.user, game, form)
    except Unacceptable as refusal:
        return _answered(request, game, form, faults=[refusal.sentence], status=refusal.status)
    except Conflict as refusal:
        return _answered(request, game, form, conflict=refusal.sentence, status=refusal.status)
    return _answered(request, game, form)


@needs("see_games", methods=("POST",))
def show_names(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Show who said what of this game, which the audit log keeps; leads back to where it was asked."""
    game = led_game_or_404(request.user, slug, number)
    check_see_games(request.user, game.project)
    form = typed(request, NamesForm)
    given = form.cleaned_data if form.is_valid() else {}
    unveil(game=game, by=request.user, now=timezone.now())
    if given.get("to") == "game":
        return answer(
            request, page="", redirect=f"{reverse('game', args=[slug, number])}?names=1#game-people"
        )
    place = reverse("adjudicate", args=[slug, number])
    return answer(request, page="", redirect=f"{place}?page={given.get('page') or 1}&names=1")


def led_game_or_404(person: Person, slug: str, number: int) -> Game:
    """The game of that number, for leads of its project and admins; to everybody else it is not there."""
    rows = Game.objects.visible_to(person).select_related(
        "iteration__rubric_version__rubric", "transcript", "project"
    )
    return get_object_or_404(rows, project__slug=slug, number=number)


def _decide(person: Person, game: Game, form: SettleForm) -> None:
    given = form.cleaned_data
    choice = str(given["choice"])
    settle(
        game=game,
        kind=given["kind"],
        subject=given["subject"],
        value=choice.removeprefix(ANEW) if choice.startswith(ANEW) else "",
        reason=given["reason"],
        adopted=None if choice.startswith(ANEW) else _side(game, choice),
        sides_sha256=given["sides_sha256"],
        key=given["key"],
        by=person,
        now=timezone.now(),
    )


def _side(game: Game, letter: str) -> Evaluation:
    """The evaluation that the letter stands for."""
    dealt = {alias: key for key, alias in letters(game.pk, submitted_in(game)).items()}
    if letter not in dealt:
        raise Unacceptable(_("There is no side called that. Choose one of the sides."), field="choice")
    return Evaluation.objects.get(pk=dealt[letter])


def _answered(
    request: SignedIn,
    game: Game,
    form: SettleForm,
    *,
    faults: list[str] | None = None,
    conflict: str = "",
    status: int = 200,
) -> HttpResponse:
    """The thing as it stands now, with what was refused; a plain browser is led to the next one, or shown the page."""
    posted = Posted(
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
    card = page.card(posted.kind, posted.subject)
    onward = page.onward(form.typed("next"))
    context = {"page": page, "card": card, "posted": posted, **frame(request.user, game.project, "games")}
    place = f"{reverse('adjudicate', args=[game.project.slug, game.number])}{page.at(onward)}"
    made = answer(request, page=PAGE, region=REGION, context=context, status=status, redirect=place)
    if is_htmx(request):
        made["HX-Trigger-After-Settle"] = json.dumps({"go-to": {"id": _focus(form, card, onward, status)}})
    return made


def _focus(form: SettleForm, card: Card | None, onward: str, status: int) -> str:
    """The element that gets the focus: what is missing, what conflicts, else the next thing's first answer."""
    if status == Unacceptable.status and card:
        return f"{card.id}-reason" if form.typed("choice") else f"{card.id}-first"
    if status >= 400:
        return card.id if card else PROGRESS
    return f"{onward}-first" if form.typed("next") and onward != PROGRESS else PROGRESS
