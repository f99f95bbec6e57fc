"""How fast evaluations are submitted: how many a week, and how long a game takes from being taken to submission.

It also holds what each evaluator of a project has done and still has to do. This helps to plan work; it does not
compare people.

The active time of an evaluation is measured from its acts (taken, every judgement, submitted): the time between two
acts counts when it is five minutes or less; a longer one is a pause, and nobody knows how much of it was reading.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from statistics import median

from msgspec import Struct

from discussions.core.outcome import Outcome
from discussions.verdicts.core.rule import find_rating_flip
from workspace.core.words import say, say_many

WEEKS = 8


class Pace(Struct, frozen=True):
    """The last weeks, oldest first, the present one last and not over yet; `minutes` is the median over all of them.

    A week is its Monday, the number of evaluations submitted in it, and their median, None without any.
    """

    weeks: list[tuple[date, int, float | None]]
    count: int
    minutes: float | None

    @property
    def most(self) -> int:
        return max((count for _monday, count, _minutes in self.weeks), default=0)


def first_monday(today: date, weeks: int = WEEKS) -> date:
    """The Monday on which the last `weeks` weeks begin, including the present one."""
    return today - timedelta(days=today.weekday(), weeks=weeks - 1)


def compute_pace(done: Iterable[tuple[datetime, datetime]], today: date, weeks: int = WEEKS) -> Pace:
    """The pace of evaluations given as (taken, submitted), in the time zone that weeks are counted in.

    Lengths of time are those that passed, also across a change of the clocks.
    """
    start = first_monday(today, weeks)
    minutes: list[list[float]] = [[] for _ in range(weeks)]
    for taken, submitted in done:
        place = (submitted.date() - start).days // 7
        if 0 <= place < weeks:
            minutes[place].append((_utc(submitted) - _utc(taken)).total_seconds() / 60)
    everything = [value for week in minutes for value in week]
    found = [(start + timedelta(weeks=place), len(week), _median(week)) for place, week in enumerate(minutes)]
    return Pace(found, len(everything), _median(everything))


FARTHEST = 1_000_000


def rank_closeness(outcome: Outcome, tie_count: int, raters: int) -> int:
    """How far one more evaluation is from changing the verdict that an outcome gives so far; the lowest come first.

    0 while the verdict is pending or depends on an open metric. Else the fewest judgements that would turn it, or half
    points of the rating, over all its `raters`, less the ties, which the next answers break; not below 0. FARTHEST
    where nothing that people say would turn it.
    """
    if outcome.passes is None or outcome.open:
        return 0
    steps = [step for step in (outcome.flip_distance, find_rating_flip(outcome, raters)) if step is not None]
    return max(0, min(steps) - tie_count) if steps else FARTHEST


def _utc(moment: datetime) -> datetime:
    """Python subtracts and compares the wall clocks of two moments in one time zone, which change twice a year."""
    return moment.astimezone(UTC)


def format_duration(minutes: float | None) -> str:
    """A length of time in words: minutes below two hours, then hours, then days."""
    if minutes is None:
        return ""
    if minutes >= 60 * 48:
        return say("{count:.1f} days", count=minutes / 60 / 24)
    if minutes >= 120:
        return say("{count:.1f} hours", count=minutes / 60)
    return say_many("{n} minute", "{n} minutes", max(1, round(minutes)))


def _median(minutes: Sequence[float]) -> float | None:
    return median(minutes) if minutes else None


PAUSE = timedelta(minutes=5)


SHORT_DAYS, LONG_DAYS = 7, 28


class CompletedWork(Struct, frozen=True):
    """An evaluation that was submitted. `minutes` are its active ones, None where they were not measured."""

    person: int
    submitted_at: datetime
    message_count: int
    minutes: float | None = None


class Held(Struct, frozen=True):
    """A person's present work: games that are open, returned, paused, or assigned but not started."""

    open: int = 0
    sent_back: int = 0
    set_aside: int = 0
    assigned: int = 0


class Load(Struct, frozen=True):
    """One person's load. The medians are over the last 28 days; None without a measured evaluation in them."""

    person: int
    name: str
    done_short: int
    done_long: int
    minutes: float | None
    minutes_per_100: float | None
    held: Held

    @property
    def ahead(self) -> int:
        """How many games they have to do: open, returned, and assigned."""
        return self.held.open + self.held.sent_back + self.held.assigned


def active_minutes(times: Iterable[datetime]) -> float | None:
    """Minutes of work among these times, pauses left out; None where no two of them are close enough to tell."""
    steps = [later - earlier for earlier, later in pairwise(sorted(map(_utc, times)))]
    worked = [step for step in steps if step <= PAUSE]
    return sum(worked, timedelta()).total_seconds() / 60 if worked else None


def compute_loads(
    names: Mapping[int, str], done: Sequence[CompletedWork], held: Mapping[int, Held], now: datetime
) -> list[Load]:
    ordered = sorted(names.items(), key=lambda item: (item[1].casefold(), item[0]))
    return [_load(person, name, done, held.get(person, Held()), now) for person, name in ordered]


def _load(person: int, name: str, done: Sequence[CompletedWork], held: Held, now: datetime) -> Load:
    within = [
        work for work in done if work.person == person and work.submitted_at > now - timedelta(days=LONG_DAYS)
    ]
    timed = [(work.minutes, work.message_count) for work in within if work.minutes is not None]
    per_100 = [100 * minutes / count for minutes, count in timed if count]
    return Load(
        person=person,
        name=name,
        done_short=sum(work.submitted_at > now - timedelta(days=SHORT_DAYS) for work in within),
        done_long=len(within),
        minutes=median(minutes for minutes, _count in timed) if timed else None,
        minutes_per_100=median(per_100) if per_100 else None,
        held=held,
    )
