"""Agreement beyond chance, (p_a - p_e) / (1 - p_e): Gwet's AC1 and AC2, Fleiss', Brennan-Prediger's, Cohen's kappa.

Missing ratings as in K. L. Gwet, Handbook of Inter-Rater Reliability, 4th edition (2014), chapters 2 to 5: agreement
is that of items with two ratings or more; items with one rating still tell how often each category is used. Where a
category is rare, agreement on it alone shows what a coefficient over all categories hides.
"""

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from workspace.core.words import say
from workspace.statistics.estimates import Agreement, Estimate, agreement, name_jackknife_unit
from workspace.statistics.ratings import (
    ROUNDING,
    Counts,
    Groups,
    Matrix,
    Refused,
    Table,
    by_group,
    check_variation,
    complete,
    count_ratings,
    normal,
    pairable,
    two_or_more,
)

Weights = Literal["identity", "ordinal", "linear", "quadratic"]
Scale = Sequence[float] | None
BLOCK = 64


def observed_agreement(
    ratings: Table,
    *,
    weights: Weights = "identity",
    scale: Scale = None,
    with_interval: bool = True,
    groups: Groups = None,
) -> Agreement:
    """The share of agreeing pairs of ratings, mean over items (percent agreement, from 0 to 1); p_a of the others.

    Given the group of each item, the interval leaves out whole groups.
    """

    def estimate(matrix: Matrix) -> Estimate:
        used = pairable(matrix)
        counts = count_ratings(used, scale)
        agreeing = _agreeing(counts.table, _weight_matrix(counts, weights))
        together = by_group(groups, two_or_more(matrix))
        without = _share(
            agreeing.sum() - together(agreeing), len(agreeing) - together(np.ones(len(agreeing)))
        )
        return Estimate(
            float(agreeing.mean()), without if with_interval else None, used, unit=name_jackknife_unit(groups)
        )

    return agreement(ratings, estimate)


def gwet_ac(
    ratings: Table,
    *,
    weights: Weights = "identity",
    scale: Scale = None,
    with_interval: bool = True,
    groups: Groups = None,
) -> Agreement:
    """Gwet's AC1 (identity weights) or AC2; p_e = sum of weights / (q (q - 1)) sum of pi (1 - pi).

    `scale` lists the q possible categories; without it, those that occur are taken. Given the group of each item, the
    interval leaves out whole groups. Source: K. L. Gwet, British Journal of Mathematical and Statistical Psychology
    61 (2008), 29-48; weights: Handbook (2014), chapter 3.
    """

    def expected(shares: Matrix, weight: Matrix) -> Matrix:
        size = len(weight)
        return np.asarray(weight.sum() / (size * (size - 1)) * (shares * (1 - shares)).sum(axis=1))

    return _from_shares(ratings, expected, weights, scale, with_interval, groups)


def cohen_kappa(
    ratings: Table, *, weights: Weights = "identity", scale: Scale = None, with_interval: bool = True
) -> Agreement:
    """Cohen's kappa of exactly two raters over the items that both have rated, weighted if asked for.

    Source: J. Cohen, Educational and Psychological Measurement 20 (1960), 37-46; Psychological Bulletin 70 (1968),
    213-220.
    """

    def estimate(matrix: Matrix) -> Estimate:
        used = complete(matrix)
        if used.shape[1] != 2:
            raise Refused(
                say("Cohen's kappa compares exactly 2 raters; there are {count}.", count=used.shape[1])
            )
        return _from_raters(used, used, weights, scale, with_interval)

    return agreement(ratings, estimate)


def _weight_matrix(counts: Counts, weights: Weights) -> Matrix:
    size = len(counts.categories)
    if weights == "identity" or size < 2:
        return np.eye(size)
    if weights == "ordinal":
        steps = np.abs(np.subtract.outer(np.arange(size), np.arange(size))) + 1.0
        pairs = steps * (steps - 1) / 2
        return np.asarray(1 - pairs / pairs.max())
    places = normal(counts.categories)
    apart = np.abs(np.subtract.outer(places, places))
    return np.asarray(1 - (apart if weights == "linear" else np.square(apart)))


def _agreeing(table: Matrix, weight: Matrix) -> Matrix:
    """The share of each item's pairs of ratings that agree; every item needs two ratings."""
    sizes = table.sum(axis=1)
    return np.asarray((table * (table @ weight - 1)).sum(axis=1) / (sizes * (sizes - 1)))


def _share(parts: Matrix, whole: Matrix) -> Matrix:
    """Parts as shares of the whole; NaN where the whole is empty."""
    return np.where(whole > 0, parts / np.where(whole > 0, whole, 1), np.nan)


def _beyond(agreed: Matrix, expected: Matrix) -> Matrix:
    """(p_a - p_e) / (1 - p_e); NaN where chance agreement is complete."""
    room = 1 - expected
    return np.where(room > ROUNDING, (agreed - expected) / np.where(room > ROUNDING, room, 1), np.nan)


def _from_shares(
    ratings: Table,
    expected: Callable[[Matrix, Matrix], Matrix],
    weights: Weights,
    scale: Scale,
    with_interval: bool,
    groups: Groups = None,
) -> Agreement:
    """The coefficients whose p_e follows from how often each category is used: its mean share over the items."""

    def estimate(matrix: Matrix) -> Estimate:
        used = pairable(matrix)
        any_rating = (~np.isnan(matrix)).any(axis=1)
        rated = matrix[any_rating]
        check_variation(rated)
        counts = count_ratings(rated, scale)
        weight = _weight_matrix(counts, weights)
        sizes = counts.table.sum(axis=1)
        two = sizes >= 2
        agreeing = np.zeros(len(sizes))
        agreeing[two] = _agreeing(counts.table[two], weight)
        shares = counts.table / sizes[:, None]
        mean = agreeing.sum() / two.sum()
        value = _beyond(np.array([mean]), expected(shares.mean(axis=0)[None, :], weight))
        if not with_interval:
            return Estimate(float(value[0]), None, used)
        together = by_group(groups, np.asarray(any_rating))
        agreed = _share(agreeing.sum() - together(agreeing), two.sum() - together(two.astype(np.float64)))
        left = np.maximum(len(shares) - together(np.ones(len(shares))), 1)
        without = _beyond(agreed, expected((shares.sum(axis=0) - together(shares)) / left[:, None], weight))
        return Estimate(float(value[0]), without, used, unit=name_jackknife_unit(groups))

    return agreement(ratings, estimate)


def _from_raters(
    matrix: Matrix, used: Matrix, weights: Weights, scale: Scale, with_interval: bool
) -> Estimate:
    """The coefficients whose p_e follows from how often each rater uses each category."""
    check_variation(matrix)
    rated = matrix[~np.isnan(matrix).all(axis=1)]
    counts = count_ratings(rated, scale)
    weight = _weight_matrix(counts, weights)
    two = counts.table.sum(axis=1) >= 2
    agreeing = np.zeros(len(rated))
    agreeing[two] = _agreeing(counts.table[two], weight)
    given = _given(rated, counts.categories)
    totals = given.sum(axis=0)
    value = _beyond(np.array([agreeing.sum() / two.sum()]), _between_raters(totals[None], weight))
    if not with_interval:
        return Estimate(float(value[0]), None, used)
    blocks = [given[start : start + BLOCK] for start in range(0, len(given), BLOCK)]
    expected = np.concatenate([_between_raters(totals - block, weight) for block in blocks])
    agreed = (agreeing.sum() - agreeing) / (two.sum() - two)
    return Estimate(float(value[0]), _beyond(agreed, expected), used)


def _given(matrix: Matrix, categories: Matrix) -> NDArray[np.bool_]:
    """Items x raters x categories: what each rater gave each item."""
    return np.asarray(matrix[:, :, None] == categories)


def _between_raters(totals: Matrix, weight: Matrix) -> Matrix:
    """The mean over pairs of raters of the agreement that their totals (tables x raters x categories) make likely.

    NaN where fewer than two raters have rated anything.
    """
    sizes = totals.sum(axis=2, keepdims=True)
    shares = totals / np.maximum(sizes, 1)
    raters = (sizes > 0).sum(axis=(1, 2))
    own = ((shares @ weight) * shares).sum(axis=(1, 2))
    pairs = raters * (raters - 1)
    return np.where(pairs > 0, (_chance(shares.sum(axis=1), weight) - own) / np.maximum(pairs, 1), np.nan)


def _chance(shares: Matrix, weight: Matrix) -> Matrix:
    """The chance that two ratings drawn from these shares agree, one value per row."""
    return np.asarray(((shares @ weight) * shares).sum(axis=1))


def specific_agreement(
    ratings: Table, category: float, *, with_interval: bool = True, groups: Groups = None
) -> Agreement:
    """The share of other raters who gave the category too, over all ratings in it: sum n (n - 1) / sum n (m - 1).

    n of an item's m ratings are in the category; with two raters this is 2a / (2a + b + c). Given the group of each
    item, the interval leaves out whole groups. Sources: D. V. Cicchetti and A. R. Feinstein, Journal of Clinical
    Epidemiology 43 (1990), 551-558; for more raters J. S. Uebersax, Journal of Psychiatric Research 17 (1982),
    335-342.
    """

    def estimate(matrix: Matrix) -> Estimate:
        used = pairable(matrix)
        sizes = (~np.isnan(used)).sum(axis=1).astype(np.float64)
        given = (used == category).sum(axis=1).astype(np.float64)
        together = by_group(groups, two_or_more(matrix))
        agreed, possible = given * (given - 1), given * (sizes - 1)
        if not possible.sum():
            raise Refused(say("Nobody gave this answer."))
        left = possible.sum() - together(possible)
        without = np.where(left > 0, (agreed.sum() - together(agreed)) / np.where(left > 0, left, 1), np.nan)
        value = float(agreed.sum() / possible.sum())
        return Estimate(value, without if with_interval else None, used, unit=name_jackknife_unit(groups))

    return agreement(ratings, estimate)
