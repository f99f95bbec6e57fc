"""Open and edit iterations of a stage before they have games; change the rules that apply once something is rated."""

from datetime import datetime
from typing import Any

import msgspec
from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _
from msgspec import Struct
from msgspec.structs import asdict

from discussions.core.iteration_states import BASELINE, BLIND_FIRST, CHANGE, IMPORTING, QUESTION
from discussions.iterations.actions.opening import check_evaluator_count
from discussions.iterations.core.history import HistoryIteration
from discussions.iterations.permissions import check_change_iteration
from discussions.iterations.queries import load_history, load_rubric, refuse_replay
from discussions.models import Iteration, RatingRule, Stage
from discussions.models.iterations import IDENTIFICATIONS, REVEALS
from discussions.models.queue_rules import FLAG_RULES, MOST_REOPEN_MINUTES, load_rating_rule
from discussions.planning.core import Plan, get_game_count, material_differences, most_hunks, plan_faults
from discussions.planning.permissions import check_open_iteration
from discussions.planning.queries import (
    compare_with_reference,
    load_prompt,
    refuse_change,
    refuse_new_plan,
    refuse_new_protocol,
)
from rubric.core.records import DISCUSSION, RubricRecord
from rubric.models import RubricVersion
from rubric.models.rubrics import PUBLISHED
from workspace.audit.actions import record_event
from workspace.core.canonical import bytes_hash
from workspace.core.limits import LONGEST_NAME
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.models import Person, Project


class Protocol(Struct, frozen=True):
    """How the games of a baseline are judged; a change is judged like its reference."""

    rubric_version: RubricVersion
    evaluator_count: int = 1
    reveal: str = BLIND_FIRST
    identification: str = QUESTION


def open_baseline(*, stage: Stage, plan: Plan, protocol: Protocol, by: Person, now: datetime) -> Iteration:
    """Open a baseline for import. Later changes of the stage are compared with it.

    A second baseline is a fresh control. Raises NotAllowed; Unacceptable for an invalid plan or protocol.
    """
    check_open_iteration(by, stage)
    _check_protocol(protocol)
    plan = plan.tidied()
    rubric = protocol.rubric_version.to_record()
    for fault in plan_faults(plan, BASELINE, rubric):
        raise fault
    with transaction.atomic():
        return _insert_iteration(_lock_stage(stage, by), BASELINE, plan, rubric, asdict(protocol), by, now)


def open_change(*, stage: Stage, plan: Plan, compared_with: int, by: Person, now: datetime) -> Iteration:
    """Open a change for import, against the stage's reference, whose row the page showed as `compared_with`.

    Raises NotAllowed (no baseline yet, or an earlier change is not decided); Unacceptable for an invalid plan;
    Conflict when the reference has changed.
    """
    check_open_iteration(by, stage)
    plan = plan.tidied()
    with transaction.atomic():
        locked = _lock_stage(stage, by)
        history = load_history(locked)
        refuse_change(history)
        reference, baseline = history.reference, history.baseline
        assert reference is not None and baseline is not None
        if reference.id != compared_with:
            says = _(
                "The reference is iteration %(number)d by now. Nothing was created; look at it, then create the change."
            )
            raise Conflict(says % {"number": reference.number}, code="reference_changed")
        rubric = load_rubric(reference)
        compared = compare_with_reference(plan, history, reference)
        for fault in plan_faults(plan, CHANGE, rubric, **compared):
            raise fault
        given = {"compared_with_id": reference.id, "baseline_id": baseline.id} | _judged_like(reference)
        return _insert_iteration(locked, CHANGE, plan, rubric, given, by, now, compared["hunk_count"])


def replay_reference(*, iteration: Iteration, by: Person, now: datetime) -> Iteration:
    """Open an iteration that plays a reference's prompt again, judged like it; its games count with the reference's.

    `iteration` is the reference, or a re-play of it, fetched with its stage. Raises NotAllowed: not a lead, a closed
    stage, no reference, or an iteration of this prompt still takes games.
    """
    stage = iteration.stage
    if stage is None:
        raise NotAllowed(_("Unsorted games belong to no prompt that could be played again."))
    check_open_iteration(by, stage)
    with transaction.atomic():
        locked = _lock_stage(stage, by)
        history = load_history(locked)
        row = history.find(iteration.replay_of_id or iteration.pk)
        assert row is not None
        refuse_replay(history, row)
        rubric = load_rubric(row)
        name = _("%(name)s, played again") % {"name": row.name[: LONGEST_NAME - 20]}
        plan = Plan(name=name, prompt=load_prompt(row), least_games=get_game_count(rubric, CHANGE))
        given = {"replay_of_id": row.id} | _judged_like(row)
        return _insert_iteration(locked, BASELINE, plan, rubric, given, by, now)


def edit_iteration(
    *, iteration: Iteration, plan: Plan, by: Person, now: datetime, protocol: Protocol | None = None
) -> None:
    """Change the plan of an iteration that has no games yet; its reference stays.

    A `protocol` changes how the games of a baseline are judged, while no change depends on it. Raises NotAllowed (also
    once a game is imported or being imported); Unacceptable for an invalid plan or protocol.
    """
    stage = iteration.stage
    if stage is None:
        raise NotAllowed(_("The unsorted iteration has no plan: it only holds games until they are sorted."))
    check_open_iteration(by, stage)
    plan = plan.tidied()
    with transaction.atomic():
        _lock_stage(stage, by)
        rows = Iteration.objects.select_related("rubric_version", "project")
        locked = rows.select_for_update(of=("self",), no_key=True).get(pk=iteration.pk)
        refuse_new_plan(locked)
        judged = _set_protocol(locked, protocol) if protocol else {}
        rubric = locked.rubric_version.to_record()
        compared: dict[str, Any] = {}
        if locked.compared_with_id is not None:
            history = load_history(stage)
            reference = history.find(locked.compared_with_id)
            assert reference is not None
            compared = compare_with_reference(plan, history, reference)
        for fault in plan_faults(plan, locked.kind, rubric, **compared):
            raise fault
        columns = _columns(plan, locked.kind, rubric, compared.get("hunk_count", 0))
        for name, value in columns.items():
            setattr(locked, name, value)
        locked.save(update_fields=[*columns, *judged])
        _record_plan(locked, "iteration:replanned", by, now, **judged)


def _set_protocol(iteration: Iteration, protocol: Protocol) -> dict[str, object]:
    refuse_new_protocol(iteration)
    _check_protocol(protocol)
    judged = asdict(protocol)
    for name, value in judged.items():
        setattr(iteration, name, value)
    return judged | {"rubric_version": iteration.rubric_version_id}


def _judged_like(reference: HistoryIteration) -> dict[str, Any]:
    return {
        "rubric_version_id": reference.rubric_version,
        "evaluator_count": reference.evaluator_count,
        "reveal": reference.reveal,
        "identification": reference.identification,
    }


def _lock_stage(stage: Stage, by: Person) -> Stage:
    Project.objects.select_for_update(no_key=True).get(pk=stage.project_id)
    locked = Stage.objects.select_related("project").get(pk=stage.pk)
    check_open_iteration(by, locked)
    return locked


def _check_protocol(protocol: Protocol) -> None:
    version = protocol.rubric_version
    if version.state != PUBLISHED or version.rubric.kind != DISCUSSION:
        raise Unacceptable(_("Choose a published version of a discussion rubric."), field="rubric_version")
    check_evaluator_count(protocol.evaluator_count)
    if protocol.reveal not in dict(REVEALS):
        raise Unacceptable(_("Choose when evaluators see the automatic findings."), field="reveal")
    if protocol.identification not in dict(IDENTIFICATIONS):
        raise Unacceptable(_("Choose the question or the test."), field="identification")


def _columns(plan: Plan, kind: str, rubric: RubricRecord, hunk_count: int) -> dict[str, Any]:
    is_change = kind == CHANGE
    return {
        "name": plan.name,
        "prompt": plan.prompt,
        "prompt_sha256": bytes_hash(plan.prompt.encode()),
        "change_note": plan.change_note,
        "least_games": plan.least_games,
        "target": plan.target if is_change else "",
        "material": msgspec.json.encode(material_differences(plan, rubric) if is_change else {}).decode(),
        "hunk_count": hunk_count,
        "hunks_answer": plan.hunks_answer if hunk_count > most_hunks(rubric) else "",
    }


def _insert_iteration(
    stage: Stage,
    kind: str,
    plan: Plan,
    rubric: RubricRecord,
    given: dict[str, Any],
    by: Person,
    now: datetime,
    hunk_count: int = 0,
) -> Iteration:
    newest = Iteration.objects.filter(project=stage.project_id).aggregate(newest=Max("number"))["newest"]
    made = Iteration.objects.create(
        project=stage.project,
        stage=stage,
        number=(newest or 0) + 1,
        kind=kind,
        state=IMPORTING,
        created_at=now,
        created_by=by,
        **_columns(plan, kind, rubric, hunk_count),
        **given,
    )
    _record_plan(made, "iteration:opened", by, now)
    return made


def change_rating_rule(
    *,
    project: Project,
    flags: str,
    reopen_minutes: int,
    shows_differences: bool,
    records_at_submit: bool,
    by: Person,
    now: datetime,
) -> RatingRule:
    """Set the rules that apply in a project once something is rated. The same rules change nothing.

    Raises NotAllowed for everybody but leads, Unacceptable for an unknown rule of flags or too long a time.
    """
    check_change_iteration(by, project)
    if flags not in dict(FLAG_RULES):
        raise Unacceptable(_("Choose what an open flag does."), field="flags", code="unknown")
    if not 0 <= reopen_minutes <= MOST_REOPEN_MINUTES:
        says = _("The time to reopen lies between 0 and %(most)d minutes.") % {"most": MOST_REOPEN_MINUTES}
        raise Unacceptable(says, field="reopen_minutes", code="range")
    after = {
        "flags": flags,
        "reopen_minutes": reopen_minutes,
        "shows_differences": shows_differences,
        "records_at_submit": records_at_submit,
    }
    with transaction.atomic():
        Project.objects.select_for_update(no_key=True).get(pk=project.pk)
        rule = load_rating_rule(project.pk)
        before = {name: getattr(rule, name) for name in after}
        if before == after:
            return rule
        made = after | {"changed_at": now, "changed_by": by}
        rule, _is_new = RatingRule.objects.update_or_create(project=project, defaults=made)
        record_event(
            "rating_rules:changed", project, by=by, now=now, detail={"before": before, "after": after}
        )
    return rule


def _record_plan(iteration: Iteration, verb: str, by: Person, now: datetime, **more: object) -> None:
    detail = more | {
        "number": iteration.number,
        "kind": iteration.kind,
        "prompt_sha256": iteration.prompt_sha256,
        "compared_with": iteration.compared_with_id,
        "replay_of": iteration.replay_of_id,
        "target": iteration.target,
        "material": msgspec.json.decode(iteration.material),
        "hunk_count": iteration.hunk_count,
    }
    record_event(verb, iteration, by=by, now=now, detail=detail)
