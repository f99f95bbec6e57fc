"""Moving an iteration to a newer rubric version, and measuring games again by newer code."""

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone

from discussions.gates.views import SECTION, build_stage_frame
from discussions.iterations.permissions import check_change_iteration
from discussions.iterations.views import iteration_or_404
from discussions.upgrades.actions import measure_again, move_to_version
from discussions.upgrades.forms import VersionForm
from discussions.upgrades.pages import build_version_page
from discussions.upgrades.permissions import check_measure_again
from discussions.upgrades.queries import list_newer_versions
from workspace.core.refusals import Refusal
from workspace.web.bind_form import bind_form, kept_status, only_parameters, parse_number, project_or_404
from workspace.web.forms import NothingForm
from workspace.web.frame import frame
from workspace.web.require import SignedIn, require
from workspace.web.respond import respond


@require("change_iteration", methods=("GET", "POST"), costs="computations")
def change_version(request: SignedIn, slug: str, iteration: int) -> HttpResponse:
    """What the newest or the chosen version would change, and the form that moves the iteration; redirects to it."""
    found = iteration_or_404(request.user, slug, iteration)
    check_change_iteration(request.user, found.project)
    chosen = parse_number(only_parameters(request, "to")["to"])
    if found.stage is None:
        raise Http404
    versions, form, status = list_newer_versions(found), None, 200
    if request.method == "POST":
        form, status = bind_form(request, VersionForm, versions=versions), 422
        try:
            if form.is_valid():
                given = form.cleaned_data
                version = get_object_or_404(versions, pk=given["to"])
                shown, reason, by, now = given["shown"], given["reason"], request.user, timezone.now()
                move_to_version(iteration=found, version=version, shown=shown, reason=reason, by=by, now=now)
                return respond(request, page="", redirect=reverse("iteration", args=[slug, iteration]))
        except Refusal as refusal:
            status = kept_status(form, refusal)
    page = build_version_page(iteration=found, person=request.user, to=chosen)
    head = build_stage_frame(stage=found.stage, current="change_version")
    context = {"page": page, "form": form or VersionForm(versions=versions), "head": head}
    context |= frame(request.user, found.project, SECTION)
    return respond(request, page="discussions/upgrades/version.html", context=context, status=status)


@require("measure_again", methods=("POST",), costs="computations")
def measure_outdated(request: SignedIn, slug: str) -> HttpResponse:
    """Measure the games again that another version of the code measured; redirects to the imports."""
    project = project_or_404(request.user, slug)
    check_measure_again(request.user, project)
    bind_form(request, NothingForm)
    measure_again(project=project, by=request.user, now=timezone.now())
    return respond(request, page="", redirect=reverse("imports", args=[slug]))
