"""Who may begin and change a review."""

from django.utils.translation import gettext as _

from rubric.models import ComparisonSet, Review, Reviewer
from rubric.models.comparisons import PERSON
from rubric.models.reviews import DRAFT as REVIEW_DRAFT
from workspace.core.refusals import NotAllowed
from workspace.models import Person


def check_begin_review(person: Person, comparison_set: ComparisonSet) -> None:
    own = Reviewer.objects.filter(set=comparison_set, kind=PERSON, person=person, ended_at=None)
    if not (person.is_active and own.exists()):
        raise NotAllowed(_("You do not review this set. A team lead can add you."))


def check_review(person: Person, review: Review) -> None:
    if review.reviewer.person_id != person.pk or not person.is_active:
        raise NotAllowed(_("This is not your review."))
    if review.state != REVIEW_DRAFT:
        raise NotAllowed(_("This review was submitted. It can be read, but not changed."))
    if review.reviewer.set.closed_at is not None:
        raise NotAllowed(_("This set is closed, so it takes no more reviews. What you wrote is kept."))
    if review.reviewer.ended_at is not None:
        raise NotAllowed(_("A team lead removed you from this set. What you wrote is kept."))
