"""Krippendorff's alpha with missing ratings, and its interval in closed form.

alpha = 1 - D_o / D_e over the ratings of items that two raters or more have rated. Source: K. Krippendorff, Computing
Krippendorff's Alpha-Reliability (2011); Content Analysis, 3rd edition (2013), chapter 12.
"""

from collections.abc import Callable
from typing import Literal

import numpy as np

from workspace.core.words import say
from workspace.statistics.estimates import Agreement, Estimate, agreement, name_jackknife_unit
from workspace.statistics.ratings import (
    ROUNDING,
    Groups,
    Matrix,
    Refused,
    Table,
    by_group,
    check_variation,
    count_rarer,
    count_ratings,
    normal,
    pairable,
    two_or_more,
)

Level = Literal["nominal", "ordinal", "interval", "ratio"]


def krippendorff_alpha(
    ratings: Table, *, level: Level, with_interval: bool = True, groups: Groups = None
) -> Agreement:
    """Krippendorff's alpha of ratings (items x raters, None for missing) on that level of measurement.

    Given the group of each item, the interval leaves out whole groups; on the nominal and the ratio level only.
    """
    if groups is not None and level not in ("nominal", "ratio"):
        raise ValueError("Groups of items are for nominal and ratio alpha only.")

    def estimate(matrix: Matrix) -> Estimate:
        used = pairable(matrix)
        check_variation(used)
        rarer = count_rarer(matrix, groups) if level == "nominal" else None
        if level == "interval":
            value, without = _interval(normal(used))
        elif level == "ordinal":
            value, without = _ordinal(count_ratings(used)[1])
        else:
            categories, table = count_ratings(used)
            together = by_group(groups, two_or_more(matrix))
            value, without = _by_distances(table, _distances(categories, level), together)
        return Estimate(
            value, without if with_interval else None, used, unit=name_jackknife_unit(groups), rarer=rarer
        )

    return agreement(ratings, estimate)


def _coincidences(table: Matrix) -> Matrix:
    shares = table / (table.sum(axis=1, keepdims=True) - 1)
    return np.asarray(shares.T @ table - np.diag(shares.sum(axis=0)))


def _distances(categories: Matrix, level: Level) -> Matrix:
    """The squared distance between each two categories."""
    if level == "nominal":
        return np.asarray(1 - np.eye(len(categories)))
    if categories[0] < 0:
        raise Refused(say("A rating is below 0; the ratio scale has a zero and nothing below it."))
    scaled = categories / categories[-1]
    sums = scaled[:, None] + scaled[None, :]
    return np.asarray(np.square(np.subtract.outer(scaled, scaled) / np.where(sums == 0, 1, sums)))


def _by_distances(
    table: Matrix, distances: Matrix, together: Callable[[Matrix], Matrix]
) -> tuple[float, Matrix]:
    """The value, and the values without each item or group, where distances do not depend on the ratings."""
    sizes = table.sum(axis=1)
    observed = _quadratic(table, distances) / (sizes - 1)
    totals = table.sum(axis=0)
    value = _alpha(observed.sum(), _quadratic(totals[None, :], distances), sizes.sum())
    left = _quadratic(totals - together(table), distances)
    without = _alpha(observed.sum() - together(observed), left, sizes.sum() - together(sizes))
    return float(value[0]), without


def _quadratic(rows: Matrix, distances: Matrix) -> Matrix:
    return np.asarray(((rows @ distances) * rows).sum(axis=1))


def _alpha(observed: Matrix | float, expected: Matrix, ratings: Matrix | float) -> Matrix:
    """1 - (observed / n) / (expected / (n (n - 1))) from sums of squared distances; NaN when nothing is expected."""
    varies = expected > 0
    return np.where(varies, 1 - (ratings - 1) * observed / np.where(varies, expected, 1), np.nan)


def _interval(values: Matrix) -> tuple[float, Matrix]:
    """Interval alpha from sums of squares: those within items, and that of all ratings."""
    sizes = (~np.isnan(values)).sum(axis=1).astype(np.float64)
    means = np.nanmean(values, axis=1)
    within = np.nansum(np.square(values - means[:, None]), axis=1)
    count, mean = sizes.sum(), np.nanmean(values)
    whole = np.nansum(np.square(values - mean))
    observed = 2 * sizes * within / (sizes - 1)
    value = _alpha(observed.sum(), np.array([2 * count * whole]), count)
    left = count - sizes
    # Leaving a group out removes its own sum of squares, and its mean's distance from that of the others.
    rest = whole - within - sizes * count / left * np.square(means - mean)
    rest = np.where(rest <= ROUNDING * whole, 0, rest)
    return float(value[0]), _alpha(np.maximum(observed.sum() - observed, 0), 2 * left * rest, left)


def _ordinal(table: Matrix) -> tuple[float, Matrix]:
    """Ordinal alpha: the distance between two categories is that between their mid-ranks among the ratings counted."""
    sizes = table.sum(axis=1)
    totals = table.sum(axis=0)
    coincidences = _coincidences(table)
    value = _ordinal_alpha(totals[None, :], coincidences, np.zeros((1, table.shape[1])), np.zeros(1))
    return float(value[0]), _ordinal_alpha(totals - table, coincidences, table, sizes)


def _ordinal_alpha(totals: Matrix, coincidences: Matrix, left_out: Matrix, sizes: Matrix) -> Matrix:
    """One alpha per row, from all coincidences but those of the ratings left out; `totals` count the rest."""
    count = totals.sum(axis=1)
    ranks = np.cumsum(totals, axis=1) - totals / 2
    ranks = ranks - ((totals * ranks).sum(axis=1) / count)[:, None]
    squares = np.square(ranks)
    everything = squares @ coincidences.sum(axis=1) - ((ranks @ coincidences) * ranks).sum(axis=1)
    own_squares, own_sum = (left_out * squares).sum(axis=1), (left_out * ranks).sum(axis=1)
    own = (sizes * own_squares - np.square(own_sum)) / np.where(sizes > 1, sizes - 1, 1)
    observed = np.maximum(2 * (everything - own), 0)
    return _alpha(observed, 2 * count * (totals * squares).sum(axis=1), count)
