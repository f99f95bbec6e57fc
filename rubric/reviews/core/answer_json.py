"""The JSON of a reviewer's answer: finding it in the text, matching known names, and reading scores from it.

Objects are found in fences or anywhere in the text, in linear time. An object is a pair of balanced braces, with
strings skipped. A brace opens an object only if a quote or the closing brace follows, so braces in prose open nothing.
A string ends with its line, as in JSON, so a stray quote spoils one line at most.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from json import JSONDecoder
from typing import Any

from msgspec import Struct

from rubric.core.records import Flag
from rubric.core.scales import COMMON, HIGHEST, LOWEST, Scales
from workspace.core.strict_json import normalise_text

# An empty pair of fences never changes anything, so thousands of them are one match.
_FENCE = re.compile(
    r"^(?>(?:[ \t>]*+```[ \t]*+\n[ \t>]*+```[ \t]*+\n)+)|^[ \t>]*+(`{3,}|~{3,})([^\n]*)$", re.MULTILINE
)

_OPENING = re.compile(r'\{\s*+(?=")')

# One step: over plain text, strings and empty objects to a chain of openings with their keys, a run of bare openings
# (the last of which may open an object), or a run of closings. Long runs are one match each, which keeps a
# megabyte of braces cheap. Groups are atomic, not possessive: before 3.11.5 Python matches the latter wrongly.
_STEP = re.compile(
    r'(?>(?:[^{}"]++|"(?>(?:[^"\\\n]++|\\[^\n])*)"?+|\{\s*+\})*)'
    r'(?:((?>(?:\{\s*+"[^"\\\n{}]*+"\s*+:\s*+)+))|(\{(?>(?:(?>(?:[^{}"]++|\{\s*+\})*)\{)*))|(\}++))'
)

_KEYED, _BARE = 1, 2


class NoValue:
    """The value, in a decoded object, of a key that occurred more than once."""


REFUSED = NoValue()


# Openings that are not closed yet: start, end, and how many bare ones there are, which open no object.
_Open = tuple[int, int, int]


def find_blocks(text: str, *, wanted: re.Pattern[str]) -> list[tuple[int, str]]:
    """The outermost balanced objects of the text that hold a match of `wanted`: position and source. Never raises."""
    if not wanted.search(text):
        return []
    blocks = []
    for start, end in find_segments(text):
        if wanted.search(text, start, end):
            found = [(first, text[first:last]) for first, last in _objects(text, start, end)]
            blocks += [block for block in found if wanted.search(block[1])]
    return blocks


def decode(source: str) -> Any:
    """The value of the source as strict JSON, or REFUSED if it is not JSON.

    The reader of a part handles its faults: a repeated key has the value REFUSED, and NaN and infinities become floats.
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


def find_segments(text: str) -> list[tuple[int, int]]:
    """The segments of the text: the content of each fence, and the text between fences.

    A fence closes at a line of at least as many of its characters and nothing else; one that never closes extends to
    the end. What follows the opening characters belongs to the content, since some models start the object there.
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
    """Close as many objects as there are braces from `at` to `end`; bare openings before an object are dropped."""
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


class FoundNames(Struct, frozen=True):
    """The values under known names, and the keys as written that are unknown or repeat a name.

    `loose` are pairs of a key that was read as a name, and that name.
    """

    values: dict[str, Any]
    unknown: list[str]
    again: list[str]
    loose: list[tuple[str, str]] = []


class Names:
    """Names that match in any case; a name that differs from another only by case matches only exactly.

    With `is_loose`, names also match in Markdown, with underscores for spaces, and as the letter of "Response A".
    """

    def __init__(self, names: Iterable[str], *, is_loose: bool = False) -> None:
        self.all = list(names)
        counts = Counter(map(_folded, self.all))
        self._exact = set(self.all)
        self._folded = {_folded(name): name for name in self.all if counts[_folded(name)] == 1}
        self._loose: dict[str, str] = {}
        if is_loose:
            spellings = [(key, name) for name in self.all for key in list_spellings(name)]
            loose_counts = Counter(key for key, _name in spellings)
            self._loose = {key: name for key, name in spellings if loose_counts[key] == 1}

    def match(self, written: str) -> str | None:
        """The known name that was meant, or None."""
        if written in self._exact:
            return written
        return self._folded.get(_folded(written)) or self._match_loosely(written)

    def is_loose(self, written: str) -> bool:
        """Whether a known name is written in a way that differs by more than case."""
        return written not in self._exact and _folded(written) not in self._folded

    def _match_loosely(self, written: str) -> str | None:
        if not self._loose or len(written) > 200:
            return None
        return self._loose.get(bare_name(written))

    def pick(self, mapping: Mapping[str, Any]) -> FoundNames:
        """The values of the mapping by known name. An exact key wins; two others for one name are both refused."""
        values = {key: value for key, value in mapping.items() if key in self._exact}
        exact = set(values)
        unknown, again = [], []
        for key, value in mapping.items():
            name = self.match(key)
            if name is None:
                unknown.append(key)
            elif key != name:
                if name not in values:
                    values[name] = value
                else:
                    again.append(key)
                    values[name] = values[name] if name in exact else REFUSED
        loose = [(key, name) for key in mapping if self.is_loose(key) and (name := self.match(key))]
        return FoundNames(values=values, unknown=unknown, again=again, loose=loose)


def bare_name(name: str) -> str:
    """A name without Markdown and quotes, its words separated by one space, case-folded."""
    return " ".join(_MARKUP.sub(" ", name).split()).casefold()


def list_spellings(name: str) -> list[str]:
    """The bare spellings of a label: itself, and the letter of "Response A"."""
    bare = bare_name(name)
    letter = _LETTER.fullmatch(bare)
    return [bare, letter[1]] if letter else [bare]


_MARKUP = re.compile(r"[\s*_`#~\"'()\[\]<>:.-]+")
_LETTER = re.compile(r"(?:response|answer|candidate|option) ([a-z])")


def _folded(name: str) -> str:
    return name.strip().casefold()


def quote_name(written: str) -> str:
    """What a reviewer wrote, cut to fit into a sentence, and without characters that databases do not store."""
    written, _replaced = normalise_text(written)
    return written if len(written) <= 80 else written[:79] + "…"


BETWEEN = "between_steps"  # the code of a flag
_NUMERIC = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,15})?")
PARTS = ("evaluations", "scores")
Score = int | float


class GivenScores(Struct):
    """What an answer gives one response; filled while the answer is read."""

    scores: dict[str, Score] = {}
    holistic: Score | None = None
    overall: Score | None = None
    notes: str | None = None


def fitness(value: Any, labels: Names) -> int:
    """How well a value fits a review: 2 if it names a known response, 1 if it has the shape or a ranking, else 0."""
    if not isinstance(value, dict):
        return 0
    parts = [value[name] for name in PARTS if isinstance(value.get(name), dict)]
    if any(labels.match(key) is not None for part in parts for key in part):
        return 2
    return 1 if parts or isinstance(value.get("ranking"), list) else 0


def read_given_scores(
    value: dict[str, Any], labels: Names, criteria: Names, scales: Scales
) -> tuple[dict[str, GivenScores], list[Flag]]:
    """What the object gives each response, by label. If both name a response, `evaluations` wins over `scores`.

    `scales` are the scales of the version's criteria, {} if all have the common one.
    """
    reader = _Reader(labels, criteria, scales)
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
    def __init__(self, labels: Names, criteria: Names, scales: Scales) -> None:
        self.labels = labels
        self.criteria = criteria
        self.scales = scales
        self.keys = Names([*criteria.all, "overall", "holistic", "notes"])
        self.said = {label: GivenScores() for label in labels.all}
        self.flags: list[Flag] = []

    def flag(self, code: str, message: str, label: str | None = None, criterion: str = "") -> None:
        self.flags.append(Flag(code, message, label, criterion))

    def read_part(self, part: dict[str, Any]) -> None:
        """Read `evaluations` or `scores`, by label."""
        found = self.labels.pick(part)
        for written in found.unknown:
            self.flag(
                "unknown_label",
                f'"{quote_name(written)}" is none of the responses; it is left out.',
                quote_name(written),
            )
        for written in found.again:
            said = f'"{quote_name(written)}" speaks of a response a second time; it is left out.'
            self.flag("duplicate_label", said, self.labels.match(written))
        for written, label in found.loose:
            self.flag("loose_label", f'"{quote_name(written)}" is read as {label}.', label)
        for label, value in found.values.items():
            if value is REFUSED:
                said = f"{label} is there more than once, so nothing that is said of it is read."
                self.flag("duplicate_key", said, label)
            elif isinstance(value, dict):
                if self.said[label] == GivenScores():
                    self._entry(label, value)
            elif self.said[label].holistic is None:
                self.said[label].holistic = self._score(label, "holistic", value)

    def _entry(self, label: str, entry: dict[str, Any]) -> None:
        found = self.keys.pick(entry)
        for written in found.unknown:
            said = f'{label}: "{quote_name(written)}" is no criterion of this rubric; it is left out.'
            self.flag("unknown_criterion", said, label)
        for written in found.again:
            self.flag("duplicate_key", f'{label}: "{quote_name(written)}" is there a second time.', label)
        given = self.said[label]
        for name, value in found.values.items():
            if name == "notes":
                given.notes = normalise_text(value)[0] if isinstance(value, str) else given.notes
            elif name == "overall":
                given.overall = self._any_number(label, value)
            else:
                score = self._score(label, name, value)
                if name == "holistic":
                    given.holistic = score
                elif score is not None:
                    given.scores.setdefault(name, score)

    def _any_number(self, label: str, value: Any) -> Score | None:
        """The overall that was reported: any finite number, since it is only compared."""
        number, _is_text = _number(value)
        if number is None and value is not None:
            self.flag("unreadable_overall", f"{label}: its reported overall is no number.", label)
        return number

    def _score(self, label: str, name: str, value: Any) -> Score | None:
        """A score on its scale, or None with a flag that says why."""
        scale = self.scales.get(name, COMMON)
        number, is_text = _number(value)
        if value is REFUSED:
            self.flag("duplicate_key", f"{label}: {name} is there more than once; none is read.", label, name)
        elif number is None:
            code = "null_score" if value is None else "not_a_number"
            said = f"{label}: {name} is {_told(value)}, which is no number; it is left out."
            self.flag(code, said, label, name)
        elif not scale.holds(number):
            lies = (
                f"its scale is {scale.plain_text}"
                if name in self.scales
                else f"a score lies from {LOWEST} to {HIGHEST}"
            )
            self.flag("out_of_range", f"{label}: {name} is {number}; {lies}, so it is left out.", label, name)
        else:
            if is_text:
                self.flag(
                    "numeric_string", f"{label}: {name} is written as text and read as {number}.", label, name
                )
            if name in self.scales and not scale.is_step(number):
                steps = f"between the steps of its scale, {scale.plain_text}"
                said = f"{label}: {name} is {number}, {steps}; it counts as it is."
                self.flag(BETWEEN, said, label, name)
            return number
        return None


def _number(value: Any) -> tuple[Score | None, bool]:
    """The finite number that a value is or holds as text, and whether it was text. Booleans are not numbers."""
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
    """A value that is not a number, in a form that fits into a sentence."""
    if value is None:
        return "null"
    if isinstance(value, str):
        return f'"{quote_name(value)}"'
    if isinstance(value, bool | float):
        return str(value)
    return "too large a number" if isinstance(value, int) else "a list or an object"
