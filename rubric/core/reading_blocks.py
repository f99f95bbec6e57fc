"""Finds the JSON objects in a reviewer's text: those in fences and those that stand free, in time linear in the text.

An object is balanced braces, strings skipped. A brace opens one only when a quote or the closing brace follows, so
braces of prose open nothing; a string ends with its line, as JSON's do, so a stray quote spoils one line at most.
"""

import re
from json import JSONDecoder
from typing import Any, NamedTuple

# An empty pair of fences changes nothing, wherever it stands, so thousands of them are one match.
_FENCE = re.compile(
    r"^(?:[ \t>]*+```[ \t]*+\n[ \t>]*+```[ \t]*+\n)++|^[ \t>]*+(`{3,}|~{3,})([^\n]*)$", re.MULTILINE
)
_OPENING = re.compile(r'\{\s*+(?=")')
# One step: over plain text, strings and empty objects to a chain of openings with their keys, a run of bare openings
# (the last of which may open an object), or a run of closings. Long runs are one match each, which is what keeps a
# megabyte of braces cheap.
_STEP = re.compile(
    r'(?:[^{}"]++|"(?:[^"\\\n]++|\\[^\n])*+"?+|\{\s*+\})*+'
    r'(?:((?:\{\s*+"[^"\\\n{}]*+"\s*+:\s*+)++)|(\{(?:(?:[^{}"]++|\{\s*+\})*+\{)*+)|(\}++))'
)
_KEYED, _BARE = 1, 2


class Refused:
    """Stands in a decoded object for a key that was there more than once."""


REFUSED = Refused()


class Block(NamedTuple):
    """One object of the text: where it stands, and its source."""

    start: int
    source: str


# Openings that are not closed yet: from where to where, and how many of them open nothing but themselves.
_Open = tuple[int, int, int]


def find_blocks(text: str, *, wanted: re.Pattern[str]) -> list[Block]:
    """The outermost balanced objects of the text that hold a match of `wanted`, in order. Never raises; linear."""
    if not wanted.search(text):
        return []
    blocks = []
    for start, end in _segments(text):
        if wanted.search(text, start, end):
            found = [(first, text[first:last]) for first, last in _objects(text, start, end)]
            blocks += [Block(first, source) for first, source in found if wanted.search(source)]
    return blocks


def decode(source: str) -> Any:
    """The value of the source as strict JSON, or REFUSED where it is none.

    What is wrong with a part is left to whoever wants that part: a key that is there more than once has the value
    REFUSED, and NaN and infinities are the floats of these names.
    """
    try:
        return _DECODER.decode(source)
    except (ValueError, RecursionError):
        return REFUSED


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    built = dict(pairs)
    if len(built) != len(pairs):
        seen: set[str] = set()
        for key, _value in pairs:
            if key in seen:
                built[key] = REFUSED
            seen.add(key)
    return built


_DECODER = JSONDecoder(object_pairs_hook=_without_doubles)


def _segments(text: str) -> list[tuple[int, int]]:
    """Where the text is cut by its fences: a fence's content, and what stands between fences.

    A fence closes at a line of as many of its characters or more, and nothing else; one that never closes goes on to
    the end. What follows the opening characters belongs to the content, since some write the object there at once.
    """
    cuts = [0]
    mark = ""
    for fence in _FENCE.finditer(text):
        ticks, rest = fence.groups()
        if ticks is None:
            continue
        if not mark:
            if ticks[0] == "~" or "`" not in rest:
                mark = ticks
                cuts.append(fence.end(1))
        elif ticks.startswith(mark) and not rest.strip():
            mark = ""
            cuts.append(fence.end())
    return list(zip(cuts, [*cuts[1:], len(text)], strict=True))


def _objects(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The balanced objects of a segment that lie in no other balanced one."""
    closed: list[tuple[int, int]] = []
    stack: list[_Open] = []
    at = start
    while True:
        if not stack:
            opening = _OPENING.search(text, at, end)
            if opening is None:
                return closed
            at = opening.start()
        step = _STEP.match(text, at, end)
        if step is None:
            return closed
        at = step.end()
        if step.lastindex == _KEYED:
            stack.append((step.start(_KEYED), at, 0))
        elif step.lastindex == _BARE:
            first = step.start(_BARE)
            last = text.rindex("{", first, at)
            stack.append((last, last + 1, text.count("{", first, last) - text.count("}", first, last)))
        else:
            _close(text, stack, closed, step.start(3), at)


def _close(text: str, stack: list[_Open], closed: list[tuple[int, int]], at: int, end: int) -> None:
    """Close as many objects as there are braces from `at` to `end`; bare openings before an object close unseen."""
    while stack and at < end:
        first, until, bare = stack.pop()
        if first < until:
            start = text.rindex("{", first, until)
            at += 1
            while closed and closed[-1][0] > start:
                closed.pop()
            closed.append((start, at))
            until = start
        if first == until:
            unseen = min(bare, end - at)
            bare -= unseen
            at += unseen
        if first < until or bare:
            stack.append((first, until, bare))
