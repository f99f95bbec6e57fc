"""A set that is closed while reviews are under way: the lead is told first, the reviewer reads what came of theirs."""

import html
import re

import pytest
from django.urls import reverse

from rubric.models import ComparisonSet
from tests.factories.human_reviewers import begin, make_review_set, say_all, submitted

pytestmark = pytest.mark.django_db


def address(name, made):
    return reverse(name, args=[made.project.slug, made.number])


def get_text(answer, status=200):
    assert answer.status_code == status
    return " ".join(html.unescape(answer.content.decode()).split())


def test_closing_says_first_how_many_reviews_are_under_way(client):
    made = make_review_set(people=1)
    client.force_login(made.created_by)
    review = begin(made)
    text = get_text(client.get(address("comparison_set", made)))
    assert "1 review is under way. It will not count unless it is submitted first." in text
    assert 'name="under_way" value="1"' in text and "Close all the same" in text
    # A page that was loaded before the review began does not close the set.
    told = get_text(client.post(address("close_set", made), {"under_way": "0"}), 409)
    assert "Not closed yet." in told and "1 review is under way" in told
    assert ComparisonSet.objects.get(pk=made.pk).closed_at is None
    assert client.post(address("close_set", made), {"under_way": "1"}).status_code == 303
    client.force_login(review.reviewer.person)
    listed = get_text(client.get(reverse("reviews")))
    assert "Not counted: the set was closed before you submitted" in listed
    assert "Started" not in listed
    page = get_text(client.get(reverse("review", args=[review.pk])))
    assert "not counted, closed" in page
    assert "scored" not in page.partition('id="status"')[2].partition("</header>")[0]
    assert re.search(r'id="keysheet"\s+hidden', page)
    judged = page.partition('id="judge"')[2]
    assert "not scored" in judged and "to do" not in judged and "Keys 1 to 9" not in judged


def test_what_is_submitted_is_not_under_way(client):
    made = make_review_set(people=1)
    review = begin(made)
    say_all(review)
    submitted(review)
    client.force_login(made.created_by)
    assert "under way." not in get_text(client.get(address("comparison_set", made)))
    assert client.post(address("close_set", made)).status_code == 303


def test_after_the_last_review_the_way_back_is_focused(client):
    made = make_review_set(people=1)
    review = begin(made)
    say_all(review)
    submitted(review)
    client.force_login(review.reviewer.person)
    text = get_text(client.get(reverse("review", args=[review.pk]))).partition("<main")[2]
    assert text.count("autofocus") == 1
    assert re.search(r"autofocus\s*>\s*(All my reviews|Review the next comparison|<)", text)
