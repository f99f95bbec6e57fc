"""Agreement of rankings: Kendall's W, and tau as the mean over the pairs of raters. Neither has an interval."""

from itertools import combinations
from typing import Any, Literal

import numpy as np

from workspace.core.words import mark, say
from workspace.statistics.estimates import Agreement, Estimate, agreement
from workspace.statistics.ratings import Matrix, Refused, Table, complete, pairable

Variant = Literal["a", "b"]
NO_RANKING = mark("Every rater ties all items, so there is no ranking to compare.")
BLOCK = 256


def kendall_w(ratings: Table) -> Agreement:
    """Kendall's W of the rankings by all raters, corrected for ties, over the items that every rater has rated.

    W = 12 S / (m^2 (n^3 - n) - m T), S the squared deviations of the n rank sums, T the sum of t^3 - t over
    all ties of the m raters. Source: M. G. Kendall, Rank Correlation Methods, 4th edition (1970), chapter 6.
    """

    def estimate(matrix: Matrix) -> Estimate:
        used = complete(matrix)
        count, raters = used.shape
        sizes = np.concatenate([np.unique(column, return_counts=True)[1] for column in used.T])
        below = raters**2 * (count**3 - count) - raters * float((sizes**3 - sizes).sum())
        if below <= 0:
            raise Refused(say(NO_RANKING))
        squares = np.square(sum(mid_ranks(column) for column in used.T) - raters * (count + 1) / 2).sum()
        return Estimate(float(12 * squares / below), None, used, raters * (raters - 1) // 2)

    return agreement(ratings, estimate)


def kendall_tau(ratings: Table, *, variant: Variant) -> Agreement:
    """Kendall's tau-a (ties count as neither) or tau-b (corrected for ties), mean over the pairs of raters.

    A pair in which one rater ties all items has no tau of either kind and is left out; `pairs` counts the others. Each
    is over the items that both have rated. Source: M. G. Kendall, Biometrika 33 (1945), 239-251.
    """

    def estimate(matrix: Matrix) -> Estimate:
        used = pairable(matrix)
        both = (used[:, pair] for pair in combinations(range(used.shape[1]), 2))
        taus = [_tau(pair[~np.isnan(pair).any(axis=1)].T, variant) for pair in both]
        values = [value for value in taus if not np.isnan(value)]
        if not values:
            raise Refused(
                say("No two raters have rated two items in common without one of them tying them all.")
            )
        return Estimate(float(np.mean(values)), None, used, len(values))

    return agreement(ratings, estimate)


def mid_ranks(values: Matrix) -> Matrix:
    """Ranks from 1, ties sharing the mean of theirs."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[places])


def _tau(both: Matrix, variant: Variant) -> float:
    """NaN where one of them ties all items."""
    concordant, ranked_first, ranked_second = count_pairs_by_item(*both).sum(axis=1)
    if not ranked_first or not ranked_second:
        return float("nan")
    pairs = both.shape[1] * (both.shape[1] - 1)
    return float(concordant / (pairs if variant == "a" else np.sqrt(ranked_first * ranked_second)))


def count_pairs_by_item(first: Matrix, second: Matrix) -> Matrix:
    """For each item (columns): its concordant less its discordant pairs, and its pairs that either figure ranks."""
    blocks: list[Any] = [np.empty((3, 0))]
    for start in range(0, len(first), BLOCK):
        signs, other = (_signs(values[start : start + BLOCK], values) for values in (first, second))
        products = (signs * other).sum(axis=1, dtype=np.int64)
        blocks.append([products, np.count_nonzero(signs, axis=1), np.count_nonzero(other, axis=1)])
    return np.concatenate(blocks, axis=1)


def _signs(some: Matrix, every: Matrix) -> np.ndarray[tuple[int, ...], np.dtype[np.int8]]:
    higher = some[:, None] > every[None, :]
    return higher.astype(np.int8) - (some[:, None] < every[None, :])
