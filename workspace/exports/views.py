"""The list of one's exports, and their files; the last wing, which knows all tables, has the form for a new one."""

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone

from workspace.exports.actions import cancel_export, remove_file, take_file
from workspace.exports.core.choices import FILES
from workspace.exports.pages import exports_page
from workspace.exports.permissions import check_export, check_own_export, check_take_file
from workspace.models import Export
from workspace.web.bind_form import bind_form, only_parameters, parse_number, project_or_404
from workspace.web.forms import NothingForm
from workspace.web.frame import frame
from workspace.web.require import SignedIn, require
from workspace.web.respond import download_file, respond

LIST, LINES = "workspace/exports/list.html", "workspace/exports/_lines.html"
SECTION = "exports"


@require("export")
def exports(request: SignedIn, slug: str) -> HttpResponse:
    """One's own exports of a project, newest first. While one is being written, the region polls."""
    project = project_or_404(request.user, slug)
    check_export(request.user, project)
    before = parse_number(only_parameters(request, "before")["before"])
    page = exports_page(project=project, person=request.user, now=timezone.now(), before=before)
    context = {"page": page, **frame(request.user, project, SECTION)}
    return respond(request, page=LIST, region=LINES, context=context)


@require("take_file", methods=("POST",))
def download_export(request: SignedIn, slug: str, export: int) -> HttpResponse:
    """The file, for its owner; a POST, since it writes an audit line."""
    found = own_export_or_404(request, slug, export)
    bind_form(request, NothingForm)
    check_take_file(request.user, found)
    file, name = take_file(export=found, by=request.user, now=timezone.now())
    return download_file(file, name, FILES[found.format][1])


@require("own_export", methods=("POST",))
def cancel(request: SignedIn, slug: str, export: int) -> HttpResponse:
    """Stop an export that is being written."""
    found = own_export_or_404(request, slug, export)
    bind_form(request, NothingForm)
    check_own_export(request.user, found)
    cancel_export(export=found, by=request.user, now=timezone.now())
    return respond(request, page="", redirect=reverse("exports", args=[slug]))


@require("own_export", methods=("POST",))
def remove(request: SignedIn, slug: str, export: int) -> HttpResponse:
    """Remove a file before it expires."""
    found = own_export_or_404(request, slug, export)
    bind_form(request, NothingForm)
    check_own_export(request.user, found)
    remove_file(export=found, by=request.user, now=timezone.now())
    return respond(request, page="", redirect=reverse("exports", args=[slug]))


def own_export_or_404(request: SignedIn, slug: str, export: int) -> Export:
    """The person's own export of that project; 404 for everybody else's."""
    rows = Export.objects.visible_to(request.user).select_related("project", "job")
    return get_object_or_404(rows, project__slug=slug, pk=export)
