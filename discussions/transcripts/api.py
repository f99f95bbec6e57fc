"""Imports of transcripts, for programs."""

from typing import Literal

from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from discussions.core.records import Fault
from discussions.models import Game, Iteration, Transcript
from discussions.transcripts import actions
from discussions.transcripts.core.decoding import ENCODINGS
from discussions.transcripts.core.formats import FORMATS
from discussions.transcripts.pages import ImportLine, ImportPage, ImportsPage
from discussions.transcripts.permissions import check_import_transcripts
from discussions.transcripts.views import may_upload, transcript_or_404
from workspace.core.refusals import Unacceptable
from workspace.models import Project
from workspace.web.bind_form import project_or_404
from workspace.web.endpoints import After, Answer, Listed, Operations, next_part
from workspace.web.views import SignedIn

router = Operations()
LARGEST_NUMBER = 10**9
PATH = "/projects/{slug:slug}/imports/"
ONE = PATH + "{int:transcript}/"
FORMAT_NAMES = ("", *(known.name for known in FORMATS))
ENCODING_NAMES = ("", *ENCODINGS)


class ImportAnswer(
    Answer,
    of=ImportLine,
    fields="id:transcript.id name:transcript.name format:transcript.format sha256:transcript.sha256 "
    "iteration:transcript.iteration.number state game_count:counts.games measured_count:counts.measured "
    "warning_count:counts.warnings fault_count:transcript.fault_count is_seen imported_at:transcript.created_at",
):
    """An import. `state` is waiting, reading, measuring, done, columns (it waits for a mapping),
    nothing, cancelled or failed. `format` is "" until the file was read, unless one was named. Faults that were marked
    as seen, or that a later upload corrected, no longer appear as a notice.
    """


class FaultAnswer(Answer, of=Fault, fields="place code message is_warning"):
    """One thing that is wrong at one place of the file; unless it is a warning, its whole game is refused."""


class ProgressAnswer(ImportAnswer):
    """An import with its progress, its faults, and the numbers of its imported games.

    `done_bytes` of `total_bytes` are read, `done_count` and `total_count` are the games that the job counts;
    `note` says when no worker is running. `error` says why an import failed.
    """

    done_bytes: int
    total_bytes: int
    done_count: int
    total_count: int
    error: str
    note: str
    faults: list[FaultAnswer]
    games: list[int]


class UploadedAnswer(Answer, of=actions.Imported, fields="id:transcript.id name:transcript.name outcome"):
    """A file that was accepted. `outcome` is new, resumed, or already (the same bytes were imported before)."""

    address: str


class StartedAnswer(Answer):
    """The files that were accepted; a job reads each. Its `address` returns its progress.

    `refused` says why each of the other files was refused; one refused file does not affect the rest.
    """

    items: list[UploadedAnswer]
    refused: list[str] = []


@router.get(PATH, "api_imports", "import_transcripts")
def list_imports(request: SignedIn, slug: str, after: After = 0) -> Listed[ImportAnswer]:
    """List the imports of a project, newest first, 30 at a time."""
    project = project_or_404(request.user, slug, check_import_transcripts)
    page = ImportsPage(project=project, now=timezone.now(), before=after)
    return Listed[ImportAnswer].read_all(page.lines, next=next_part(request, page.older))


BODY = {
    "required": True,
    "description": "One file as bytes, or several as the field `transcripts` of a form.",
    "content": {
        "application/octet-stream": {"schema": {"type": "string", "format": "binary"}},
        "multipart/form-data": {
            "schema": {
                "type": "object",
                "properties": {
                    "transcripts": {"type": "array", "items": {"type": "string", "format": "binary"}}
                },
            }
        },
    },
}


@router.post(
    PATH,
    "api_imports",
    "import_transcripts",
    "import",
    status=202,
    files=may_upload,
    body=BODY,
    costs="uploads",
)
def start_import(
    request: SignedIn,
    slug: str,
    name: str = "upload.json",
    iteration: int | None = None,
    format: Literal[FORMAT_NAMES] = "",  # type: ignore[valid-type]  # noqa: A002
    encoding: Literal[ENCODING_NAMES] = "",  # type: ignore[valid-type]
) -> StartedAnswer:
    """Import transcripts.

    The body is one file (`name` is its name), or a form with several as `transcripts`. `iteration` is the number of the
    one that the games belong to; without it they stay unsorted. Without `format`, the format is detected. `encoding` is
    for files that are not UTF-8: such a file is refused with the encodings that it may have. The same bytes sent again
    return the first import.
    """
    project = project_or_404(request.user, slug, check_import_transcripts)
    to = None if iteration is None else _iteration(project, iteration)
    received = actions.import_files(
        project=project,
        files=_files(request, name),
        by=request.user,
        now=timezone.now(),
        iteration=to,
        format_name=format,
        encoding=encoding,
    )
    return StartedAnswer(
        items=[_uploaded(slug, upload) for upload in received.imported],
        refused=[why.sentence for why in received.refused],
    )


@router.get(ONE, "api_import", "import_transcripts")
def show_import(request: SignedIn, slug: str, transcript: int) -> ProgressAnswer:
    """Read how far an import is."""
    return _progress(transcript_or_404(request, slug, transcript))


@router.post(ONE + "cancel/", "api_import_cancel", "import_transcripts", "import")
def cancel(request: SignedIn, slug: str, transcript: int) -> ProgressAnswer:
    """Stop an import. The games imported so far stay."""
    found = transcript_or_404(request, slug, transcript)
    actions.cancel_import(transcript=found, by=request.user, now=timezone.now())
    return _progress(found)


@router.post(ONE + "resume/", "api_import_resume", "import_transcripts", "import", costs="computations")
def resume(request: SignedIn, slug: str, transcript: int) -> ProgressAnswer:
    """Resume an import that was cancelled or failed."""
    found = transcript_or_404(request, slug, transcript)
    actions.resume_import(transcript=found, by=request.user, now=timezone.now())
    return _progress(transcript_or_404(request, slug, transcript))


@router.post(ONE + "seen/", "api_import_seen", "import_transcripts", "import")
def see_faults(request: SignedIn, slug: str, transcript: int) -> ProgressAnswer:
    """Mark the faults of an import as seen, so that they no longer appear as a notice."""
    found = transcript_or_404(request, slug, transcript)
    actions.dismiss_faults(transcript=found, by=request.user, now=timezone.now())
    return _progress(transcript_or_404(request, slug, transcript))


@router.post(
    ONE + "separate/", "api_import_separate", "import_transcripts", "import", status=202, costs="computations"
)
def import_as_separate(request: SignedIn, slug: str, transcript: int) -> UploadedAnswer:
    """Import games as separate games if other games of the project have their ids."""
    found = transcript_or_404(request, slug, transcript)
    return _uploaded(slug, actions.import_separately(transcript=found, by=request.user, now=timezone.now()))


def _uploaded(slug: str, upload: actions.Imported) -> UploadedAnswer:
    return UploadedAnswer.read(upload, address=reverse("api:api_import", args=[slug, upload.transcript.pk]))


def _files(request: HttpRequest, name: str) -> list[actions.Upload]:
    """The files of a form, else the body as one file, as the gate has read it."""
    if request.content_type != "multipart/form-data":
        return [actions.Upload(name[:300], getattr(request, "sent", b""))]
    files = [actions.Upload(file.name or "", file.read()) for file in request.FILES.getlist("transcripts")]
    if not files:
        raise Unacceptable(
            _("Send at least one file as “transcripts”."), field="transcripts", code="required"
        )
    return files


def _iteration(project: Project, number: int) -> Iteration:
    found = Iteration.objects.filter(project=project, number=min(max(number, 0), LARGEST_NUMBER)).first()
    if found is None:
        raise Unacceptable(
            _("This project has no such iteration."), field="iteration", code="unknown_iteration"
        )
    return found


def _progress(transcript: Transcript) -> ProgressAnswer:
    page = ImportPage(transcript=transcript, now=timezone.now())
    job, size, count = page.job, transcript.byte_count, page.counts.games
    games = Game.objects.filter(transcript=transcript).order_by("number")
    return ProgressAnswer.read(
        page,
        done_bytes=job.done_bytes if job else size,
        total_bytes=job.total_bytes if job else size,
        done_count=job.done_count if job else count,
        total_count=job.total_count if job else count,
        error=job.error if job else "",
        note=page.worker_note,
        faults=page.faults,
        games=list(games.values_list("number", flat=True)),
    )
