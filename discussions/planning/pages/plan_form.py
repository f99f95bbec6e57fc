"""The form on which a baseline or a change is planned: the reference, the proposed target, and what differs."""

import msgspec
from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.core.iteration_states import BASELINE, CHANGE
from discussions.iterations.core.history import History, HistoryIteration
from discussions.iterations.core.next_target import Margin, NextTarget, next_target
from discussions.iterations.core.prompt_diff import PromptDiff, prompt_diff
from discussions.iterations.queries import load_rubric
from discussions.metrics.core.registry import METRICS
from discussions.models import Iteration, Stage
from discussions.planning.core import Plan, PlanFault, most_hunks, plan_faults
from discussions.planning.permissions import check_open_iteration
from discussions.planning.queries import why_no_change
from rubric.core.records import DISCUSSION, RubricRecord
from rubric.models import RubricVersion
from workspace.access.permissions import get_refusal
from workspace.core.canonical import bytes_hash
from workspace.core.text import figure
from workspace.models import Person

# What a baseline is judged by has no part in whether its plan can be.
NO_METRICS = RubricRecord(name="", version="", kind=DISCUSSION, criteria=[], parameters={}, lists={})


class MarginLine(Struct, frozen=True):
    """One metric with its distance to the threshold, lowest first."""

    label: str
    value: str
    threshold: str
    points: str
    sds: str
    tone: str
    is_proposed: bool
    is_literal: bool


class TargetPart(Struct, frozen=True):
    """The metric that is proposed as target, why, with the rubric's advice on it; `rebound` is what comes by itself."""

    key: str
    label: str
    says: str
    rebound: str
    advice: list[str]
    lines: list[MarginLine]


class ReferencePart(Struct, frozen=True):
    """What the change is compared with, and how its games are judged: a change takes that over."""

    id: int
    number: int
    name: str
    prompt: str
    judged: str


class PlanPage(Struct, frozen=True):
    """What stands around the form. `number` is that of the iteration that is planned anew, 0 for a new one.

    `refusal` greys the button, `change_refusal` the way to a change.
    """

    slug: str
    stage: int
    kind: str
    number: int
    reference: ReferencePart | None
    target: TargetPart | None
    diff: PromptDiff | None
    refusal: str
    change_refusal: str


def build_plan_page(
    *,
    stage: Stage,
    history: History,
    kind: str,
    person: Person,
    prompt: str | None = None,
    iteration: Iteration | None = None,
) -> PlanPage:
    """The page for a plan of that kind; with a `prompt` that is looked at, what differs from the reference's."""
    shown = history.find(iteration.compared_with_id) if iteration else history.reference
    reference = shown if kind == CHANGE else None
    text = _load_prompt(reference) if reference else ""
    closed = get_refusal(check_open_iteration, person, stage)
    undecided = why_no_change(history)
    refusal = closed or (undecided.says if undecided and kind == CHANGE and iteration is None else "")
    return PlanPage(
        slug=stage.project.slug,
        stage=stage.number,
        kind=kind,
        number=iteration.number if iteration else 0,
        reference=_reference(reference, text) if reference else None,
        target=_target(history, reference) if reference else None,
        diff=_diff(reference, text, prompt) if reference and prompt is not None else None,
        refusal=refusal,
        change_refusal=closed or (undecided.says if undecided else ""),
    )


def _diff(reference: HistoryIteration, before: str, after: str) -> PromptDiff:
    return prompt_diff(before, after, allowed=most_hunks(load_rubric(reference)))


def first_kind(history: History) -> str:
    """What is opened next in the stage when nobody says otherwise."""
    return BASELINE if history.reference is None else CHANGE


def propose_target(history: History, reference: HistoryIteration) -> NextTarget:
    """The target that the games of the reference propose."""
    return next_target(reference.figures, load_rubric(reference), earlier=history.earlier(reference))


def _load_prompt(reference: HistoryIteration) -> str:
    return Iteration.objects.values_list("prompt", flat=True).get(pk=reference.id)


def _reference(reference: HistoryIteration, prompt: str) -> ReferencePart:
    given = {"n": reference.evaluator_count}
    judged = _("%(n)d evaluator a game") if reference.evaluator_count == 1 else _("%(n)d evaluators a game")
    return ReferencePart(reference.id, reference.number, reference.name, prompt, judged % given)


def _target(history: History, reference: HistoryIteration) -> TargetPart | None:
    found = propose_target(history, reference)
    if found.target is None:
        return None
    return TargetPart(
        key=found.target.key,
        label=found.target.label,
        says=found.says,
        rebound="" if found.rebound is None else f"+{figure(found.rebound)}",
        advice=found.target.advice,
        lines=[_line(margin, found) for margin in found.margins],
    )


def _line(margin: Margin, found: NextTarget) -> MarginLine:
    unit = METRICS[margin.key].scale.symbol
    return MarginLine(
        label=margin.label,
        value=figure(margin.value, margin.threshold) + unit,
        threshold=figure(margin.threshold) + unit,
        points=f"{margin.points:+.1f}",
        sds="" if margin.sds is None else f"{margin.sds:+.1f}",
        tone="pass" if margin.points >= 0 else "fail",
        is_proposed=found.target is not None and margin.key == found.target.key,
        is_literal=margin.key == found.literal,
    )


def versions_for() -> list[tuple[str, str]]:
    """The published versions that a baseline can be judged by, as choices."""
    rows = RubricVersion.objects.published().filter(rubric__kind=DISCUSSION).select_related("rubric")
    return [(str(version.pk), str(version)) for version in rows.order_by("-published_at", "-pk")]


def rubric_for(history: History, iteration: Iteration | None) -> RubricRecord:
    """What a change is judged by: what its reference is."""
    reference = history.find(iteration.compared_with_id) if iteration else history.reference
    assert reference is not None
    return load_rubric(reference)


def list_plan_faults(
    plan: Plan, kind: str, history: History, iteration: Iteration | None = None
) -> list[PlanFault]:
    """Everything that is wrong with a plan that was typed."""
    plan = plan.tidied()
    if kind == BASELINE:
        return list(plan_faults(plan, kind, NO_METRICS))
    reference = history.find(iteration.compared_with_id) if iteration else history.reference
    assert reference is not None
    prompt = _load_prompt(reference)
    hunks = prompt_diff(prompt, plan.prompt).hunk_count
    rubric = load_rubric(reference)
    looks = history.looks(reference.id, bytes_hash(plan.prompt.encode()))
    found = plan_faults(plan, kind, rubric, reference_prompt=prompt, hunk_count=hunks, looks=looks)
    return list(found)


def first_texts(stage: Stage, history: History, kind: str) -> dict[str, object]:
    """A new iteration as the form shows it first: the reference's prompt, and for a change the proposed target."""
    reference = history.reference
    if kind == BASELINE or reference is None:
        return _first_baseline(stage, history)
    target = propose_target(history, reference).target
    return {
        "prompt": _load_prompt(reference),
        "target": target.key if target else "",
        "compared_with": reference.id,
        "least_games": get_game_count(load_rubric(reference), CHANGE),
    }


def _first_baseline(stage: Stage, history: History) -> dict[str, object]:
    """The newest baseline's way of judging and the reference's prompt; for the first that of the unsorted games."""
    before = history.baseline
    rows = Iteration.objects.select_related("rubric_version")
    like = rows.get(pk=before.id) if before else rows.get(project=stage.project_id, stage=None)
    return {
        "name": "" if before else _("Baseline"),
        "prompt": _load_prompt(history.reference) if history.reference else "",
        "least_games": get_game_count(like.rubric_version.to_record(), BASELINE),
        "rubric_version": str(like.rubric_version_id),
        "evaluator_count": like.evaluator_count,
        "reveal": like.reveal,
        "identification": like.identification,
    }


def plan_texts(iteration: Iteration) -> dict[str, object]:
    """The plan of an iteration as the form shows it first."""
    material = msgspec.json.decode(iteration.material, type=dict[str, float])
    return {
        **{f"material-{key}": value for key, value in material.items()},
        "name": iteration.name,
        "prompt": iteration.prompt,
        "change_note": iteration.change_note,
        "target": iteration.target,
        "hunks_answer": iteration.hunks_answer,
        "least_games": iteration.least_games,
        "rubric_version": str(iteration.rubric_version_id),
        "evaluator_count": iteration.evaluator_count,
        "reveal": iteration.reveal,
        "identification": iteration.identification,
    }


def get_game_count(rubric: RubricRecord, kind: str) -> int:
    """How many games the rubric asks for in an iteration of that kind."""
    name = "baseline_game_count" if kind == BASELINE else "iteration_game_count"
    return int(rubric.parameters.get(name, 3))
