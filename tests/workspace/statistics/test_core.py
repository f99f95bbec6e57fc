"""Wilson's interval on the rubric's own example, and at the ends.

Least squares over weights against scipy's own solvers and the conditions of an optimum, on many random cases.

The share of a finite population from judged samples of its parts.

Rank correlations within groups: printed values, what centring and leaving out do, and when there is nothing.

The conclusion of a page of agreement: what one coefficient says, and the sentence over all of them.

Means and their errors: exact, and as the textbooks give them.
"""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import minimize, nnls
from scipy.stats import betabinom

from workspace.statistics.estimates import Agreement
from workspace.statistics.labels import ENOUGH, agreement_answer, agreement_plot, judge_agreement
from workspace.statistics.means import (
    JudgedStratum,
    beta_binomial,
    exact_mean,
    jackknife_error,
    predict_next,
    predict_share,
    student_t,
    weighted_error,
    weighted_mean,
    wilson,
)
from workspace.statistics.simplex import minimise
from workspace.statistics.within_groups import correlate_within, disattenuate


@pytest.mark.parametrize(
    ("numerator", "denominator", "low", "high"),
    [
        (17, 20, 64.0, 94.8),
        (34, 50, 54.2, 79.2),
        (37, 50, 60.4, 84.1),
        (38, 50, 62.6, 85.7),
        (6, 10, 31.3, 83.2),
    ],
)
def test_the_appendix_of_the_rubric(numerator: int, denominator: int, low: float, high: float) -> None:
    found = wilson(numerator, denominator)
    assert found is not None
    assert [round(end, 1) for end in found] == [low, high]


def test_the_ends_stay_in_the_scale() -> None:
    assert wilson(0, 0) is None
    none, every = wilson(0, 10), wilson(10, 10)
    assert none is not None
    assert every is not None
    assert none[0] == 0.0
    assert every[1] == pytest.approx(100)


def problem(seed):
    """A random design and target; every third design has two equal columns, held apart by a little ridge."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 9))
    rows = rng.normal(size=(size + int(rng.integers(1, 20)), size))
    if seed % 3 == 0:
        rows[:, -1] = rows[:, 0]
    target = rng.normal(size=len(rows)) * rng.choice([0.1, 1, 10])
    ridge = float(rng.choice([1e-4, 0.01, 1]))
    return rows, target, ridge


def normal_equations(seed):
    rows, target, ridge = problem(seed)
    return rows.T @ rows + ridge * np.eye(rows.shape[1]), rows.T @ target


def test_the_conditions_of_the_optimum_hold_in_1000_cases():
    """No weight that is used could be lowered by moving it to another one (Karush, Kuhn and Tucker)."""
    for seed in range(1000):
        curvature, pull = normal_equations(seed)
        weights = minimise(curvature, pull, sums_to_one=True)
        slopes = curvature @ weights - pull
        assert weights.min() >= 0
        assert weights.sum() == pytest.approx(1, abs=1e-12)
        assert slopes @ weights - slopes.min() < 1e-9 * (1 + np.abs(pull).max())


def test_as_scipy_minimises_over_the_simplex():
    for seed in range(150):
        curvature, pull = normal_equations(seed)
        size = len(pull)
        found = minimise(curvature, pull, sums_to_one=True)
        other = minimize(
            lambda w, curvature=curvature, pull=pull: w @ curvature @ w / 2 - pull @ w,
            np.full(size, 1 / size),
            jac=lambda w, curvature=curvature, pull=pull: curvature @ w - pull,
            bounds=[(0, 1)] * size,
            constraints={"type": "eq", "fun": lambda w: w.sum() - 1, "jac": lambda w: np.ones(len(w))},
            method="SLSQP",
            options={"ftol": 1e-14, "maxiter": 500},
        )
        value = found @ curvature @ found / 2 - pull @ found
        assert value <= other.fun + 1e-7 * (1 + abs(other.fun))
        if seed % 3:
            assert found == pytest.approx(other.x, abs=1e-3)


def test_without_the_sum_as_scipy_has_it():
    for seed in range(300):
        rows, target, ridge = problem(seed)
        size = rows.shape[1]
        expected, _ = nnls(
            np.vstack([rows, np.sqrt(ridge) * np.eye(size)]), np.append(target, np.zeros(size))
        )
        found = minimise(rows.T @ rows + ridge * np.eye(size), rows.T @ target, sums_to_one=False)
        assert found == pytest.approx(expected, abs=1e-6)


def test_a_corner_and_the_middle():
    assert list(minimise(np.eye(3), np.array([5.0, 0, 0]), sums_to_one=True)) == [1, 0, 0]
    assert minimise(np.eye(4), np.zeros(4), sums_to_one=True) == pytest.approx(np.full(4, 0.25))
    assert list(minimise(np.eye(2), np.array([-1.0, -2]), sums_to_one=False)) == [0, 0]


def stratum(judged, positive, unjudged, sampled=None, sampled_positive=None):
    return JudgedStratum(
        judged=judged,
        positive=positive,
        sampled=judged if sampled is None else sampled,
        sampled_positive=positive if sampled_positive is None else sampled_positive,
        unjudged=unjudged,
    )


def test_what_was_judged_counts_as_judged():
    assert predict_share([stratum(8, 6, 0), stratum(2, 0, 0)]) == (60, 60, 60)


def test_the_rest_has_the_share_of_its_stratum():
    share, low, high = predict_share([stratum(10, 8, 40), stratum(10, 1, 40)])
    assert share == pytest.approx(45.0)
    assert 30 < low < share < high < 60


def test_what_was_judged_outside_the_sample_tells_nothing_of_the_rest():
    share, _low, _high = predict_share([stratum(12, 2, 10, sampled=2, sampled_positive=1)])
    assert share == pytest.approx(100 * (2 + 5) / 22)


def test_a_population_without_items_has_no_share():
    with pytest.raises(ValueError, match="at least one item"):
        predict_share([])


@pytest.mark.parametrize(("count", "first", "second"), [(0, 0.5, 0.5), (7, 0.5, 3.5), (300, 8.5, 2.5)])
def test_the_distribution_is_that_of_scipy(count, first, second):
    expected = betabinom.pmf(np.arange(count + 1), count, first, second)
    assert beta_binomial(count, first, second) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("messages", "flagged", "agrees", "objects", "drawn"),
    [(60, 0.6, 0.7, 0.3, 6), (60, 0.6, 0.7, 0.3, 12), (100, 0.5, 0.8, 0.2, 10), (50, 0.6, 0.6, 0.4, 15)],
)
def test_the_interval_covers_what_people_would_say(messages, flagged, agrees, objects, drawn):
    """95 % intervals of 2,000 games by chance. Counts are whole, so the interval is a little wider than it must be."""
    random = np.random.default_rng(20261122)
    covered = 0
    for _game in range(2000):
        rule = random.random(messages) < flagged
        people = np.where(rule, random.random(messages) < agrees, random.random(messages) < objects)
        is_judged = np.zeros(messages, dtype=bool)
        is_judged[random.choice(messages, drawn, replace=False)] = True
        parts = [rule == counts for counts in (True, False)]
        strata = [
            stratum(
                judged=int((part & is_judged).sum()),
                positive=int((part & is_judged & people).sum()),
                unjudged=int((part & ~is_judged).sum()),
            )
            for part in parts
        ]
        _share, low, high = predict_share(strata)
        covered += low <= 100 * people.mean() + 1e-9 and 100 * people.mean() <= high + 1e-9
    assert 0.93 <= covered / 2000 <= 0.975, covered / 2000


# The lightness of canned tuna and a panel's mark: M. Hollander, D. A. Wolfe, Nonparametric Statistical Methods (1973),
# table 8.1, the example of cor.test in R: tau .444.
LIGHTNESS = (44.4, 45.9, 41.9, 53.3, 44.7, 44.1, 50.7, 45.2, 60.1)
MARK = (2.6, 3.1, 2.5, 5.0, 3.6, 4.0, 5.2, 2.8, 3.8)
# The example of scipy.stats.kendalltau, with ties: tau-b -.4714.
TIED, OTHER = (12, 2, 1, 12, 2), (1, 4, 7, 1, 0)
# Two rankings of ten with ties: 33 more concordant pairs than discordant ones, 41 and 36 pairs that are not tied.
RANKS, OTHER_RANKS = (1, 2.5, 2.5, 4.5, 4.5, 6.5, 6.5, 8, 9.5, 9.5), (1, 2, 4.5, 4.5, 4.5, 4.5, 8, 8, 8, 10)
# IQ and hours of television: the worked example of Wikipedia's page on Spearman's coefficient, rho -29/165.
IQ, HOURS = (106, 100, 86, 101, 99, 103, 97, 113, 112, 110), (7, 27, 2, 50, 28, 29, 20, 12, 6, 17)


def together(first, second):
    return correlate_within([("one", *pair) for pair in zip(first, second, strict=True)])


@pytest.mark.parametrize(
    ("first", "second", "tau"),
    [(LIGHTNESS, MARK, 4 / 9), (TIED, OTHER, -0.47140452), (RANKS, OTHER_RANKS, 33 / (41 * 36) ** 0.5)],
)
def test_tau_b_is_the_printed_one(first, second, tau):
    assert together(first, second).tau.value == pytest.approx(tau)


def test_rho_is_the_printed_one():
    assert together(IQ, HOURS).rho.value == pytest.approx(-29 / 165)


@pytest.mark.parametrize("name", ["tau", "rho"])
def test_the_interval_is_that_of_the_values_without_each_item(name):
    """One group: its mean moves no rank, so leaving an item out by hand gives the same."""
    whole = getattr(together(LIGHTNESS, MARK), name)
    values = []
    for left in range(len(MARK)):
        rest = [at for at in range(len(MARK)) if at != left]
        found = together([LIGHTNESS[at] for at in rest], [MARK[at] for at in rest])
        values.append(getattr(found, name).value)
    mean = sum(values) / 9
    error = (8 / 9 * sum((value - mean) ** 2 for value in values)) ** 0.5
    assert whole.interval == pytest.approx(
        (whole.value - 2.306004 * error, min(1, whole.value + 2.306004 * error)), abs=1e-6
    )


def test_what_differs_between_groups_alone_shows_nothing():
    rows = [
        (group, 10 * group + one, 5 * group + other) for group in range(5) for one, other in ((0, 1), (1, 0))
    ]
    found = correlate_within(rows)
    assert (found.items, found.groups, found.slope) == (10, 5, -1)
    assert (found.tau.value, found.rho.value) == (-1, pytest.approx(-1))
    assert found.p == pytest.approx(2 / 2**5, abs=0.01)


def test_groups_of_one_are_left_out():
    rows = [("a", 1, 1), ("a", 2, 3), ("a", 3, 2), ("b", 99, 5), ("c", 5, 99)]
    found = correlate_within(rows)
    assert (found.items, found.groups) == (3, 1)
    assert found.tau.value == pytest.approx(1 / 3)
    assert correlate_within(rows[3:]).tau.reason


def test_without_variation_within_groups_there_is_a_reason():
    found = correlate_within([("a", 1, 2), ("a", 1, 3), ("b", 4, 2), ("b", 4, 5)])
    assert (found.items, found.tau.value, found.p, found.slope) == (4, None, None, 0)
    assert "All ratings are the same" in found.rho.reason


def test_a_correlation_is_larger_over_a_rating_without_error():
    found = Agreement(0.36, (-0.12, 0.9))
    corrected = disattenuate(found, 0.36)
    assert (corrected.value, corrected.interval) == (pytest.approx(0.6), (pytest.approx(-0.2), 1.0))
    assert disattenuate(found, None) is disattenuate(found, 0.0) is disattenuate(Agreement(None), 0.5) is None


ENOUGH_ALPHA = Agreement(0.8, (0.7, 0.9))
LOW_ALPHA = Agreement(0.3, (0.1, 0.5))
UNCLEAR = Agreement(0.7, (0.4, 0.9))
UNKNOWN = Agreement(None, reason="One answer only.")


@pytest.mark.parametrize(
    ("alpha", "word"),
    [
        (ENOUGH_ALPHA, "enough"),
        (LOW_ALPHA, "low"),
        (UNCLEAR, "unclear"),
        (UNKNOWN, ""),
        (Agreement(0.95), "unclear"),
        (Agreement(0.1), "unclear"),
        (Agreement(0.9, (ENOUGH, 1.0)), "enough"),
        (Agreement(0.5, (0.2, ENOUGH)), "unclear"),
        (Agreement(0.5, (0.2, 0.666)), "low"),
        (Agreement(-0.2, (-0.6, 0.1)), "low"),
    ],
)
def test_only_a_whole_interval_on_one_side_is_an_answer(alpha, word):
    assert judge_agreement(alpha) == word


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ([], "Nobody can tell yet how far they agree"),
        ([("Roles", UNKNOWN), ("Depth", UNCLEAR)], "Nobody can tell yet how far they agree"),
        ([("Roles", ENOUGH_ALPHA), ("Depth", UNCLEAR)], "They agree on 1 of 2; nothing is too low"),
        ([("Roles", LOW_ALPHA), ("Depth", ENOUGH_ALPHA)], "They agree on 1 of 2; too low: Roles"),
        ([("Roles", LOW_ALPHA), ("Depth", LOW_ALPHA)], "They agree on 0 of 2; too low: Roles, Depth"),
        (
            [(str(at), LOW_ALPHA) for at in range(3)] + [("x", UNKNOWN)],
            "They agree on 0 of 3; on 3 they do not",
        ),
    ],
)
def test_the_sentence_counts_what_has_a_value_and_names_what_is_too_low(lines, says):
    assert agreement_answer(lines) == says


def test_the_plot_is_lowest_first_with_the_same_words():
    lines = [("Depth", ENOUGH_ALPHA, None), ("Roles", LOW_ALPHA, UNCLEAR), ("Memory", UNKNOWN, None)]
    rows = [row for row, *_shapes in agreement_plot(lines).rows]
    assert [(row.label, row.says, row.tone) for row in rows] == [
        ("Roles", "too low", "bad"),
        ("Depth", "enough", ""),
    ]
    assert agreement_plot([("Memory", UNKNOWN, None)]) is None


def test_a_mean_is_exact_and_none_of_nothing():
    assert exact_mean([Fraction(1, 3), Fraction(1, 3), Fraction(1, 2)]) == Fraction(7, 18)
    assert exact_mean([]) is None


@pytest.mark.parametrize("df", [1, 2, 9, 60])
def test_the_quantile_is_that_of_student_s_t(df):
    assert student_t(df) == pytest.approx(stats.t.ppf(0.975, df), rel=1e-12)
    assert predict_next(0.0, 1, 0.5**0.5, df) == pytest.approx(stats.t.interval(0.95, df), rel=1e-10)


def test_the_jackknife_error_of_a_mean_is_its_standard_error():
    values = np.array([1.0, 4.0, 4.5, 9.0, 2.5])
    without = np.array([np.delete(values, at).mean() for at in range(len(values))])
    assert jackknife_error(without) == pytest.approx(stats.sem(values), rel=1e-12)


def test_the_weighted_mean_stands_for_what_was_not_drawn():
    """Two of ten with the score 1 were drawn, and both with the score 4: the ten and two make 18 in 12."""
    values, weights = (
        [Fraction(1), Fraction(1), Fraction(4), Fraction(4)],
        [Fraction(5)] * 2 + [Fraction(1)] * 2,
    )
    assert weighted_mean(values, weights) == Fraction(18, 12)
    assert weighted_mean([Fraction(1)], [Fraction()]) is None


def test_the_weighted_error_is_the_usual_one_where_weights_are_equal():
    values = [Fraction(text) for text in ("1", "4", "4.5", "9", "2.5")]
    for weight in (Fraction(1), Fraction(5)):
        error, df = weighted_error([*values, Fraction(7)], [weight] * 5 + [Fraction()])
        assert error == pytest.approx(stats.sem([float(value) for value in values]), rel=1e-12)
        assert df == pytest.approx(4)
    error, df = weighted_error(values, [Fraction(5)] + [Fraction(1)] * 4)
    assert df == pytest.approx(81 / 29 - 1)
    assert weighted_error(values[:1], [Fraction(1)]) is None
    assert weighted_error(values[:1] * 3, [Fraction(1), Fraction(2), Fraction(2)]) is None
