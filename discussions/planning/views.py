"""Pages of iterations: the plan, one iteration with its games, and the rules of unsorted games."""

from typing import Any, NamedTuple

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from discussions.access.permissions import check_see_iterations
from discussions.core.iteration_states import BASELINE, CHANGE
from discussions.gates.views import SECTION, build_stage_frame, stage_or_404
from discussions.iterations.actions import change_iteration
from discussions.iterations.actions import move_games as move
from discussions.iterations.actions import open_for_rating as freeze
from discussions.iterations.core.history import History
from discussions.iterations.permissions import check_change_iteration, check_freeze
from discussions.iterations.queries import load_history
from discussions.iterations.views import iteration_or_404
from discussions.models import Iteration, Stage
from discussions.models.queue_rules import load_rating_rule
from discussions.planning import actions
from discussions.planning.actions import Protocol
from discussions.planning.forms import (
    HERE,
    BaselineForm,
    ChangeForm,
    IterationForm,
    MoveForm,
    PlanForm,
    RatingRuleForm,
)
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
from discussions.planning.pages.rules import build_rules_page
from discussions.planning.permissions import check_open_iteration
from rubric.models import RubricVersion
from rubric.versions.core.draft import NO, YES
from workspace.core.refusals import Malformed, NotAllowed, Refusal
from workspace.projects import actions as projects
from workspace.projects.forms import StorageLimitForm
from workspace.projects.permissions import check_set_storage_limit
from workspace.web.bind_form import bind_form, kept_status, only_parameters, project_or_404
from workspace.web.forms import NothingForm
from workspace.web.frame import frame
from workspace.web.require import SignedIn, require
from workspace.web.respond import respond


@require("open_iteration", methods=("GET", "POST"))
def open_iteration(request: SignedIn, slug: str, stage: int) -> HttpResponse:
    """Show a form for the next iteration; `kind` is baseline or change. Redirects to the new iteration."""
    found = stage_or_404(request.user, slug, stage)
    wanted = only_parameters(request, "kind")["kind"]
    if wanted not in ("", BASELINE, CHANGE):
        raise Malformed(_("An iteration is a baseline or a change. Open the page again."))
    history = load_history(found)
    kind = wanted if history.reference else BASELINE
    return _plan(request, found, history, kind or first_kind(history))


@require("open_iteration", methods=("GET", "POST"))
def edit_iteration(request: SignedIn, slug: str, iteration: int) -> HttpResponse:
    """Edit the plan of an iteration that has no games yet; redirects to the iteration."""
    only_parameters(request)
    found = iteration_or_404(request.user, slug, iteration)
    if found.stage is None:
        raise NotAllowed(
            _("The unsorted iteration has no plan: it only holds games until they are sorted."),
            code="unsorted",
        )
    stage = stage_or_404(request.user, slug, found.stage.number)
    return _plan(request, stage, load_history(stage), found.kind, found)


def _plan(
    request: SignedIn, stage: Stage, history: History, kind: str, iteration: Iteration | None = None
) -> HttpResponse:
    """Show the form, or check the posted plan; only Save stores it."""
    view = PlanView(stage, history, kind, iteration)
    if request.method == "GET":
        check_open_iteration(request.user, stage)
        return _show_plan(request, view, view.fresh_form())
    form, status = bind_form(request, view.form_class, **view.form_arguments), 422
    form.read_file()
    try:
        check_open_iteration(request.user, stage)
        if form.is_valid() and not _add_faults(form, view):
            if form.cleaned_data["do"] == "check":
                return _show_plan(request, view, form, is_fine=True)
            number = _save(request, view, form)
            return respond(request, page="", redirect=reverse("iteration", args=[stage.project.slug, number]))
    except Refusal as refusal:
        status = kept_status(form, refusal)
        view = PlanView(stage, load_history(stage), kind, iteration)
    return _show_plan(request, view, form, status=status)


class PlanView(NamedTuple):
    """What is planned: a new iteration of that kind in a stage, or a new plan for `iteration`."""

    stage: Stage
    history: History
    kind: str
    iteration: Iteration | None

    @property
    def form_class(self) -> type[PlanForm]:
        """A baseline's protocol can change while no change depends on it; a change is judged like its reference."""
        if self.kind == CHANGE:
            return ChangeForm
        key = self.iteration.pk if self.iteration else 0
        rows = self.history.iterations
        is_final = any(key in (row.compared_with, row.baseline) for row in rows)
        return PlanForm if is_final else BaselineForm

    @property
    def form_arguments(self) -> dict[str, Any]:
        """Arguments of the form class besides the data."""
        if self.form_class is ChangeForm:
            return {"rubric": rubric_for(self.history, self.iteration)}
        return {"versions": versions_for()} if self.form_class is BaselineForm else {}

    def fresh_form(self) -> PlanForm:
        """The form with its initial values."""
        texts = (
            plan_texts(self.iteration) if self.iteration else first_texts(self.stage, self.history, self.kind)
        )
        return self.form_class(initial=texts, **self.form_arguments)


def _add_faults(form: PlanForm, view: PlanView) -> bool:
    """Add all faults of the plan to its form; return whether there are any."""
    faults = list_plan_faults(form.to_plan(), view.kind, view.history, view.iteration)
    for fault in faults:
        form.add_error(fault.field if fault.field in form.fields else None, fault.says)
    return bool(faults)


def _save(request: SignedIn, view: PlanView, form: PlanForm) -> int:
    """Store the plan; return the number of its iteration."""
    plan, now = form.to_plan(), timezone.now()
    protocol = _protocol(form.cleaned_data) if isinstance(form, BaselineForm) else None
    if view.iteration is not None:
        actions.edit_iteration(
            iteration=view.iteration, plan=plan, protocol=protocol, by=request.user, now=now
        )
        return view.iteration.number
    if view.kind == CHANGE:
        shown = form.cleaned_data["compared_with"] or 0
        made = actions.open_change(stage=view.stage, plan=plan, compared_with=shown, by=request.user, now=now)
        return made.number
    assert protocol is not None
    made = actions.open_baseline(stage=view.stage, plan=plan, protocol=protocol, by=request.user, now=now)
    return made.number


def _protocol(typed: dict[str, Any]) -> Protocol:
    given = {name: typed[name] for name in Protocol.__struct_fields__}
    given["rubric_version"] = RubricVersion.objects.select_related("rubric").get(pk=typed["rubric_version"])
    return Protocol(**given)


def _show_plan(
    request: SignedIn, view: PlanView, form: PlanForm, *, is_fine: bool = False, status: int = 200
) -> HttpResponse:
    """Show the form, and after a POST also the difference from the reference's prompt."""
    page = build_plan_page(
        stage=view.stage,
        history=view.history,
        kind=view.kind,
        person=request.user,
        prompt=form.data.get("prompt", "") if form.is_bound else None,
        target=str(form["target"].value() or "") if "target" in form.fields else "",
        least_games=form["least_games"].value(),
        iteration=view.iteration,
    )
    context = {
        "page": page,
        "form": form,
        "is_fine": is_fine,
        "head": build_stage_frame(
            stage=view.stage, current="open_iteration", newest=view.history.newest_change
        ),
        **frame(request.user, view.stage.project, SECTION),
    }
    return respond(request, page="discussions/planning/plan.html", context=context, status=status)


@require("change_iteration", methods=("GET", "POST"))
def change(request: SignedIn, slug: str) -> HttpResponse:
    """Project settings: how the games of a project are judged. Leads back here."""
    only_parameters(request)
    iteration, wanted = settings_or_404(request, slug), None
    if request.method == "GET":
        return show_settings(request, iteration)
    form, status = bind_form(request, IterationForm), 422
    if form.is_valid():
        given = dict(form.cleaned_data)
        wanted = given["evaluator_count"]
        if given.pop("confirmed") == wanted or wanted in (None, iteration.evaluator_count):
            change_iteration(iteration=iteration, **given, by=request.user, now=timezone.now())
            return respond(request, page="", redirect=reverse("change_iteration", args=[slug]))
        status = 200
    return show_settings(request, iteration, form=form, wanted=wanted, status=status)


@require("change_iteration", methods=("POST",))
def change_rating_rules(request: SignedIn, slug: str) -> HttpResponse:
    """Set the rules that apply once something is rated; redirects to the project settings."""
    iteration = settings_or_404(request, slug)
    form = bind_form(request, RatingRuleForm)
    if not form.is_valid():
        return show_settings(request, iteration, rule_form=form, status=422)
    project = iteration.project
    actions.change_rating_rule(project=project, **form.cleaned_data, by=request.user, now=timezone.now())
    return respond(request, page="", redirect=reverse("change_iteration", args=[slug]))


@require("set_storage_limit", methods=("POST",))
def set_storage_limit(request: SignedIn, slug: str) -> HttpResponse:
    """Set how much the project may store; redirects to the project settings."""
    iteration = settings_or_404(request, slug)
    check_set_storage_limit(request.user, iteration.project)
    form = bind_form(request, StorageLimitForm)
    if not form.is_valid():
        return show_settings(request, iteration, storage_form=form, status=422)
    project = iteration.project
    projects.set_storage_limit(project=project, **form.cleaned_data, by=request.user, now=timezone.now())
    return respond(request, page="", redirect=reverse("change_iteration", args=[slug]))


def settings_or_404(request: SignedIn, slug: str) -> Iteration:
    """The unsorted iteration of the project; NotAllowed for everybody but leads."""
    project = project_or_404(request.user, slug)
    check_change_iteration(request.user, project)
    rows = Iteration.objects.select_related("project", "rubric_version__rubric")
    return get_object_or_404(rows, project=project, stage=None)


def show_settings(
    request: SignedIn,
    iteration: Iteration,
    *,
    form: IterationForm | None = None,
    rule_form: RatingRuleForm | None = None,
    storage_form: StorageLimitForm | None = None,
    wanted: int | None = None,
    status: int = 200,
) -> HttpResponse:
    """Show the page, with the input of one of its forms; with `wanted`, the effect of that number of evaluators."""
    project, rule = iteration.project, load_rating_rule(iteration.project_id)
    page = build_rules_page(iteration=iteration, person=request.user, wanted=wanted)
    stored = {"identification": iteration.identification, "evaluator_count": iteration.evaluator_count}
    shows = YES if rule.shows_differences else NO
    ruled = {"flags": rule.flags, "reopen_minutes": rule.reopen_minutes, "shows_differences": shows}
    context = {
        "page": page,
        "form": form or IterationForm(initial=stored),
        "rule_form": rule_form or RatingRuleForm(initial=ruled),
        "storage_form": storage_form or StorageLimitForm(initial={"megabytes": page.own_limit_mb}),
        **frame(request.user, project, "settings"),
    }
    return respond(request, page="discussions/planning/rules.html", context=context, status=status)


@require("see_iterations")
def iteration(request: SignedIn, slug: str, iteration: int) -> HttpResponse:
    """Show an iteration's state, plan and games; unsorted games have the settings page instead."""
    only_parameters(request)
    found = iteration_or_404(request.user, slug, iteration)
    check_see_iterations(request.user, found.project)
    if found.is_unsorted:
        return redirect("change_iteration", slug=slug)
    return _show_iteration(request, found)


@require("change_iteration", methods=("POST",))
def move_games(request: SignedIn, slug: str, iteration: int) -> HttpResponse:
    """Move games in from the unsorted ones, or back; redirects to the iteration."""
    found = iteration_or_404(request.user, slug, iteration)
    check_change_iteration(request.user, found.project)
    form = bind_form(request, MoveForm)
    if not form.is_valid():
        return _again(request, found, move_form=form, status=422)
    is_in = form.cleaned_data["to"] == HERE
    to = found if is_in else Iteration.objects.get(project=found.project, stage=None)
    try:
        move(games=form.cleaned_data["games"], to=to, by=request.user, now=timezone.now())
    except Refusal as refusal:
        return _again(request, found, move_form=form, status=kept_status(form, refusal))
    return respond(request, page="", redirect=reverse("iteration", args=[slug, iteration]))


@require("freeze", methods=("POST",))
def open_for_rating(request: SignedIn, slug: str, iteration: int) -> HttpResponse:
    """Freeze the list of games and open their slots; redirects to the iteration."""
    found = iteration_or_404(request.user, slug, iteration)
    form = bind_form(request, NothingForm)
    try:
        check_freeze(request.user, found)
        freeze(iteration=found, by=request.user, now=timezone.now())
    except Refusal as refusal:
        return _again(request, found, open_form=form, status=kept_status(form, refusal))
    return respond(request, page="", redirect=reverse("iteration", args=[slug, iteration]))


@require("open_iteration", methods=("POST",))
def replay_reference(request: SignedIn, slug: str, iteration: int) -> HttpResponse:
    """Open an iteration that plays the prompt of this one again; redirects to the new one."""
    found = iteration_or_404(request.user, slug, iteration)
    form = bind_form(request, NothingForm)
    try:
        made = actions.replay_reference(iteration=found, by=request.user, now=timezone.now())
    except Refusal as refusal:
        return _again(request, found, open_form=form, status=kept_status(form, refusal))
    return respond(request, page="", redirect=reverse("iteration", args=[slug, made.number]))


def _again(request: SignedIn, found: Iteration, **given: object) -> HttpResponse:
    """Show the page in its current state, with the refused form."""
    if found.is_unsorted:
        return redirect("change_iteration", slug=found.project.slug)
    fresh = iteration_or_404(request.user, found.project.slug, found.number)
    return _show_iteration(request, fresh, **given)  # type: ignore[arg-type]


def _show_iteration(
    request: SignedIn,
    found: Iteration,
    *,
    move_form: MoveForm | None = None,
    open_form: NothingForm | None = None,
    status: int = 200,
) -> HttpResponse:
    stage = found.stage
    assert stage is not None  # unsorted games have another page
    page = build_iteration_page(iteration=found, person=request.user)
    context = {
        "page": page,
        "head": build_stage_frame(stage=stage, current="iteration", newest=page.newest_change),
        "move_form": move_form or MoveForm(),
        "chosen": set(move_form.data.getlist("games")) if move_form else set(),  # type: ignore[attr-defined]
        "open_form": open_form or NothingForm(),
        **frame(request.user, found.project, SECTION),
    }
    return respond(request, page="discussions/planning/iteration.html", context=context, status=status)
