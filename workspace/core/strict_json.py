"""Bytes to plain values, or to the list of what is wrong with them: the only way in which JSON from outside is read.

Stricter than the standard library: UTF-8 only, no duplicate keys, no NaN or infinities, no numbers over 18 digits,
no nesting over 64, no second value. What two databases would store differently is replaced and counted: the
character NUL becomes U+2400 and a lone surrogate U+FFFD.

A lenient reading is for files whose parts are judged where they are read: a longer number is its text, what is not
finite is a `NotFinite`, and texts are in the Unicode form NFC.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import reduce
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from workspace.core.json_faults import MOST_SHOWN, Problem, find_problems
from workspace.core.words import say

MAX_DEPTH = 64
MAX_DIGITS = 18
MAX_VALUES = 4_000_000
MOST_PROBLEMS = 1_000
_BOM = b"\xef\xbb\xbf"
_PIECE = 1024 * 1024
_NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_NOT_MARKS = bytes(set(range(256)) - set(b'[]{}"'))
_DIGITS_ALIKE = bytes.maketrans(b"123456789", b"000000000")
_TOO_MANY_DIGITS = b"0" * (MAX_DIGITS + 1)
_SUSPICIOUS_ESCAPE = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
# Escapes of characters that NFC may compose: nothing below U+0300 is.
_ESCAPE = re.compile(rb"\\u(0[3-9a-fA-F][0-9a-fA-F]{2}|[1-9a-fA-F][0-9a-fA-F]{3})")
_ALIKE = bytes.maketrans(b"{}", b"[]")


class Replaced(Struct, frozen=True):
    """How many characters of a value were replaced: NUL by U+2400, lone surrogates by U+FFFD.

    Of a lenient reading also: how many texts were composed, and the first and the count of what is not finite.
    """

    nul: int = 0
    surrogate: int = 0
    composed: int = 0
    not_finite: int = 0
    first: str = ""

    def plus(self, other: "Replaced") -> "Replaced":
        return Replaced(
            self.nul + other.nul,
            self.surrogate + other.surrogate,
            self.composed + other.composed,
            self.not_finite + other.not_finite,
            self.first or other.first,
        )


def sum_replaced(all_replaced: Iterable[Replaced]) -> Replaced:
    return reduce(Replaced.plus, all_replaced, Replaced())


class NotFinite(str):
    """What stands in a lenient value for NaN, an infinity or a number that is too large, as it is written."""

    __slots__ = ()


class Document(Struct, frozen=True):
    """What was read. `value` is meaningful when `is_readable`; if there are problems, only outside their pointers.

    `problems` holds the first ones, `problem_count` counts all. `replaced` is keyed by the pointer of the item of
    a top-level list ("/3"), or "" when the top level is not a list; items without replacements have no entry.
    """

    value: Any = None
    is_readable: bool = False
    problems: list[Problem] = []
    problem_count: int = 0
    had_bom: bool = False
    replaced: dict[str, Replaced] = {}


def read_json(
    data: bytes,
    *,
    max_depth: int = MAX_DEPTH,
    max_digits: int = MAX_DIGITS,
    max_values: int = MAX_VALUES,
    most_problems: int = MOST_PROBLEMS,
    is_lenient: bool = False,
) -> Document:
    """Reads one JSON value from bytes, strictly. Never raises; linear in the size of the input.

    A text with a syntax error, or beyond the limits of depth or size, is not readable at all; duplicate keys and
    unacceptable numbers leave a value whose faulty parts the problems name by pointer.
    """
    had_bom = data.startswith(_BOM)
    body = data[len(_BOM) :] if had_bom else data
    refusal = _refused_at_sight(body)
    if refusal:
        return _refused(refusal, had_bom=had_bom)
    # A few bytes of "{}," cost a hundred in memory each, so values are counted before any is built.
    if len(body) > max_values and _holds_values(body, max_values):
        return _refused(_too_many(max_values), had_bom=had_bom)
    value, is_plain = _parse_plain(body, max_depth)
    is_clean = is_plain
    if not is_plain and is_lenient and not is_too_deep(body, max_depth):
        value, is_clean = _parse(body.decode("utf-8"), longest=max_digits)
    replaced: dict[str, Replaced] = {}
    may_compose = is_clean and is_lenient and _may_compose(body)
    if is_clean and (may_compose or not is_plain or (b"\\" in body and _SUSPICIOUS_ESCAPE.search(body))):
        value, is_clean = _normalise_top(value, replaced, composes=may_compose)
    if is_clean:
        return Document(value=value, is_readable=True, had_bom=had_bom, replaced=replaced)
    text = body.decode("utf-8")
    found = find_problems(
        text, max_depth=max_depth, max_digits=None if is_lenient else max_digits, most=most_problems
    )
    return _document(text, *found, had_bom=had_bom, longest=max_digits if is_lenient else None)


def _may_compose(body: bytes) -> bool:
    """Whether the text may not be in the Unicode form NFC."""
    if b"\\" in body and any(_composes(chr(int(code, 16))) for code in set(_ESCAPE.findall(body))):
        return True
    return not body.isascii() and not unicodedata.is_normalized("NFC", body.decode("utf-8"))


def _composes(character: str) -> bool:
    """Whether NFC may join the character to the one before it, or replace it."""
    is_mark = unicodedata.category(character).startswith("M") or "\u1161" <= character <= "\u11c2"
    return is_mark or not unicodedata.is_normalized("NFC", character)


def normalise_text(text: str) -> tuple[str, Replaced]:
    """The text as both databases can store it, and what was replaced for this."""
    nul = text.count("\0")
    text = text.replace("\0", "\u2400") if nul else text
    surrogate = len(_LONE_SURROGATE.findall(text))
    text = _LONE_SURROGATE.sub("\ufffd", text) if surrogate else text
    return text, Replaced(nul=nul, surrogate=surrogate)


def _refused(problem: Problem, *, had_bom: bool) -> Document:
    return Document(problems=[problem], problem_count=1, had_bom=had_bom)


def _refused_at_sight(body: bytes) -> Problem | None:
    """Faults that can be found before parsing: the text is empty, or not UTF-8."""
    if not body.strip(b" \t\r\n"):
        return Problem(
            code="empty", message=say("The file is empty. Export it again and look at its size first.")
        )
    if body[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in body[:4]:
        says = say(
            "The file is UTF-16 or UTF-32, not UTF-8. Save it again as UTF-8; in Excel, choose the file type "
            '"CSV UTF-8".'
        )
        return Problem(code="encoding", message=says)
    try:
        body.decode("utf-8")
    except UnicodeDecodeError as error:
        before = body[: error.start]
        line = before.count(b"\n") + 1
        column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8")) + 1
        return Problem(
            code="encoding",
            message=say(
                "Byte {start:,} (0x{body:02x}) is not UTF-8 text. Save it again as UTF-8.",
                start=error.start + 1,
                body=body[error.start],
            ),
            line=line,
            column=column,
        )
    return None


def _outside_strings(body: bytes) -> bytes:
    """The text between the strings. Exact up to the first syntax error, which is all that is needed."""
    plain, outside, start = _without_escapes(body), bytearray(), 0
    # All strings at once take ten times the memory of their text.
    while start < len(plain):
        end = plain.find(b'"', start + _PIECE) + 1 or len(plain)
        if plain.count(b'"', start, end) % 2:
            end = plain.find(b'"', end) + 1 or len(plain)
        outside += b" ".join(plain[start:end].split(b'"')[::2])
        start = end
    return bytes(outside)


def _without_escapes(body: bytes) -> bytes:
    """The text without escaped quotes and, where there are some, without escaped backslashes."""
    # A single byte is found much faster.
    return body.replace(b"\\\\", b"").replace(b'\\"', b"") if b"\\" in body and b'\\"' in body else body


def _too_many(count: int) -> Problem:
    return Problem(
        code="too_many_values",
        message=say("The file holds more than {count:,} values. Split it into several files.", count=count),
    )


def _holds_values(body: bytes, most: int) -> bool:
    """Whether the text holds so many values, or more quotes than they could need."""
    if body.count(b'"') > 8 * most:
        return True
    outside = _outside_strings(body)
    return outside.count(b",") + outside.count(b"[") + outside.count(b"{") >= most


def is_too_deep(body: bytes, max_depth: int) -> bool:
    """Whether a JSON text is nested over `max_depth`; of a text with a syntax error, whether it may be."""
    # Most strings hold no brackets: only their quotes are left of them, and go, too.
    marks = _without_escapes(body).translate(None, _NOT_MARKS).replace(b'""', b"")
    outside = _outside_strings(body) if b'"' in marks else marks
    brackets = outside.translate(_ALIKE, _NOT_BRACKETS)
    for _level in range(max_depth):
        if not brackets:
            break
        brackets = brackets.replace(b"[]", b"")
    return brackets != b""


def _parse_plain(body: bytes, max_depth: int) -> tuple[Any, bool]:
    """The value, and whether that is all: no long number, no key that occurs twice, nothing too deep."""
    try:
        value = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        # Such as a number that is none, or half of a surrogate pair.
        return None, False
    if _has_many_digits(body) and _has_many_digits(_outside_strings(body)):
        return None, False
    return value, 2 * _count_strings(value, max_depth) == _without_escapes(body).count(b'"')


def _has_many_digits(text: bytes) -> bool:
    return _TOO_MANY_DIGITS in text.translate(_DIGITS_ALIKE)


def _count_strings(value: Any, max_depth: int) -> int:
    """The texts and keys of a value; with a key that occurs twice, fewer than in its text. -1 if it is too deep."""
    count, level = 0, [value]
    for _level in range(max_depth + 1):
        below: list[Any] = []
        for part in level:
            kind = type(part)
            if kind is str:
                count += 1
            elif kind is dict or kind is list:
                count += len(part) if kind is dict else 0
                below += (part.values() if kind is dict else part) or (None,)
        if not below:
            return count
        level = below
    return -1


def _parse(
    text: str, *, int_of: Callable[[str], int] | None = None, longest: int | None = None
) -> tuple[Any, bool]:
    """The value, and whether nothing at all was wrong. Of duplicate keys, the last one is in the value.

    With the `longest` number of digits, the reading is lenient.
    """
    is_clean = True
    is_lenient = longest is not None

    def number(written: str) -> Any:
        if len(re.split(r"[.eE]", written.lstrip("-"), maxsplit=1)[0]) > (longest or 0):
            return written
        value = float(written) if set(".eE") & set(written) else int(written)
        return NotFinite(written[:MOST_SHOWN]) if value in (float("inf"), float("-inf")) else value

    def build(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal is_clean
        built = dict(pairs)
        if len(built) != len(pairs):
            is_clean = False
        return built

    decoder = json.JSONDecoder(
        object_pairs_hook=build,
        parse_constant=NotFinite if is_lenient else lambda _written: None,
        parse_int=number if is_lenient else int_of,
        parse_float=number if is_lenient else None,
    )
    try:
        return decoder.decode(text), is_clean
    except (json.JSONDecodeError, RecursionError):
        return None, False


def _short_int(digits: str) -> int:
    # Longer ones have been refused already; int() would raise on thousands of digits.
    return int(digits) if len(digits) <= MAX_DIGITS + 1 else 0


def _document(
    text: str, problems: list[Problem], count: int, is_broken: bool, *, had_bom: bool, longest: int | None
) -> Document:
    """The document of a text that the fast reader refused: the problems, and the value where it can be read."""
    value: Any = None
    replaced: dict[str, Replaced] = {}
    if not is_broken:
        value, _ = _parse(text, int_of=_short_int, longest=longest)
        value, _ = _normalise_top(value, replaced, composes=longest is not None)
    return Document(
        value=value,
        is_readable=not is_broken,
        problems=[_storable(problem) for problem in problems],
        problem_count=count,
        had_bom=had_bom,
        replaced=replaced,
    )


def _storable(problem: Problem) -> Problem:
    """The problem with a message and a pointer that can be stored; both can repeat a key of the text."""
    message, _ = normalise_text(problem.message)
    pointer, _ = normalise_text(problem.pointer)
    return replace(problem, message=message, pointer=pointer)


def _normalise_top(value: Any, replaced: dict[str, Replaced], *, composes: bool = False) -> tuple[Any, bool]:
    """The value with everything replaced that cannot be stored, and whether all keys were plain; fills `replaced`."""
    if isinstance(value, list):
        parts = [
            _Normaliser(replaced, f"/{index}", composes=composes).of(item) for index, item in enumerate(value)
        ]
        return [part for part, _ in parts], all(is_plain for _, is_plain in parts)
    return _Normaliser(replaced, "", composes=composes).of(value)


class _Normaliser:
    def __init__(self, replaced: dict[str, Replaced], item: str, *, composes: bool) -> None:
        self.replaced = replaced
        self.item = item
        self.composes = composes

    def of(self, value: Any) -> tuple[Any, bool]:
        """The value as it can be stored, and whether all its keys were plain."""
        if type(value) is NotFinite:
            self._note(Replaced(not_finite=1, first=value))
            return value, True
        if isinstance(value, str):
            text, here = normalise_text(value)
            if text is not value:
                self._note(here)
            composed = self._composed(text)
            if composed != text:
                self._note(Replaced(composed=1))
            return composed, True
        if isinstance(value, list):
            parts = [self.of(part) for part in value]
            return [part for part, _ in parts], all(is_plain for _, is_plain in parts)
        if isinstance(value, dict):
            return self._object(value)
        return value, True

    def _object(self, value: dict[str, Any]) -> tuple[dict[str, Any], bool]:
        built, is_plain = {}, True
        for key, part in value.items():
            built_key, _ = normalise_text(key)
            built[self._composed(built_key)], is_plain_below = self.of(part)
            is_plain = is_plain and is_plain_below and built_key == key
        return built, is_plain

    def _composed(self, text: str) -> str:
        return unicodedata.normalize("NFC", text) if self.composes and not text.isascii() else text

    def _note(self, here: Replaced) -> None:
        self.replaced[self.item] = self.replaced.get(self.item, Replaced()).plus(here)
