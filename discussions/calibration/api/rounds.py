"""Calibration rounds of a project, for programs of its leads."""

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any

from django.utils import timezone
from pydantic import Field

from discussions.calibration import actions
from discussions.calibration.actions import RoundPlan
from discussions.calibration.permissions import check_calibrate
from discussions.calibration.queries import RoundProgress, load_trainees, query_games, query_rounds
from discussions.calibration.views.rounds import member_or_404, round_or_404
from discussions.models import CalibrationRound
from rubric.calibration.api import collect_notes
from workspace.core.limits import LONGEST_REASON
from workspace.models import Person, Project
from workspace.web.bind_form import project_or_404
from workspace.web.endpoints import Answer, Given, Listed, Operations
from workspace.web.require import SignedIn

router = Operations()
PATH = "/projects/{slug:slug}/calibrations/"
ONE = PATH + "{int:calibration}/"
GameNumber = Annotated[int, Field(ge=1, le=10**9)]


class RoundAnswer(Answer):
    """A calibration round; it is open while `closed_at` is null.

    It is passed with `pass_percent` of a hundred answers as in the keys, and ratings that are at most `rating_within`
    from the keys' on average.
    """

    number: int
    name: str
    is_required: bool
    pass_percent: int
    rating_within: float
    game_count: int
    created_at: datetime
    closed_at: datetime | None


class KeyGameAnswer(Answer):
    """A game of a round, and what evaluators read of it after they submitted."""

    game: int
    note: str


class TraineeAnswer(Answer):
    """How somebody does: `alike` of `count` answers as in the keys, in `done` of `asked` games; `passes` is null while
    games are missing. `waiver` is why a lead lets them rate without passing.
    """

    id: int
    name: str
    done: int
    asked: int
    alike: int
    count: int
    rating_error: float | None
    passes: bool | None
    waiver: str


class SingleRoundAnswer(RoundAnswer):
    """One round with its games, and everybody who takes part."""

    games: list[KeyGameAnswer]
    people: list[TraineeAnswer]


class NoteGiven(Given):
    """What explains the key of a game."""

    game: GameNumber
    note: str = Field(max_length=5000)


class RoundGiven(Given):
    """A new round: numbers of games with a recorded verdict, in the order in which they come, and its rule."""

    name: str = Field(max_length=200)
    games: list[GameNumber] = Field(max_length=100)
    is_required: bool = True
    pass_percent: int = Field(default=80, ge=1, le=100)
    rating_within: float = Field(default=1, ge=0, le=4)
    notes: list[NoteGiven] = Field(default=[], max_length=100)


class WaiverGiven(Given):
    """Why somebody may rate without passing."""

    reason: str = Field(max_length=LONGEST_REASON)


@router.get(PATH, "api_calibrations", "calibrate")
def list_rounds(request: SignedIn, slug: str) -> Listed[RoundAnswer]:
    """List the calibration rounds of a project, the newest first."""
    rounds = query_rounds(_led_project(request, slug))
    return Listed[RoundAnswer](
        items=[RoundAnswer(**_facts(row, getattr(row, "item_count", 0))) for row in rounds]
    )


@router.post(PATH, "api_calibrations", "calibrate", "admin", status=201)
def open_round(request: SignedIn, slug: str, given: RoundGiven) -> SingleRoundAnswer:
    """Open a calibration round. Its keys are taken from the recorded verdicts of its games."""
    project = _led_project(request, slug)
    values = given.model_dump()
    values["rating_within"] = Decimal(str(given.rating_within))
    values["notes"] = collect_notes((one.game, one.note) for one in given.notes)
    made = actions.open_round(project=project, plan=RoundPlan(**values), by=request.user, now=timezone.now())
    return _single(project, made.number)


@router.get(ONE, "api_calibration", "calibrate")
def show_round(request: SignedIn, slug: str, calibration: int) -> SingleRoundAnswer:
    """Read a calibration round, and how everybody does in it."""
    return _single(_led_project(request, slug), calibration)


@router.post(ONE + "close/", "api_calibration_close", "calibrate", "admin")
def close(request: SignedIn, slug: str, calibration: int) -> SingleRoundAnswer:
    """Close a calibration round. No more games of it are given out; started ones can still be submitted."""
    project = _led_project(request, slug)
    found = round_or_404(project, calibration)
    actions.close_round(opened=found, by=request.user, now=timezone.now())
    return _single(project, calibration)


@router.post(ONE + "people/{int:person}/let-rate/", "api_let_rate", "calibrate", "admin")
def let_rate(
    request: SignedIn, slug: str, calibration: int, person: int, given: WaiverGiven
) -> SingleRoundAnswer:
    """Let an evaluator rate who did not pass a round."""
    project = _led_project(request, slug)
    found = round_or_404(project, calibration)
    who = member_or_404(project, person)
    actions.let_rate(opened=found, person=who, reason=given.reason, by=request.user, now=timezone.now())
    return _single(project, calibration)


def _led_project(request: SignedIn, slug: str) -> Project:
    return project_or_404(request.user, slug, check_calibrate)


def _facts(row: CalibrationRound, game_count: int) -> dict[str, Any]:
    names = [name for name in RoundAnswer.model_fields if name not in ("game_count", "rating_within")]
    facts: dict[str, Any] = {name: getattr(row, name) for name in names}
    return {**facts, "game_count": game_count, "rating_within": float(row.rating_within)}


def _single(project: Project, number: int) -> SingleRoundAnswer:
    opened = round_or_404(project, number)
    games = query_games(opened)
    return SingleRoundAnswer(
        **_facts(opened, len(games)),
        games=[KeyGameAnswer(game=row.game.number, note=row.note) for row in games],
        people=[_trainee(person, progress) for person, progress in load_trainees(opened)],
    )


def _trainee(person: Person, progress: RoundProgress) -> TraineeAnswer:
    result = progress.result
    error = result.rating_error
    return TraineeAnswer(
        id=person.pk,
        name=person.name,
        rating_error=None if error is None else float(error),
        waiver=progress.waiver,
        **{name: getattr(result, name) for name in ("done", "asked", "alike", "count", "passes")},
    )
