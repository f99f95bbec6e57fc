"""Scales of scores, and the one formula that converts a score from its own scale to the common one, 1 to 10."""

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

from msgspec import Struct

from rubric.core.weights import decimal_text, exact
from workspace.core.words import plainly, say

LOWEST, HIGHEST = 1, 10
Number = int | float
Value = int | float | Fraction


class Scale(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The possible scores: from `lowest` to `highest`, in steps of `step`.

    People choose from the steps, and models are asked for them. A score that came as text may lie between two steps.
    """

    lowest: Number
    highest: Number
    step: Number = 1

    @property
    def points(self) -> tuple[str, ...]:
        """Every score that can be chosen, as text, the lowest first."""
        return _points(self)

    @property
    def text(self) -> str:
        """ "1 to 5", "0 or 1", "0 to 3 in steps of 0.5"."""
        low, high = write_number(self.lowest), write_number(self.highest)
        if exact(self.lowest) + exact(self.step) == exact(self.highest):
            return say("{low} or {high}", low=low, high=high)
        if self.step == 1:
            return say("{low} to {high}", low=low, high=high)
        return say("{low} to {high} in steps of {step}", low=low, high=high, step=write_number(self.step))

    @property
    def plain_text(self) -> str:
        """The same as it is written in drafts, in prompts and in what is noted of an answer, in no language."""
        with plainly():
            return self.text

    @property
    def is_common(self) -> bool:
        return (self.lowest, self.highest) == (LOWEST, HIGHEST)

    def holds(self, value: Number) -> bool:
        """Whether a score lies on the scale or between two of its steps."""
        return self.lowest <= value <= self.highest

    def is_step(self, value: Number) -> bool:
        steps = (exact(value) - exact(self.lowest)) / exact(self.step)
        return self.holds(value) and steps.denominator == 1


COMMON = Scale(LOWEST, HIGHEST)
Scales = Mapping[str, Scale]


def bring_to_common(value: Value, scale: Scale) -> Value:
    """1 + 9 x (value - lowest) / (highest - lowest), exactly; for a scale from 1 to 10, the value itself."""
    return value if scale.is_common else rescale(value, scale, COMMON)


def bring_all(scores: Mapping[str, Value], scales: Scales) -> Mapping[str, Value]:
    """Scores by criterion on the common scale; unchanged if no criterion has a scale of its own."""
    if not scales:
        return scores
    return {key: bring_to_common(value, scales.get(key, COMMON)) for key, value in scores.items()}


def take_from_common(value: Value, scale: Scale) -> Value:
    return value if scale.is_common else rescale(value, COMMON, scale)


def rescale(value: Value, scale: Scale, onto: Scale) -> Fraction:
    """A score converted from one scale to another: lowest to lowest, highest to highest, linear in between."""
    low, high = exact(onto.lowest), exact(onto.highest)
    start, end = exact(scale.lowest), exact(scale.highest)
    return low + (high - low) * (exact(value) - start) / (end - start)


def rescale_score(value: Number, scale: Scale, onto: Scale = COMMON) -> Number:
    """The same as a number that JSON can hold."""
    mapped = rescale(value, scale, onto)
    return int(mapped) if mapped.denominator == 1 else float(mapped)


def write_number(number: Value) -> str:
    """A number in decimals, without a point if it is whole."""
    return decimal_text(exact(number))


def is_number(value: Any) -> bool:
    """Whether a value of JSON is a finite number; booleans are not."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def is_scale(value: Any) -> bool:
    """Whether a value of JSON is a list of a lower and a higher number."""
    is_pair = isinstance(value, list) and len(value) == 2 and all(map(is_number, value))
    return is_pair and value[0] < value[1]


@lru_cache(maxsize=256)
def _points(scale: Scale) -> tuple[str, ...]:
    low, step = exact(scale.lowest), exact(scale.step)
    count = int((exact(scale.highest) - low) / step)
    return tuple(write_number(low + at * step) for at in range(count + 1))
