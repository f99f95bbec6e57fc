"""What people and webhooks are told about comparison sets. settings.EVENT_ACTIONS says which of these is called with an
audit line, in its transaction.
"""

from rubric.human_reviewers.queries.waiting import SECOND, SECOND_STARTED, second_rounds, waiting_sets
from rubric.models import ComparisonSet, Review, Reviewer
from rubric.models.comparisons import PERSON
from rubric.models.reviews import RATING, SUBMITTED
from workspace.models import Event
from workspace.outbox.actions.queue import announce, take_back, tell
from workspace.outbox.core import SET_CLOSED
from workspace.outbox.queries import unread_about

FIRST = 1


def tell_reviewer(event: Event) -> None:
    """Tell a person that they have comparisons to review; models and external reviewers get no notification."""
    reviewer = _load_reviewer(event)
    if reviewer.person_id is not None:
        about = {"set": reviewer.set.number}
        tell(event, [reviewer.person_id], "set_assigned", f"set:{reviewer.set.pk}", about=about)


def forget_reviewer(event: Event) -> None:
    reviewer = _load_reviewer(event)
    if reviewer.person_id is not None:
        take_back(event, f"set:{reviewer.set.pk}", person=reviewer.person_id)


def forget_set(event: Event) -> None:
    take_back(event, f"set:{event.object_id}")


def announce_closed(event: Event) -> None:
    number = ComparisonSet.objects.get(pk=int(event.object_id)).number
    announce(event, SET_CLOSED, {"set": number})


def close_reviews(event: Event) -> None:
    """A person who has submitted all reviews of a set, or of its open second rounds, need not be reminded of them."""
    if event.details["kind"] != PERSON:
        return
    review = Review.objects.select_related("reviewer__set", "reviewer__person").get(pk=int(event.object_id))
    person, set_key = review.reviewer.person, review.reviewer.set_id
    told = unread_about(event.chain.project, f"set:{set_key}").filter(person=person)
    if person is None or not told.filter(code__in=("set_assigned", "second_round")).exists():
        return
    for waiting_set in waiting_sets(person, only=set_key):
        seconds = waiting_set.in_state(SECOND, SECOND_STARTED)
        done = ([] if seconds else ["second_round"]) + ([] if waiting_set.is_first_open else ["set_assigned"])
        told.filter(code__in=done).update(read_at=event.at)


def tell_second_round(event: Event) -> None:
    """Tell those who submitted a first-round review that the last one of the comparison has opened the second round."""
    if event.details["kind"] != PERSON:
        return
    review = Review.objects.select_related("comparison__set").get(pk=int(event.object_id))
    comparison_set = review.comparison.set
    is_first = review.round == FIRST and review.purpose == RATING
    if not (is_first and comparison_set.has_second_round) or comparison_set.closed_at:
        return
    if review.comparison_id not in second_rounds([comparison_set], among=[review.comparison_id]):
        return
    submitted = Review.objects.filter(
        comparison=review.comparison_id, round=FIRST, purpose=RATING, state=SUBMITTED
    )
    people = submitted.filter(reviewer__kind=PERSON, reviewer__ended_at=None)
    keys = list(people.values_list("reviewer__person", flat=True))
    tell(event, keys, "second_round", f"set:{comparison_set.pk}", about={"set": comparison_set.number})


def _load_reviewer(event: Event) -> Reviewer:
    return Reviewer.objects.select_related("set").get(pk=event.details["reviewer"])
