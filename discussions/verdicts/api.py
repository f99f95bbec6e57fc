"""API of verdicts."""

from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext as _

from discussions.core.outcome import Outcome, OutcomeLine, PeopleShare
from discussions.models import Iteration, Verdict
from discussions.verdicts.actions import record_ready_games, record_verdict
from discussions.verdicts.pages.verdict import ReadyGame, VerdictPage, build_verdict_page, list_ready_games
from discussions.verdicts.permissions import check_record_games, check_record_verdict
from discussions.verdicts.queries import list_complete_games
from discussions.verdicts.views import judged_game_or_404
from workspace.core.refusals import Unacceptable
from workspace.web.bind_form import project_or_404
from workspace.web.endpoints import After, Answer, Given, Limit, Listed, Operations, next_part
from workspace.web.views import SignedIn

router = Operations()


class PeopleAnswer(
    Answer, of=PeopleShare, fields="share low high judged total counted counts is_open flip helped"
):
    """People's estimate of all messages, in percent, with its 95 % interval, from `judged` of `total` messages.

    `counts` says that it is the line's score; `counted` is the score with automatic values where nobody judged.
    `is_open`: its 90 % interval holds the threshold, so that the line is neither pass nor fail yet. `helped` says which
    judge divided the messages, "" if none did.
    """


class LineAnswer(
    Answer,
    of=OutcomeLine,
    fields="key label threshold numerator denominator score interval passes is_applicable is_mandatory flip",
):
    """A metric's line. `passes` is null while it is pending; `flip` is how many judgements would flip it.

    `interval` is the score's with 95 %, in percent, null where it has none.
    """

    people: PeopleAnswer | None


class OutcomeAnswer(
    Answer,
    of=Outcome,
    fields="passes headline passed_count needed_count composite flip_distance cost_state missing open "
    "reasons:reasons.says lines",
):
    """A verdict, or what is known of it so far: `passes` is null while `missing` names pending metrics.

    `open` names metrics on which it hangs and which are neither pass nor fail yet.
    """

    lines: list[LineAnswer]


class VerdictAnswer(
    Answer,
    of=Verdict,
    fields="number passes basis_sha256 reason recorded_at:created_at recorded_by:created_by.name",
):
    """A recorded verdict. With a `reason` it supersedes the one before."""


class VerdictsAnswer(
    Answer,
    of=VerdictPage,
    fields="outcome:outcome.outcome unasked:outcome.unasked hidden_because basis_sha256 refusal:record_refusal "
    "recorded:history.0",
):
    """The recorded verdicts of a game, newest first, and the current outcome, or the one that would be recorded now.

    Send `basis_sha256` back to record the verdict; it is "" when it would show the work of others. `refusal` says why
    the verdict cannot be recorded, `hidden_because` why there is no outcome. `unasked` says how many suggested
    references nobody looked at, "" if somebody did.
    """

    outcome: OutcomeAnswer | None
    unasked: str
    recorded: list[VerdictAnswer]


class RecordGiven(Given):
    """The hash of the basis that was read; with a `reason` the verdict supersedes the current one.

    While `open` names metrics, a lead gives a reason, too.
    """

    basis_sha256: str
    reason: str = ""


class ReadyAnswer(Answer, of=ReadyGame, fields="number refusal headline basis_sha256"):
    """A game with all its evaluations submitted, and the verdict that would be recorded now.

    `refusal` says why it cannot be recorded, such as a tie; then `passes` is null and `basis_sha256` is "".
    """

    passes: bool | None


class ShownGame(Given):
    """A game by its number, and the hash of its basis as it was read."""

    number: int
    basis_sha256: str


class RecordGamesGiven(Given):
    """The games whose verdicts are to be recorded."""

    games: list[ShownGame]


class RefusedAnswer(Answer, of=tuple[int, str], fields="number:0 refusal:1"):
    """A game whose verdict was not recorded, and why."""


class RecordedGameAnswer(Answer, of=Verdict, fields="number:game.number passes"):
    """A game and whether its new verdict is PASS."""


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
    game = judged_game_or_404(request.user, slug, number)
    return VerdictsAnswer.read(build_verdict_page(game=game, person=request.user))


@router.post(PATH, "api_verdict", "record_verdict", "admin", status=201)
def record(request: SignedIn, slug: str, number: int, given: RecordGiven) -> VerdictAnswer:
    """Record the verdict of a game.

    If the basis changed since it was read, nothing is recorded (409).
    """
    game = judged_game_or_404(request.user, slug, number)
    check_record_verdict(request.user, game)
    values, now = given.model_dump(), timezone.now()
    return VerdictAnswer.read(record_verdict(game=game, **values, by=request.user, now=now))


@router.get(READY, "api_ready_games", "record_games")
def list_ready(
    request: SignedIn, slug: str, iteration: int | None = None, after: After = 0, limit: Limit = 50
) -> Listed[ReadyAnswer]:
    """List the games that wait for their verdict.

    All their evaluations are submitted. `iteration` is the number of one, 0 for unsorted games.
    """
    project = project_or_404(request.user, slug, check_record_games)
    chosen = None
    if iteration is not None:
        rows = Iteration.objects.filter(project=project)
        chosen = get_object_or_404(rows, number=min(max(iteration, -1), LARGEST_NUMBER))
    found = list_complete_games(project, iteration=chosen, after=after, most=limit + 1)
    rest = found[limit - 1][0] if len(found) > limit else 0
    games = list_ready_games(project=project, numbers=[number for _key, number in found[:limit]])
    items = [ReadyAnswer.read(game, passes=None if game.refusal else game.passes) for game in games]
    return Listed[ReadyAnswer](items=items, next=next_part(request, rest))


@router.post(READY, "api_ready_games", "record_games", "admin")
def record_ready(request: SignedIn, slug: str, given: RecordGamesGiven) -> RecordedGamesAnswer:
    """Record the verdicts of several games.

    Each game is recorded on its own: if its basis changed since it was read, only that game is refused.
    """
    project = project_or_404(request.user, slug, check_record_games)
    shown = {game.number: game.basis_sha256 for game in given.games}
    if len(shown) < len(given.games):
        raise Unacceptable(_("A game is named twice."), field="games", code="twice")
    verdicts, refused = record_ready_games(project=project, shown=shown, by=request.user, now=timezone.now())
    return RecordedGamesAnswer.read(None, recorded=verdicts, refused=list(refused.items()))
