"""Means and their errors: exact, and as the textbooks give them."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from workspace.statistics.means import exact_mean, jackknife_error, student_t


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
