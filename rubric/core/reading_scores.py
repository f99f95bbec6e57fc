"""What a reviewer's JSON object says of each response: scores, holistic score, overall, notes, and what was refused."""

import math
import re
from typing import Any

from msgspec import Struct

from rubric.core.reading_blocks import REFUSED
from rubric.core.reading_names import Names, shown
from rubric.core.records import HIGHEST, LOWEST, Flag
from workspace.core.strict_json import normalise_text

_NUMERIC = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,15})?")
PARTS = ("evaluations", "scores")
Score = int | float


class Said(Struct):
    """What was said of one response; filled while it is read."""

    scores: dict[str, Score] = {}
    holistic: Score | None = None
    overall: Score | None = None
    notes: str | None = None


def fitness(value: Any, labels: Names) -> int:
    """How far a value is a review: 2 when it speaks of a known response, 1 when it has its shape or ranks, else 0."""
    if not isinstance(value, dict):
        return 0
    parts = [value[name] for name in PARTS if isinstance(value.get(name), dict)]
    if any(labels.match(key) is not None for part in parts for key in part):
        return 2
    return 1 if parts or isinstance(value.get("ranking"), list) else 0


def read_said(value: dict[str, Any], labels: Names, criteria: Names) -> tuple[dict[str, Said], list[Flag]]:
    """What the object says of each response, by label. `evaluations` goes before `scores` where both speak of one."""
    reader = _Reader(labels, criteria)
    for name in PARTS:
        part = value.get(name)
        if isinstance(part, dict):
            reader.read_part(part)
        elif part is REFUSED:
            reader.flag(
                "duplicate_key", f'The key "{name}" is there more than once, so none of them is read.'
            )
    return reader.said, reader.flags


class _Reader:
    def __init__(self, labels: Names, criteria: Names) -> None:
        self.labels = labels
        self.criteria = criteria
        self.keys = Names([*criteria.all, "overall", "holistic", "notes"])
        self.said = {label: Said() for label in labels.all}
        self.flags: list[Flag] = []

    def flag(self, code: str, message: str, label: str | None = None, criterion: str = "") -> None:
        self.flags.append(Flag(code, message, label, criterion))

    def read_part(self, part: dict[str, Any]) -> None:
        """What `evaluations` or `scores` say, by label."""
        found = self.labels.pick(part)
        for written in found.unknown:
            self.flag(
                "unknown_label",
                f'"{shown(written)}" is none of the responses; it is left out.',
                shown(written),
            )
        for written in found.again:
            said = f'"{shown(written)}" speaks of a response a second time; it is left out.'
            self.flag("duplicate_label", said, self.labels.match(written))
        for label, value in found.values.items():
            if value is REFUSED:
                said = f"{label} is there more than once, so nothing that is said of it is read."
                self.flag("duplicate_key", said, label)
            elif isinstance(value, dict):
                if self.said[label] == Said():
                    self._entry(label, value)
            elif self.said[label].holistic is None:
                self.said[label].holistic = self._score(label, "holistic", value)

    def _entry(self, label: str, entry: dict[str, Any]) -> None:
        """What one entry says of a response."""
        found = self.keys.pick(entry)
        for written in found.unknown:
            said = f'{label}: "{shown(written)}" is no criterion of this rubric; it is left out.'
            self.flag("unknown_criterion", said, label)
        for written in found.again:
            self.flag("duplicate_key", f'{label}: "{shown(written)}" is there a second time.', label)
        said_of = self.said[label]
        for name, value in found.values.items():
            if name == "notes":
                said_of.notes = normalise_text(value)[0] if isinstance(value, str) else said_of.notes
            elif name == "overall":
                said_of.overall = self._any_number(label, value)
            else:
                score = self._score(label, name, value)
                if name == "holistic":
                    said_of.holistic = score
                elif score is not None:
                    said_of.scores.setdefault(name, score)

    def _any_number(self, label: str, value: Any) -> Score | None:
        """The overall that was reported: any finite number, since it is only compared."""
        number, _is_text = _number(value)
        if number is None and value is not None:
            self.flag("unreadable_overall", f"{label}: its reported overall is no number.", label)
        return number

    def _score(self, label: str, name: str, value: Any) -> Score | None:
        """A score from 1 to 10, or None with a note why."""
        number, is_text = _number(value)
        if value is REFUSED:
            self.flag("duplicate_key", f"{label}: {name} is there more than once; none is read.", label, name)
        elif number is None:
            code = "null_score" if value is None else "not_a_number"
            said = f"{label}: {name} is {_told(value)}, which is no number; it is left out."
            self.flag(code, said, label, name)
        elif not LOWEST <= number <= HIGHEST:
            said = f"{label}: {name} is {number}; a score lies from {LOWEST} to {HIGHEST}, so it is left out."
            self.flag("out_of_range", said, label, name)
        else:
            if is_text:
                self.flag(
                    "numeric_string", f"{label}: {name} is written as text and read as {number}.", label, name
                )
            return number
        return None


def _number(value: Any) -> tuple[Score | None, bool]:
    """The finite number that a value is, or writes as text, and whether it was text. Truth values are none."""
    if isinstance(value, str):
        text = value.strip() if len(value) <= 40 else ""
        if not _NUMERIC.fullmatch(text):
            return None, True
        return (float(text) if "." in text else int(text)), True
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None, False
    if isinstance(value, int) and value.bit_length() > 64:
        return None, False
    return (value if math.isfinite(value) else None), False


def _told(value: Any) -> str:
    """A value that is no number, as it can stand in a sentence."""
    if value is None:
        return "null"
    if isinstance(value, str):
        return f'"{shown(value)}"'
    if isinstance(value, bool | float):
        return str(value)
    return "too large a number" if isinstance(value, int) else "a list or an object"
