"""Slots as records: how many a game has and should have, and how long a lease lasts."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from math import ceil

from msgspec import Struct

# The random numbers of slots are below this one.
SHUFFLES = 2**31


class SlotRecord(Struct, frozen=True):
    """One slot for rating: its row and number within the game, whether somebody has it, and whether it is closed.

    A closed slot that nobody has is not needed at present. `is_kept` says that it is assigned to a person.
    """

    key: int
    number: int
    is_taken: bool
    is_closed: bool
    is_kept: bool = False


class SlotChanges(Struct, frozen=True):
    """The changes that give a game as many slots as it needs: rows to close and to open, and numbers to create."""

    close: list[int] = []
    open: list[int] = []
    make: list[int] = []


def plan_slot_changes(places: Iterable[SlotRecord], needed: int) -> SlotChanges:
    """The changes that make as many slots as needed taken or free. Taken slots never change.

    Among free slots, reserved ones stay longest, and lower numbers stay before higher ones.
    """
    places = sorted(places, key=lambda place: place.number)
    taken = sum(place.is_taken for place in places)
    free = [place for place in places if not place.is_taken and not place.is_closed]
    room = max(0, needed - taken)
    if len(free) >= room:
        staying = sorted(free, key=lambda place: (not place.is_kept, place.number))
        return SlotChanges(close=sorted(place.key for place in staying[room:]))
    idle = [place.key for place in places if not place.is_taken and place.is_closed][: room - len(free)]
    first = places[-1].number + 1 if places else 1
    return SlotChanges(open=idle, make=list(range(first, first + room - len(free) - len(idle))))


LEASE = timedelta(minutes=30)
# Work renews a lease only when this much of it is gone, so that most acts write nothing more.
RENEWED_AFTER = timedelta(minutes=2)


def lease_from(now: datetime) -> datetime:
    """The end of the lease of a slot that is taken, or worked in, now."""
    return now + LEASE


def minutes_left(lease_until: datetime | None, now: datetime) -> int | None:
    """How many minutes are left of a lease, rounded up; None where none runs."""
    return None if lease_until is None else max(0, ceil((lease_until - now).total_seconds() / 60))
