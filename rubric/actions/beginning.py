"""A person opens a comparison to review it: the first round, or the second with what they said in the first."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from rubric.actions.handing_in import begin_review
from rubric.core.own_review import Given, Start, second_start
from rubric.models import Comparison, Mark, MarkRevision, Review, Reviewer
from rubric.models.comparisons import PERSON
from rubric.models.reviewing import STARTING
from rubric.models.reviews import SUBMITTED
from rubric.models.waiting import second_rounds
from rubric.permissions import check_begin_review
from workspace.core.canonical import canonical_hash
from workspace.models import Person

FIRST, SECOND = 1, 2


def open_review(*, comparison: Comparison, by: Person, now: datetime) -> Review:
    """The review of this comparison that waits for `by`, begun when it was not; else the newest that was handed in.

    The second round opens when everybody has handed in the first. Raises NotAllowed for who does not review the set,
    and what `begin_review` raises.
    """
    check_begin_review(by, comparison.set)
    reviewer = Reviewer.objects.get(set=comparison.set, kind=PERSON, person=by)
    with transaction.atomic():
        first = begin_review(comparison=comparison, reviewer=reviewer, by=by, now=now)
        if first.state != SUBMITTED or not comparison.set.has_second_round:
            return first
        second = comparison.reviews.filter(reviewer=reviewer, round=SECOND).first()
        is_open = comparison.set.closed_at is None and second_rounds(
            [comparison.set], comparison=comparison.pk
        )
        if second is not None or not is_open:
            return second or first
        second = begin_review(comparison=comparison, reviewer=reviewer, round_number=SECOND, by=by, now=now)
        _start_from(first, second, by, now)
    return second


def _start_from(first: Review, second: Review, by: Person, now: datetime) -> None:
    """Every mark of the second round as the first was handed in, each with its revision."""
    rows = first.reviewed.select_related("response").defer("response__text")
    given = [
        Given(row.response.number, row.scores, row.holistic, row.notes, row.cannot_judge) for row in rows
    ]
    starts = second_start(given, first.reported_ranking, first.order, second.order)
    store_starts(review=second, starts=starts, by=by, now=now)


def store_starts(*, review: Review, starts: Sequence[Start], by: Person, now: datetime) -> None:
    """Every mark that a review begins with, each with its revision; within a transaction."""
    said = [{"value": each.value, "reason": each.reason, "version": 1} for each in starts]
    marks = Mark.objects.bulk_create(
        Mark(review=review, kind=each.kind, subject=each.subject, **values)
        for each, values in zip(starts, said, strict=True)
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
        for mark, values in zip(marks, said, strict=True)
    )
