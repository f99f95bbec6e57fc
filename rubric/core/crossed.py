"""Crossed random effects: an overall is the response's quality plus the reviewer's severity plus noise.

Unlike z scores it needs no complete lists and stays near the raw mean where it can say little.
"""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from rubric.core.calibration import Rating

STEPS = 400
_CLOSE = 1e-10

Vector = NDArray[np.float64]
Indexes = NDArray[np.int64]


class Crossed(Struct, frozen=True):
    """Predicted overall of each item on the panel's scale, each reviewer's severity (positive: generous), variances."""

    items: dict[str, float]
    reviewers: dict[str, float]
    item_variance: float
    reviewer_variance: float
    noise_variance: float


def crossed_effects(ratings: Sequence[Rating]) -> Crossed | str:
    """Best linear predictions under y = mean + item + reviewer + noise, or a sentence why there are none.

    The variances are found by expectation and maximisation with the inverse of the mixed-model equations (Henderson
    1953; Searle, Casella and McCulloch 1992, 8.3). The order of the ratings changes nothing.
    """
    items, reviewers = (sorted({getattr(each, name) for each in ratings}) for name in ("item", "reviewer"))
    if len(items) < 2 or len(reviewers) < 2:
        return "Two responses and two reviewers are needed to tell quality from severity."
    if len(ratings) <= len(items) + len(reviewers) - 1:
        return "There are too few scores to tell quality, severity and noise apart."
    ordered = sorted(ratings, key=lambda each: (each.item, each.reviewer, each.value))
    values = np.array([each.value for each in ordered])
    if not values.var():
        return "All overalls are equal, so there is nothing to tell apart."
    item_at, column_at = ({name: at for at, name in enumerate(names)} for names in (items, reviewers))
    of_item = np.array([item_at[each.item] for each in ordered])
    rest = np.zeros((len(ordered), 1 + len(reviewers)))
    rest[:, 0] = 1
    rest[np.arange(len(ordered)), [1 + column_at[each.reviewer] for each in ordered]] = 1
    of_items, others, variances = _predicted(of_item, rest, values)
    return Crossed(
        items={item: float(others[0] + effect) for item, effect in zip(items, of_items, strict=True)},
        reviewers={name: float(effect) for name, effect in zip(reviewers, others[1:], strict=True)},
        item_variance=float(variances[0]),
        reviewer_variance=float(variances[1]),
        noise_variance=float(variances[2]),
    )


def _predicted(of_item: Indexes, rest: Vector, values: Vector) -> tuple[Vector, Vector, Vector]:
    """Effects of items, the mean with the effects of reviewers, and the variances of items, reviewers and noise.

    The equations' block of items is diagonal, so only one of the size of the reviewers is inverted.
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
        is_settled = np.allclose(renewed, variances, rtol=1e-7, atol=_CLOSE)
        variances = renewed
        if is_settled:
            break
    return of_items, others, variances
