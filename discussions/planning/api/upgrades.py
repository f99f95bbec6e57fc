"""Moving an iteration to a newer rubric version, and measuring games again by newer code, for programs."""

from django.utils import timezone
from django.utils.translation import gettext as _
from pydantic import Field

from discussions.models import Iteration
from discussions.planning.actions.upgrades import measure_again, move_to_version
from discussions.planning.permissions import check_measure_again
from discussions.planning.queries import list_newer_versions
from discussions.planning.views.upgrades import changed_or_404, load_move_preview
from discussions.preview.core import Rejudged
from rubric.models import RubricVersion
from workspace.core.limits import LONGEST_REASON
from workspace.core.refusals import Unacceptable
from workspace.web.bind_form import project_or_404
from workspace.web.endpoints import Answer, Given, Operations
from workspace.web.require import SignedIn

router = Operations()
PATH = "/projects/{slug:slug}/iterations/{int:iteration}/version/"


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


@router.get(PATH, "api_change_version", "change_iteration")
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


@router.post(PATH, "api_change_version", "change_iteration", "admin", costs="computations")
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


@router.post(
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
        raise Unacceptable(
            _("This rubric has no newer published version of that number."),
            field="version",
            code="unknown_version",
        )
    return version
