"""The door to the next stage: everything that keeps it shut is named, and an admin's reason stays to be seen."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from discussions.core.gates import Signed, cache_rate_of, door_of
from discussions.core.streak import streak_of
from tests.core.iteration_games import GATED, failing, game, iteration

STATEMENT = Signed("Lead", "2026-03-01", "They surprise me every round.")
OVERRIDE = Signed("Admin", "2026-03-02", "The budget of stage 1 is spent.")
THREE = [iteration(1), iteration(2), iteration(3)]


def door(iterations, **signed):
    """The door behind these iterations."""
    return door_of(streak_of(iterations, GATED), GATED, **signed)


def test_streak_statement_and_cache_open_it():
    found = door(THREE, statement=STATEMENT)
    assert (found.is_open, found.missing, found.is_by_override) == (True, [], False)
    assert found.cache.says == (
        "The cache hit rate over games 11 to 13, 21 to 23 and 31 to 33 is 80.0 %, "
        "each game alike, since no input tokens are known."
    )


def test_everything_that_is_missing_is_named():
    low = [iteration(1, game(11, cache_hit_rate=0.6)), iteration(2, game(21, cache_hit_rate=0.7))]
    found = door([failing(9), *low])
    assert not found.is_open
    assert found.missing == [
        (
            "2 iterations in a row succeed; 3 are needed. "
            "Iteration 9 broke the row: 4 of 7 averages pass, 5 are needed."
        ),
        "No lead has signed yet that the games are fascinating to watch.",
        (
            "The cache hit rate over games 11 and 21 is 65.0 %, each game alike, since no input tokens are known. "
            "It must be above 70.0 %."
        ),
    ]


def test_what_rating_five_means_is_quoted():
    criteria = [
        replace(each, anchors={"5": "one would watch it for fun"}) if each.key == "engagement" else each
        for each in GATED.criteria
    ]
    found = door_of(streak_of(THREE, GATED), replace(GATED, criteria=criteria))
    assert found.missing == [
        'No lead has signed yet that the games are fascinating to watch ("one would watch it for fun").'
    ]


def test_an_unreported_cost_keeps_it_shut():
    silent = iteration(4, game(41), game(42, cost=None), game(43))
    found = door([*THREE, silent], statement=STATEMENT)
    assert not found.is_open
    assert "the cost of game 42 is not reported" in found.missing[0]


def test_a_cache_rate_missing_for_one_game_keeps_it_shut():
    third = iteration(3, game(31), game(32, cache_hit_rate=None), game(33))
    found = door([iteration(1), iteration(2), third], statement=STATEMENT)
    assert not found.is_open
    assert (found.cache.rate, found.cache.passes, found.cache.missing) == (None, None, [32])
    assert found.missing == ["The cache hit rate of game 32 is not reported; enter it with a reason."]


def test_without_a_row_there_is_no_cache_rate():
    found = door([failing(1)], statement=STATEMENT)
    assert (
        found.missing[1]
        == "The cache hit rate is that of the games of the row, and there is no such game yet."
    )


def test_games_before_the_row_do_not_count_for_the_cache():
    cold = iteration(1, game(11, cache_hit_rate=0.0), game(12, cache_hit_rate=None))
    assert door([cold, iteration(2), iteration(3), iteration(4)], statement=STATEMENT).is_open


@pytest.mark.parametrize(
    ("rates", "passes"),
    [((0.70, 0.70), False), ((0.7001, 0.70), True), ((0.69, 0.71), False), ((0.9, 0.6), True)],
)
def test_exactly_seventy_percent_is_not_above_it(rates, passes):
    games = [game(number, cache_hit_rate=rate) for number, rate in enumerate(rates, 1)]
    assert cache_rate_of(games, GATED).passes is passes


def test_a_rate_just_above_never_looks_like_the_bound():
    found = cache_rate_of([game(1, cache_hit_rate=0.70001)], GATED)
    assert "is 70.001 %" in found.says
    assert "must be" not in found.says


def test_the_rate_is_weighted_by_input_tokens():
    """(3000 * .9 + 1000 * .5) / 4000 = .8, where each game alike would give .7."""
    games = [game(1, cache_hit_rate=0.9, input_tokens=3000), game(2, cache_hit_rate=0.5, input_tokens=1000)]
    found = cache_rate_of(games, GATED)
    assert (found.rate, found.passes, found.unweighted) == (0.8, True, [])
    assert found.says == "The cache hit rate over games 1 and 2 is 80.0 %, weighted by input tokens."


def test_a_game_without_input_tokens_counts_with_the_mean_of_the_others():
    """(3000 * .9 + 1000 * .5 + 2000 * .2) / 6000 = .6."""
    games = [
        game(1, cache_hit_rate=0.9, input_tokens=3000),
        game(2, cache_hit_rate=0.5, input_tokens=1000),
        game(3, cache_hit_rate=0.2, is_cache_by_hand=True),
    ]
    found = cache_rate_of(games, GATED)
    assert (found.rate, found.unweighted, found.by_hand) == (0.6, [3], [3])
    assert (
        "weighted by input tokens (of game 3 none are known: the mean of the others stands in)" in found.says
    )


def test_no_input_tokens_at_all_do_not_divide_by_nothing():
    games = [game(1, cache_hit_rate=0.9, input_tokens=0), game(2, cache_hit_rate=0.7, input_tokens=0)]
    assert cache_rate_of(games, GATED).rate == 0.8


def test_an_admin_opens_it_with_a_reason_and_what_is_missing_stays():
    found = door([iteration(1)], override=OVERRIDE)
    assert (found.is_open, found.is_by_override, found.override) == (True, True, OVERRIDE)
    assert len(found.missing) == 2
    assert found.missing[0] == "1 iteration succeeds; 3 in a row are needed."


@pytest.mark.parametrize("reason", ["", "  \n"])
def test_an_admin_without_a_reason_opens_nothing(reason):
    assert not door([iteration(1)], override=replace(OVERRIDE, says=reason)).is_open


def test_an_override_that_is_not_needed_is_no_override():
    found = door(THREE, statement=STATEMENT, override=OVERRIDE)
    assert (found.is_open, found.is_by_override) == (True, False)


@pytest.mark.parametrize("says", ["", "   "])
def test_an_empty_statement_is_none(says):
    assert not door(THREE, statement=replace(STATEMENT, says=says)).is_open


rates = st.lists(st.tuples(st.integers(0, 100), st.none() | st.integers(0, 5000)), min_size=1, max_size=6)


@given(rates)
def test_the_rate_lies_between_the_lowest_and_the_highest(figures):
    games = [
        game(number, cache_hit_rate=rate / 100, input_tokens=tokens)
        for number, (rate, tokens) in enumerate(figures, 1)
    ]
    found = cache_rate_of(games, GATED)
    every = [rate / 100 for rate, _ in figures]
    assert min(every) - 1e-12 <= found.rate <= max(every) + 1e-12
    assert found.passes == (found.rate > 0.7) or found.rate == pytest.approx(0.7)


@given(st.lists(st.sampled_from("sbu"), max_size=6), st.booleans(), st.booleans())
def test_the_door_is_open_when_nothing_is_missing_and_only_then(letters, has_statement, has_override):
    makers = {"s": iteration, "b": failing, "u": lambda number: iteration(number, game(number, cost=None))}
    played = [makers[letter](number) for number, letter in enumerate(letters, 1)]
    found = door(
        played, statement=STATEMENT if has_statement else None, override=OVERRIDE if has_override else None
    )
    is_earned = "".join(letters).endswith("sss") and has_statement
    assert (not found.missing) == is_earned
    assert found.is_open == (is_earned or has_override)
