"""Hidden repeats: a game comes again in a place of its own, looks like any other, and counts nowhere."""

import pytest

import discussions.core.repeats
from discussions.actions.taking import take_next_game
from discussions.actions.verifying import CHECKS
from discussions.models import Evaluation, Game, Slot
from discussions.models.bases import basis_of
from discussions.models.slots import RATING, REPEAT
from discussions.models.standings import work_of
from tests.factories import NOW, moment
from tests.rated import make_game
from tests.repeated import finish, rated_once, until_repeated
from tests.settled import fresh

pytestmark = pytest.mark.django_db


@pytest.fixture
def near(monkeypatch):
    """One game in between is enough, so that tests need not rate twenty."""
    monkeypatch.setattr(discussions.core.repeats, "APART", 0)


def test_a_repeat_has_a_place_of_its_own_and_a_number_that_no_game_has(near):
    first = rated_once()
    again = until_repeated(first)
    assert (again.purpose, again.evaluator, again.state) == (REPEAT, first.evaluator, "draft")
    assert Evaluation.objects.filter(game=again.game, evaluator=first.evaluator, purpose=RATING).exists()
    assert again.game_number == again.shown_number != again.game.number
    later = make_game(project=first.game.project)
    numbers = list(Game.objects.filter(project=first.game.project).values_list("number", flat=True))
    assert again.shown_number not in numbers
    assert later.number == again.shown_number + 1
    assert again.slot.assigned_to == first.evaluator
    assert again.slot.lease_until > moment(20)


def test_the_same_messages_are_asked_about_the_second_time(near):
    again = until_repeated(rated_once())
    first = Evaluation.objects.with_work().get(game=again.game, evaluator=again.evaluator, purpose=RATING)
    assert work_of(again).samples == work_of(first).samples
    assert work_of(again).standing.values == {}


def test_a_repeat_changes_no_verdict_and_frees_no_place(near):
    again = until_repeated(rated_once())
    game = fresh(again.game)
    before, places = basis_of(game), Slot.objects.filter(game=game, purpose=RATING).count()
    finish(again)
    assert basis_of(fresh(game)) == before
    assert Slot.objects.filter(game=game, purpose=RATING).count() == places
    assert [says for check in CHECKS for says in check.find(NOW)] == []


def test_no_game_comes_a_third_time(near):
    first = rated_once()
    repeated = []
    for _turn in range(3):
        again = until_repeated(first)
        repeated.append(again.game_id)
        finish(again)
    assert len(set(repeated)) == 3


def test_without_a_rule_or_far_enough_apart_nothing_comes_again():
    for percent in (0, 50):
        first = rated_once(percent)
        for turn in range(6):
            make_game(project=first.game.project)
            taken = take_next_game(project=first.game.project, by=first.evaluator, now=moment(turn))
            assert taken.purpose == RATING
            finish(taken)
        assert take_next_game(project=first.game.project, by=first.evaluator, now=moment(9)) is None
