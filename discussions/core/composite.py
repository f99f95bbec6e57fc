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
