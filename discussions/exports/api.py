"""Exports, for programs: asked for, followed, and taken by their owner."""

from typing import Literal

from django.http import HttpResponse
from django.utils import timezone
from pydantic import Field

from discussions.exports.actions import request_project_export
from workspace.exports.actions import cancel_export, remove_file, take_file
from workspace.exports.core.choices import FILES, JSONL
from workspace.exports.permissions import check_export, check_own_export, check_take_file
from workspace.exports.views import ExportLine, own_export_or_404, read_exports
from workspace.models import Export
from workspace.web.bind_form import project_or_404
from workspace.web.endpoints import After, Answer, Given, Listed, Operations, next_part
from workspace.web.views import SignedIn, download_file

router = Operations()
PATH = "/projects/{slug:slug}/exports/"
ONE = PATH + "{int:export}/"


class ExportAnswer(
    Answer,
    of=ExportLine,
    fields="id:export.pk of:export.subject format:export.format holds state error done_count total_count "
    "byte_count:export.byte_count file_name created_at:export.created_at expires_at:export.expires_at",
):
    """One of your exports. `state` is waiting, writing, ready, removed, cancelled, failed or "command line" (no file).

    `of` is what it is of: project, stage:1, iteration:2, game:7, games:3,5-7 or set:3. `done_count` of about
    `total_count` records are written. Its file is there until `expires_at`.
    """


class ExportGiven(Given):
    """What is exported, and how: `of` is project, stage:1, iteration:2, game:7 or set:3.

    The `byte_order_mark` is for CSV.
    """

    of: str = Field(default="project", max_length=3000)
    format: Literal[tuple(FILES)] = JSONL  # type: ignore[valid-type]
    pseudonyms: bool = False
    byte_order_mark: bool = False


@router.get(PATH, "api_exports", "export")
def list_exports(request: SignedIn, slug: str, after: After = 0) -> Listed[ExportAnswer]:
    """List your exports of a project, newest first."""
    project = project_or_404(request.user, slug, check_export)
    lines, older = read_exports(project, request.user, timezone.now(), after)
    return Listed[ExportAnswer].read_all(lines, next=next_part(request, older))


@router.post(PATH, "api_exports", "export", "read", status=202, costs="exports")
def ask_export(request: SignedIn, slug: str, given: ExportGiven) -> ExportAnswer:
    """Ask for an export.

    Leads and admins export everything of a project or of a part of it, evaluators their own work in the project. A job
    writes the file.
    """
    project = project_or_404(request.user, slug, check_export)
    now = timezone.now()
    made = request_project_export(project=project, **given.model_dump(), by=request.user, now=now)
    return _show_export(request, slug, made)


@router.get(ONE, "api_export", "own_export")
def show_export(request: SignedIn, slug: str, export: int) -> ExportAnswer:
    """Read how far one of your exports is."""
    own = own_export_or_404(request, slug, export)
    check_own_export(request.user, own)
    return _show_export(request, slug, own)


@router.post(ONE + "file/", "api_export_file", "take_file", "read", gives_file=True)
def download(request: SignedIn, slug: str, export: int) -> HttpResponse:
    """Download the file of one of your exports.

    This writes a line to the audit log, so it is a POST; the file is given again with every request.
    """
    own = own_export_or_404(request, slug, export)
    check_take_file(request.user, own)
    file, name = take_file(export=own, by=request.user, now=timezone.now())
    return download_file(file, name, FILES[own.format][1])


@router.post(ONE + "cancel/", "api_export_cancel", "own_export", "read")
def cancel(request: SignedIn, slug: str, export: int) -> ExportAnswer:
    """Stop an export that is being written."""
    own = own_export_or_404(request, slug, export)
    check_own_export(request.user, own)
    cancel_export(export=own, by=request.user, now=timezone.now())
    return _show_export(request, slug, own)


@router.post(ONE + "remove/", "api_export_remove", "own_export", "read")
def remove(request: SignedIn, slug: str, export: int) -> ExportAnswer:
    """Remove the file of an export before its time."""
    own = own_export_or_404(request, slug, export)
    check_own_export(request.user, own)
    remove_file(export=own, by=request.user, now=timezone.now())
    return _show_export(request, slug, own)


def _show_export(request: SignedIn, slug: str, export: Export) -> ExportAnswer:
    own = own_export_or_404(request, slug, export.pk)
    return ExportAnswer.read(ExportLine(own, request.user, timezone.now()))
