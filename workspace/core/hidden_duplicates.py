"""Hidden duplicates: now and then a person is given an item that they judged long ago, without being told.

People cannot be expected to agree with others more than they agree with themselves.
"""

import hashlib
from collections.abc import Collection, Sequence

# Far enough apart that people judge again instead of remembering: Hettiachchi et al. (CSCW 2021) and others repeat
# about one item in twenty, at least twenty items apart.
APART = 20


def is_due(seed: str, given_count: int, percent: int) -> bool:
    """Whether the person's next item, after the number that they got, is a hidden duplicate; `percent` % of all are."""
    return _draw(f"{seed}:due:{given_count}", 100) < percent


def choose_duplicate(
    seed: str, given_count: int, submitted: Sequence[int], repeated: Collection[int]
) -> int | None:
    """Which item to repeat: one that was not repeated yet, with at least `APART` others submitted since.

    `submitted` holds items in the order in which they were submitted, the oldest first. None when there is none.
    """
    old = [item for item in submitted[: max(0, len(submitted) - APART)] if item not in repeated]
    return old[_draw(f"{seed}:which:{given_count}", len(old))] if old else None


def count_ahead(
    seed: str, *, given_count: int, percent: int, left: int, submitted: int, repeated: int
) -> int:
    """How many hidden duplicates the person gets along with the `left` items that they have not judged.

    `submitted` counts the items that they judged or have started, `repeated` the items repeated before.
    """
    found = 0
    while left:
        if is_due(seed, given_count, percent) and submitted - APART - repeated - found > 0:
            found += 1
        else:
            left, submitted = left - 1, submitted + 1
        given_count += 1
    return found


def _draw(text: str, count: int) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()) % count
