"""Exports are requested, and built by a job: everything for leads, one's own work for evaluators."""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import IO, Any

from django.conf import settings
from django.utils.translation import gettext as _

from discussions.archives.core import ArchiveFile
from discussions.archives.permissions import check_archive, check_nothing_is_read
from discussions.archives.queries.rows import ArchiveSource
from discussions.exports.core import MarkdownReport, ScoreEventsFile, TracesFile, WideFile
from discussions.exports.permissions import check_export_subject, check_format_choice
from discussions.exports.queries.tables import OWN_TABLES, TABLES, count_items, rows_of, stream_export
from rubric.reviews.permissions import check_see_results
from workspace.access.permissions import get_refusal, may
from workspace.blob_store import BytesLost, load_bytes, open_spool
from workspace.core.refusals import Conflict
from workspace.database.transactions import snapshot
from workspace.exports.actions import Source, build_export, request_export, write_export
from workspace.exports.core.choices import ARCHIVE, CSV, GAME, MARKDOWN, OTLP, TRACES, WIDE
from workspace.exports.core.files import ExportFile
from workspace.exports.permissions import check_export_everything
from workspace.jobs.actions import Clock
from workspace.models import Export, Job, Person, Project


def request_project_export(
    *,
    project: Project,
    of: str,
    format: str,  # noqa: A002
    pseudonyms: bool = False,
    byte_order_mark: bool = False,
    is_queued: bool = True,
    by: Person,
    now: datetime,
) -> Export:
    """Ask for an export of the project or of a part of it; the byte order mark is for CSV only.

    Raises NotAllowed and Unacceptable.
    """
    subject = check_export_subject(by, project, of)
    check_format_choice(by, project, subject, format, pseudonyms)
    return request_export(
        project=project,
        subject=str(subject),
        format=format,
        is_unblinded=may(check_export_everything, by, project),
        has_pseudonyms=pseudonyms,
        has_byte_order_mark=byte_order_mark and format in (CSV, WIDE),
        is_queued=is_queued,
        by=by,
        now=now,
    )


def build_project_export(*, job: Job, clock: Clock) -> None:
    build_export(job=job, clock=clock, read=_open_source)


def write_export_at_once(*, out: IO[bytes], **asked: Any) -> dict[str, int]:
    """Write an export at once into the caller's file; return how many lines of each kind. No file is stored.

    Asks and raises as `request_project_export` does; raises OSError when the file cannot be written.
    """
    export = request_project_export(**asked, is_queued=False)
    with snapshot():
        return write_export(out, export, _open_source(export), count=lambda _item: None, tick=lambda: None)


def _open_source(export: Export) -> Source:
    if export.format == ARCHIVE:
        return _open_archive(export)
    # A lead who still reviews a set sees no other review of it, here as on its pages.
    why_left_out = partial(get_refusal, check_see_results, export.created_by)
    return Source(
        items=stream_export(export, why_left_out=why_left_out),
        total=count_items(export),
        tables=TABLES if export.is_unblinded else OWN_TABLES,
        rows_of=rows_of,
        open_own=_choose_file(export),
        title=f"{export.project.name}: {export.subject.replace(':', ' ')}",
    )


def _choose_file(export: Export) -> Callable[[IO[bytes]], ExportFile]:
    """What opens the file of a format that only this app has."""
    mark = export.has_byte_order_mark
    opens: dict[str, Callable[[IO[bytes]], ExportFile]] = {
        WIDE: partial(WideFile, rows_of=rows_of, spool=open_spool, has_byte_order_mark=mark),
        OTLP: partial(ScoreEventsFile, version=settings.VERSION),
        TRACES: TracesFile,
        MARKDOWN: partial(MarkdownReport, is_detailed=export.subject.startswith(GAME)),
    }
    return opens.get(export.format, opens[MARKDOWN])


def _open_archive(export: Export) -> Source:
    """Raises NotAllowed and Conflict: much may have changed since the archive was requested."""
    check_archive(export.created_by, export.project)
    check_nothing_is_read(export.project)
    source = ArchiveSource(export.project, _read_upload)
    slug, version = export.project.slug, settings.VERSION
    return Source(
        items=source.stream(),
        total=source.count(),
        tables=(),
        rows_of=lambda _item: iter(()),
        open_own=partial(ArchiveFile, project=slug, version=version, read_head=lambda: source.head),
        title=export.project.name,
    )


def _read_upload(sha256: str) -> bytes:
    try:
        return load_bytes(sha256)
    except BytesLost as lost:
        says = _("The archive cannot be made: %(lost)s. Run manage.py verify.")
        raise Conflict(says % {"lost": lost}, code="bytes_lost") from None
