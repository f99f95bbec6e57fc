"""The list of one's exports, and their files; the last app, which knows all tables, has the form for a new one."""

from datetime import datetime

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from workspace.access.permissions import may, may_lead
from workspace.core.limits import PAGE_SIZE
from workspace.exports.actions import cancel_export, remove_file, take_file
from workspace.exports.core.choices import FILES, get_file_name
from workspace.exports.labels import FORMAT_NAMES, describe_subject
from workspace.exports.permissions import check_export, check_own_export, check_take_file
from workspace.jobs.pages import ProgressBar, build_progress_bar, time_left, worker_note
from workspace.models import Export, Person, Project
from workspace.models.jobs import CANCELLED, FAILED, QUEUED, RUNNING
from workspace.web.bind_form import bind_form, parse_number, project_or_404
from workspace.web.forms import NothingForm
from workspace.web.views import SignedIn, download_file, frame, only_parameters, require, respond

LIST, LINES = "workspace/exports/list.html", "workspace/exports/_lines.html"
SECTION = "exports"
READY, HOUR = "ready", 3600


class ExportLine:
    """One export of the person's, fetched with its job and project; `state` is for programs.

    `left` is how long its file stays, "" without one; `error` says why it failed.
    """

    state: str
    file_name: str
    error: str
    done_count: int
    total_count: int

    def __init__(self, export: Export, person: Person, now: datetime) -> None:
        self.export, job = export, export.job
        self.state, self.says, self.tone = _describe_state(export, now)
        self.subject, self.format = describe_subject(export.subject), str(FORMAT_NAMES[export.format])
        self.file_name = get_file_name(export.project.slug, export.subject, export.format)
        self.may_remove = self.state == READY
        self.may_take = self.may_remove and may(check_take_file, person, export)
        self.may_cancel = job is not None and job.state in (QUEUED, RUNNING)
        self.error = job.error if job is not None and job.state == FAILED else ""
        self.done_count = job.done_count if job is not None else 0
        self.total_count = job.total_count if job is not None else 0
        self.left = ""
        self.bar: ProgressBar | None = None
        if self.may_remove and export.expires_at:
            seconds = (export.expires_at - now).total_seconds()
            hours = _("about %(n)d hours left") % {"n": round(seconds / HOUR)}
            self.left = hours if seconds >= 2 * HOUR else time_left(seconds)
        if job is not None and job.state == RUNNING and job.total_count:
            self.bar = build_progress_bar(job, label=_("Records written"), unit=_("records"), now=now)

    @property
    def holds(self) -> str:
        if self.export.is_unblinded:
            with_names, without = _("everything, for leads and admins"), _("everything, with pseudonyms")
        else:
            with_names, without = _("your own work, blind"), _("your own work, blind, with pseudonyms")
        return without if self.export.has_pseudonyms else with_names


@require("export")
def exports(request: SignedIn, slug: str) -> HttpResponse:
    """One's own exports of a project, newest first. While one is being written, the region polls."""
    project = project_or_404(request.user, slug, check_export)
    before = parse_number(only_parameters(request, "before")["before"])
    now = timezone.now()
    lines, older = read_exports(project, request.user, now, before)
    is_live = any(line.may_cancel for line in lines)
    page = {"lines": lines, "older": older, "is_live": is_live}
    page["worker_note"] = worker_note(now) if is_live else ""
    is_lead = may_lead(request.user, project)
    context = {"page": page, "is_lead": is_lead, **frame(request.user, project, SECTION)}
    return respond(request, page=LIST, region=LINES, context=context)


@require("take_file", methods=("POST",))
def download_export(request: SignedIn, slug: str, export: int) -> HttpResponse:
    """The file, for its owner; a POST, since it writes an audit line."""
    chosen = own_export_or_404(request, slug, export)
    bind_form(request, NothingForm)
    check_take_file(request.user, chosen)
    file, name = take_file(export=chosen, by=request.user, now=timezone.now())
    return download_file(file, name, FILES[chosen.format][1])


@require("own_export", methods=("POST",))
def cancel(request: SignedIn, slug: str, export: int) -> HttpResponse:
    chosen = _chosen(request, slug, export)
    cancel_export(export=chosen, by=request.user, now=timezone.now())
    return respond(request, page="", redirect=reverse("exports", args=[slug]))


@require("own_export", methods=("POST",))
def remove(request: SignedIn, slug: str, export: int) -> HttpResponse:
    chosen = _chosen(request, slug, export)
    remove_file(export=chosen, by=request.user, now=timezone.now())
    return respond(request, page="", redirect=reverse("exports", args=[slug]))


def _chosen(request: SignedIn, slug: str, export: int) -> Export:
    chosen = own_export_or_404(request, slug, export)
    bind_form(request, NothingForm)
    check_own_export(request.user, chosen)
    return chosen


def own_export_or_404(request: SignedIn, slug: str, export: int) -> Export:
    rows = Export.objects.visible_to(request.user).select_related("project", "job")
    return get_object_or_404(rows, project__slug=slug, pk=export)


def read_exports(
    project: Project, person: Person, now: datetime, before: int = 0
) -> tuple[list[ExportLine], int]:
    """A page of the person's exports of a project, newest first; and the key to go on from, 0 at the end."""
    rows = Export.objects.visible_to(person).filter(project=project)
    rows = rows.select_related("job", "project").order_by("-pk")
    exports = list((rows.filter(pk__lt=before) if before else rows)[: PAGE_SIZE + 1])
    lines = [ExportLine(export, person, now) for export in exports[:PAGE_SIZE]]
    return lines, lines[-1].export.pk if len(exports) > PAGE_SIZE else 0


def _describe_state(export: Export, now: datetime) -> tuple[str, str, str]:
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
