"""Reads answers with damaged JSON or another shape than asked for, if the meaning is clear, and flags them.

Accepted: evaluations at the top, in a list or in one wrapper, scores one level deeper, labels in Markdown or as bare
letters, and one repair: a trailing comma, comments, line breaks in texts, a missing end. If the end of a block is
missing, only its whole responses are kept.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from json import JSONDecoder
from typing import Any

from rubric.core.records import Flag
from rubric.reviews.core.answer_json import PARTS, REFUSED, Names, find_segments, quote_name

# Longer answers are read only in the shape that was asked for; no review comes near this length.
READ_WITHIN = 50_000
MOST_OPENINGS = 500
DEEPEST = 30
NAMING_KEYS = ("label", "response", "name", "id", "candidate")
NESTING_KEYS = ("scores", "criteria", "ratings", "evaluation")
_OPENING = re.compile(r'\[\s*+\{\s*+"|\{\s*+(?:"|//|/\*)')
_FENCE_END = re.compile(r"\n[ \t>]*+(?:```|~~~)")
_TOKEN = re.compile(
    r"(?P<skip>[\s,]*+)(?:(?P<comment>//[^\n]*+|/\*(?>(?:[^*]++|\*(?!/))*)\*/)"
    r'|(?P<string>"(?>(?:[^"\\]++|\\.)*)")|(?P<mark>[{}\[\]:])|(?P<word>[^\s,{}\[\]":]++))',
    re.DOTALL,
)
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,15})?(?:[eE][+-]?[0-9]{1,2})?")
_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None, "NaN": float("nan")}
_TEXTS = JSONDecoder(strict=False)

COMMA, COMMENT, LINE_BREAK, NO_END = "a comma too many", "comments", "a line break in a text", "a missing end"
_SHAPES = {
    "flat_shape": 'The evaluations stand at the top of their block and not under "evaluations".',
    "listed_shape": "The evaluations stand in a list and not by label.",
    "wrapped_shape": "The evaluations stand one level deeper than asked for.",
    "nested_scores": "Scores stand one level deeper than asked for.",
}


class Partial(dict[str, Any]):
    """An object without its end."""


def read_loosely(text: str, labels: Names, criteria: Names) -> tuple[dict[str, Any], list[Flag]] | None:
    """The last block that names a known response in a shape that is understood; None without one. Linear in time.

    It comes in the shape that was asked for, with flags for every deviation from it.
    """
    text = text[-READ_WITHIN:]
    folded = text.casefold()
    if not any(label.casefold() in folded or f'"{label[-1:]}"'.casefold() in folded for label in labels.all):
        return None
    found: _Shaper | None = None
    for value, repairs in _values(text):
        shaper = _Shaper(labels, criteria, repairs)
        if not shaper.shape(value):
            continue
        if found is not None and found.is_single and shaper.is_single:
            shaper.join(found)
        found = shaper
    return None if found is None else (found.shaped, found.flags())


def _values(text: str) -> Iterator[tuple[Any, set[str]]]:
    """Each object or list of the text, as far as it can be understood, with its repairs."""
    count = 0
    for start, end in find_segments(text):
        at = start
        # A segment that is a fence ends with its closing line.
        fence = _FENCE_END.search(text, max(start, end - 20), end)
        end = fence.start() if fence else end
        while count < MOST_OPENINGS and (opening := _OPENING.search(text, at, end)):
            count += 1
            parser = _Parser(text, opening.start(), end)
            yield parser.value(0), parser.repairs
            at = max(parser.at, opening.start() + 1)


class _Parser:
    """Reads one value of JSON that may be damaged. Stops at the first thing that it does not understand."""

    def __init__(self, text: str, at: int, end: int) -> None:
        self.text, self.at, self.end = text, at, end
        self.repairs: set[str] = set()

    @property
    def is_cut(self) -> bool:
        """Whether reading stopped before the value was whole."""
        return NO_END in self.repairs

    def value(self, depth: int) -> Any:
        """The value that begins here; REFUSED if there is none."""
        kind, token = self._next()
        if token == "{" and depth < DEEPEST:
            return self._object(depth)
        if token == "[" and depth < DEEPEST:
            return self._list(depth)
        if kind == "string":
            return self._text(token)
        # A number at the very end may be cut off.
        if kind == "word" and self.at < self.end:
            if _NUMBER.fullmatch(token):
                return float(token) if set(token) & set(".eE") else int(token)
            if token in _WORDS:
                return _WORDS[token]
        self.repairs.add(NO_END)
        return REFUSED

    def _next(self) -> tuple[str, str]:
        """Kind and source of the next token, skipping comments; empty at the end."""
        while match := _TOKEN.match(self.text, self.at, self.end):
            self.at = match.end()
            kind = match.lastgroup or ""
            if kind == "comment":
                self.repairs.add(COMMENT)
                continue
            if "," in match["skip"] and (match[kind] in "}]" or match["skip"].count(",") > 1):
                self.repairs.add(COMMA)
            return kind, match[kind]
        return "", ""

    def _object(self, depth: int) -> dict[str, Any]:
        built: dict[str, Any] = {}
        while True:
            kind, token = self._next()
            if token == "}":
                return built
            if kind != "string" or self._next()[1] != ":":
                self.repairs.add(NO_END)
                return Partial(built)
            key, value = self._text(token), self.value(depth + 1)
            if not self.is_cut or isinstance(value, dict | list):
                built[key] = REFUSED if key in built else value
            if self.is_cut:
                return Partial(built)

    def _list(self, depth: int) -> list[Any]:
        built: list[Any] = []
        while True:
            at = self.at
            _kind, token = self._next()
            if token == "]":
                return built
            self.at = at
            value = self.value(depth + 1)
            if not self.is_cut or isinstance(value, dict):
                built.append(value)
            if self.is_cut:
                return built

    def _text(self, token: str) -> str:
        if "\n" in token:
            self.repairs.add(LINE_BREAK)
        try:
            return str(_TEXTS.decode(token))
        except ValueError:
            return token[1:-1]


class _Shaper:
    """Puts one value into the shape that was asked for; `is_single` says that it is about one response alone."""

    def __init__(self, labels: Names, criteria: Names, repairs: set[str]) -> None:
        self.labels, self.criteria, self.repairs = labels, criteria, repairs
        self.shaped: dict[str, Any] = {}
        self.is_single = False
        self.shapes: dict[str, None] = {}
        self.cut: list[str] = []

    def shape(self, value: Any) -> bool:
        """Put the evaluations by label into `shaped`; False when the value names no known response."""
        self.is_single = isinstance(value, dict) and self._label(value) is not None
        entries, ranking = self._entries([value] if self.is_single else value, is_top=True)
        if entries is None:
            return False
        self.shaped["evaluations"] = {key: self._entry(entry) for key, entry in entries.items()}
        if ranking is not None:
            self.shaped["ranking"] = ranking
        return True

    def join(self, earlier: "_Shaper") -> None:
        """Add the content of an earlier single object before this one."""
        self.shaped["evaluations"] = earlier.shaped["evaluations"] | self.shaped["evaluations"]
        self.repairs |= earlier.repairs
        self.cut += earlier.cut

    def flags(self) -> list[Flag]:
        """Flags for every deviation from the shape that was asked for."""
        flags = [Flag(code, f"{_SHAPES[code]} They are read.") for code in self.shapes]
        if self.repairs:
            said = f"The block of scores is no JSON ({', '.join(sorted(self.repairs))}). It was repaired and read."
            flags.append(Flag("repaired", said))
        flags += [
            Flag("cut_off_response", f"The block ends within {quote_name(name)}, so nothing of that is read.")
            for name in self.cut
        ]
        return flags

    def _entries(
        self, value: Any, *, is_top: bool = False, is_part: bool = False
    ) -> tuple[dict[str, Any] | None, Any]:
        """The entries by label, and the ranking next to them."""
        if isinstance(value, list):
            return self._from_list(value), None
        if not isinstance(value, dict):
            return None, None
        ranking = value.get("ranking")
        for name in PARTS:
            if isinstance(value.get(name), dict | list):
                entries, _ranking = self._entries(value[name], is_part=True)
                if entries is not None:
                    return entries, ranking
        known = {key: said for key, said in value.items() if self._is_said(key, said)}
        if known:
            if not is_part:
                self.shapes["flat_shape"] = None
            return self._whole(known), ranking
        return self._unwrapped(value, ranking) if is_top else (None, None)

    def _unwrapped(self, value: Mapping[str, Any], ranking: Any) -> tuple[dict[str, Any] | None, Any]:
        """The entries and the ranking of the only part that names responses."""
        parts = [part for part in value.values() if isinstance(part, dict | list)]
        before = dict(self.shapes)
        found = [self._entries(part) for part in parts]
        speaking = [(entries, inner) for entries, inner in found if entries is not None]
        if len(speaking) != 1:
            self.shapes = before
            return None, None
        self.shapes.pop("flat_shape", None)
        self.shapes["wrapped_shape"] = None
        entries, inner = speaking[0]
        return entries, inner if inner is not None else ranking

    def _is_said(self, key: str, said: Any) -> bool:
        is_number = isinstance(said, int | float) and not isinstance(said, bool)
        return (isinstance(said, dict) or is_number) and self.labels.match(key) is not None

    def _from_list(self, values: Sequence[Any]) -> dict[str, Any] | None:
        found: dict[str, Any] = {}
        for value in values:
            naming = self._label(value) if isinstance(value, dict) else None
            if naming is not None:
                rest = {key: said for key, said in value.items() if key != naming}
                label = value[naming]
                entry = Partial(rest) if isinstance(value, Partial) else rest
                found[label] = REFUSED if label in found else entry
        if not found:
            return None
        self.shapes["listed_shape"] = None
        return self._whole(found)

    def _label(self, value: Mapping[str, Any]) -> str | None:
        named = (key for key in NAMING_KEYS if isinstance(value.get(key), str))
        return next((key for key in named if self.labels.match(value[key]) is not None), None)

    def _whole(self, entries: Mapping[str, Any]) -> dict[str, Any]:
        self.cut += [key for key, entry in entries.items() if isinstance(entry, Partial)]
        return {key: entry for key, entry in entries.items() if not isinstance(entry, Partial)}

    def _entry(self, entry: Any) -> Any:
        """An evaluation with its scores as numbers next to its notes."""
        if not isinstance(entry, dict):
            return entry
        inner = next((key for key in NESTING_KEYS if isinstance(entry.get(key), dict)), None)
        if inner is not None:
            self.shapes["nested_scores"] = None
            entry = {key: said for key, said in entry.items() if key != inner} | entry[inner]
        return {key: self._score(key, said) for key, said in entry.items()}

    def _score(self, key: str, said: Any) -> Any:
        if isinstance(said, dict) and "score" in said and self.criteria.match(key) is not None:
            self.shapes["nested_scores"] = None
            return said["score"]
        return said
