"""Intervals for a proportion: of the messages, references or players of one game, of answers to a survey."""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import exp, lgamma, log, pi, sqrt
from typing import Any

import numpy as np
from msgspec import Struct


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
