"""Ratings as a table of items (rows) and raters (columns), and the reasons why agreement cannot be computed on it."""

from collections.abc import Callable, Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from workspace.core.words import mark, say

Matrix = NDArray[np.float64]
Table = Sequence[Sequence[float | None]] | Matrix

# The group of each item, where items of one group are dependent, like messages of one game; None: no groups.
Groups = Sequence[Hashable] | None
MOST_CATEGORIES = 1000

# A sum below this share of the whole is a rounding error.
ROUNDING = 1e-12
NOT_FINITE = mark("A rating is not a finite number; correct it first.")
ONE_RATER = mark("Agreement needs ratings by at least two raters.")
NO_VARIATION = mark("All ratings are the same, so it does not show whether the raters tell items apart.")
FEW_PAIRABLE = mark("Agreement needs at least 2 items that two raters or more have rated; there are {count}.")
FEW_COMPLETE = mark("Agreement needs at least 2 items that every rater has rated; there are {count}.")


class Refused(Exception):
    """No value can be given; the sentence says why. The modules of agreement never let it out."""


# How often answers other than the most frequent one were given, and how many units show them, or show that one.
Rarer = tuple[int, int]


def to_matrix(ratings: Table) -> Matrix:
    """Items x raters, NaN where there is no rating (None or NaN); raises ValueError when rows differ in length."""
    if not isinstance(ratings, np.ndarray) and len({len(row) for row in ratings}) > 1:
        raise ValueError(
            "The rows of the ratings differ in length; give None where a rater did not rate an item."
        )
    matrix = np.array(ratings, dtype=np.float64)
    return matrix if matrix.ndim == 2 else matrix.reshape(len(matrix), 0)


def pairable(matrix: Matrix) -> Matrix:
    """The items that two raters or more have rated; raises Refused when no agreement can be computed on them."""
    check_raters(matrix)
    return check_items(matrix[two_or_more(matrix)], FEW_PAIRABLE)


def complete(matrix: Matrix) -> Matrix:
    """The items that every rater has rated; raters without any rating are left out. Raises Refused."""
    check_raters(matrix)
    present = matrix[:, ~np.isnan(matrix).all(axis=0)]
    return check_items(present[~np.isnan(present).any(axis=1)], FEW_COMPLETE)


def check_raters(matrix: Matrix) -> None:
    """Raises Refused on a rating that is not a number, and when fewer than two raters have rated anything."""
    if np.isinf(matrix).any():
        raise Refused(say(NOT_FINITE))
    if (~np.isnan(matrix)).any(axis=0).sum() < 2:
        raise Refused(say(ONE_RATER))


def check_items(matrix: Matrix, few: str) -> Matrix:
    """The same items; raises Refused with the sentence `few` when there are fewer than two."""
    if len(matrix) < 2:
        raise Refused(say(few, count=len(matrix)))
    return matrix


def check_variation(values: Matrix) -> None:
    """Raises Refused when all ratings are the same (NaN left out)."""
    if np.nanmin(values) == np.nanmax(values):
        raise Refused(say(NO_VARIATION))


def normal(values: Matrix) -> Matrix:
    """The values scaled to [0, 1] without overflow; they must vary. NaN stays."""
    scaled = values / np.nanmax(np.abs(values))
    scaled = scaled - np.nanmin(scaled)
    return np.asarray(scaled / np.nanmax(scaled))


def count_ratings(matrix: Matrix, scale: Sequence[float] | None = None) -> tuple[Matrix, Matrix]:
    """The categories, ascending, and how many raters gave each of them (columns) to each item (rows).

    `scale` names all possible categories; by default, those that occur. Raises Refused for a rating that is
    not on the scale, and for more than 1,000 categories.
    """
    rows, columns = np.nonzero(~np.isnan(matrix))
    values = matrix[rows, columns]
    categories = np.unique(values if scale is None else np.array(scale, dtype=np.float64))
    if len(categories) > MOST_CATEGORIES:
        raise Refused(
            say(
                "There are more than {most} different ratings; use a statistic of the interval scale.",
                most=MOST_CATEGORIES,
            )
        )
    if not np.isfinite(categories).all():
        raise Refused(say(NOT_FINITE))
    strange = values[~np.isin(values, categories)]
    if len(strange):
        raise Refused(say("The rating {rating:g} is not on the scale.", rating=float(strange[0])))
    places = rows * len(categories) + np.searchsorted(categories, values)
    table = np.bincount(places, minlength=len(matrix) * len(categories)).astype(np.float64)
    return categories, table.reshape(len(matrix), len(categories))


def two_or_more(matrix: Matrix) -> NDArray[np.bool_]:
    return np.asarray((~np.isnan(matrix)).sum(axis=1) >= 2)


def by_group(groups: Groups, used: NDArray[np.bool_]) -> Callable[[Matrix], Matrix]:
    """A function that sums figures of the `used` items (rows) by group, in any order; without groups a no-op."""
    if groups is None:
        return lambda figures: figures
    numbers: dict[Hashable, int] = {}
    codes = np.array(
        [numbers.setdefault(group, len(numbers)) for group, is_in in zip(groups, used, strict=True) if is_in],
        dtype=np.intp,
    )
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    return lambda figures: np.asarray(np.add.reduceat(figures[order], starts, axis=0))


def count_rarer(matrix: Matrix, groups: Groups = None) -> Rarer:
    """The rarer answer among the items that two raters or more have rated; with two answers, the one given less.

    `units` are items, or groups of items.
    """
    used = two_or_more(matrix)
    values = matrix[used]
    given, counts = np.unique(values[~np.isnan(values)], return_counts=True)
    together, is_given = by_group(groups, used), ~np.isnan(values)
    # Of several that are given equally often, none is the usual one by its name.
    usual = (values == value for value in given[counts == counts.max()])
    parts = (part for is_usual in usual for part in (is_usual, is_given & ~is_usual))
    units = (int((together(part.any(axis=1).astype(np.float64)) > 0).sum()) for part in parts)
    return int(is_given.sum() - counts.max()), min(units)


def count_pairs(matrix: Matrix) -> int:
    """Pairs of ratings that different raters gave to the same item."""
    counts = (~np.isnan(matrix)).sum(axis=1)
    return int((counts * (counts - 1) // 2).sum())


def count_raters(matrix: Matrix) -> int:
    return int((~np.isnan(matrix)).any(axis=0).sum())
