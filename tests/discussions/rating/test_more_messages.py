"""Three evaluators who contradict the rule of role consistency fail it, are asked for more, and read why."""

import html

import pytest
from django.urls import reverse

from discussions.models import Evaluation, Iteration
from discussions.queue.actions import take_next_game
from discussions.rating.actions import reveal_roles, submit_evaluation
from discussions.rating.queries import load_state
from discussions.verdicts.queries import load_people_estimates
from rubric.models import RubricVersion
from tests.factories.people import NOW, make_member
from tests.factories.rating import (
    ANSWERS,
    game_of,
    make_game,
    make_rating_project,
    say_all,
    say_what_is_missing,
)
from tests.factories.verdicts import preview
from workspace.core.refusals import Unacceptable

pytestmark = pytest.mark.django_db

WHY = "You and the automatic rule disagree on 3 or more of the 10 messages of your sample. So 10 more are asked for"
AGAINST = ANSWERS | {"role_consistency": "inconsistent"}


def started(project):
    """An evaluation by somebody new, up to the reveal of the roles."""
    by = make_member(project=project)
    key = take_next_game(project=project, by=by, now=NOW).pk
    evaluation = Evaluation.objects.with_work().get(pk=key)
    say_what_is_missing(evaluation)
    reveal_roles(evaluation=evaluation, by=by, now=NOW)
    return evaluation


def say_first_ten(evaluation):
    """Call every message that is asked for now inconsistent; the state after."""
    state = load_state(evaluation)
    asked = [(item.kind, item.subject, "inconsistent") for item in state.visibility.missing]
    assert len(asked) == 10
    return say_all(evaluation, state, asked)


def test_three_evaluators_who_contradict_the_rule_fail_it_and_are_asked_for_more(client):
    project = make_rating_project(evaluator_count=3, number="1.2")
    make_game(project=project, content=game_of(100))
    for _person in range(3):
        evaluation = started(project)
        state = say_first_ten(evaluation)
        assert len(state.visibility.missing) == 10
        with pytest.raises(Unacceptable):
            submit_evaluation(evaluation=evaluation, by=evaluation.evaluator, now=NOW)
        client.force_login(evaluation.evaluator)
        said = html.unescape(client.get(reverse("rate", args=[evaluation.pk])).content.decode())
        assert WHY in " ".join(said.split())
        say_what_is_missing(evaluation, answers=AGAINST)
        submit_evaluation(evaluation=evaluation, by=evaluation.evaluator, now=NOW)
    found = preview(evaluation.game)
    line = found.outcome.line("role_consistency")
    assert (line.passes, line.score < 70) == (False, True)
    estimate = next(item for item in load_people_estimates(found) if item.key == "role_consistency")
    assert not estimate.is_turned_by_people
    assert estimate.people.high < 20


def test_under_version_1_0_nothing_more_is_asked_for():
    project = make_rating_project()
    old = RubricVersion.objects.get(rubric__key="discussion", number="1.0")
    Iteration.objects.filter(project=project).update(rubric_version=old)
    make_game(project=project, content=game_of(100))
    assert say_first_ten(started(project)).visibility.missing == ()
