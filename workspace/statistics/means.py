"""Means and proportions, as both apps compute them: their errors, their intervals, and what to expect of what follows.

A proportion is the mean of answers that are 0 or 1: of messages, references or players of one game, or of a survey.
"""

from collections.abc import Collection, Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import cos, exp, lcm, lgamma, log, pi, sqrt, tan
from typing import Any

import numpy as np
from msgspec import Struct
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


def wilson(numerator: float, denominator: float, z: float = 1.959963984540054) -> tuple[float, float] | None:
    """Wilson's interval in percent (95 % with the default z); None when there is nothing to count.

    Centre (p + z^2/2n) / (1 + z^2/n), half width z / (1 + z^2/n) * sqrt(p(1-p)/n + z^2/4n^2). For one game, it
    describes that game's messages only, not other games. Source: E. B. Wilson, JASA 22 (1927), 209-212.
    """
    if denominator <= 0:
        return None
    share = numerator / denominator
    scale = 1 + z * z / denominator
    centre = (share + z * z / (2 * denominator)) / scale
    half = z / scale * sqrt(share * (1 - share) / denominator + z * z / (4 * denominator * denominator))
    return 100 * max(0.0, centre - half), 100 * min(1.0, centre + half)


def newcombe(
    numerator: int, denominator: int, other_numerator: int, other_denominator: int
) -> tuple[float, float] | None:
    """The 95 % interval of the difference of two independent shares, first less second, from -1 to 1.

    By `subtract_shares` from Wilson's intervals; None when one of them has nothing to count. Source: R. G. Newcombe,
    Statistics in Medicine 17 (1998), 873-890, method 10.
    """
    left, other = wilson(numerator, denominator), wilson(other_numerator, other_denominator)
    if left is None or other is None:
        return None
    return subtract_shares(numerator / denominator, left, other_numerator / other_denominator, other)


def subtract_shares(
    first: float, left: tuple[float, float], second: float, other: tuple[float, float]
) -> tuple[float, float]:
    """The interval of first less second, from -1 to 1, from the intervals of both, which are in percent.

    d - sqrt((p1 - l1)^2 + (u2 - p2)^2) to d + sqrt((u1 - p1)^2 + (p2 - l2)^2) with l and u their ends, as if the shares
    were independent. Source: G. Y. Zou, A. Donner, Statistics in Medicine 27 (2008), 1693-1702.
    """
    low = sqrt((first - left[0] / 100) ** 2 + (other[1] / 100 - second) ** 2)
    high = sqrt((left[1] / 100 - first) ** 2 + (second - other[0] / 100) ** 2)
    return max(-1.0, first - second - low), min(1.0, first - second + high)


class JudgedStratum(Struct, frozen=True):
    """A part of a finite population: its judged items, how many of them are positive, and its unjudged items.

    Of the judged items, `sampled` were drawn at random; `sampled_positive` of these are positive.
    """

    judged: int
    positive: int
    sampled: int
    sampled_positive: int
    unjudged: int


def predict_share(strata: Sequence[JudgedStratum], level: float = 0.95) -> tuple[float, float, float]:
    """The share of positive items in the whole population in percent, and the ends of its interval.

    Judged items count as judged. The number of positive items among the others of a stratum has the beta-binomial
    distribution that follows from its sample under the prior of Jeffreys, Beta(1/2, 1/2); strata are added by
    convolution, and the interval has equal tails; the point is that of `expect_positive`. Source: W. A. Ericson, J. R.
    Statist. Soc. B 31 (1969), 195-233; for the prior L. D. Brown, T. T. Cai, A. DasGupta, Statistical Science 16
    (2001), 101-133. Raises ValueError without items.
    """
    total = sum(stratum.judged + stratum.unjudged for stratum in strata)
    if not total:
        raise ValueError("a share needs at least one item")
    known = sum(stratum.positive for stratum in strata)
    below = _count_chances(tuple(strata))
    low = known + int(np.searchsorted(below, (1 - level) / 2))
    high = known + int(np.searchsorted(below, 1 - (1 - level) / 2))
    return 100 * float(expect_positive(strata) / total), 100 * low / total, 100 * high / total


@lru_cache(maxsize=4096)
def _count_chances(strata: tuple[JudgedStratum, ...]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The probabilities that at most 0, 1, ... of the unjudged items are positive."""
    chances = np.ones(1)
    for stratum in strata:
        successes = stratum.sampled_positive + 0.5
        failures = stratum.sampled - stratum.sampled_positive + 0.5
        chances = np.convolve(chances, beta_binomial(stratum.unjudged, successes, failures))
    return np.cumsum(chances)


def expect_positive(strata: Sequence[JudgedStratum]) -> Fraction:
    """The expected number of positive items: judged ones as judged, the others at the rate of their stratum's sample.

    Half of the others count where a stratum has no sample.
    """
    expected = Fraction(0)
    for stratum in strata:
        rate = Fraction(stratum.sampled_positive, stratum.sampled) if stratum.sampled else Fraction(1, 2)
        expected += stratum.positive + stratum.unjudged * rate
    return expected


def log_evidence(strata: Sequence[JudgedStratum]) -> float:
    """The logarithm of the probability of the samples as they were drawn, each with a rate under the prior of Jeffreys.

    Of two divisions of the same items into strata, the sample speaks for the one where it is higher. Source: H.
    Jeffreys, Theory of Probability (1961), chapter 5.
    """
    return sum(
        lgamma(stratum.sampled_positive + 0.5)
        + lgamma(stratum.sampled - stratum.sampled_positive + 0.5)
        - lgamma(stratum.sampled + 1)
        - log(pi)
        for stratum in strata
    )


def beta_binomial(count: int, first: float, second: float) -> list[float]:
    """The probabilities of 0 to `count` successes in `count` trials with a rate distributed Beta(first, second)."""
    constant = lgamma(count + 1) + lgamma(first + second) - lgamma(first) - lgamma(second)
    constant -= lgamma(count + first + second)
    return [
        exp(
            constant
            + lgamma(successes + first)
            + lgamma(count - successes + second)
            - lgamma(successes + 1)
            - lgamma(count - successes + 1)
        )
        for successes in range(count + 1)
    ]
