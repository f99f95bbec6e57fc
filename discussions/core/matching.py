"""Telling two sequences apart (lines of a prompt, words of a line) in time that stays linear in their length.

What is small is left to difflib. What is large is first cut at entries that both have exactly once, in the longest
common order of those (patience diff, after B. Cohen); a stretch that is still too large counts as replaced whole.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

# Entries of the one times entries of the other: up to which difflib is asked for one stretch, and for all together.
LARGEST_STRETCH = 90_000
MOST_IN_ALL = 400_000


class Block(NamedTuple):
    """Entries `start` to `stop` of the one (half-open) became `other_start` to `other_stop` of the other."""

    start: int
    stop: int
    other_start: int
    other_stop: int


class Matcher:
    """Finds what differs; what it spends is counted over all its calls, and `is_coarse` says that it had to skimp."""

    def __init__(self) -> None:
        """Nothing is spent yet."""
        self.left = MOST_IN_ALL
        self.is_coarse = False

    def blocks(self, one: Sequence[str], other: Sequence[str]) -> list[Block]:
        """The blocks that differ, in order; equal entries lie between any two of them."""
        whole = trimmed(one, other, Block(0, len(one), 0, len(other)))
        if _size(whole) <= LARGEST_STRETCH:
            return self._told_apart(one, other, whole)
        return [
            block
            for stretch in _stretches(one, other, whole)
            for block in self._told_apart(one, other, trimmed(one, other, stretch))
        ]

    def _told_apart(self, one: Sequence[str], other: Sequence[str], block: Block) -> list[Block]:
        if block.start == block.stop and block.other_start == block.other_stop:
            return []
        size = _size(block)
        if size == 0:
            return [block]
        if size > min(LARGEST_STRETCH, self.left):
            self.is_coarse = True
            return [block]
        self.left -= size
        start, stop, other_start, other_stop = block
        found = SequenceMatcher(None, one[start:stop], other[other_start:other_stop], autojunk=False)
        return [
            Block(start + a, start + b, other_start + c, other_start + d)
            for tag, a, b, c, d in found.get_opcodes()
            if tag != "equal"
        ]


def trimmed(one: Sequence[str], other: Sequence[str], block: Block) -> Block:
    """The block without equal entries at its two ends."""
    start, stop, other_start, other_stop = block
    while start < stop and other_start < other_stop and one[start] == other[other_start]:
        start, other_start = start + 1, other_start + 1
    while start < stop and other_start < other_stop and one[stop - 1] == other[other_stop - 1]:
        stop, other_stop = stop - 1, other_stop - 1
    return Block(start, stop, other_start, other_stop)


def _size(block: Block) -> int:
    return (block.stop - block.start) * (block.other_stop - block.other_start)


def _stretches(one: Sequence[str], other: Sequence[str], block: Block) -> Iterator[Block]:
    """What lies between the entries that both have exactly once and in the same order."""
    start, other_start = block.start, block.other_start
    for place, other_place in _anchors(one, other, block):
        yield Block(start, place, other_start, other_place)
        start, other_start = place + 1, other_place + 1
    yield Block(start, block.stop, other_start, block.other_stop)


def _anchors(one: Sequence[str], other: Sequence[str], block: Block) -> list[tuple[int, int]]:
    counts = Counter(one[block.start : block.stop])
    other_counts = Counter(other[block.other_start : block.other_stop])
    places = {other[place]: place for place in range(block.other_start, block.other_stop)}
    pairs = [
        (place, places[one[place]])
        for place in range(block.start, block.stop)
        if counts[one[place]] == 1 and other_counts[one[place]] == 1
    ]
    return _longest_rising(pairs)


def _longest_rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest choice of pairs, given by rising first number, whose second numbers rise too."""
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for number, (_, second) in enumerate(pairs):
        at = bisect_left(ends, second)
        before.append(last[at - 1] if at else -1)
        ends[at : at + 1] = [second]
        last[at : at + 1] = [number]
    chosen = []
    number = last[-1] if last else -1
    while number >= 0:
        chosen.append(pairs[number])
        number = before[number]
    return chosen[::-1]
