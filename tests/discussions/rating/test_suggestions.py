"""Suggested references that nobody looked at give no score; who contradicts a rule is asked for more."""

import html
import re

import pytest
from django.urls import reverse

from discussions.models import Evaluation, Iteration
from discussions.queue.actions import take_next_game
from discussions.rating.actions import act, reveal_roles, submit_evaluation
from discussions.rating.core.visibility import count_judged
from discussions.rating.queries import load_state
from discussions.verdicts.queries import load_people_estimates
from rubric.models import RubricVersion
from tests.factories.people import NOW, make_member
from tests.factories.rating import (
    ANSWERS,
    game_of,
    load_again,
    make_game,
    make_rating_project,
    say,
    say_all,
    say_engagement,
    say_what_is_missing,
    start,
)
from tests.factories.verdicts import preview
from tests.factories.versions import publish_with_parameters
from workspace.audit.core import Act
from workspace.core.refusals import Unacceptable

pytestmark = pytest.mark.django_db
SUGGESTED = "If Bea had voted for Cid in round 2, he would be gone."
MEMORY = "memory_accuracy"


def content(references=0, suggestions=2):
    game = game_of(12)
    texts = ["Bea voted for Ann in round 1."] * references + [SUGGESTED] * suggestions
    for message, text in zip(
        game["messages"], texts + ["Good morning to you."] * (12 - len(texts)), strict=True
    ):
        message["message"] = text
    return game


def begin(is_asked=True, **given):
    project = make_rating_project()
    version = publish_with_parameters(suggested_references="asked" if is_asked else "offered")
    Iteration.objects.filter(project=project).update(rubric_version=version)
    return start(project=project, content=content(**given))


def asked(evaluation, step="references"):
    return [it for it in load_state(load_again(evaluation)).visibility.missing if it.step == step]


def look(evaluation, what="suggestions"):
    posted = Act(kind="reveal", subject=what, value="yes", version=0, key=f"look {what}")
    act(evaluation=load_again(evaluation), posted=posted, by=evaluation.evaluator, now=NOW)


def finish(evaluation):
    reveal_roles(evaluation=evaluation, by=evaluation.evaluator, now=NOW)
    say_what_is_missing(evaluation)
    submit_evaluation(evaluation=evaluation, by=evaluation.evaluator, now=NOW)
    return preview(evaluation.game).outcome.line(MEMORY)


@pytest.mark.parametrize(
    ("references", "suggestions", "is_asked", "kinds"),
    [
        (0, 2, True, ["reference"] * 2),
        (1, 2, True, ["reference"] * 3),
        (0, 0, True, ["reveal"]),
        (1, 0, True, ["reference"]),
        (0, 2, False, []),
        (0, 0, False, []),
    ],
)
def test_what_a_version_asks_about_references(references, suggestions, is_asked, kinds):
    evaluation = begin(is_asked, references=references, suggestions=suggestions)
    assert [it.kind for it in asked(evaluation)] == kinds


def test_submitting_waits_for_each_suggestion_or_for_no_others():
    evaluation = begin()
    say_engagement(evaluation)
    first, second = (it.subject for it in asked(evaluation))
    with pytest.raises(Unacceptable, match="suggested reference in message 1 has no answer"):
        submit_evaluation(evaluation=evaluation, by=evaluation.evaluator, now=NOW)
    judged = [count_judged((state := load_state(load_again(evaluation))).progress, state.visibility.missing)]
    say(evaluation, "reference", first, "not_a_reference")
    assert [it.subject for it in asked(evaluation)] == [second]
    judged.append(
        count_judged((state := load_state(load_again(evaluation))).progress, state.visibility.missing)
    )
    assert (judged[1][0] - judged[0][0], judged[1][1]) == (1, judged[0][1])
    look(evaluation, f"suggestions:{second}-{second}")
    assert asked(evaluation) == []
    say_what_is_missing(evaluation)
    line = finish(evaluation)
    assert (line.is_applicable, line.passes) == (False, True)


def test_a_suggestion_that_is_a_reference_is_judged_as_the_others_are():
    evaluation = begin()
    say_engagement(evaluation)
    first, second = (it.subject for it in asked(evaluation))
    say(evaluation, "missed", first, "yes")
    assert [(it.subject, it.says) for it in asked(evaluation)] == [
        (first, "The reference in message 1 has no label yet."),
        (second, "The suggested reference in message 2 has no answer yet."),
    ]
    say(evaluation, "reference", first, "inaccurate")
    assert not load_state(load_again(evaluation)).visibility.checks, (
        "nothing is shown before the step is done"
    )
    look(evaluation)
    assert load_state(load_again(evaluation)).visibility.checks == {first}
    say_what_is_missing(evaluation)
    line = finish(evaluation)
    assert (line.numerator, line.denominator, line.passes) == (0, 1, False)


def test_a_game_without_a_reference_passes_only_once_somebody_said_that_there_is_none():
    evaluation = begin(references=1, suggestions=0)
    (found,) = asked(evaluation)
    say(evaluation, "reference", found.subject, "not_a_reference")
    (none,) = asked(evaluation)
    assert (none.kind, none.subject) == ("reveal", "suggestions")
    look(evaluation)
    assert asked(evaluation) == []
    say(evaluation, "reference", found.subject, "accurate")
    assert asked(evaluation) == []


def step_of(client, evaluation, step="references", query=""):
    client.force_login(evaluation.evaluator)
    page = client.get(reverse("rate", args=[evaluation.pk]) + (query or f"?step={step}")).content.decode()
    return html.unescape(page.partition(f'id="step-{step}"')[2].partition("</section>")[0])


def test_a_suggestion_is_an_item_with_one_key_for_each_answer(client):
    evaluation = begin()
    step = step_of(client, evaluation, query="?")
    items = re.findall(r'id="(item-[^"]+)"[^>]*data-kind="(\w+)"([^>]*)>', step)
    assert [(kind, "data-needs" in rest) for _id, kind, rest in items] == [
        ("reference", True), ("reference", True), ("reveal", False),
    ]  # fmt: skip
    assert re.findall(r'data-key="(.)"', step) == ["+", "x", "+", "x"]
    assert "2 possible references are suggested" in step
    answer = client.post(
        reverse("judge", args=[evaluation.pk]),
        {
            "act": f"reference~{asked(evaluation)[0].subject}~0~not_a_reference",
            "nonce": "n",
            "step": "references",
        },
        headers={"HX-Request": "true"},
    ).content.decode()
    assert "1 possible reference is suggested" in answer


def test_a_game_without_references_asks_in_its_step_whether_there_are_others(client):
    evaluation = begin(suggestions=0)
    step = step_of(client, evaluation)
    assert 'id="item-reveal-suggestions"' in step and "data-needs" in step
    assert "There is no reference" in step and 'value="reveal~suggestions~0~yes"' in step
    look(evaluation)
    assert "There is no reference" not in step_of(client, evaluation)


def test_optional_answers_are_offered_in_the_order_of_the_rubric_before_the_reveal(client):
    evaluation = begin(references=1, suggestions=0)
    say_what_is_missing(evaluation)
    step = step_of(client, evaluation, "roles")
    assert "You have given all blind answers" not in step
    offered = re.findall(r'data-step="(\w+)">[^<]*: (\d+)</a>', step)
    phrases = len(load_state(load_again(evaluation)).judgeable.phrases)
    assert offered == [("identify", "6"), ("repetition", str(min(phrases, 10)))]
    assert f"{6 + min(phrases, 10)} optional answers are not given" in step
    assert "Skip them and reveal the roles" in step
    for player in load_state(load_again(evaluation)).judgeable.speakers:
        say(evaluation, "identify", str(player), "no")
    say(evaluation, "phrase", min(load_state(load_again(evaluation)).judgeable.phrases), "acceptable")
    assert "You have given all blind answers" in step_of(client, evaluation, "roles")


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
