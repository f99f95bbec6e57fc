"""The home page, and the overview of a project."""

from django.http import HttpResponse
from django.utils import timezone

from discussions.access.permissions import check_see_iterations
from discussions.gates.pages import SECTION
from discussions.history.views import led_project_or_404
from discussions.home.pages.home import home_page
from discussions.home.pages.overview import build_overview_page
from workspace.web.bind_form import only_parameters, parse_number
from workspace.web.frame import frame
from workspace.web.require import SignedIn, require
from workspace.web.respond import respond


@require("sign_in")
def home(request: SignedIn) -> HttpResponse:
    """What waits for the person; after a submission it says so."""
    asked = only_parameters(request, "handed_in")
    page = home_page(person=request.user, now=timezone.now(), handed_in=parse_number(asked["handed_in"]))
    return respond(request, page="discussions/home/home.html", context={"page": page, **frame(request.user)})


@require("see_iterations")
def stages(request: SignedIn, slug: str) -> HttpResponse:
    """The stages of a project, what waits for evaluators, and how fast evaluations come in."""
    only_parameters(request)
    project = led_project_or_404(request.user, slug)
    check_see_iterations(request.user, project)
    page = build_overview_page(project=project, person=request.user, now=timezone.now())
    context = {"page": page, **frame(request.user, project, SECTION)}
    return respond(request, page="discussions/home/overview.html", context=context)
