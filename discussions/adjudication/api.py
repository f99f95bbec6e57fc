"""What the evaluators of a game differ about, and a lead's decisions on it, for programs."""

from django.utils import timezone
from ninja import Router
from pydantic import Field

from discussions.access.permissions import check_see_games
from discussions.adjudication.actions import adjudicate
from discussions.adjudication.core.disagreements import Disagreement
from discussions.adjudication.permissions import check_adjudicate
from discussions.adjudication.queries import disagreements_in
from discussions.adjudication.views import find_side, led_game_or_404
from discussions.models import Game
from discussions.queries import newest_measured
from workspace.core.limits import LONGEST_REASON
from workspace.web.endpoints import Answer, Given, Listed, endpoint
from workspace.web.require import SignedIn

router = Router()
PATH = "/projects/{slug:slug}/games/{int:number}/disagreements/"


class SideAnswer(Answer):
    """The answer of one evaluation, under a letter in the place of its evaluator's name; `is_silent` without one."""

    letter: str
    value: str
    reason: str
    is_silent: bool


class DisagreementAnswer(Answer):
    """Something on which evaluators differ, or on which a lead decided. With `is_tie` the verdict waits for a decision.

    `sides_sha256` goes back with the decision. `decided` is null while no lead decided.
    """

    kind: str
    subject: str
    sides: list[SideAnswer]
    automatic: str
    majority: str | None
    is_tie: bool
    can_be_decided: bool
    decided: str | None
    sides_sha256: str


class AdjudicationGiven(Given):
    """A decision: the letter of the `side` whose answer holds, or another `value`; with the reason."""

    kind: str = Field(max_length=30)
    subject: str = Field(default="", max_length=200)
    side: str | None = Field(default=None, max_length=10)
    value: str = Field(default="", max_length=40)
    reason: str = Field(max_length=LONGEST_REASON)
    sides_sha256: str = Field(pattern="^[0-9a-f]{64}$")


@endpoint(
    router,
    "GET",
    PATH,
    name="api_disagreements",
    permission="see_games",
    scope="read",
    answer=Listed[DisagreementAnswer],
)
def list_disagreements(request: SignedIn, slug: str, number: int) -> Listed[DisagreementAnswer]:
    """List what the evaluators of a game differ about, ties first. Names are not told."""
    game = led_game_or_404(request.user, slug, number)
    check_see_games(request.user, game.project)
    return _list(game)


@endpoint(
    router,
    "POST",
    PATH,
    name="api_disagreements",
    permission="adjudicate",
    scope="admin",
    answer=Listed[DisagreementAnswer],
)
def decide(request: SignedIn, slug: str, number: int, given: AdjudicationGiven) -> Listed[DisagreementAnswer]:
    """Decide on a disagreement.

    Nothing is decided when an answer changed since it was read (409).
    """
    game = led_game_or_404(request.user, slug, number)
    check_adjudicate(request.user, game)
    adjudicate(
        game=game,
        kind=given.kind,
        subject=given.subject,
        value="" if given.side else given.value,
        reason=given.reason,
        adopted=find_side(game, given.side) if given.side else None,
        sides_sha256=given.sides_sha256,
        key=f"api:{request.headers['Idempotency-Key']}",
        by=request.user,
        now=timezone.now(),
    )
    return _list(led_game_or_404(request.user, slug, number))


def _list(game: Game) -> Listed[DisagreementAnswer]:
    found = disagreements_in(game) if newest_measured(game) else []
    return Listed[DisagreementAnswer](items=[_answer(row) for row in found])


def _answer(row: Disagreement) -> DisagreementAnswer:
    return DisagreementAnswer(
        kind=row.kind,
        subject=row.subject,
        sides=[
            SideAnswer(letter=side.alias, value=side.value, reason=side.reason, is_silent=side.is_silent)
            for side in row.sides
        ],
        automatic=row.machine,
        majority=row.majority,
        is_tie=row.is_tie,
        can_be_decided=row.can_be_adjudicated,
        decided=row.settled.value if row.settled else None,
        sides_sha256=row.page_sha256,
    )
