"""A project may record verdicts at submit: where one evaluator rates a game, and nothing is in the way."""

from datetime import timedelta

import pytest

from discussions.core.evaluation_states import DRAFT
from discussions.models import RatingRule, Verdict
from discussions.rating.actions import remark, submit_evaluation
from discussions.verdicts.permissions import check_reopen
from tests.factories.adjudication import TIE, list_evaluations, make_differing, resolve_difference
from tests.factories.people import NOW, make_admin, make_lead, make_member
from tests.factories.rating import make_rating_project, ready_to_submit, submitted
from tests.factories.verdicts import record
from workspace.core.refusals import NotAllowed
from workspace.models import Event

pytestmark = pytest.mark.django_db


def make_project(*, is_on: bool = True, **details):
    project = make_rating_project(**details)
    lead = make_lead(project=project)
    RatingRule.objects.create(project=project, records_at_submit=is_on, changed_at=NOW, changed_by=lead)
    return project


def test_the_verdict_is_recorded_by_whoever_submits():
    evaluation = submitted(project=make_project())
    verdict = Verdict.objects.get(game=evaluation.game)
    assert verdict.created_by_id == evaluation.evaluator_id
    assert Event.objects.filter(verb="verdict:recorded").count() == 1


def test_by_hand_is_what_holds_without_the_rule():
    submitted(project=make_project(is_on=False))
    submitted(project=make_rating_project())
    assert not Verdict.objects.exists()


def test_several_evaluators_leave_it_to_a_lead():
    evaluation = submitted(project=make_project(evaluator_count=2))
    assert evaluation.state == "submitted"
    assert not Verdict.objects.exists()


def test_an_open_flag_is_in_the_way_of_recording_and_not_of_submitting():
    evaluation = ready_to_submit(project=make_project())
    by = evaluation.evaluator
    remark(evaluation=evaluation, kind="flag", target="message:3", text="Off?", key="f", by=by, now=NOW)
    assert submit_evaluation(evaluation=evaluation, by=by, now=NOW).state == "submitted"
    assert not Verdict.objects.exists()


def refuse(evaluation, *, by=None, after=timedelta(minutes=1)):
    """The code and the sentence of the refusal."""
    with pytest.raises(NotAllowed) as refused:
        check_reopen(by or evaluation.evaluator, evaluation, evaluation.submitted_at + after)
    return refused.value.code, refused.value.sentence


def test_whoever_submitted_reopens_it_in_time_and_while_the_account_is_active():
    evaluation = submitted()
    person, minutes = evaluation.evaluator, timedelta(minutes=30)
    check_reopen(person, evaluation, evaluation.submitted_at + minutes - timedelta(seconds=1))
    assert refuse(evaluation, after=minutes)[0] == "too_late"
    project = evaluation.game.project
    for other in (make_member(project=project), make_lead(project=project), make_admin()):
        assert refuse(evaluation, by=other)[1].startswith("Only the evaluator")
    person.is_active = False
    assert refuse(evaluation)[1].startswith("Only the evaluator")


def test_what_is_not_submitted_is_not_reopened():
    evaluation = submitted()
    evaluation.state = DRAFT
    assert refuse(evaluation)[0] == "open"


def test_what_a_verdict_rests_on_stays():
    evaluation = submitted()
    record(evaluation.game, minutes=1)
    assert refuse(evaluation)[0] == "verdict_stands"


def test_what_a_lead_has_resolved_stays():
    game = make_differing()
    first, _second = list_evaluations(game)
    check_reopen(first.evaluator, first, first.submitted_at)
    resolve_difference(game, TIE, "yes", minutes=5)
    assert refuse(first)[0] == "adjudicated"
