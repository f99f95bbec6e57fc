"""When somebody has rated so long that a break does the judgements more good than another game.

Raters worked best in sittings of at most two hours with breaks between (Ling, Mollaun & Xi 2014: 72 raters, 14,000
responses), so a break is proposed, and nothing is ever forced.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta

from msgspec import Struct

BREAK = timedelta(minutes=10)
SITTING_MINUTES, SHOWN_MINUTES = 50, 5
# Nothing further back is read: nobody's sitting lasts as long.
LONGEST_SITTING = timedelta(hours=12)


class Sitting(Struct, frozen=True):
    """The acts of one person from the first after a break to the last; no two neighbours are a break apart."""

    began_at: datetime
    last_at: datetime

    @property
    def minutes(self) -> int:
        """How long it has lasted, in whole minutes."""
        return int((self.last_at - self.began_at).total_seconds() // 60)


def sitting_of(times: Iterable[datetime], now: datetime) -> Sitting | None:
    """The sitting that goes on at `now`, from the times of the person's acts in any order; None during a break."""
    newest_first = sorted((each for each in times if each <= now), reverse=True)
    if not newest_first or now - newest_first[0] >= BREAK:
        return None
    began = newest_first[0]
    for each in newest_first[1:]:
        if began - each >= BREAK:
            break
        began = each
    return Sitting(began, newest_first[0])


def break_due(sitting: Sitting | None) -> int:
    """After how many minutes a break is proposed now: 50, 100, ...; 0 when none is.

    It is proposed for five minutes of work and then leaves by itself, until another fifty are over.
    """
    if sitting is None or sitting.minutes < SITTING_MINUTES:
        return 0
    over = sitting.minutes % SITTING_MINUTES
    return sitting.minutes - over if over < SHOWN_MINUTES else 0
