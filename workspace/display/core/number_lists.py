"""Numbers as people write them in one line: "3, 5-7"."""

import re
from collections.abc import Iterable, Sequence

from workspace.core.words import mark_many, say, say_many

MOST = 500
_DASH = re.compile(r"\s*[-\u2013]\s*")
_BETWEEN = re.compile(r"[,;\s]+")
_RUN = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")


def numbers_in(text: str) -> list[int]:
    """The numbers that a line names, each once and in order: "5-7, 3" is 3, 5, 6, 7; [] for an empty line.

    Raises ValueError, with the part that it could not read, for anything else, and for more than 500 numbers.
    """
    found: set[int] = set()
    for part in filter(None, _BETWEEN.split(_DASH.sub("-", text))):
        run = _RUN.fullmatch(part)
        first, last = (int(run[1]), int(run[2] or run[1])) if run else (1, 0)
        if first > last or last - first >= MOST:
            raise ValueError(part)
        found.update(range(first, last + 1))
        if len(found) > MOST:
            raise ValueError(part)
    return sorted(found)


def _runs(numbers: Iterable[int]) -> list[list[int]]:
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return runs


def write_numbers(numbers: Iterable[int]) -> str:
    return ",".join(
        str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in _runs(sorted(set(numbers)))
    )


_NOUNS = {
    "game": mark_many("game {numbers}", "games {numbers}"),
    "comparison": mark_many("comparison {numbers}", "comparisons {numbers}"),
    "iteration": mark_many("iteration {numbers}", "iterations {numbers}"),
}


def format_numbers(numbers: Sequence[int], noun: str = "game") -> str:
    """Numbers as a sentence names them, in order: "game 4", "games 4 and 6", "games 4 to 6 and 9"."""
    named = [
        word
        for run in _runs(sorted(numbers))
        for word in (
            [say("{first} to {last}", first=run[0], last=run[-1])]
            if len(run) > 2
            else [str(number) for number in run]
        )
    ]
    *first, last = named
    said = say("{others} and {last}", others=", ".join(first), last=last) if first else last
    return say_many(*_NOUNS[noun], len(numbers), numbers=said)


def read_numbered_lines(text: str) -> dict[int, str]:
    """Lines such as "3: a note" by their numbers. Raises ValueError with a line that does not begin so."""
    found = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        number, colon, said = map(str.strip, line.partition(":"))
        if not colon or not is_short_number(number):
            raise ValueError(line)
        found[int(number)] = said
    return found


def is_short_number(text: str) -> bool:
    return text.strip().isascii() and text.strip().isdecimal() and len(text.strip()) <= 9
