"""Takes harsh and generous reviewers onto one scale, where the design allows it. Stored scores stay as they are.

Where everybody judged everything severity cancels in the mean, and standardising only adds noise; where reviewers saw
few or unconnected items their severity cannot be told from what they saw.
"""

import math
from collections import Counter
from collections.abc import Sequence
from statistics import fmean, variance

from msgspec import Struct

LEAST_RATINGS = 10
_PRIOR = 5


class Rating(Struct, frozen=True):
    """One reviewer's overall of one response; all of one rubric version."""

    reviewer: str
    item: str
    value: float


class Scale(Struct, frozen=True):
    """How a reviewer uses the scale: plain mean and SD (None below two ratings), and both drawn towards the panel's."""

    reviewer: str
    count: int
    mean: float
    sd: float | None
    shrunken_mean: float
    shrunken_sd: float


class Calibration(Struct, frozen=True):
    """Mean calibrated overall of each item, on the panel's scale, and how each reviewer's scale was seen.

    `without_spread` are reviewers whose own SD is 0 or unknown: only the panel's spread stands for theirs.
    """

    items: dict[str, float]
    scales: list[Scale]
    without_spread: list[str]


def design_problem(ratings: Sequence[Rating]) -> str:
    """Why calibrated scores are not offered, in a sentence; "" when the design allows them."""
    counts = Counter(rating.reviewer for rating in ratings)
    items = {rating.item for rating in ratings}
    if len(counts) < 2:
        return "There are fewer than two reviewers, so there is no other scale to compare with."
    fewest = min(counts, key=lambda reviewer: (counts[reviewer], reviewer))
    if counts[fewest] < LEAST_RATINGS:
        return (
            f"{fewest} scored {counts[fewest]} responses; a reviewer's scale shows only from {LEAST_RATINGS} responses "
            "on."
        )
    if len(ratings) == len(counts) * len(items):
        return "Every reviewer scored every response, so harshness cancels in the mean and calibrating adds only noise."
    groups = _groups(ratings)
    if groups > 1:
        return (
            f"The reviewers fall into {groups} groups without a response in common, so harshness cannot be told from "
            "what they saw."
        )
    return ""


def calibrated(ratings: Sequence[Rating]) -> Calibration:
    """Each item's mean of shrunken z scores, mapped back to the panel's mean and SD. Needs at least one rating.

    With n, m, s of a reviewer, the panel's mean g, its pooled within-reviewer variance p and the variance b between
    reviewers (by moments, at least 0): mean (n m + k g) / (n + k) with k = p / b, and SD
    sqrt(((n - 1) s^2 + 5 p) / (n + 4)).
    """
    values: dict[str, list[float]] = {}
    for rating in sorted(ratings, key=lambda each: (each.reviewer, each.item)):
        values.setdefault(rating.reviewer, []).append(rating.value)
    centre = fmean(value for given in values.values() for value in given)
    within = _within(values)
    between = _between(values, within)
    scales = {
        reviewer: _scale(reviewer, given, centre, within, between) for reviewer, given in values.items()
    }
    moved: dict[str, list[float]] = {}
    for rating in ratings:
        scale = scales[rating.reviewer]
        stretch = math.sqrt(within) / scale.shrunken_sd if scale.shrunken_sd else 1.0
        moved.setdefault(rating.item, []).append(centre + stretch * (rating.value - scale.shrunken_mean))
    return Calibration(
        items={item: math.fsum(given) / len(given) for item, given in moved.items()},
        scales=list(scales.values()),
        without_spread=[scale.reviewer for scale in scales.values() if not scale.sd],
    )


def _within(values: dict[str, list[float]]) -> float:
    """Pooled variance within reviewers; 0 when nobody has two ratings."""
    freedom = sum(len(given) - 1 for given in values.values())
    squares = math.fsum((len(given) - 1) * variance(given) for given in values.values() if len(given) > 1)
    return squares / freedom if freedom else 0.0


def _between(values: dict[str, list[float]], within: float) -> float:
    """Variance between the reviewers' true means: that of their means, less what chance makes of it."""
    if len(values) < 2:
        return 0.0
    chance = within * fmean(1 / len(given) for given in values.values())
    return max(0.0, variance([fmean(given) for given in values.values()]) - chance)


def _scale(reviewer: str, given: list[float], centre: float, within: float, between: float) -> Scale:
    count, mean = len(given), fmean(given)
    own = variance(given) if count > 1 else 0.0
    # Where reviewers do not differ more than by chance all means are the panel's.
    pull = within / between if between else math.inf
    shrunken = centre if math.isinf(pull) else (count * mean + pull * centre) / (count + pull)
    spread = math.sqrt(((count - 1) * own + _PRIOR * within) / (count - 1 + _PRIOR))
    return Scale(reviewer, count, mean, math.sqrt(own) if count > 1 else None, shrunken, spread)


def _groups(ratings: Sequence[Rating]) -> int:
    """How many groups of reviewers and items there are that have nothing in common."""
    leader: dict[tuple[bool, str], tuple[bool, str]] = {}

    def lead(node: tuple[bool, str]) -> tuple[bool, str]:
        while leader.setdefault(node, node) != node:
            leader[node] = leader[leader[node]]
            node = leader[node]
        return node

    for rating in ratings:
        leader[lead((True, rating.reviewer))] = lead((False, rating.item))
    return len({lead(node) for node in list(leader)})
