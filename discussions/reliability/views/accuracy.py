"""The accuracy page, the cases behind its cells, and the request to compute statistics."""

from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from discussions.reliability.actions import ask_for_team_figures
from discussions.reliability.forms import TeamKindForm
from discussions.reliability.pages.accuracy import KIND, build_accuracy_page
from discussions.reliability.pages.accuracy_cases import AccuracyCasesQuery, build_cases_page
from discussions.reliability.pages.stored import build_team_state
from discussions.reliability.permissions import check_see_team_statistics
from workspace.core.refusals import Malformed
from workspace.web.bind_form import bind_form, only_parameters, parse_number, project_or_404
from workspace.web.frame import frame
from workspace.web.require import SignedIn, require
from workspace.web.respond import respond

SECTION = "team"


@require("see_team_figures")
def accuracy(request: SignedIn, slug: str) -> HttpResponse:
    """The accuracy of automatic values, and anchoring."""
    version = only_parameters(request, "version")["version"]
    project = project_or_404(request.user, slug)
    check_see_team_statistics(request.user, project)
    page = build_accuracy_page(project=project, version=version, now=timezone.now())
    if page.state.is_there and page.shown is None:
        raise Http404
    context = {"page": page, "state": page.state, **frame(request.user, project, SECTION)}
    return respond(
        request,
        page="discussions/reliability/accuracy.html",
        region="discussions/reliability/_accuracy_figures.html",
        context=context,
    )


@require("see_team_figures")
def accuracy_cases(request: SignedIn, slug: str) -> HttpResponse:
    """The cases of a cell; redirects to the accuracy page while its statistics are missing."""
    given = only_parameters(request, "version", "table", "row", "column", "from")
    project = project_or_404(request.user, slug)
    check_see_team_statistics(request.user, project)
    _state, row = build_team_state(project=project, kind=KIND, now=timezone.now())
    if row is None:
        return redirect("accuracy", slug=slug)
    start = parse_number(given.pop("from")) or 1
    page = build_cases_page(project=project, row=row, wanted=AccuracyCasesQuery(**given, start=start))
    if page is None:
        raise Http404
    context = {"page": page, **frame(request.user, project, SECTION)}
    return respond(request, page="discussions/reliability/accuracy_cases.html", context=context)


@require("see_team_figures", methods=("POST",))
def figure_team(request: SignedIn, slug: str) -> HttpResponse:
    """Queue the missing statistics; redirects to the page that asked."""
    project = project_or_404(request.user, slug)
    check_see_team_statistics(request.user, project)
    form = bind_form(request, TeamKindForm)
    if not form.is_valid():
        raise Malformed(_("The form does not say which figures it is about. Reload the page and try again."))
    ask_for_team_figures(project=project, by=request.user, now=timezone.now())
    return respond(request, page="", redirect=reverse(form.cleaned_data["kind"], args=[slug]))
