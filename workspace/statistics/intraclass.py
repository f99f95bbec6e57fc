"""Intraclass correlations: how much of the variation comes from the items, not from the raters or chance.

For a full table P. E. Shrout and J. L. Fleiss, Psychological Bulletin 86 (1979), 420-428, on the items that every rater
rated. Otherwise components of variance, rating = mean + item + rater + error (C. R. Henderson, Biometrics 9 (1953),
226-252, method 3), which give ICC(2,1) or ICC(2,k) on a full table.
"""

from collections.abc import Iterable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from workspace.core.words import mark, say
from workspace.statistics.estimates import LEAST_FOR_INTERVAL, Agreement, Estimate, agreement
from workspace.statistics.ratings import (
    ROUNDING,
    Matrix,
    Refused,
    Table,
    check_variation,
    complete,
    normal,
    pairable,
)

Form = Literal["1,1", "2,1", "3,1", "1,k", "2,k", "3,k"]


def icc(ratings: Table, *, form: Form, with_interval: bool = True) -> Agreement:
    """The intraclass correlation of that form: (2,1) of one rater, (2,k) of the mean of all k, both absolute."""

    def estimate(matrix: Matrix) -> Estimate:
        used = complete(matrix)
        check_variation(used)
        values = normal(used)
        values = values - values.mean()
        (items, raters), rows, columns = values.shape, values.sum(axis=1), values.sum(axis=0)
        whole = (values.sum(), np.square(values).sum(), np.square(rows).sum(), np.square(columns).sum())
        value = float(_correlation(form, items, raters, (np.array([part]) for part in whole), whole[1])[0])
        if np.isnan(value):
            raise Refused(say(TOO_ALIKE))
        without = None
        if with_interval and items < LEAST_FOR_INTERVAL:
            without = np.full(items, np.nan)
        elif with_interval:
            own, squares = np.square(values).sum(axis=1), np.square(rows)
            of_columns = np.square(columns - values).sum(axis=1)
            left = (values.sum() - rows, own.sum() - own, squares.sum() - squares, of_columns)
            without = _correlation(form, items - 1, raters, left, whole[1])
        return Estimate(value, without, used)

    return agreement(ratings, estimate)


def _correlation(form: Form, items: int, raters: int, sums: Iterable[Matrix], scale: float) -> Matrix:
    """The correlation of each table; NaN where the items differ too little for the form.

    From `sums`: the sum, that of squares, and those of the squared row and column sums, one for each table. The mean
    squares are the BMS, JMS, WMS and EMS of Shrout and Fleiss. What is small beside `scale` is a rounding error.
    """
    total, squares, of_rows, of_columns = sums
    correction = np.square(total) / (items * raters)
    whole = squares - correction
    between, judges = of_rows / raters - correction, of_columns / items - correction
    between, judges, within, residual = (
        np.where(part > ROUNDING * scale, part, 0) / freedom
        for part, freedom in (
            (between, items - 1),
            (judges, raters - 1),
            (whole - between, items * (raters - 1)),
            (whole - between - judges, (items - 1) * (raters - 1)),
        )
    )
    error = within if form[0] == "1" else residual
    judged = (judges - residual) / items if form[0] == "2" else np.zeros_like(error)
    below = between + judged
    if form.endswith("1"):
        below = between + (raters - 1) * error + raters * judged
    defined = below > ROUNDING * (between + judges + within)
    return np.where(defined, (between - error) / np.where(defined, below, 1), np.nan)


MOST_CELLS = 1_000_000

# An eigenvalue below this share of the largest is a rounding error.
SINGULAR = 1e-10
PARTS = mark(
    "The raters fall into groups without an item in common, so severity and quality cannot be told apart."
)
NO_ERROR_LEFT = mark("There are too few ratings to tell error from raters and items.")
TOO_ALIKE = mark("The items differ too little from one another for an intraclass correlation.")


def compute_icc_from_components(
    ratings: Table, *, form: Literal["2,1", "2,k"], with_interval: bool = True
) -> Agreement:
    """ICC(2,1), or ICC(2,k) with k the harmonic mean of ratings per item, of a table with missing ratings.

    s_item / (s_item + (s_rater + s_error) / k) over the items that two raters or more have rated.
    """

    def estimate(matrix: Matrix) -> Estimate:
        used = pairable(matrix)
        check_variation(used)
        values = normal(used)
        return Estimate(
            _components_correlation(values, form),
            _components_without_each(values, form) if with_interval else None,
            used,
        )

    return agreement(ratings, estimate)


def compute_icc(values: Matrix, *, form: Literal["2,1", "2,k"], with_interval: bool = True) -> Agreement:
    """`icc` for a full table, `icc_of_components` for one with gaps: the same figure, faster if nothing is missing."""
    if values.size and not np.isnan(values).any():
        return icc(values, form=form, with_interval=with_interval)
    return compute_icc_from_components(values, form=form, with_interval=with_interval)


def _components_correlation(values: Matrix, form: str) -> float:
    items, raters, error = compute_components(values)
    counts = (~np.isnan(values)).sum(axis=1)
    count = len(counts) / (1 / counts).sum() if form == "2,k" else 1.0
    below = items + (raters + error) / count
    if below <= ROUNDING:
        raise Refused(say(TOO_ALIKE))
    return float(items / below)


def compute_components(values: Matrix) -> tuple[float, float, float]:
    """The variances of items, raters and error of a table (NaN for missing), in the unit of its ratings squared.

    Estimates below 0 are possible. Raises Refused where they cannot be told apart.
    """
    values = values[:, ~np.isnan(values).all(axis=0)]
    rated = ~np.isnan(values)
    count, (items, raters) = int(rated.sum()), values.shape
    per_item, per_rater = rated.sum(axis=1), rated.sum(axis=0)
    freedom = count - items - raters + 1
    if freedom <= 0 or raters < 2 or items < 2:
        raise Refused(say(NO_ERROR_LEFT))
    within_items = np.nan_to_num(values - np.nanmean(values, axis=1)[:, None])
    within_raters = np.nan_to_num(values - np.nanmean(values, axis=0))
    equations = np.diag(per_rater) - (rated / per_item[:, None]).T @ rated
    if np.linalg.matrix_rank(equations) < raters - 1:
        raise Refused(say(PARTS))
    sums = within_items.sum(axis=0)
    of_raters = float(sums @ np.linalg.pinv(equations, hermitian=True) @ sums)
    residual = max(float(np.square(within_items).sum()) - of_raters, 0.0)
    of_items = float(np.square(within_raters).sum()) - residual
    error = residual / freedom
    return (
        (of_items - (items - 1) * error) / (count - raters),
        (of_raters - (raters - 1) * error) / (count - items),
        error,
    )


def _components_without_each(values: Matrix, form: str) -> Matrix:
    """The correlation without each item in turn, by subtracting the item from every sum; NaN where there is none."""
    values = values - np.nanmean(values)
    rated = (~np.isnan(values)).astype(np.float64)
    given, per_item = np.nan_to_num(values), rated.sum(axis=1)
    apart = rated * (given - (given.sum(axis=1) / per_item)[:, None])
    within = np.square(apart).sum(axis=1)
    left = rated.sum(axis=0) - rated
    squares = np.square(given).sum(axis=0) - np.square(given)
    means = np.square(given.sum(axis=0) - given) / np.where(left > 0, left, 1)
    of_items = np.where(left > 0, squares - means, 0).sum(axis=1)
    of_raters, is_one = _between_raters(rated, apart)
    residual = np.maximum(within.sum() - within - of_raters, 0)
    items, raters, count = len(values) - 1, (left > 0).sum(axis=1), left.sum(axis=1)
    freedom = count - items - raters + 1
    is_there = is_one & (freedom > 0) & (raters > 1) & (items > 1)
    error = residual / np.where(is_there, freedom, 1)
    item = (of_items - residual - (items - 1) * error) / np.where(is_there, count - raters, 1)
    rater = (of_raters - (raters - 1) * error) / np.where(is_there, count - items, 1)
    mean = items / ((1 / per_item).sum() - 1 / per_item) if form == "2,k" else 1.0
    below = item + (rater + error) / mean
    is_there &= below > ROUNDING
    return np.where(is_there, item / np.where(is_there, below, 1), np.nan)


def _between_raters(rated: Matrix, apart: Matrix) -> tuple[Matrix, NDArray[np.bool_]]:
    """Without each item: the sum of squares of raters beside items, and whether all raters are connected.

    `apart` are the ratings less the mean of their item.
    """
    items, raters = rated.shape
    per_item, sums = rated.sum(axis=1), apart.sum(axis=0)
    whole = np.diag(rated.sum(axis=0)) - (rated / per_item[:, None]).T @ rated
    squares, is_one = np.zeros(items), np.zeros(items, dtype=bool)
    step = max(1, MOST_CELLS // raters**2)
    for start in range(0, items, step):
        block = slice(start, start + step)
        own = rated[block]
        shares = own / per_item[block, None]
        equations = whole - own[:, :, None] * np.eye(raters) + shares[:, :, None] * own[:, None, :]
        found, axes = np.linalg.eigh(equations)
        counts = found > SINGULAR * np.maximum(found[:, -1:], 1)
        along = np.square(((sums - apart[block])[:, None, :] @ axes)[:, 0, :])
        squares[block] = np.where(counts, along / np.where(counts, found, 1), 0).sum(axis=1)
        there = ((rated.sum(axis=0) - own) > 0).sum(axis=1)
        is_one[block] = counts.sum(axis=1) >= there - 1
    return squares, is_one
