"""The demo: made once, through the actions, with life on every screen."""

from inspect import signature

import pytest
from django.core.management import CommandError, call_command

from discussions.demo.actions.fill import STEPS, fill_demo, read_script
from discussions.management.commands.verify import CHECKS
from discussions.models import Evaluation, Game, Remark, Slot, Verdict
from tests.factories import NOW
from workspace.actions.accounts import system_person
from workspace.models import Event, Job, Membership, Person

pytestmark = pytest.mark.django_db


def fill():
    return fill_demo(by=system_person(now=NOW), now=NOW)


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


@pytest.mark.parametrize("name", ["games", "stage", "comparisons", "team"])
def test_every_line_of_a_script_names_a_step_and_its_arguments(name):
    for line in read_script(name):
        signature(STEPS[line.do]).bind(None, line.by, **line.args)
