"""The demo: made once, through the actions, with life on every screen.

The demo's comparisons: reviewed by people, models and an external reviewer, with everything that can be odd.
"""

from inspect import signature

import pytest
from django.core.management import CommandError, call_command

from discussions.demo.actions.fill import STEPS, play, read_script
from discussions.demo.actions.scene import Clock, Scene
from discussions.management.commands.verify import CHECKS
from discussions.models import Evaluation, Game, Remark, Slot, Verdict
from rubric.calibration.queries import load_progress
from rubric.models import Answer, ComparisonSet, Review, ReviewedResponse
from rubric.models.comparisons import MODEL, PERSON
from rubric.reviews.queries import load_reviewed
from rubric.sets.permissions import check_see_results
from tests.factories.demo import fill
from tests.factories.people import NOW, make_member, make_person, make_project
from workspace.access.permissions import get_refusal
from workspace.models import Event, Job, Membership, Person

pytestmark = pytest.mark.django_db


@pytest.mark.slow
def test_the_demo_is_made_once_and_shows_every_state():
    demo = fill()
    _the_long_game_is_the_one_of_the_key_count()
    assert (demo.game_count, demo.verdict_count, demo.was_there) == (21, 14, False)
    unsorted = Game.objects.filter(project__slug="demo", iteration__stage=None)
    assert list(unsorted.order_by("number").values_list("number", flat=True)) == [1, 2, 3, 4, 5, 6]
    assert sorted(Verdict.objects.filter(game__in=unsorted).values_list("passes", flat=True)) == [False, True]
    states = sorted(Evaluation.objects.filter(game__in=unsorted).values_list("state", flat=True))
    assert states == ["lapsed", "submitted", "submitted", "submitted"], "half a game was left three weeks ago"
    assert Slot.objects.filter(evaluator=None, game__in=unsorted).count() == 3
    assert {remark.kind for remark in Remark.objects.all()} == {"comment", "flag"}
    members = Membership.objects.filter(project__slug="demo")
    assert sorted(members.values_list("role", flat=True)) == [*["evaluator"] * 3, "lead"]
    assert not Job.objects.exclude(state="done").exists()
    assert [sentence for check in CHECKS for sentence in check.find(NOW)] == []
    rows = (Game.objects.count(), Event.objects.count(), Person.objects.count())
    again = fill()
    assert (again.was_there, again.game_count) == (True, 21)
    assert (Game.objects.count(), Event.objects.count(), Person.objects.count()) == rows
    assert again.people == demo.people
    assert [account.email for account in demo.people] == list(
        Person.objects.filter(is_system=False).order_by("pk").values_list("email", flat=True)
    )


def _the_long_game_is_the_one_of_the_key_count():
    game = Game.objects.get(source_id="harbour-lights")
    references = game.measurements.get().findings.to_records()["memory_accuracy"].references
    assert (game.message_count, game.player_count) == (60, 6)
    assert sum(reference.is_counted for reference in references) == 10


def test_the_command_is_refused_where_the_demo_is_off():
    with pytest.raises(CommandError, match="The demo is off"):
        call_command("seed_demo")
    assert not Person.objects.filter(is_system=False).exists()


@pytest.mark.parametrize("name", ["games", "stage", "comparisons", "places", "team"])
def test_every_line_of_a_script_names_a_step_and_its_arguments(name):
    for line in read_script(name):
        signature(STEPS[line.do]).bind(None, line.by, **line.args)


def fill_set(script: str = "comparisons") -> dict:
    """The demo's comparisons in a project of their own; the people by their keys."""
    project = make_project()
    lead = make_person(email="lead@example.org")
    make_member(project=project, role="lead", person=lead)
    people = {"lead": lead} | {key: make_member(project=project) for key in ("first", "second", "third")}
    play(script=read_script(script), scene=Scene(project, people, Clock(NOW), NOW))
    return people


def test_the_big_set_has_everything_that_reviews_can_be():
    people = fill_set()
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
    assert any(review.is_own for review in load_reviewed(made))
    assert get_refusal(check_see_results, people["lead"], made) == ""


def test_a_person_never_reviews_an_own_response_and_scores_are_spread():
    people = fill_set()
    seen = ReviewedResponse.objects.filter(review__reviewer__person=people["lead"])
    assert not seen.filter(response__written_by=people["lead"]).exists()
    rows = [review.scores for review in load_reviewed(ComparisonSet.objects.get(number=1)) if review.scores]
    assert {score for row in rows for score in row.values()} == set(range(1, 11))
    flat = [len(set(row.values())) == 1 for row in rows]
    assert 35 <= sum(flat) < len(rows) / 2


def test_the_small_set_waits_for_the_first_evaluator():
    people = fill_set()
    made = ComparisonSet.objects.get(number=2)
    assert made.has_second_round and made.closed_at is None
    handed = Review.objects.filter(comparison__set=made, reviewer__person=people["first"])
    assert (made.comparisons.count(), handed.count()) == (3, 1)
    guest = made.reviewers.get(kind="elsewhere")
    assert {flag["code"] for flag in guest.reviews.first().flags} == {"rescaled", "order_unknown"}


def test_the_same_people_give_the_same_reviews_again():
    people = fill_set()
    columns = ("review__comparison__key", "review__order", "position", "scores", "holistic", "notes")
    rows = list(ReviewedResponse.objects.order_by("pk").values_list(*columns))
    other = make_project()
    for key, person in people.items():
        make_member(project=other, role="lead" if key == "lead" else "evaluator", person=person)
    play(script=read_script("comparisons"), scene=Scene(other, people, Clock(NOW), NOW))
    again = ReviewedResponse.objects.filter(review__comparison__set__project=other).order_by("pk")
    assert list(again.values_list(*columns)) == rows


def test_the_set_with_places_has_a_round_that_one_of_three_passed_and_an_answer_that_cannot_be_read():
    people = fill_set("places")
    made = ComparisonSet.objects.get()
    assert (made.people_needed, made.repeat_percent) == (2, 10)
    opened = made.calibration_rounds.select_related("set").get()
    reviewers = made.reviewers.filter(kind=PERSON).select_related("person")
    found = {row.person: load_progress(opened, row).result.passes for row in reviewers}
    assert found == {people["first"]: True, people["second"]: None, people["third"]: False}
    answered = Review.objects.get(reviewer__kind=MODEL, comparison__set=made)
    assert answered.mode == "unreadable"
