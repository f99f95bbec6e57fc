"""A statistic of agreement: its value and interval and the counts behind it, or the reason why there is none.

Also what a reliability means for planning: how many raters are enough, and how firm a conclusion may be.
"""

import math
from collections.abc import Callable
from typing import Literal

import numpy as np
from msgspec import Struct

from workspace.core.words import mark, say
from workspace.statistics.means import jackknife_error, student_t
from workspace.statistics.ratings import (
    ROUNDING,
    Groups,
    Matrix,
    Rarer,
    Refused,
    Table,
    count_pairs,
    count_raters,
    to_matrix,
)

LEAST_FOR_INTERVAL = 3
# With fewer rare answers an interval holds the truth too seldom, see docs/intervals.md.
LEAST_RARER = 10
Interval = tuple[float, float]


class Agreement(Struct, frozen=True):
    """A statistic. Without a value `reason` is a sentence that says why, without an interval `interval_reason`.

    `items` and `raters` are those that it rests on; `pairs` are the pairs compared: of ratings of one item, or of
    raters where the statistic compares their rankings. The interval is a 95 % interval.
    """

    value: float | None
    interval: Interval | None = None
    items: int = 0
    raters: int = 0
    pairs: int = 0
    reason: str = ""
    interval_reason: str = ""


class Estimate(Struct, frozen=True, eq=False):
    """A value, its values without each item in turn (None when not asked for), and the ratings that it rests on.

    `unit` is what was left out in turn: an item, or a group of items. `rarer` counts the rarer answer where answers are
    categories.
    """

    value: float
    without: Matrix | None
    used: Matrix
    pairs: int | None = None
    unit: str = "item"
    rarer: Rarer | None = None


def agreement(ratings: Table, estimate: Callable[[Matrix], Estimate]) -> Agreement:
    """The record of an estimate; without a value where the estimate raises Refused."""
    matrix = to_matrix(ratings)
    try:
        found = estimate(matrix)
    except Refused as refused:
        return Agreement(None, reason=str(refused))
    interval, reason = None, say("The interval was not asked for.")
    answers, units = found.rarer or (None, None)
    if found.without is not None:
        interval, reason = jackknife_t(found.value, found.without, unit=found.unit, units=units)
    if interval and answers is not None and answers < LEAST_RARER:
        interval, reason = None, say(FEW_RARER, least=LEAST_RARER, count=answers)
    pairs = count_pairs(found.used) if found.pairs is None else found.pairs
    return Agreement(found.value, interval, len(found.used), count_raters(found.used), pairs, "", reason)


def name_jackknife_unit(groups: Groups) -> str:
    """What the jackknife leaves out in turn: "item" or "group"."""
    return "item" if groups is None else "group"


FEW_RARER = mark(
    "An interval needs at least {least} answers other than the most frequent one; there are {count}."
)
NO_WIDTH = mark("Whichever is left out, the value stays the same: an interval would have no width.")
# What the jackknife leaves out in turn -> why there is no interval.
_FEW = {
    "item": mark("An interval needs at least {least} items; there are {count}."),
    "group": mark("An interval needs at least {least} groups; there are {count}."),
}
CARRIES = {
    "item": mark("One item carries the whole value: without it there is none, so there is no interval."),
    "group": mark("One group carries the whole value: without it there is none, so there is no interval."),
}


def jackknife_t(
    value: float,
    without: Matrix,
    *,
    unit: str = "item",
    units: int | None = None,
    may_be_exact: bool = False,
) -> tuple[Interval | None, str]:
    """The interval around a value from its values without each unit in turn, or None and why; clipped to [-1, 1].

    value +/- t(.975, n - 1) se with se^2 = (n - 1)/n sum (v_i - mean v)^2. If only some `units` show the rarer answer,
    the error comes from these, so n in t is their number. An interval without width needs `may_be_exact`. Source: R. G.
    Miller, Biometrika 61 (1974), 1-15; for agreement J. Hughes, arXiv 2210.13265 (2022).
    """
    count = len(without)
    if count < LEAST_FOR_INTERVAL:
        return None, say(_FEW[unit], least=LEAST_FOR_INTERVAL, count=count)
    if not np.isfinite(without).all():
        return None, say(CARRIES[unit])
    error = jackknife_error(without)
    if error < ROUNDING and not may_be_exact:
        return None, say(NO_WIDTH)
    half = student_t(max(2, min(count, units or count)) - 1) * error
    return (min(value, max(-1.0, value - half)), max(value, min(1.0, value + half))), ""


RELIABLE = 0.8
FIRM, TENTATIVE = 0.8, 0.667
WIDEST_FOR_WORDS = 0.3
MOST_RATERS = 1000
Strength = Literal["firm", "tentative", "low", ""]


def raters_needed(one_rater: float | None, *, reliability: float = RELIABLE) -> int | None:
    """How many raters an item needs so that their mean has that reliability; None where 1,000 are not enough.

    The Spearman-Brown formula solved for the count: R (1 - r) / (r (1 - R)) with r the reliability of one rater, such
    as ICC(2,1). Sources: C. Spearman, British Journal of Psychology 3 (1910), 271-295; W. Brown, ibid., 296-322.
    """
    if one_rater is None or one_rater <= 0:
        return None
    needed = reliability * (1 - one_rater) / (one_rater * (1 - reliability))
    return max(1, math.ceil(round(needed, 9))) if needed <= MOST_RATERS else None


def classify_strength(found: Agreement) -> Strength:
    """The one word for an alpha: firm from .800, tentative from .667, else low; "" where its interval is too wide.

    Source: K. Krippendorff, Content Analysis, 3rd edition (2013), chapter 12.
    """
    if found.value is None or found.interval is None:
        return ""
    if found.interval[1] - found.interval[0] > WIDEST_FOR_WORDS:
        return ""
    return "firm" if found.value >= FIRM else "tentative" if found.value >= TENTATIVE else "low"
