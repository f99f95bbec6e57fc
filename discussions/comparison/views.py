"""Deciding on a change: keep, revert or inconclusive."""

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone

from discussions.access.permissions import check_see_iterations
from discussions.comparison.actions import record_decision
from discussions.comparison.forms import DecisionForm
from discussions.comparison.pages.comparison import build_compare_page, other_side
from discussions.comparison.pages.decision import build_decision_part
from discussions.comparison.permissions import check_decide
from discussions.iterations.queries import load_history
from discussions.iterations.views import COMPARE, SECTION, build_stage_frame, iteration_or_404
from discussions.models import Iteration
from workspace.core.refusals import Refusal
from workspace.web.bind_form import bind_form, kept_status, only_parameters, parse_number
from workspace.web.frame import frame
from workspace.web.require import SignedIn, require
from workspace.web.respond import respond

PAGE, REGION = "discussions/comparison/decide.html", "discussions/comparison/_decision.html"


@require("decide", methods=("GET", "POST"))
def decide_iteration(request: SignedIn, slug: str, iteration: int) -> HttpResponse:
    """Show and process the form on its own page; redirects to the comparison, or shows the form with all input."""
    only_parameters(request)
    found = iteration_or_404(request.user, slug, iteration)
    check_decide(request.user, found)
    form, status = DecisionForm(), 200
    if request.method == "POST":
        form, status = bind_form(request, DecisionForm), 422
        try:
            if form.is_valid():
                record_decision(iteration=found, **form.cleaned_data, by=request.user, now=timezone.now())
                return respond(
                    request, page="", redirect=reverse("compare_iterations", args=[slug, iteration])
                )
        except Refusal as refusal:
            status = kept_status(form, refusal)
    return _show(request, iteration_or_404(request.user, slug, iteration), form, status)


def _show(request: SignedIn, iteration: Iteration, form: DecisionForm, status: int) -> HttpResponse:
    stage = iteration.stage
    assert stage is not None  # only a change gets here, and every change has its stage
    history = load_history(stage)
    context = {
        "decision": build_decision_part(iteration=iteration, history=history, person=request.user),
        "decision_form": form,
        "head": build_stage_frame(stage=stage, current=COMPARE, newest=history.newest_change),
        "iteration": iteration,
        **frame(request.user, iteration.project, SECTION),
    }
    return respond(request, page=PAGE, region=REGION, context=context, status=status)


@require("see_iterations")
def compare_iterations(request: SignedIn, slug: str, iteration: int) -> HttpResponse:
    """Show an iteration and its reference, or another iteration of its stage."""
    given = only_parameters(request, "with")
    rows = Iteration.objects.visible_to(request.user).filter(stage__isnull=False)
    rows = rows.select_related("project", "stage__project")
    found = get_object_or_404(rows, project__slug=slug, number=iteration)
    check_see_iterations(request.user, found.project)
    assert found.stage is not None
    history, number = load_history(found.stage), parse_number(given["with"])
    change = history.find(found.pk)
    control = other_side(history, change, number) if change else None
    if change is None or (number and control is None):
        raise Http404
    page = build_compare_page(iteration=found, history=history, change=change, control=control)
    head = build_stage_frame(stage=found.stage, current=COMPARE, newest=history.newest_change)
    context: dict[str, object] = {"page": page, "head": head, "decision": None}
    context |= frame(request.user, found.project, SECTION)
    if page.is_decided_on:
        part = build_decision_part(
            iteration=found, history=history, person=request.user, preview=page.preview
        )
        context |= {"decision": part, "decision_form": DecisionForm()}
    return respond(request, page="discussions/comparison/compare.html", context=context)
