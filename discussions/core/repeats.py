"""Hidden repeats: now and then a person gets a game again that they rated long ago, without being told.

How far they agree with themselves is the most that can be asked of their agreement with others.
"""

import hashlib
from collections.abc import Collection, Sequence

# Far enough apart that people judge anew instead of remembering: Hettiachchi et al. (CSCW 2021) and others repeat
# about one item in twenty, at least twenty items apart.
APART = 20


def is_due(seed: str, dealt: int, percent: int) -> bool:
    """Whether the person's next game, after so many that they were dealt, is a repeat; `percent` of all are."""
    return _draw(f"{seed}:due:{dealt}", 100) < percent


def repeated_game(seed: str, dealt: int, handed_in: Sequence[int], repeated: Collection[int]) -> int | None:
    """Which game comes again: one that was not repeated yet, with at least `APART` others handed in since.

    `handed_in` holds games in the order in which they were handed in, the oldest first. None when there is none.
    """
    old = [game for game in handed_in[: max(0, len(handed_in) - APART)] if game not in repeated]
    return old[_draw(f"{seed}:which:{dealt}", len(old))] if old else None


def _draw(text: str, count: int) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()) % count
