"""Flags and comments: rows with a target, and later a resolution."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from discussions.models import Evaluation, Remark
from discussions.rating.core.refusals import why_not_in_test
from discussions.rating.queries import EvaluationState, load_state
from discussions.slots.actions import hold_slot, lock_evaluation, lock_for_work
from discussions.slots.permissions import check_rate
from workspace.audit.actions import key_reused, record_event, short_key, single_act
from workspace.core.canonical import canonical_hash
from workspace.core.limits import LONGEST_COMMENT
from workspace.core.refusals import Unacceptable
from workspace.models import Person
from workspace.texts import check_length

FLAG, COMMENT = "flag", "comment"


def remark(
    *, evaluation: Evaluation, kind: str, target: str, text: str, key: str, by: Person, now: datetime
) -> Remark:
    """Add a flag or a comment to a message ("message:19") or the game ("game"); once per key.

    A target has one open flag at most; an existing one is kept. Raises Unacceptable for an unknown target, an empty
    comment and a key that was used for another act, NotAllowed when the evaluation is not open or not the person's own.
    """
    body = canonical_hash([evaluation.pk, kind, target, text])
    with single_act():
        locked = lock_evaluation(evaluation)
        stored = Remark.objects.filter(created_by=by, key=short_key(key)).first()
        if stored is not None:
            if stored.body_sha256 != body:
                raise key_reused()
            return stored
        hold_slot(evaluation=locked, by=by, now=now)
        check_rate(by, locked)
        _refuse_faults(load_state(locked), kind, target, text)
        if kind == FLAG and (flag := _open_flag(locked, target)):
            return flag
        made = Remark.objects.create(
            evaluation=locked,
            kind=kind,
            target=target,
            text=text,
            key=short_key(key),
            body_sha256=body,
            created_at=now,
            created_by=by,
        )
        _record(made, locked, "remark:made", by=by, now=now)
    return made


def take_flag_back(*, evaluation: Evaluation, target: str, by: Person, now: datetime) -> None:
    """Resolve the evaluator's open flag on a target; nothing happens when there is none."""
    with transaction.atomic():
        locked = lock_for_work(evaluation=evaluation, by=by, now=now)
        flag = _open_flag(locked, target)
        if flag is None:
            return
        flag.resolved_at, flag.resolved_by = now, by
        flag.save(update_fields=["resolved_at", "resolved_by"])
        _record(flag, locked, "remark:resolved", by=by, now=now)


def _open_flag(evaluation: Evaluation, target: str) -> Remark | None:
    flags = Remark.objects.filter(evaluation=evaluation, kind=FLAG, target=target, resolved_at=None)
    return flags.first()


def _refuse_faults(work: EvaluationState, kind: str, target: str, text: str) -> None:
    fault = why_not_in_test(work.progress, kind) if target != "game" else ""
    if fault:
        raise Unacceptable(fault, field="subject")
    targets = {"game", *(f"message:{message.position}" for message in work.game.messages)}
    if kind not in (FLAG, COMMENT) or target not in targets:
        raise Unacceptable(_("There is no such message in this game. Load the page again."), field="subject")
    if kind == COMMENT and not text.strip():
        raise Unacceptable(_("The comment is empty. Write something, or leave it out."), field="text")
    check_length(text, field="text", most=LONGEST_COMMENT)


def _record(made: Remark, evaluation: Evaluation, verb: str, *, by: Person, now: datetime) -> None:
    record_event(
        verb,
        made,
        by=by,
        now=now,
        project=evaluation.game.project,
        detail={"kind": made.kind, "target": made.target},
    )
