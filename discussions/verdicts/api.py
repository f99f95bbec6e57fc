"""API of verdicts."""

from datetime import datetime

from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext as _

from discussions.core.outcome import Outcome
from discussions.models import Iteration, Verdict
from discussions.verdicts.actions import record_ready_games, record_verdict
from discussions.verdicts.pages.ready import list_ready_games
from discussions.verdicts.pages.verdict import build_verdict_page
from discussions.verdicts.permissions import check_record_games, check_record_verdict
from discussions.verdicts.queries import list_complete_games
from discussions.verdicts.views import judged_game_or_404
from workspace.core.refusals import Unacceptable
from workspace.web.bind_form import project_or_404
from workspace.web.endpoints import After, Answer, Given, Limit, Listed, Operations, next_part
from workspace.web.require import SignedIn

router = Operations()


class LineAnswer(Answer):
    """A metric's line. `passes` is null while it is pending; `flip` is how many judgements would flip it."""

    key: str
    label: str
    threshold: float
    numerator: int
    denominator: int
    score: float | None
    passes: bool | None
    is_applicable: bool
    flip: int | None


class OutcomeAnswer(Answer):
    """A verdict, or what is known of it so far: `passes` is null while `missing` names pending metrics."""

    passes: bool | None
    headline: str
    passed_count: int
    needed_count: int
    composite: float | None
    flip_distance: int | None
    cost_state: str
    missing: list[str]
    reasons: list[str]
    lines: list[LineAnswer]


class VerdictAnswer(Answer):
    """A recorded verdict. With a `reason` it supersedes the one before."""

    number: int
    passes: bool
    basis_sha256: str
    reason: str
    recorded_at: datetime
    recorded_by: str


class VerdictsAnswer(Answer):
    """The recorded verdicts of a game, newest first, and the current outcome, or the one that would be recorded now.

    Send `basis_sha256` back to record the verdict; it is "" when it would show the work of others. `refusal` says why
    the verdict cannot be recorded, `hidden_because` why there is no outcome. `unasked` says how many suggested
    references nobody looked at, "" if somebody did.
    """

    outcome: OutcomeAnswer | None
    unasked: str
    hidden_because: str
    basis_sha256: str
    refusal: str
    recorded: list[VerdictAnswer]


class RecordGiven(Given):
    """The hash of the basis that was read; with a `reason` the verdict supersedes the current one."""

    basis_sha256: str
    reason: str = ""


class ReadyAnswer(Answer):
    """A game with all its evaluations submitted, and the verdict that would be recorded now.

    `refusal` says why it cannot be recorded, such as a tie; then `passes` is null and `basis_sha256` is "".
    """

    number: int
    refusal: str
    headline: str
    passes: bool | None
    basis_sha256: str


class ShownGame(Given):
    """A game by its number, and the hash of its basis as it was read."""

    number: int
    basis_sha256: str


class RecordGamesGiven(Given):
    """The games whose verdicts are to be recorded."""

    games: list[ShownGame]


class RefusedAnswer(Answer):
    """A game whose verdict was not recorded, and why."""

    number: int
    refusal: str


class RecordedGameAnswer(Answer):
    """A game and whether its new verdict is PASS."""

    number: int
    passes: bool


class RecordedGamesAnswer(Answer):
    """The games whose verdicts were recorded, and those that were refused."""

    recorded: list[RecordedGameAnswer]
    refused: list[RefusedAnswer]


PATH = "/projects/{slug:slug}/games/{int:number}/verdict/"
READY = "/projects/{slug:slug}/verdicts/ready/"
LARGEST_NUMBER = 10**9


@router.get(PATH, "api_verdict", "see_verdict")
def show_verdicts(request: SignedIn, slug: str, number: int) -> VerdictsAnswer:
    """Read the verdict of a game.

    Leads, admins and the evaluators who submitted an evaluation of the game read it.
    """
    page = build_verdict_page(game=judged_game_or_404(request.user, slug, number), person=request.user)
    return VerdictsAnswer(
        outcome=None if page.outcome is None else _outcome(page.outcome.outcome),
        unasked=page.outcome.unasked if page.outcome else "",
        hidden_because=page.hidden_because,
        basis_sha256=page.basis_sha256,
        refusal=page.record_refusal,
        recorded=[_verdict(row) for row, _outcome in page.history],
    )


@router.post(PATH, "api_verdict", "record_verdict", "admin", status=201)
def record(request: SignedIn, slug: str, number: int, given: RecordGiven) -> VerdictAnswer:
    """Record the verdict of a game.

    If the basis changed since it was read, nothing is recorded (409).
    """
    game = judged_game_or_404(request.user, slug, number)
    check_record_verdict(request.user, game)
    row = record_verdict(
        game=game,
        basis_sha256=given.basis_sha256,
        reason=given.reason,
        by=request.user,
        now=timezone.now(),
    )
    return _verdict(row)


@router.get(READY, "api_ready_games", "record_games")
def list_ready(
    request: SignedIn, slug: str, iteration: int | None = None, after: After = 0, limit: Limit = 50
) -> Listed[ReadyAnswer]:
    """List the games that wait for their verdict.

    All their evaluations are submitted. `iteration` is the number of one, 0 for unsorted games.
    """
    project = project_or_404(request.user, slug)
    check_record_games(request.user, project)
    chosen = None
    if iteration is not None:
        rows = Iteration.objects.filter(project=project)
        chosen = get_object_or_404(rows, number=min(max(iteration, -1), LARGEST_NUMBER))
    found = list_complete_games(project, iteration=chosen, after=after, most=limit + 1)
    rest = found[limit - 1][0] if len(found) > limit else 0
    games = list_ready_games(project=project, numbers=[number for _key, number in found[:limit]])
    return Listed[ReadyAnswer](
        items=[
            ReadyAnswer(
                number=game.number,
                refusal=game.refusal,
                headline=game.headline,
                passes=None if game.refusal else game.passes,
                basis_sha256=game.basis_sha256,
            )
            for game in games
        ],
        next=next_part(request, rest),
    )


@router.post(READY, "api_ready_games", "record_games", "admin")
def record_ready(request: SignedIn, slug: str, given: RecordGamesGiven) -> RecordedGamesAnswer:
    """Record the verdicts of several games.

    Each game is recorded on its own: if its basis changed since it was read, only that game is refused.
    """
    project = project_or_404(request.user, slug)
    check_record_games(request.user, project)
    shown = {game.number: game.basis_sha256 for game in given.games}
    if len(shown) < len(given.games):
        raise Unacceptable(_("A game is named twice."), field="games", code="twice")
    done = record_ready_games(project=project, shown=shown, by=request.user, now=timezone.now())
    return RecordedGamesAnswer(
        recorded=[RecordedGameAnswer(number=row.game.number, passes=row.passes) for row in done.verdicts],
        refused=[RefusedAnswer(number=number, refusal=why) for number, why in done.refused.items()],
    )


def _outcome(outcome: Outcome) -> OutcomeAnswer:
    names = [name for name in OutcomeAnswer.model_fields if name not in ("reasons", "lines")]
    return OutcomeAnswer(
        **{name: getattr(outcome, name) for name in names},
        reasons=[reason.says for reason in outcome.reasons],
        lines=[LineAnswer.model_validate(line) for line in outcome.lines],
    )


def _verdict(row: Verdict) -> VerdictAnswer:
    return VerdictAnswer(
        number=row.number,
        passes=row.passes,
        basis_sha256=row.basis_sha256,
        reason=row.reason,
        recorded_at=row.created_at,
        recorded_by=row.created_by.name,
    )
