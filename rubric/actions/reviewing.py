"""A person's review, act by act: each is one keyed, versioned, immutable revision of a mark, or it is nothing."""

from datetime import datetime

from django.db import transaction
from django.db.models import OuterRef, Subquery
from django.utils.translation import gettext as _
from msgspec import Struct

from rubric.actions.handing_in import hand_in
from rubric.core.marks import (
    CANNOT,
    LONGEST_REASON,
    NO_REASON,
    SCORE,
    WHOLE,
    fault_of,
    why_not_yet,
)
from rubric.core.own_review import build_record, reasons_of
from rubric.models import ComparisonSet, Mark, MarkRevision, Review, Reviewer
from rubric.models.reviewing import Marked, Work, work_of
from rubric.models.reviews import SUBMITTED
from rubric.permissions import check_review
from workspace.actions.events import record_event
from workspace.actions.keyed import key_reused, one_act, short_key
from workspace.core.canonical import canonical_hash
from workspace.core.refusals import Conflict, Unacceptable
from workspace.models import Person
from workspace.models.prepared import Prepared, insert_row, update_row

DAY_MS = 24 * 60 * 60 * 1000


class Act(Struct, frozen=True, kw_only=True):
    """What was posted: a mark of one thing, on the version it was based on, under the form's key.

    None for `value` or `reason` means that the field was absent: it stays as it is. Value "" clears.
    """

    kind: str
    subject: str
    version: int
    key: str
    value: str | None = None
    reason: str | None = None
    took_ms: int | None = None

    def sha256(self, review: int) -> str:
        """The hash of what was posted; the time it took is not part of it."""
        return canonical_hash([review, self.kind, self.subject, self.version, self.value, self.reason])


class Saved(Struct, frozen=True):
    """What an act left: the stored revision and what it is about, and the work as it is after it.

    `work` is None when the act was only repeated: the page is then read anew.
    """

    revision: MarkRevision
    kind: str
    subject: str
    work: Work | None = None

    @property
    def is_repeated(self) -> bool:
        """Whether nothing was written, since the same had been stored before."""
        return self.work is None


def mark(*, review: Review, act: Act, by: Person, now: datetime) -> Saved:
    """Store one act, once: compare the version, set the value, add the revision and the audit line.

    The same key with the same body gives the stored result again, whatever became of the review. Raises Unacceptable
    for a key used for something else and for what cannot be said, or not yet, Conflict (with both versions) when the
    thing was marked since, NotAllowed when the review is not open or not one's own. `review` is of `own_review`.
    """
    with one_act():
        locked = lock(review)
        body = act.sha256(review.pk)
        if stored := stored_act(key=act.key, body_sha256=body, by=by):
            return stored
        check_review(by, locked)
        work = work_of(locked)
        refuse_faults(work, act)
        marked = compare_and_set(work, act)
        return write(work=work, marked=marked, act=act, body=body, by=by, now=now)


def hand_in_review(*, review: Review, by: Person, now: datetime) -> Review:
    """Hand the review in as it is marked. Handing it in again changes nothing.

    Raises Unacceptable with the first missing thing (`field` is "kind:subject"), NotAllowed when it is not open.
    """
    with transaction.atomic():
        locked = lock(review)
        if locked.state == SUBMITTED and locked.reviewer.person_id == by.pk:
            return locked
        check_review(by, locked)
        work = work_of(locked)
        if work.missing:
            first = work.missing[0]
            raise Unacceptable(first.says, code="missing", field=f"{first.kind}:{first.subject}")
        record = build_record(work.sheet, work.values, work.rubric)
        reasons = reasons_of(work.values, work.reasons)
        hand_in(review=locked, record=record, cannot_judge=reasons, by=by, now=now)
    return locked


def lock(review: Review) -> Review:
    """The review as it is now, and whether it may still go on; whoever else changes it waits for this transaction."""
    ((review.state, review.version, ended_at, closed_at),) = _LOCK.rows(review.pk)
    review.reviewer.ended_at, review.reviewer.set.closed_at = ended_at, closed_at
    return review


def stored_act(*, key: str, body_sha256: str, by: Person) -> Saved | None:
    """What was stored under this key, if the same was posted with it; Unacceptable if it was something else."""
    found = _STORED.rows(by.pk, short_key(key))
    if not found:
        return None
    stored = MarkRevision.objects.select_related("mark").get(pk=found[0][0])
    if stored.body_sha256 != body_sha256:
        raise key_reused()
    return Saved(stored, stored.mark.kind, stored.mark.subject)


# Reviewer and set are looked at without being locked: others save in the same set at this moment.
_LOCK = Prepared(
    lambda key: (
        Review.objects.select_for_update()
        .filter(pk=key)
        .values_list(
            "state",
            "version",
            Subquery(Reviewer.objects.filter(pk=OuterRef("reviewer")).values("ended_at")),
            Subquery(ComparisonSet.objects.filter(reviewers=OuterRef("reviewer")).values("closed_at")),
        )
    ),
    int,
)
_STORED = Prepared(
    lambda person, key: MarkRevision.objects.filter(created_by=person, key=key).values_list("pk"), int, str
)


def refuse_faults(work: Work, act: Act) -> None:
    """Raise Unacceptable when this cannot be said in this review, or not now, or not without a reason."""
    fault = fault_of(work.sheet, act.kind, act.subject, act.value)
    fault = fault or why_not_yet(work.sheet, work.values, act.kind)
    if fault:
        raise Unacceptable(fault, field="value")
    if len(act.reason or "") > LONGEST_REASON:
        raise Unacceptable(_("A reason has at most 2,000 characters."), field="reason")
    before = work.mark(act.kind, act.subject)
    value = before.value if act.value is None else act.value
    reason = before.reason if act.reason is None else act.reason
    if act.kind in (WHOLE, SCORE) and value == CANNOT and not reason.strip():
        raise Unacceptable(NO_REASON, field="reason")


def compare_and_set(work: Work, act: Act) -> Marked:
    """What is said now, stored with its version one higher; Conflict when it moved on meanwhile."""
    before = work.mark(act.kind, act.subject)
    if before.version != act.version:
        raise conflict(work, before, act)
    value = before.value if act.value is None else act.value
    reason = before.reason if act.reason is None else act.reason
    # The reason is that of "cannot judge": a score takes it away.
    reason = reason if value == CANNOT else ""
    fields = {"value": value, "reason": reason, "version": act.version + 1}
    key = before.id
    if not key:
        row = Mark(review=work.review, kind=act.kind, subject=act.subject, **fields)
        insert_row(row)
        key = row.pk
    elif not update_row(Mark, key, fields, version=act.version):
        raise conflict(work, before, act)
    return Marked(key, act.kind, act.subject, value, reason, act.version + 1)


def conflict(work: Work, stored: Marked, act: Act) -> Conflict:
    """The refusal that names both: what is stored (always one's own) and what was sent."""
    newest = MarkRevision.objects.filter(mark=stored.id).order_by("-version").first()
    return Conflict(
        _(
            "This was changed elsewhere since the page was loaded. Nothing was overwritten; choose which one stays."
        ),
        code="stale",
        detail={
            "kind": act.kind,
            "subject": act.subject,
            "yours": act.value,
            "yours_reason": act.reason,
            "stored": stored.value,
            "stored_reason": stored.reason,
            "version": stored.version,
            "stored_at": newest.created_at if newest else None,
        },
    )


def write(
    *, work: Work, marked: Marked, act: Act, body: str, by: Person, now: datetime, undoes: int | None = None
) -> Saved:
    """Add the revision and the audit line. The mark itself is stored already."""
    revision = MarkRevision(
        mark_id=marked.id,
        version=marked.version,
        value=marked.value,
        reason=marked.reason,
        took_ms=None if act.took_ms is None else min(max(act.took_ms, 0), DAY_MS),
        undoes=undoes,
        key=short_key(act.key),
        body_sha256=body,
        created_at=now,
        created_by=by,
    )
    insert_row(revision)
    review = work.review
    review.version += 1
    update_row(Review, review.pk, {"version": review.version})
    record_event(
        by=by,
        now=now,
        project=review.reviewer.set.project,
        verb="mark:undone" if undoes else "mark:made",
        object_kind="mark",
        object_id=marked.id,
        detail={"kind": act.kind, "version": marked.version},
    )
    return Saved(revision, act.kind, act.subject, work.changed(marked))
