"""The form for planning a baseline or a change: the reference, the proposed target, and what differs."""

import msgspec
from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.core.iteration_states import BASELINE, CHANGE
from discussions.iterations.core.figures import GameFigures
from discussions.iterations.core.history import History, HistoryIteration
from discussions.iterations.core.next_target import TargetAdvice, describe_target
from discussions.iterations.core.prompt_diff import PromptDiff, prompt_diff
from discussions.iterations.queries import load_batches, load_rubric, propose_target
from discussions.models import Iteration, Stage
from discussions.planning.core import Plan, PlanFault, get_game_count, most_hunks, plan_faults
from discussions.planning.pages.how_many import HowMany, build_how_many
from discussions.planning.permissions import check_open_iteration
from discussions.planning.queries import why_no_change
from rubric.core.records import DISCUSSION, RubricRecord
from rubric.models import RubricVersion
from workspace.access.permissions import get_refusal
from workspace.core.canonical import bytes_hash
from workspace.models import Person

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


class PlanPage(Struct, frozen=True):
    """What the page shows around the form. `number` is that of the iteration being edited, 0 for a new one.

    `how_many` says what each number of games can find. `refusal` disables the button, `change_refusal` the choice of a
    change.
    """

    kind: str
    number: int
    reference: HistoryIteration | None
    target: TargetAdvice | None
    diff: PromptDiff | None
    how_many: HowMany | None
    refusal: str
    change_refusal: str


def build_plan_page(
    *,
    stage: Stage,
    history: History,
    kind: str,
    person: Person,
    prompt: str | None = None,
    target: str = "",
    least_games: object = None,
    iteration: Iteration | None = None,
) -> PlanPage:
    """The page for a plan of that kind; with a `prompt`, its difference from the reference's.

    `target` and `least_games` are the values in the form.
    """
    reference = find_reference(history, iteration) if kind == CHANGE else None
    closed = get_refusal(check_open_iteration, person, stage)
    undecided = why_no_change(history)
    change_refusal = closed or (undecided.says if undecided else "")
    diff = None
    if reference and prompt is not None:
        diff = prompt_diff(load_prompt(reference), prompt, allowed=most_hunks(load_rubric(reference)))
    newest = reference or history.reference
    proposed = describe_target(propose_target(history, newest)) if newest else None
    rubric, batches = _load_measured(stage, history, reference, iteration)
    return PlanPage(
        kind=kind,
        number=iteration.number if iteration else 0,
        reference=reference,
        target=proposed if reference else None,
        diff=diff,
        how_many=build_how_many(rubric, batches, target or (proposed.key if proposed else ""), least_games),
        refusal=change_refusal if kind == CHANGE and iteration is None else closed,
        change_refusal=change_refusal,
    )


def _load_measured(
    stage: Stage, history: History, reference: HistoryIteration | None, iteration: Iteration | None
) -> tuple[RubricRecord, list[list[GameFigures]]]:
    """The rubric version under which the games will probably be judged, and the project's games under it."""
    like = reference or (history.find(iteration.pk) if iteration else history.baseline)
    if like is not None:
        return load_rubric(like), load_batches(stage.project_id, like.rubric_version)
    rows = Iteration.objects.select_related("rubric_version")
    version = rows.get(project=stage.project_id, stage=None).rubric_version
    return version.to_record(), load_batches(stage.project_id, version.pk)


def find_reference(history: History, iteration: Iteration | None) -> HistoryIteration | None:
    """The iteration that a stored change is compared with; without one, that of the next change."""
    return history.find(iteration.compared_with_id) if iteration else history.reference


def first_kind(history: History) -> str:
    """The kind that is opened next in the stage by default."""
    return BASELINE if history.reference is None else CHANGE


def load_prompt(reference: HistoryIteration) -> str:
    """The prompt of an iteration; one query."""
    return Iteration.objects.values_list("prompt", flat=True).get(pk=reference.id)


def versions_for() -> list[tuple[str, str]]:
    """The published versions that a baseline can be judged by, as choices."""
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
    """All faults of the plan as typed."""
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
    """The newest baseline's protocol and the reference's prompt; for the first one, the unsorted games' protocol."""
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
    """The initial values of the form for an existing iteration."""
    material = msgspec.json.decode(iteration.material, type=dict[str, float])
    return {
        **{f"material-{key}": value for key, value in material.items()},
        **{name: getattr(iteration, name) for name in STORED_FIELDS},
        "rubric_version": str(iteration.rubric_version_id),
    }
