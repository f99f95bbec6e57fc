"""What changed between two prompts: hunks of lines, words marked inside them, and whether that is one change.

Source: the rubric's "Iteration Cycle" (make ONE prompt change).

The time is linear in the length of the prompts. difflib compares small stretches. Large ones are first split at entries
that both have exactly once, in the longest common order of those (patience diff, after B. Cohen). A stretch that is
still too large counts as entirely replaced.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from msgspec import Struct

from workspace.core.words import say, say_many

SAME, REMOVED, ADDED = "same", "removed", "added"
CONTEXT = 2
# The largest product of both numbers of entries for which difflib is asked, for one stretch and for all together.
LARGEST_STRETCH = 90_000
MOST_IN_ALL = 400_000
# Below this share of common words, lines are shown as replaced without marked words.
LEAST_IN_COMMON = 0.25
_TOKENS = re.compile(r"\w+|[^\S\n]+|\n|[^\w\s]")


Piece = tuple[str, bool]


class DiffLine(Struct, frozen=True):
    """One line: "same", "removed" or "added", with its number in the earlier and in the later prompt, from 1.

    `pieces` are runs of its text, each with whether the other prompt has something else there. A removed or added line
    without a changed piece is removed or added entirely.
    """

    kind: str
    before: int | None
    after: int | None
    pieces: list[Piece]

    @property
    def text(self) -> str:
        return "".join(text for text, _is_changed in self.pieces)


class PromptDiff(Struct, frozen=True):
    """The difference of two prompts. `hunk_count` counts stretches of changed lines; blank lines do not separate them.

    A hunk has up to two unchanged lines before and after, and the number of unchanged lines between it and the hunk
    before it.

    `is_coarse` says that a stretch was too large to be compared line by line or word by word, and shows as replaced
    whole. `trailing` unchanged lines follow the last hunk. `warning` is what a lead has to answer if this is not the
    one change that the rubric asks for; else empty.
    """

    hunks: list[tuple[list[DiffLine], int]]
    added_count: int
    removed_count: int
    trailing: int
    is_coarse: bool
    warning: str

    @property
    def hunk_count(self) -> int:
        return len(self.hunks)


def prompt_diff(before: str, after: str, *, allowed: int = 1) -> PromptDiff:
    """The hunks between two prompts, with a limit of `allowed`. Line ends of Windows and Unix count as the same."""
    old, new = _split_lines(before), _split_lines(after)
    lines, words = Matcher(), Matcher()
    groups = _groups(lines.blocks(old, new), old)
    hunks = []
    shown = 0
    for index, group in enumerate(groups):
        following = groups[index + 1][0].start if index + 1 < len(groups) else len(old)
        first, last = max(shown, group[0].start - CONTEXT), min(group[-1].stop + CONTEXT, following)
        hunks.append((_hunk_lines(old, new, group, (first, last), words), first - shown))
        shown = last
    return PromptDiff(
        hunks=hunks,
        added_count=sum(line.kind == ADDED for shown_lines, _skipped in hunks for line in shown_lines),
        removed_count=sum(line.kind == REMOVED for shown_lines, _skipped in hunks for line in shown_lines),
        trailing=len(old) - shown,
        is_coarse=lines.is_coarse or words.is_coarse,
        warning=_warning(len(hunks), allowed),
    )


def _split_lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n") if text else []


class Stretch(NamedTuple):
    """Entries `start` to `stop` of the one (half-open) became `other_start` to `other_stop` of the other."""

    start: int
    stop: int
    other_start: int
    other_stop: int


def _groups(blocks: Sequence[Stretch], old: Sequence[str]) -> list[list[Stretch]]:
    """Blocks that belong to one hunk: only blank lines are between them."""
    groups: list[list[Stretch]] = []
    for block in blocks:
        if groups and not any(line.strip() for line in old[groups[-1][-1].stop : block.start]):
            groups[-1].append(block)
        else:
            groups.append([block])
    return groups


class Matcher:
    """Finds differences within a budget for all its calls; `is_coarse` says that the budget was too small."""

    def __init__(self) -> None:
        self.left = MOST_IN_ALL
        self.is_coarse = False

    def blocks(self, first: Sequence[str], other: Sequence[str]) -> list[Stretch]:
        """The blocks that differ, in order; equal entries are between any two of them."""
        whole = trim_block(first, other, Stretch(0, len(first), 0, len(other)))
        if _size(whole) <= LARGEST_STRETCH:
            return self._compare(first, other, whole)
        return [
            block
            for stretch in _stretches(first, other, whole)
            for block in self._compare(first, other, trim_block(first, other, stretch))
        ]

    def _compare(self, first: Sequence[str], other: Sequence[str], block: Stretch) -> list[Stretch]:
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
        found = SequenceMatcher(None, first[start:stop], other[other_start:other_stop], autojunk=False)
        return [
            Stretch(start + a, start + b, other_start + c, other_start + d)
            for tag, a, b, c, d in found.get_opcodes()
            if tag != "equal"
        ]


def _hunk_lines(
    old: Sequence[str], new: Sequence[str], group: Sequence[Stretch], shown: tuple[int, int], words: Matcher
) -> list[DiffLine]:
    found: list[DiffLine] = []
    position, shift = shown[0], group[0].other_start - group[0].start
    for block in group:
        found += [_same(old, index, shift) for index in range(position, block.start)]
        removed, added = _marked(
            old[block.start : block.stop], new[block.other_start : block.other_stop], words
        )
        found += [DiffLine(REMOVED, block.start + n, None, pieces) for n, pieces in enumerate(removed, 1)]
        found += [DiffLine(ADDED, None, block.other_start + n, pieces) for n, pieces in enumerate(added, 1)]
        position, shift = block.stop, block.other_stop - block.stop
    return found + [_same(old, index, shift) for index in range(position, shown[1])]


def _same(old: Sequence[str], index: int, shift: int) -> DiffLine:
    return DiffLine(SAME, index + 1, index + shift + 1, [(old[index], False)])


def _marked(
    removed: Sequence[str], added: Sequence[str], words: Matcher
) -> tuple[list[list[Piece]], list[list[Piece]]]:
    """The pieces of removed and of added lines, with differing words marked; unmarked if little is in common."""
    whole = [[(line, False)] for line in removed], [[(line, False)] for line in added]
    if not removed or not added:
        return whole
    first, second = (_TOKENS.findall("\n".join(lines)) for lines in (removed, added))
    blocks = words.blocks(first, second)
    removed_tokens = [index for block in blocks for index in range(block.start, block.stop)]
    added_tokens = [index for block in blocks for index in range(block.other_start, block.other_stop)]
    if (
        _in_common(first, removed_tokens) < LEAST_IN_COMMON
        or _in_common(second, added_tokens) < LEAST_IN_COMMON
    ):
        return whole
    return _pieces(first, removed_tokens), _pieces(second, added_tokens)


def _in_common(tokens: Sequence[str], changed: Sequence[int]) -> float:
    count = sum(not token.isspace() for token in tokens)
    differs = sum(not tokens[index].isspace() for index in changed)
    return 1 - differs / count if count else 1.0


def _pieces(tokens: Sequence[str], changed: Sequence[int]) -> list[list[Piece]]:
    """The tokens as lines of pieces; white space between two changed tokens is marked with them."""
    marks = [False] * len(tokens)
    for index in changed:
        marks[index] = True
    for index in range(1, len(tokens) - 1):
        marks[index] = marks[index] or (tokens[index].isspace() and marks[index - 1] and marks[index + 1])
    lines: list[list[tuple[list[str], bool]]] = [[]]
    for token, mark in zip(tokens, marks, strict=True):
        if token == "\n":
            lines.append([])
        elif lines[-1] and lines[-1][-1][1] == mark:
            lines[-1][-1][0].append(token)
        else:
            lines[-1].append(([token], mark))
    return [[("".join(texts), mark) for texts, mark in line] for line in lines]


def _warning(hunks: int, allowed: int) -> str:
    if hunks == 0:
        return say("The prompt is the same as the one it is compared with: nothing was changed.")
    if hunks <= allowed:
        return ""
    return say_many(
        "{hunks} places of the prompt changed, and an iteration is one change: say why these belong together, or "
        "try them one by one.",
        "{hunks} places of the prompt changed, and an iteration is {n} changes: say why these belong together, or "
        "try them one by one.",
        allowed,
        hunks=hunks,
    )


def trim_block(first: Sequence[str], other: Sequence[str], block: Stretch) -> Stretch:
    start, stop, other_start, other_stop = block
    while start < stop and other_start < other_stop and first[start] == other[other_start]:
        start, other_start = start + 1, other_start + 1
    while start < stop and other_start < other_stop and first[stop - 1] == other[other_stop - 1]:
        stop, other_stop = stop - 1, other_stop - 1
    return Stretch(start, stop, other_start, other_stop)


def _size(block: Stretch) -> int:
    return (block.stop - block.start) * (block.other_stop - block.other_start)


def _stretches(first: Sequence[str], other: Sequence[str], block: Stretch) -> Iterator[Stretch]:
    """The stretches between entries that both have exactly once and in the same order."""
    start, other_start = block.start, block.other_start
    for index, other_index in _anchors(first, other, block):
        yield Stretch(start, index, other_start, other_index)
        start, other_start = index + 1, other_index + 1
    yield Stretch(start, block.stop, other_start, block.other_stop)


def _anchors(first: Sequence[str], other: Sequence[str], block: Stretch) -> list[tuple[int, int]]:
    counts = Counter(first[block.start : block.stop])
    other_counts = Counter(other[block.other_start : block.other_stop])
    indexes = {other[index]: index for index in range(block.other_start, block.other_stop)}
    pairs = [
        (index, indexes[first[index]])
        for index in range(block.start, block.stop)
        if counts[first[index]] == 1 and other_counts[first[index]] == 1
    ]
    return _longest_rising(pairs)


def _longest_rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest choice of pairs with rising second numbers; the pairs are given by rising first number."""
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for number, (_, second) in enumerate(pairs):
        position = bisect_left(ends, second)
        before.append(last[position - 1] if position else -1)
        ends[position : position + 1] = [second]
        last[position : position + 1] = [number]
    chosen = []
    number = last[-1] if last else -1
    while number >= 0:
        chosen.append(pairs[number])
        number = before[number]
    return chosen[::-1]
