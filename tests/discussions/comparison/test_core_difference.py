"""One metric of one change: the formulas by hand and against scipy, and what must hold whatever the scores."""

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from scipy import stats

from discussions.comparison.core.difference import (
    EXPECTED,
    IMPROVED,
    LEVEL_Z,
    MORE_GAMES,
    NO_REBOUND,
    PAIRED_Z,
    PICKED_SMALLER,
    SAME,
    UNCLEAR,
    WORSE,
    compute_answer_chances,
    compute_false_fall,
    compute_find_chance,
    compute_gain_seen,
    difference,
    get_level,
    has_fallen,
)
from discussions.iterations.core.averages import pooled_spread
from tests.factories.iteration_figures import scores


def compared(control, change, *earlier, material=5.0, span=100.0, rebound=NO_REBOUND):
    """The difference of two lists of scores, the spread pooled over them and earlier batches."""
    batches = [scores(*batch) for batch in (control, change, *earlier)]
    return difference(
        batches[0], batches[1], pooled_spread(batches), material=material, span=span, rebound=rebound
    )


def paired(control, change, material=5.0):
    """The difference of games that were played in pairs."""
    first, second = scores(*control), scores(*change)
    spread = pooled_spread([first, second])
    return difference(first, second, spread, material=material, span=100.0, is_paired=True)


def level_of(size, z=LEVEL_Z, expected=EXPECTED):
    """The level in the words of docs/iterations.md."""
    return stats.norm.cdf(-z * sqrt(1 + 2 / (size * expected**2)))


def test_the_means_and_the_interval_by_hand():
    """Means 62 and 82, squares 8 and 8 with 4 df: s² = 4, and 4 (1/3 + 1/3) = 8/3."""
    found = compared((60, 62, 64), (80, 82, 84))
    assert (found.control_mean, found.change_mean, found.raw, found.judged) == (62, 82, 20, 20)
    assert (found.spread.variance, found.spread.df, found.size) == (4, 4, 3)
    assert (found.error.size, found.error.df) == (pytest.approx(sqrt(8 / 3)), 4)
    half = stats.t.isf(level_of(3), 4) * sqrt(8 / 3)
    assert found.interval == pytest.approx((20 - half, 20 + half))
    assert found.better == pytest.approx(stats.t.sf(20 / sqrt(8 / 3), 4))
    assert found.worse == pytest.approx(1 - found.better)
    assert (found.answer, found.reason) == (IMPROVED, "")


@pytest.mark.parametrize(
    ("control", "change", "answer"),
    [
        ((60, 62, 64), (80, 82, 84), IMPROVED),
        ((80, 82, 84), (60, 62, 64), WORSE),
        ((67, 68, 69), (67, 68.5, 70), SAME),
        # t = 3.9: not enough for the level of three games, though beyond the usual 95 % interval.
        ((66, 68, 70), (74, 78, 82), UNCLEAR),
        ((60, 68, 76), (62, 72, 80), UNCLEAR),
    ],
)
def test_the_four_answers(control, change, answer):
    found = compared(control, change)
    assert (found.answer, found.reason) == (answer, "")


def test_the_level_grows_with_the_games_to_that_of_very_many():
    """About .6 %, 1.7 % and 2.5 % on each side at 3, 6 and 9 games."""
    assert [round(100 * get_level(size), 1) for size in (3, 6, 9)] == [
        pytest.approx(about, abs=0.15) for about in (0.6, 1.75, 2.5)
    ]
    for size in (1, 3, 6, 9, 50):
        assert get_level(size) == pytest.approx(level_of(size))
        assert get_level(size, z=PAIRED_Z) == pytest.approx(level_of(size, PAIRED_Z))
        assert get_level(size, z=PAIRED_Z) < get_level(size)
        assert get_level(size) < get_level(size + 1) < stats.norm.cdf(-LEVEL_Z)
        assert get_level(size, 0.5) == pytest.approx(
            level_of(size, expected=EXPECTED * (1 - PICKED_SMALLER / 2))
        )
        assert get_level(size, 1.0) < get_level(size, 0.5) < get_level(size)
    assert get_level(0) == 0


def test_a_picked_target_needs_more_to_be_better_and_no_more_to_be_worse():
    plain, picked = (
        compared((60, 62, 64), (70, 72, 74), rebound=rebound) for rebound in (NO_REBOUND, (2.0, 1.0))
    )
    assert (picked.raw, picked.judged, picked.rebound) == (10, 8, 2.0)
    assert picked.level[0] < plain.level[0] == plain.level[1] == picked.level[1]
    low = 8 - stats.t.isf(level_of(3, expected=EXPECTED * (1 - PICKED_SMALLER)), 4) * sqrt(8 / 3)
    high = 8 + stats.t.isf(level_of(3), 4) * sqrt(8 / 3)
    assert picked.interval == pytest.approx((low, high))


def test_unequal_variances_by_hand_with_an_earlier_batch():
    """The change has 450 with 1 df, all others 8 + 8 with 3: F(1, 3) = 84 is beyond the 5 % on either side."""
    found = compared((60, 64), (50, 80), (60, 62, 64))
    first, second = 16 / 3 / 2, 450 / 2
    assert found.error.size == pytest.approx(sqrt(first + second))
    assert found.error.df == pytest.approx((first + second) ** 2 / (first**2 / 3 + second**2 / 1))


def test_variances_that_do_not_differ_are_pooled_with_the_earlier_batches():
    """50 + 50 of the pair and 200 + 200 of the others with 6 df: s² = 500/6."""
    found = compared((50, 60), (60, 70), (50, 60, 70), (40, 50, 60))
    assert (found.error.size, found.error.df) == (pytest.approx(sqrt(500 / 6 * (1 / 2 + 1 / 2))), 6)


batch = st.lists(st.integers(0, 1000).map(lambda tenths: tenths / 10), min_size=1, max_size=5)
more = st.lists(st.integers(0, 1000).map(lambda tenths: tenths / 10), min_size=2, max_size=9)


@given(more, more)
def test_without_earlier_batches_it_is_the_t_test_of_scipy(control, change):
    """Student's, or Welch's where the F test at 5 % on each side tells the variances apart."""
    variances = np.var(control, ddof=1), np.var(change, ddof=1)
    assume(min(variances) > 1e-6)
    tail = stats.f.cdf(variances[1] / variances[0], len(change) - 1, len(control) - 1)
    assume(min(abs(tail - 0.05), abs(tail - 0.95)) > 1e-9)
    found = compared(control, change, span=1e9)
    is_equal = 0.05 < tail < 0.95
    scipys = stats.ttest_ind(change, control, equal_var=is_equal, alternative="greater")
    assert found.better == pytest.approx(scipys.pvalue, rel=1e-6, abs=1e-12)
    ends = scipys.confidence_interval(1 - found.level[0]).low, found.interval[0]
    assert ends[0] == pytest.approx(ends[1], abs=1e-6)


@given(st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 1000)), min_size=3, max_size=9))
def test_pairs_are_the_paired_t_test_of_scipy(tenths):
    control, change = ([pair[side] / 10 for pair in tenths] for side in (0, 1))
    assume(len({second - first for first, second in tenths}) > 1)
    found = paired(control, change)
    scipys = stats.ttest_rel(change, control, alternative="greater")
    assert (found.pair_count, found.error.df) == (len(tenths), len(tenths) - 1)
    assert found.better == pytest.approx(scipys.pvalue, rel=1e-6, abs=1e-12)
    assert found.level == pytest.approx((level_of(len(tenths), PAIRED_Z),) * 2)


def test_pairs_by_hand():
    """Differences of 9, 10 and 11: a mean of 10 with 1/√3, though the games themselves differ by 20."""
    found = paired((40, 60, 80), (49, 70, 91))
    assert (found.raw, found.error.size, found.error.df) == (10, pytest.approx(sqrt(1 / 3)), 2)
    assert (found.answer, compared((40, 60, 80), (49, 70, 91)).answer) == (IMPROVED, UNCLEAR)
    alike = paired((40, 60, 80), (50, 70, 90))
    assert (alike.error, alike.answer) == (None, UNCLEAR)


@pytest.mark.parametrize(
    ("control", "change", "answer", "reason"),
    [
        ((), (70,), UNCLEAR, "no game"),
        ((60,), (70,), UNCLEAR, "nobody knows how much"),
        ((70, 70), (80, 80), UNCLEAR, "the same score"),
        ((70, 70), (70, 70), SAME, ""),
    ],
)
def test_without_a_spread_nothing_is_made_up(control, change, answer, reason):
    found = compared(control, change)
    assert (found.answer, found.error, found.interval) == (answer, None, None)
    assert reason in found.reason


def test_one_game_each_is_judged_by_the_spread_of_earlier_batches():
    found = compared((60,), (70,), (50, 60, 70), (55, 65, 75))
    assert (found.spread.df, found.spread.batch_count, found.spread.variance) == (4, 2, 100)
    assert (found.error.size, found.answer) == (pytest.approx(sqrt(200)), UNCLEAR)


def test_a_spread_that_rests_on_little_says_so():
    assert compared((60, 62), (70, 72)).spread.warning == (
        "SD from only 2 df: the spread between games rests on 4 games."
    )
    assert compared((60, 62, 64), (70, 72, 74)).spread.warning == ""
    assert "no batch has two games" in compared((60,), (70,)).spread.warning


def test_intervals_stay_on_the_scale():
    assert compared((0, 100), (20, 100)).interval == (-100, 100)
    assert compared((0, 5), (1, 5), span=4.0).interval == (-4, 4)


# -- falls ---------------------------------------------------------------------------------------------------------


def test_a_fall_is_said_only_where_chance_shows_it_at_most_one_time_in_five():
    """SD 8, 3 against 3: chance alone shows a fall of 6 in P(t(4) > 6 / 6.53) = .205, one of 6.5 in .188."""
    six, more = compared((72, 80, 88), (66, 74, 82)), compared((72, 80, 88), (65.5, 73.5, 81.5))
    assert compute_false_fall(six) == pytest.approx(stats.t.sf(6 / (8 * sqrt(2 / 3)), 4))
    assert compute_false_fall(more) == pytest.approx(stats.t.sf(6.5 / (8 * sqrt(2 / 3)), 4))
    assert compute_false_fall(more) < 0.2 < compute_false_fall(six)
    assert has_fallen(more) and not has_fallen(six)


def test_a_fall_of_just_the_material_difference_is_not_said():
    assert not has_fallen(compared((79, 80, 81), (74, 75, 76)))
    assert has_fallen(compared((79, 80, 81), (73.9, 74.9, 75.9)))


def test_without_scatter_the_fall_itself_decides_and_without_two_games_nothing():
    assert has_fallen(compared((80, 80), (70, 70))) and compute_false_fall(compared((80, 80), (70, 70))) == 0
    assert not has_fallen(compared((80, 80), (76, 76)))
    assert not has_fallen(compared((80,), (20,)))
    assert not has_fallen(compared((), (20, 30)))


def test_what_size_of_gain_so_many_games_can_see():
    """SD 8, 3 against 3: called better from t(4) * 6.53 on; a true gain of .8416 * 6.53 more is, in 80 %."""
    error = 8 * sqrt(2 / 3)
    least = stats.t.isf(level_of(3), 4) * error
    assert compute_gain_seen(compared((72, 80, 88), (72, 80, 88))) == pytest.approx(
        least + 0.8416 * error, abs=0.001
    )
    for bare in (compared((80,), (20,)), compared((80, 80), (70, 70)), compared((), (20, 30))):
        assert compute_gain_seen(bare) is None


def test_the_sd_behind_unequal_sides():
    """9 games against 3 with a pooled SD of 8: e = 8 √(1/9 + 1/3), and the games differ by 8."""
    found = compared((62, 70, 78) * 3, (62, 70, 78))
    assert found.games_differ == pytest.approx(found.spread.sd)


def test_several_metrics_have_fewer_chances():
    """One of seven has to pass a seventh of the level, and that all are the same is not counted."""
    found = compared((60, 68, 76), (74, 82, 90))
    alone, several = (compute_answer_chances(found, 2, of=count) for count in (1, 7))
    assert several.same == 0 and several.improved < alone.improved
    assert alone.likeliest == IMPROVED


def test_a_side_without_spread_is_pooled():
    found = compared((60, 64, 68), (100, 100, 100), (60, 64, 68))
    assert found.error.df == found.spread.df == 6


# -- what more games can show --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("size", "earlier", "share"), [(3, 0, 0.0), (9, 0, 0.0), (6, 8, 0.0), (3, 8, 1.0)])
def test_how_often_a_gain_of_an_sd_is_found(size, earlier, share):
    df = earlier + 2 * (size - 1)
    least = stats.t.isf(level_of(size, expected=EXPECTED * (1 - PICKED_SMALLER * share)), df)
    assert compute_find_chance(size, earlier, share) == pytest.approx(
        stats.nct.sf(least, df, 1 / sqrt(2 / size)), rel=1e-6
    )


def test_one_game_without_earlier_ones_finds_nothing():
    assert compute_find_chance(1, 0) == 0
    assert compute_find_chance(1, 8) > 0


@pytest.mark.parametrize("looks", [1, 2])
@pytest.mark.parametrize("change", [(60, 68, 76), (74, 82, 90), (53, 61, 69), (64, 68, 72)])
def test_the_chance_that_more_games_answer_it_as_it_happens(change, looks):
    """True differences as the games and a prior N(0, s²) say, further games drawn for each, and all judged together."""
    found = compared((60, 68, 76), change, (60, 68, 76))
    noise, count = found.error.size**2, MORE_GAMES * looks
    variance = noise * 3 / 2
    random = np.random.default_rng(3)
    weight = variance / (variance + noise)
    true = random.normal(found.judged * weight, sqrt(noise * weight), 200_000)
    later = random.normal(true, sqrt(2 * variance / count))
    means = (3 * found.judged + count * later) / (3 + count)
    error, df = sqrt(2 * variance / (3 + count)), found.error.df + 2 * count
    answers = abs(means) > stats.t.isf(level_of(3 + count), df) * error
    answers |= abs(means) + stats.t.isf(0.05, df) * error < 5
    assert compute_answer_chances(found, looks).total == pytest.approx(answers.mean(), abs=0.005)


def test_nothing_answers_what_nobody_may_look_at_again():
    found = compared((60, 68, 76), (74, 82, 90))
    assert compute_answer_chances(found, 0).total == 0
    assert compute_answer_chances(compared((60,), (70,)), 2).total == 0


# -- whatever the scores -------------------------------------------------------------------------------------------


@given(batch, batch, batch, st.sampled_from([0.3, 5.0, 20.0]), st.sampled_from([0.0, 3.0]))
def test_the_answer_and_the_interval_never_contradict_each_other(control, change, earlier, material, taken):
    found = compared(control, change, earlier, material=material, rebound=(taken, 0.5 if taken else 0.0))
    if found.interval is None:
        assert found.error is None and found.answer == (
            SAME if found.judged == 0 and found.spread.df else UNCLEAR
        )
        return
    low, high = found.interval
    assert low <= high
    assert (found.answer == IMPROVED) == (low > 0)
    assert (found.answer == WORSE) == (high < 0)
    if found.answer == SAME:
        half = stats.t.isf(0.05, found.error.df) * found.error.size
        assert -material < found.judged - half and found.judged + half < material


@given(batch, batch)
@example([0.0, 0.0, 0.0], [0.0, 0.1, 12.6, 38.5])
def test_without_earlier_batches_the_other_way_round_is_the_opposite(control, change):
    first, other = compared(control, change), compared(change, control)
    opposite = {IMPROVED: WORSE, WORSE: IMPROVED}
    assert other.answer == opposite.get(first.answer, first.answer)
    assert first.raw == pytest.approx(-other.raw)
    if first.interval:
        assert other.interval == pytest.approx((-first.interval[1], -first.interval[0]), abs=1e-9)
        assert (first.better, first.worse) == pytest.approx((other.worse, other.better), abs=1e-9)


@given(batch, batch, st.sampled_from([Fraction(1, 25), Fraction(3)]))
def test_another_unit_changes_no_answer(control, change, unit):
    first = [scores(*batch) for batch in (control, change)]
    second = [[score * unit for score in batch] for batch in first]
    found = difference(*first, pooled_spread(first), material=5.0, span=1e6)
    other = difference(*second, pooled_spread(second), material=5.0 * float(unit), span=1e6)
    assert (found.better, found.worse) == pytest.approx((other.better, other.worse), abs=1e-9)
    if found.interval:
        assert other.interval == pytest.approx(
            tuple(end * float(unit) for end in found.interval), rel=1e-6, abs=1e-6
        )
