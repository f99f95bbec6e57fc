"""A project may record verdicts at submit: where one evaluator rates a game, and nothing is in the way."""

import pytest

from discussions.models import RatingRule, Verdict
from discussions.rating.actions import remark, submit_evaluation
from tests.factories.people import NOW, make_lead
from tests.factories.rating import make_rating_project, ready_to_submit, submitted
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
