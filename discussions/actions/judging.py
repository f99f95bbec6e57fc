"""The save contract: every act of an evaluator is one keyed, versioned, immutable revision, or it is nothing."""

from datetime import datetime

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.core.kinds import fault_of
from discussions.core.sight import due_reveals, phase_of, why_not_yet
from discussions.models import Evaluation, Judgement, Reveal, Revision
from discussions.models.standings import Work, work_of
from discussions.permissions import check_rate
from workspace.actions.events import record_event
from workspace.core.canonical import bytes_hash, canonical_hash
from workspace.core.refusals import Conflict, Unacceptable
from workspace.models import Person

LONGEST_KEY, LONGEST_REASON, DAY_MS = 160, 2000, 24 * 60 * 60 * 1000


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
    """What an act left: the stored revision with its judgement, what it revealed, and whether it was a repetition."""

    revision: Revision
    revealed: frozenset[str] = frozenset()
    is_repeated: bool = False


def judge(*, evaluation: Evaluation, act: Act, by: Person, now: datetime) -> Saved:
    """Store one act, once: compare the version, set the value, add the revision and the audit line.

    The same key with the same body gives the stored result again, whatever became of the evaluation. Raises
    Unacceptable for a key used for something else and for what cannot be judged, Conflict (with both versions) when
    the thing was judged since, NotAllowed when the evaluation is not open or not one's own.
    """
    with transaction.atomic():
        locked = lock(evaluation)
        body = act.sha256(evaluation.pk)
        if stored := stored_revision(key=act.key, body_sha256=body, by=by):
            return Saved(stored, is_repeated=True)
        check_rate(by, locked)
        work = work_of(locked)
        refuse_faults(work, act)
        judgement = compare_and_set(work, act)
        return write(work=work, judgement=judgement, act=act, body=body, by=by, now=now)


def lock(evaluation: Evaluation) -> Evaluation:
    """The evaluation as it is now; everybody else who changes it waits until this transaction ends."""
    return Evaluation.objects.with_work().select_for_update(of=("self",)).get(pk=evaluation.pk)


def stored_revision(*, key: str, body_sha256: str, by: Person) -> Revision | None:
    """The revision made under this key, if the same was posted with it; Unacceptable if it was something else."""
    stored = Revision.objects.select_related("judgement").filter(created_by=by, key=short_key(key)).first()
    if stored is not None and stored.body_sha256 != body_sha256:
        raise Unacceptable(
            _(
                "This form was already saved with another answer. Load the page again and repeat the last one."
            ),
            code="key_reused",
            field="key",
        )
    return stored


def short_key(key: str) -> str:
    """The key as it is stored: itself, or its hash when it is longer than the column."""
    if not key:
        raise Unacceptable(_("The form came without its key. Load the page again."), field="key")
    return key if len(key) <= LONGEST_KEY else f"sha256:{bytes_hash(key.encode())}"


def refuse_faults(work: Work, act: Act) -> None:
    """Raise Unacceptable when there is no such thing to judge in this game, or not yet."""
    fault = fault_of(act.kind, act.subject, act.value, work.ground)
    if not fault and act.value is not None:
        fault = why_not_yet(work.standing, act.kind, act.subject, act.value)
    if fault:
        raise Unacceptable(fault, field="value")
    if len(act.reason or "") > LONGEST_REASON:
        raise Unacceptable(_("A reason has at most 2,000 characters."), field="reason")


def compare_and_set(work: Work, act: Act) -> Judgement:
    """The judgement with the act's values in it and its version one higher; Conflict when it moved on meanwhile."""
    before = work.judgements.get((act.kind, act.subject))
    if (before.version if before else 0) != act.version:
        raise conflict(work, before, act)
    value = act.value if act.value is not None else before.value if before else ""
    reason = act.reason if act.reason is not None else before.reason if before else ""
    blind = (
        value
        if phase_of(work.standing, act.kind, act.subject) == "blind"
        else before.blind_value
        if before
        else ""
    )
    after = Judgement(
        pk=before.pk if before else None,
        evaluation=work.evaluation,
        kind=act.kind,
        subject=act.subject,
        value=value,
        reason=reason,
        blind_value=blind,
        version=act.version + 1,
    )
    if not _stored(after, act.version):
        raise conflict(work, Judgement.objects.filter(pk=after.pk).first(), act)
    return after


def _stored(judgement: Judgement, version: int) -> bool:
    """Whether the row was still at that version and now holds the judgement; a new one has version 0."""
    if not judgement.pk:
        judgement.save(force_insert=True)
        return True
    fields = ("value", "reason", "blind_value", "version")
    row = Judgement.objects.filter(pk=judgement.pk, version=version)
    return row.update(**{field: getattr(judgement, field) for field in fields}) == 1


def conflict(work: Work, stored: Judgement | None, act: Act) -> Conflict:
    """The refusal that names both: what is stored (always one's own) and what was sent."""
    newest = stored.revisions.order_by("-version").first() if stored else None
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
            "stored": stored.value if stored else "",
            "version": stored.version if stored else 0,
            "stored_by": work.evaluation.evaluator.name,
            "stored_at": newest.created_at if newest else None,
        },
    )


def write(
    *,
    work: Work,
    judgement: Judgement,
    act: Act,
    body: str,
    by: Person,
    now: datetime,
    undoes: int | None = None,
) -> Saved:
    """Add the revision, what it reveals, and the audit line. The judgement itself is stored already."""
    revision = Revision(
        judgement=judgement,
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
    revision.save(force_insert=True)
    revealed = due_reveals(work.changed(judgement).standing)
    evaluation = work.evaluation
    if revealed:
        Reveal.objects.bulk_create(
            Reveal(evaluation=evaluation, what=what, created_at=now) for what in sorted(revealed)
        )
    Evaluation.objects.filter(pk=evaluation.pk).update(version=F("version") + 1)
    record_event(
        by=by,
        now=now,
        project=evaluation.game.project,
        verb="judgement:undone" if undoes else "judgement:made",
        object_kind="judgement",
        object_id=judgement.pk,
        detail={"kind": act.kind, "version": judgement.version, "phase": revision.phase},
    )
    return Saved(revision, revealed)
