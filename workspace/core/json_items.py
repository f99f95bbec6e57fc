"""Where the parts of a large JSON file are, without building it: the items of its list, its lines or its values.

A part is a pair of offsets in bytes. Only brackets, strings and commas are looked at, so a part may still have syntax
errors: `strict_json.read_json` finds them.
"""

import re
from array import array
from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from workspace.core.json_faults import Problem
from workspace.core.strict_json import MAX_DEPTH, MAX_VALUES

BOM = b"\xef\xbb\xbf"
_SPACE = re.compile(rb"[ \t\r\n]*+")
_BETWEEN = re.compile(rb"[ \t\r\n,]*+")
# Between values: a comma, or a line of signs; and how much of a file is looked at for the first and the last one.
_VALUE_GAP = re.compile(rb"\s*+(?P<sign>[,;]|(?P<one>[-=*_#])(?P=one){2,80}(?=\s))?\s*+")
_NOT_SPACE = re.compile(rb"\S")
_JSON_RECORD = re.compile(rb"\x1e\s*+(?:\{\s*+[\"}]|\[\s*+[\"\[\]{])")
_RECORD, _LONGEST_FIRST, _TAIL = b"\x1e", 1024 * 1024, 1024
_LIST = msgspec.json.Decoder(list[msgspec.Raw])
_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_SCALAR = re.compile(_STRING + rb'|[^\s,"\[\]{}]++', re.DOTALL)
_TO_BRACKET = re.compile(rb'[^"\[\]{}]*+(?:' + _STRING + rb'[^"\[\]{}]*+)*+', re.DOTALL)
_OPENING, _CLOSING, _LIST_END, _COMMA = frozenset(b"[{"), frozenset(b"]}"), ord("]"), ord(",")
_BRACKETS = _OPENING | _CLOSING
# Bytes that continue a character: a column counts characters.
_CONTINUING = bytes(range(0x80, 0xC0))


class Parts:
    """Offsets of the parts of a file: (start, end) of each, in 16 bytes."""

    def __init__(self) -> None:
        self._offsets = array("Q")

    def add(self, start: int, end: int) -> None:
        self._offsets.append(start)
        self._offsets.append(end)

    def moved(self, by: int) -> "Parts":
        """The same parts, moved on by that many bytes."""
        parts = Parts()
        parts._offsets = array("Q", (offset + by for offset in self._offsets))
        return parts

    def __len__(self) -> int:
        return len(self._offsets) // 2

    def between(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """The parts from the first index up to, not including, the second."""
        offsets = self._offsets[2 * first : 2 * last]
        return zip(offsets[::2], offsets[1::2], strict=True)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return zip(self._offsets[::2], self._offsets[1::2], strict=True)


def begin_of(data: bytes) -> int:
    """Where the text begins: after a byte order mark and white space."""
    return _skip_space(data, len(BOM) if data.startswith(BOM) else 0)


def find_items(data: bytes, *, max_depth: int = MAX_DEPTH, most: int = MAX_VALUES) -> Parts | None:
    """The items of the list in the bytes; None when these are not a list, or it is too deep, too long or not closed.

    Linear in the number of bytes.
    """
    at = begin_of(data)
    if data[at : at + 1] != b"[":
        return None
    items = Parts()
    at = _skip_space(data, at + 1)
    if data[at : at + 1] == b"]":
        return items if _is_end(data, at + 1) else None
    while len(items) < most:
        end = _end_of_value(data, at, max_depth - 1)
        if end is None:
            return None
        items.add(at, end)
        at = _skip_space(data, end)
        after = data[at] if at < len(data) else None
        if after == _LIST_END:
            return items if _is_end(data, at + 1) else None
        if after != _COMMA:
            return None
        at = _skip_space(data, at + 1)
    return None


def split_items(data: bytes) -> Parts | None:
    """As `find_items`, ten times as fast, however deep they are; None on a syntax error, or when there are too many."""
    try:
        values = _LIST.decode(data)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None
    if len(values) > MAX_VALUES:
        return None
    items = Parts()
    at = begin_of(data) + 1
    for value in values:
        found = _BETWEEN.match(data, at)
        start = found.end() if found else at
        at = start + len(memoryview(value))
        items.add(start, at)
    return items


def find_lines(data: bytes, *, most: int = MAX_VALUES) -> Parts | None:
    """The lines that are not blank, without surrounding white space; None when there are more than the limit."""
    lines = Parts()
    for start, end in each_line(data):
        if len(lines) == most:
            return None
        lines.add(start, end)
    return lines


def each_line(data: bytes) -> Iterator[tuple[int, int]]:
    """As `find_lines`, one after the other."""
    at = begin_of(data)
    while at < len(data):
        end = data.find(b"\n", at)
        end = len(data) if end < 0 else end
        yield at, at + len(data[at:end].rstrip())
        at = _skip_space(data, end)


def find_values(data: bytes, *, max_depth: int = MAX_DEPTH, most: int = MAX_VALUES) -> Parts | None:
    """The objects and lists that follow one another, on one line or several; None where one is something else."""
    values = Parts()
    for start, end in each_value(data, begin_of(data), len(data), max_depth=max_depth):
        if end is None or data[start] not in _OPENING or len(values) == most:
            return None
        values.add(start, end)
    return values


def each_value(
    data: bytes, start: int, end: int, *, max_depth: int = MAX_DEPTH
) -> Iterator[tuple[int, int | None]]:
    """As `find_values`, one after the other between two offsets; the last may have no end."""
    while (start := _skip_space(data, start)) < end:
        after = _end_of_value(data, start, max_depth)
        yield start, after
        start = end if after is None else after


def blank_between(data: bytes, *, is_part: bool = False) -> bytes:
    """The bytes with spaces for signs between values that follow one another, so that only space is between them.

    Signs are commas, lines such as "---", the record separators of RFC 7464, and the bracket of a list that is not
    closed. Other bytes stay as they are; those after the last whole value do, too, where the bytes are a part.
    """
    begin = begin_of(data)
    if _JSON_RECORD.match(data, begin):
        return data.replace(_RECORD, b" ")
    is_open = data[begin : begin + 1] == b"[" and data[-_TAIL:].rstrip()[-1:] in (b"}", b",")
    head = _VALUE_GAP.match(data, begin + is_open)
    start = head.end() if head else begin
    first = (
        _end_of_value(memoryview(data)[: start + _LONGEST_FIRST], start, MAX_DEPTH)
        if data[start : start + 1] == b"{"
        else None
    )
    after = _VALUE_GAP.match(data, first) if first else None
    if not (after and after["sign"] and _is_json(data[start:first])):
        return data
    blanked = bytearray(data)
    at: int | None = begin
    while at is not None and at < len(data):
        found = _VALUE_GAP.match(data, at + (is_open and at == begin))
        end = found.end() if found else at
        blanked[at:end] = _NOT_SPACE.sub(b" ", data[at:end])
        at = end if end == len(data) else None
        if data[end : end + 1] == b"{":
            at = _end_of_value(data, end, MAX_DEPTH)
    return bytes(blanked) if is_part or at is not None else data


def _is_json(data: bytes) -> bool:
    try:
        msgspec.json.decode(data)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return False
    return True


class PartPlaces:
    """Turns places in a part into places in its file. Parts must be asked for in the order of the file.

    `data` may be a piece of the file that begins at a line and column.
    """

    def __init__(self, data: bytes, line: int = 1, column: int = 1) -> None:
        self._data = data
        self._at = len(BOM) if data.startswith(BOM) else 0
        self._line, self._column = line, column

    def place(self, problem: Problem, start: int, pointer: str = "") -> Problem:
        """The problem, given with line, column and pointer in the part that begins there, located in the whole file."""
        self._advance(start)
        return replace(
            problem,
            line=self._line + problem.line - 1,
            column=problem.column + (self._column - 1 if problem.line == 1 else 0),
            pointer=pointer + problem.pointer,
        )

    def line(self, start: int) -> int:
        self._advance(start)
        return self._line

    def line_and_column(self, start: int) -> tuple[int, int]:
        self._advance(start)
        return self._line, self._column

    def _advance(self, to: int) -> None:
        passed = self._data[self._at : to]
        lines = passed.count(b"\n")
        if lines:
            self._line += lines
            self._column = 1
            passed = passed[passed.rindex(b"\n") + 1 :]
        self._column += len(passed.translate(None, _CONTINUING))
        self._at = to


def _end_of_value(data: bytes | memoryview, at: int, max_depth: int) -> int | None:
    """Where the value that begins there ends; None when it does not end, or is nested too deeply."""
    if at >= len(data) or data[at] not in _OPENING:
        found = _SCALAR.match(data, at)
        return found.end() if found else None
    depth = 0
    while True:
        if data[at] in _OPENING:
            depth += 1
            if depth > max_depth:
                return None
        else:
            depth -= 1
            if not depth:
                return at + 1
        found = _TO_BRACKET.match(data, at + 1)
        at = found.end() if found else len(data)
        # In a string that does not end, Python before 3.11.5 may match as far as a last backslash (gh-106052).
        if at >= len(data) or data[at] not in _BRACKETS:
            return None


def _skip_space(data: bytes, at: int) -> int:
    found = _SPACE.match(data, at)
    return found.end() if found else at


def _is_end(data: bytes, at: int) -> bool:
    return _skip_space(data, at) == len(data)
