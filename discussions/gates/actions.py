"""Stages: opened, signed, and closed when the next one is opened through its door."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.core.iteration_states import AVERAGE, ITERATION
from discussions.gates.core import GateStatus, Signed
from discussions.gates.permissions import (
    check_change_stage,
    check_open_next_stage,
    check_open_stage,
    check_sign_stage,
    check_stage_open,
)
from discussions.gates.queries import compute_stage_gate, why_rules_are_final
from discussions.iterations.queries import load_history
from discussions.models import Stage
from discussions.models.iterations import ENGAGEMENT_RULES, STREAK_UNITS
from workspace.audit.actions import record_event
from workspace.core.canonical import bytes_hash, canonical_bytes
from workspace.core.limits import LONGEST_NAME
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.models import Person, Project
from workspace.texts import clean_text

RULES = {"streak_unit", "engagement_rule"}


class StagePlan(Struct, frozen=True):
    """A stage as a lead asks for it: its goal, and how the rubric's gate is read in it."""

    name: str
    goal: str = ""
    streak_unit: str = ITERATION
    engagement_rule: str = AVERAGE


def open_stage(*, project: Project, plan: StagePlan, by: Person, now: datetime) -> Stage:
    """Open the project's first stage.

    Raises NotAllowed, Unacceptable for a plan that cannot be, Conflict while there is a stage: the next one is opened
    through its door.
    """
    check_open_stage(by, project)
    plan = _checked(plan)
    with transaction.atomic():
        Project.objects.select_for_update(no_key=True).get(pk=project.pk)
        last = Stage.objects.filter(project=project).order_by("-number").first()
        if last is not None:
            raise Conflict(
                _("Stage %(number)d is there already; the next one is opened through its door.")
                % {"number": last.number},
                code="stage_there",
            )
        return _insert(project, 1, plan, by, now)


def change_stage(*, stage: Stage, plan: StagePlan, by: Person, now: datetime) -> None:
    """Give an open stage another name or goal, and, until an iteration of it is opened for rating, other rules.

    The same plan changes nothing. Raises NotAllowed (also for other rules once they were counted by), Unacceptable.
    """
    check_change_stage(by, stage)
    plan = _checked(plan)
    with transaction.atomic():
        Project.objects.select_for_update(no_key=True).get(pk=stage.project_id)
        locked = Stage.objects.select_related("project").get(pk=stage.pk)
        check_change_stage(by, locked)
        given = {name: getattr(plan, name) for name in StagePlan.__struct_fields__}
        changed = {name: value for name, value in given.items() if getattr(locked, name) != value}
        if RULES & changed.keys() and (why := why_rules_are_final(locked)):
            raise NotAllowed(why.says, code=why.code)
        if changed:
            Stage.objects.filter(pk=locked.pk).update(**changed)
            _record(locked, "stage:changed", {name: changed[name] for name in sorted(changed)}, by, now)


def sign_stage(*, stage: Stage, text: str, by: Person, now: datetime) -> None:
    """Sign that the games of the stage are fascinating to watch, in one's own words; it stands for good.

    Raises NotAllowed (also when somebody signed before), Unacceptable without words.
    """
    check_sign_stage(by, stage)
    ask = _("Say in a sentence what makes these games fascinating to watch.")
    text = clean_text(text, field="statement", ask=ask)
    with transaction.atomic():
        unsigned = Stage.objects.filter(pk=stage.pk, stated_at=None, closed_at=None)
        if not unsigned.update(stated_at=now, stated_by=by, statement=text):
            check_stage_open(Stage.objects.get(pk=stage.pk))
            raise Conflict(_("Somebody signed this first; that statement stands."), code="stated_first")
        _record(stage, "stage:stated", {"statement_sha256": bytes_hash(text.encode())}, by, now)


def open_next_stage(*, stage: Stage, plan: StagePlan, by: Person, now: datetime, reason: str = "") -> Stage:
    """Close the stage and open the next one; how its door stood is kept with it.

    While the door is shut only an admin opens it, with a reason that is kept, too. Raises NotAllowed, Unacceptable (a
    plan that cannot be, no reason), Conflict when somebody opened it first.
    """
    plan = _checked(plan)
    with transaction.atomic():
        Project.objects.select_for_update(no_key=True).get(pk=stage.project_id)
        # Locked, so that nobody signs what is just being closed, and read after that: whoever it waited for may have
        # signed. One history, so that both doors rest on the same.
        Stage.objects.select_for_update(no_key=True).get(pk=stage.pk)
        locked = Stage.objects.select_related("stated_by", "project").get(pk=stage.pk)
        history = load_history(locked)
        door = compute_stage_gate(locked, history)
        check_open_next_stage(by, locked, door)
        if not door.is_open:
            ask = _("The door is shut. Say why the next stage is opened all the same.")
            reason = clean_text(reason, ask=ask)
            override = Signed(by.name, now.date().isoformat(), reason)
            door = compute_stage_gate(locked, history, override=override)
        else:
            reason = ""
        _close(locked, door, reason, by, now)
        return _insert(locked.project, locked.number + 1, plan, by, now)


def _close(stage: Stage, door: GateStatus, reason: str, by: Person, now: datetime) -> None:
    body = canonical_bytes(door)
    Stage.objects.filter(pk=stage.pk).update(
        closed_at=now, closed_by=by, door=body.decode(), override_reason=reason
    )
    detail = {"door_sha256": bytes_hash(body), "is_by_override": bool(reason), "missing": door.missing}
    _record(stage, "stage:closed", detail, by, now)


def _insert(project: Project, number: int, plan: StagePlan, by: Person, now: datetime) -> Stage:
    try:
        with transaction.atomic():
            stage = Stage.objects.create(
                project=project,
                number=number,
                name=plan.name,
                goal=plan.goal,
                streak_unit=plan.streak_unit,
                engagement_rule=plan.engagement_rule,
                created_at=now,
                created_by=by,
            )
    except IntegrityError:
        raise Conflict(_("Somebody opened this stage first."), code="opened_first") from None
    rules = {"streak_unit": plan.streak_unit, "engagement_rule": plan.engagement_rule}
    _record(stage, "stage:opened", {"number": number, "name": plan.name, **rules}, by, now)
    return stage


def _checked(plan: StagePlan) -> StagePlan:
    name = " ".join(plan.name.split())
    if not name or len(name) > LONGEST_NAME:
        raise Unacceptable(_("Give the stage a name of at most 200 characters."), field="name")
    goal = clean_text(plan.goal, field="goal")
    if plan.streak_unit not in dict(STREAK_UNITS):
        raise Unacceptable(_("Choose whether iterations or games succeed in a row."), field="streak_unit")
    if plan.engagement_rule not in dict(ENGAGEMENT_RULES):
        raise Unacceptable(
            _("Choose whether engagement is asked for on average or in every game."), field="engagement_rule"
        )
    return StagePlan(name, goal, plan.streak_unit, plan.engagement_rule)


def _record(stage: Stage, verb: str, detail: dict[str, object], by: Person, now: datetime) -> None:
    record_event(
        by=by,
        now=now,
        project=stage.project,
        verb=verb,
        object_kind="stage",
        object_id=stage.pk,
        detail=detail,
    )
