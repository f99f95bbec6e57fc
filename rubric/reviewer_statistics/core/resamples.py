"""One comparison's ranking with resampled reviewers, and without each reviewer in turn."""

from functools import lru_cache
from itertools import combinations_with_replacement
from math import factorial, prod

import numpy as np

from workspace.statistics.conclusions import SEED
from workspace.statistics.rankings import Variant
from workspace.statistics.ratings import Matrix

MOST_LISTED = 6
DRAWS = 1000

# Means that differ by less than this differ only by rounding.
_PLACES = 9


@lru_cache(maxsize=32)
def resamples(reviewers: int) -> tuple[Matrix, Matrix]:
    """How often each reviewer is in each resample (resamples x reviewers), and how probable each resample is.

    All resamples for up to 6 reviewers (462 for 6), else 1,000 drawn at random. Source: B. Efron and R. J. Tibshirani,
    An Introduction to the Bootstrap (1993), chapter 5.
    """
    if reviewers > MOST_LISTED:
        shares = np.full(reviewers, 1 / reviewers)
        drawn = np.random.default_rng(SEED).multinomial(reviewers, shares, size=DRAWS)
        return drawn.astype(np.float64), np.full(DRAWS, 1 / DRAWS)
    listed = list(combinations_with_replacement(range(reviewers), reviewers))
    counts = np.array([np.bincount(row, minlength=reviewers) for row in listed], dtype=np.float64)
    ways = [factorial(reviewers) / prod(factorial(int(number)) for number in row) for row in counts]
    return counts, np.array(ways) / reviewers**reviewers


def compute_means(values: Matrix, counts: Matrix) -> Matrix:
    """The mean of each response in each resample (values: responses x reviewers, NaN for missing); NaN without any."""
    present = (~np.isnan(values)).astype(np.float64)
    below = counts @ present.T
    sums = counts @ np.nan_to_num(values).T
    means: Matrix = np.where(below > 0, sums / np.where(below > 0, below, 1), np.nan)
    return np.asarray(np.round(means, _PLACES), dtype=np.float64)


def mean_tau(values: Matrix, *, variant: Variant) -> float:
    """Kendall's tau, mean over the pairs of reviewers that have one (values: responses x reviewers); NaN without any.

    The same as `kendall_tau`, but without its values for the jackknife, which a hundred small tables do not need.
    """
    reviewers = values.shape[1]
    found = [taus_with(values[:, at], values[:, at + 1 :].T, variant=variant) for at in range(reviewers - 1)]
    every = np.concatenate([np.empty(0), *found])
    return weighted_mean(every, np.ones(len(every)))


def taus_with(full: Matrix, others: Matrix, *, variant: Variant = "b") -> Matrix:
    """Kendall's tau of one list with each of the others, over responses in both; NaN where one list is all ties.

    Source: M. G. Kendall, Biometrika 33 (1945), 239-251.
    """
    first, second = np.triu_indices(len(full), 1)
    left = np.sign(full[first] - full[second])
    other = np.sign(others[:, first] - others[:, second])
    both = ~(np.isnan(left) | np.isnan(other))
    left, other = np.where(both, left, 0), np.where(both, other, 0)
    below = np.sqrt(np.abs(left).sum(axis=1) * np.abs(other).sum(axis=1))
    is_ranked = below > 0
    if variant == "a":
        below = both.sum(axis=1)
    return np.where(is_ranked, (left * other).sum(axis=1) / np.where(is_ranked, below, 1), np.nan)


def winner_kept(full: Matrix, others: Matrix) -> Matrix:
    """1 for each of the other lists in which the same response, or the same tie, is first; else 0."""
    return np.asarray((_first(others) == _first(full[None])).all(axis=1).astype(np.float64))


def weighted_mean(values: Matrix, shares: Matrix) -> float:
    """The mean of the defined values; NaN when there is none."""
    defined = np.isfinite(values)
    whole = shares[defined].sum()
    return float(values[defined] @ shares[defined] / whole) if whole > 0 else float("nan")


def _first(means: Matrix) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    filled = np.where(np.isnan(means), -np.inf, means)
    return np.asarray(filled == filled.max(axis=1, keepdims=True))
