"""How two figures of items go together within groups, such as a score and a rating of games of one prompt.

Both figures are centred on the mean of their group, so that differences between groups can show nothing.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable
from functools import lru_cache
from math import sqrt

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from workspace.core.words import say
from workspace.statistics.conclusions import SEED
from workspace.statistics.estimates import Agreement, jackknife_t
from workspace.statistics.rankings import count_pairs_by_item, mid_ranks
from workspace.statistics.ratings import FEW_PAIRABLE, NO_VARIATION, ROUNDING, Matrix

PERMUTATIONS = 1999
# Equal distances from a mean stay equal, whatever the mean is.
DECIMALS = 9


class Within(Struct, frozen=True):
    """Kendall's tau-b and Spearman's rho within groups, and the p value of a permutation test, None without variation.

    `items` are those in `groups` of two or more; `slope` is the sign of their covariance within groups.
    """

    items: int
    groups: int
    tau: Agreement
    rho: Agreement
    p: float | None
    slope: int


def centre(rows: Iterable[tuple[Hashable, float, float]]) -> dict[Hashable, Matrix]:
    """The two figures (columns) of the items of each group, less the group's means; groups of one are left out."""
    grouped: dict[Hashable, list[tuple[float, float]]] = defaultdict(list)
    for group, first, second in rows:
        grouped[group].append((first, second))
    tables = {group: np.array(values, dtype=np.float64) for group, values in grouped.items()}
    return {
        group: np.round(table - table.mean(axis=0), DECIMALS) + 0.0
        for group, table in tables.items()
        if len(table) > 1
    }


def correlate_within(rows: Iterable[tuple[Hashable, float, float]]) -> Within:
    """Rank correlations of the centred figures of (group, figure, other figure), and whether they go together.

    Intervals are jackknife-t over items, their errors times sqrt((n - 1) / (n - groups)) for the means that were
    subtracted. p is two-sided: the share of 1,999 seeded permutations of one figure within groups, and of the
    figures as they are, whose covariance is at least as large. It holds whatever the means and spreads of the groups
    are. Sources: M. G. Kendall, Biometrika 33 (1945), 239-251; C. Spearman, Am. J. Psychol. 15 (1904), 72-101; E. J.
    G. Pitman, J. R. Statist. Soc. Suppl. 4 (1937), 225-232, for strata N. Mantel, JASA 58 (1963), 690-700.
    """
    groups = list(centre(rows).values())
    first, second = np.concatenate([*groups, np.empty((0, 2))]).T
    if not first.any() or not second.any():
        nothing = Agreement(None, reason=say(NO_VARIATION) if groups else say(FEW_PAIRABLE, count=0))
        return Within(len(first), len(groups), nothing, nothing, None, 0)
    covariance = float(first @ second)
    return Within(
        len(first),
        len(groups),
        _with_interval(*_tau_b(first, second), len(groups)),
        _with_interval(*_spearman(first, second), len(groups)),
        _permutation_p(first, second, tuple(map(len, groups))),
        0 if abs(covariance) < ROUNDING else 1 if covariance > 0 else -1,
    )


def disattenuate(found: Agreement, reliability: float | None) -> Agreement | None:
    """The correlation divided by the root of the other figure's reliability; None where it is not above 0.

    Source: C. Spearman, Am. J. Psychol. 15 (1904), 72-101.
    """
    if found.value is None or reliability is None or reliability <= 0:
        return None
    value, low, high = (
        max(-1.0, min(1.0, end / sqrt(reliability))) for end in (found.value, *(found.interval or (0, 0)))
    )
    return replace(found, value=value, interval=(low, high) if found.interval else None)


def _with_interval(value: float, without: Matrix, groups: int) -> Agreement:
    count, mean = len(without), without.mean()
    wider = mean + (without - mean) * sqrt((count - 1) / max(1, count - groups))
    interval, reason = jackknife_t(value, wider, may_be_exact=True)
    return Agreement(value, interval, count, 2, count * (count - 1) // 2, "", reason)


def _tau_b(first: Matrix, second: Matrix) -> tuple[float, Matrix]:
    """Tau-b and its values without each item; every pair is counted at both of its items."""
    rows = count_pairs_by_item(first, second)
    total = rows.sum(axis=1)
    left = total[:, None] - 2 * rows
    with np.errstate(divide="ignore", invalid="ignore"):
        without = left[0] / np.sqrt(left[1] * left[2])
    return float(total[0] / np.sqrt(total[1] * total[2])), without


def _spearman(first: Matrix, second: Matrix) -> tuple[float, Matrix]:
    """Rho and its values without each item (row): the ranks of what lies above that item fall by 1, of ties by 1/2."""
    value, left = [], []
    for values in (first, second):
        ranks = mid_ranks(values)
        below = (values[:, None] < values) + (values[:, None] == values) / 2
        moved = ranks - below
        np.fill_diagonal(moved, 0)
        moved -= moved.sum(axis=1, keepdims=True) / (len(values) - 1)
        np.fill_diagonal(moved, 0)
        value.append(ranks - ranks.mean())
        left.append(moved)
    with np.errstate(divide="ignore", invalid="ignore"):
        squares = np.square(left[0]).sum(axis=1) * np.square(left[1]).sum(axis=1)
        without = (left[0] * left[1]).sum(axis=1) / np.sqrt(squares)
    (one, two) = value
    return float(one @ two / np.sqrt((one @ one) * (two @ two))), without


def _permutation_p(first: Matrix, second: Matrix, sizes: tuple[int, ...]) -> float:
    found = second[draw_orders(sizes)] @ first
    least = abs(float(first @ second)) * (1 - ROUNDING) - ROUNDING
    return (1 + int((np.abs(found) >= least).sum())) / (1 + PERMUTATIONS)


@lru_cache(maxsize=2)
def draw_orders(sizes: tuple[int, ...], permutations: int = PERMUTATIONS) -> NDArray[np.intp]:
    """Orders of the items (columns), drawn at random within groups of these sizes."""
    places = np.repeat(np.arange(len(sizes)), sizes)
    return np.argsort(places + np.random.default_rng(SEED).random((permutations, len(places))), axis=1)
