"""Scales of scores: the lowest and the highest that could be given, mapped onto 1 to 10."""

import math
from typing import Any

from rubric.core.records import HIGHEST, LOWEST
from rubric.core.weights import exact

Number = int | float
Scale = tuple[Number, Number]
USUAL: Scale = (LOWEST, HIGHEST)


def is_number(value: Any) -> bool:
    """Whether a value of JSON is a finite number; truth values are none."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def is_scale(value: Any) -> bool:
    """Whether a value of JSON is a list of a lower and a higher number."""
    is_pair = isinstance(value, list) and len(value) == 2 and all(map(is_number, value))
    return is_pair and value[0] < value[1]


def rescale_score(value: Number, scale: Scale) -> Number:
    """A score of the scale as one of 1 to 10: the lowest is 1, the highest 10, and all between in proportion."""
    low, high = exact(scale[0]), exact(scale[1])
    mapped = LOWEST + (HIGHEST - LOWEST) * (exact(value) - low) / (high - low)
    return int(mapped) if mapped.denominator == 1 else float(mapped)
