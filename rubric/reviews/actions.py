"""Begin reviews, with the order of their responses, and store the ReviewRecord that was submitted."""

import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _
from msgspec import to_builtins

from rubric.core.records import FEWEST_SHOWN, ReviewRecord
from rubric.core.response_order import shuffle
from rubric.models import Comparison, Review, ReviewedResponse, Reviewer
from rubric.models.reviews import DRAFT, RATING, SET_APART, SUBMITTED, SUPERSEDED
from rubric.reviews.core.answer_record import READER
from rubric.reviews.core.corrections import Correction
from rubric.reviews.queries import build_reviewed_rows
from workspace.audit.actions import record_event
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.models import Person


def begin_review(
    *,
    comparison: Comparison,
    reviewer: Reviewer,
    round_number: int = 1,
    order: Sequence[int] | None = None,
    purpose: str = RATING,
    by: Person,
    now: datetime,
) -> Review:
    """The review of that reviewer in that round; if there is none, make it with its order of responses.

    Responses that the reviewer wrote are left out. `order` gives the numbers of the responses as an external reviewer
    saw them; then nothing is shuffled. `purpose` is as in Review. Raises NotAllowed if fewer than two responses are
    left, the reviewer was removed or the set is closed; Conflict if the existing review has another order; Unacceptable
    for an impossible order.
    """
    key = {"comparison": comparison, "reviewer": reviewer, "round": round_number, "purpose": purpose}
    with transaction.atomic():
        locked = Reviewer.objects.select_for_update(of=("self",)).select_related("set").get(pk=reviewer.pk)
        found = Review.objects.filter(**key).exclude(state=SUPERSEDED).first()
        if found is not None:
            if order is not None and found.order != list(order):
                raise Conflict(
                    _("This reviewer was shown the responses in another order."), code="other_order"
                )
            return found
        if locked.ended_at is not None or locked.set.closed_at is not None:
            raise NotAllowed(_("This set takes no more reviews from this reviewer."))
        responses = comparison.responses.order_by("number").values_list("number", "written_by")
        numbers = [number for number, writer in responses if writer is None or writer != reviewer.person_id]
        if len(numbers) < FEWEST_SHOWN:
            raise NotAllowed(
                _("Too many of these responses are the reviewer's own, so nothing is left to compare.")
            )
        seed = "" if order is not None else secrets.token_hex(16)
        shown = shuffle(numbers, seed) if order is None else list(order)
        if not set(shown) <= set(numbers) or len(set(shown)) != len(shown) or len(shown) < FEWEST_SHOWN:
            raise Unacceptable(_("The order must name two or more responses of the comparison, each once."))
        made = Review.objects.create(**key, seed=seed, order=shown, created_at=now)
        _note(made, reviewer, "review:begun", by, now, **({} if purpose == RATING else {"purpose": purpose}))
    return made


def record_submission(
    *,
    review: Review,
    record: ReviewRecord,
    cannot_judge: Mapping[str, Mapping[str, str]] | None = None,
    criteria_first: bool = False,
    by: Person,
    now: datetime,
) -> None:
    """Store the review's record, once; labels follow the review's order. `cannot_judge` gives reasons by label, key.

    `criteria_first` says whether the holistic scores were given after the criteria were shown.

    The caller has checked the permission. Raises Conflict if it was submitted already.
    """
    with transaction.atomic():
        changes = {
            "state": SUBMITTED if review.purpose == RATING else SET_APART,
            "submitted_at": now,
            "version": review.version + 1,
            "mode": record.mode,
            "ranking": record.ranking,
            "reported_ranking": record.reported_ranking,
            "flags": to_builtins(record.flags),
            "reader": READER,
            "criteria_first": criteria_first,
            "is_blind": not Reviewer.objects.filter(
                pk=review.reviewer_id, could_see_since__isnull=False
            ).exists(),
        }
        if not Review.objects.filter(pk=review.pk, state=DRAFT).update(**changes):
            raise Conflict(_("This review was submitted already."), code="already_handed_in")
        ReviewedResponse.objects.bulk_create(build_reviewed_rows(review, record, cannot_judge or {}))
        _note(review, review.reviewer, "review:handed_in", by, now, mode=record.mode)
    for name, value in changes.items():
        setattr(review, name, value)


def begin_reading(
    *, review: Review, correction: Correction | None = None, by: Person, now: datetime
) -> Review:
    """Supersede a review's reading by a new one, still to be submitted. Raises Conflict if it was superseded already.

    If there is a `correction`, the new reading is a person's.
    """
    with transaction.atomic():
        supersede_review(review=review, by=by, now=now)
        made = Review.objects.create(
            comparison=review.comparison,
            reviewer=review.reviewer,
            round=review.round,
            seed=review.seed,
            order=review.order,
            read_from=review.source,
            correction=to_builtins(correction) if correction else {},
            corrected_by=by if correction else None,
            corrected_at=now if correction else None,
            created_at=now,
        )
        how = "corrected" if correction else "read anew"
        _note(made, review.reviewer, "review:begun", by, now, reading=how, earlier=str(review.pk))
    return made


def supersede_review(*, review: Review, by: Person, now: datetime) -> None:
    """Supersede a review, so that the reviewer can be asked again; it stays readable. Raises Conflict."""
    with transaction.atomic():
        if not Review.objects.filter(pk=review.pk).exclude(state=SUPERSEDED).update(state=SUPERSEDED):
            raise Conflict(_("This review was superseded already."), code="already_superseded")
        _note(review, review.reviewer, "review:superseded", by, now)
    review.state = SUPERSEDED


def _note(review: Review, reviewer: Reviewer, verb: str, by: Person, now: datetime, **detail: str) -> None:
    """Write the audit line of an act on a review."""
    told = {"round": review.round, "kind": reviewer.kind, **detail}
    record_event(verb, review, by=by, now=now, project=reviewer.set.project, detail=told)
