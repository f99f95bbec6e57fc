"""Requesting an export: the same form for a project, a stage, an iteration, a game and a comparison set."""

from django.http import Http404, HttpResponse
from django.urls import reverse
from django.utils import timezone

from discussions.exports.actions import request_project_export
from discussions.exports.pages import new_export_page
from discussions.exports.permissions import check_export_subject
from workspace.core.refusals import Refusal, Unacceptable
from workspace.exports.forms import ExportForm
from workspace.exports.permissions import check_export
from workspace.exports.views import SECTION
from workspace.models import Project
from workspace.web.bind_form import add_refusal, bind_form, only_parameters, project_or_404
from workspace.web.frame import frame
from workspace.web.require import SignedIn, require
from workspace.web.respond import respond

PAGE = "discussions/exports/new.html"


@require("export", methods=("GET", "POST"), costs="exports")
def new_export(request: SignedIn, slug: str) -> HttpResponse:
    """The form; a request redirects to the list of exports."""
    project = project_or_404(request.user, slug, check_export)
    of = only_parameters(request, "of")["of"]
    form, status = ExportForm(initial={"of": of}), 200
    if request.method == "POST":
        form, status = bind_form(request, ExportForm), 422
        if form.is_valid():
            given = form.cleaned_data
            try:
                request_project_export(
                    project=project,
                    of=given["of"],
                    format_name=given["format"],
                    has_pseudonyms=given["pseudonyms"],
                    has_byte_order_mark=given["byte_order_mark"],
                    by=request.user,
                    now=timezone.now(),
                )
                return respond(request, page=PAGE, redirect=reverse("exports", args=[slug]))
            except Refusal as refusal:
                status = add_refusal(form, refusal)
    else:
        _check_known(request, project, of)
    page = new_export_page(project=project, person=request.user, of=str(form["of"].value() or ""))
    context = {"form": form, "page": page, **frame(request.user, project, SECTION)}
    return respond(request, page=PAGE, context=context, status=status)


def _check_known(request: SignedIn, project: Project, of: str) -> None:
    try:
        check_export_subject(request.user, project, of)
    except Unacceptable as refusal:
        raise Http404 from refusal
