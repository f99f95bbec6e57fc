"""The screen on which a baseline or a change is planned, and planned anew while none of its games is there.

The screens of iterations: planning one, where it stands, its games, and the rules of unsorted games.
"""

from typing import Any, NamedTuple

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from discussions.access.permissions import check_see_iterations
from discussions.core.iteration_states import BASELINE, CHANGE
from discussions.gates.pages import SECTION, build_stage_frame
from discussions.gates.views import stage_or_404
from discussions.iterations.actions import change_iteration
from discussions.iterations.actions import move_games as move
from discussions.iterations.actions import open_for_rating as freeze
from discussions.iterations.core.history import History
from discussions.iterations.permissions import check_change_iteration, check_freeze
from discussions.iterations.queries import load_history
from discussions.iterations.views import iteration_or_404
from discussions.models import Iteration, Stage
from discussions.planning import actions
from discussions.planning.actions import Protocol
from discussions.planning.forms import HERE, BaselineForm, ChangeForm, IterationForm, MoveForm, PlanForm
from discussions.planning.pages.iteration import build_iteration_page
from discussions.planning.pages.plan_form import (
    build_plan_page,
    first_kind,
    first_texts,
    list_plan_faults,
    plan_texts,
    rubric_for,
    versions_for,
)
from discussions.planning.pages.rules import build_iteration_page as build_rules_page
from discussions.planning.pages.rules import get_initial_rules
from discussions.planning.permissions import check_open_iteration
from rubric.models import RubricVersion
from workspace.core.refusals import Malformed, NotAllowed, Refusal
from workspace.web.bind_form import bind_form, kept_status, only_parameters, project_or_404
from workspace.web.forms import NothingForm
from workspace.web.frame import frame
from workspace.web.require import SignedIn, require
from workspace.web.respond import respond

PAGE = "discussions/planning/plan.html"


@require("open_iteration", methods=("GET", "POST"))
def open_iteration(request: SignedIn, slug: str, stage: int) -> HttpResponse:
    """A form for the next iteration; `kind` says whether a baseline or a change. Leads to the iteration."""
    wanted = only_parameters(request, "kind")["kind"]
    if wanted not in ("", BASELINE, CHANGE):
        raise Malformed(_("An iteration is a baseline or a change. Open the page afresh."))
    found = stage_or_404(request.user, slug, stage)
    history = load_history(found)
    kind = wanted if history.reference else BASELINE
    return _planned(request, found, history, kind or first_kind(history))


@require("open_iteration", methods=("GET", "POST"))
def edit_iteration(request: SignedIn, slug: str, iteration: int) -> HttpResponse:
    """The plan of an iteration that holds no game yet; leads back to it."""
    only_parameters(request)
    found = iteration_or_404(request.user, slug, iteration)
    if found.stage is None:
        raise NotAllowed(
            _("The unsorted iteration has no plan: it only holds games until they are sorted."),
            code="unsorted",
        )
    stage = stage_or_404(request.user, slug, found.stage.number)
    return _planned(request, stage, load_history(stage), found.kind, found)


def _planned(
    request: SignedIn, stage: Stage, history: History, kind: str, iteration: Iteration | None = None
) -> HttpResponse:
    """Show the form, or judge what was posted: every button but Save only looks at it."""
    desk = PlanView(stage, history, kind, iteration)
    if request.method == "GET":
        check_open_iteration(request.user, stage)
        return _show(request, desk, desk.fresh_form())
    form, status = _bound(request, desk).with_file(), 422
    try:
        check_open_iteration(request.user, stage)
        if form.is_valid() and not _faulty(form, desk):
            if form.cleaned_data["do"] == "check":
                return _show(request, desk, form, is_fine=True)
            number = _save(request, desk, form)
            return respond(request, page="", redirect=reverse("iteration", args=[stage.project.slug, number]))
    except Refusal as refusal:
        status = kept_status(form, refusal)
        desk = PlanView(stage, load_history(stage), kind, iteration)
    return _show(request, desk, form, status=status)


class PlanView(NamedTuple):
    """What is planned: an iteration of that kind in a stage, or anew the one that is given."""

    stage: Stage
    history: History
    kind: str
    iteration: Iteration | None

    @property
    def form_class(self) -> type[PlanForm]:
        """A baseline's way of judging is open while no change rests on it; a change takes over its reference's."""
        if self.kind == CHANGE:
            return ChangeForm
        key = self.iteration.pk if self.iteration else 0
        rests = any(
            key in (history_iteration.compared_with, history_iteration.baseline)
            for history_iteration in self.history.iterations
        )
        return PlanForm if rests else BaselineForm

    @property
    def given(self) -> dict[str, Any]:
        """What the form is told when it is made."""
        if self.form_class is ChangeForm:
            return {"rubric": rubric_for(self.history, self.iteration)}
        return {"versions": versions_for()} if self.form_class is BaselineForm else {}

    def fresh_form(self) -> PlanForm:
        """The form as it is shown first."""
        if self.iteration is not None:
            texts = plan_texts(self.iteration)
        else:
            texts = first_texts(self.stage, self.history, self.kind)
        return self.form_class(initial=texts, **self.given)


def _bound(request: SignedIn, desk: PlanView) -> PlanForm:
    return bind_form(request, desk.form_class, **desk.given)


def _faulty(form: PlanForm, desk: PlanView) -> bool:
    """Put everything that is wrong with the plan into its form."""
    faults = list_plan_faults(form.to_plan(), desk.kind, desk.history, desk.iteration)
    for fault in faults:
        form.add_error(fault.field if fault.field in form.fields else None, fault.says)
    return bool(faults)


def _save(request: SignedIn, desk: PlanView, form: PlanForm) -> int:
    """Store the plan; gives the iteration's number."""
    plan, now = form.to_plan(), timezone.now()
    protocol = _protocol(form.cleaned_data) if isinstance(form, BaselineForm) else None
    if desk.iteration is not None:
        actions.edit_iteration(
            iteration=desk.iteration, plan=plan, protocol=protocol, by=request.user, now=now
        )
        return desk.iteration.number
    if desk.kind == CHANGE:
        shown = form.cleaned_data["compared_with"] or 0
        made = actions.open_change(stage=desk.stage, plan=plan, compared_with=shown, by=request.user, now=now)
        return made.number
    assert protocol is not None
    made = actions.open_baseline(stage=desk.stage, plan=plan, protocol=protocol, by=request.user, now=now)
    return made.number


def _protocol(given: dict[str, Any]) -> Protocol:
    return Protocol(
        rubric_version=RubricVersion.objects.select_related("rubric").get(pk=given["rubric_version"]),
        evaluator_count=given["evaluator_count"],
        reveal=given["reveal"],
        identification=given["identification"],
    )


def _show(
    request: SignedIn, desk: PlanView, form: PlanForm, *, is_fine: bool = False, status: int = 200
) -> HttpResponse:
    """The form, and once something was posted what differs from the reference's prompt."""
    page = build_plan_page(
        stage=desk.stage,
        history=desk.history,
        kind=desk.kind,
        person=request.user,
        prompt=form.data.get("prompt", "") if form.is_bound else None,
        iteration=desk.iteration,
    )
    context = {
        "page": page,
        "form": form,
        "is_fine": is_fine,
        "head": build_stage_frame(
            stage=desk.stage, current="open_iteration", newest=desk.history.newest_change
        ),
        **frame(request.user, desk.stage.project, SECTION),
    }
    return respond(request, page=PAGE, context=context, status=status)


SHOW = "discussions/planning/iteration.html"


@require("change_iteration", methods=("GET", "POST"))
def change(request: SignedIn, slug: str) -> HttpResponse:
    """How unsorted games are judged, and a form for what a lead may change; what a number does is shown first."""
    only_parameters(request)
    project = project_or_404(request.user, slug)
    check_change_iteration(request.user, project)
    rows = Iteration.objects.select_related("project", "rubric_version__rubric")
    iteration = get_object_or_404(rows, project=project, stage=None)
    form, status, wanted = IterationForm(initial=get_initial_rules(iteration)), 200, None
    if request.method == "POST":
        form, status = bind_form(request, IterationForm), 422
        if form.is_valid():
            given = dict(form.cleaned_data)
            wanted = given["evaluator_count"]
            if given.pop("confirmed") == wanted or wanted in (None, iteration.evaluator_count):
                change_iteration(iteration=iteration, **given, by=request.user, now=timezone.now())
                return respond(request, page="", redirect=reverse("change_iteration", args=[slug]))
            status = 200
    page = build_rules_page(iteration=iteration, wanted=wanted)
    context = {"page": page, "form": form, **frame(request.user, project)}
    return respond(request, page="discussions/planning/rules.html", context=context, status=status)


@require("see_iterations")
def iteration(request: SignedIn, slug: str, iteration: int) -> HttpResponse:
    """Where an iteration stands, its plan and its games; unsorted games have a page of rules instead."""
    only_parameters(request)
    found = iteration_or_404(request.user, slug, iteration)
    check_see_iterations(request.user, found.project)
    if found.is_unsorted:
        return redirect("change_iteration", slug=slug)
    return show_iteration(request, found)


@require("change_iteration", methods=("POST",))
def move_games(request: SignedIn, slug: str, iteration: int) -> HttpResponse:
    """Move games in from the unsorted ones, or back; leads to the iteration."""
    found = iteration_or_404(request.user, slug, iteration)
    check_change_iteration(request.user, found.project)
    form = bind_form(request, MoveForm)
    if not form.is_valid():
        return _again(request, found, moving=form, status=422)
    is_in = form.cleaned_data["to"] == HERE
    to = found if is_in else Iteration.objects.get(project=found.project, stage=None)
    try:
        move(games=form.cleaned_data["games"], to=to, by=request.user, now=timezone.now())
    except Refusal as refusal:
        return _again(request, found, moving=form, status=kept_status(form, refusal))
    return respond(request, page="", redirect=reverse("iteration", args=[slug, iteration]))


@require("freeze", methods=("POST",))
def open_for_rating(request: SignedIn, slug: str, iteration: int) -> HttpResponse:
    """Freeze the list of games and open their places; leads to the iteration."""
    found = iteration_or_404(request.user, slug, iteration)
    form = bind_form(request, NothingForm)
    try:
        check_freeze(request.user, found)
        freeze(iteration=found, by=request.user, now=timezone.now())
    except Refusal as refusal:
        return _again(request, found, opening=form, status=kept_status(form, refusal))
    return respond(request, page="", redirect=reverse("iteration", args=[slug, iteration]))


def _again(request: SignedIn, found: Iteration, **given: object) -> HttpResponse:
    """The page as it is by now, with what was refused."""
    if found.is_unsorted:
        return redirect("change_iteration", slug=found.project.slug)
    fresh = iteration_or_404(request.user, found.project.slug, found.number)
    return show_iteration(request, fresh, **given)  # type: ignore[arg-type]


def show_iteration(
    request: SignedIn,
    found: Iteration,
    *,
    moving: MoveForm | None = None,
    opening: NothingForm | None = None,
    status: int = 200,
) -> HttpResponse:
    """The page of an iteration of a stage, with a form that was refused."""
    stage = found.stage
    assert stage is not None  # unsorted games have another page
    page = build_iteration_page(iteration=found, person=request.user)
    context = {
        "page": page,
        "head": build_stage_frame(stage=stage, current="iteration", newest=page.newest_change),
        "move_form": moving or MoveForm(),
        "chosen": set(moving.data.getlist("games")) if moving else set(),  # type: ignore[attr-defined]
        "open_form": opening or NothingForm(),
        **frame(request.user, found.project, SECTION),
    }
    return respond(request, page=SHOW, context=context, status=status)
