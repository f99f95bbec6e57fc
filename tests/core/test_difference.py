"""One metric of one change: the formulas by hand, the published figures, and what must hold whatever the scores."""

from fractions import Fraction
from math import sqrt

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from discussions.core.difference import (
    IMPROVED,
    SAME,
    UNCLEAR,
    WORSE,
    answer_of,
    difference,
    more_games,
    permutation_floor,
    posterior_of,
)
from discussions.core.spread import Spread, pooled_spread
from rubric.core.permutation import permutation_test
from tests.core.iteration_games import scores


def compared(control, change, *earlier, material=5.0, span=100.0):
    """The difference of two lists of scores, the spread pooled over them and earlier batches."""
    batches = [scores(*batch) for batch in (control, change, *earlier)]
    return difference(batches[0], batches[1], pooled_spread(batches), material=material, span=span)


def test_by_hand():
    """Means 68 and 78, squares 8 and 32 with 4 df: s^2 = 10, v = 20/3, tau^2 = 4.9; .4236 of the 10 points stay."""
    found = compared((66, 68, 70), (74, 78, 82))
    assert (found.control_mean, found.change_mean, found.raw) == (68, 78, 10)
    assert (found.spread.variance, found.spread.df) == (10, 4)
    posterior = found.posterior
    assert posterior.shrunken == pytest.approx(10 * 4.9 / (4.9 + 20 / 3))
    assert posterior.sd == pytest.approx(sqrt(20 / 3 * 4.9 / (4.9 + 20 / 3)))
    half = stats.t.ppf(0.975, 4) * sqrt(20 / 3)
    assert posterior.interval == pytest.approx((10 - half, 10 + half))
    true = stats.t(4, posterior.shrunken, posterior.sd)
    assert posterior.higher == pytest.approx(true.sf(0))
    assert posterior.within == pytest.approx(true.cdf(5) - true.cdf(-5))
    assert posterior.harm == pytest.approx(true.cdf(-5))
    assert posterior.shrunken_interval == pytest.approx(true.interval(0.95))
    assert posterior.half_width_with_more == pytest.approx(stats.t.ppf(0.975, 10) * sqrt(10 / 3))
    assert found.answer == IMPROVED


@pytest.mark.parametrize(
    ("control", "change", "answer"),
    [
        ((66, 68, 70), (74, 78, 82), IMPROVED),
        ((74, 78, 82), (66, 68, 70), WORSE),
        ((66, 68, 70), (67, 68, 70), SAME),
        ((60, 68, 76), (62, 72, 80), UNCLEAR),
    ],
)
def test_the_four_answers(control, change, answer):
    found = compared(control, change)
    assert (found.answer, found.reason) == (answer, "")


def test_the_bounds_of_the_answers_are_not_met_by_equality():
    assert answer_of(0.05, 0.95, 0.5) == UNCLEAR
    assert answer_of(0.0499, 0.9501, 0.5) == IMPROVED
    assert answer_of(0.95, 0.05, 0.5) == UNCLEAR
    assert answer_of(0.9501, 0.0499, 0.5) == WORSE
    assert answer_of(0.5, 0.5, 0.90) == UNCLEAR
    assert answer_of(0.5, 0.5, 0.9001) == SAME
    assert answer_of(0.03, 0.97, 0.99) == IMPROVED
    assert answer_of(1.0, 1.0, 0.5) == UNCLEAR


@pytest.mark.parametrize(
    ("control", "change", "earlier", "answer", "reason"),
    [
        ((), (70,), (), UNCLEAR, "no game"),
        ((60,), (70,), (), UNCLEAR, "nobody knows how much"),
        ((70, 70), (80, 80), (), UNCLEAR, "the same score"),
        ((70, 70), (70, 70), (), SAME, ""),
    ],
)
def test_without_a_spread_nothing_is_made_up(control, change, earlier, answer, reason):
    found = compared(control, change, *earlier)
    assert (found.answer, found.posterior, found.more_games) == (answer, None, None)
    assert reason in found.reason


def test_one_game_each_is_judged_by_the_spread_of_earlier_batches():
    found = compared((60,), (70,), (50, 60, 70), (55, 65, 75))
    assert (found.spread.df, found.spread.batch_count, found.spread.variance) == (4, 2, 100)
    assert found.answer == UNCLEAR


def test_a_spread_that_rests_on_little_says_so():
    assert compared((60, 62), (70, 72)).spread.warning == (
        "SD from only 2 df: the spread between games rests on 4 games."
    )
    assert compared((60, 62, 64), (70, 72, 74)).spread.warning == ""
    assert "no batch has two games" in compared((60,), (70,)).spread.warning


def test_intervals_stay_on_the_scale():
    found = compared((0, 100), (20, 100)).posterior
    assert found.interval == (-100, 100)
    assert found.shrunken_interval[1] == 100
    assert compared((0, 5), (1, 5), span=4.0).posterior.half_width_with_more == 4.0


# -- published figures ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("df", "half"), [(4, 2.27), (12, 1.78)])
def test_half_width_of_three_against_three_in_sds(df, half):
    """Student 1908: 2.776 and 2.179 times sqrt(2/3)."""
    low, high = posterior_of(0.0, 3, 3, Spread(1.0, df, 2), 0.5, 100.0).interval
    assert round((high - low) / 2, 2) == half


@pytest.mark.parametrize(("size", "floor"), [(3, 0.10), (4, 0.029), (5, 0.008), (9, 0.00004)])
def test_floor_of_the_permutation_test(size, floor):
    assert permutation_floor(size, size) == pytest.approx(floor, rel=0.03)


@pytest.mark.parametrize("sizes", [(3, 3), (3, 4), (1, 5), (4, 4), (2, 3)])
def test_the_floor_is_what_the_most_extreme_deal_gives(sizes):
    first, second = range(sizes[0]), range(1000, 1000 + 7 * sizes[1], 7)
    assert permutation_test(list(first), list(second)).either == pytest.approx(permutation_floor(*sizes))
    assert permutation_floor(0, 3) is None


# SD between games, difference to be seen, games of each side for a power of 80 % at one-sided 5 % (exact, Student).
NEEDED = [
    (6, 5, 19), (6, 8, 8), (6, 10, 6), (6, 15, 3), (6, 20, 3),
    (8, 5, 33), (8, 8, 14), (8, 10, 9), (8, 15, 5), (8, 20, 3),
    (12, 5, 72), (12, 8, 29), (12, 10, 19), (12, 15, 9), (12, 20, 6),
    (0.5, 0.5, 14), (0.8, 0.5, 33), (0.5, 1.0, 4), (0.8, 1.0, 9),
]  # fmt: skip


def power(sd, size, effect):
    """The exact power of the one-sided two-sample t test at 5 %."""
    df = 2 * size - 2
    return stats.nct.sf(stats.t.ppf(0.95, df), df, effect / (sd * sqrt(2 / size)))


@pytest.mark.parametrize(("sd", "effect", "needed"), NEEDED)
def test_games_needed_against_the_exact_power(sd, effect, needed):
    """The formula takes the normal for Student's t, so it asks for one game fewer than the exact power, or as many."""
    assert power(sd, needed, effect) >= 0.795
    assert power(sd, needed - 1, effect) < 0.80 or needed == 3
    found = more_games(0, 0, Spread(sd**2, 8, 4), effect)
    assert found in (needed - 1, needed)


def test_games_needed_count_those_that_are_there():
    spread = Spread(64.0, 8, 4)
    assert more_games(3, 3, spread, 5.0) == 29
    assert more_games(32, 32, spread, 5.0) == 0
    assert more_games(40, 40, spread, 5.0) == 0
    assert more_games(3, 3, Spread(None, 0, 0), 5.0) is None
    assert more_games(3, 3, spread, 0.0) is None


def test_games_needed_do_not_hang_on_the_difference_that_was_seen():
    near, far = compared((66, 68, 70), (67, 69, 71)), compared((66, 68, 70), (86, 88, 90))
    assert near.more_games == far.more_games


@given(st.integers(0, 40), st.integers(0, 40), st.floats(0.5, 20), st.floats(0.5, 20))
def test_games_needed_are_the_fewest(first, second, sd, material):
    found = more_games(first, second, Spread(sd * sd, 4, 2), material)

    def is_enough(more, slack=1 + 1e-9):
        sizes = first + more, second + more
        return min(sizes) > 0 and 2.485**2 * sd**2 * (1 / sizes[0] + 1 / sizes[1]) <= material**2 * slack

    assert is_enough(found)
    assert found == 0 or not is_enough(found - 1, 1 - 1e-9)


# -- whatever the scores -------------------------------------------------------------------------------------------

batch = st.lists(st.integers(0, 1000).map(lambda tenths: tenths / 10), min_size=1, max_size=5)


@given(batch, batch, batch)
def test_the_other_way_round_is_the_opposite(control, change, earlier):
    one, other = compared(control, change, earlier), compared(change, control, earlier)
    opposite = {IMPROVED: WORSE, WORSE: IMPROVED}
    assert other.answer == opposite.get(one.answer, one.answer)
    assert one.raw == pytest.approx(-other.raw)
    if one.posterior is not None:
        assert one.posterior.higher == pytest.approx(1 - other.posterior.higher, abs=1e-9)
        assert one.posterior.within == pytest.approx(other.posterior.within, abs=1e-9)


@given(batch, batch)
def test_shrinking_draws_towards_nothing(control, change):
    found = compared(control, change)
    assume(found.posterior is not None)
    low, high = sorted((0.0, found.raw))
    assert low - 1e-12 <= found.posterior.shrunken <= high + 1e-12
    wide, narrow = found.posterior.interval, found.posterior.shrunken_interval
    assert narrow[1] - narrow[0] <= wide[1] - wide[0] + 1e-9 or wide == (-100, 100)


@given(batch, batch, st.sampled_from([Fraction(1, 25), Fraction(3)]))
def test_another_unit_changes_no_answer(control, change, unit):
    first = [scores(*batch) for batch in (control, change)]
    second = [[score * unit for score in batch] for batch in first]
    one = difference(*first, pooled_spread(first), material=5.0, span=1000.0)
    other = difference(*second, pooled_spread(second), material=5.0 * float(unit), span=1000.0)
    if one.posterior is not None:
        assert one.posterior.higher == pytest.approx(other.posterior.higher, abs=1e-9)
        assert one.posterior.within == pytest.approx(other.posterior.within, abs=1e-9)
    assert one.more_games == other.more_games
