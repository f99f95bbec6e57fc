"""Intraclass correlations: how far the items, and not the raters or chance, make the ratings differ.

Source: P. E. Shrout and J. L. Fleiss, Psychological Bulletin 86 (1979), 420-428. Only items that every rater has rated
take part, since the mean squares are those of a full table.
"""

from typing import Literal

import numpy as np
from msgspec import Struct

from rubric.core.agreement.estimates import (
    LEAST_FOR_INTERVAL,
    Agreement,
    Estimate,
    agreement,
)
from rubric.core.agreement.ratings import (
    ROUNDING,
    Matrix,
    Refused,
    Table,
    check_variation,
    complete,
    normal,
)

Form = Literal["1,1", "2,1", "3,1", "1,k", "2,k", "3,k"]


class Squares(Struct, frozen=True, eq=False):
    """Mean squares of a two-way table, one for each table: of one, or of each without one item.

    `between` items, `within` items, of `raters`, and the `residual`: BMS, WMS, JMS, EMS of Shrout and Fleiss.
    """

    items: int
    raters: int
    between: Matrix
    within: Matrix
    judges: Matrix
    residual: Matrix


def icc(ratings: Table, *, form: Form, with_interval: bool = True) -> Agreement:
    """The intraclass correlation of that form: (2,1) of one rater, (2,k) of the mean of all k, both absolute."""

    def estimate(matrix: Matrix) -> Estimate:
        used = complete(matrix)
        check_variation(used)
        values = normal(used)
        value = float(_correlation(_squares(values), form)[0])
        if np.isnan(value):
            raise Refused("The items differ too little from one another for an intraclass correlation.")
        return Estimate(value, _without_each(values, form) if with_interval else None, used)

    return agreement(ratings, estimate)


def _squares(values: Matrix) -> Squares:
    items, raters = values.shape
    values = values - values.mean()
    return _from_sums(
        (items, raters),
        np.array([values.sum()]),
        np.array([np.square(values).sum()]),
        np.array([np.square(values.sum(axis=1)).sum()]),
        np.array([np.square(values.sum(axis=0)).sum()]),
    )


def _without_each(values: Matrix, form: Form) -> Matrix:
    if len(values) < LEAST_FOR_INTERVAL:
        return np.full(len(values), np.nan)
    return _correlation(_squares_without_each(values), form)


def _squares_without_each(values: Matrix) -> Squares:
    items, raters = values.shape
    values = values - values.mean()
    rows, own = values.sum(axis=1), np.square(values).sum(axis=1)
    return _from_sums(
        (items - 1, raters),
        values.sum() - rows,
        own.sum() - own,
        np.square(rows).sum() - np.square(rows),
        np.square(values.sum(axis=0) - values).sum(axis=1),
    )


def _from_sums(
    shape: tuple[int, int], total: Matrix, squares: Matrix, row_squares: Matrix, column_squares: Matrix
) -> Squares:
    """The mean squares from the sum, the sum of squares, and the sums of the squared row and column sums."""
    items, raters = shape
    correction = np.square(total) / (items * raters)
    whole = squares - correction
    between = row_squares / raters - correction
    judges = column_squares / items - correction
    between, judges, within, residual = (
        np.where(part > ROUNDING * squares, part, 0)
        for part in (between, judges, whole - between, whole - between - judges)
    )
    return Squares(
        items,
        raters,
        between / (items - 1),
        within / (items * (raters - 1)),
        judges / (raters - 1),
        residual / ((items - 1) * (raters - 1)),
    )


def _correlation(found: Squares, form: Form) -> Matrix:
    """The correlation of each table; NaN where items differ no more than the form needs."""
    items, raters = found.items, found.raters
    error = found.within if form[0] == "1" else found.residual
    judged = (found.judges - found.residual) / items if form[0] == "2" else np.zeros_like(error)
    below = found.between + judged
    if form.endswith("1"):
        below = found.between + (raters - 1) * error + raters * judged
    scale = found.between + found.judges + found.within
    defined = below > ROUNDING * scale
    return np.where(defined, (found.between - error) / np.where(defined, below, 1), np.nan)
