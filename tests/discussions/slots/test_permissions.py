"""Who judges, skips and resumes an evaluation, and who assigns games."""

import pytest

from discussions.core.evaluation_states import DRAFT, LAPSED, SKIPPED, SUBMITTED
from discussions.slots.permissions import (
    check_assign,
    check_rate,
    check_return_to_game,
    check_skip,
    check_submit,
)
from tests.factories.people import make_admin, make_lead, make_member, make_project
from tests.factories.rating import start
from workspace.core.refusals import NotAllowed

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("check", "state"),
    [
        (check_rate, DRAFT),
        (check_skip, DRAFT),
        (check_submit, DRAFT),
        (check_return_to_game, SKIPPED),
        (check_return_to_game, LAPSED),
    ],
)
def test_an_evaluation_is_its_evaluators_alone_while_the_account_is_active(check, state):
    evaluation = start()
    evaluation.state, person = state, evaluation.evaluator
    check(person, evaluation)
    project = evaluation.game.project
    for other in (make_member(project=project), make_lead(project=project), make_admin()):
        with pytest.raises(NotAllowed, match="Only the evaluator"):
            check(other, evaluation)
    person.is_active = False
    with pytest.raises(NotAllowed, match="Only the evaluator"):
        check(person, evaluation)


@pytest.mark.parametrize(
    ("check", "states"),
    [
        (check_rate, (SKIPPED, LAPSED, SUBMITTED)),
        (check_skip, (SKIPPED, LAPSED, SUBMITTED)),
        (check_return_to_game, (DRAFT, SUBMITTED)),
    ],
)
def test_an_evaluation_in_another_state_stays_as_it_is(check, states):
    evaluation = start()
    for state in states:
        evaluation.state = state
        with pytest.raises(NotAllowed) as refused:
            check(evaluation.evaluator, evaluation)
        assert "Only the evaluator" not in refused.value.sentence


def test_leads_and_admins_assign_games_and_nobody_else_does():
    project, other = make_project(), make_project()
    for person in (make_lead(project=project), make_admin()):
        check_assign(person, project)
    for person in (make_member(project=project), make_lead(project=other)):
        with pytest.raises(NotAllowed, match="Only team leads"):
            check_assign(person, project)
