"""Reads a reviewer's own ranking: a list in its JSON, or the lines below FINAL RANKING."""

import re
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from rubric.core.reading_blocks import REFUSED
from rubric.core.reading_names import Names, shown
from rubric.core.records import Flag
from rubric.core.weights import Number, exact

_HEADING = re.compile(
    r"^[ \t#*_>-]*FINAL[ \t]+RANKING[*_ \t]*:?[*_ \t]*([^\n]*)$", re.MULTILINE | re.IGNORECASE
)
_ITEM = re.compile(r"[ \t>]*(?:[-*•+][ \t]+)?(?:\(?#?[0-9]{1,4}[.):][ \t]*)?(?:[-*•+][ \t]+)?")
_MARKS = " \t*_`\"'[]“”"
_CONNECTOR = re.compile(r"[\s*_`\"'\]]*([>=,])[\s*_`\"'\[]*")

Places = list[list[str]]


def listed_ranking(value: Any, labels: Names) -> tuple[Places | None, list[Flag]]:
    """The ranking of a JSON value: labels, or lists of labels that share a place. None when it is no ranking."""
    if value is None:
        return None, []
    if value is REFUSED or not isinstance(value, list):
        return None, [_unreadable()]
    written = [item if isinstance(item, list) else [item] for item in value]
    if not all(isinstance(name, str) for place in written for name in place):
        return None, [_unreadable()]
    return _placed(written, labels)


def written_ranking(text: str, labels: Names) -> tuple[Places | None, list[Flag]]:
    """The ranking below the last line that reads FINAL RANKING, one response a line, or in one line with > and =."""
    headings = deque(_HEADING.finditer(text), maxlen=1)
    if not headings:
        return None, []
    heading = headings[0]
    by_length = sorted(labels.all, key=len, reverse=True)
    written = _chain(heading[1], labels, by_length, connectors=">=,")
    if not written:
        written = _lines(text, heading.end(), labels, by_length)
    return _placed(written, labels) if written else (None, [])


def contradicts(ranking: Places, overalls: Mapping[str, Number]) -> bool:
    """Whether the ranking puts a response before another whose overall is higher. Equal ones may stand in any order."""
    lowest = None
    for place in ranking:
        here = [exact(overalls[label]) for label in place if label in overalls]
        if here and lowest is not None and max(here) > lowest:
            return True
        if here:
            lowest = min(here) if lowest is None else min(lowest, *here)
    return False


def _unreadable() -> Flag:
    return Flag("unreadable_ranking", "The ranking is no list of responses, so it is left out.")


def _placed(written: Sequence[Sequence[str]], labels: Names) -> tuple[Places | None, list[Flag]]:
    """The places with known labels, each label once, and what was left out."""
    places: Places = []
    flags = []
    seen: set[str] = set()
    for names in written:
        place = []
        for name in names:
            label = labels.match(name)
            if label is None:
                said = f'The ranking names "{shown(name)}", which is none of the responses.'
                flags.append(Flag("unknown_label", said, shown(name)))
            elif label in seen:
                said = f"The ranking names {label} more than once; the first place counts."
                flags.append(Flag("duplicate_label", said, label))
            else:
                seen.add(label)
                place.append(label)
        if place:
            places.append(place)
    if places and len(seen) < len(labels.all):
        flags.append(Flag("incomplete_ranking", "The ranking leaves responses out."))
    return places or None, flags


def _lines(text: str, at: int, labels: Names, by_length: Sequence[str]) -> list[list[str]]:
    """The items below a heading, until a line that is none; blank lines do not end the list."""
    written: list[list[str]] = []
    while at < len(text):
        end = text.find("\n", at + 1)
        end = len(text) if end < 0 else end
        line = text[at:end].strip("\r\n")
        at = end
        if not line.strip():
            continue
        item = _ITEM.match(line)
        start = item.end() if item else 0
        places = _chain(line[start:], labels, by_length, connectors="=")
        if places:
            written += places
        elif item and item[0].strip():
            written.append([line[start:].strip(_MARKS)])
        else:
            break
    return written


def _chain(text: str, labels: Names, by_length: Sequence[str], *, connectors: str) -> list[list[str]]:
    """The labels that the text begins with: joined by = they share a place, by > or a comma the next is lower."""
    places: list[list[str]] = []
    at = len(text) - len(text.lstrip(_MARKS))
    joined = ">"
    while True:
        label = next((each for each in by_length if _begins(text, at, each)), None)
        if label is None:
            return places
        if joined == "=":
            places[-1].append(label)
        else:
            places.append([label])
        at += len(label)
        connector = _CONNECTOR.match(text, at)
        if connector is None or connector[1] not in connectors:
            return places
        joined, at = connector[1], connector.end()


def _begins(text: str, at: int, label: str) -> bool:
    """Whether the label stands there in whatever case, as a word of its own."""
    end = at + len(label)
    return text[at:end].casefold() == label.casefold() and not text[end : end + 1].isalnum()
