"""What `verify` is made of: named checks of the stored data, and what each of them found."""

from collections.abc import Callable, Iterable
from datetime import datetime

from msgspec import Struct

MOST_KEPT = 100


class Check(Struct, frozen=True):
    """One invariant: its code ("I7"), what holds when it does, and how to find every breach of it at a moment.

    A breach is one sentence that names the rows.
    """

    code: str
    says: str
    find: Callable[[datetime], Iterable[str]]


class Checked(Struct, frozen=True):
    """What one check found: how many breaches, and the sentences of the first hundred."""

    code: str
    says: str
    breach_count: int
    breaches: list[str]


def run_check(check: Check, now: datetime) -> Checked:
    """Run one check to its end, keeping the first breaches only."""
    kept: list[str] = []
    count = 0
    for breach in check.find(now):
        count += 1
        if count <= MOST_KEPT:
            kept.append(breach)
    return Checked(check.code, check.says, count, kept)
