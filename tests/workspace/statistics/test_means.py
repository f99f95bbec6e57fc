"""Means and their errors: exact, and as the textbooks give them."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from workspace.statistics.means import exact_mean, jackknife_error, student_t, weighted_error, weighted_mean


def test_a_mean_is_exact_and_none_of_nothing():
    assert exact_mean([Fraction(1, 3), Fraction(1, 3), Fraction(1, 2)]) == Fraction(7, 18)
    assert exact_mean([]) is None


@pytest.mark.parametrize("df", [1, 2, 9, 60])
def test_the_quantile_is_that_of_student_s_t(df):
    assert student_t(df) == pytest.approx(stats.t.ppf(0.975, df), rel=1e-12)


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
