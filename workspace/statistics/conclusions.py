"""Figures with what they rest on, what can be concluded from them, and intervals over comparisons.

Whole comparisons are resampled, since the responses to one question are not independent.
"""

import math
from functools import lru_cache
from typing import Literal

import numpy as np
from msgspec import Struct

from workspace.core.words import say
from workspace.statistics.estimates import Interval
from workspace.statistics.means import student_t
from workspace.statistics.ratings import Matrix

LEAST_COMPARISONS = 20
DRAWS = 2000
# Everything that is drawn at random begins here, so that the same input always gives the same figures.
SEED = 0
Z_TWO_SIDED = 1.959963984540054
Z_ONE_SIDED = 1.6448536269514722
Z_POWER = 0.8416212335729143
Code = Literal["holds", "not_worse", "fails", "no_difference", "cannot_tell", "too_few"]


class Figure(Struct, frozen=True):
    """A number and what it rests on. Without a value `reason` is a sentence, without an interval `interval_reason`.

    `rows` are reviewers' rows of scores. The interval is a 95 % interval.
    """

    value: float | None
    interval: Interval | None = None
    comparisons: int = 0
    responses: int = 0
    rows: int = 0
    reason: str = ""
    interval_reason: str = ""


class Conclusion(Struct, frozen=True):
    """Whether a claim holds, in a code and a sentence.

    `count` is what it rests on and `needed` what it would need for a chance of 80 % to see an effect that matters, both
    in `unit`; `needed` is None where that cannot be said. "no_difference" says that the interval holds no difference
    that matters, "cannot_tell" that it holds one, "too_few" that there are too few comparisons for an interval.
    """

    code: Code
    reason: str
    count: int
    needed: int | None
    unit: str = "comparisons"


@lru_cache(maxsize=8)
def drawn_counts(comparisons: int) -> Matrix:
    """How often each comparison is drawn in each of 2,000 resamples of them (resamples x comparisons).

    Source: B. Efron, Annals of Statistics 7 (1979), 1-26.
    """
    shares = np.full(comparisons, 1 / comparisons)
    counts = np.random.default_rng(SEED).multinomial(comparisons, shares, size=DRAWS).astype(np.float64)
    counts.flags.writeable = False
    return counts


def percentile_interval(values: Matrix, comparisons: int) -> Interval | None:
    """The 95 % interval from values of resampled comparisons; None when one value in twenty or more is undefined.

    Resampled values scatter too little by sqrt((n - 1)/n), and follow the normal distribution instead of t; so the
    ends lie farther out, at the percentile P(Z < -sqrt(n/(n - 1)) t(.975, n - 1)), 1.6 instead of 2.5 of 100 for 20
    comparisons. Source: T. C. Hesterberg, The American Statistician 69 (2015), 371-386, "expanded percentile
    interval".
    """
    from scipy.special import ndtr

    found = np.sort(values[np.isfinite(values)])
    if len(found) <= 0.95 * len(values):
        return None
    tail = float(ndtr(-math.sqrt(comparisons / (comparisons - 1)) * student_t(comparisons - 1)))
    skipped = int(tail * len(found))
    return float(found[skipped]), float(found[len(found) - 1 - skipped])


def too_few(comparisons: int) -> str:
    """The sentence when comparisons are too few for an interval by resampling them; "" when they are not."""
    if comparisons >= LEAST_COMPARISONS:
        return ""
    return say(
        "An interval needs at least {least} comparisons; there are {count}.",
        least=LEAST_COMPARISONS,
        count=comparisons,
    )


def mean_figure(values: Matrix, *, responses: int = 0, rows: int = 0, reason: str) -> Figure:
    """The mean of one value for each comparison, over those that have one, with its bootstrap interval.

    `reason` is the sentence for when none has one.
    """
    defined = values[np.isfinite(values)]
    count = len(defined)
    if not count:
        return Figure(None, reason=reason, interval_reason=reason)
    value, few = float(defined.mean()), too_few(count)
    if few:
        return Figure(value, None, count, responses, rows, interval_reason=few)
    means = drawn_counts(count) @ defined / count
    return Figure(value, percentile_interval(means, count), count, responses, rows)


def needed_count(count: int, interval: Interval | None, effect: float) -> int | None:
    """How many are needed to tell an effect of that size from none, 80 % of the time, two-sided at 5 %.

    n (1.96 + 0.84)^2 se^2 / effect^2 with se from the interval's half width. Source: J. Cohen, Statistical Power
    Analysis for the Behavioral Sciences, 2nd edition (1988), chapter 2.
    """
    if interval is None:
        return None
    error = (interval[1] - interval[0]) / 2 / Z_TWO_SIDED
    return max(LEAST_COMPARISONS, math.ceil(count * ((Z_TWO_SIDED + Z_POWER) * error / effect) ** 2))


def cannot_tell(count: int, reason: str, needed: int | None = None, unit: str = "comparisons") -> Conclusion:
    """The conclusion that nothing can be concluded yet, and why."""
    return Conclusion("cannot_tell", say("Can't tell yet: {reason}", reason=reason), count, needed, unit)


def without_interval(figure: Figure, needed: int | None = None) -> Conclusion:
    """The conclusion from a figure that has no interval; below 20 comparisons it says only that."""
    few = too_few(figure.comparisons)
    if figure.value is not None and few:
        return Conclusion("too_few", few, figure.comparisons, None)
    return cannot_tell(figure.comparisons, figure.reason or figure.interval_reason, needed)


def is_inside(interval: Interval | None, margin: float, *, centre: float = 0.0) -> bool:
    """Whether the whole interval lies closer than the margin to the centre.

    Source: D. J. Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 15 (1987), 657-680.
    """
    return interval is not None and centre - margin < interval[0] and interval[1] < centre + margin


def no_difference(
    count: int, margin: str, needed: int | None = None, unit: str = "comparisons"
) -> Conclusion:
    """The conclusion from an interval inside the margin; the margin is given in words."""
    said = say("No difference that matters: the whole interval lies within {margin}.", margin=margin)
    return Conclusion("no_difference", said, count, needed, unit)


def small_note(interval: Interval | None, margin: float, words: str, *, centre: float = 0.0) -> str:
    """What is added where something holds or fails by less than the margin; else ""."""
    if not is_inside(interval, margin, centre=centre):
        return ""
    return say(" By less than {words}, so it hardly matters.", words=words)
