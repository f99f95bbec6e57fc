"""The home page, the dashboard and the stages of a project, and the overview of the installation."""

from django.http import HttpResponse
from django.utils import timezone

from discussions.history.views import led_project_or_404
from discussions.home.pages.dashboard import build_dashboard
from discussions.home.pages.home import build_home, was_skipped
from discussions.home.pages.overview import build_overview, build_site_page
from discussions.iterations.views import SECTION
from discussions.slots.permissions import check_see_iterations
from workspace.access.permissions import role_in
from workspace.checks.permissions import check_see_overview
from workspace.web.bind_form import parse_number, project_or_404
from workspace.web.views import SignedIn, frame, only_parameters, require, respond


@require("sign_in")
def home(request: SignedIn) -> HttpResponse:
    """What waits for the person; after a submission, or when a game was skipped, it says so."""
    asked = only_parameters(request, "submitted", "skipped")
    skipped = parse_number(asked["skipped"])
    page = build_home(
        person=request.user,
        now=timezone.now(),
        submitted=parse_number(asked["submitted"]),
        is_skipped=bool(skipped) and was_skipped(request.user, skipped),
    )
    return respond(request, page="discussions/home/home.html", context={"page": page, **frame(request.user)})


@require("see_iterations")
def stages(request: SignedIn, slug: str) -> HttpResponse:
    """The stages of a project, what waits for evaluators, and how fast evaluations come in."""
    project = led_project_or_404(request.user, slug)
    check_see_iterations(request.user, project)
    page = build_overview(project=project, person=request.user, now=timezone.now())
    context = {"page": page, **frame(request.user, project, SECTION)}
    return respond(request, page="discussions/home/overview.html", context=context)


@require("sign_in")
def project(request: SignedIn, slug: str) -> HttpResponse:
    """The dashboard of a project for its leads; an evaluator sees their own work."""
    found = project_or_404(request.user, slug)
    context = frame(request.user, found, "dashboard")
    if role_in(request.user, found) == "evaluator":
        page = build_home(person=request.user, now=timezone.now(), only=found)
        return respond(request, page="discussions/home/home.html", context={"page": page, **context})
    context["page"] = build_dashboard(project=found, now=timezone.now())
    return respond(request, page="discussions/home/dashboard.html", context=context)


@require("see_overview")
def overview(request: SignedIn) -> HttpResponse:
    """The overview of the installation; htmx asks for its live part every half a minute."""
    check_see_overview(request.user)
    page = build_site_page(person=request.user, now=timezone.now())
    return respond(
        request,
        page="discussions/home/site.html",
        region="discussions/home/_site.html",
        context={"page": page, **frame(request.user, None, "overview")},
    )
