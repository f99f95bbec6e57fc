"""The screens that show a stage: its iteration history, and two iterations side by side."""

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404

from discussions.forms.decisions import DecisionForm
from discussions.models import Iteration, Stage
from discussions.models.histories import history_of
from discussions.pages.comparing import build_compare_page, other_side
from discussions.pages.decisions import build_decision_part
from discussions.pages.history import build_history_page
from discussions.pages.stage_frame import COMPARE, HISTORY, SECTION, build_stage_frame
from discussions.permissions import check_see_iterations
from workspace.pages.frame import frame
from workspace.views.answers import answer
from workspace.views.bodies import number_of, only_parameters
from workspace.views.gate import SignedIn, needs


@needs("see_iterations")
def stage(request: SignedIn, slug: str, stage: int) -> HttpResponse:
    """The iterations of a stage as a table and as small charts, a dot for every game."""
    only_parameters(request)
    rows = Stage.objects.visible_to(request.user).select_related("project")
    found = get_object_or_404(rows, project__slug=slug, number=stage)
    check_see_iterations(request.user, found.project)
    page = build_history_page(stage=found)
    head = build_stage_frame(stage=found, current=HISTORY, newest=page.newest_change)
    context = {"page": page, "head": head, **frame(request.user, found.project, SECTION)}
    return answer(request, page="discussions/stage_show.html", context=context)


@needs("see_iterations")
def compare_iterations(request: SignedIn, slug: str, iteration: int) -> HttpResponse:
    """An iteration beside the one it is compared with, or another one of its stage."""
    given = only_parameters(request, "with")
    rows = Iteration.objects.visible_to(request.user).filter(stage__isnull=False)
    rows = rows.select_related("project", "stage__project")
    found = get_object_or_404(rows, project__slug=slug, number=iteration)
    check_see_iterations(request.user, found.project)
    assert found.stage is not None
    history, number = history_of(found.stage), number_of(given["with"])
    change = history.find(found.pk)
    control = other_side(history, change, number) if change else None
    if change is None or (number and control is None):
        raise Http404
    page = build_compare_page(iteration=found, history=history, change=change, control=control)
    head = build_stage_frame(stage=found.stage, current=COMPARE, newest=history.newest_change)
    context = {"page": page, "head": head, **frame(request.user, found.project, SECTION)}
    if page.is_decided_on:
        part = build_decision_part(iteration=found, history=history, person=request.user)
        context |= {"decision": part, "decision_form": DecisionForm()}
    return answer(request, page="discussions/iteration_compare.html", context=context)
