"""The screens on which stages are opened: the first one, and the gate through which the next one is reached."""

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone

from discussions.actions import staging
from discussions.actions.staging import StagePlan
from discussions.forms.stages import NextStageForm, StageForm, StatementForm
from discussions.models import Stage
from discussions.pages.gate import build_gate_page
from discussions.pages.stage_frame import GATE, SECTION, build_stage_frame
from discussions.pages.stages_open import build_stage_open_page
from discussions.permissions import check_open_stage, check_see_iterations, check_state_fascinating
from discussions.views.moved import kept_status
from workspace.core.refusals import Refusal
from workspace.models import Person, Project
from workspace.pages.frame import frame
from workspace.views.answers import answer
from workspace.views.bodies import only_parameters, typed
from workspace.views.gate import SignedIn, needs
from workspace.views.projects import project_or_404


def stage_or_404(person: Person, slug: str, number: int) -> Stage:
    """The stage of that number with its project and the people who signed, when the person may know of it."""
    rows = Stage.objects.visible_to(person).select_related("project", "stated_by", "closed_by")
    return get_object_or_404(rows, project__slug=slug, number=number)


@needs("open_stage", methods=("GET", "POST"))
def open_stage(request: SignedIn, slug: str) -> HttpResponse:
    """A form for the project's first stage; leads to it."""
    only_parameters(request)
    project = project_or_404(request.user, slug)
    check_open_stage(request.user, project)
    form, status = StageForm(), 200
    if request.method == "POST":
        form, status = typed(request, StageForm), 422
        try:
            if form.is_valid():
                return _opened(request, project, form)
        except Refusal as refusal:
            status = kept_status(form, refusal)
    page = build_stage_open_page(project=project)
    context = {"page": page, "form": form, **frame(request.user, project, SECTION)}
    return answer(request, page="discussions/stage_open.html", context=context, status=status)


@needs("see_iterations")
def stage_gate(request: SignedIn, slug: str, stage: int) -> HttpResponse:
    """The row of successes and what breaks it, costs, the statement, and the door to the next stage."""
    only_parameters(request)
    found = stage_or_404(request.user, slug, stage)
    check_see_iterations(request.user, found.project)
    return _show_gate(request, found)


@needs("state_fascinating", methods=("POST",))
def sign_stage(request: SignedIn, slug: str, stage: int) -> HttpResponse:
    """Sign that the games of the stage are fascinating to watch; leads back to the gate."""
    found = stage_or_404(request.user, slug, stage)
    form, status = typed(request, StatementForm), 422
    try:
        check_state_fascinating(request.user, found)
        if form.is_valid():
            text = form.cleaned_data["statement"]
            staging.state_fascinating(stage=found, text=text, by=request.user, now=timezone.now())
            return answer(request, page="", redirect=_gate(found))
    except Refusal as refusal:
        status = kept_status(form, refusal)
    return _show_gate(request, stage_or_404(request.user, slug, stage), statement=form, status=status)


@needs("open_next_stage", methods=("POST",))
def open_next_stage(request: SignedIn, slug: str, stage: int) -> HttpResponse:
    """Open the next stage through the door, or an admin past it; leads to the new stage."""
    found = stage_or_404(request.user, slug, stage)
    form, status = typed(request, NextStageForm), 422
    try:
        if form.is_valid():
            plan, reason = _plan(form), form.cleaned_data["reason"]
            made = staging.open_next_stage(
                stage=found, plan=plan, reason=reason, by=request.user, now=timezone.now()
            )
            return answer(request, page="", redirect=reverse("stage", args=[slug, made.number]))
    except Refusal as refusal:
        status = kept_status(form, refusal)
    return _show_gate(request, stage_or_404(request.user, slug, stage), following=form, status=status)


def _opened(request: SignedIn, project: Project, form: StageForm) -> HttpResponse:
    made = staging.open_stage(project=project, plan=_plan(form), by=request.user, now=timezone.now())
    return answer(request, page="", redirect=reverse("stage", args=[project.slug, made.number]))


def _plan(form: StageForm) -> StagePlan:
    return StagePlan(**{name: form.cleaned_data[name] for name in StagePlan.__struct_fields__})


def _gate(stage: Stage) -> str:
    return reverse("stage_gate", args=[stage.project.slug, stage.number])


def _show_gate(
    request: SignedIn,
    stage: Stage,
    *,
    statement: StatementForm | None = None,
    following: NextStageForm | None = None,
    status: int = 200,
) -> HttpResponse:
    """The gate, with what was typed into one of its two forms."""
    rules = {"streak_unit": stage.streak_unit, "engagement_rule": stage.engagement_rule}
    page = build_gate_page(stage=stage, person=request.user)
    context = {
        "page": page,
        "head": build_stage_frame(stage=stage, current=GATE, newest=page.newest_change),
        "statement_form": statement or StatementForm(),
        "next_form": following or NextStageForm(initial=rules),
        **frame(request.user, stage.project, SECTION),
    }
    return answer(request, page="discussions/stage_gate.html", context=context, status=status)
