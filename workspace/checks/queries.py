"""When each act of the sweep last succeeded, as the sweep noted it."""

from datetime import datetime, timedelta

import msgspec
from django.core.cache import cache
from msgspec import Struct

SWEPT = "swept"
# The sweep comes every 10 seconds. An act that fails for this long needs somebody who looks at it.
SUCCEEDS_WITHIN = timedelta(minutes=10)


class SweepAct(Struct, frozen=True):
    """One act of the sweep: its name in the code, when it last succeeded, and since when and why it fails ("" if not).

    `error` may hold secrets: it is for admins.
    """

    name: str
    succeeded_at: datetime | None
    failing_since: datetime | None = None
    error: str = ""

    def count_seconds(self, now: datetime) -> float:
        since = self.succeeded_at or self.failing_since or now
        return max(0.0, (now - since).total_seconds())

    def is_late(self, now: datetime) -> bool:
        return self.count_seconds(now) > SUCCEEDS_WITHIN.total_seconds()


def load_acts() -> list[SweepAct]:
    return msgspec.convert(cache.get(SWEPT, []), list[SweepAct])
