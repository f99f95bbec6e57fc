"""Means and their errors, as both apps compute them."""

from collections.abc import Collection, Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import cos, exp, lcm, lgamma, pi, sqrt, tan

import numpy as np
from numpy.typing import NDArray


def exact_mean(values: Collection[Fraction]) -> Fraction | None:
    """The exact mean; None without values."""
    if not values:
        return None
    whole, unit = _in_whole_numbers(values)
    return Fraction(sum(whole), len(whole) * unit)


def weighted_mean(values: Sequence[Fraction], weights: Sequence[Fraction]) -> Fraction | None:
    """sum w y / sum w, with weights 1 / probability of inclusion; None where nothing weighs.

    Sources: D. G. Horvitz, D. J. Thompson, JASA 47 (1952), 663-685; J. Hájek, in Foundations of Statistical Inference
    (1971), 236.
    """
    total = sum(weights)
    return sum((w * y for w, y in zip(weights, values, strict=True)), Fraction()) / total if total else None


def weighted_error(values: Sequence[Fraction], weights: Sequence[Fraction]) -> tuple[float, float] | None:
    """The standard error of the weighted mean, leaving out each value in turn, and its degrees of freedom.

    With equal weights s / sqrt(n) and n - 1; else as many less one as equal weights would make as precise: L. Kish,
    Survey Sampling (1965), chapter 11. None where fewer than two values weigh, or where it is 0.
    """
    weight, value = (np.array([float(number) for number in found]) for found in (weights, values))
    weight, value = weight[weight > 0], value[weight > 0]
    if len(weight) < 2:
        return None
    total, sums = weight.sum(), (weight * value).sum()
    error = jackknife_error((sums - weight * value) / (total - weight))
    return (error, float(total**2 / np.square(weight).sum() - 1)) if error else None


def pool_squares(batches: Iterable[Sequence[Fraction]]) -> tuple[Fraction, int, int]:
    """The sum of squares around the batches' means, its degrees of freedom, and how many batches have two values."""
    squares, df, count = Fraction(), 0, 0
    for batch in batches:
        if len(batch) < 2:
            continue
        squares += _squares(batch)
        df += len(batch) - 1
        count += 1
    return squares, df, count


def _squares(batch: Sequence[Fraction]) -> Fraction:
    """The sum of squares around the mean, n sum x^2 - (sum x)^2 over n."""
    whole, unit = _in_whole_numbers(batch)
    count = len(whole)
    return Fraction(count * sum(number * number for number in whole) - sum(whole) ** 2, count * unit * unit)


def _in_whole_numbers(values: Collection[Fraction]) -> tuple[list[int], int]:
    """The values as integers in units of 1 / the second value returned: their sums are exact and ten times faster."""
    unit = lcm(*(value.denominator for value in values))
    return [value.numerator * (unit // value.denominator) for value in values], unit


def student_t(df: float, level: float = 0.95) -> float:
    """The percentile of Student's t for two-sided intervals of that level. Source: Student, Biometrika 6 (1908)."""
    from scipy.special import stdtrit

    return float(stdtrit(df, (1 + level) / 2))


def predict_next(mean: float, count: int, sd: float, df: float, level: float = 0.95) -> tuple[float, float]:
    """The interval that the next value falls into, from the mean of `count` values and a spread with `df`.

    mean +/- t sd sqrt(1 + 1/count), because the mean is uncertain, too. Source: G. J. Hahn, W. Q. Meeker, Statistical
    Intervals (1991), chapter 4.
    """
    half = _student_t(df, level) * sd * sqrt(1 + 1 / count)
    return mean - half, mean + half


@lru_cache(maxsize=512)
def _student_t(df: float, level: float) -> float:
    """`student_t` from one degree of freedom on, to ten digits, without scipy, which takes 27 MB of each web process.

    t = sqrt(df) tan(x), where x has the density c cos(x)^(df - 1): by Newton's steps from 0, with Gauss's integrals.
    """
    nodes, weights = np.polynomial.legendre.leggauss(64)
    most, x = 2 * exp(lgamma((df + 1) / 2) - lgamma(df / 2)) / sqrt(pi), 0.0
    for _step in range(12):
        below = x / 2 * float(weights @ np.cos(x / 2 * (nodes + 1)) ** (df - 1))
        x += (level / most - below) / cos(x) ** (df - 1)
    return sqrt(df) * tan(x)


def jackknife_error(without: NDArray[np.float64]) -> float:
    """The standard error of a value from its values without each unit in turn: se^2 = (n - 1)/n sum (v_i - mean v)^2.

    Source: R. G. Miller, Biometrika 61 (1974), 1-15.
    """
    count = len(without)
    return float(np.sqrt((count - 1) / count * np.square(without - without.mean()).sum()))
