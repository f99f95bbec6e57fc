"""Pace and load of a project's evaluators."""

from django.http import HttpResponse
from django.utils import timezone

from discussions.pages.team_pace import build_pace_page
from discussions.permissions import check_see_team
from discussions.views.team import SECTION
from workspace.pages.frame import frame
from workspace.views.answers import answer
from workspace.views.bodies import only_parameters
from workspace.views.gate import SignedIn, needs
from workspace.views.projects import project_or_404


@needs("see_team")
def team_pace(request: SignedIn, slug: str) -> HttpResponse:
    """What each evaluator did lately and has before them, for leads alone."""
    only_parameters(request)
    project = project_or_404(request.user, slug)
    check_see_team(request.user, project)
    page = build_pace_page(project=project, now=timezone.now())
    context = {"page": page, **frame(request.user, project, SECTION)}
    return answer(request, page="discussions/team_pace.html", context=context)
