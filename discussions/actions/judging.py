"""The save contract: every act of an evaluator is one keyed, versioned, immutable revision, or it is nothing."""

from datetime import datetime

from django.db.models import OuterRef, Subquery
from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.actions.holding import hold_place
from discussions.core.kinds import fault_of
from discussions.core.order import why_not_in_test, why_not_yet
from discussions.core.sight import due_reveals, phase_of
from discussions.models import Evaluation, Judgement, Reveal, Revision, Slot
from discussions.models.slots import place_held
from discussions.models.standings import Said, Work, work_of
from discussions.permissions import check_rate
from workspace.actions.events import record_event
from workspace.actions.keyed import key_reused, one_act, short_key
from workspace.core.canonical import canonical_hash
from workspace.core.refusals import Conflict, Unacceptable
from workspace.models import Person
from workspace.models.prepared import Prepared, insert_row, update_row

LONGEST_REASON, DAY_MS = 2000, 24 * 60 * 60 * 1000


class Act(Struct, frozen=True, kw_only=True):
    """What was posted: a judgement of one thing, on the version it was based on, under the form's key.

    None for `value` or `reason` means that the field was absent: it stays as it is. Value "" clears.
    """

    kind: str
    subject: str
    version: int
    key: str
    value: str | None = None
    reason: str | None = None
    took_ms: int | None = None

    def sha256(self, evaluation: int) -> str:
        """The hash of what was posted; the time it took is not part of it."""
        return canonical_hash([evaluation, self.kind, self.subject, self.version, self.value, self.reason])


class Saved(Struct, frozen=True):
    """What an act left: the stored revision and what it is about, what it revealed, and the work as it is after it.

    `work` is None when the act was only repeated: the page is then read anew.
    """

    revision: Revision
    kind: str
    subject: str
    revealed: frozenset[str] = frozenset()
    work: Work | None = None

    @property
    def is_repeated(self) -> bool:
        """Whether nothing was written, since the same had been stored before."""
        return self.work is None


def judge(*, evaluation: Evaluation, act: Act, by: Person, now: datetime) -> Saved:
    """Store one act, once: compare the version, set the value, add the revision and the audit line.

    The same key with the same body gives the stored result again, whatever became of the evaluation. Raises
    Unacceptable for a key used for something else and for what cannot be judged, Conflict (with both versions) when
    the thing was judged since, NotAllowed when the evaluation is not open or not one's own.
    """
    with one_act():
        locked = lock(evaluation)
        body = act.sha256(evaluation.pk)
        if stored := stored_act(key=act.key, body_sha256=body, by=by):
            return stored
        hold_place(evaluation=locked, by=by, now=now)
        check_rate(by, locked)
        work = work_of(locked)
        refuse_faults(work, act)
        judgement = compare_and_set(work, act)
        return write(work=work, judgement=judgement, act=act, body=body, by=by, now=now)


def lock(evaluation: Evaluation) -> Evaluation:
    """The evaluation with state and version as they are now; whoever changes it waits for this transaction.

    Its lease may be the one from before this waited: good enough to renew by, never to end it by.
    """
    ((evaluation.state, evaluation.version, slot, lease_until),) = _LOCK.rows(evaluation.pk)
    evaluation.slot = place_held(slot, lease_until)
    return evaluation


def stored_act(*, key: str, body_sha256: str, by: Person) -> Saved | None:
    """What was stored under this key, if the same was posted with it; Unacceptable if it was something else."""
    found = _STORED.rows(by.pk, short_key(key))
    if not found:
        return None
    stored = Revision.objects.select_related("judgement").get(pk=found[0][0])
    if stored.body_sha256 != body_sha256:
        raise key_reused()
    return Saved(stored, stored.judgement.kind, stored.judgement.subject)


# The lease by a subquery, no join: of a joined row PostgreSQL would still see the one from before it waited.
_LOCK = Prepared(
    lambda key: (
        Evaluation.objects.select_for_update()
        .filter(pk=key)
        .annotate(lease=Subquery(Slot.objects.filter(pk=OuterRef("slot")).values("lease_until")))
        .values_list("state", "version", "slot", "lease")
    ),
    int,
)
_STORED = Prepared(
    lambda person, key: Revision.objects.filter(created_by=person, key=key).values_list("pk"), int, str
)


def refuse_faults(work: Work, act: Act) -> None:
    """Raise Unacceptable when there is no such thing to judge in this game, or not yet."""
    fault = why_not_in_test(work.standing, act.kind)
    fault = fault or fault_of(act.kind, act.subject, act.value, work.ground)
    if not fault and act.value is not None:
        fault = why_not_yet(work.standing, act.kind, act.subject, act.value)
    if fault:
        raise Unacceptable(fault, field="value")
    if len(act.reason or "") > LONGEST_REASON:
        raise Unacceptable(_("A reason has at most 2,000 characters."), field="reason")


def compare_and_set(work: Work, act: Act) -> Said:
    """What is said now, stored with its version one higher; Conflict when it moved on meanwhile."""
    before = work.judgements.get((act.kind, act.subject)) or Said(0, act.kind, act.subject, "", "", "", 0)
    if before.version != act.version:
        raise conflict(work, before, act)
    value = before.value if act.value is None else act.value
    reason = before.reason if act.reason is None else act.reason
    is_blind = phase_of(work.standing, act.kind, act.subject) == "blind"
    blind = value if is_blind else before.blind_value
    fields = {"value": value, "reason": reason, "blind_value": blind, "version": act.version + 1}
    key = before.id
    if not key:
        row = Judgement(evaluation=work.evaluation, kind=act.kind, subject=act.subject, **fields)
        insert_row(row)
        key = row.pk
    elif not update_row(Judgement, key, fields, version=act.version):
        raise conflict(work, before, act)
    return Said(key, act.kind, act.subject, value, reason, blind, act.version + 1)


def conflict(work: Work, stored: Said, act: Act) -> Conflict:
    """The refusal that names both: what is stored (always one's own) and what was sent."""
    newest = Revision.objects.filter(judgement=stored.id).order_by("-version").first()
    return Conflict(
        _(
            "This was changed elsewhere since the page was loaded. Nothing was overwritten; choose which answer stays."
        ),
        code="stale",
        detail={
            "kind": act.kind,
            "subject": act.subject,
            "yours": act.value,
            "yours_version": act.version,
            "stored": stored.value,
            "version": stored.version,
            "stored_by": work.evaluation.evaluator.name,
            "stored_at": newest.created_at if newest else None,
        },
    )


def write(
    *,
    work: Work,
    judgement: Said,
    act: Act,
    body: str,
    by: Person,
    now: datetime,
    undoes: int | None = None,
) -> Saved:
    """Add the revision, what it reveals, and the audit line. The judgement itself is stored already."""
    revision = Revision(
        judgement_id=judgement.id,
        version=judgement.version,
        value=judgement.value,
        reason=judgement.reason,
        phase=phase_of(work.standing, act.kind, act.subject),
        took_ms=None if act.took_ms is None else min(max(act.took_ms, 0), DAY_MS),
        undoes=undoes,
        key=short_key(act.key),
        body_sha256=body,
        created_at=now,
        created_by=by,
    )
    insert_row(revision)
    evaluation, after = work.evaluation, work.changed(judgement)
    revealed = _reveal(after, now)
    evaluation.version += 1
    update_row(Evaluation, evaluation.pk, {"version": evaluation.version})
    record_event(
        by=by,
        now=now,
        project=evaluation.game.project,
        verb="judgement:undone" if undoes else "judgement:made",
        object_kind="judgement",
        object_id=judgement.id,
        detail={"kind": act.kind, "version": judgement.version, "phase": revision.phase},
    )
    return Saved(revision, act.kind, act.subject, revealed, after.shown(revealed))


def _reveal(work: Work, now: datetime) -> frozenset[str]:
    """Write down what may now be shown, and what that is."""
    due = due_reveals(work.standing)
    for what in sorted(due):
        insert_row(Reveal(evaluation=work.evaluation, what=what, created_at=now))
    return due
