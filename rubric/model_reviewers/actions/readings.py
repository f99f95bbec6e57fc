"""Read answers again with the current reader, or correct a reading by hand. Earlier readings are kept, superseded."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from rubric.model_reviewers.queries import list_readable, parse_answer, reads_otherwise
from rubric.models import ComparisonSet, Review
from rubric.models.reviews import SUBMITTED
from rubric.reviews.actions import begin_reading, record_submission
from rubric.reviews.core.corrections import Correction, apply_correction
from rubric.reviews.permissions import check_change_set, check_see_results
from workspace.core.refusals import Conflict, Unacceptable
from workspace.models import Person
from workspace.texts import clean_text

LONGEST_CORRECTION = 500


def reread_answer(*, review: Review, by: Person, now: datetime) -> Review:
    """Make the current reader's reading of the answer count. Raises NotAllowed, Conflict when it is the same.

    `review` comes from `reviews_to_read`; a correction by hand is superseded too.
    """
    _check(review, by)
    if not reads_otherwise(review) and not review.correction:
        says = _("The current parser gives the same result, so nothing would change.")
        raise Conflict(says, code="reads_the_same")
    with transaction.atomic():
        made = begin_reading(review=review, by=by, now=now)
        record = parse_answer(made)
        assert record is not None
        record_submission(review=made, record=record, criteria_first=review.criteria_first, by=by, now=now)
    return made


def reread_answers(*, comparison_set: ComparisonSet, by: Person, now: datetime) -> int:
    """Do the same for every answer of the set that an earlier reader read differently; return how many there were.

    Readings that a person corrected stay. Raises NotAllowed, Conflict.
    """
    check_change_set(by, comparison_set)
    check_see_results(by, comparison_set)
    with transaction.atomic():
        reviews = [review for review in list_readable(comparison_set) if reads_otherwise(review)]
        if not reviews:
            says = _("The current parser gives the same result for every answer.")
            raise Conflict(says, code="reads_the_same")
        for review in reviews:
            reread_answer(review=review, by=by, now=now)
    return len(reviews)


def correct_reading(*, review: Review, correction: Correction, by: Person, now: datetime) -> Review:
    """Make a person's correction of a reading count; the reading that it corrects is replayed with its reader's number.

    Raises NotAllowed, Conflict when it was superseded in the meantime, Unacceptable without a reason.
    """
    _check(review, by)
    reason = clean_text(
        correction.reason, field="reason", ask=_("Say what the parser got wrong."), most=LONGEST_CORRECTION
    )
    correction = Correction(correction.scores, reason, correction.ranking)
    rubric = review.reviewer.set.rubric_version.to_record()
    with transaction.atomic():
        made = begin_reading(review=review, correction=correction, by=by, now=now)
        made.correction = {}
        record = parse_answer(made)
        if record is None:
            raise Unacceptable(_("This review has no answer that could be corrected."))
        corrected = apply_correction(record, correction, rubric)
        record_submission(review=made, record=corrected, criteria_first=review.criteria_first, by=by, now=now)
    return made


def _check(review: Review, by: Person) -> None:
    check_change_set(by, review.reviewer.set)
    check_see_results(by, review.reviewer.set)
    if review.state != SUBMITTED:
        raise Conflict(_("This result was superseded. Open the newest one."), code="already_superseded")
