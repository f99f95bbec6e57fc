"""Deciding on a change: keep, revert or inconclusive."""

from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone

from discussions.actions.deciding import record_decision
from discussions.forms.decisions import DecisionForm
from discussions.models import Iteration
from discussions.models.histories import history_of
from discussions.pages.decisions import build_decision_part
from discussions.pages.stage_frame import COMPARE, SECTION, build_stage_frame
from discussions.permissions import check_decide
from discussions.views.iterations import iteration_or_404
from discussions.views.moved import kept_status
from workspace.core.refusals import Refusal
from workspace.pages.frame import frame
from workspace.views.answers import answer
from workspace.views.bodies import only_parameters, typed
from workspace.views.gate import SignedIn, needs

PAGE, REGION = "discussions/iteration_decide.html", "discussions/_decision.html"


@needs("decide", methods=("GET", "POST"))
def decide_iteration(request: SignedIn, slug: str, iteration: int) -> HttpResponse:
    """The form on a page of its own, and what it posts; leads to the comparison, or back with all that was typed."""
    only_parameters(request)
    found = iteration_or_404(request.user, slug, iteration)
    check_decide(request.user, found)
    form, status = DecisionForm(), 200
    if request.method == "POST":
        form, status = typed(request, DecisionForm), 422
        try:
            if form.is_valid():
                record_decision(iteration=found, **form.cleaned_data, by=request.user, now=timezone.now())
                return answer(
                    request, page="", redirect=reverse("compare_iterations", args=[slug, iteration])
                )
        except Refusal as refusal:
            status = kept_status(form, refusal)
    return _show(request, iteration_or_404(request.user, slug, iteration), form, status)


def _show(request: SignedIn, iteration: Iteration, form: DecisionForm, status: int) -> HttpResponse:
    stage = iteration.stage
    assert stage is not None  # only a change gets here, and every change has its stage
    history = history_of(stage)
    context = {
        "decision": build_decision_part(iteration=iteration, history=history, person=request.user),
        "decision_form": form,
        "head": build_stage_frame(stage=stage, current=COMPARE, newest=history.newest_change),
        "iteration": iteration,
        **frame(request.user, iteration.project, SECTION),
    }
    return answer(request, page=PAGE, region=REGION, context=context, status=status)
