"""Filling the queue by rules, and newer versions of the rubric and the metrics, for programs."""

from typing import Annotated, Literal

from django.utils import timezone
from django.utils.translation import gettext as _
from pydantic import Field

from discussions.core.intake import CONDITIONS, EVERYTHING, LONGEST_VALUE, MOST_ROWS, Filling, FillRow
from discussions.games.views.game import game_or_404
from discussions.models import Iteration
from discussions.models.queue_rules import FillRules, QueueDraw, load_fill_rules
from discussions.planning.actions import (
    check_filling,
    measure_again,
    move_to_version,
    place_game,
    save_filling,
)
from discussions.planning.permissions import check_measure_again
from discussions.planning.queries import FillLine, FillPreview, list_newer_versions, preview_filling
from discussions.planning.views.intake import name_rules
from discussions.planning.views.settings import changed_or_404, load_move_preview
from discussions.preview.core import Rejudged
from discussions.slots.permissions import check_assign
from rubric.models import RubricVersion
from workspace.core.limits import LONGEST_REASON
from workspace.core.refusals import Unacceptable
from workspace.models import Project
from workspace.web.bind_form import project_or_404
from workspace.web.endpoints import Answer, Given, Operations
from workspace.web.views import SignedIn

intake = Operations()
RULES = "/projects/{slug:slug}/team/queue/rules/"
Percent = Annotated[float, Field(ge=0, le=100)]


class FillRowGiven(Given):
    """A condition and the share of the games that it fits, in percent.

    `metric` is a key, or "weakest" for the metric furthest below its threshold. `value` holds points ("short", which
    fails by less than these, and "near"), a score ("below", "from"), the number of an iteration, or a name.
    """

    condition: Literal[CONDITIONS]  # type: ignore[valid-type]
    percent: Percent = 100.0
    metric: str = ""
    value: str = Field(default="", max_length=LONGEST_VALUE)


class FillingGiven(Given):
    """Rules in order, of which the first that fits decides, and the share of the rest.

    With `is_applied` games that wait pass the rules, too.
    """

    rows: list[FillRowGiven] = Field(max_length=MOST_ROWS)
    rest: Percent
    is_applied: bool = False


class FillLineAnswer(Answer, of=FillLine, fields="percent fits taken minutes examples"):
    """What a rule does with the present games: it fits so many, of which so many enter; some of their numbers."""


class FillPreviewAnswer(Answer, of=FillPreview, fields="games taken minutes waiting entering leaving"):
    """The rules on the games that are there, the rest last; `minutes` of evaluators, null while their times are not
    known. Of the `waiting` games so many would enter and leave if the rules are applied to them.
    """

    lines: list[FillLineAnswer]


class FillRowAnswer(Answer, of=FillRow, fields="condition metric value percent"):
    """A rule, as it is given."""


class FillRulesAnswer(Answer, of=Filling, fields="rest"):
    """The rules of a project, and `named` in words; version 0 is “every game enters”."""

    version: int
    rows: list[FillRowAnswer]
    named: list[str]


class QueueDrawAnswer(Answer, of=QueueDraw, fields="is_in version:rules.number row probability chance"):
    """Whether a game is in the queue, and by which row of which version of the rules, null by hand alone.

    Estimates weight the game by 1 / `chance`; with 0 it counts in none.
    """

    version: int | None


@intake.get(RULES, "api_fill_rules", "assign")
def read_rules(request: SignedIn, slug: str) -> FillRulesAnswer:
    """Read the rules by which games enter the queue."""
    return _answer_rules(project_or_404(request.user, slug, check_assign))


@intake.post(RULES, "api_fill_rules", "assign", "admin")
def save_rules(request: SignedIn, slug: str, given: FillingGiven) -> FillRulesAnswer:
    """Save a new version of the rules, for games that are measured from now on."""
    project = project_or_404(request.user, slug, check_assign)
    save_filling(
        project=project,
        filling=_read_given(given),
        is_applied=given.is_applied,
        by=request.user,
        now=timezone.now(),
    )
    return _answer_rules(project)


@intake.post(RULES + "preview/", "api_fill_preview", "assign", "admin")
def preview_rules(request: SignedIn, slug: str, given: FillingGiven) -> FillPreviewAnswer:
    """Read what rules would do with the present games. Nothing is saved."""
    project = project_or_404(request.user, slug, check_assign)
    return FillPreviewAnswer.read(preview_filling(project, check_filling(_read_given(given))))


@intake.post("/projects/{slug:slug}/games/{int:number}/queue/in/", "api_queue_in", "assign", "admin")
def put_in(request: SignedIn, slug: str, number: int) -> QueueDrawAnswer:
    """Put a game into the queue by hand."""
    return _place_by_hand(request, slug, number, is_in=True)


@intake.post("/projects/{slug:slug}/games/{int:number}/queue/out/", "api_queue_out", "assign", "admin")
def take_out(request: SignedIn, slug: str, number: int) -> QueueDrawAnswer:
    """Remove a game from the queue; no rule brings it back."""
    return _place_by_hand(request, slug, number, is_in=False)


def _place_by_hand(request: SignedIn, slug: str, number: int, *, is_in: bool) -> QueueDrawAnswer:
    project_or_404(request.user, slug, check_assign)
    game = game_or_404(request.user, slug, number)
    place_game(game=game, is_in=is_in, by=request.user, now=timezone.now())
    draw = QueueDraw.objects.select_related("rules").filter(game=game).first() or QueueDraw(is_in=True)
    return QueueDrawAnswer.read(draw)


def _read_given(given: FillingGiven) -> Filling:
    return Filling([FillRow(**row.model_dump()) for row in given.rows], given.rest)


def _answer_rules(project: Project) -> FillRulesAnswer:
    rules: FillRules | None = load_fill_rules(project.pk)
    filling = rules.to_record() if rules else EVERYTHING
    rows = [FillRowAnswer.read(row) for row in filling.rows]
    version = rules.number if rules else 0
    return FillRulesAnswer.read(filling, version=version, rows=rows, named=name_rules(filling))


upgrades = Operations()
VERSION = "/projects/{slug:slug}/iterations/{int:iteration}/version/"


class MovedGameAnswer(Answer, of=Rejudged, fields="number:where.number is_recorded before after reasons"):
    """A rated game: its outcome now and under the version, in words, and why they differ."""


class MovePreviewAnswer(Answer, fields="version:version.number preview_sha256:input_sha256"):
    """What moving an iteration to a newer version of its rubric would change. Nothing is stored by asking.

    `versions` are the newer ones, `version` the one that is previewed, "" without one. `preview_sha256` goes back with
    the move; it is "" while nothing can be moved, and `refusal` says why. `waiting_count` games with a verdict would
    wait for labels or a decision.
    """

    present: str
    versions: list[str]
    version: str
    refusal: str
    preview_sha256: str
    games: list[MovedGameAnswer]
    counts: dict[str, int]
    waiting_count: int


class VersionMoveGiven(Given):
    """The version by its number, the preview as it was read, and the reason, which every new verdict keeps."""

    version: str = Field(max_length=40)
    preview_sha256: str = Field(pattern="^[0-9a-f]{64}$")
    reason: str = Field(max_length=LONGEST_REASON)


class VersionMovedAnswer(Answer):
    """The numbers of games with a verdict that was recorded again, and of games that wait for something first."""

    recorded: list[int]
    waiting: list[int]


class MeasuredAgainAnswer(Answer):
    """How many games are measured again, because another version of the code measured them."""

    games: int


@upgrades.get(VERSION, "api_change_version", "change_iteration")
def preview_move(request: SignedIn, slug: str, iteration: int, version: str = "") -> MovePreviewAnswer:
    """Read what moving an iteration to a newer rubric version would change; the newest unless one is named."""
    row = changed_or_404(request, slug, iteration)
    to = _find_version(row, version).pk if version else 0
    versions, preview, refusal = load_move_preview(iteration=row, person=request.user, to=to)
    return MovePreviewAnswer.read(
        preview,
        present=row.rubric_version.number,
        versions=[row.number for row in versions],
        refusal=refusal,
        counts=preview.counts if preview else {},
        waiting_count=preview.waiting_count if preview else 0,
    )


@upgrades.post(VERSION, "api_change_version", "change_iteration", "admin", costs="computations")
def move(request: SignedIn, slug: str, iteration: int, given: VersionMoveGiven) -> VersionMovedAnswer:
    """Move an iteration to a newer rubric version.

    Its games are measured and its verdicts recorded again. Nothing is moved when something was judged or recorded since
    the preview was read (409).
    """
    row = changed_or_404(request, slug, iteration)
    moved = move_to_version(
        iteration=row,
        version=_find_version(row, given.version),
        shown=given.preview_sha256,
        reason=given.reason,
        by=request.user,
        now=timezone.now(),
    )
    return VersionMovedAnswer.read(moved)


@upgrades.post(
    "/projects/{slug:slug}/measure-again/",
    "api_measure_again",
    "measure_again",
    "admin",
    costs="computations",
)
def measure_outdated(request: SignedIn, slug: str) -> MeasuredAgainAnswer:
    """Measure the games of a project again that another version of the code measured.

    A job does it. Older measurements and recorded verdicts stay as they are.
    """
    project = project_or_404(request.user, slug, check_measure_again)
    return MeasuredAgainAnswer(games=measure_again(project=project, by=request.user, now=timezone.now()))


def _find_version(iteration: Iteration, number: str) -> RubricVersion:
    version = list_newer_versions(iteration).filter(number=number).first()
    if version is None:
        says = _("This rubric has no newer published version of that number.")
        raise Unacceptable(says, field="version", code="unknown_version")
    return version
