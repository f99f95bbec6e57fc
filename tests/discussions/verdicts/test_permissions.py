"""Who reopens an evaluation, and until when."""

from datetime import timedelta

import pytest

from discussions.core.evaluation_states import DRAFT
from discussions.verdicts.permissions import check_reopen
from tests.factories.adjudication import TIE, list_evaluations, make_differing, resolve_difference
from tests.factories.people import make_admin, make_lead, make_member
from tests.factories.rating import submitted
from tests.factories.verdicts import record
from workspace.core.refusals import NotAllowed

pytestmark = pytest.mark.django_db


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
