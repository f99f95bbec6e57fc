"""Pages of stages: opening the first one, changing an open one, and the gate to the next one."""

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone

from discussions.access.permissions import check_see_iterations
from discussions.gates import actions
from discussions.gates.actions import StagePlan, change_stage
from discussions.gates.forms import NextStageForm, StageForm, StageTextsForm, StatementForm
from discussions.gates.pages import GATE, SECTION, build_gate_page, build_stage_frame, list_gate_conditions
from discussions.gates.permissions import check_change_stage, check_open_stage, check_sign_stage
from discussions.gates.queries import why_rules_are_final
from discussions.iterations.queries import get_sentence
from discussions.models import Stage
from workspace.core.refusals import Refusal
from workspace.models import Person
from workspace.web.bind_form import bind_form, kept_status, only_parameters, project_or_404
from workspace.web.frame import frame
from workspace.web.require import SignedIn, require
from workspace.web.respond import respond


def stage_or_404(person: Person, slug: str, number: int) -> Stage:
    """The stage of that number with its project and the people who signed, when the person may know of it."""
    rows = Stage.objects.visible_to(person).select_related("project", "stated_by", "closed_by")
    return get_object_or_404(rows, project__slug=slug, number=number)


@require("open_stage", methods=("GET", "POST"))
def open_stage(request: SignedIn, slug: str) -> HttpResponse:
    """A form for the project's first stage; leads to it."""
    only_parameters(request)
    project = project_or_404(request.user, slug)
    check_open_stage(request.user, project)
    form, status = StageForm(), 200
    if request.method == "POST":
        form, status = bind_form(request, StageForm), 422
        try:
            if form.is_valid():
                made = actions.open_stage(
                    project=project, plan=_plan(form), by=request.user, now=timezone.now()
                )
                return respond(request, page="", redirect=reverse("stage", args=[slug, made.number]))
        except Refusal as refusal:
            status = kept_status(form, refusal)
    numbers = Stage.objects.filter(project=project).order_by("-number").values_list("number", flat=True)
    context = {
        "newest": numbers.first() or 0,
        "conditions": list_gate_conditions(project),
        "form": form,
        **frame(request.user, project, SECTION),
    }
    return respond(request, page="discussions/gates/open_stage.html", context=context, status=status)


@require("see_iterations")
def stage_gate(request: SignedIn, slug: str, stage: int) -> HttpResponse:
    """The row of successes and what breaks it, costs, the statement, and the gate to the next stage."""
    only_parameters(request)
    found = stage_or_404(request.user, slug, stage)
    check_see_iterations(request.user, found.project)
    return _show_gate(request, found)


@require("state_fascinating", methods=("POST",))
def sign_stage(request: SignedIn, slug: str, stage: int) -> HttpResponse:
    """Sign that the games of the stage are fascinating to watch; leads back to the gate."""
    found = stage_or_404(request.user, slug, stage)
    form, status = bind_form(request, StatementForm), 422
    try:
        check_sign_stage(request.user, found)
        if form.is_valid():
            text = form.cleaned_data["statement"]
            actions.sign_stage(stage=found, text=text, by=request.user, now=timezone.now())
            return respond(request, page="", redirect=reverse("stage_gate", args=[slug, stage]))
    except Refusal as refusal:
        status = kept_status(form, refusal)
    return _show_gate(request, stage_or_404(request.user, slug, stage), statement_form=form, status=status)


@require("open_next_stage", methods=("POST",))
def open_next_stage(request: SignedIn, slug: str, stage: int) -> HttpResponse:
    """Open the next stage; an admin also while the gate is closed. Leads to the new stage."""
    found = stage_or_404(request.user, slug, stage)
    form, status = bind_form(request, NextStageForm), 422
    try:
        if form.is_valid():
            plan, reason = _plan(form), form.cleaned_data["reason"]
            made = actions.open_next_stage(
                stage=found, plan=plan, reason=reason, by=request.user, now=timezone.now()
            )
            return respond(request, page="", redirect=reverse("stage", args=[slug, made.number]))
    except Refusal as refusal:
        status = kept_status(form, refusal)
    return _show_gate(request, stage_or_404(request.user, slug, stage), next_form=form, status=status)


def _plan(form: StageForm) -> StagePlan:
    return StagePlan(**{name: form.cleaned_data[name] for name in StagePlan.__struct_fields__})


def _show_gate(
    request: SignedIn,
    stage: Stage,
    *,
    statement_form: StatementForm | None = None,
    next_form: NextStageForm | None = None,
    status: int = 200,
) -> HttpResponse:
    """The gate, with what was typed into one of its forms."""
    rules = {"streak_unit": stage.streak_unit, "engagement_rule": stage.engagement_rule}
    page = build_gate_page(stage=stage, person=request.user)
    context = {
        "page": page,
        "head": build_stage_frame(stage=stage, current=GATE, newest=page.newest_change),
        "statement_form": statement_form or StatementForm(),
        "next_form": next_form or NextStageForm(initial=rules),
        **frame(request.user, stage.project, SECTION),
    }
    return respond(request, page="discussions/gates/gate.html", context=context, status=status)


@require("change_stage", methods=("GET", "POST"))
def edit_stage(request: SignedIn, slug: str, stage: int) -> HttpResponse:
    """A form for a stage, its rules only while no iteration was opened under them; leads back to the gate."""
    only_parameters(request)
    found = stage_or_404(request.user, slug, stage)
    check_change_stage(request.user, found)
    why = why_rules_are_final(found)
    form_class = StageTextsForm if why else StageForm
    stored = {name: getattr(found, name) for name in StagePlan.__struct_fields__}
    form, status = form_class(initial=stored), 200
    if request.method == "POST":
        form, status = bind_form(request, form_class), 422
        try:
            if form.is_valid():
                plan = StagePlan(**(stored | form.cleaned_data))
                change_stage(stage=found, plan=plan, by=request.user, now=timezone.now())
                return respond(request, page="", redirect=reverse("stage_gate", args=[slug, stage]))
        except Refusal as refusal:
            status = kept_status(form, refusal)
    context = {
        "head": build_stage_frame(stage=found, current=GATE),
        "form": form,
        "why_final": get_sentence(why),
        **frame(request.user, found.project, SECTION),
    }
    return respond(request, page="discussions/gates/edit_stage.html", context=context, status=status)
