"""The pages of stages and their gates."""

from django.forms import Form
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from discussions.core.iteration_states import BROKEN, CHANGE, SUCCESS, UNKNOWN
from discussions.core.outcome import ABOVE, AMBER, ENGAGEMENT, FEW_REFERENCES, UNREPORTED
from discussions.iterations import actions, queries
from discussions.iterations.actions import StagePlan, change_stage
from discussions.iterations.core.averages import CacheRate
from discussions.iterations.core.gates import Choices, GateStatus, describe_odds
from discussions.iterations.core.history import History
from discussions.iterations.forms import NextStageForm, StageForm, StageTextsForm, StatementForm
from discussions.iterations.pages import describe_undecided
from discussions.iterations.permissions import (
    check_change_stage,
    check_open_next_stage,
    check_open_stage,
    check_sign_stage,
)
from discussions.models import Iteration, Stage
from discussions.slots.permissions import check_see_iterations
from discussions.verdicts.core.rule import get_cost_state, read_rules
from workspace.access.permissions import get_refusal, is_admin
from workspace.core.refusals import Refusal
from workspace.core.text import figure
from workspace.display.core.number_lists import format_numbers
from workspace.models import Person, Project
from workspace.web.bind_form import bind_form, kept_status, project_or_404
from workspace.web.form_page import form_page
from workspace.web.views import SignedIn, frame, require, respond


def iteration_or_404(person: Person, slug: str, number: int) -> Iteration:
    """The iteration with that number and everything that its pages show; 404 if the person may not know of it."""
    rows = Iteration.objects.visible_to(person).select_related(
        "project",
        "stage__project",
        "rubric_version__rubric",
        "compared_with",
        "replay_of",
        "created_by",
        "opened_by",
    )
    return get_object_or_404(rows, project__slug=slug, number=number)


SECTION = "iterations"
HISTORY, COMPARE, GATE, SUMMARY = "stage", "compare_iterations", "stage_gate", "stage_summary"

# Route and name of each page of a stage, in the order of the tabs.
TABS = [
    (HISTORY, gettext_lazy("History")),
    (COMPARE, gettext_lazy("Compare")),
    (GATE, gettext_lazy("Gate")),
    (SUMMARY, gettext_lazy("Summary")),
]


def build_stage_frame(*, stage: Stage, current: str, history: History | None = None) -> dict[str, object]:
    """The head of a page of a stage fetched with its project; `current` is the route of the page.

    Without the history, one query, for the number of the newest change; the page then shows no figures. A tab is its
    route, the number in its address, its name, and whether it is the page.
    """
    erased = 0
    if history is None:
        changes = Iteration.objects.filter(stage=stage, kind=CHANGE).order_by("-number")
        newest = changes.values_list("number", flat=True).first() or 0
    else:
        newest, erased = history.newest_change, sum(row.erased_count for row in history.iterations)
    tabs = [
        (route, newest if route == COMPARE else stage.number, label, route == current)
        for route, label in TABS
        if route != COMPARE or newest
    ]
    return {"stage": stage, "tabs": tabs, "erased_count": erased}


def stage_or_404(person: Person, slug: str, number: int) -> Stage:
    """The stage of that number with its project and everybody who is named there, when the person may know of it."""
    rows = Stage.objects.visible_to(person).select_related("project", "created_by", "stated_by", "closed_by")
    return get_object_or_404(rows, project__slug=slug, number=number)


@require("open_stage", methods=("GET", "POST"))
def open_stage(request: SignedIn, slug: str) -> HttpResponse:
    project = project_or_404(request.user, slug, check_open_stage)

    def start(form: StageForm) -> str:
        made = actions.open_stage(project=project, plan=_plan(form), by=request.user, now=timezone.now())
        return reverse("stage", args=[slug, made.number])

    def context() -> dict[str, object]:
        newest = Stage.objects.filter(project=project).order_by("-number").values_list("number", flat=True)
        return {
            "newest": newest.first() or 0,
            "conditions": _list_conditions(project),
            **frame(request.user, project, SECTION),
        }

    page = "discussions/gates/open_stage.html"
    return form_page(request, StageForm, start, page=page, context=context, refuse=kept_status)


@require("see_iterations")
def stage_gate(request: SignedIn, slug: str, stage: int) -> HttpResponse:
    row = stage_or_404(request.user, slug, stage)
    check_see_iterations(request.user, row.project)
    return _show_gate(request, row)


@require("state_fascinating", methods=("POST",))
def sign_stage(request: SignedIn, slug: str, stage: int) -> HttpResponse:
    row = stage_or_404(request.user, slug, stage)
    form, status = bind_form(request, StatementForm), 422
    try:
        check_sign_stage(request.user, row)
        if form.is_valid():
            text = form.cleaned_data["statement"]
            actions.sign_stage(stage=row, text=text, by=request.user, now=timezone.now())
            return respond(request, page="", redirect=reverse("stage_gate", args=[slug, stage]))
    except Refusal as refusal:
        status = kept_status(form, refusal)
    return _show_gate(request, stage_or_404(request.user, slug, stage), statement_form=form, status=status)


@require("open_next_stage", methods=("POST",))
def open_next_stage(request: SignedIn, slug: str, stage: int) -> HttpResponse:
    """Open the next stage; an admin also while the gate is closed. Leads to the new stage."""
    row = stage_or_404(request.user, slug, stage)
    form, status = bind_form(request, NextStageForm), 422
    try:
        if form.is_valid():
            plan, reason = _plan(form), form.cleaned_data["reason"]
            made = actions.open_next_stage(
                stage=row, plan=plan, reason=reason, by=request.user, now=timezone.now()
            )
            return respond(request, page="", redirect=reverse("stage", args=[slug, made.number]))
    except Refusal as refusal:
        status = kept_status(form, refusal)
    return _show_gate(request, stage_or_404(request.user, slug, stage), next_form=form, status=status)


def _plan(form: StageForm) -> StagePlan:
    return StagePlan(**{name: form.cleaned_data[name] for name in StagePlan.__struct_fields__})


def _show_gate(request: SignedIn, stage: Stage, *, status: int = 200, **bound: Form) -> HttpResponse:
    rules = {"streak_unit": stage.streak_unit, "engagement_rule": stage.engagement_rule}
    history = queries.load_history(stage)
    context = {
        **_gate_context(stage, request.user, history),
        "head": build_stage_frame(stage=stage, current=GATE, history=history),
        "statement_form": StatementForm(),
        "next_form": NextStageForm(initial=rules),
        **bound,
        **frame(request.user, stage.project, SECTION),
    }
    return respond(request, page="discussions/gates/gate.html", context=context, status=status)


def _gate_context(stage: Stage, person: Person, history: History) -> dict[str, object]:
    """What the page shows around its forms; refusals disable their buttons."""
    rubric, gate = queries.load_stage_rubric(stage, history), queries.load_gate(stage, history)
    undecided = (row for row in history.iterations if row.kind == CHANGE and not row.decision)
    first = next(undecided, None)
    rules = read_rules(rubric)
    amounts = {"amber": figure(rules.amber, decimals=2), "limit": figure(rules.limit, decimals=2)}
    limits = _("Success needs every game below %(amber)s dollars; above %(limit)s a game fails.")
    weak, weak_games = "", queries.list_weak_games(stage, gate.streak)
    if weak_games:
        weak = _(
            "In %(games)s, of those that count, a metric is not applicable (counts as pass), passes on fewer than "
            "%(few)d references, or is open."
        ) % {"games": format_numbers(weak_games), "few": FEW_REFERENCES}
    return {
        "stage": stage,
        "gate": gate,
        "odds": describe_odds(gate.streak, Choices(stage.streak_unit, stage.engagement_rule)),
        "states": {
            SUCCESS: ("pass", _("succeeds")),
            BROKEN: ("fail", _("breaks the row")),
            UNKNOWN: ("pending", _("not certain yet")),
        },
        "payments": _list_payments(gate, history),
        "limits": limits % amounts,
        "cache": _describe_cache(gate.cache),
        "anchor": rubric.criterion(ENGAGEMENT).anchors.get("5", ""),
        "sign_refusal": get_refusal(check_sign_stage, person, stage),
        "next_refusal": get_next_refusal(person, stage, gate),
        "is_override": not gate.is_open and is_admin(person),
        "counted": queries.counted_says(stage),
        "weak": weak,
        "goes_on": history.reference.number if history.reference else 0,
        "undecided": first.number if first else 0,
        "waits": describe_undecided(first) if first else None,
    }


def get_next_refusal(person: Person, stage: Stage, gate: GateStatus) -> str:
    """Why the button that creates the next stage is disabled, without the blockers; "" if it is not."""
    refusal = get_refusal(check_open_next_stage, person, stage, gate)
    if refusal and stage.closed_at is None and not gate.is_open:
        return _(
            "The gate is closed, see the blockers above. Only an admin can create the next stage now, with a reason."
        )
    return refusal


def _list_payments(gate: GateStatus, history: History) -> list[dict[str, object]]:
    rubrics = {iteration.number: queries.load_rubric(iteration) for iteration in history.iterations}
    counted = {game.number for game in gate.streak.games}
    states = {
        ABOVE: ("fail", _("fails")),
        AMBER: ("pending", _("no success")),
        UNREPORTED: ("pending", _("not reported")),
    }
    return [
        {
            "iteration": step.iteration,
            "figures": game,
            "cost": queries.cost_text(game, rubrics[step.iteration]),
            "state": states.get(get_cost_state(game.cost_usd, read_rules(rubrics[step.iteration])), ("", "")),
            "counts": game.number in counted,
        }
        for step in gate.streak.steps
        for game in step.games
    ]


def _describe_cache(cache: CacheRate) -> dict[str, object]:
    notes = (
        (cache.unweighted, _("Counted with the usual number of input tokens: %(games)s.")),
        (cache.by_hand, _("Entered by hand: %(games)s.")),
    )
    return {
        "text": _("not known") if cache.rate is None else f"{figure(100 * cache.rate, cache.percent)}\u00a0%",
        "needed": f"{figure(cache.percent)}\u00a0%",
        "tone": {True: "pass", False: "fail", None: "pending"}[cache.passes],
        "notes": [note % {"games": ", ".join(map(str, sorted(games)))} for games, note in notes if games],
    }


def _list_conditions(project: Project) -> list[str]:
    """What the gate of the first stage asks for, under the rubric version of the project's unsorted games."""
    unsorted = Iteration.objects.select_related("rubric_version").get(project=project, stage=None)
    rubric = unsorted.rubric_version.to_record()
    rules = read_rules(rubric)
    needs = {
        "row": int(rubric.parameters["successes_in_a_row"]),
        "needed": rules.needed,
        "of": len(rubric.criteria),
        "cost": figure(rules.amber, decimals=2),
        "cache": figure(float(rubric.parameters["cache_hit_percent"])),
    }
    return [
        _("%(row)d successes in a row, each with %(needed)d of %(of)d averages passing") % needs,
        _("every game of them below %(cost)s dollars") % needs,
        _("a cache hit rate above %(cache)s\u00a0%% over their games") % needs,
        _("a lead's signed statement that the games are fascinating to watch"),
    ]


@require("change_stage", methods=("GET", "POST"))
def edit_stage(request: SignedIn, slug: str, stage: int) -> HttpResponse:
    row = stage_or_404(request.user, slug, stage)
    check_change_stage(request.user, row)
    why = get_refusal(queries.refuse_new_rules, row)
    form_class = StageTextsForm if why else StageForm
    stored = {name: getattr(row, name) for name in StagePlan.__struct_fields__}

    def change(form: Form) -> str:
        plan = StagePlan(**(stored | form.cleaned_data))
        change_stage(stage=row, plan=plan, by=request.user, now=timezone.now())
        return reverse("stage_gate", args=[slug, stage])

    def context() -> dict[str, object]:
        head = build_stage_frame(stage=row, current=GATE)
        return {"head": head, "why_final": why, **frame(request.user, row.project, SECTION)}

    page = "discussions/gates/edit_stage.html"
    return form_page(
        request, form_class, change, page=page, context=context, initial=stored, refuse=kept_status
    )
