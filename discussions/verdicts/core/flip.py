"""The judgements to flip of a verdict."""

from collections.abc import Iterable
from fractions import Fraction
from math import ceil

from discussions.metrics.core.metric import RATING


def verdict_flip_distance(
    *, passing: Iterable[int | None], failing: Iterable[int | None], needed: int, is_open: bool
) -> int | None:
    """The smallest number of judgements that would change the verdict.

    `passing` and `failing` are the flip distances of the metrics that pass and fail (None: no judgement changes the
    metric). Metrics share no judgements, so distances add up. `is_open` is false when the rating or the cost decides:
    then no judgement changes a FAIL, and the result is None.
    """
    passing, failing = list(passing), list(failing)
    if not is_open:
        return None
    if len(passing) >= needed:
        return _cheapest(passing, len(passing) - needed + 1)
    return _cheapest(failing, needed - len(passing))


def _cheapest(distances: list[int | None], how_many: int) -> int | None:
    known = sorted(distance for distance in distances if distance is not None)
    return sum(known[:how_many]) if len(known) >= how_many else None


HALF_POINTS = 2


def rating_flip_steps(rating: Fraction, threshold: Fraction, raters: int) -> int | None:
    """How many half points, over all raters together, would bring their mean rating across the threshold.

    None if no ratings of the scale would do so. A mean equal to the threshold passes.
    """
    now = HALF_POINTS * raters * rating
    least = ceil(HALF_POINTS * raters * threshold)
    if rating >= threshold:
        steps = int(now) - least + 1
        return steps if now - steps >= HALF_POINTS * raters * RATING.low else None
    return least - int(now) if least <= HALF_POINTS * raters * RATING.high else None
