"""Which messages an evaluator judges blind: the audit sample of a metric, dealt by the evaluation's own seed."""

import hashlib
from functools import lru_cache
from math import ceil

SHARE = 10  # one message in ten
AT_LEAST = 5
AT_MOST = 10


def sample_size(message_count: int) -> int:
    """How many messages an audit sample has: a tenth, rounded up, at least 5, at most 10, never more than there are."""
    return min(message_count, AT_MOST, max(AT_LEAST, ceil(message_count / SHARE)))


@lru_cache(maxsize=4096)
def audit_sample(seed: str, metric: str, message_count: int) -> tuple[int, ...]:
    """The positions (from 1, ascending) of one metric's audit sample in a game of `message_count` messages.

    The same seed and metric always give the same messages; other seeds and metrics give independent ones. Drawn
    without replacement by Floyd's method, so that the cost depends on the sample and not on the game.
    """
    chosen: set[int] = set()
    for last in range(message_count - sample_size(message_count) + 1, message_count + 1):
        drawn = _draw(f"{seed}:{metric}:{last}", last)
        chosen.add(last if drawn in chosen else drawn)
    return tuple(sorted(chosen))


def _draw(text: str, last: int) -> int:
    """A number from 1 to `last`; SHA-256 has so many more values that the remainder is even to 1 in 10**60."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()) % last + 1
