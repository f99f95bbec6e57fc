"""The form that plans a baseline or a change: the reference, the proposed target, what differs, and how many games."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from discussions.comparison.labels import points_text, say_how_often
from discussions.core.iteration_states import BASELINE, CHANGE
from discussions.iterations.core.figures import GameFigures
from discussions.iterations.core.history import History, HistoryIteration
from discussions.iterations.core.next_target import describe_target
from discussions.iterations.core.prompt_diff import prompt_diff
from discussions.iterations.queries import load_batches, load_history, load_rubric, propose_target
from discussions.iterations.views import SECTION, build_stage_frame, iteration_or_404, stage_or_404
from discussions.models import Iteration, Stage
from discussions.models.iterations import LEAST_GAMES
from discussions.planning.actions import plans as actions
from discussions.planning.actions.plans import Protocol
from discussions.planning.core import (
    MOST_GAMES,
    FindChance,
    Plan,
    PlanFault,
    get_game_count,
    list_find_chances,
    most_hunks,
    plan_faults,
)
from discussions.planning.forms import BaselineForm, ChangeForm, PlanForm
from discussions.planning.permissions import check_open_iteration
from discussions.planning.queries import why_no_change
from rubric.core.records import DISCUSSION, RubricRecord
from rubric.models import RubricVersion
from workspace.access.permissions import get_refusal
from workspace.core.canonical import bytes_hash
from workspace.core.refusals import Malformed, NotAllowed, Refusal
from workspace.models import Person
from workspace.web.bind_form import bind_form, kept_status, only_parameters
from workspace.web.frame import frame
from workspace.web.require import SignedIn, require
from workspace.web.respond import respond

# The plan of a baseline is checked without a rubric.
NO_METRICS = RubricRecord(name="", version="", kind=DISCUSSION, criteria=[], parameters={}, lists={})

# Fields of the form that an iteration stores under the same name.
STORED_FIELDS = (
    "name",
    "prompt",
    "change_note",
    "target",
    "hunks_answer",
    "least_games",
    "evaluator_count",
    "reveal",
    "identification",
)


@require("open_iteration", methods=("GET", "POST"))
def open_iteration(request: SignedIn, slug: str, stage: int) -> HttpResponse:
    """Show a form for the next iteration; `kind` is baseline or change. Redirects to the new iteration."""
    row = stage_or_404(request.user, slug, stage)
    wanted = only_parameters(request, "kind")["kind"]
    if wanted not in ("", BASELINE, CHANGE):
        raise Malformed(_("An iteration is a baseline or a change. Open the page again."))
    history = load_history(row)
    kind = wanted if history.reference else BASELINE
    return _plan(request, row, history, kind or first_kind(history))


@require("open_iteration", methods=("GET", "POST"))
def edit_iteration(request: SignedIn, slug: str, iteration: int) -> HttpResponse:
    only_parameters(request)
    row = iteration_or_404(request.user, slug, iteration)
    if row.stage is None:
        raise NotAllowed(
            _("The unsorted iteration has no plan: it only holds games until they are sorted."),
            code="unsorted",
        )
    stage = stage_or_404(request.user, slug, row.stage.number)
    return _plan(request, stage, load_history(stage), row.kind, row)


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
        if self.form_class is ChangeForm:
            return {"rubric": rubric_for(self.history, self.iteration)}
        return {"versions": versions_for()} if self.form_class is BaselineForm else {}

    def fresh_form(self) -> PlanForm:
        texts = (
            plan_texts(self.iteration) if self.iteration else first_texts(self.stage, self.history, self.kind)
        )
        return self.form_class(initial=texts, **self.form_arguments)


def _add_faults(form: PlanForm, view: PlanView) -> bool:
    faults = list_plan_faults(form.to_plan(), view.kind, view.history, view.iteration)
    for fault in faults:
        form.add_error(fault.field if fault.field in form.fields else None, fault.says)
    return bool(faults)


def _save(request: SignedIn, view: PlanView, form: PlanForm) -> int:
    plan, now = form.to_plan(), timezone.now()
    protocol = _protocol(form.cleaned_data) if isinstance(form, BaselineForm) else None
    if view.iteration is not None:
        actions.edit_iteration(
            iteration=view.iteration, plan=plan, protocol=protocol, by=request.user, now=now
        )
        return view.iteration.number
    if view.kind == CHANGE:
        reference = form.cleaned_data["compared_with"] or 0
        made = actions.open_change(
            stage=view.stage, plan=plan, compared_with=reference, by=request.user, now=now
        )
        return made.number
    assert protocol is not None
    made = actions.open_baseline(stage=view.stage, plan=plan, protocol=protocol, by=request.user, now=now)
    return made.number


def _protocol(typed: dict[str, Any]) -> Protocol:
    values = {name: typed[name] for name in Protocol.__struct_fields__}
    values["rubric_version"] = RubricVersion.objects.select_related("rubric").get(pk=typed["rubric_version"])
    return Protocol(**values)


def _show_plan(
    request: SignedIn, view: PlanView, form: PlanForm, *, is_fine: bool = False, status: int = 200
) -> HttpResponse:
    """Show the form, and after a POST also the difference from the reference's prompt."""
    context = {
        **_plan_context(view, form, request.user),
        "form": form,
        "is_fine": is_fine,
        "head": build_stage_frame(
            stage=view.stage, current="open_iteration", newest=view.history.newest_change
        ),
        **frame(request.user, view.stage.project, SECTION),
    }
    return respond(request, page="discussions/planning/plan.html", context=context, status=status)


def _plan_context(view: PlanView, form: PlanForm, person: Person) -> dict[str, object]:
    """What the page shows around the form. Refusals disable the button, and the choice of a change."""
    stage, history, kind, iteration = view
    reference = find_reference(history, iteration) if kind == CHANGE else None
    closed = get_refusal(check_open_iteration, person, stage)
    undecided = why_no_change(history)
    change_refusal = closed or (undecided.says if undecided else "")
    diff = None
    if reference and form.is_bound:
        allowed = most_hunks(load_rubric(reference))
        diff = prompt_diff(load_prompt(reference), form.data.get("prompt", ""), allowed=allowed)
    newest = reference or history.reference
    proposed = describe_target(propose_target(history, newest)) if newest else None
    rubric, batches = _load_measured(view, reference)
    target = str(form["target"].value() or "") if "target" in form.fields else ""
    target = target or (proposed.key if proposed else "")
    return {
        "kind": kind,
        "iteration": iteration,
        "reference": reference,
        "target": proposed if reference else None,
        "diff": diff,
        "how_many": build_how_many(rubric, batches, target, form["least_games"].value()),
        "refusal": change_refusal if kind == CHANGE and iteration is None else closed,
        "change_refusal": change_refusal,
    }


def _load_measured(
    view: PlanView, reference: HistoryIteration | None
) -> tuple[RubricRecord, list[list[GameFigures]]]:
    """The rubric version under which the games will probably be judged, and the project's games under it."""
    project, history = view.stage.project_id, view.history
    like = reference or (history.find(view.iteration.pk) if view.iteration else history.baseline)
    if like is not None:
        return load_rubric(like), load_batches(project, like.rubric_version)
    version = (
        Iteration.objects.select_related("rubric_version").get(project=project, stage=None).rubric_version
    )
    return version.to_record(), load_batches(project, version.pk)


def find_reference(history: History, iteration: Iteration | None) -> HistoryIteration | None:
    """The iteration that a stored change is compared with; without one, that of the next change."""
    return history.find(iteration.compared_with_id) if iteration else history.reference


def first_kind(history: History) -> str:
    return BASELINE if history.reference is None else CHANGE


def load_prompt(reference: HistoryIteration) -> str:
    return Iteration.objects.values_list("prompt", flat=True).get(pk=reference.id)


def versions_for() -> list[tuple[str, str]]:
    rows = RubricVersion.objects.published().filter(rubric__kind=DISCUSSION).select_related("rubric")
    return [(str(version.pk), str(version)) for version in rows.order_by("-published_at", "-pk")]


def rubric_for(history: History, iteration: Iteration | None) -> RubricRecord:
    """The rubric version of a change: that of its reference."""
    reference = find_reference(history, iteration)
    assert reference is not None
    return load_rubric(reference)


def list_plan_faults(
    plan: Plan, kind: str, history: History, iteration: Iteration | None = None
) -> list[PlanFault]:
    plan = plan.tidied()
    if kind == BASELINE:
        return list(plan_faults(plan, kind, NO_METRICS))
    reference = find_reference(history, iteration)
    assert reference is not None
    prompt = load_prompt(reference)
    return list(
        plan_faults(
            plan,
            kind,
            load_rubric(reference),
            reference_prompt=prompt,
            hunk_count=prompt_diff(prompt, plan.prompt).hunk_count,
            looks=history.looks(reference.id, bytes_hash(plan.prompt.encode())),
        )
    )


def first_texts(stage: Stage, history: History, kind: str) -> dict[str, object]:
    """Initial values of the form for a new iteration: the reference's prompt, and for a change the proposed target."""
    reference = history.reference
    if kind == BASELINE or reference is None:
        return _first_baseline(stage, history)
    target = propose_target(history, reference).target
    return {
        "prompt": load_prompt(reference),
        "target": target.key if target else "",
        "compared_with": reference.id,
        "least_games": get_game_count(load_rubric(reference), CHANGE),
    }


def _first_baseline(stage: Stage, history: History) -> dict[str, object]:
    before = history.baseline
    rows = Iteration.objects.select_related("rubric_version")
    like = rows.get(pk=before.id) if before else rows.get(project=stage.project_id, stage=None)
    return {
        "name": "" if before else _("Baseline"),
        "prompt": load_prompt(history.reference) if history.reference else "",
        "least_games": get_game_count(like.rubric_version.to_record(), BASELINE),
        "rubric_version": str(like.rubric_version_id),
        "evaluator_count": like.evaluator_count,
        "reveal": like.reveal,
        "identification": like.identification,
    }


def plan_texts(iteration: Iteration) -> dict[str, object]:
    material = msgspec.json.decode(iteration.material, type=dict[str, float])
    return {
        **{f"material-{key}": value for key, value in material.items()},
        **{name: getattr(iteration, name) for name in STORED_FIELDS},
        "rubric_version": str(iteration.rubric_version_id),
    }


class HowMany:
    """What each number of games can find: a sentence on one metric, the source of its spread, and all metrics.

    `sizes` are the column headings.
    """

    def __init__(self, chances: Sequence[FindChance], told: FindChance) -> None:
        self.says = _describe_chance(told)
        self.source = _describe_spread(told)
        self.sizes = [_("%(size)d against %(size)d") % {"size": size} for size, _chance in told.sizes]
        self.lines = [
            {
                "label": line.label,
                "gain": points_text(line.gain, line.span),
                "chances": [say_how_often(chance) for _size, chance in line.sizes],
                "is_own": line.is_own,
            }
            for line in chances
        ]


def build_how_many(
    rubric: RubricRecord, batches: Sequence[Sequence[GameFigures]], key: str, least_games: object
) -> HowMany | None:
    """What to know when choosing the number of games; `key` is the target, else the sentence is about the first metric.

    `least_games` is the text in the form, perhaps not a number. None for a rubric without metrics.
    """
    chances = list_find_chances(rubric, batches, read_size(least_games))
    if not chances:
        return None
    return HowMany(chances, next((line for line in chances if line.key == key), chances[0]))


def read_size(typed: object) -> int:
    text = str(typed).strip()
    size = int(text) if text.isascii() and text.isdigit() and len(text) < 5 else 0
    return size if 1 <= size <= MOST_GAMES else LEAST_GAMES


def _describe_chance(line: FindChance) -> str:
    (few, first), (many, second) = line.sizes
    says = _(
        "%(few)d against %(few)d finds a gain of %(gain)s in %(label)s %(often)s; %(many)d against %(many)d "
        "%(oftener)s."
    )
    return says % {
        "few": few,
        "many": many,
        "gain": points_text(line.gain, line.span),
        "label": line.label.lower(),
        "often": say_how_often(first),
        "oftener": say_how_often(second, is_short=True),
    }


def _describe_spread(line: FindChance) -> str:
    gain = {"gain": points_text(line.gain, line.span), "label": line.label.lower()}
    if line.is_own:
        return _("By so much, %(gain)s, games of this project under one prompt usually differ.") % gain
    return (
        _("This project has too few games to know how much they differ under one prompt; %(gain)s is usual.")
        % gain
    )
