"""Weights that somebody tries out: a number and a slider for each, in percent, scaled to sum to 100 %."""

from collections.abc import Mapping
from fractions import Fraction

from msgspec import Struct

from rubric.core.weights import exact, percent_text
from workspace.core.words import say

# A slider can only show multiples of its step, so it counts as moved from half a step on.
STEP = Fraction(1, 2)
LONGEST_WEIGHT = 20


# One weight in a form: its number, its slider, and the values of both when the form was rendered.
Control = tuple[str, str, str]


class TriedWeights(Struct, frozen=True):
    """The values as typed, in percent, and scaled to shares that sum to 1.

    `faults` holds what is wrong, by criterion; if there are any, there are no shares. `moved` says how a changed
    criterion was changed: by "number" or "slider".
    """

    texts: dict[str, str]
    shares: dict[str, Fraction]
    faults: dict[str, str]
    moved: dict[str, str]


def tried_weights(controls: Mapping[str, Control], weights: Mapping[str, Fraction]) -> TriedWeights:
    """The weights of the controls: of number and slider the changed one counts, the number if both changed.

    A criterion without a control keeps its weight in `weights`.
    """
    texts, moved, standing = {}, {}, {}
    for key, weight in weights.items():
        texts[key] = standing[key] = percent_text(weight)
        if key in controls:
            by = _moved_by(controls[key])
            number, slider, _was = controls[key]
            texts[key] = slider if by == "slider" else number
            if by:
                moved[key] = by
    # The text of a weight is rounded; a weight that nobody changed counts with its exact value.
    values = {
        key: weights[key] * 100 if text == standing[key] else _value(text) for key, text in texts.items()
    }
    faults = {
        key: say(
            '"{text}" is no weight. Write a percentage from 0 to 100, such as 25.',
            text=texts[key][:LONGEST_WEIGHT],
        )
        for key, value in values.items()
        if value is None
    }
    found = {key: value for key, value in values.items() if value is not None}
    total = sum(found.values(), Fraction())
    if not faults and not total:
        faults = {"": say("All weights are 0. Give at least one criterion a weight.")}
    shares = {} if faults else {key: value / total for key, value in found.items()}
    return TriedWeights(texts, shares, faults, moved)


def _moved_by(control: Control) -> str:
    number, slider, standing = control
    if number != standing:
        return "number"
    slid, was = _value(slider), _value(standing)
    return "" if slid is None or was is None or abs(slid - was) <= STEP / 2 else "slider"


def _value(text: str) -> Fraction | None:
    try:
        value = exact(text.strip()) if len(text) <= LONGEST_WEIGHT else None
    except ValueError:
        return None
    return value if value is not None and 0 <= value <= 100 else None
