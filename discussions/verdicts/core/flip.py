"""One figure per game for sorting and comparing; the verdict never uses it."""

from collections.abc import Iterable
from fractions import Fraction


def composite(parts: Iterable[tuple[float, Fraction | None, bool]]) -> float | None:
    """The weighted mean, 0 to 100, of (weight, share from 0 to 100, is applicable).

    A part that is not applicable is left out and the other weights are rescaled. None while an applicable part has no
    share yet, or when nothing with a weight applies.
    """
    total = Fraction(0)
    weights = Fraction(0)
    for weight, share, is_applicable in parts:
        if not is_applicable:
            continue
        if share is None:
            return None
        exact = Fraction(str(weight))
        total += exact * share
        weights += exact
    return float(total / weights) if weights else None


def verdict_flip_distance(
    *, passing: Iterable[int | None], failing: Iterable[int | None], needed: int, is_open: bool
) -> int | None:
    """How many judgements would turn the verdict: the cheapest metrics that together cross `needed` passes.

    `passing` and `failing` are the flip distances of the metrics that pass and fail now (None: cannot be turned by
    counted judgements). Kinds of judgements do not overlap, so distances add. `is_open` is false when the rating or
    the cost decides, whatever the other metrics do: then nothing counted would turn a FAIL, and the answer is None.
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
