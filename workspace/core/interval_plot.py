"""Geometry of figures with their intervals on one scale, such as how severe each reviewer is. Numbers in, shapes out.

The track is that of workspace.core.charts: 100 wide, 16 high, stretched to its place.
"""

import math
from collections.abc import Sequence

from msgspec import Struct

from workspace.core.charts import place

_STEPS = (0.05, 0.1, 0.2, 0.25, 0.5, 1.0, 2.0, 5.0)
_MOST_STEPS = 8


class IntervalRow(Struct, frozen=True):
    """One figure: `value` None where there is none; `other` is a second one to stand beside it, drawn as a bar.

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


class Placed(Struct, frozen=True):
    """The shapes of one row: paths of the dot, of its interval and of other figures; "" for what is not there."""

    row: IntervalRow
    dot: str
    interval: str
    other: str
    hollow: str
    number: int


class IntervalsChart(Struct, frozen=True):
    """All rows on one scale; `grid` is a path of lines at the `ticks`, `reference` one at the value that means nothing.

    `first` and `last` are the ends of the scale in words.
    """

    rows: list[Placed]
    grid: str
    reference: str
    first: str
    last: str
    reference_text: str
    has_intervals: bool


def interval_plot(
    rows: Sequence[IntervalRow], *, minimum: float, maximum: float, reference: float | None = None
) -> IntervalsChart:
    """Dots with brackets from `minimum` to `maximum`; what lies outside stands at the end of the scale."""
    lines = [place(at, minimum, maximum) for at in ticks(minimum, maximum)]
    middle = "" if reference is None else f"M{place(reference, minimum, maximum)} 0V16"
    return IntervalsChart(
        rows=[_placed(row, number, minimum, maximum) for number, row in enumerate(rows, start=1)],
        grid="".join(f"M{x} 0V16" for x in lines),
        reference=middle,
        first=f"{minimum:g}",
        last=f"{maximum:g}",
        reference_text="" if reference is None else f"{reference:g}",
        has_intervals=any(row.low is not None and row.high is not None for row in rows),
    )


def symmetric(rows: Sequence[IntervalRow], *, least: float) -> tuple[float, float]:
    """A scale around 0 that holds every figure and interval, `least` on each side at the least."""
    found = [abs(each) for row in rows for each in (row.value, row.low, row.high) if each is not None]
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


def _placed(row: IntervalRow, number: int, minimum: float, maximum: float) -> Placed:
    dot, hollow = (
        "" if value is None else f"M{place(value, minimum, maximum)} 8h0" for value in (row.value, row.hollow)
    )
    interval = ""
    if row.low is not None and row.high is not None:
        start, end = place(row.low, minimum, maximum), place(row.high, minimum, maximum)
        interval = f"M{start} 5V11M{start} 8H{end}M{end} 5V11"
    other = "" if row.other is None else f"M{place(row.other, minimum, maximum)} 2V14"
    return Placed(row, dot, interval, other, hollow, number)
