"""JSON with one message in each object: JSONL (an object in each line), or a list of objects."""

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from discussions.transcripts.core.converted import Columns, NativeGame, NewNotes
from discussions.transcripts.core.notes import Notes
from discussions.transcripts.core.readers.columns import MOST_COLUMNS
from discussions.transcripts.core.readers.rows import MOST_CELLS, Row, Table, read_table
from workspace.core.json_faults import Problem
from workspace.core.strict_json import normalise_text, read_json

DEEPEST = 4
_TOO_MANY = (
    f"The rows have more than {MOST_COLUMNS} keys, or more than {MOST_CELLS:,} values in all. Split the file, or leave "
    "keys out."
)
_NO_LIST = Problem(code="shape", message="A list of objects was expected. Correct the file.")


def recognises_text(text: str) -> bool:
    """Whether the text begins with rows: objects with two plain values, one of them text, and no list of objects.

    An object over several lines is one thing, not a row.
    """
    begun = text.lstrip()
    if begun.startswith("{") and not begun.partition("\n")[0].rstrip().endswith("}"):
        return False
    first = [entry for _place, entry in islice(first_objects(text), 2)]
    if not first or any(_holds_objects(value) for value in first[0].values()):
        return False
    cells = _flattened(first[0])
    return len(cells) >= 2 and any(type(cell) is str for cell in cells.values())


def to_native_text(text: str, new_notes: NewNotes, columns: Columns) -> Iterator[tuple[NativeGame, Notes]]:
    """The games of JSONL or of a list; a fault when the columns are not known. Never raises."""
    return read_table(read_rows(_entries(text)), new_notes, columns)


def read_rows(entries: Iterable[tuple[str, Any]]) -> Table:
    """The rows of objects, each with its place. Nested objects are laid out flat ("speaker.name"). Never raises."""
    numbers: dict[str, int] = {}
    rows: list[Row] = []
    faults: list[tuple[str, str, str]] = []
    cell_count = 0
    for place, entry in entries:
        if type(entry) is Problem:
            faults.append((entry.code, f"{place} {entry.pointer}".strip(), entry.message))
            continue
        if type(entry) is not dict:
            faults.append(("wrong_type", place, "A row should be a JSON object. Correct the file."))
            continue
        cells = _flattened(entry)
        cell_count += len(cells)
        row = [""] * len(numbers)
        for name, cell in cells.items():
            index = numbers.setdefault(name, len(numbers))
            row += [""] * (index + 1 - len(row))
            row[index] = _as_text(cell)
        rows.append(Row(place=place, cells=row))
        if len(numbers) > MOST_COLUMNS or cell_count > MOST_CELLS:
            faults.append(("too_many", place, _TOO_MANY))
            break
    return Table(columns=list(numbers), rows=rows, faults=faults)


def _entries(text: str) -> Iterator[tuple[str, Any]]:
    """Each value with its place, or what is wrong with it."""
    if text.lstrip().startswith("["):
        document = read_json(text.encode("utf-8", "replace"))
        if not document.is_readable or document.problems or type(document.value) is not list:
            for problem in document.problems or [_NO_LIST]:
                yield f"line {problem.line} column {problem.column}", problem
            return
        for index, entry in enumerate(document.value):
            yield f"/{index}", entry
        return
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        document = read_json(line.encode("utf-8", "replace"))
        if document.is_readable and not document.problems:
            yield f"line {number}", document.value
        for problem in document.problems:
            yield f"line {number}", problem


def first_objects(text: str) -> Iterator[tuple[str, Any]]:
    """The whole objects at the beginning of a text that may be cut off: of a list, or one in each line."""
    decoder = json.JSONDecoder()
    start, number = 0, 0
    is_list = text.lstrip().startswith("[")
    start = text.find("[") + 1 if is_list else 0
    while True:
        while start < len(text) and text[start] in " \t\r\n,":
            start += 1
        if start >= len(text) or text[start] != "{":
            return
        try:
            entry, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            return
        yield (f"/{number}" if is_list else f"line {text.count(chr(10), 0, start) + 1}"), entry
        start, number = end, number + 1


def _holds_objects(value: Any) -> bool:
    """Whether a value is a list of objects, as games of other formats have and rows do not."""
    return type(value) is list and bool(value) and type(value[0]) is dict


def _flattened(entry: dict[str, Any], prefix: str = "", depth: int = 1) -> dict[str, Any]:
    """The plain values of an object by name; lists are left out."""
    found: dict[str, Any] = {}
    for key, value in entry.items():
        name = f"{prefix}{key}"[:200]
        if type(value) is dict and depth < DEEPEST:
            found |= _flattened(value, f"{name}.", depth + 1)
        elif type(value) not in (dict, list) and name.strip():
            found[name] = value
    return found


def _as_text(value: Any) -> str:
    if value is None:
        return ""
    if type(value) is bool:
        return "true" if value else "false"
    return normalise_text(str(value))[0]
