"""API of the disagreements of a game's evaluators and a lead's decisions on them."""

from datetime import datetime

from django.shortcuts import get_object_or_404
from django.utils import timezone
from pydantic import Field

from discussions.adjudication.actions import adjudicate, answer_tie, send_ties, unmask_evaluators
from discussions.adjudication.core.disagreements import Disagreement, Side, has_letters, letters
from discussions.adjudication.pages import IS
from discussions.adjudication.permissions import check_adjudicate, check_send_ties
from discussions.adjudication.queries import disagreements_in, handle_of, has_seen_names, letters_seed
from discussions.adjudication.views.game import find_side, led_game_or_404
from discussions.adjudication.views.ties import list_items
from discussions.core.evaluation_states import SUBMITTED
from discussions.models import Evaluation, Game, TieRequest
from discussions.models.slots import RATING
from discussions.queries import newest_measured
from discussions.slots.permissions import check_see_games
from discussions.slots.queries import find_evaluator
from workspace.core.limits import LONGEST_REASON
from workspace.models import Person
from workspace.web.endpoints import Answer, Given, Listed, Operations
from workspace.web.views import SignedIn

router = Operations()
GAME = "/projects/{slug:slug}/games/{int:number}/"
PATH = GAME + "disagreements/"


class SideAnswer(Answer, of=Side, fields="letter:alias value reason is_silent"):
    """The answer of one evaluation, with a letter instead of its evaluator's name; `is_silent` if it gave no answer."""


class DisagreementAnswer(
    Answer,
    of=Disagreement,
    fields="kind subject sides automatic:machine majority is_tie can_be_decided:can_be_adjudicated "
    "decided:resolved.value sides_sha256:page_sha256",
):
    """Something on which evaluators differ, or on which a lead decided. With `is_tie` the verdict waits for a decision.

    Send `sides_sha256` back with the decision. `decided` is null until a lead decides.
    """

    sides: list[SideAnswer]


class JudgedByAnswer(Answer):
    """An evaluation of a game. If several people rate, `letter` is set once the evaluation is submitted. `evaluator`
    is "" and the moments are null until you show the names, because the audit log lists the moments next to names.
    """

    id: str
    letter: str
    evaluator: str
    state: str
    started_at: datetime | None
    submitted_at: datetime | None


class AdjudicationGiven(Given):
    """A decision: the letter of the `side` whose answer counts, or another `value`; with the reason."""

    kind: str = Field(max_length=30)
    subject: str = Field(default="", max_length=200)
    side: str | None = Field(default=None, max_length=10)
    value: str = Field(default="", max_length=40)
    reason: str = Field(max_length=LONGEST_REASON)
    sides_sha256: str = Field(pattern="^[0-9a-f]{64}$")


class TiedItem(Given):
    kind: str = Field(max_length=30)
    subject: str = Field(default="", max_length=200)


class TiesGiven(Given):
    """The evaluator's id, and the ties; without ties, all that are open."""

    person: int
    ties: list[TiedItem] = Field(default=[], max_length=1000)


class TieAnswer(Answer):
    """A tie that you were asked about: what was said, and the possible `values`. Nobody else's answer is here."""

    id: int
    project: str
    game: int
    kind: str
    message: int
    speaker: str
    text: str
    values: list[str]


class TieGiven(Given):
    """Your answer to the tie with that `id`."""

    id: int
    value: str = Field(max_length=40)
    reason: str = Field(default="", max_length=LONGEST_REASON)


@router.post(GAME + "third-evaluator/", "api_send_ties", "send_ties", "admin")
def send(request: SignedIn, slug: str, number: int, given: TiesGiven) -> Listed[DisagreementAnswer]:
    """Send ties to a third evaluator, who rates in the project and did not rate this game.

    The evaluator sees only what was said. An answer that makes a majority decides the tie.
    """
    game = led_game_or_404(request.user, slug, number)
    check_send_ties(request.user, game)
    person = find_evaluator(game.project, given.person)
    keys = [(tie.kind, tie.subject) for tie in given.ties]
    send_ties(game=game, keys=keys, evaluator=person, by=request.user, now=timezone.now())
    return _list(game)


@router.get("/mine/ties/", "api_ties", "sign_in")
def list_ties(request: SignedIn) -> Listed[TieAnswer]:
    """List the ties that wait for your answer."""
    return _list_ties(request.user)


@router.post("/mine/ties/", "api_ties", "sign_in", "rate")
def answer(request: SignedIn, given: TieGiven) -> Listed[TieAnswer]:
    """Answer a tie; what still waits is returned."""
    row = get_object_or_404(TieRequest.objects.select_related("game"), pk=given.id, evaluator=request.user)
    answer_tie(request=row, value=given.value, reason=given.reason, by=request.user, now=timezone.now())
    return _list_ties(request.user)


def _list_ties(person: Person) -> Listed[TieAnswer]:
    items = [
        TieAnswer(
            id=item["pk"],
            project=item["project"].slug,
            game=item["game"],
            kind=item["kind"],
            message=item["message"],
            speaker=item["name"],
            text=item["text"],
            values=[value.removeprefix(IS) for value, _word in item["values"]],
        )
        for item in list_items(person)
    ]
    return Listed[TieAnswer](items=items)


@router.get(PATH, "api_disagreements", "see_games")
def list_disagreements(request: SignedIn, slug: str, number: int) -> Listed[DisagreementAnswer]:
    """List the disagreements of a game's evaluators, ties first. Names are not shown."""
    game = led_game_or_404(request.user, slug, number)
    check_see_games(request.user, game.project)
    return _list(game)


@router.post(PATH, "api_disagreements", "adjudicate", "admin")
def decide(request: SignedIn, slug: str, number: int, given: AdjudicationGiven) -> Listed[DisagreementAnswer]:
    """Decide on a disagreement.

    If an answer changed since it was read, no decision is stored (409).
    """
    game = led_game_or_404(request.user, slug, number)
    check_adjudicate(request.user, game)
    adjudicate(
        game=game,
        **given.model_dump(exclude={"side"}) | ({"value": ""} if given.side else {}),
        adopted=find_side(game, given.side) if given.side else None,
        key=f"api:{request.headers['Idempotency-Key']}",
        by=request.user,
        now=timezone.now(),
    )
    return _list(led_game_or_404(request.user, slug, number))


@router.get(GAME + "evaluations/", "api_game_evaluations", "see_games")
def list_evaluations(request: SignedIn, slug: str, number: int) -> Listed[JudgedByAnswer]:
    """List the evaluations of a game, by letters. Hidden duplicates and evaluations of calibration are left out."""
    game = led_game_or_404(request.user, slug, number)
    check_see_games(request.user, game.project)
    return _list_evaluations(game, request.user)


@router.post(GAME + "names/", "api_names", "see_games", "admin")
def show_names(request: SignedIn, slug: str, number: int) -> Listed[JudgedByAnswer]:
    """Show yourself the names of a game's evaluators. The audit log records it."""
    game = led_game_or_404(request.user, slug, number)
    unmask_evaluators(game=game, by=request.user, now=timezone.now())
    return _list_evaluations(game, request.user)


def _list_evaluations(game: Game, person: Person) -> Listed[JudgedByAnswer]:
    rows = Evaluation.objects.filter(game=game, purpose=RATING).select_related("evaluator").order_by("pk")
    found = list(rows)
    is_shared = has_letters(len(found), game.evaluator_count)
    is_named = not is_shared or has_seen_names(person, game)
    letter_of = (
        letters(letters_seed(game.pk), [row.pk for row in found if row.state == SUBMITTED])
        if is_shared
        else {}
    )
    items = [
        JudgedByAnswer(
            id=handle_of(row.pk),
            letter=letter_of.get(row.pk, ""),
            evaluator=row.evaluator.name if is_named else "",
            state=row.state,
            started_at=row.created_at if is_named else None,
            submitted_at=row.submitted_at if is_named else None,
        )
        for row in found
    ]
    return Listed[JudgedByAnswer](
        items=sorted(items, key=lambda item: (not item.letter, item.letter, item.id))
    )


def _list(game: Game) -> Listed[DisagreementAnswer]:
    return Listed[DisagreementAnswer].read_all(disagreements_in(game) if newest_measured(game) else [])
