"""An export is asked for, and built by a job: everything for leads, one's own work for evaluators."""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import IO

from discussions.exports.core.own_tables import OWN_TABLES, own_rows_of
from discussions.exports.core.report import MarkdownReport
from discussions.exports.core.tables import TABLES, rows_of
from discussions.exports.permissions import check_export_subject
from discussions.exports.queries.streams import count_items, stream_export
from rubric.models import ComparisonSet
from rubric.sets.permissions import check_see_results
from workspace.access.permissions import get_refusal, may
from workspace.database.snapshot import snapshot
from workspace.exports.actions import Source, build_export, request_export, start_export, write_export
from workspace.exports.core.choices import GAME
from workspace.exports.permissions import check_export_everything
from workspace.jobs.actions import Clock
from workspace.models import Export, Job, Person, Project


def request_project_export(
    *,
    project: Project,
    of: str,
    format_name: str,
    has_pseudonyms: bool = False,
    has_byte_order_mark: bool = False,
    by: Person,
    now: datetime,
) -> Export:
    """Queue an export of the project or of a part of it. Raises NotAllowed and Unacceptable."""
    subject = check_export_subject(by, project, of)
    return request_export(
        project=project,
        subject=str(subject),
        format_name=format_name,
        is_unblinded=may(check_export_everything, by, project),
        has_pseudonyms=has_pseudonyms,
        has_byte_order_mark=has_byte_order_mark,
        by=by,
        now=now,
    )


def build_project_export(*, job: Job, clock: Clock) -> None:
    """What a worker does for an export. Raises what `build_export` raises."""
    build_export(job=job, clock=clock, read=_open_source)


def write_export_at_once(
    *,
    out: IO[bytes],
    project: Project,
    of: str,
    format_name: str,
    has_pseudonyms: bool = False,
    has_byte_order_mark: bool = False,
    by: Person,
    now: datetime,
) -> dict[str, int]:
    """Write an export here and now into a file of the caller's; how many lines of each kind. No file is kept.

    Raises NotAllowed and Unacceptable, and OSError when the file cannot be written.
    """
    subject = check_export_subject(by, project, of)
    export = start_export(
        project=project,
        subject=str(subject),
        format_name=format_name,
        is_unblinded=may(check_export_everything, by, project),
        has_pseudonyms=has_pseudonyms,
        has_byte_order_mark=has_byte_order_mark,
        by=by,
        now=now,
    )
    with snapshot():
        return write_export(out, export, _open_source(export), count=lambda _item: None, tick=lambda: None)


def _open_source(export: Export) -> Source:
    is_whole = export.is_unblinded
    return Source(
        items=stream_export(export, why_left_out=partial(_why_left_out, export.created_by)),
        total=count_items(export),
        tables=TABLES if is_whole else OWN_TABLES,
        rows_of=rows_of if is_whole else own_rows_of,
        open_report=_report_opener(export),
        title=f"{export.project.name}: {export.subject.replace(':', ' ')}",
    )


def _report_opener(export: Export) -> Callable[[IO[bytes]], MarkdownReport]:
    return partial(MarkdownReport, is_detailed=export.subject.startswith(GAME))


def _why_left_out(person: Person, comparison_set: ComparisonSet) -> str:
    """A lead who still reviews a set sees no other review of it, here as on its pages."""
    return get_refusal(check_see_results, person, comparison_set)
