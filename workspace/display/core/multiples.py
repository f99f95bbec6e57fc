"""Geometry of small multiples: one small chart per figure over the same columns, a dot for each value.

Numbers in, shapes out.

Unlike a track of workspace.display.core.charts, a multiple is not stretched: its units, also of its text, are those of
the SVG's view box. An arm is one row of a comparison on such a track.
"""

import math
from collections.abc import Sequence

from msgspec import Struct

from workspace.display.core.charts import HEIGHT as TRACK
from workspace.display.core.charts import compute_track_position

NARROW, WIDE, HEIGHT = 360, 1080, 168
LEFT, RIGHT, TOP, BOTTOM = 34, 12, 10, 36
MOST_NARROW = 24
LEAST_COLUMN, LABEL_ROOM = 10, 22
SPREAD = 11.0
MOST_TICKS = 5

# Dots of an arm that are nearer to each other than this are stacked, with their centres this far apart.
NEAR, STEP = 2.0, 4.5


class Point(Struct, frozen=True):
    """One value, of the thing with that number; a hollow one counts differently, one taken out does not count."""

    number: int
    value: float
    is_hollow: bool = False
    is_out: bool = False


class Column(Struct, frozen=True):
    """The values that stand above each other, and their mean.

    The line to the mean comes from the column at place `origin` (None: from nowhere); it is broken where `is_tried`,
    since a change that was only tried is not continued. `label` and `mark` stand under the column.
    """

    label: str
    values: Sequence[Point]
    mean: float | None
    origin: int | None = None
    is_tried: bool = False
    mark: str = ""


class Dot(Struct, frozen=True):
    x: float
    y: float
    value: Point


class Upright(Struct, frozen=True):
    """A column: the middle of it, its dots, its label ("" where there is no room for all of them) and its mark."""

    x: float
    dots: list[Dot]
    label: str
    mark: str


class AxisTick(Struct, frozen=True):
    y: float
    text: str


class Multiple(Struct, frozen=True):
    """One small chart: `means` is a path of the means, `line` and `tried` those of the lines between them.

    `rules` are the thresholds, `ticks` the figures of the scale.
    """

    width: int
    height: int
    left: int
    right: int
    foot: int
    columns: list[Upright]
    means: str
    line: str
    tried: str
    rules: list[AxisTick]
    ticks: list[AxisTick]


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


def compute_width(count: int) -> int:
    if count <= MOST_NARROW:
        return NARROW
    return max(WIDE, LEFT + RIGHT + LEAST_COLUMN * count)


def multiple(columns: Sequence[Column], scale: Axis, *, rules: Sequence[tuple[float, str]] = ()) -> Multiple:
    """The small chart of these columns, a rule at every threshold; values outside the scale are drawn at its end."""
    width = compute_width(len(columns))
    room = (width - LEFT - RIGHT) / max(1, len(columns))
    middles = [round(LEFT + room * (at + 0.5), 1) for at in range(len(columns))]
    every = max(1, math.ceil(LABEL_ROOM / room))
    half = min(9.0, room * 0.42)
    levels = [None if column.mean is None else level(column.mean, scale) for column in columns]
    return Multiple(
        width=width,
        height=HEIGHT,
        left=LEFT,
        right=width - RIGHT,
        foot=HEIGHT - BOTTOM,
        columns=[
            Upright(
                x=x,
                dots=_dots(column.values, x, room, scale),
                label=column.label if at % every == 0 else "",
                mark=column.mark,
            )
            for at, (column, x) in enumerate(zip(columns, middles, strict=True))
        ],
        means="".join(
            f"M{x - half:.1f} {y}h{2 * half:.1f}"
            for x, y in zip(middles, levels, strict=True)
            if y is not None
        ),
        line=_lines(columns, middles, levels, is_tried=False),
        tried=_lines(columns, middles, levels, is_tried=True),
        rules=[AxisTick(level(value, scale), text) for value, text in rules],
        ticks=_ticks(scale),
    )


def level(value: float, scale: Axis) -> float:
    foot = HEIGHT - BOTTOM
    y = foot - (foot - TOP) * (value - scale.minimum) / (scale.maximum - scale.minimum)
    return round(y if TOP <= y <= foot else TOP if y < TOP else foot, 1)


def _dots(values: Sequence[Point], x: float, room: float, scale: Axis) -> list[Dot]:
    """The values of a column side by side in their own order, so that equal ones do not hide each other."""
    if not values:
        return []
    apart = min(SPREAD, room * 0.8 / len(values))
    first = x - apart * (len(values) - 1) / 2
    return [
        Dot(round(first + apart * at, 1), level(value.value, scale), value) for at, value in enumerate(values)
    ]


def _lines(
    columns: Sequence[Column], middles: Sequence[float], levels: Sequence[float | None], *, is_tried: bool
) -> str:
    drawn = []
    for at, column in enumerate(columns):
        if column.origin is None or column.is_tried is not is_tried:
            continue
        before, after = levels[column.origin], levels[at]
        if before is not None and after is not None:
            drawn.append(f"M{middles[column.origin]} {before}L{middles[at]} {after}")
    return "".join(drawn)


def _ticks(scale: Axis) -> list[AxisTick]:
    count = math.floor(round((scale.maximum - scale.minimum) / scale.step, 6))
    at = [scale.minimum + scale.step * number for number in range(count + 1)]
    return [AxisTick(level(value, scale), f"{value:g}") for value in at]


class Arm(Struct, frozen=True):
    """One side of a comparison: its values, their mean and the interval of that, `text` as the page shows the mean."""

    label: str
    values: Sequence[Point]
    mean: float | None
    text: str
    low: float | None = None
    high: float | None = None


class PlacedArm(Struct, frozen=True):
    """The shapes of an arm on a track of 100 x 16: dots, x of the mean, a path of the interval."""

    arm: Arm
    dots: list[Dot]
    mean_x: float | None
    interval: str


class Arms(Struct, frozen=True):
    """Both sides on one scale; `threshold_x` is where they pass, `grid` a path with a line at every tick."""

    rows: list[PlacedArm]
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
            PlacedArm(
                arm=arm,
                dots=_stacked(arm.values, scale),
                mean_x=None if arm.mean is None else compute_track_position(arm.mean, low, high),
                interval=_bracket(arm, scale),
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
        found += [Dot(x, round(top + step * row, 1), values[at]) for row, (x, at) in enumerate(several)]
    return found
