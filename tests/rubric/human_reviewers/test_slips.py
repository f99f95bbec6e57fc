"""A slip in the holistic score, once the criteria are open; and what a second round changed."""

from datetime import timedelta

import pytest
from django.urls import reverse

from rubric.checks.actions import CHECKS
from rubric.human_reviewers.actions import submit_marked_review
from rubric.models import MarkRevision
from tests.factories.human_reviewers import (
    begin,
    find_position,
    fresh,
    list_reviewers,
    make_review_set,
    say,
    say_all,
    start,
    submitted,
    work,
)
from tests.factories.people import NOW, moment
from workspace.checks.core import run_check
from workspace.core.refusals import Unacceptable

pytestmark = pytest.mark.django_db


def breaches():
    return [said for check in CHECKS for said in run_check(check, moment(90)).breaches]


def test_a_slip_needs_a_reason_after_ten_seconds_and_the_reason_stays():
    review = say_all(start(mode="both"))
    say(review, "holistic", "1", "9", now=NOW + timedelta(seconds=10))
    assert work(review).slips == {}
    late = NOW + timedelta(seconds=21)
    for reason in (None, " "):
        with pytest.raises(Unacceptable, match="what the slip was"):
            say(review, "holistic", "1", "2", now=late, reason=reason)
    say(review, "holistic", "1", "2", now=late, reason="I hit 9 for 2.")
    assert MarkRevision.objects.latest("pk").reason == "I hit 9 for 2."
    done = submit_marked_review(review=fresh(review), by=review.reviewer.person, now=moment(9))
    assert [flag["message"] for flag in done.flags] == [
        "Response A: the holistic score was corrected after the criteria were open: I hit 9 for 2."
    ]
    assert done.reviewed.get(position=1).holistic == 2
    assert breaches() == []


def test_a_slip_after_cannot_judge_does_not_take_over_its_reason():
    review = start(mode="both")
    say(review, "holistic", "1", "cannot", reason="In a language that I cannot read.")
    for place in ("2", "3"):
        say(review, "holistic", place, "7")
    say(review, "holistic", "1", "4", now=NOW + timedelta(seconds=5))
    assert work(review).slips == {}
    with pytest.raises(Unacceptable, match="give the score that you meant"):
        say(review, "holistic", "1", "", now=NOW + timedelta(seconds=6))


def test_what_the_second_round_changed_is_marked_for_reviewer_and_lead(client):
    made = make_review_set(people=2, has_second_round=True)
    left, other = list_reviewers(made)
    for person in (left, other):
        submitted(begin(made, by=person))
    second = begin(made, by=left)
    client.force_login(left)
    address = reverse("review", args=[second.pk])
    assert "changed, was" not in client.get(address).content.decode()
    say(second, "score", f"{find_position(second, 1)}.accuracy", "5")
    assert "changed, was 9" in client.get(address).content.decode()
    submit_marked_review(review=fresh(second), by=left, now=NOW)
    assert "Accuracy was 9" in client.get(address).content.decode()
    client.force_login(made.created_by)
    page = client.get(reverse("comparison_result", args=[made.project.slug, made.number, 1]))
    text = " ".join(page.content.decode().split())
    assert "changed in round 2:" in text and text.count("Accuracy was 9") == 1
