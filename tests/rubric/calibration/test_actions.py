"""Rounds of a set: keys, what is given, who passes, what counts; and hidden duplicates."""

import json

import pytest

import workspace.core.hidden_duplicates
from rubric.calibration.actions import SetRoundPlan, change_repeats, close_round, let_review, open_round
from rubric.calibration.queries import load_keys, load_progress
from rubric.comparisons.actions import add_comparisons
from rubric.comparisons.core.lines import NewComparison, NewResponse
from rubric.human_reviewers.actions import submit_marked_review
from rubric.human_reviewers.queries.waiting import second_rounds, waiting_sets
from rubric.models import CalibrationRound, CalibrationWaiver, Comparison, ComparisonSet, Review
from rubric.models.reviews import CALIBRATION, RATING, REPEAT, SET_APART, SUBMITTED
from rubric.reviewer_statistics.queries import load_input, load_self_agreement
from rubric.reviews.permissions import check_see_results
from rubric.reviews.queries import count_taken, load_own_numbers, load_reviewed
from tests.factories.comparisons import make_set
from tests.factories.human_reviewers import (
    begin,
    count_waiting,
    fresh,
    list_reviewers,
    make_review_set,
    say,
    submitted,
    work,
)
from tests.factories.people import NOW, make_lead, make_member, make_project, moment
from tests.factories.response_calibration import AGREED, make_set_round, review_next, take
from workspace.access.permissions import may
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.models import Event

pytestmark = pytest.mark.django_db


def states(person):
    [waiting_set] = waiting_sets(person)
    numbers = dict(Comparison.objects.values_list("pk", "number"))
    return {numbers[waiting.comparison]: waiting.state for waiting in waiting_set.comparisons}


def reviewer_of(made, person):
    return made.reviewers.get(person=person)


def test_the_key_is_what_was_written_or_the_mean_of_peoples_reviews():
    made = make_review_set(people=3, questions=2, mode="holistic")
    first, second, _third = list_reviewers(made)
    for person, whole in ((first, (8, 7, 6)), (second, (7, 7, 2))):
        submitted(begin(made, by=person, number=2), whole=whole)
    opened = make_set_round(made, comparisons=(1, 2), marks={1: AGREED}, notes={2: " Soup. "})
    written, mean = load_keys(opened).values()
    assert written == AGREED
    assert mean == {"1": {"holistic": "15/2"}, "2": {"holistic": "7"}, "3": {"holistic": "4"}}
    assert list(opened.comparisons.order_by("place").values_list("note", flat=True)) == ["", "Soup."]
    event = Event.objects.get(verb="comparison_set:calibration_opened")
    assert json.loads(event.detail)["comparisons"] == [1, 2]
    assert reviewer_of(made, first).reviews.get().state == SUBMITTED, "what was submitted before counts on"


@pytest.mark.parametrize(
    ("plan", "says"),
    [
        ({"comparisons": (9,)}, "no comparison 9"),
        ({"comparisons": ()}, "1 to 20 comparisons"),
        ({"comparisons": (1,), "marks": {}}, "there is no consensus"),
        ({"comparisons": (2,), "marks": {}}, "not submitted yet"),
        ({"comparisons": (1,), "marks": {2: AGREED, 1: AGREED}}, "Comparison 2 is not in the round"),
        ({"comparisons": (1,), "marks": {1: {"1": {"holistic": "8"}}}}, "response 2 has no mark"),
        ({"comparisons": (1,), "marks": {1: AGREED | {"4": {"holistic": "8"}}}}, "no response 4"),
        ({"pass_percent": 0}, "1 to 100 percent"),
        ({"first_percent": 101}, "At most 100"),
        ({"mark_within": 10}, "at most 9 points"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(plan, says):
    made = make_review_set(people=1, questions=2, mode="holistic")
    begin(made, number=2)
    with pytest.raises(Unacceptable, match=says):
        make_set_round(made, **plan)
    assert not CalibrationRound.objects.exists()


def test_one_round_is_open_at_a_time_and_only_leads_open_it():
    made = make_review_set(people=1, questions=2, mode="holistic")
    opened = make_set_round(made)
    with pytest.raises(Conflict, match="open already"):
        make_set_round(made, comparisons=(2,))
    [person] = list_reviewers(made)
    with pytest.raises(NotAllowed, match="Only team leads"):
        close_round(opened=opened, by=person, now=NOW)
    plan = SetRoundPlan(name="Mine", comparisons=(2,), marks={2: AGREED})
    with pytest.raises(NotAllowed, match="Only team leads"):
        open_round(comparison_set=made, plan=plan, by=person, now=NOW)
    for _again in range(2):
        close_round(opened=opened, by=made.created_by, now=NOW)
    assert Event.objects.filter(verb="comparison_set:calibration_closed").count() == 1
    assert make_set_round(made, comparisons=(2,)).number == 2


def test_a_required_round_comes_first_and_counts_nowhere():
    made = make_review_set(people=1, questions=3, mode="holistic")
    [person] = list_reviewers(made)
    make_set_round(made, comparisons=(3, 2))
    assert states(person) == {1: "after_calibration", 2: "to_calibrate", 3: "to_calibrate"}
    with pytest.raises(NotAllowed, match="calibration round"):
        begin(made, by=person, number=1)
    reviews = [review_next(made, person) for _comparison in range(2)]
    assert [review.comparison.number for review in reviews] == [2, 3]
    assert {(review.purpose, review.state) for review in reviews} == {(CALIBRATION, SET_APART)}
    assert states(person) == {1: "to_review", 2: "submitted", 3: "submitted"}
    assert (load_reviewed(made), load_input(made).reviews) == ([], 0)
    counted = review_next(made, person)
    assert (counted.comparison.number, counted.purpose, counted.state) == (1, RATING, SUBMITTED)
    assert {row.comparison for row in load_reviewed(made)} == {1}
    assert take(made, person) is None


def test_who_does_not_pass_is_given_nothing_until_a_lead_lets_them():
    made = make_review_set(people=2, questions=2, mode="holistic")
    person, other = list_reviewers(made)
    opened = make_set_round(made)
    review_next(made, person, (2, 7, 9))
    progress = load_progress(opened, reviewer_of(made, person))
    assert (progress.result.alike, progress.result.count, progress.result.passes) == (1, 3, False)
    with pytest.raises(NotAllowed, match="did not pass it yet"):
        take(made, person)
    assert count_waiting(person) == 0
    reviewer = reviewer_of(made, person)
    with pytest.raises(Unacceptable, match="Say why"):
        let_review(opened=opened, reviewer=reviewer, reason=" ", by=made.created_by, now=NOW)
    with pytest.raises(NotAllowed):
        let_review(opened=opened, reviewer=reviewer, reason="Me", by=other, now=NOW)
    for reason in ("We talked", "Again"):
        let_review(opened=opened, reviewer=reviewer, reason=reason, by=made.created_by, now=NOW)
    assert CalibrationWaiver.objects.get().reason == "We talked"
    assert review_next(made, person).comparison.number == 2
    assert states(other) == {1: "to_calibrate", 2: "after_calibration"}


def test_the_first_place_can_decide():
    made = make_review_set(people=1, questions=2, mode="holistic")
    opened = make_set_round(made, mark_within=2, first_percent=100)
    [person] = list_reviewers(made)
    review_next(made, person, (7, 8, 6))
    result = load_progress(opened, reviewer_of(made, person)).result
    assert (result.alike, result.count, result.first_alike, result.passes) == (3, 3, 0, False)


def test_an_optional_round_does_not_come_first_but_can_be_started():
    made = make_review_set(people=1, questions=2, mode="holistic")
    make_set_round(made, is_required=False)
    [person] = list_reviewers(made)
    assert take(made, person).purpose == RATING
    assert begin(made, by=person, number=1).purpose == CALIBRATION


def test_who_reviewed_before_is_not_asked_and_a_closed_round_is_given_to_nobody():
    made = make_review_set(people=2, questions=2, mode="holistic")
    early, late = list_reviewers(made)
    submitted(begin(made, by=early))
    opened = make_set_round(made)
    assert states(early) == {1: "submitted", 2: "to_review"}
    assert load_progress(opened, reviewer_of(made, early)).result.asked == 0
    close_round(opened=opened, by=made.created_by, now=NOW)
    assert states(late) == {1: "not_dealt", 2: "to_review"}
    with pytest.raises(NotAllowed, match="for calibration only"):
        begin(made, by=late)
    assert review_next(made, late).comparison.number == 2
    assert take(made, late) is None


def test_a_review_of_an_earlier_round_counts_in_the_next_and_is_told():
    made = make_review_set(people=1, questions=3, mode="holistic")
    [person] = list_reviewers(made)
    first = make_set_round(made)
    review_next(made, person)
    assert load_progress(first, reviewer_of(made, person)).reused == 0
    close_round(opened=first, by=made.created_by, now=NOW)
    second = make_set_round(made, comparisons=(1, 2), now=moment(5))
    progress = load_progress(second, reviewer_of(made, person))
    assert (progress.result.done, progress.result.asked, progress.reused) == (1, 2, 1)


def test_ones_own_responses_are_neither_asked_nor_compared():
    made = make_review_set(people=2, questions=0, mode="holistic")
    writer, other = list_reviewers(made)
    authors = (("", writer.email, ""), (writer.email, writer.email, ""), ("", "", ""))
    written = [
        NewComparison(question="?", responses=[NewResponse(text="a b", author=who) for who in three])
        for three in authors
    ]
    add_comparisons(comparison_set=made, comparisons=written, by=made.created_by, now=NOW)
    opened = make_set_round(made, comparisons=(1, 2))
    assert load_progress(opened, reviewer_of(made, writer)).asked == {made.comparisons.get(number=1).pk}
    assert len(load_progress(opened, reviewer_of(made, other)).asked) == 2
    review_next(made, writer)
    assert load_progress(opened, reviewer_of(made, writer)).result.count == 2


def test_leads_are_not_calibrated_and_see_results_without_its_comparisons():
    project = make_project()
    lead, member = make_lead(project=project), make_member(project=project)
    made = make_set(by=lead, people=[lead, member], questions=2, mode="holistic", people_needed=2)
    opened = make_set_round(made)
    assert states(lead) == {1: "not_dealt", 2: "to_review"}
    with pytest.raises(Conflict, match="does not review the set as an evaluator"):
        let_review(opened=opened, reviewer=reviewer_of(made, lead), reason="Me", by=lead, now=NOW)
    assert not may(check_see_results, lead, made)
    review_next(made, lead)
    assert may(check_see_results, lead, made)
    ComparisonSet.objects.filter(pk=made.pk).update(people_needed=None)
    assert may(check_see_results, lead, ComparisonSet.objects.get(pk=made.pk))


def test_calibration_takes_no_place_and_holds_up_no_second_round():
    made = make_review_set(people=3, questions=1, mode="holistic", people_needed=3, has_second_round=True)
    first, second, third = list_reviewers(made)
    for person in (first, second):
        submitted(begin(made, by=person))
    assert not second_rounds([made])
    make_set_round(made, marks={})
    assert second_rounds([made]) == {made.comparisons.get().pk}
    review_next(made, third)
    assert count_taken([made], now=NOW) == {made.comparisons.get().pk: 2}
    assert states(third) == {1: "submitted"}, "who was calibrated has no second round"


def test_people_who_could_judge_nothing_make_no_consensus():
    made = make_review_set(people=2, questions=1, mode="rubric")
    for person in list_reviewers(made):
        review = begin(made, by=person)
        for kind, subject in work(review).sheet.scores:
            say(review, kind, subject, "cannot", reason="it is cut off")
        submit_marked_review(review=fresh(review), by=person, now=NOW)
    with pytest.raises(Unacceptable, match="there is no consensus"):
        make_set_round(made, comparisons=(1,), marks={})


# ---------------------------------------------------------------- hidden duplicates


@pytest.fixture
def soon(monkeypatch):
    """Repeats come from the first comparison on, whenever there is one to repeat."""
    monkeypatch.setattr(workspace.core.hidden_duplicates, "APART", 0)
    monkeypatch.setattr("workspace.core.hidden_duplicates.is_due", lambda *_given: True)
    monkeypatch.setattr("rubric.human_reviewers.actions.is_due", lambda *_given: True)


def with_repeats(**given):
    made = make_review_set(mode="holistic", **given)
    change_repeats(comparison_set=made, repeat_percent=50, by=made.created_by, now=NOW)
    return made


def test_a_repeat_has_the_reviewers_next_number_new_letters_and_counts_nowhere(soon):
    made = with_repeats(questions=3, responses=8)
    [person] = list_reviewers(made)
    wholes = (9, 8, 7, 6, 5, 4, 3, 2)
    first = review_next(made, person, wholes)
    again = review_next(made, person, (9, 7, 7, 6, 5, 1, 3, 2))
    assert (again.purpose, again.state, again.comparison) == (REPEAT, SET_APART, first.comparison)
    assert load_own_numbers(again.reviewer_id) == {first.pk: 1, again.pk: 2}
    assert again.order != first.order
    assert {row.review for row in load_reviewed(made)} == {first.pk}
    [own] = load_self_agreement(made)
    assert list(own.values())[1:6] == [1, 8, 6, 7, 1]


def test_what_waits_goes_down_by_one_with_every_review(soon):
    made = with_repeats(questions=3)
    [person] = list_reviewers(made)
    counts, purposes = [], []
    while count_waiting(person):
        counts.append(count_waiting(person))
        purposes.append(review_next(made, person).purpose)
    assert counts == [5, 4, 3, 2, 1]
    assert purposes == [RATING, REPEAT, RATING, REPEAT, RATING]
    assert Review.objects.filter(purpose=REPEAT).values("comparison").distinct().count() == 2


def test_repeats_come_also_while_an_optional_round_is_left_alone(soon):
    made = with_repeats(questions=4)
    [person] = list_reviewers(made)
    make_set_round(made, is_required=False)
    counts, purposes = [], []
    while count_waiting(person):
        counts.append(count_waiting(person))
        purposes.append(review_next(made, person).purpose)
    assert REPEAT in purposes
    assert counts == list(range(len(counts), 0, -1))


def test_repeats_take_no_place_and_are_not_for_who_could_see_results(soon):
    made = with_repeats(questions=2, people=2, people_needed=1)
    left, right = list_reviewers(made)
    review_next(made, left)
    taken = take(made, left)
    assert taken.purpose == REPEAT
    assert sorted(count_taken([made], now=NOW).values()) == [0, 1]
    made.reviewers.filter(person=right).update(could_see_since=NOW)
    review_next(made, right)
    assert take(made, right) is None


def test_without_a_share_nothing_comes_again(soon):
    made = make_review_set(mode="holistic", questions=2)
    [person] = list_reviewers(made)
    for _comparison in range(2):
        assert review_next(made, person).purpose == RATING
    assert take(made, person) is None


def test_the_share_is_changed_with_an_event_and_not_in_a_set_with_two_rounds():
    made = with_repeats()
    change_repeats(comparison_set=made, repeat_percent=50, by=made.created_by, now=NOW)
    event = Event.objects.get(verb="comparison_set:repeats_changed")
    assert json.loads(event.detail) == {"before": 0, "repeat_percent": 50}
    with pytest.raises(Unacceptable, match="At most 50"):
        change_repeats(comparison_set=made, repeat_percent=51, by=made.created_by, now=NOW)
    with pytest.raises(NotAllowed):
        change_repeats(comparison_set=made, repeat_percent=5, by=list_reviewers(made)[0], now=NOW)
    two = make_review_set(has_second_round=True)
    with pytest.raises(Unacceptable, match="two rounds"):
        change_repeats(comparison_set=two, repeat_percent=5, by=two.created_by, now=NOW)
