"""Means and their errors, as both wings count them."""

from collections.abc import Collection
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray


def exact_mean(values: Collection[Fraction]) -> Fraction | None:
    """The exact mean; None of nothing."""
    return sum(values, Fraction()) / len(values) if values else None


def student_t(df: int) -> float:
    """The 97.5th percentile of Student's t, for two-sided intervals of 95 %. Source: Student, Biometrika 6 (1908)."""
    from scipy.special import stdtrit

    return float(stdtrit(df, 0.975))


def jackknife_error(without: NDArray[np.float64]) -> float:
    """The standard error of a value from its values without each unit in turn: se^2 = (n - 1)/n sum (v_i - mean v)^2.

    Source: R. G. Miller, Biometrika 61 (1974), 1-15.
    """
    count = len(without)
    return float(np.sqrt((count - 1) / count * np.square(without - without.mean()).sum()))
