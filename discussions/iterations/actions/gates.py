"""Open, change, sign and close stages; a stage closes when the next one is opened."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _
from msgspec import Struct
from msgspec.structs import asdict, replace

from discussions.core.iteration_states import AVERAGE, ITERATION
from discussions.iterations import permissions
from discussions.iterations.core.gates import GateStatus, Signed
from discussions.iterations.queries import compute_stage_gate, load_history, refuse_new_rules
from discussions.models import Stage
from discussions.models.iterations import ENGAGEMENT_RULES, STREAK_UNITS
from workspace.audit.actions import record_event
from workspace.core.canonical import bytes_hash, canonical_bytes
from workspace.core.limits import LONGEST_NAME
from workspace.core.refusals import Conflict, Unacceptable
from workspace.core.words import for_storage, plainly, say_stored
from workspace.models import Person, Project
from workspace.texts import clean_text

RULES = {"streak_unit", "engagement_rule"}


class StagePlan(Struct, frozen=True):
    name: str
    goal: str = ""
    streak_unit: str = ITERATION
    engagement_rule: str = AVERAGE


def open_stage(*, project: Project, plan: StagePlan, by: Person, now: datetime) -> Stage:
    """Open the project's first stage.

    Raises NotAllowed; Unacceptable for an invalid plan; Conflict when there is a stage, since `open_next_stage` opens
    later ones.
    """
    permissions.check_open_stage(by, project)
    plan = _clean_plan(plan)
    with transaction.atomic():
        Project.objects.select_for_update(no_key=True).get(pk=project.pk)
        last = Stage.objects.filter(project=project).order_by("-number").first()
        if last is not None:
            raise Conflict(
                _("Stage %(number)d is there already; the next one is created on the page of its gate.")
                % {"number": last.number},
                code="stage_there",
            )
        return _insert_stage(project, 1, plan, by, now)


def change_stage(*, stage: Stage, plan: StagePlan, by: Person, now: datetime) -> None:
    """Change the name and goal of an open stage, and its rules until an iteration is opened for rating.

    The same plan changes nothing. Raises NotAllowed (also for other rules after that), Unacceptable.
    """
    permissions.check_change_stage(by, stage)
    plan = _clean_plan(plan)
    with transaction.atomic():
        Project.objects.select_for_update(no_key=True).get(pk=stage.project_id)
        locked = Stage.objects.select_related("project").get(pk=stage.pk)
        permissions.check_change_stage(by, locked)
        changed = {name: value for name, value in asdict(plan).items() if getattr(locked, name) != value}
        if RULES & changed.keys():
            refuse_new_rules(locked)
        if changed:
            Stage.objects.filter(pk=locked.pk).update(**changed)
            record_event(
                "stage:changed",
                locked,
                by=by,
                now=now,
                detail={name: changed[name] for name in sorted(changed)},
            )


def sign_stage(*, stage: Stage, text: str, by: Person, now: datetime) -> None:
    """Sign, for good, that the games of the stage are fascinating to watch.

    Raises NotAllowed (also when it is signed already), Unacceptable without a text.
    """
    permissions.check_sign_stage(by, stage)
    ask = _("Say in a sentence what makes these games fascinating to watch.")
    text = clean_text(text, field="statement", ask=ask)
    with transaction.atomic():
        unsigned = Stage.objects.filter(pk=stage.pk, stated_at=None, closed_at=None)
        if not unsigned.update(stated_at=now, stated_by=by, statement=text):
            permissions.check_stage_open(Stage.objects.get(pk=stage.pk))
            raise Conflict(_("Somebody signed this first; that statement counts."), code="stated_first")
        record_event(
            "stage:stated", stage, by=by, now=now, detail={"statement_sha256": bytes_hash(text.encode())}
        )


def open_next_stage(*, stage: Stage, plan: StagePlan, by: Person, now: datetime, reason: str = "") -> Stage:
    """Close the stage, store its gate with it, and open the next stage.

    While the gate is closed, only an admin can do this, and gives a reason, which is stored. Raises NotAllowed;
    Unacceptable for an invalid plan or without a reason; Conflict when the next stage is open already.
    """
    plan = _clean_plan(plan)
    with transaction.atomic():
        Project.objects.select_for_update(no_key=True).get(pk=stage.project_id)
        # The lock keeps others from signing a stage that closes. The row is read after it, since it may have been
        # signed meanwhile. Both gates use one history.
        Stage.objects.select_for_update(no_key=True).get(pk=stage.pk)
        locked = Stage.objects.select_related("stated_by", "project").get(pk=stage.pk)
        history = load_history(locked)
        gate = compute_stage_gate(locked, history)
        permissions.check_open_next_stage(by, locked, gate)
        override = None
        if not gate.is_open:
            ask = _("The gate is closed. Say why the next stage is created anyway.")
            reason = clean_text(reason, ask=ask)
            override = Signed(by.name, now.date().isoformat(), reason)
        with for_storage():
            gate = compute_stage_gate(locked, history, override=override)
        _close(locked, gate, reason if override else "", by, now)
        return _insert_stage(locked.project, locked.number + 1, plan, by, now)


def _close(stage: Stage, gate: GateStatus, reason: str, by: Person, now: datetime) -> None:
    body = canonical_bytes(gate)
    Stage.objects.filter(pk=stage.pk).update(
        closed_at=now, closed_by=by, door=body.decode(), override_reason=reason
    )
    with plainly():
        missing = say_stored(gate.missing)
    detail = {"door_sha256": bytes_hash(body), "is_by_override": bool(reason), "missing": missing}
    record_event("stage:closed", stage, by=by, now=now, detail=detail)


def _insert_stage(project: Project, number: int, plan: StagePlan, by: Person, now: datetime) -> Stage:
    try:
        with transaction.atomic():
            stage = Stage.objects.create(
                project=project,
                number=number,
                **asdict(plan),
                created_at=now,
                created_by=by,
            )
    except IntegrityError:
        raise Conflict(_("Somebody opened this stage first."), code="opened_first") from None
    rules = {"streak_unit": plan.streak_unit, "engagement_rule": plan.engagement_rule}
    record_event("stage:opened", stage, by=by, now=now, detail={"number": number, "name": plan.name, **rules})
    return stage


def _clean_plan(plan: StagePlan) -> StagePlan:
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
    return replace(plan, name=name, goal=goal)
