"""The survey: drawn once at random before anything is shown, answered once, passed over for a whole set."""

import pytest

from rubric.comparisons.actions import reopen_set
from rubric.models import Survey
from rubric.results.actions import answer_survey, begin_survey, pass_survey_over
from rubric.results.queries import MOST_ASKED, is_asked_enough
from rubric.results.views import build_survey_done, build_survey_page, survey_is_due
from rubric.reviewer_statistics.queries import load_surveyed
from tests.factories.comparisons import RECORD_SCORES, make_set, review_with
from tests.factories.people import NOW, make_lead, make_member, make_project, moment
from tests.factories.reviewer_statistics import close
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.models import Event

pytestmark = pytest.mark.django_db


@pytest.fixture
def person():
    return make_member(project=make_project())


def closed_set(person, questions=1, scores=RECORD_SCORES, **given):
    lead = make_lead(project=person.memberships.get().project)
    made = make_set(by=lead, people=[person], questions=questions, **given)
    for comparison in made.comparisons.order_by("number"):
        review_with(comparison=comparison, reviewer=made.reviewers.get(), scores=scores, by=person)
    close(made)
    return made


def load_first(made):
    found = made.comparisons.get(number=1)
    found.set = made
    return found


def test_the_arm_is_drawn_once(person):
    comparison = load_first(closed_set(person))
    survey = begin_survey(comparison=comparison, by=person, now=NOW)
    assert begin_survey(comparison=comparison, by=person, now=moment(1)) == survey
    assert (survey.pair, survey.arm in ("with", "without")) == ([1, 2], True)
    assert Event.objects.filter(verb="survey:begun").count() == 1


def test_chance_deals_both_arms(person):
    """One in half a million runs draws for twenty people the same arm."""
    others = [make_member(project=person.memberships.get().project) for _ in range(20)]
    lead = make_lead(project=person.memberships.get().project)
    made = make_set(by=lead, people=others, elsewhere=1)
    review_with(
        comparison=made.comparisons.get(), reviewer=made.reviewers.get(person=None), scores=RECORD_SCORES
    )
    close(made)
    arms = {begin_survey(comparison=load_first(made), by=other, now=NOW).arm for other in others}
    assert arms == {"with", "without"}


@pytest.mark.parametrize(("named", "is_right"), [("accuracy", True), ("clarity", False), ("cannot", False)])
def test_answers_are_stored_with_the_check(person, named, is_right):
    comparison = load_first(closed_set(person))
    begin_survey(comparison=comparison, by=person, now=NOW)
    assert survey_is_due(comparison=comparison, person=person)
    answer_survey(comparison=comparison, understood=4, named=named, text=" Fine ", by=person, now=moment(1))
    survey = Survey.objects.get()
    assert (survey.understood, survey.is_right, survey.text, survey.answered_at) == (
        4,
        is_right,
        "Fine",
        moment(1),
    )
    assert not survey_is_due(comparison=comparison, person=person)
    found = load_surveyed(comparison.set)
    assert [(survey.arm, survey.understood, survey.is_right) for survey in found] == [
        (survey.arm, 4, is_right)
    ]
    assert build_survey_done(comparison=comparison, person=person)["right"] == "Accuracy, Conciseness"
    with pytest.raises(Conflict):
        answer_survey(comparison=comparison, understood=1, named=named, by=person, now=moment(2))


def test_what_cannot_be_is_refused(person):
    comparison = load_first(closed_set(person))
    with pytest.raises(Conflict):
        answer_survey(comparison=comparison, understood=4, named="accuracy", by=person, now=NOW)
    begin_survey(comparison=comparison, by=person, now=NOW)
    for wrong in ({"understood": 6}, {"named": "luck"}, {"text": "x" * 2001}):
        given = {"understood": 4, "named": "accuracy"} | wrong
        with pytest.raises(Unacceptable):
            answer_survey(comparison=comparison, **given, by=person, now=NOW)
    assert Survey.objects.get().answered_at is None


def test_the_arm_decides_what_is_shown(person):
    comparison = load_first(closed_set(person))
    assert build_survey_page(comparison=comparison, person=person)["responses"] == []
    begin_survey(comparison=comparison, by=person, now=NOW)
    for arm, count in (("with", 4), ("without", 0)):
        Survey.objects.update(arm=arm)
        page = build_survey_page(comparison=comparison, person=person)
        assert [response["overall"] for response in page["responses"]] == ["8.15", "8.10"]
        assert len(page["means"]) == count
        assert (page["plot"] is not None) == bool(count)


def test_passing_over_ends_the_asking_in_the_whole_set(person):
    made = closed_set(person, questions=2)
    comparison = load_first(made)
    assert survey_is_due(comparison=comparison, person=person)
    pass_survey_over(comparison=comparison, by=person, now=NOW)
    other = made.comparisons.get(number=2)
    other.set = made
    for compared in (comparison, other):
        assert not survey_is_due(comparison=compared, person=person)
    assert [survey.understood for survey in load_surveyed(made)] == [None]
    assert Event.objects.filter(verb="survey:passed_over").count() == 1
    with pytest.raises(NotAllowed):
        begin_survey(comparison=other, by=person, now=NOW)
    with pytest.raises(Conflict):
        pass_survey_over(comparison=comparison, by=person, now=NOW)


def test_nobody_is_asked_for_more_than_a_few(person):
    made = closed_set(person, questions=MOST_ASKED + 1)
    for comparison in made.comparisons.order_by("number")[:MOST_ASKED]:
        comparison.set = made
        begin_survey(comparison=comparison, by=person, now=NOW)
        answer_survey(comparison=comparison, understood=3, named="cannot", by=person, now=NOW)
    last = made.comparisons.get(number=MOST_ASKED + 1)
    last.set = made
    assert is_asked_enough(last, person)
    assert not survey_is_due(comparison=last, person=person)


def test_leads_strangers_and_open_sets_are_not_asked(person):
    made = closed_set(person)
    comparison = load_first(made)
    for other in (made.created_by, make_member(project=made.project)):
        assert not survey_is_due(comparison=comparison, person=other)
        with pytest.raises(NotAllowed):
            begin_survey(comparison=comparison, by=other, now=NOW)
    reopen_set(comparison_set=made, by=made.created_by, now=NOW)
    made.refresh_from_db()
    assert not survey_is_due(comparison=comparison, person=person)
    with pytest.raises(NotAllowed):
        pass_survey_over(comparison=comparison, by=person, now=NOW)


def test_where_all_rank_alike_there_is_nothing_to_ask(person):
    tied = dict.fromkeys((1, 2, 3), RECORD_SCORES[3])
    comparison = load_first(closed_set(person, scores=tied))
    assert not survey_is_due(comparison=comparison, person=person)
    with pytest.raises(Unacceptable):
        begin_survey(comparison=comparison, by=person, now=NOW)
