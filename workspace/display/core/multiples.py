"""Scales, levels and arms: where values stand on an axis of a chart.

Numbers in, shapes out.

Unlike a track of workspace.display.core.charts, a multiple is not stretched: its units, also of its text, are those of
the SVG's view box. An arm is one row of a comparison on such a track.
"""

import math
from collections.abc import Sequence

from msgspec import Struct

from workspace.display.core.charts import HEIGHT as TRACK
from workspace.display.core.charts import compute_track_position

NARROW, HEIGHT = 360, 168
LEFT, RIGHT, TOP, BOTTOM = 34, 12, 10, 36
MOST_TICKS = 5

# Dots of an arm that are nearer to each other than this are stacked, with their centres this far apart.
NEAR, STEP = 2.0, 4.5


class Point(Struct, frozen=True):
    """One value, of the thing with that number; a hollow one counts differently, one taken out does not count."""

    number: int
    value: float
    is_hollow: bool = False
    is_out: bool = False


# Where a value stands on a track of 100 x 16.
Dot = tuple[float, float, Point]


class Axis(Struct, frozen=True):
    """The range of a chart; `step` is the distance of its ticks."""

    minimum: float
    maximum: float
    step: float


def compute_scale(
    values: Sequence[float], *, step: float, least: float, lowest: float, highest: float = math.inf
) -> Axis:
    """A scale of whole steps that holds every value, at least `least` wide; it grows downwards.

    It stays within `lowest` and `highest` as far as whole steps allow.
    """
    bottom = math.floor(min(values, default=lowest) / step) * step
    top = min(highest, max(math.ceil(max(values, default=lowest) / step) * step, bottom + step))
    span = max(least, top - bottom)
    between = step * math.ceil(round(span / step / MOST_TICKS, 6))
    span = between * math.ceil(round(span / between, 6))
    if top - span < lowest:
        top = min(highest, lowest + span)
    return Axis(round(max(lowest, top - span), 6), round(top, 6), round(between, 6))


def level(value: float, scale: Axis) -> float:
    foot = HEIGHT - BOTTOM
    y = foot - (foot - TOP) * (value - scale.minimum) / (scale.maximum - scale.minimum)
    return round(y if TOP <= y <= foot else TOP if y < TOP else foot, 1)


class Arm(Struct, frozen=True):
    """One side of a comparison: its values, their mean and the interval of that, `text` as the page shows the mean."""

    label: str
    values: Sequence[Point]
    mean: float | None
    text: str
    low: float | None = None
    high: float | None = None


class Arms(Struct, frozen=True):
    """Both sides on one scale; `threshold_x` is where they pass, `grid` a path with a line at every tick.

    Of each side its shapes: dots (x, y, value), x of the mean, a path of the interval.
    """

    rows: list[tuple[Arm, list[Dot], float | None, str]]
    scale: Axis
    threshold_x: float
    grid: str


def arms(rows: Sequence[Arm], scale: Axis, *, threshold: float) -> Arms:
    """Both sides of a comparison under each other, a dot for each value."""
    low, high = scale.minimum, scale.maximum
    count = math.floor(round((high - low) / scale.step, 6))
    lines = [compute_track_position(low + scale.step * at, low, high) for at in range(1, count + 1)]
    return Arms(
        rows=[
            (
                arm,
                _stacked(arm.values, scale),
                None if arm.mean is None else compute_track_position(arm.mean, low, high),
                _bracket(arm, scale),
            )
            for arm in rows
        ],
        scale=scale,
        threshold_x=compute_track_position(threshold, low, high),
        grid="".join(f"M{x:g} 0V{TRACK}" for x in lines if x < 100),
    )


def _bracket(arm: Arm, scale: Axis) -> str:
    if arm.low is None or arm.high is None:
        return ""
    start, end = (
        compute_track_position(value, scale.minimum, scale.maximum) for value in (arm.low, arm.high)
    )
    return f"M{start:g} 5V11M{start:g} 8H{end:g}M{end:g} 5V11"


def _stacked(values: Sequence[Point], scale: Axis) -> list[Dot]:
    """Each value at its own x; those that would touch stand above each other around the middle."""
    placed = sorted(
        (compute_track_position(value.value, scale.minimum, scale.maximum), at)
        for at, value in enumerate(values)
    )
    stacks: list[list[tuple[float, int]]] = []
    for x, at in placed:
        if stacks and x - stacks[-1][0][0] < NEAR:
            stacks[-1].append((x, at))
        else:
            stacks.append([(x, at)])
    found = []
    for several in stacks:
        step = min(STEP, (TRACK - 4) / max(1, len(several) - 1))
        top = TRACK / 2 - step * (len(several) - 1) / 2
        found += [(x, round(top + step * row, 1), values[at]) for row, (x, at) in enumerate(several)]
    return found


# Values in a chart of an iteration history: the least games of one iteration.
HISTORY_VALUES = 3
# Dots behind one of the means of a chart.
DOTS = 3
# Points of a scatter plot, and of the correlations beside it.
SCATTER_POINTS = 10
# Reviewers needed to say what would change a winner.
REVIEWERS = 2
