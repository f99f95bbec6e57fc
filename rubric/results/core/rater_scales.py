"""Severe and lenient reviewers on one scale: z scores where the design allows them, and crossed random effects.

If everybody judged everything, severity cancels in the mean, and standardising only adds noise. If reviewers saw few or
unconnected items, their severity cannot be told from the items. Crossed random effects need no complete lists and stay
near the raw mean if there is little evidence. Stored scores do not change.
"""

import math
from collections import Counter
from collections.abc import Sequence
from statistics import fmean, variance

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from workspace.core.words import say

LEAST_RATINGS = 10
_PRIOR = 5


class Rating(Struct, frozen=True):
    """One reviewer's overall of one response; all of one rubric version."""

    reviewer: str
    item: str
    value: float


def design_problem(ratings: Sequence[Rating]) -> str:
    """A sentence that says why calibrated scores are not offered; "" when the design allows them."""
    counts = Counter(rating.reviewer for rating in ratings)
    items = {rating.item for rating in ratings}
    if len(counts) < 2:
        return say("There are fewer than two reviewers, so there is no other scale to compare with.")
    fewest = min(counts, key=lambda reviewer: (counts[reviewer], reviewer))
    if counts[fewest] < LEAST_RATINGS:
        return say(
            "{fewest} scored {counts} responses; a reviewer's scale shows only from "
            "{least_ratings} responses on.",
            fewest=fewest,
            counts=counts[fewest],
            least_ratings=LEAST_RATINGS,
        )
    if len(ratings) == len(counts) * len(items):
        return say(
            "Every reviewer scored every response, so severity cancels in the mean and calibrating adds only noise."
        )
    groups = _groups(ratings)
    if groups > 1:
        return say(
            "The reviewers fall into {groups} groups without a response in common, so severity "
            "cannot be told from what they saw.",
            groups=groups,
        )
    return ""


def calibrate(ratings: Sequence[Rating]) -> dict[str, float]:
    """Each item's mean of shrunken z scores, mapped back to the panel's mean and SD. Needs at least one rating.

    With n, m, s of a reviewer, the panel's mean g, its pooled within-reviewer variance p and the variance b between
    reviewers (by moments, at least 0): mean (n m + k g) / (n + k) with k = p / b, and SD
    sqrt(((n - 1) s^2 + 5 p) / (n + 4)).
    """
    values: dict[str, list[float]] = {}
    for rating in sorted(ratings, key=lambda rating: (rating.reviewer, rating.item)):
        values.setdefault(rating.reviewer, []).append(rating.value)
    centre = fmean(value for given in values.values() for value in given)
    within = _within(values)
    between = _between(values, within)
    scales = {reviewer: _scale(given, centre, within, between) for reviewer, given in values.items()}
    moved: dict[str, list[float]] = {}
    for rating in ratings:
        mean, sd = scales[rating.reviewer]
        stretch = math.sqrt(within) / sd if sd else 1.0
        moved.setdefault(rating.item, []).append(centre + stretch * (rating.value - mean))
    return {item: math.fsum(given) / len(given) for item, given in moved.items()}


def _within(values: dict[str, list[float]]) -> float:
    """Pooled variance within reviewers; 0 when nobody has two ratings."""
    freedom = sum(len(given) - 1 for given in values.values())
    squares = math.fsum((len(given) - 1) * variance(given) for given in values.values() if len(given) > 1)
    return squares / freedom if freedom else 0.0


def _between(values: dict[str, list[float]], within: float) -> float:
    """Variance between the reviewers' true means: the variance of their observed means minus the part due to chance."""
    if len(values) < 2:
        return 0.0
    chance = within * fmean(1 / len(given) for given in values.values())
    return max(0.0, variance([fmean(given) for given in values.values()]) - chance)


def _scale(given: list[float], centre: float, within: float, between: float) -> tuple[float, float]:
    """A reviewer's mean and SD, both shrunk to the panel's."""
    count, mean = len(given), fmean(given)
    own = variance(given) if count > 1 else 0.0
    # If reviewers differ no more than by chance, all means are the panel's.
    pull = within / between if between else math.inf
    shrunken = centre if math.isinf(pull) else (count * mean + pull * centre) / (count + pull)
    spread = math.sqrt(((count - 1) * own + _PRIOR * within) / (count - 1 + _PRIOR))
    return shrunken, spread


def _groups(ratings: Sequence[Rating]) -> int:
    """The number of groups of reviewers and items that have nothing in common."""
    leader: dict[tuple[bool, str], tuple[bool, str]] = {}

    def lead(node: tuple[bool, str]) -> tuple[bool, str]:
        while leader.setdefault(node, node) != node:
            leader[node] = leader[leader[node]]
            node = leader[node]
        return node

    for rating in ratings:
        leader[lead((True, rating.reviewer))] = lead((False, rating.item))
    return len({lead(node) for node in list(leader)})


STEPS = 400
_CLOSE = 1e-10
Vector = NDArray[np.float64]
Indexes = NDArray[np.int64]


def crossed_effects(
    ratings: Sequence[Rating],
) -> tuple[dict[str, float], dict[str, float], tuple[float, ...]] | str:
    """Best linear predictions under y = mean + item + reviewer + noise, or a sentence that says why there are none.

    The overall of each item on the panel's scale, the severity of each reviewer (positive: lenient), and the variances
    of items, reviewers and noise.

    The variances are found by expectation and maximisation with the inverse of the mixed-model equations (Henderson
    1953; Searle, Casella and McCulloch 1992, 8.3). The order of the ratings does not change the result.
    """
    items, reviewers = (
        sorted({getattr(rating, name) for rating in ratings}) for name in ("item", "reviewer")
    )
    if len(items) < 2 or len(reviewers) < 2:
        return say("Two responses and two reviewers are needed to tell quality from severity.")
    if len(ratings) <= len(items) + len(reviewers) - 1:
        return say("There are too few scores to tell quality, severity and noise apart.")
    ordered = sorted(ratings, key=lambda rating: (rating.item, rating.reviewer, rating.value))
    values = np.array([row.value for row in ordered])
    if not values.var():
        return say("All overalls are equal, so there is nothing to tell apart.")
    item_at, column_at = ({name: at for at, name in enumerate(names)} for names in (items, reviewers))
    of_item = np.array([item_at[row.item] for row in ordered])
    rest = np.zeros((len(ordered), 1 + len(reviewers)))
    rest[:, 0] = 1
    rest[np.arange(len(ordered)), [1 + column_at[row.reviewer] for row in ordered]] = 1
    of_items, others, variances = _predicted(of_item, rest, values)
    return (
        {item: float(others[0] + effect) for item, effect in zip(items, of_items, strict=True)},
        {name: float(effect) for name, effect in zip(reviewers, others[1:], strict=True)},
        tuple(map(float, variances)),
    )


def _predicted(of_item: Indexes, rest: Vector, values: Vector) -> tuple[Vector, Vector, Vector]:
    """Effects of items, the mean with the effects of reviewers, and the variances of items, reviewers and noise.

    The equations' block of items is diagonal, so only the block of the reviewers is inverted.
    """
    counts = np.bincount(of_item).astype(float)
    item_sums = np.bincount(of_item, values)
    shared = np.array([np.bincount(of_item, column) for column in rest.T])
    products, sums = rest.T @ rest, rest.T @ values
    variances = np.full(3, values.var() / 3)
    for _ in range(STEPS):
        diagonal = counts + variances[2] / max(variances[0], _CLOSE)
        ridge = np.full(len(sums), variances[2] / max(variances[1], _CLOSE))
        ridge[0] = 0
        inverse = np.linalg.inv(products + np.diag(ridge) - (shared / diagonal) @ shared.T)
        others = inverse @ (sums - shared @ (item_sums / diagonal))
        of_items = (item_sums - others @ shared) / diagonal
        item_spread = 1 / diagonal + np.einsum("ki,kl,li->i", shared, inverse, shared) / diagonal**2
        renewed = np.array([
            np.mean(of_items**2 + variances[2] * item_spread),
            np.mean(others[1:] ** 2 + variances[2] * np.diag(inverse)[1:]),
            max(values @ (values - rest @ others - of_items[of_item]) / (len(values) - 1), _CLOSE),
        ])  # fmt: skip
        is_converged = np.allclose(renewed, variances, rtol=1e-7, atol=_CLOSE)
        variances = renewed
        if is_converged:
            break
    return of_items, others, variances
