"""Comparisons are opened by their reviewers: dealt, one's own left out, and a second round when all are done."""

import pytest

from rubric.actions.beginning import open_review
from rubric.actions.comparing import add_comparisons, close_set, end_reviewer
from rubric.actions.reviewing import hand_in_review, undo_mark
from rubric.core.comparisons import NewComparison, NewResponse
from rubric.models import Comparison, Mark, MarkRevision, Review
from rubric.models.reviewing import others_of
from rubric.models.waiting import waiting_count, waiting_sets
from tests.factories import NOW, make_member
from tests.reviewing import begin, fresh, handed_in, make_review_set, place_of, reviewers_of, say, work
from workspace.core.refusals import NotAllowed, Unacceptable
from workspace.models import Event

pytestmark = pytest.mark.django_db


def states(person):
    return [row.state for each in waiting_sets(person) for row in each.rows]


def two_rounds(**given):
    """A set with two rounds and two reviewers who have both handed in the first."""
    made = make_review_set(people=2, has_second_round=True, **given)
    for person in reviewers_of(made):
        handed_in(begin(made, by=person))
    return made


def test_a_comparison_is_begun_once():
    made = make_review_set()
    assert begin(made).pk == begin(made).pk
    assert Review.objects.count() == 1


def test_only_reviewers_of_the_set_begin():
    made = make_review_set()
    with pytest.raises(NotAllowed, match="do not review this set"):
        begin(made, by=make_member(project=made.project))
    person = reviewers_of(made)[0]
    end_reviewer(reviewer=made.reviewers.get(), by=made.created_by, now=NOW)
    with pytest.raises(NotAllowed):
        open_review(comparison=made.comparisons.get(), by=person, now=NOW)
    assert not Review.objects.exists()


def test_ones_own_responses_are_not_dealt_and_what_is_left_of_them_is_not_for_one():
    made = make_review_set()
    person = reviewers_of(made)[0]
    for own in (1, 2):
        texts = [NewResponse(text=f"Text {at}", author=person.email if at <= own else "") for at in (1, 2, 3)]
        comparison = NewComparison(question="Whose is it?", responses=texts)
        add_comparisons(comparison_set=made, comparisons=[comparison], by=made.created_by, now=NOW)
    assert sorted(begin(made, number=2).order) == [2, 3]
    with pytest.raises(NotAllowed, match="nothing is left to compare"):
        begin(made, number=3)
    assert states(person) == ["to_review", "begun", "not_for_you"]
    assert waiting_count(person) == 2


def test_nothing_waits_in_a_closed_set():
    made = make_review_set()
    close_set(comparison_set=made, by=made.created_by, now=NOW)
    assert waiting_count(reviewers_of(made)[0]) == 0
    with pytest.raises(NotAllowed, match="no more reviews"):
        begin(made)


def test_the_second_round_opens_when_everybody_has_handed_in_the_first():
    made = make_review_set(people=2, has_second_round=True)
    one, other = reviewers_of(made)
    first = handed_in(begin(made, by=one))
    assert begin(made, by=one).pk == first.pk
    assert states(one) == ["handed_in"]
    handed_in(begin(made, by=other))
    assert states(one) == states(other) == ["second"]
    second = begin(made, by=one)
    assert (second.round, second.state) == (2, "draft")
    assert begin(made, by=one).pk == second.pk
    assert states(one) == ["second_begun"]
    assert Event.objects.filter(verb="review:begun", detail__contains='"round":2').count() == 1


def test_who_was_taken_out_or_cannot_review_is_not_waited_for():
    made = make_review_set(people=4, has_second_round=True)
    people = reviewers_of(made)
    texts = [NewResponse(text=f"Text {at}", author=people[3].email if at < 3 else "") for at in (1, 2, 3)]
    add_comparisons(
        comparison_set=made,
        comparisons=[NewComparison(question="Whose?", responses=texts)],
        by=made.created_by,
        now=NOW,
    )
    for person in people[:2]:
        handed_in(begin(made, by=person, number=2))
    assert states(people[0])[1] == "handed_in"
    end_reviewer(reviewer=made.reviewers.get(person=people[2]), by=made.created_by, now=NOW)
    assert states(people[0])[1] == "second"


@pytest.mark.parametrize("given", [{"people": 1, "has_second_round": True}, {"people": 2}])
def test_without_others_or_a_second_round_there_is_none(given):
    made = make_review_set(**given)
    for person in reviewers_of(made):
        first = handed_in(begin(made, by=person))
    assert begin(made, by=person).pk == first.pk
    assert states(person) == ["handed_in"]


def test_a_second_round_begins_with_what_the_first_said_and_both_are_kept():
    made = make_review_set(people=2, has_second_round=True, mode="both")
    one, other = reviewers_of(made)
    first = begin(made, by=one)
    say(first, "notes", str(place_of(first, 2)), "salty")
    first = handed_in(first)
    handed_in(begin(made, by=other))
    second = begin(made, by=one)
    values = work(second).values
    assert values["score", f"{place_of(second, 1)}.accuracy"] == "9"
    assert values["holistic", str(place_of(second, 3))] == "6"
    assert values["notes", str(place_of(second, 2))] == "salty"
    assert len(values) == 16
    with pytest.raises(Unacceptable, match="stay as they were given"):
        say(second, "holistic", "1", "2")
    say(second, "score", f"{place_of(second, 1)}.accuracy", "2")
    undo_mark(review=fresh(second), key="u", by=one, now=NOW)
    assert work(second).values == values
    with pytest.raises(Unacceptable, match="nothing left to undo"):
        undo_mark(review=fresh(second), key="v", by=one, now=NOW)
    say(second, "score", f"{place_of(second, 1)}.accuracy", "5")
    handed_in_again = handed_in_as_it_is(second)
    rounds = {
        row.review_id: row.scores["accuracy"]
        for review in (first, handed_in_again)
        for row in review.reviewed.filter(response__number=1)
    }
    assert rounds == {first.pk: 9, second.pk: 5}
    for row in Mark.objects.filter(review=second):
        assert row.revisions.count() == row.version


def handed_in_as_it_is(review):
    return hand_in_review(review=fresh(review), by=review.reviewer.person, now=NOW)


def test_others_are_shown_in_the_second_round_alone_without_names_in_an_order_of_the_seed():
    made = make_review_set(people=4, has_second_round=True)
    people = reviewers_of(made)
    for number, person in enumerate(people, start=1):
        first = begin(made, by=person)
        assert others_of(first) == []
        scores = dict.fromkeys(
            ("accuracy", "completeness", "conciseness", "clarity"), (number, number, number)
        )
        handed_in(first, scores=scores)
        assert others_of(fresh(first)) == []
    second = begin(made, by=people[0])
    found = others_of(second)
    assert {other.other for other in found} == {1, 2, 3}
    by_other = {other.other: other.scores["clarity"] for other in found}
    assert sorted(by_other.values()) == [2, 3, 4]
    assert found == others_of(fresh(second))
    assert all(not hasattr(other, name) for other in found for name in ("reviewer", "person", "name"))


def test_a_second_round_that_was_begun_twice_is_one():
    made = two_rounds()
    person = reviewers_of(made)[0]
    begin(made, by=person)
    revisions = MarkRevision.objects.count()
    begin(made, by=person)
    assert MarkRevision.objects.count() == revisions
    assert Review.objects.filter(round=2).count() == 1


def test_a_closed_set_begins_no_second_round():
    made = two_rounds()
    close_set(comparison_set=made, by=made.created_by, now=NOW)
    assert begin(made).round == 1
    assert Comparison.objects.get(set=made).reviews.count() == 2
