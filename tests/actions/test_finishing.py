"""Revealing the roles and handing in: each names what is missing, and once is enough."""

import pytest

from discussions.actions.finishing import reveal_roles, submit_evaluation
from discussions.models import Evaluation, Reveal, Slot
from discussions.models.standings import work_of
from tests.factories import NOW, make_member
from tests.rated import ready_to_submit, say, say_what_is_missing, start
from workspace.core.refusals import NotAllowed, Unacceptable
from workspace.models import Event

pytestmark = pytest.mark.django_db


def reveal(evaluation):
    reveal_roles(evaluation=evaluation, by=evaluation.evaluator, now=NOW)


def submit(evaluation):
    return submit_evaluation(evaluation=evaluation, by=evaluation.evaluator, now=NOW)


def test_roles_are_refused_until_everything_before_them_is_in():
    evaluation = start()
    with pytest.raises(Unacceptable) as caught:
        reveal(evaluation)
    assert caught.value.field == f"reference:{work_of(evaluation).ground.counted[0]}"
    say_what_is_missing(evaluation)
    reveal(evaluation)
    reveal(evaluation)
    assert Reveal.objects.filter(evaluation=evaluation, what="roles").count() == 1
    assert Event.objects.filter(verb="roles:revealed").count() == 1


def test_role_labels_wait_for_the_roles():
    evaluation = start()
    with pytest.raises(Unacceptable, match="roles are not revealed"):
        say(evaluation, "role_consistency", "1", "consistent")


def test_handing_in_names_the_first_missing_thing():
    evaluation = start()
    with pytest.raises(Unacceptable, match=r"The reference in message \d+ has no label yet"):
        submit(evaluation)
    say_what_is_missing(evaluation)
    with pytest.raises(Unacceptable, match="roles are not revealed") as caught:
        submit(evaluation)
    assert caught.value.field == "reveal:roles"


def test_lines_asked_for_by_metric_are_those_of_the_verdict():
    work = work_of(ready_to_submit())
    lines = work.own_outcome.lines
    assert len(lines) == 7
    assert [work.own_lines([line.key]) for line in lines] == [[line] for line in lines]
    assert work.own_lines([line.key for line in lines]) == lines
    assert work.own_lines([]) == []


def test_four_yes_and_a_rating_below_three_are_refused_with_the_reason():
    evaluation = ready_to_submit()
    say(evaluation, "rating", "", "2.5")
    with pytest.raises(Unacceptable, match="5 of 5 answers are yes: the rubric puts the rating at 3 or more"):
        submit(evaluation)
    for number in "12":
        say(evaluation, "question", number, "no")
    assert submit(evaluation).state == "submitted"


def test_handing_in_closes_the_place_and_once_is_enough():
    evaluation = ready_to_submit()
    submit(evaluation)
    submit(evaluation)
    stored = Evaluation.objects.get(pk=evaluation.pk)
    assert (stored.state, stored.submitted_at) == ("submitted", NOW)
    assert Slot.objects.get(pk=stored.slot_id).is_closed
    assert Event.objects.filter(verb="evaluation:submitted").count() == 1


def test_only_ones_own():
    evaluation = ready_to_submit()
    stranger = make_member(project=evaluation.game.project)
    for act in (reveal_roles, submit_evaluation):
        with pytest.raises(NotAllowed):
            act(evaluation=evaluation, by=stranger, now=NOW)


@pytest.mark.parametrize("setting", ["alongside", "never"])
def test_an_evaluation_can_be_finished_under_every_setting(setting):
    evaluation = start(reveal=setting)
    say_what_is_missing(evaluation)
    if setting == "never":
        reveal(evaluation)
        say_what_is_missing(evaluation)
    assert submit(evaluation).state == "submitted"


def test_a_returned_evaluation_is_handed_in_again():
    evaluation = submit(ready_to_submit())
    Evaluation.objects.filter(pk=evaluation.pk).update(state="returned")
    say(evaluation, "rating", "", "4.5")
    assert submit(evaluation).state == "submitted"


def test_a_game_without_references_asks_for_no_label():
    from tests.rated import game_of

    content = game_of(6)
    content["messages"] = [
        message | {"message": "Good morning to all of you."} for message in content["messages"]
    ]
    evaluation = start(content=content)
    assert work_of(evaluation).sight.missing[0].kind == "strategic_depth"
