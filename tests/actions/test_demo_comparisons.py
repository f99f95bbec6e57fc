"""The demo's comparisons: reviewed by people, models and an external reviewer, with everything that can be odd."""

import pytest

from discussions.demo.actions.fill import play, read_script
from discussions.demo.actions.scene import Clock, Scene
from rubric.models import Answer, ComparisonSet, Review, ReviewedResponse
from rubric.models.reviewed import reviewed_of
from rubric.permissions import check_see_results
from tests.factories import NOW, make_member, make_person, make_project
from workspace.permissions import refusal_of

pytestmark = pytest.mark.django_db


def fill() -> dict:
    """The demo's comparisons in a project of their own; the people by their keys."""
    project = make_project()
    lead = make_person(email="lead@example.org")
    make_member(project=project, role="lead", person=lead)
    people = {"lead": lead, "first": make_member(project=project), "second": make_member(project=project)}
    play(script=read_script("comparisons"), scene=Scene(project, people, Clock(NOW), NOW))
    return people


def test_the_big_set_has_everything_that_reviews_can_be():
    people = fill()
    made = ComparisonSet.objects.get(number=1)
    assert (made.comparisons.count(), made.mode, made.closed_at) == (12, "both", None)
    reviews = Review.objects.filter(comparison__set=made).exclude(comparison__key="mail")
    assert (reviews.filter(state="submitted").count(), reviews.count()) == (55, 55)
    assert not Review.objects.filter(comparison__key="mail").exists()
    assert set(reviews.values_list("mode", flat=True)) == {"rubric", "partial", "abstained"}
    codes = {flag["code"] for flags in reviews.values_list("flags", flat=True) for flag in flags}
    assert "overall_mismatch" in codes
    assert Answer.objects.filter(review__in=reviews).count() == 22
    assert ReviewedResponse.objects.exclude(cannot_judge={}).count() == 1
    assert any(each.is_own for each in reviewed_of(made))
    assert refusal_of(check_see_results, people["lead"], made) == ""


def test_a_person_never_reviews_an_own_response_and_scores_are_spread():
    people = fill()
    seen = ReviewedResponse.objects.filter(review__reviewer__person=people["lead"])
    assert not seen.filter(response__written_by=people["lead"]).exists()
    rows = [each.scores for each in reviewed_of(ComparisonSet.objects.get(number=1)) if each.scores]
    assert {score for row in rows for score in row.values()} == set(range(1, 11))
    flat = [len(set(row.values())) == 1 for row in rows]
    assert 35 <= sum(flat) < len(rows) / 2


def test_the_small_set_waits_for_the_first_evaluator():
    people = fill()
    made = ComparisonSet.objects.get(number=2)
    assert made.has_second_round and made.closed_at is None
    handed = Review.objects.filter(comparison__set=made, reviewer__person=people["first"])
    assert (made.comparisons.count(), handed.count()) == (3, 1)
    guest = made.reviewers.get(kind="elsewhere")
    assert {flag["code"] for flag in guest.reviews.first().flags} == {"rescaled", "order_unknown"}


def test_the_same_people_give_the_same_reviews_again():
    people = fill()
    columns = ("review__comparison__key", "review__order", "position", "scores", "holistic", "notes")
    rows = list(ReviewedResponse.objects.order_by("pk").values_list(*columns))
    other = make_project()
    for key, person in people.items():
        make_member(project=other, role="lead" if key == "lead" else "evaluator", person=person)
    play(script=read_script("comparisons"), scene=Scene(other, people, Clock(NOW), NOW))
    again = ReviewedResponse.objects.filter(review__comparison__set__project=other).order_by("pk")
    assert list(again.values_list(*columns)) == rows
