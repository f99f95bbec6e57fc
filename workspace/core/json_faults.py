"""Where and why a text is not strict JSON: a second, careful pass, taken only when the fast reader refused.

One pass, no recursion, linear in the length of the text. It ends at the first syntax error, since what follows cannot
be trusted; duplicate keys and unacceptable numbers are all listed. Places are JSON pointers, lines, columns.
"""

import json
import re
from collections.abc import Callable

from msgspec import Struct

from workspace.core.words import say


class Problem(Struct, frozen=True):
    """One thing that keeps a text from being strict JSON.

    `line` and `column` count characters from 1; `pointer` is the JSON pointer of the value (or of the object that
    holds the key), "" for the whole text.
    """

    code: str
    message: str
    line: int = 1
    column: int = 1
    pointer: str = ""


def build_pointer(parts: list[str | int]) -> str:
    """The JSON pointer of these keys and indexes; a very long key is cut, since people read it."""
    shown = []
    for part in parts:
        text = str(part).replace("~", "~0").replace("/", "~1")
        shown.append("/" + (text if len(text) <= 100 else text[:99] + "…"))
    return "".join(shown)


class Places:
    """Turns positions in a text into lines and columns; no position may be on an earlier line than the one before.

    Lines are counted once over the whole text, not from its start each time.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._line = 1
        self._line_start = 0
        self._counted = 0

    def line_and_column(self, position: int) -> tuple[int, int]:
        """Line and column of a position, in characters from 1."""
        if position > self._counted:
            self._line += self._text.count("\n", self._counted, position)
            self._line_start = max(self._line_start, self._text.rfind("\n", self._counted, position) + 1)
            self._counted = position
        return self._line, position - self._line_start + 1


MOST_SHOWN = 40
_SPACE = re.compile(r"[ \t\n\r]*")
_STRING = re.compile(r'"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"')
_STRING_START = re.compile(r'"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_WORD = re.compile(r"-?[A-Za-z]+")
_NOT_STORABLE = re.compile("[\x00\ud800-\udfff]")
_CUT_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")
_DECODER = json.JSONDecoder()
_CONSTANTS = frozenset({"true", "false", "null"})
_NOT_FINITE = frozenset({"NaN", "Infinity", "-Infinity"})


def find_problems(
    text: str, *, max_depth: int, max_digits: int | None, most: int
) -> tuple[list[Problem], int, bool]:
    """Every problem of the text in order of place, at most `most` of them kept. Never raises on any text.

    With the problems come how many there are, and whether the text has a syntax error. Without `max_digits` no number
    is a problem.
    """
    finder = _Finder(text, max_depth=max_depth, max_digits=max_digits, most=most)
    finder.run()
    return finder.problems, finder.count, finder.is_broken


class _Frame:
    """An object or a list that is being read: the key or index it is at, and the keys it has had."""

    __slots__ = ("at", "is_object", "keys")

    def __init__(self, *, is_object: bool) -> None:
        self.is_object = is_object
        self.at: str | int | None = None if is_object else 0
        self.keys: set[str] = set()


class _Finder:
    def __init__(self, text: str, *, max_depth: int, max_digits: int | None, most: int) -> None:
        self.text = text
        self.max_depth = max_depth
        self.max_digits = max_digits
        self.most = most
        self.problems: list[Problem] = []
        self.count = 0
        self.is_broken = False
        self.position = 0
        self.frames: list[_Frame] = []
        self.expects: Callable[[str], None] = self._value
        self._places = Places(text)

    def run(self) -> None:
        """Reads token after token until the end or the first break."""
        while not self.is_broken:
            space = _SPACE.match(self.text, self.position)
            self.position = space.end() if space else self.position
            if self.position >= len(self.text):
                self._end()
                return
            self.expects(self.text[self.position])

    def _end(self) -> None:
        if self.expects == self._nothing_more:
            return
        says = say(
            "The text ends before it is complete: {wanted} was expected. The file was "
            "probably cut off; export it again.",
            wanted=self._wanted(),
        )
        self._break("truncated", says)

    def _wanted(self) -> str:
        if not self.frames:
            return say("a value")
        return say("the end of an object") if self.frames[-1].is_object else say("the end of a list")

    # What may come next. Each of these reads one token that starts with `first`.

    def _value(self, first: str) -> None:
        if first in "{[":
            self._open(is_object=first == "{")
        elif first == '"':
            if self._string() is not None:
                self._after_value()
        elif first == "-" or (first.isascii() and first.isalnum()):
            self._word_or_number()
        else:
            self._unexpected(say("a value"))

    def _value_or_end(self, first: str) -> None:
        if first == "]":
            self._close()
        else:
            self._value(first)

    def _key_or_end(self, first: str) -> None:
        if first == "}":
            self._close()
        else:
            self._key(first)

    def _key(self, first: str) -> None:
        if first != '"':
            self._unexpected(say("a key in double quotes"))
            return
        start = self.position
        raw = self._string()
        if raw is None:
            return
        frame = self.frames[-1]
        key = _DECODER.decode(raw) if "\\" in raw else raw[1:-1]
        if _NOT_STORABLE.search(key):
            self._note(
                "key",
                say("A key contains a NUL or half a character (a lone surrogate). Rename the key."),
                start,
            )
        if key in frame.keys:
            shown = _shorten(key)
            says = say(
                'The key "{shown}" appears twice in one object, so it is not clear which value is '
                "meant. Keep one.",
                shown=shown,
            )
            self._note("duplicate_key", says, start, self.frames[:-1])
        frame.keys.add(key)
        frame.at = key
        self.expects = self._colon

    def _colon(self, first: str) -> None:
        if first != ":":
            self._unexpected(say("a colon after the key"))
            return
        self.position += 1
        self.expects = self._value

    def _comma_or_end(self, first: str) -> None:
        frame = self.frames[-1]
        if first == ",":
            self.position += 1
            if isinstance(frame.at, int):
                frame.at += 1
            self.expects = self._key if frame.is_object else self._value
        elif first == ("}" if frame.is_object else "]"):
            self._close()
        else:
            self._unexpected(say("a comma or the end of the ") + ("object" if frame.is_object else "list"))

    def _nothing_more(self, _: str) -> None:
        says = say(
            "There is more text after the end of the JSON value, beginning with {seen}. Keep one "
            "value; put several games into one list: [ {{...}}, {{...}} ].",
            seen=self._seen(),
        )
        self._break("trailing", says)

    # Steps

    def _open(self, *, is_object: bool) -> None:
        if len(self.frames) >= self.max_depth:
            says = say(
                "Brackets are nested deeper than {max_depth}; no transcript needs that.",
                max_depth=self.max_depth,
            )
            self._break("depth", says)
            return
        self.frames.append(_Frame(is_object=is_object))
        self.position += 1
        self.expects = self._key_or_end if is_object else self._value_or_end

    def _close(self) -> None:
        self.frames.pop()
        self.position += 1
        self._after_value()

    def _after_value(self) -> None:
        self.expects = self._comma_or_end if self.frames else self._nothing_more

    def _string(self) -> str | None:
        found = _STRING.match(self.text, self.position)
        if found:
            self.position = found.end()
            return found.group()
        start = _STRING_START.match(self.text, self.position)
        self._broken_string(start.end() if start else self.position)
        return None

    def _broken_string(self, stop: int) -> None:
        if stop >= len(self.text) or _CUT_ESCAPE.match(self.text, stop):
            self._break(
                "truncated",
                say("The text ends inside a string. The file was probably cut off; export it again."),
            )
        elif self.text[stop] == "\\":
            escape = self.text[stop : stop + 2]
            says = say(
                "A string contains {escape!r}, which is no escape of JSON. Double the backslash.",
                escape=escape,
            )
            self._break("syntax", says, stop)
        else:
            code = f"{ord(self.text[stop]):04X}"
            self._break(
                "control_character",
                say(
                    "A string contains the bare control character U+{code}. Write it as \\u{escape}.",
                    code=code,
                    escape=code.lower(),
                ),
                stop,
            )

    def _word_or_number(self) -> None:
        word = _WORD.match(self.text, self.position)
        if word and word.group() in _NOT_FINITE and self.max_digits is not None:
            says = say(
                "{group} is not a JSON number. Write a number, or null if there is none.",
                group=word.group(),
            )
            self._note("not_finite", says)
        elif word and word.group() not in _CONSTANTS | _NOT_FINITE:
            self._unexpected(say("a value"))
            return
        number = None if word else _NUMBER.match(self.text, self.position)
        if number:
            self._check_number(number.group(), self.max_digits)
        found = word or number
        if found is None:
            self._unexpected(say("a value"))
            return
        self.position = found.end()
        self._after_value()

    def _check_number(self, number: str, max_digits: int | None) -> None:
        if max_digits is None:
            return
        digits = len(re.split(r"[.eE]", number.lstrip("-"), maxsplit=1)[0])
        if digits > max_digits:
            says = say(
                "A number has {digits:,} digits; at most {max_digits} are read. Shorten it, or quote it.",
                digits=digits,
                max_digits=max_digits,
            )
            self._note("number", says)
        elif float(number) in (float("inf"), float("-inf")):
            self._note(
                "not_finite",
                say(
                    "The number {number} is too large to be stored. Write a smaller one.",
                    number=_shorten(number),
                ),
            )

    # Saying it

    def _seen(self) -> str:
        return repr(self.text[self.position : self.position + 12])

    def _unexpected(self, wanted: str) -> None:
        rest = self.text[self.position : self.position + 2]
        hint = ""
        if rest[0] == "'":
            hint = say(" JSON strings stand in double quotes.")
        elif rest in ("//", "/*") or rest[0] == "#":
            hint = say(" JSON has no comments; remove them.")
        elif rest[0] in "]}" and self.expects in (self._value, self._key):
            hint = say(" There may be a comma too many before it.")
        says = say(
            "This is not JSON: {wanted} was expected and {seen} was found.{hint}",
            wanted=wanted,
            seen=self._seen(),
            hint=hint,
        )
        self._break("syntax", says)

    def _break(self, code: str, message: str, position: int | None = None) -> None:
        self.is_broken = True
        self._note(code, message, position)

    def _note(
        self, code: str, message: str, position: int | None = None, frames: list[_Frame] | None = None
    ) -> None:
        self.count += 1
        if len(self.problems) >= self.most:
            return
        line, column = self._places.line_and_column(self.position if position is None else position)
        pointer = build_pointer(
            [frame.at for frame in (self.frames if frames is None else frames) if frame.at is not None]
        )
        self.problems.append(Problem(code=code, message=message, line=line, column=column, pointer=pointer))


def _shorten(text: str) -> str:
    return text if len(text) <= MOST_SHOWN else text[: MOST_SHOWN - 1] + "…"
