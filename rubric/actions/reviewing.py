"""What a person's acts do in a review: marks, saved as keyed revisions, and handing the review in."""

from datetime import datetime

from django.db import transaction
from django.db.models import OuterRef, QuerySet, Subquery
from msgspec.structs import replace

from rubric.actions.handing_in import hand_in
from rubric.core.marks import CANNOT, NO_REASON, SCORE, WHOLE, fault_of, why_not_yet
from rubric.core.own_review import build_record, reasons_of
from rubric.models import ComparisonSet, Mark, MarkRevision, Review, Reviewer
from rubric.models.reviewing import Work, work_of
from rubric.models.reviews import SUBMITTED
from rubric.permissions import check_review
from workspace.actions.revisions import KeyedRevisions, Saved
from workspace.core.refusals import Unacceptable
from workspace.core.revisions import Act, Latest
from workspace.models import Person, Project
from workspace.models.prepared import Prepared


def mark(*, review: Review, act: Act, by: Person, now: datetime) -> Saved[Work]:
    """Store one act, once. Raises what `KeyedRevisions.save` raises. `review` is of `own_review`."""
    return _MARKS.save(owner=review, act=act, by=by, now=now)


def undo_mark(
    *, review: Review, key: str, by: Person, now: datetime, kind: str = "", subject: str = ""
) -> Saved[Work]:
    """Take back the newest act, of one subject if `kind` is given. Raises what `KeyedRevisions.undo` raises.

    Scores as a whole stay once the criteria are open, and what a second round begins with is nobody's act.
    """
    return _MARKS.undo(owner=review, key=key, by=by, now=now, kind=kind, subject=subject)


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


class _Marks(KeyedRevisions[Review, Work, Latest]):
    """Marks of a review."""

    row_model, revision_model = Mark, MarkRevision
    row_name, owner_name = "mark", "review"

    def lock(self, owner: Review) -> None:
        lock(owner)

    def check(self, owner: Review, *, by: Person, now: datetime) -> None:
        check_review(by, owner)

    def read(self, owner: Review) -> Work:
        return work_of(owner)

    def latest(self, work: Work, kind: str, subject: str) -> Latest:
        return work.mark(kind, subject)

    def refuse_faults(self, work: Work, act: Act, proposed: Latest) -> None:
        """Raise Unacceptable when this cannot be said in this review, or not now, or not without a reason."""
        fault = fault_of(work.sheet, act.kind, act.subject, act.value)
        fault = fault or why_not_yet(work.sheet, work.values, act.kind)
        if fault:
            raise Unacceptable(fault, field="value")
        if act.kind in (WHOLE, SCORE) and proposed.value == CANNOT and not proposed.reason.strip():
            raise Unacceptable(NO_REASON, field="reason")

    def amend(self, work: Work, proposed: Latest) -> Latest:
        """The reason is that of "cannot judge": a score takes it away."""
        return proposed if proposed.value == CANNOT else replace(proposed, reason="")

    def undoable(self, work: Work) -> QuerySet[MarkRevision]:
        return work.undoable()

    def project(self, owner: Review) -> Project:
        return owner.reviewer.set.project

    def changed(self, work: Work, latest: Latest, *, now: datetime) -> tuple[Work, frozenset[str]]:
        return work.changed(latest), frozenset()


_MARKS = _Marks()
