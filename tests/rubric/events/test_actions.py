"""Reviewers are told of their sets and of second rounds."""

import pytest

from rubric.comparisons.actions import close_set, end_reviewer
from tests.factories.human_reviewers import begin, list_reviewers, make_review_set, say_all, submitted
from tests.factories.people import NOW
from workspace.outbox.queries import notifications_page

pytestmark = [pytest.mark.django_db, pytest.mark.services(is_long=True)]


def told(person):
    return [line.says for line in notifications_page(person=person)[0]]


def review(made, person, number=1):
    started = begin(made, by=person, number=number)
    say_all(started)
    return submitted(started)


def test_a_reviewer_is_told_of_the_set_until_they_are_removed():
    made = make_review_set(people=2)
    first, second = list_reviewers(made)
    says = f"You are a reviewer of comparison set {made.number}."
    assert told(first) == told(second) == [says]
    end_reviewer(reviewer=made.reviewers.get(person=first), by=made.created_by, now=NOW)
    assert (told(first), told(second)) == ([], [says])


def test_the_last_first_review_opens_the_second_round():
    made = make_review_set(people=2, has_second_round=True)
    first, second = list_reviewers(made)
    review(made, first)
    assert len(told(first)) == 1
    review(made, second)
    assert told(first)[0] == f"The second round of a comparison in set {made.number} is open."
    assert len(told(second)) == 1
    close_set(comparison_set=made, by=made.created_by, now=NOW)
    assert told(first) == []


def test_a_set_without_a_second_round_tells_of_none():
    made = make_review_set(people=2)
    first, second = list_reviewers(made)
    for person in (first, second):
        review(made, person)
    assert len(told(first)) == len(told(second)) == 1


def unread(person):
    return [line.says for line in notifications_page(person=person, unread=True)[0]]


def test_a_set_is_read_when_all_of_it_is_reviewed_and_not_before():
    made = make_review_set(people=1, questions=2)
    (person,) = list_reviewers(made)
    review(made, person)
    assert len(unread(person)) == 1
    review(made, person, number=2)
    assert (unread(person), len(told(person))) == ([], 1)


def test_a_second_round_is_read_when_it_is_reviewed():
    made = make_review_set(people=2, has_second_round=True)
    first, second = list_reviewers(made)
    for person in (first, second):
        review(made, person)
    assert unread(first) == [f"The second round of a comparison in set {made.number} is open."]
    submitted(begin(made, by=first))
    assert (unread(first), len(told(first))) == ([], 2)
