"""Geometry of the charts: numbers in, shapes out. Templates draw the shapes as SVG, with classes and no styles.

A track is 100 units wide and 16 high and is stretched to its place, so every x is a percentage of the track.
"""

from msgspec import Struct

WIDTH = 100
STRIPE = 4

FAIL = "fail"


class BarRow(Struct, frozen=True):
    """One figure against its threshold, all in the unit of the figure.

    `value` is None while it is pending; `low`/`high` bound its interval where there is one. `text` is the figure as
    the page shows it, `detail` what stands behind it ("37 of 50"), `state` "pass", "fail" or "pending",
    `says` the word for it ("PASS by rule").
    """

    label: str
    value: float | None
    threshold: float | None
    text: str
    state: str = "pending"
    says: str = ""
    detail: str = ""
    low: float | None = None
    high: float | None = None
    minimum: float = 0.0
    maximum: float = 100.0
    interval_text: str = ""


class Bar(Struct, frozen=True):
    """The shapes of one row: widths and x from 0 to 100; an SVG path for the stripes of a failed bar."""

    row: BarRow
    width: float
    stripes: str
    threshold_x: float | None
    interval: str
    number: int


class BarsChart(Struct, frozen=True):
    """All rows of one chart, top to bottom."""

    bars: list[Bar]
    has_intervals: bool


def threshold_bars(rows: list[BarRow]) -> BarsChart:
    """Horizontal bars, each on its own scale, with a threshold and an interval where they are given."""
    bars = [_bar(row, number) for number, row in enumerate(rows, start=1)]
    return BarsChart(bars=bars, has_intervals=any(bar.interval for bar in bars))


def place(value: float, minimum: float, maximum: float) -> float:
    """Where a value stands on a track from 0 to 100; values outside the scale stand at its end."""
    if maximum <= minimum:
        return 0.0
    share = (value - minimum) / (maximum - minimum)
    return round(WIDTH * min(1.0, max(0.0, share)), 2)


def _bar(row: BarRow, number: int) -> Bar:
    width = 0.0 if row.value is None else place(row.value, row.minimum, row.maximum)
    return Bar(
        row=row,
        width=width,
        stripes=_stripes(width) if row.state == FAIL else "",
        threshold_x=None if row.threshold is None else place(row.threshold, row.minimum, row.maximum),
        interval=_interval(row),
        number=number,
    )


def _stripes(width: float) -> str:
    count = int((width - 0.01) // STRIPE) if width > 0 else 0
    return "".join(f"M{STRIPE * step} 3V13" for step in range(1, count + 1))


def _interval(row: BarRow) -> str:
    if row.low is None or row.high is None:
        return ""
    low = place(row.low, row.minimum, row.maximum)
    high = place(row.high, row.minimum, row.maximum)
    return f"M{low} 5V11M{low} 8H{high}M{high} 5V11"
