"""How long somebody holds a place on a game, and when their work renews it."""

from datetime import datetime, timedelta
from math import ceil

LEASE = timedelta(minutes=30)
# Work renews a lease only when this much of it is gone, so that most acts write nothing more.
RENEWED_AFTER = timedelta(minutes=2)


def lease_from(now: datetime) -> datetime:
    """Until when a place is held that is taken, or worked in, now."""
    return now + LEASE


def is_due(lease_until: datetime | None, now: datetime) -> bool:
    """Whether work in a place now is to renew its lease."""
    return lease_until is None or lease_until - now <= LEASE - RENEWED_AFTER


def minutes_left(lease_until: datetime | None, now: datetime) -> int | None:
    """How many minutes are left of a lease, begun ones counted; None where none runs."""
    return None if lease_until is None else max(0, ceil((lease_until - now).total_seconds() / 60))
