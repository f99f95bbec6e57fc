"""What the dashboard of a project computes: periods, lines of metrics, and when what is left will be done."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from math import ceil, sqrt
from typing import Any

from msgspec import Struct

DAYS, WEEKS = 14, 12
RECENT_WEEKS, LEAST_DAYS, LEAST_DONE = 4, 7, 5
FARTHEST = 730
DAY, WEEK = "day", "week"
DONE, NO_PACE, SHORT, FEW, FAR, KNOWN = "done", "no_pace", "short", "few", "far", "known"
# Half the width of a 95 % interval of the square root of a count (Poisson).
_HALF = 0.98


class Periods(Struct, frozen=True):
    """The first days of periods that follow each other up to today, oldest first; `unit` is "day" or "week"."""

    unit: str
    starts: list[date]


class GoalEstimate(Struct, frozen=True):
    """When what is left will be done at the pace of the last days.

    `state` is "known", or why there is no date: "done" (nothing is left), "no_pace" (nothing was done lately), "short"
    (less than a week to go by), "few" (fewer than 5 done), "far" (more than two years). `on` is the likeliest day; with
    95 % certainty it lies between `earliest` and `latest`, if the pace stays the same; `latest` is None where it is
    more than two years away.
    """

    state: str
    done: int
    days: int
    on: date | None = None
    earliest: date | None = None
    latest: date | None = None


def divide_time(first: date, today: date) -> Periods:
    """Days for a project of less than two weeks, otherwise weeks from Monday, at most twelve."""
    if (age := (today - first).days) < DAYS:
        return Periods(DAY, [first + timedelta(days=at) for at in range(max(0, age) + 1)])
    monday = today - timedelta(days=today.weekday())
    first_monday = first - timedelta(days=first.weekday())
    count = min(WEEKS, (monday - first_monday).days // 7 + 1)
    return Periods(WEEK, [monday - timedelta(weeks=count - 1 - at) for at in range(count)])


def estimate_end(*, left: int, done: Mapping[int, int], periods: Periods, today: date) -> GoalEstimate:
    """When `left` games will be done, at the pace of the last days or of the last four weeks, today included.

    `done` counts by index of the period, -1 before the first. Time before the first game that was done does not count.
    """
    recent = range(max(0, len(periods.starts) - RECENT_WEEKS), len(periods.starts))
    if periods.unit == DAY:
        recent = range(len(periods.starts))
    worked = [at for at in recent if done.get(at)]
    since = (
        recent[0] if any(count and at < recent[0] for at, count in done.items()) else min(worked, default=0)
    )
    days = (today - periods.starts[since]).days + 1
    count = sum(done.get(at, 0) for at in worked)
    if not left:
        return GoalEstimate(DONE, count, days)
    if not count:
        return GoalEstimate(NO_PACE, count, days)
    if days < LEAST_DAYS:
        return GoalEstimate(SHORT, count, days)
    if count < LEAST_DONE:
        return GoalEstimate(FEW, count, days)
    likely, slow, fast = (left * days / pace for pace in (count, *_bounds(count)))
    if likely > FARTHEST:
        return GoalEstimate(FAR, count, days)
    return GoalEstimate(
        KNOWN,
        count,
        days,
        on=today + timedelta(days=ceil(likely)),
        earliest=today + timedelta(days=ceil(fast)),
        latest=None if slow > FARTHEST else today + timedelta(days=ceil(slow)),
    )


def _bounds(count: int) -> tuple[float, float]:
    root = sqrt(count)
    return (root - _HALF) ** 2, (root + _HALF) ** 2


# The lines of metrics on the dashboard: their width, where the first point stands, the lowest and the highest place.
WIDTH, FIRST, FOOT, TOP = 248, 8, 34, 6


def place_columns(count: int) -> list[float]:
    """Where the points of so many iterations stand; one alone stands at the left."""
    step = (WIDTH - 2 * FIRST) / max(1, count - 1)
    return [round(FIRST + step * at, 1) for at in range(count)]


def draw_spark(means: Sequence[float | None], is_kept: Sequence[bool], needed: float) -> dict[str, Any]:
    """A dot for each known mean, a line through those that were kept, and the place of what is needed.

    The scale is the line's own: from the lowest to the highest of its means and of what is needed.
    """
    known = [mean for mean in means if mean is not None]
    low, high = min([needed, *known]), max([needed, *known])

    def get_y(value: float) -> float:
        share = (value - low) / (high - low) if high > low else 0.5
        return round(FOOT - (FOOT - TOP) * share, 1)

    columns = zip(place_columns(len(means)), means, is_kept, strict=True)
    dots = [(x, get_y(mean), mean < needed, kept) for x, mean, kept in columns if mean is not None]
    line = "L".join(f"{x:g} {y:g}" for x, y, _is_under, kept in dots if kept)
    return {"dots": dots, "path": f"M{line}" if line else "", "needed_y": get_y(needed)}
