"""Calibration rounds of a project for programs of its leads, and its guideline."""

from decimal import Decimal

from django.db.models import Max
from django.shortcuts import get_object_or_404
from django.utils import timezone
from pydantic import Field

from discussions.calibration import actions, queries
from discussions.calibration.actions import LONGEST_GUIDELINE, RoundPlan, confirm_guideline, write_guideline
from discussions.calibration.permissions import check_calibrate, check_write_guideline
from discussions.calibration.views import member_or_404, round_or_404
from discussions.models import CalibrationGame, CalibrationRound, Guideline
from rubric.calibration.api import collect_notes
from workspace.core.limits import LONGEST_REASON
from workspace.models import Person, Project
from workspace.web.bind_form import project_or_404
from workspace.web.endpoints import Answer, Given, Listed, Number, Operations
from workspace.web.views import SignedIn

guidelines, calibrations = Operations(), Operations()
GUIDELINE = "/projects/{slug:slug}/guideline/"
PATH = "/projects/{slug:slug}/calibrations/"
ONE = PATH + "{int:calibration}/"


class RoundAnswer(
    Answer,
    of=CalibrationRound,
    fields="number name is_required pass_percent rating_within game_count:item_count created_at closed_at",
):
    """A calibration round; it is open while `closed_at` is null.

    It is passed with `pass_percent` of a hundred answers as in the keys, and ratings that are at most `rating_within`
    from the keys' on average.
    """

    game_count: int


class KeyGameAnswer(Answer, of=CalibrationGame, fields="game:game.number note"):
    """A game of a round, and what evaluators read of it after they submitted."""


class TraineeAnswer(
    Answer,
    of=tuple[Person, queries.RoundProgress],
    fields="id:0.pk name:0.name done:1.result.done asked:1.result.asked alike:1.result.alike count:1.result.count "
    "rating_error:1.result.rating_error passes:1.result.passes waiver:1.waiver",
):
    """How somebody does: `alike` of `count` answers as in the keys, in `done` of `asked` games; `passes` is null while
    games are missing. `waiver` is why a lead lets them rate without passing.
    """


class SingleRoundAnswer(RoundAnswer):
    """One round with its games, and everybody who takes part."""

    games: list[KeyGameAnswer]
    people: list[TraineeAnswer]


class NoteGiven(Given):
    """What explains the key of a game."""

    game: Number
    note: str = Field(max_length=5000)


class RoundGiven(Given):
    """A new round: numbers of games with a recorded verdict, in the order in which they come, and its rule."""

    name: str = Field(max_length=200)
    games: list[Number] = Field(max_length=100)
    is_required: bool = True
    pass_percent: int = Field(default=80, ge=1, le=100)
    rating_within: float = Field(default=1, ge=0, le=4)
    notes: list[NoteGiven] = Field(default=[], max_length=100)


class WaiverGiven(Given):
    """Why somebody may rate without passing."""

    reason: str = Field(max_length=LONGEST_REASON)


@calibrations.get(PATH, "api_calibrations", "calibrate")
def list_rounds(request: SignedIn, slug: str) -> Listed[RoundAnswer]:
    """List the calibration rounds of a project, the newest first."""
    return Listed[RoundAnswer].read_all(queries.query_rounds(_led_project(request, slug)))


@calibrations.post(PATH, "api_calibrations", "calibrate", "admin", status=201)
def open_round(request: SignedIn, slug: str, given: RoundGiven) -> SingleRoundAnswer:
    """Open a calibration round. Its keys are taken from the recorded verdicts of its games."""
    project = _led_project(request, slug)
    values = given.model_dump()
    values["rating_within"] = Decimal(str(given.rating_within))
    values["notes"] = collect_notes((one.game, one.note) for one in given.notes)
    made = actions.open_round(project=project, plan=RoundPlan(**values), by=request.user, now=timezone.now())
    return _single(project, made.number)


@calibrations.get(ONE, "api_calibration", "calibrate")
def show_round(request: SignedIn, slug: str, calibration: int) -> SingleRoundAnswer:
    """Read a calibration round, and how everybody does in it."""
    return _single(_led_project(request, slug), calibration)


@calibrations.post(ONE + "close/", "api_calibration_close", "calibrate", "admin")
def close(request: SignedIn, slug: str, calibration: int) -> SingleRoundAnswer:
    """Close a calibration round. No more games of it are given out; started ones can still be submitted."""
    project = _led_project(request, slug)
    opened = round_or_404(project, calibration)
    actions.close_round(opened=opened, by=request.user, now=timezone.now())
    return _single(project, calibration)


@calibrations.post(ONE + "people/{int:person}/let-rate/", "api_let_rate", "calibrate", "admin")
def let_rate(
    request: SignedIn, slug: str, calibration: int, person: int, given: WaiverGiven
) -> SingleRoundAnswer:
    """Let an evaluator rate who did not pass a round."""
    project = _led_project(request, slug)
    opened = round_or_404(project, calibration)
    who = member_or_404(project, person)
    actions.let_rate(opened=opened, person=who, reason=given.reason, by=request.user, now=timezone.now())
    return _single(project, calibration)


def _led_project(request: SignedIn, slug: str) -> Project:
    return project_or_404(request.user, slug, check_calibrate)


def _single(project: Project, number: int) -> SingleRoundAnswer:
    opened = round_or_404(project, number)
    games = list(queries.query_games(opened))
    return SingleRoundAnswer.read(
        opened, game_count=len(games), games=games, people=queries.load_trainees(opened)
    )


class GuidelineAnswer(Answer):
    """The guideline that holds, in Markdown; `version` is 0 without one. With `is_read` you need not confirm it.

    `newest` is the version that the next one follows, also where an empty text ended the guideline.
    """

    version: int
    newest: int
    text: str
    is_read: bool


class GuidelineGiven(Given):
    """The text, and the version that it follows (`newest`): 409 when somebody wrote another one since."""

    text: str = Field(max_length=LONGEST_GUIDELINE)
    after: int = Field(ge=0, le=10**6)


class ReadGiven(Given):
    """The version that you have read."""

    version: int = Field(ge=1, le=10**6)


@guidelines.get(GUIDELINE, "api_guideline", "see_project")
def show_guideline(request: SignedIn, slug: str) -> GuidelineAnswer:
    """Read the guideline of a project."""
    return _answer(request.user, project_or_404(request.user, slug))


@guidelines.post(GUIDELINE, "api_guideline", "write_guideline", "admin")
def write(request: SignedIn, slug: str, given: GuidelineGiven) -> GuidelineAnswer:
    """Write the next version of the guideline; evaluators confirm it before their next game. An empty text ends it."""
    project = project_or_404(request.user, slug, check_write_guideline)
    write_guideline(project=project, **given.model_dump(), by=request.user, now=timezone.now())
    return _answer(request.user, project)


@guidelines.post(GUIDELINE + "read/", "api_guideline_read", "see_project", "rate")
def confirm(request: SignedIn, slug: str, given: ReadGiven) -> GuidelineAnswer:
    """Confirm that you have read a version of the guideline. Without that you get no game."""
    project = project_or_404(request.user, slug)
    version = get_object_or_404(Guideline, project=project, number=given.version)
    confirm_guideline(guideline=version, by=request.user, now=timezone.now())
    return _answer(request.user, project)


def _answer(person: Person, project: Project) -> GuidelineAnswer:
    current = queries.newest_guideline(project)
    versions = Guideline.objects.filter(project=project)
    return GuidelineAnswer(
        version=current.number if current else 0,
        newest=versions.aggregate(newest=Max("number"))["newest"] or 0,
        text=current.text if current else "",
        is_read=queries.unread_guideline(person, project) is None,
    )
