"""The list of a person's own exports of a project: state, size, time left, and who may see what is in them."""

from datetime import datetime

from django.utils.translation import gettext as _
from msgspec import Struct

from workspace.access.permissions import may, may_lead
from workspace.core.limits import PAGE_SIZE
from workspace.display.core.number_lists import format_numbers
from workspace.exports.core.choices import (
    GAME,
    GAMES,
    ITERATION,
    PROJECT,
    SET,
    STAGE,
    get_file_name,
    parse_subject,
)
from workspace.exports.labels import FORMAT_NAMES
from workspace.exports.permissions import check_take_file
from workspace.jobs.pages import ProgressBar, build_progress_bar, time_left, worker_note
from workspace.models import Export, Person, Project
from workspace.models.jobs import CANCELLED, FAILED, QUEUED, RUNNING

_HOUR = 3600
READY = "ready"


class ExportLine(Struct, frozen=True):
    """One export; `state` is for programs. `left` is how long its file stays, "" without one; `error` says why."""

    export: Export
    subject: str
    format: str
    file_name: str
    holds: str
    state: str
    says: str
    tone: str
    left: str
    error: str
    bar: ProgressBar | None
    may_take: bool
    may_cancel: bool
    may_remove: bool


class ExportsPage(Struct, frozen=True):
    """The person's exports, newest first; `older` is the key to continue from, 0 at the end."""

    lines: list[ExportLine]
    older: int
    is_live: bool
    worker_note: str
    is_lead: bool


def exports_page(*, project: Project, person: Person, now: datetime, before: int = 0) -> ExportsPage:
    """One page of the person's exports of a project."""
    rows = Export.objects.visible_to(person).filter(project=project)
    rows = rows.select_related("job", "project").order_by("-pk")
    found = list((rows.filter(pk__lt=before) if before else rows)[: PAGE_SIZE + 1])
    shown = found[:PAGE_SIZE]
    lines = [build_export_line(export, person, now) for export in shown]
    is_live = any(line.may_cancel for line in lines)
    return ExportsPage(
        lines=lines,
        older=shown[-1].pk if len(found) > PAGE_SIZE else 0,
        is_live=is_live,
        worker_note=worker_note(now) if is_live else "",
        is_lead=may_lead(person, project),
    )


def describe_subject(subject: str) -> str:
    """What an export is of, in words."""
    found = parse_subject(subject)
    if found is None or found.kind == PROJECT:
        return _("the whole project")
    if found.kind == GAMES:
        return format_numbers(found.numbers)
    words = {
        STAGE: _("stage %(number)d"),
        ITERATION: _("iteration %(number)d"),
        GAME: _("game %(number)d"),
        SET: _("comparison set %(number)d"),
    }
    return words[found.kind] % {"number": found.number}


def build_export_line(export: Export, person: Person, now: datetime) -> ExportLine:
    """One export of the person's, fetched with its job and project."""
    state, says, tone = _state(export, now)
    job = export.job
    is_open = job is not None and job.state in (QUEUED, RUNNING)
    has_file = state == READY
    bar = None
    if job is not None and job.state == RUNNING and job.total_count:
        bar = build_progress_bar(job, label=_("Records written"), unit=_("records"), now=now)
    seconds = (export.expires_at - now).total_seconds() if has_file and export.expires_at else 0
    return ExportLine(
        export=export,
        subject=describe_subject(export.subject),
        format=str(FORMAT_NAMES[export.format]),
        file_name=get_file_name(export.project.slug, export.subject, export.format),
        holds=_holds(export),
        state=state,
        says=says,
        tone=tone,
        left=_time_left(seconds) if has_file else "",
        error=job.error if job is not None and job.state == FAILED else "",
        bar=bar,
        may_take=has_file and may(check_take_file, person, export),
        may_cancel=is_open,
        may_remove=has_file,
    )


def _holds(export: Export) -> str:
    """Who may see its content, in words."""
    if export.is_unblinded:
        with_names, without = _("everything, for leads and admins"), _("everything, with pseudonyms")
    else:
        with_names, without = _("your own work, blind"), _("your own work, blind, with pseudonyms")
    return without if export.has_pseudonyms else with_names


def _time_left(seconds: float) -> str:
    if seconds < 2 * _HOUR:
        return time_left(seconds)
    return _("about %(n)d hours left") % {"n": round(seconds / _HOUR)}


def _state(export: Export, now: datetime) -> tuple[str, str, str]:
    """The state for programs, its name on the page, and the tone of its chip."""
    if export.ready_at is not None:
        is_over = export.expires_at is not None and export.expires_at <= now
        if export.removed_at is not None or is_over:
            return "removed", _("file removed"), ""
        return READY, _("ready"), "pass"
    state = export.job.state if export.job is not None else ""
    return {
        QUEUED: ("waiting", _("waits for a worker"), "pending"),
        RUNNING: ("writing", _("is being written"), "pending"),
        CANCELLED: ("cancelled", _("cancelled"), ""),
        FAILED: ("failed", _("failed"), "fail"),
        "": ("command line", _("made on the command line"), ""),
    }.get(state, (state, state, ""))
