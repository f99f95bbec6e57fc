"""How fast evaluations come in: how many a week, and how long a game takes from being taken to being handed in."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta
from statistics import median

from msgspec import Struct

WEEKS = 8


class Week(Struct, frozen=True):
    """The evaluations handed in within one week. `minutes` is their median, None without any."""

    monday: date
    count: int
    minutes: float | None


class Pace(Struct, frozen=True):
    """The last weeks, oldest first, the present one last and not over yet; `minutes` is the median over all of them."""

    weeks: list[Week]
    count: int
    minutes: float | None

    @property
    def most(self) -> int:
        """The count of the fullest week."""
        return max((week.count for week in self.weeks), default=0)


def first_monday(today: date, weeks: int = WEEKS) -> date:
    """The Monday with which the last so many weeks begin, the present one included."""
    return today - timedelta(days=today.weekday(), weeks=weeks - 1)


def pace_of(done: Iterable[tuple[datetime, datetime]], today: date, weeks: int = WEEKS) -> Pace:
    """The pace of evaluations given as (taken, handed in), in the time zone that weeks are counted in."""
    start = first_monday(today, weeks)
    minutes: list[list[float]] = [[] for _ in range(weeks)]
    for taken, handed_in in done:
        place = (handed_in.date() - start).days // 7
        if 0 <= place < weeks:
            minutes[place].append((handed_in - taken).total_seconds() / 60)
    everything = [one for week in minutes for one in week]
    found = [
        Week(start + timedelta(weeks=place), len(week), _median(week)) for place, week in enumerate(minutes)
    ]
    return Pace(found, len(everything), _median(everything))


def spoken(minutes: float | None) -> str:
    """A length of time as one says it: minutes below two hours, then hours, then days."""
    if minutes is None:
        return ""
    for unit, size, from_minutes in (("days", 60 * 24, 60 * 48), ("hours", 60, 120)):
        if minutes >= from_minutes:
            return f"{minutes / size:.1f} {unit}"
    whole = max(1, round(minutes))
    return "1 minute" if whole == 1 else f"{whole} minutes"


def _median(minutes: Sequence[float]) -> float | None:
    return median(minutes) if minutes else None
