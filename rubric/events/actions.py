"""Notifications about comparison sets. Each action is called with an audit line and in its transaction; see
settings.EVENT_ACTIONS.
"""

from datetime import datetime

import msgspec

from rubric.human_reviewers.queries.waiting import SECOND, SECOND_STARTED, second_rounds, waiting_sets
from rubric.models import ComparisonSet, Review, Reviewer
from rubric.models.comparisons import PERSON
from rubric.models.reviews import RATING, SUBMITTED
from workspace.models import Event, Person, Project
from workspace.notifications.actions.notify import take_back, tell_of_event
from workspace.notifications.queries import unread_about

FIRST = 1


def tell_reviewer(*, event: Event, project: Project, by: Person, now: datetime) -> None:
    """Tell a person that they have comparisons to review; models and external reviewers get no notification."""
    reviewer = _load_reviewer(event)
    if reviewer.person_id is None:
        return
    tell_of_event(
        event=event,
        people=[reviewer.person_id],
        code="set_assigned",
        subject=_subject(reviewer.set),
        about={"set": reviewer.set.number},
        by=by,
    )


def forget_reviewer(*, event: Event, project: Project, by: Person, now: datetime) -> None:
    """Drop notifications about the set for a removed reviewer."""
    reviewer = _load_reviewer(event)
    if reviewer.person_id is not None:
        take_back(project=project, subject=_subject(reviewer.set), person=reviewer.person_id, by=by)


def forget_set(*, event: Event, project: Project, by: Person, now: datetime) -> None:
    """Drop notifications about a closed set: nothing is left to do."""
    take_back(project=project, subject=f"set:{event.object_id}", by=by)


def close_reviews(*, event: Event, project: Project, by: Person, now: datetime) -> None:
    """A person who has submitted all reviews of a set, or of its open second rounds, need not be reminded of them."""
    review = Review.objects.select_related("reviewer__set", "reviewer__person").get(pk=int(event.object_id))
    person, held_by = review.reviewer.person, review.reviewer.set
    told = unread_about(project, _subject(held_by), ("set_assigned", "second_round")).filter(person=person)
    if person is None or not told.exists():
        return
    for waiting_set in waiting_sets(person, only=held_by.pk):
        seconds = waiting_set.in_state(SECOND, SECOND_STARTED)
        done = ([] if seconds else ["second_round"]) + ([] if waiting_set.is_first_open else ["set_assigned"])
        told.filter(code__in=done).update(read_at=now)


def tell_second_round(*, event: Event, project: Project, by: Person, now: datetime) -> None:
    """Tell those who submitted a first-round review that the last one of the comparison has opened the second round."""
    rows = Review.objects.select_related("comparison__set")
    review = rows.get(pk=int(event.object_id))
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
    tell_of_event(
        event=event,
        people=list(people.values_list("reviewer__person", flat=True)),
        code="second_round",
        subject=_subject(comparison_set),
        about={"set": comparison_set.number},
        by=by,
    )


def _load_reviewer(event: Event) -> Reviewer:
    key = msgspec.json.decode(event.detail)["reviewer"]
    return Reviewer.objects.select_related("set").get(pk=key)


def _subject(comparison_set: ComparisonSet) -> str:
    return f"set:{comparison_set.pk}"
