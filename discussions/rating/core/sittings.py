"""How long a person has judged without a break, and when one is proposed."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from msgspec import Struct

BREAK = timedelta(minutes=10)


SITTING_MINUTES, SHOWN_MINUTES = 50, 5


# Older acts are not read: no sitting lasts that long.
LONGEST_SITTING = timedelta(hours=12)


class Sitting(Struct, frozen=True):
    """The acts of one person since their last break."""

    began_at: datetime
    last_at: datetime

    @property
    def minutes(self) -> int:
        return int((self.last_at - self.began_at).total_seconds() // 60)


def find_sitting(times: Iterable[datetime], now: datetime) -> Sitting | None:
    """The current sitting at `now`, from the times of the person's acts in any order; None during a break."""
    newest_first = sorted((time for time in times if time <= now), reverse=True)
    if not newest_first or now - newest_first[0] >= BREAK:
        return None
    began = newest_first[0]
    for time in newest_first[1:]:
        if began - time >= BREAK:
            break
        began = time
    return Sitting(began, newest_first[0])


def break_due(sitting: Sitting | None) -> int:
    """The minutes after which a break is proposed now: 50, 100, ...; 0 for none.

    The proposal is shown for five minutes and returns after another fifty.
    """
    if sitting is None or sitting.minutes < SITTING_MINUTES:
        return 0
    over = sitting.minutes % SITTING_MINUTES
    return sitting.minutes - over if over < SHOWN_MINUTES else 0
