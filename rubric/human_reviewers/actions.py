"""The acts on a person's review: start it, mark, undo, submit.

Each act stores one keyed, versioned, immutable revision of a mark, or nothing. Undo writes the previous revision again
as a new one.
"""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import OuterRef, QuerySet, Subquery
from django.utils.translation import gettext as _
from msgspec.structs import replace

from rubric.core.records import HOLISTIC
from rubric.human_reviewers import core
from rubric.human_reviewers.permissions import check_begin_review, check_review
from rubric.human_reviewers.queries.reviews import STARTING, ReviewState, first_scores, load_review_state
from rubric.human_reviewers.queries.waiting import (
    AFTER_CALIBRATION,
    NOT_GIVEN,
    TO_REVIEW,
    WaitingSet,
    repeat_seed,
    second_rounds,
    waiting_sets,
)
from rubric.models import Comparison, ComparisonSet, Mark, MarkRevision, Review, Reviewer
from rubric.models.comparisons import PERSON
from rubric.models.reviews import CALIBRATION, RATING, REPEAT, SET_APART, SUBMITTED, SUPERSEDED
from rubric.reviews.actions import begin_review, record_submission
from rubric.reviews.queries import count_taken
from workspace.audit.actions import KeyedRevisions, Saved
from workspace.audit.core import Act, Latest
from workspace.core.canonical import canonical_hash
from workspace.core.hidden_duplicates import choose_duplicate, is_due
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.core.words import say
from workspace.models import Person, Project

FIRST, SECOND = 1, 2


def open_review(*, comparison: Comparison, by: Person, now: datetime) -> Review:
    """The review of this comparison that waits for `by`, started if necessary; else the newest submitted one.

    The second round opens when everybody has submitted the first; in a calibration round the review belongs to that
    round. Raises NotAllowed for people who do not review the comparison, or must pass a calibration round first, and
    whatever `begin_review` raises.
    """
    check_begin_review(by, comparison.set)
    reviewer = Reviewer.objects.get(set=comparison.set, kind=PERSON, person=by)
    with transaction.atomic():
        calibration = _calibration(comparison, reviewer, by, now)
        if calibration is not None:
            return calibration
        _check_place(comparison, reviewer, now)
        first = begin_review(comparison=comparison, reviewer=reviewer, by=by, now=now)
        if first.state != SUBMITTED or not comparison.set.has_second_round:
            return first
        second = comparison.reviews.filter(reviewer=reviewer, round=SECOND).first()
        is_open = comparison.set.closed_at is None and second_rounds([comparison.set], among=[comparison.pk])
        if second is not None or not is_open:
            return second or first
        second = begin_review(comparison=comparison, reviewer=reviewer, round_number=SECOND, by=by, now=now)
        scores = [
            first_scores(row) for row in first.reviewed.select_related("response").defer("response__text")
        ]
        starts = core.second_start(scores, first.reported_ranking, first.order, second.order)
        store_starts(review=second, starts=starts, by=by, now=now)
    return second


def _calibration(comparison: Comparison, reviewer: Reviewer, by: Person, now: datetime) -> Review | None:
    """The review of a comparison for calibration, None for others. Raises NotAllowed where none is given now."""
    if not comparison.set.calibration_rounds.exists():
        return None
    [waiting_set] = waiting_sets(by, only=comparison.set_id)
    states = {waiting.comparison: waiting for waiting in waiting_set.comparisons if not waiting.is_repeat}
    waiting = states[comparison.pk]
    if waiting.is_calibration:
        return begin_review(comparison=comparison, reviewer=reviewer, purpose=CALIBRATION, by=by, now=now)
    if waiting.state == NOT_GIVEN:
        raise NotAllowed(_("This comparison is for calibration only, so nobody else reviews it."))
    if waiting.state == AFTER_CALIBRATION:
        raise NotAllowed(waiting_set.why_not, code="not_calibrated")
    return None


def take_next_review(*, comparison_set: ComparisonSet, by: Person, now: datetime) -> Review | None:
    """The review of the set that the person works on next; None when nothing waits.

    In this order: a started one, the calibration round, sometimes a hidden duplicate, a comparison that they have not
    reviewed, a second round. Raises NotAllowed for people who do not review the set, or did not pass its calibration
    round.
    """
    check_begin_review(by, comparison_set)
    with transaction.atomic():
        reviewer = Reviewer.objects.select_for_update(of=("self",)).get(
            set=comparison_set, kind=PERSON, person=by
        )
        [own] = waiting_sets(by, only=comparison_set.pk)
        if own.started:
            return Review.objects.get(pk=own.started[0].review)
        if own.waiting and own.waiting[0].state == TO_REVIEW:
            repeat = _start_hidden_duplicate(reviewer, own, by, now)
            if repeat is not None:
                return repeat
        for waiting in own.waiting:
            comparison = Comparison.objects.select_related("set__project").get(pk=waiting.comparison)
            try:
                return open_review(comparison=comparison, by=by, now=now)
            except Conflict:
                # Somebody has taken its last place in the meantime.
                continue
        if own.in_state(AFTER_CALIBRATION):
            raise NotAllowed(own.why_not, code="not_calibrated")
    return None


def _start_hidden_duplicate(
    reviewer: Reviewer, waiting_set: WaitingSet, by: Person, now: datetime
) -> Review | None:
    if not waiting_set.repeats_ahead:
        return None
    own = Review.objects.filter(reviewer=reviewer, purpose__in=(RATING, REPEAT)).exclude(state=SUPERSEDED)
    seed, given_count = repeat_seed(waiting_set.row, by), own.count()
    if not is_due(seed, given_count, waiting_set.row.repeat_percent):
        return None
    submitted = own.filter(purpose=RATING, state=SUBMITTED).order_by("submitted_at", "pk")
    rated = list(submitted.values_list("comparison", flat=True))
    repeated = set(own.filter(purpose=REPEAT).values_list("comparison", flat=True))
    chosen = choose_duplicate(seed, given_count, rated, repeated)
    if chosen is None:
        return None
    comparison = Comparison.objects.get(pk=chosen)
    return begin_review(comparison=comparison, reviewer=reviewer, purpose=REPEAT, by=by, now=now)


def _check_place(comparison: Comparison, reviewer: Reviewer, now: datetime) -> None:
    """Raise Conflict when the comparison has all the people that it needs, and this person is not one of them."""
    needed = comparison.set.people_needed
    own = Review.objects.filter(comparison=comparison, reviewer=reviewer, purpose=RATING)
    if needed is None or own.exclude(state=SUPERSEDED).exists():
        return
    # Two people who take the last place at once wait for each other here.
    Comparison.objects.select_for_update().get(pk=comparison.pk)
    if count_taken([comparison.set], now=now).get(comparison.pk, 0) >= needed:
        says = _("All slots of this comparison are taken. Choose another comparison under Reviews.")
        raise Conflict(says, code="no_place")


def store_starts(*, review: Review, starts: Sequence[core.StartingMark], by: Person, now: datetime) -> None:
    """Store every mark that a review begins with, each with its revision; the caller has a transaction."""
    facts = [{"value": start.value, "reason": start.reason, "version": 1} for start in starts]
    marks = Mark.objects.bulk_create(
        Mark(review=review, kind=start.kind, subject=start.subject, **values)
        for start, values in zip(starts, facts, strict=True)
    )
    MarkRevision.objects.bulk_create(
        MarkRevision(
            mark=mark,
            key=f"{STARTING}{review.pk}:{mark.kind}:{mark.subject}",
            body_sha256=canonical_hash([review.pk, mark.kind, mark.subject, mark.value, mark.reason]),
            created_at=now,
            created_by=by,
            **values,
        )
        for mark, values in zip(marks, facts, strict=True)
    )


def mark(*, review: Review, act: Act, by: Person, now: datetime) -> Saved[ReviewState]:
    """Store one act, once. Raises what `KeyedRevisions.save` raises. `review` comes from `load_own_review`."""
    return _MARKS.save(owner=review, act=act, by=by, now=now)


def keep_notes(
    *, review: Review, notes: Sequence[Act], by: Person, now: datetime
) -> Conflict | Unacceptable | None:
    """Store the notes that differ from their version, all that it can; return what `mark` raised first."""
    refused: Conflict | Unacceptable | None = None
    for act in notes:
        known = MarkRevision.objects.filter(
            mark__review=review, mark__kind=act.kind, mark__subject=act.subject, version=act.version
        )
        if act.value == (known.values_list("value", flat=True).first() or ""):
            continue
        try:
            mark(review=review, act=act, by=by, now=now)
        except (Conflict, Unacceptable) as refusal:
            refused = refused or refusal
    return refused


def undo_mark(
    *, review: Review, key: str, by: Person, now: datetime, kind: str = "", subject: str = ""
) -> Saved[ReviewState]:
    """Undo the newest act, on one subject if `kind` is given. Raises what `KeyedRevisions.undo` raises.

    Holistic scores cannot be undone once the criteria are open, nor the marks that a second round begins with.
    """
    return _MARKS.undo(owner=review, key=key, by=by, now=now, kind=kind, subject=subject)


def submit_marked_review(*, review: Review, by: Person, now: datetime) -> Review:
    """Submit it, once. Raises Unacceptable for what is missing (`field` is "kind:subject"), NotAllowed if closed."""
    with transaction.atomic():
        locked = lock(review)
        if locked.state in (SUBMITTED, SET_APART) and locked.reviewer.person_id == by.pk:
            return locked
        check_review(by, locked)
        work = load_review_state(locked)
        if work.missing:
            first = work.missing[0]
            raise Unacceptable(first.says, code="missing", field=f"{first.kind}:{first.subject}")
        record = core.build_record(work.sheet, work.values, work.rubric, work.slips)
        reasons = core.collect_reasons(work.values, work.reasons)
        record_submission(review=locked, record=record, cannot_judge=reasons, by=by, now=now)
    return locked


def lock(review: Review) -> Review:
    # Reviewer and set are read without a lock: others may be saving in the same set.
    reviewer = Reviewer.objects.filter(pk=OuterRef("reviewer")).values("ended_at")
    held_by = ComparisonSet.objects.filter(reviewers=OuterRef("reviewer")).values("closed_at")
    rows = Review.objects.select_for_update().values_list(
        "state", "version", Subquery(reviewer), Subquery(held_by)
    )
    review.state, review.version, ended_at, closed_at = rows.get(pk=review.pk)
    review.reviewer.ended_at, review.reviewer.set.closed_at = ended_at, closed_at
    return review


class _Marks(KeyedRevisions[Review, ReviewState, Latest]):
    row_model, revision_model = Mark, MarkRevision
    row_name, owner_name = "mark", "review"

    def lock(self, owner: Review) -> None:
        lock(owner)

    def check(self, owner: Review, *, by: Person, now: datetime) -> None:
        check_review(by, owner)
        owner.__dict__["acted_at"] = now

    def read(self, owner: Review) -> ReviewState:
        work = load_review_state(owner)
        work.now = owner.__dict__.get("acted_at")
        return work

    def latest(self, work: ReviewState, kind: str, subject: str) -> Latest:
        return work.mark(kind, subject)

    def refuse_faults(self, work: ReviewState, act: Act, proposed: Latest) -> None:
        fault = core.find_mark_fault(work.sheet, act.kind, act.subject, act.value)
        if not fault and act.kind == HOLISTIC and work.is_locked:
            revisions = MarkRevision.objects.filter(
                mark__review=work.review, mark__kind=act.kind, mark__subject=act.subject
            )
            given_at = revisions.order_by("-pk").values_list("created_at", flat=True).first()
            age = work.now - given_at if work.now and given_at else core.SLIP * 2
            fault, field = core.find_slip_fault(
                work.sheet, age=age, value=proposed.value, reason=act.reason or ""
            )
            if fault:
                raise Unacceptable(fault, field=field)
        fault = fault or (act.kind != HOLISTIC and core.why_not_yet(work.sheet, work.values, act.kind)) or ""
        if fault:
            raise Unacceptable(fault, field="value")
        if (
            act.kind in (HOLISTIC, core.SCORE)
            and proposed.value == core.CANNOT
            and not proposed.reason.strip()
        ):
            raise Unacceptable(say(core.NO_REASON), field="reason")

    def amend(self, work: ReviewState, proposed: Latest) -> Latest:
        """Keep a reason only for "cannot judge" or a corrected slip: any other score removes it."""
        before = work.mark(proposed.kind, proposed.subject)
        is_slip = proposed.kind == HOLISTIC and work.is_locked and proposed.reason != before.reason
        return proposed if proposed.value == core.CANNOT or is_slip else replace(proposed, reason="")

    def undoable(self, work: ReviewState) -> QuerySet[MarkRevision]:
        return work.undoable()

    def project(self, owner: Review) -> Project:
        return owner.reviewer.set.project

    def changed(
        self, work: ReviewState, latest: Latest, *, now: datetime
    ) -> tuple[ReviewState, frozenset[str]]:
        return work.changed(latest), frozenset()


_MARKS = _Marks()
