"""Withdrawing a game once its figures are known is a look, and the answer is shown with and without it."""

import pytest

from discussions.models import Game
from tests.factories.iterations import (
    PROMPT,
    decide_on,
    figures,
    get_lead,
    make_baseline,
    make_change,
    make_stage,
    preview,
    withdraw,
)
from tests.faults.crowd import breaches
from workspace.core.refusals import NotAllowed

pytestmark = pytest.mark.django_db


@pytest.fixture
def change():
    stage = make_stage()
    make_baseline(stage=stage, games=scored(60, 62, 64, 61), minutes=1)
    return make_change(stage=stage, games=scored(66, 67, 68, 40), target="engagement", minutes=5)


def scored(*values):
    return [None if value is None else figures(coherence=value) for value in values]


def take_out(number, minutes):
    return withdraw(game=Game.objects.get(number=number), minutes=minutes)


def read_basis(change):
    return preview(change).basis


def test_a_withdrawal_after_figures_are_known_is_a_look_of_its_own(change):
    assert read_basis(change).look == 1
    take_out(8, 7)
    basis = read_basis(change)
    assert (basis.look, [game.figures.number for game in basis.change_out]) == (2, [8])
    take_out(7, 8)
    assert read_basis(change).look == 3
    assert decide_on(iteration=change, choice="inconclusive", minutes=9).look == 3
    assert read_basis(change).look == 3
    assert {code: said for code, said in breaches().items() if code not in ("I6", "I7v")} == {}


def test_a_set_of_scores_that_was_decided_on_is_not_counted_twice(change):
    decide_on(iteration=change, choice="inconclusive", minutes=6)
    take_out(8, 7)
    assert decide_on(iteration=change, choice="inconclusive", minutes=8).look == 2
    assert read_basis(change).look == 2


def test_what_nobody_knew_anything_of_is_withdrawn_without_a_look():
    stage = make_stage()
    make_baseline(stage=stage, games=scored(60, 62, 64, 61), minutes=1)
    take_out(4, 2)
    change = make_change(stage=stage, games=scored(66, 67, 68, None), minutes=5)
    take_out(8, 7)
    basis = read_basis(change)
    assert (basis.look, basis.control_out, basis.change_out) == (1, [], [])
    take_out(3, 8)
    assert (read_basis(change).look, len(read_basis(change).control_out)) == (2, 1)


def test_the_answer_is_shown_with_and_without(change, client):
    take_out(8, 7)
    found = preview(change).compared
    assert (found.withdrawn, found.answer_with) == ([8], preview(change).with_withdrawn.answer)
    client.force_login(get_lead(change.stage))
    place = f"/projects/{change.project.slug}/iterations/{change.number}"
    for page in ("compare", "decide"):
        body = " ".join(client.get(f"{place}/{page}/").content.decode().split())
        assert "With game 8, withdrawn after its figures were known: Engagement: 4.0 against 4.0." in body
        assert "A withdrawal counts as a look." in body


def test_too_few_games_are_not_kept(change):
    for number, minutes in ((8, 7), (7, 8)):
        take_out(number, minutes)
    with pytest.raises(
        NotAllowed, match="has 2 games that count and needs 3, so it cannot be kept"
    ) as refusal:
        decide_on(iteration=change, choice="keep", minutes=9)
    assert refusal.value.code == "too_few"
    assert decide_on(iteration=change, choice="revert", minutes=10).choice == "revert"
    assert change.prompt != PROMPT
