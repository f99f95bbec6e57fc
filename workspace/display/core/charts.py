"""Geometry of charts: numbers in, shapes out. Templates draw the shapes as SVG, with classes and no styles.

A track is 100 units wide and 16 high and is stretched to fit, so every x is a percentage of the track.
"""

import math
from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from workspace.core.text import with_minus

WIDTH = 100
HEIGHT = 16
# How many parts of a share bar look different; templates/components/swatch.html draws each once.
PATTERNS = 6


def compute_track_position(value: float, minimum: float, maximum: float) -> float:
    if maximum <= minimum:
        return 0.0
    share = (value - minimum) / (maximum - minimum)
    return round(WIDTH * min(1.0, max(0.0, share)), 2)


def _upright(value: float, minimum: float, maximum: float) -> str:
    return f"M{compute_track_position(value, minimum, maximum)} 0V{HEIGHT}"


def _bracket(low: float | None, high: float | None, minimum: float, maximum: float) -> str:
    if low is None or high is None:
        return ""
    start, end = compute_track_position(low, minimum, maximum), compute_track_position(high, minimum, maximum)
    return f"M{start} 5V11M{start} 8H{end}M{end} 5V11"


class DotRow(Struct, frozen=True):
    """The values behind one mean: `points`, the `mean` itself, its interval `low` to `high`; `text` is shown."""

    label: str
    points: list[float]
    mean: float | None
    text: str
    low: float | None = None
    high: float | None = None
    says: str = ""


class DotsChart(Struct, frozen=True):
    """All rows on one scale from `minimum` to `maximum`; `grid` is a path with a line at each whole number.

    Of each row its shapes: a path whose subpaths are dots, x of the mean (None without), a path of the interval.
    """

    rows: list[tuple[DotRow, str, float | None, str]]
    minimum: float
    maximum: float
    grid: str
    has_intervals: bool


class Segment(Struct, frozen=True):
    """One part of a bar: its start, its width, its pattern `kind` (0 to 3) and the path of that pattern."""

    label: str
    text: str
    x: float
    width: float
    kind: int
    stripes: str


def dot_plot(rows: list[DotRow], *, minimum: float, maximum: float) -> DotsChart:
    """Every value as a dot, equal ones above each other; the mean and its interval over them."""
    drawn = [
        (
            row,
            _dots(row.points, minimum, maximum),
            None if row.mean is None else compute_track_position(row.mean, minimum, maximum),
            _bracket(row.low, row.high, minimum, maximum),
        )
        for row in rows
    ]
    grid = "".join(_upright(value, minimum, maximum) for value in range(int(minimum) + 1, int(maximum)))
    return DotsChart(drawn, minimum, maximum, grid, any(interval for _row, _dots, _mean, interval in drawn))


def scatter(points: list[tuple[float, float]], *, minimum: float, maximum: float) -> dict[str, str]:
    """The points in a square of 100 x 100 with y upwards, whose sides both run from minimum to maximum.

    Paths by how many lie on one spot: one is single, two or three are few, more are many.
    """
    spots = Counter(
        (
            round(compute_track_position(x, minimum, maximum)),
            round(WIDTH - compute_track_position(y, minimum, maximum)),
        )
        for x, y in points
    )
    paths = {"single": "", "few": "", "many": ""}
    for (x, y), count in sorted(spots.items()):
        paths["single" if count == 1 else "few" if count < 4 else "many"] += f"M{x} {y}h0"
    return paths


def share_bar(shares: list[tuple[str, str, float]]) -> list[Segment]:
    """Parts (label, text, share of 1) side by side on one track; neighbours differ by pattern, not by colour alone."""
    found, x = [], 0.0
    for number, (label, text, share) in enumerate(shares):
        width = round(WIDTH * share, 2)
        kind = number % PATTERNS
        found.append(Segment(label, text, round(x, 2), width, kind, _pattern(kind, x, width)))
        x += WIDTH * share
    return found


def _dots(points: list[float], minimum: float, maximum: float) -> str:
    """Each dot at its own x; those that would touch stand above each other around the middle."""
    stacks: dict[int, list[float]] = {}
    for x in sorted(compute_track_position(value, minimum, maximum) for value in points):
        stacks.setdefault(round(x), []).append(x)
    drawn = []
    for several in stacks.values():
        step = min(2.5, (HEIGHT - 3) / max(1, len(several) - 1))
        top = HEIGHT / 2 - step * (len(several) - 1) / 2
        drawn += [f"M{x:g} {top + step * at:g}h0" for at, x in enumerate(several)]
    return "".join(drawn)


def _pattern(kind: int, x: float, width: float) -> str:
    """Upright stripes for kind 1, level ones for kind 3, both for kind 5; the others are plain."""
    stripes = ""
    if kind in (1, 5):
        count = int((width - 0.01) // 2) if width > 0 else 0
        stripes = "".join(f"M{round(x + 2 * step, 2)} 1V15" for step in range(1, count + 1))
    if kind in (3, 5) and width > 0:
        stripes += "".join(f"M{round(x, 2)} {y}H{round(x + width, 2)}" for y in (4, 8, 12))
    return stripes


_STEPS = (0.05, 0.1, 0.2, 0.25, 0.5, 1.0, 2.0, 5.0)
_MOST_STEPS = 8


class IntervalRow(Struct, frozen=True):
    """One figure: `value` None where there is none; `other` is a second value, drawn as a bar.

    `hollow` is a second one of the same scale, drawn as a ring.
    `text` is the figure as the page shows it, `says` a word on it; `tone` "wait" makes it a note.
    """

    label: str
    value: float | None
    text: str
    low: float | None = None
    high: float | None = None
    other: float | None = None
    hollow: float | None = None
    says: str = ""
    tone: str = ""


class IntervalsChart(Struct, frozen=True):
    """All rows on one scale; `grid` is a path of lines at the `ticks`, `reference` one at the value that means nothing.

    Of each row its shapes: paths of the dot, of its interval, of the other and of the hollow figure; "" for what is not
    there. `first` and `last` are the ends of the scale in words.
    """

    rows: list[tuple[IntervalRow, str, str, str, str]]
    grid: str
    reference: str
    first: str
    last: str
    reference_text: str
    has_intervals: bool


def interval_plot(
    rows: Sequence[IntervalRow], *, minimum: float, maximum: float, reference: float | None = None
) -> IntervalsChart:
    """Dots with brackets from `minimum` to `maximum`; values outside are drawn at the end of the scale."""
    middle = "" if reference is None else _upright(reference, minimum, maximum)
    return IntervalsChart(
        rows=[(row, *_shapes(row, minimum, maximum)) for row in rows],
        grid="".join(_upright(value, minimum, maximum) for value in ticks(minimum, maximum)),
        reference=middle,
        first=with_minus(f"{minimum:g}"),
        last=with_minus(f"{maximum:g}"),
        reference_text="" if reference is None else with_minus(f"{reference:g}"),
        has_intervals=any(row.low is not None and row.high is not None for row in rows),
    )


def symmetric(rows: Sequence[IntervalRow], *, least: float) -> tuple[float, float]:
    """A scale around 0 that holds every figure and interval, at least `least` on each side."""
    found = [abs(value) for row in rows for value in (row.value, row.low, row.high) if value is not None]
    end = max([least, *found])
    step = _step(2 * end)
    end = math.ceil(round(end / step, 6)) * step
    return -end, end


def ticks(minimum: float, maximum: float) -> list[float]:
    """Round values inside the scale, at most eight."""
    step = _step(maximum - minimum)
    first = math.floor(minimum / step) + 1
    return [at * step for at in range(first, math.ceil(maximum / step)) if minimum < at * step < maximum]


def _step(width: float) -> float:
    return next((step for step in _STEPS if width / step <= _MOST_STEPS), max(1.0, width / _MOST_STEPS))


def _shapes(row: IntervalRow, minimum: float, maximum: float) -> tuple[str, str, str, str]:
    def draw(value: float | None, shape: str) -> str:
        return "" if value is None else f"M{compute_track_position(value, minimum, maximum)} {shape}"

    interval = _bracket(row.low, row.high, minimum, maximum)
    return draw(row.value, "8h0"), interval, draw(row.other, "2V14"), draw(row.hollow, "8h0")
