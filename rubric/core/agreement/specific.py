"""Agreement on one category alone: positive agreement where the category is yes, negative agreement where it is no.

It answers what a coefficient over all categories hides where one of them is rare.
"""

import numpy as np

from rubric.core.agreement.estimates import Agreement, Estimate, agreement, unit_of
from rubric.core.agreement.ratings import Groups, Matrix, Refused, Table, by_group, pairable, two_or_more


def specific_agreement(
    ratings: Table, category: float, *, with_interval: bool = True, groups: Groups = None
) -> Agreement:
    """The share of other raters who gave the category too, over all ratings in it: sum n (n - 1) / sum n (m - 1).

    n of an item's m ratings are in the category; with two raters this is 2a / (2a + b + c). With the group of each
    item the interval leaves out whole groups. Sources: D. V. Cicchetti and A. R. Feinstein, Journal of Clinical
    Epidemiology 43 (1990), 551-558; for more raters J. S. Uebersax, Journal of Psychiatric Research 17 (1982), 335-342.
    """

    def estimate(matrix: Matrix) -> Estimate:
        used = pairable(matrix)
        each = (~np.isnan(used)).sum(axis=1).astype(np.float64)
        given = (used == category).sum(axis=1).astype(np.float64)
        together = by_group(groups, two_or_more(matrix))
        agreed, possible = given * (given - 1), given * (each - 1)
        if not possible.sum():
            raise Refused("Nobody gave this answer.")
        left = possible.sum() - together(possible)
        without = np.where(left > 0, (agreed.sum() - together(agreed)) / np.where(left > 0, left, 1), np.nan)
        value = float(agreed.sum() / possible.sum())
        return Estimate(value, without if with_interval else None, used, unit=unit_of(groups))

    return agreement(ratings, estimate)
