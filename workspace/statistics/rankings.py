"""Agreement of rankings: Kendall's W, and tau as the mean over the pairs of raters."""

from collections.abc import Callable
from itertools import combinations
from typing import Literal

import numpy as np

from workspace.core.words import mark, say
from workspace.statistics.estimates import Agreement, Estimate, agreement
from workspace.statistics.ratings import Matrix, Refused, Table, complete, pairable

Variant = Literal["a", "b"]
NO_RANKING = mark("Every rater ties all items, so there is no ranking to compare.")
BLOCK = 256

# The value for two raters, and the values without each of their items; NaN where there is none.
Pair = tuple[float, Matrix]


def kendall_w(ratings: Table, *, with_interval: bool = True) -> Agreement:
    """Kendall's W of the rankings by all raters, corrected for ties, over the items that every rater has rated.

    W = 12 S / (m^2 (n^3 - n) - m T), S the squared deviations of the n rank sums, T the sum of t^3 - t over
    all ties of the m raters. Source: M. G. Kendall, Rank Correlation Methods, 4th edition (1970), chapter 6.
    """

    def estimate(matrix: Matrix) -> Estimate:
        used = complete(matrix)
        raters = used.shape[1]
        value, without = _concordance(used)
        return Estimate(value, without if with_interval else None, used, raters * (raters - 1) // 2)

    return agreement(ratings, estimate)


def kendall_tau(ratings: Table, *, variant: Variant, with_interval: bool = True) -> Agreement:
    """Kendall's tau-a (ties count as neither) or tau-b (corrected for ties), mean over the pairs of raters.

    A pair in which one rater ties all items has no tau of either kind and is left out; `pairs` counts the others.
    Source: M. G. Kendall, Biometrika 33 (1945), 239-251.
    """

    def pair(first: Matrix, second: Matrix) -> Pair:
        return _tau(first, second, variant)

    return _mean_over_pairs(ratings, pair, with_interval)


def mid_ranks(values: Matrix) -> Matrix:
    """Ranks from 1, ties sharing the mean of theirs."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[places])


def _tied(values: Matrix) -> Matrix:
    """How many items share the rank of each item, itself included."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    return counts[places].astype(np.float64)


def _ranks_without(values: Matrix, block: slice) -> Matrix:
    """A row for each item of the block: the mid-ranks of the others without it, less their mean; its own entry is 0."""
    own = values[block, None]
    ranks = mid_ranks(values) - len(values) / 2 - (own < values) - (own == values) / 2
    rows = np.arange(len(ranks))
    ranks[rows, rows + block.start] = 0
    return np.asarray(ranks)


def _blocks(count: int) -> list[slice]:
    return [slice(start, start + BLOCK) for start in range(0, count, BLOCK)]


def _concordance(matrix: Matrix) -> tuple[float, Matrix]:
    """W, and W without each item; raises Refused when every rater ties all items."""
    count, raters = matrix.shape
    tied = np.array([_tied(column) for column in matrix.T])
    ties = np.square(tied).sum() - tied.size
    squares = np.square(sum(mid_ranks(column) for column in matrix.T) - raters * (count + 1) / 2).sum()
    value = _w(count, raters, np.array([squares]), np.array([ties]))
    if np.isnan(value[0]):
        raise Refused(say(NO_RANKING))
    sums = [sum(_ranks_without(column, block) for column in matrix.T) for block in _blocks(count)]
    left = np.concatenate([np.square(block).sum(axis=1) for block in sums])
    # Removing an item from a tie of t subtracts t^3 - t less (t - 1)^3 - (t - 1).
    return float(value[0]), _w(count - 1, raters, left, ties - (3 * tied * (tied - 1)).sum(axis=0))


def _w(count: int, raters: int, squares: Matrix, ties: Matrix) -> Matrix:
    below = raters**2 * (count**3 - count) - raters * ties
    return np.where(below > 0, 12 * squares / np.where(below > 0, below, 1), np.nan)


def _tau(first: Matrix, second: Matrix, variant: Variant) -> Pair:
    """Tau, and tau without each item, from what each item adds to concordance and ties; NaN where undefined."""
    count = len(first)
    concordant, tied_first, tied_second = np.zeros(count), np.zeros(count), np.zeros(count)
    for block in _blocks(count):
        signs = _signs(first[block], first)
        other = _signs(second[block], second)
        concordant[block] = (signs * other).sum(axis=1, dtype=np.int64)
        tied_first[block] = (signs == 0).sum(axis=1) - 1
        tied_second[block] = (other == 0).sum(axis=1) - 1
    parts = np.stack([concordant, tied_first, tied_second])
    whole = parts.sum(axis=1, keepdims=True) / 2
    return float(_compute_tau(count, whole, variant)[0]), _compute_tau(count - 1, whole - parts, variant)


def _signs(some: Matrix, every: Matrix) -> np.ndarray[tuple[int, ...], np.dtype[np.int8]]:
    higher = some[:, None] > every[None, :]
    return higher.astype(np.int8) - (some[:, None] < every[None, :])


def _compute_tau(count: int, sums: Matrix, variant: Variant) -> Matrix:
    concordant, tied_first, tied_second = sums
    pairs = count * (count - 1) / 2
    below = np.sqrt((pairs - tied_first) * (pairs - tied_second))
    ranked = below > 0
    if variant == "a":
        below = np.full_like(below, pairs)
    return np.where(ranked, concordant / np.where(ranked, below, 1), np.nan)


def _mean_over_pairs(
    ratings: Table, pair: Callable[[Matrix, Matrix], Pair], with_interval: bool
) -> Agreement:
    """The mean of a statistic over those pairs of raters that have one, each over the items that both have rated."""

    def estimate(matrix: Matrix) -> Estimate:
        used = pairable(matrix)
        values, without = [], []
        for first, other in combinations(range(used.shape[1]), 2):
            both = ~(np.isnan(used[:, first]) | np.isnan(used[:, other]))
            value, leaving_out = pair(used[both, first], used[both, other])
            if not np.isnan(value):
                values.append(value)
                without.append(np.full(len(used), value))
                without[-1][both] = leaving_out
        if not values:
            raise Refused(
                say("No two raters have rated two items in common without one of them tying them all.")
            )
        mean = _mean_of_defined(np.array(without)) if with_interval else None
        return Estimate(float(np.mean(values)), mean, used, len(values))

    return agreement(ratings, estimate)


def _mean_of_defined(rows: Matrix) -> Matrix:
    """The mean of each column's numbers; NaN for a column without any."""
    defined = ~np.isnan(rows)
    count = defined.sum(axis=0)
    return np.where(count > 0, np.where(defined, rows, 0).sum(axis=0) / np.maximum(count, 1), np.nan)
