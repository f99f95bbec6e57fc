"""Two acts at the same moment: one of them counts, the other is told so; a comparison is started and submitted once."""

import pytest

from rubric.human_reviewers.actions import mark, open_review, submit_marked_review
from rubric.models import Comparison, Mark, MarkRevision, Review, ReviewedResponse
from tests.factories.human_reviewers import (
    begin,
    fresh,
    list_reviewers,
    make_review_set,
    say_all,
    start,
    submitted,
)
from tests.factories.people import NOW
from tests.faults.crowd import at_once
from workspace.audit.core import Act
from workspace.core.refusals import Conflict, NotAllowed
from workspace.models import Event

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.services]


def marking(review, value, key):
    act = Act(kind="score", subject="1.accuracy", value=value, version=0, key=key)
    person = review.reviewer.person
    return lambda: mark(review=fresh(review, person), act=act, by=person, now=NOW)


def test_of_two_acts_on_one_mark_one_counts_and_the_other_sees_both():
    review = start()
    results = at_once(*(marking(review, str(value), f"k{value}") for value in (1, 2, 3, 4)))
    refused = [result for result in results if isinstance(result, Conflict)]
    saved = [result for result in results if not isinstance(result, Exception)]
    assert (len(saved), len(refused)) == (1, 3)
    assert Mark.objects.get().value == saved[0].revision.value
    assert {conflict.detail["stored"] for conflict in refused} == {saved[0].revision.value}
    assert (MarkRevision.objects.count(), fresh(review).version) == (1, 1)
    assert Event.objects.filter(verb="mark:made").count() == 1


def test_one_act_sent_at_once_is_stored_once_and_acknowledged_to_all():
    review = start()
    results = at_once(*[marking(review, "7", "the same")] * 4)
    assert not [result for result in results if isinstance(result, Exception)]
    assert len({result.revision.pk for result in results}) == 1
    assert MarkRevision.objects.count() == 1


def test_handing_in_and_marking_at_once_keeps_what_was_submitted():
    review = say_all(start())
    person = review.reviewer.person
    before = Mark.objects.get(subject="1.accuracy")
    act = Act(kind="score", subject="1.accuracy", value="1", version=before.version, key="late")
    acts = [lambda: mark(review=fresh(review, person), act=act, by=person, now=NOW)]
    acts += [lambda: submit_marked_review(review=fresh(review, person), by=person, now=NOW)] * 2
    late, *_handed = at_once(*acts)
    counted = ReviewedResponse.objects.get(review=review, position=1).scores["accuracy"]
    assert ReviewedResponse.objects.count() == 3
    if isinstance(late, Exception):
        assert isinstance(late, NotAllowed)
        assert counted == int(before.value)
    else:
        assert counted == 1
    assert str(counted) == Mark.objects.get(subject="1.accuracy").value


def test_a_second_round_started_on_two_devices_is_one():
    made = make_review_set(people=2, has_second_round=True)
    for person in list_reviewers(made):
        submitted(begin(made, by=person))
    person = list_reviewers(made)[0]
    comparison = Comparison.objects.select_related("set__project").get(set=made)
    opened = at_once(*[lambda: open_review(comparison=comparison, by=person, now=NOW)] * 4)
    assert {entry.pk for entry in opened} == {Review.objects.get(round=2).pk}
    assert Mark.objects.filter(review__round=2).count() == 12
