"""Plan iterations, fill the queue by rules, change rules of rating, and move to newer versions."""

from datetime import datetime
from typing import Any

import msgspec
from django.db import transaction
from django.db.models import Count, Max
from django.utils.translation import gettext as _
from msgspec import Struct
from msgspec.structs import asdict

from discussions.core.intake import EVERYTHING, Filling, list_faults, tidy_filling
from discussions.core.iteration_states import BASELINE, BLIND_FIRST, CHANGE, IMPORTING, QUESTION
from discussions.iterations.actions import check_evaluator_count
from discussions.iterations.core.history import HistoryIteration
from discussions.iterations.permissions import check_change_iteration
from discussions.iterations.queries import load_history, load_rubric, refuse_replay
from discussions.metrics.actions import ask_to_measure, measure_at_once
from discussions.metrics.core.registry import CODE_VERSION, METRICS
from discussions.metrics.queries import outdated_games
from discussions.models import FillRules, Game, Iteration, QueueDraw, RatingRule, Slot, Stage, Verdict
from discussions.models.iterations import IDENTIFICATIONS, REVEALS
from discussions.models.queue_rules import FLAG_RULES, MOST_REOPEN_MINUTES, load_fill_rules, load_rating_rule
from discussions.models.slots import RATING
from discussions.planning.core import Plan, get_game_count, material_differences, most_hunks, plan_faults
from discussions.planning.permissions import (
    check_change_version,
    check_measure_again,
    check_newer,
    check_open_iteration,
)
from discussions.planning.queries import (
    compare_with_reference,
    hash_input,
    load_prompt,
    query_waiting,
    refuse_change,
    refuse_new_plan,
    refuse_new_protocol,
)
from discussions.queries import list_batches
from discussions.slots.actions import sync_slots
from discussions.slots.permissions import check_assign
from discussions.slots.queries import draw_games
from discussions.verdicts.actions import record_verdict
from discussions.verdicts.queries import load_verdict_preview
from rubric.core.records import DISCUSSION, RubricRecord
from rubric.models import RubricVersion
from rubric.models.rubrics import PUBLISHED
from workspace.audit.actions import record_event
from workspace.core.canonical import bytes_hash
from workspace.core.limits import LONGEST_NAME
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.core.text import clean_text
from workspace.database.transactions import allow_long_pauses
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
        detail = {"before": before, "after": after}
        record_event("rating_rules:changed", project, by=by, now=now, detail=detail)
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


MEASURED = [key for key, metric in METRICS.items() if not metric.is_rated]


def check_filling(filling: Filling) -> Filling:
    """The tidied rules. Raises Unacceptable for the first fault of them."""
    tidied = tidy_filling(filling)
    for fault in list_faults(tidied, MEASURED):
        raise fault
    return tidied


def save_filling(
    *, project: Project, filling: Filling, is_applied: bool, by: Person, now: datetime
) -> FillRules | None:
    """Make a new version of the rules, for games that are measured from now on; None where nothing changes.

    With `is_applied` also for those that wait; what somebody has started, assigned, put in or removed stays. Raises
    NotAllowed for everybody but leads, Unacceptable for faulty rules.
    """
    check_assign(by, project)
    tidied = check_filling(filling)
    with transaction.atomic():
        Project.objects.select_for_update(no_key=True).get(pk=project.pk)
        last = load_fill_rules(project.pk)
        if tidied == (last.to_record() if last else EVERYTHING) and not is_applied:
            return last
        rules = FillRules.objects.create(
            project=project,
            number=last.number + 1 if last else 1,
            body=msgspec.json.encode(tidied).decode(),
            is_applied=is_applied,
            created_at=now,
            created_by=by,
        )
        entered, left = _apply(rules, now) if is_applied else (0, 0)
        detail = {"number": rules.number, "is_applied": is_applied, "entered": entered, "left": left}
        record_event("fill_rules:saved", rules, by=by, now=now, detail=detail)
    return rules


def _apply(rules: FillRules, now: datetime) -> tuple[int, int]:
    """Draw all waiting games again, and say how many entered and how many left.

    A game that is drawn twice keeps its number, so it is in by the larger of two shares; this is the chance of games
    that were started after a smaller one.
    """
    entered = left = 0
    for keys in list_batches(query_waiting(rules.project)):
        list(Game.objects.filter(pk__in=keys).order_by("pk").select_for_update(no_key=True).values_list("pk"))
        # Whoever takes a slot at this moment is first, or finds none.
        list(Slot.objects.filter(game__in=keys).order_by("pk").select_for_update().values_list("pk"))
        waiting = query_waiting(rules.project).filter(pk__in=keys)
        before = dict(waiting.values_list("pk", "queue_draw__is_in"))
        draws = draw_games(rules=rules, games=list(before), now=now)
        QueueDraw.objects.filter(game__in=before).delete()
        QueueDraw.objects.bulk_create(draws, batch_size=500)
        sync_slots(games=list(before))
        entered += sum(draw.is_in and before[draw.game_id] is False for draw in draws)
        left += sum(not draw.is_in and before[draw.game_id] is not False for draw in draws)
    _raise_chances(rules, now)
    return entered, left


def _raise_chances(rules: FillRules, now: datetime) -> None:
    games = Game.objects.filter(project=rules.project_id, queue_draw__is_in=True, queue_draw__placed_at=None)
    lower = games.filter(queue_draw__chance__lt=1).exclude(queue_draw__rules=rules)
    for keys in list_batches(lower):
        new = {draw.game_id: draw.chance for draw in draw_games(rules=rules, games=keys, now=now)}
        rows = list(QueueDraw.objects.filter(game__in=keys))
        for row in rows:
            row.chance = max(row.chance, new[row.game_id])
        QueueDraw.objects.bulk_update(rows, ["chance"], batch_size=500)


def place_game(*, game: Game, is_in: bool, by: Person, now: datetime) -> QueueDraw | None:
    """Put a game into the queue by hand, or remove it for good: no rule brings it back. None where nothing changes.

    Started evaluations of a removed game continue. A game put in that was not drawn counts in no weighted estimate.
    Raises NotAllowed for everybody but leads, and for a game that is withdrawn or has a verdict.
    """
    check_assign(by, game.project)
    with transaction.atomic():
        rows = Game.objects.select_related("iteration", "project").select_for_update(
            of=("self",), no_key=True
        )
        locked = rows.get(pk=game.pk)
        if locked.withdrawn_at or Verdict.objects.filter(game=locked).exists():
            raise NotAllowed(_("A game that is withdrawn or has a verdict is not in the queue."), code="over")
        draw = QueueDraw.objects.filter(game=locked).first() or QueueDraw(
            game=locked, is_in=True, drawn_at=now
        )
        if draw.is_in == is_in:
            return None
        if is_in and draw.placed_at is None:
            draw.chance = 0.0
        draw.is_in, draw.placed_at, draw.placed_by = is_in, now, by
        draw.save()
        if locked.iteration.has_slots and locked.measurements.exists():
            sync_slots(games=[locked.pk])
        verb = "game:put_in" if is_in else "game:taken_out"
        record_event(verb, locked, by=by, now=now, detail={"game": locked.number})
    return draw


def move_to_version(
    *, iteration: Iteration, version: RubricVersion, shown: str, reason: str, by: Person, now: datetime
) -> dict[str, list[int]]:
    """Judge the iteration by that version from now on; older measurements and verdicts stay beside the new ones.

    Every game is measured under the version. Each verdict that stands is superseded by one under the version, with the
    reason, where people's judgements are enough for it; a game that lacks labels or a decision waits, and counts as not
    rated until then. Gives the numbers of games of both kinds, `recorded` and `waiting`. `shown` is the hash of the
    preview on the page. Raises NotAllowed, Unacceptable without a reason, Conflict when something that the preview
    rests on has changed.
    """
    check_change_version(by, iteration)
    reason = clean_text(reason, field="reason", ask=_("Say why: the reason is kept with every new verdict."))
    with transaction.atomic():
        # Measuring a large iteration takes longer than a transaction may be without a statement.
        allow_long_pauses()
        rows = Iteration.objects.select_related("project", "rubric_version")
        locked = rows.select_for_update(of=("self",), no_key=True).get(pk=iteration.pk)
        # Locked before they are read, since somebody may record or submit at this moment.
        list(
            Game.objects.filter(iteration=locked)
            .order_by("pk")
            .select_for_update(no_key=True)
            .values_list("pk")
        )
        check_change_version(by, locked)
        check_newer(locked, version)
        if hash_input(locked, version) != shown:
            says = _(
                "Something was judged or recorded after this page was shown. Nothing was moved; "
                "check the preview again."
            )
            raise Conflict(says, code="preview_changed")
        before, locked.rubric_version = locked.rubric_version, version
        locked.save(update_fields=["rubric_version"])
        measure_at_once(iteration=locked, by=by, now=now)
        moved = _record_anew(locked, f"{version}: {reason}", by, now)
        detail = {"number": locked.number, "from": before.number, "to": locked.rubric_version.number}
        detail |= {"reason": reason, **moved}
        record_event("iteration:moved_to_version", locked, by=by, now=now, detail=detail)
    return moved


def measure_again(*, project: Project, by: Person, now: datetime) -> int:
    """Queue the measuring of the project's games that another version of the code measured; return how many they are.

    Older measurements stay, and so do verdicts with the basis that they were recorded on. Without such games nothing
    happens. Raises NotAllowed.
    """
    check_measure_again(by, project)
    with transaction.atomic():
        games = outdated_games().filter(project=project).order_by()
        counts = dict(games.values_list("iteration").annotate(Count("pk")))
        iterations = Iteration.objects.filter(pk__in=counts).select_related("project", "rubric_version")
        for iteration in iterations.order_by("pk"):
            ask_to_measure(iteration=iteration, by=by, now=now, again=True)
        count = sum(counts.values())
        if count:
            detail = {"games": count, "code": CODE_VERSION}
            record_event("project:measured_again", project, by=by, now=now, detail=detail)
    return count


def _record_anew(iteration: Iteration, reason: str, by: Person, now: datetime) -> dict[str, list[int]]:
    moved: dict[str, list[int]] = {"recorded": [], "waiting": []}
    # Verdicts of withdrawn games too: such a game may count again, and only verdicts under one version are compared.
    judged = Verdict.objects.filter(game__iteration=iteration).not_superseded()
    rows = Game.objects.select_related("iteration__rubric_version", "transcript", "project")
    for game in rows.filter(pk__in=judged.values("game")).order_by("number"):
        preview = load_verdict_preview(game)
        if preview is None or not preview.is_complete:
            moved["waiting"].append(game.number)
            continue
        record_verdict(game=game, basis_sha256=preview.basis_sha256, by=by, now=now, reason=reason)
        moved["recorded"].append(game.number)
    # They wait for a verdict again, among all others that wait.
    submitted = Slot.objects.filter(purpose=RATING, is_closed=True, evaluator__isnull=False)
    waiting = submitted.filter(game__iteration=iteration, game__number__in=moved["waiting"])
    waiting.update(awaiting_since=now)
    return moved
