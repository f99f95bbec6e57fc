"""How often the answers and the gate are right when the truth is known; seeded, and tied to the product's functions."""

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest

from benchmarks.statistics import gates
from benchmarks.statistics.comparison import (
    KEYWORDS,
    WORLDS,
    answer_chances,
    compare_people,
    follow_chain,
    pair_power,
    run_world,
)
from discussions.comparison.core.comparison import apply_rubric_rule, compare
from discussions.comparison.core.difference import (
    IMPROVED,
    compute_find_chance,
    compute_gain_seen,
    difference,
    has_fallen,
)
from discussions.iterations.core.averages import Spread, compute_mean_interval, pooled_spread
from discussions.iterations.core.gates import CHANCE_AT_THRESHOLDS
from tests.factories.iteration_figures import GATED, game

pytestmark = pytest.mark.slow
NORMAL, TWICE, _HALF, SHARED, PAIRED = WORLDS


def people_world(place, runs=120):
    """A row of docs/iterations.md at a size that runs in seconds."""
    names = ("people", "precise", "rule")
    _label, *sides = KEYWORDS[place]
    before, after = (dict(zip(names, side, strict=True)) for side in sides)
    return compare_people(before, after, runs, seed=22)


def test_a_prompt_that_teaches_keywords_is_improved_by_counting_and_not_by_people():
    found = people_world(0)
    assert found.counted > 0.7 and found.improved <= 0.08
    assert found.covers >= 0.9 and found.half < found.half_labels


def test_a_real_gain_is_seen_in_people_s_estimate():
    found = people_world(1)
    assert found.improved > 0.2 and found.covers >= 0.88 and found.half < found.half_labels


def test_without_an_effect_few_are_called_improved_or_worse():
    """At most 4 %, with 800 runs within three standard errors."""
    for world in (NORMAL, PAIRED):
        improved, worse = run_world(world, 0.0, 800, seed=31)
        assert max(improved, worse) <= 0.04 + 3 * sqrt(0.04 * 0.96 / 800), world.name


def test_a_disturbance_of_a_day_misleads_unless_games_are_played_in_pairs():
    assert run_world(SHARED, 0.0, 300, seed=31)[0] > 0.1
    assert run_world(PAIRED, PAIRED.gain, 200, seed=32)[0] > 0.65


def test_unequal_spread_does_not_double_the_false_answers():
    assert max(run_world(TWICE, 0.0, 600, seed=31)) <= 0.055 + 3 * sqrt(0.055 * 0.945 / 600)


@pytest.mark.parametrize("gain", [0.0, 10.0])
def test_the_luck_of_a_kept_change_is_not_charged_to_the_next(gain):
    above, improved, worse = follow_chain(gain, 150, seed=77, fresh=True)
    assert above > 3 and improved <= 0.09 and worse <= 0.11
    if not gain:
        assert follow_chain(gain, 60, seed=77, fresh=False)[2] > 0.1


def test_the_chance_of_an_answer_is_what_comes_true():
    found = answer_chances(2500, seed=41)
    assert len(found) == 5
    for said, true, count in found:
        assert true == pytest.approx(said, abs=0.12 + 2 * sqrt(0.25 / count))


def test_the_power_of_pairs_is_that_of_their_differences():
    random = np.random.default_rng(5)
    shared = random.normal(0, sqrt(0.5), (1500, 9, 1))
    scores = 70 + 10 * (shared + random.normal(0, sqrt(0.5), (1500, 9, 2))) + np.array([0, 10])
    ends = []
    for run in np.rint(scores).astype(int):
        sides = [[Fraction(int(pair[place])) for pair in run] for place in (0, 1)]
        found = difference(*sides, pooled_spread(sides), material=5.0, span=100.0, is_paired=True)
        ends.append(found.answer == IMPROVED)
    assert np.mean(ends) == pytest.approx(pair_power(0.5, 9), abs=0.04)


def draw_fall(fall, sd, size, runs, seed=5):
    """Scores of control and change in tenths, of a metric that truly fell so far."""
    random = np.random.default_rng(seed)
    drawn = random.normal(70, sd, (runs, size)), random.normal(70 - fall, sd, (runs, size))
    whole = [np.rint(10 * scores).astype(int).tolist() for scores in drawn]
    return [
        [[Fraction(score, 10) for score in scores] for scores in pair] for pair in zip(*whole, strict=True)
    ]


def share_of_marks(fall, sd, size, *, runs=400):
    """How often a metric that truly fell so far is marked."""
    marks = [
        has_fallen(difference(control, change, pooled_spread([control, change]), material=5.0, span=100.0))
        for control, change in draw_fall(fall, sd, size, runs)
    ]
    return np.mean(marks)


def test_a_guardrail_of_a_whole_comparison_is_marked_alike():
    pairs = list(draw_fall(10, 8, 6, 30))
    assert len(pairs) == 30
    for pair in pairs:
        sides = [
            [game(number, coherence=float(score)) for number, score in enumerate(scores, start)]
            for scores, start in zip(pair, (1, 101), strict=True)
        ]
        metric = compare(*sides, GATED, target="role_consistency").metric("coherence")
        alone = difference(*pair, pooled_spread(pair), material=5.0, span=100.0)
        assert (metric.is_harmed, metric.difference.raw) == (has_fallen(alone), alone.raw)


@pytest.mark.parametrize(("sd", "least"), [(3, 0.60), (5, 0.90), (8, 0.95), (12, 0.95)])
def test_a_guardrail_that_fell_by_two_sds_is_marked_at_six_against_six(sd, least):
    """P(Z < (2 SD - 5) / (SD sqrt(1/3))): 72 % at an SD of 3, almost always from 5 on."""
    assert share_of_marks(2 * sd, sd, 6) >= least


@pytest.mark.parametrize("size", [3, 6])
def test_chance_alone_says_a_fall_at_most_one_time_in_five(size):
    assert share_of_marks(0, 8, size) <= 0.25


def test_the_size_of_gain_that_is_named_is_called_better_eight_times_in_ten():
    like = difference([Fraction(70)] * 6, [Fraction(70)] * 6, Spread(64.0, 10, 2), material=5.0, span=100.0)
    answers = [
        difference(change, control, pooled_spread([control, change]), material=5.0, span=100.0).answer
        for control, change in draw_fall(compute_gain_seen(like), 8, 6, 600)
    ]
    assert answers.count(IMPROVED) / 600 == pytest.approx(0.80, abs=0.06)


@pytest.mark.parametrize(("size", "share"), [(3, 0.0), (9, 0.0), (6, 0.5)])
def test_how_often_a_gain_of_an_sd_is_found(size, share):
    """The formula of `How many games?` against the answers of many comparisons; a picked target's are fewer."""
    random = np.random.default_rng(8)
    drawn = np.rint(random.normal(70, 10, (1500, 2, size)) + np.array([[0], [10]])).astype(int)
    ends = []
    for run in drawn:
        sides = [[Fraction(int(score)) for score in side] for side in run]
        found = difference(*sides, pooled_spread(sides), material=5.0, span=100.0, rebound=(0.0, share))
        ends.append(found.answer == IMPROVED)
    assert np.mean(ends) == pytest.approx(compute_find_chance(size, 0, share), abs=0.035)


@pytest.mark.parametrize(
    ("effect", "sd", "kept"), [(0, 8, 0.50), (-5, 8, 0.22), (-5, 12, 0.31), (10, 8, 0.94), (5, 6, 0.85)]
)
def test_how_often_the_rubrics_rule_keeps_a_change(effect, sd, kept):
    """Phi(effect / (sqrt(2/3) SD)): a useless change is kept half of the time, a harmful one rather often."""
    random = np.random.default_rng(1)
    means = random.normal((70, 70 + effect), sd / sqrt(3), (4000, 2))
    keeps = [apply_rubric_rule("", Fraction(control), Fraction(change)).keeps for control, change in means]
    assert np.mean(keeps) == pytest.approx(kept, abs=0.025)


@pytest.mark.parametrize(("correlation", "games"), [(0.0, 3), (0.06, 3), (0.06, 6)])
def test_the_interval_of_a_mean_holds_it_as_often_as_it_says(correlation, games):
    """Fifty messages a game, of which 70 % count, beta-binomial; messages of a game hang together."""
    random = np.random.default_rng(2)
    shape = (1 - correlation) / correlation if correlation else None
    share = random.beta(0.7 * shape, 0.3 * shape, (3000, games)) if shape else np.full((3000, games), 0.7)
    counts = random.binomial(50, share)
    found = [compute_mean_interval([Fraction(2 * int(count)) for count in row], 0.0, 100.0) for row in counts]
    held = [interval[0] <= 70 <= interval[1] for interval in found if interval]
    assert np.mean(held) == pytest.approx(0.945, abs=0.02)


def test_the_odds_are_those_of_the_simulation():
    """600 iterations: an error of 1.9 points; with two of them to either side, the row is reached in 9 to 17 %."""
    share = gates.draw_successes(0.0, 600, seed=8).mean()
    assert gates.chance_of_row(0.3) == pytest.approx(CHANCE_AT_THRESHOLDS, abs=0.001)
    assert share == pytest.approx(0.3, abs=0.038)
    (table,) = gates.tables(0.02)
    assert len(table[2]) == len(gates.MARGINS) and all(len(row) == len(table[1]) for row in table[2])


def test_the_pooled_spread_is_unbiased():
    random = np.random.default_rng(6)
    drawn = random.normal(70, 8, (2000, 4, 3))
    found = [pooled_spread([[Fraction(x) for x in batch] for batch in run]) for run in drawn]
    assert {spread.df for spread in found} == {8}
    assert np.mean([spread.variance for spread in found]) == pytest.approx(64, rel=0.03)
