"""Games out of the averages: with a reason, never deleted, and back by another act."""

import pytest

from discussions.games.actions import restore_game, withdraw_game
from discussions.iterations.queries import load_rubric
from discussions.models import Decision, Game, Verdict, Withdrawal
from discussions.queue.actions import take_next_game
from tests.factories.iterations import (
    decide_on,
    figures,
    get_lead,
    history,
    make_iteration,
    make_stage,
    preview,
    withdraw,
)
from tests.factories.people import make_lead, make_member, make_project, moment
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.models import Event

pytestmark = pytest.mark.django_db


@pytest.fixture
def stage():
    made = make_stage()
    make_iteration(stage=made, games=[figures(coherence=value) for value in (60, 80, 90)])
    return made


def game(number=1):
    return Game.objects.select_related("project", "iteration").get(number=number)


def row(stage):
    return history(stage).iterations[0]


def restore(number=1, *, by, minutes=9):
    restore_game(game=game(number), reason="The file was whole.", by=by, now=moment(minutes))


def test_a_withdrawn_game_is_in_no_average_and_comes_back(stage):
    withdraw(game=game())
    assert [figure.number for figure in row(stage).figures] == [2, 3]
    assert (row(stage).withdrawn, Verdict.objects.count()) == ([1], 3)
    restore(by=get_lead(stage))
    assert [figure.number for figure in row(stage).figures] == [1, 2, 3]
    assert row(stage).left_out == []
    assert list(Withdrawal.objects.values_list("number", "is_withdrawn", "reason")) == [
        (1, True, "Cut short."),
        (2, False, "The file was whole."),
    ]
    verbs = Event.objects.filter(object_kind="withdrawal").order_by("pk").values_list("verb", flat=True)
    assert list(verbs) == ["game:withdrawn", "game:restored"]


def test_what_stands_already_is_not_done_again(stage):
    with pytest.raises(Conflict, match="counts again already"):
        restore(by=get_lead(stage))
    withdraw(game=game())
    with pytest.raises(Conflict, match="withdrew game 1 first"):
        withdraw(game=game(), reason="Another reason.")
    assert (Withdrawal.objects.count(), game().withdrawn_reason) == (1, "Cut short.")


@pytest.mark.parametrize("reason", [" ", "x" * 2001])
def test_a_reason_is_needed(stage, reason):
    with pytest.raises(Unacceptable) as refusal:
        withdraw(game=game(), reason=reason)
    assert (refusal.value.field, Withdrawal.objects.count()) == ("reason", 0)


def test_only_leads_withdraw(stage):
    for somebody in (make_member(project=stage.project), make_lead(project=make_project())):
        with pytest.raises(NotAllowed, match="team leads"):
            withdraw_game(game=game(), reason="Mine.", by=somebody, now=moment(5))
    assert not Event.objects.filter(verb="game:withdrawn").exists()


def test_nobody_is_given_a_withdrawn_game_and_it_gets_its_places_back(stage):
    change = make_iteration(stage=stage, games=[None] * 3, minutes=10)
    for number in (4, 5):
        withdraw(game=game(number), minutes=11)
    first, other = (make_member(project=stage.project) for _ in range(2))

    def take(by, minutes):
        found = take_next_game(project=stage.project, by=by, now=moment(minutes), iteration=change)
        return found and found.game.number

    assert (take(first, 12), take(other, 12)) == (6, None)
    restore(4, by=get_lead(stage), minutes=13)
    assert take(other, 14) == 4


def test_a_decision_stands_on_what_it_rested_on(stage):
    change = make_iteration(
        stage=stage, games=[figures(coherence=value) for value in (85, 90, 95)], minutes=10
    )
    before = decide_on(iteration=change, choice="keep", minutes=11).basis_sha256
    withdraw(game=game(4), minutes=12)
    assert preview(change).basis_sha256 != before
    assert Decision.objects.get().basis_sha256 == before
    assert history(stage).reference.id == change.pk


def test_the_gate_knows_that_games_are_missing(stage):
    (step,) = history(stage).for_gate(load_rubric)
    assert (len(step.games), step.least) == (3, 3)
    withdraw(game=game())
    (step,) = history(stage).for_gate(load_rubric)
    assert (len(step.games), step.least) == (2, 3)
