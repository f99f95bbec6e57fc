"""The screen on which a stage that is open is given another name, goal, or way of counting its successes."""

from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone

from discussions.actions.staging import StagePlan, change_stage
from discussions.forms.stages import StageForm, StageTextsForm
from discussions.models import Stage
from discussions.models.readiness import why_rules_are_final
from discussions.pages.stage_frame import GATE, SECTION, build_stage_frame
from discussions.permissions import check_change_stage
from discussions.views.moved import kept_status
from discussions.views.staging import stage_or_404
from workspace.core.refusals import Refusal
from workspace.pages.frame import frame
from workspace.views.answers import answer
from workspace.views.bodies import only_parameters, typed
from workspace.views.gate import SignedIn, needs


@needs("change_stage", methods=("GET", "POST"))
def edit_stage(request: SignedIn, slug: str, stage: int) -> HttpResponse:
    """The stage as a form, its rules only while nothing was counted by them; leads back to the gate."""
    only_parameters(request)
    found = stage_or_404(request.user, slug, stage)
    check_change_stage(request.user, found)
    why = why_rules_are_final(found)
    form_class = StageTextsForm if why else StageForm
    stands = _plan(found, {})
    form, status = form_class(initial={name: getattr(stands, name) for name in FIELDS}), 200
    if request.method == "POST":
        form, status = typed(request, form_class), 422
        try:
            if form.is_valid():
                plan = _plan(found, form.cleaned_data)
                change_stage(stage=found, plan=plan, by=request.user, now=timezone.now())
                return answer(request, page="", redirect=reverse("stage_gate", args=[slug, stage]))
        except Refusal as refusal:
            status = kept_status(form, refusal)
    context = {
        "head": build_stage_frame(stage=found, current=GATE),
        "form": form,
        "why_final": why.says if why else "",
        **frame(request.user, found.project, SECTION),
    }
    return answer(request, page="discussions/stage_edit.html", context=context, status=status)


FIELDS = StagePlan.__struct_fields__


def _plan(stage: Stage, given: dict[str, str]) -> StagePlan:
    """What was typed, and for the rest the stage as it stands."""
    return StagePlan(**{name: given.get(name, getattr(stage, name)) for name in FIELDS})
