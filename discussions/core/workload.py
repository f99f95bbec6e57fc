"""What each evaluator of a project has done and has before them: for planning who takes what, not for comparing people.

The active time of an evaluation is measured from its acts (taken, every judgement, handed in): the time between two
acts counts when it is five minutes or less; a longer one is a pause, and nobody knows how much of it was reading.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median

from msgspec import Struct

PAUSE = timedelta(minutes=5)
SHORT_DAYS, LONG_DAYS = 7, 28


class Done(Struct, frozen=True):
    """An evaluation that was handed in. `minutes` are its active ones, None where they were not measured."""

    person: int
    handed_in_at: datetime
    message_count: int
    minutes: float | None = None


class Held(Struct, frozen=True):
    """What somebody has now: games open, sent back to them, set aside by them, and kept for them but not begun."""

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
        """How many games are before them: open, sent back, and assigned."""
        return self.held.open + self.held.sent_back + self.held.assigned


def active_minutes(times: Iterable[datetime]) -> float | None:
    """Minutes of work among these times, pauses left out; None where no two of them are close enough to tell."""
    steps = [later - earlier for earlier, later in pairwise(sorted(times))]
    worked = [step for step in steps if step <= PAUSE]
    return sum(worked, timedelta()).total_seconds() / 60 if worked else None


def loads_of(
    names: Mapping[int, str], done: Sequence[Done], held: Mapping[int, Held], now: datetime
) -> list[Load]:
    """A load for every named person, in the order of names."""
    ordered = sorted(names.items(), key=lambda each: (each[1].casefold(), each[0]))
    return [_load(person, name, done, held.get(person, Held()), now) for person, name in ordered]


def _load(person: int, name: str, done: Sequence[Done], held: Held, now: datetime) -> Load:
    within = [
        each for each in done if each.person == person and each.handed_in_at > now - timedelta(days=LONG_DAYS)
    ]
    timed = [(each.minutes, each.message_count) for each in within if each.minutes is not None]
    per_100 = [100 * minutes / count for minutes, count in timed if count]
    return Load(
        person=person,
        name=name,
        done_short=sum(each.handed_in_at > now - timedelta(days=SHORT_DAYS) for each in within),
        done_long=len(within),
        minutes=median(minutes for minutes, _count in timed) if timed else None,
        minutes_per_100=median(per_100) if per_100 else None,
        held=held,
    )
