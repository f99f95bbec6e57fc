"""How long somebody holds a place on a game, and when their work renews it."""

from datetime import datetime, timedelta

LEASE = timedelta(minutes=30)
# Work renews a lease only when this much of it is gone, so that most acts write nothing more.
RENEWED_AFTER = timedelta(minutes=2)


def lease_from(now: datetime) -> datetime:
    """Until when a place is held that is taken, or worked in, now."""
    return now + LEASE


def is_due(lease_until: datetime | None, now: datetime) -> bool:
    """Whether work in a place now is to renew its lease."""
    return lease_until is None or lease_until - now <= LEASE - RENEWED_AFTER


def has_ended(lease_until: datetime | None, now: datetime) -> bool:
    """Whether a lease ran out; one that does not run never does."""
    return lease_until is not None and lease_until <= now
