"""Agreement beyond chance, (p_a - p_e) / (1 - p_e): Gwet's AC1 and AC2, and Cohen's kappa.

Missing ratings as in K. L. Gwet, Handbook of Inter-Rater Reliability, 4th edition (2014), chapters 2 to 5: agreement
is that of items with two ratings or more; items with one rating still tell how often each category is used. Where a
category is rare, agreement on it alone shows what a coefficient over all categories hides. Given the group of each
item, intervals leave out whole groups.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from workspace.core.words import say
from workspace.statistics.estimates import Agreement, Estimate, agreement, name_jackknife_unit
from workspace.statistics.ratings import (
    ROUNDING,
    Groups,
    Matrix,
    Rarer,
    Refused,
    Table,
    by_group,
    check_variation,
    complete,
    count_rarer,
    count_ratings,
    normal,
    pairable,
    two_or_more,
)

Weights = Literal["identity", "ordinal", "linear", "quadratic"]
Scale = Sequence[float] | None


def observed_agreement(
    ratings: Table, *, weights: Weights = "identity", scale: Scale = None, groups: Groups = None
) -> Agreement:
    """The share of agreeing pairs of ratings, mean over items (percent agreement, from 0 to 1); p_a of the others."""

    def estimate(matrix: Matrix) -> Estimate:
        used = pairable(matrix)
        categories, table = count_ratings(used, scale)
        agreeing = _agreeing(table, _weight_matrix(categories, weights))
        rarer = count_rarer(matrix, groups) if weights == "identity" else None
        return _ratio(agreeing, np.ones(len(agreeing)), matrix, groups, rarer)

    return agreement(ratings, estimate)


def specific_agreement(ratings: Table, category: float, *, groups: Groups = None) -> Agreement:
    """The share of other raters who gave the category too, over all ratings in it: sum n (n - 1) / sum n (m - 1).

    n of an item's m ratings are in the category; with two raters this is 2a / (2a + b + c). Sources: D. V. Cicchetti
    and A. R. Feinstein, Journal of Clinical Epidemiology 43 (1990), 551-558; for more raters J. S. Uebersax, Journal of
    Psychiatric Research 17 (1982), 335-342.
    """

    def estimate(matrix: Matrix) -> Estimate:
        used = pairable(matrix)
        sizes = (~np.isnan(used)).sum(axis=1).astype(np.float64)
        given = (used == category).sum(axis=1).astype(np.float64)
        if not (given * (sizes - 1)).sum():
            raise Refused(say("Nobody gave this answer."))
        answers, units = count_rarer(matrix, groups)
        least = min(answers, int(given.sum())), units
        return _ratio(given * (given - 1), given * (sizes - 1), matrix, groups, least)

    return agreement(ratings, estimate)


def _ratio(above: Matrix, below: Matrix, matrix: Matrix, groups: Groups, rarer: Rarer | None) -> Estimate:
    """A ratio of sums over the items that two raters or more have rated."""
    two = two_or_more(matrix)
    together = by_group(groups, two)
    without = _share(above.sum() - together(above), below.sum() - together(below))
    value, unit = float(above.sum() / below.sum()), name_jackknife_unit(groups)
    return Estimate(value, without, matrix[two], unit=unit, rarer=rarer)


def gwet_ac(
    ratings: Table, *, weights: Weights = "identity", scale: Scale = None, groups: Groups = None
) -> Agreement:
    """Gwet's AC1 (identity weights) or AC2; p_e = sum of weights / (q (q - 1)) sum of pi (1 - pi).

    `scale` lists the q possible categories; without it, those that occur are taken. Source: K. L. Gwet, British Journal
    of Mathematical and Statistical Psychology 61 (2008), 29-48; weights: Handbook (2014), chapter 3.
    """

    def estimate(matrix: Matrix) -> Estimate:
        used = pairable(matrix)
        any_rating = (~np.isnan(matrix)).any(axis=1)
        rated = matrix[any_rating]
        check_variation(rated)
        categories, table = count_ratings(rated, scale)
        weight = _weight_matrix(categories, weights)
        size = len(weight)

        def beyond(agreed: Matrix, shares: Matrix) -> Matrix:
            expected = weight.sum() / (size * (size - 1)) * (shares * (1 - shares)).sum(axis=1)
            return _beyond(agreed, np.asarray(expected))

        sizes = table.sum(axis=1)
        two = sizes >= 2
        agreeing = np.zeros(len(sizes))
        agreeing[two] = _agreeing(table[two], weight)
        shares = table / sizes[:, None]
        value = beyond(np.array([agreeing.sum() / two.sum()]), shares.mean(axis=0)[None, :])
        together = by_group(groups, np.asarray(any_rating))
        agreed = _share(agreeing.sum() - together(agreeing), two.sum() - together(two.astype(np.float64)))
        left = np.maximum(len(shares) - together(np.ones(len(shares))), 1)
        without = beyond(agreed, (shares.sum(axis=0) - together(shares)) / left[:, None])
        rarer = count_rarer(matrix, groups) if weights == "identity" else None
        return Estimate(float(value[0]), without, used, unit=name_jackknife_unit(groups), rarer=rarer)

    return agreement(ratings, estimate)


def cohen_kappa(ratings: Table, *, weights: Weights = "identity", scale: Scale = None) -> Agreement:
    """Cohen's kappa of exactly two raters over the items that both have rated, without an interval.

    Source: J. Cohen, Educational and Psychological Measurement 20 (1960), 37-46; with weights Psychological Bulletin 70
    (1968), 213-220.
    """

    def estimate(matrix: Matrix) -> Estimate:
        used = complete(matrix)
        if used.shape[1] != 2:
            raise Refused(
                say("Cohen's kappa compares exactly 2 raters; there are {count}.", count=used.shape[1])
            )
        check_variation(used)
        categories, table = count_ratings(used, scale)
        weight = _weight_matrix(categories, weights)
        shares = (used[:, :, None] == categories).sum(axis=0)[None] / len(used)
        # Twice p_e: the chance that two ratings drawn from both agree, less that within each rater.
        both, own = shares.sum(axis=1), ((shares @ weight) * shares).sum(axis=(1, 2))
        expected = (((both @ weight) * both).sum(axis=1) - own) / 2
        value = _beyond(np.array([_agreeing(table, weight).mean()]), expected)
        return Estimate(float(value[0]), None, used)

    return agreement(ratings, estimate)


def _weight_matrix(categories: Matrix, weights: Weights) -> Matrix:
    size = len(categories)
    if weights == "identity" or size < 2:
        return np.eye(size)
    if weights == "ordinal":
        steps = np.abs(np.subtract.outer(np.arange(size), np.arange(size))) + 1.0
        pairs = steps * (steps - 1) / 2
        return np.asarray(1 - pairs / pairs.max())
    places = normal(categories)
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
