"""The screens on which stages are opened: the first one, and the gate through which the next one is reached.

The screen on which a stage that is open is given another name, goal, or way of counting its successes.
"""

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone

from discussions.access.permissions import check_see_iterations
from discussions.gates import actions
from discussions.gates.actions import StagePlan, change_stage
from discussions.gates.forms import NextStageForm, StageForm, StageTextsForm, StatementForm
from discussions.gates.pages import GATE, SECTION, build_gate_page, build_stage_frame, build_stage_open_page
from discussions.gates.permissions import check_change_stage, check_open_stage, check_sign_stage
from discussions.gates.queries import why_rules_are_final
from discussions.models import Stage
from workspace.core.refusals import Refusal
from workspace.models import Person, Project
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
                return _opened(request, project, form)
        except Refusal as refusal:
            status = kept_status(form, refusal)
    page = build_stage_open_page(project=project)
    context = {"page": page, "form": form, **frame(request.user, project, SECTION)}
    return respond(request, page="discussions/gates/open_stage.html", context=context, status=status)


@require("see_iterations")
def stage_gate(request: SignedIn, slug: str, stage: int) -> HttpResponse:
    """The row of successes and what breaks it, costs, the statement, and the door to the next stage."""
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
            return respond(request, page="", redirect=_gate(found))
    except Refusal as refusal:
        status = kept_status(form, refusal)
    return _show_gate(request, stage_or_404(request.user, slug, stage), statement=form, status=status)


@require("open_next_stage", methods=("POST",))
def open_next_stage(request: SignedIn, slug: str, stage: int) -> HttpResponse:
    """Open the next stage through the door, or an admin past it; leads to the new stage."""
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
    return _show_gate(request, stage_or_404(request.user, slug, stage), following=form, status=status)


def _opened(request: SignedIn, project: Project, form: StageForm) -> HttpResponse:
    made = actions.open_stage(project=project, plan=_plan(form), by=request.user, now=timezone.now())
    return respond(request, page="", redirect=reverse("stage", args=[project.slug, made.number]))


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
    return respond(request, page="discussions/gates/gate.html", context=context, status=status)


@require("change_stage", methods=("GET", "POST"))
def edit_stage(request: SignedIn, slug: str, stage: int) -> HttpResponse:
    """The stage as a form, its rules only while nothing was counted by them; leads back to the gate."""
    only_parameters(request)
    found = stage_or_404(request.user, slug, stage)
    check_change_stage(request.user, found)
    why = why_rules_are_final(found)
    form_class = StageTextsForm if why else StageForm
    stands = _changing_stages_plan(found, {})
    form, status = form_class(initial={name: getattr(stands, name) for name in FIELDS}), 200
    if request.method == "POST":
        form, status = bind_form(request, form_class), 422
        try:
            if form.is_valid():
                plan = _changing_stages_plan(found, form.cleaned_data)
                change_stage(stage=found, plan=plan, by=request.user, now=timezone.now())
                return respond(request, page="", redirect=reverse("stage_gate", args=[slug, stage]))
        except Refusal as refusal:
            status = kept_status(form, refusal)
    context = {
        "head": build_stage_frame(stage=found, current=GATE),
        "form": form,
        "why_final": why.says if why else "",
        **frame(request.user, found.project, SECTION),
    }
    return respond(request, page="discussions/gates/edit_stage.html", context=context, status=status)


FIELDS = StagePlan.__struct_fields__


def _changing_stages_plan(stage: Stage, given: dict[str, str]) -> StagePlan:
    """What was typed, and for the rest the stage as it stands."""
    return StagePlan(**{name: given.get(name, getattr(stage, name)) for name in FIELDS})
