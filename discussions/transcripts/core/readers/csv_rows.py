"""CSV: one message in each row, the names of the columns in the first. Comma, semicolon or tab, told by the content."""

import csv
import re
from collections.abc import Iterator

from discussions.transcripts.core.converted import Columns, NativeGame, NewNotes
from discussions.transcripts.core.notes import Notes
from discussions.transcripts.core.readers.columns import MOST_COLUMNS, has_needed, suggest_fields
from discussions.transcripts.core.readers.rows import MOST_CELLS, Row, Table, read_table, table_columns

DELIMITERS = ",;\t"
SAMPLE_CHARACTERS, SAMPLE_ROWS = 100_000, 50
LONGEST_NAME = 100
# The share of rows in a hundred with as many cells as there are columns, from which on a text is taken as a table.
EVEN = 90
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_SEP_LINE = re.compile(r"\Asep=([,;\t])\r?\n?")
_NUMBER = re.compile(r"[\d.,:\s-]+")
_LENGTH = (
    "The row has {cells:,} cells, but the first row names {columns:,} columns. Put quotation marks around texts that "
    "hold a delimiter."
)
_TOO_LONG = "A cell is longer than 131,072 characters. Shorten it, or close the quotation marks before it."
_QUOTES = (
    'Quotation marks do not fit: a cell that begins with " must end with " before the next delimiter, and a " in it is '
    'written as "". Correct the row.'
)


def recognises_text(text: str) -> bool:
    """Whether the text is a table: a line of names, and rows that are as long."""
    return _delimiter(text) is not None


def has_known_columns(text: str) -> bool:
    """Whether the first line names a player's and a text's column by known names."""
    delimiter = _delimiter(text)
    return delimiter is not None and has_needed(suggest_fields(_sample(text, delimiter)[0]))


def to_native_text(text: str, new_notes: NewNotes, columns: Columns) -> Iterator[tuple[NativeGame, Notes]]:
    """The games of a table; a fault when the columns are not known. Never raises."""
    return read_table(read_csv(text), new_notes, columns)


def read_csv(text: str, *, is_part: bool = False) -> Table:
    """The rows of a table, or its faults. A text that `is_part` is cut off: its last row is left out. Never raises."""
    delimiter = _delimiter(text) or ","
    rows: list[Row] = []
    faults: list[tuple[str, str, str]] = []
    columns: list[str] = []
    cell_count = 0
    try:
        for line, cells in _lines(text, delimiter):
            if not columns:
                columns = table_columns(cells)
                continue
            cell_count += len(cells)
            place = f"line {line}"
            if cell_count > MOST_CELLS:
                sentence = f"The file holds more than {MOST_CELLS:,} cells. Split it into several files."
                faults.append(("too_many_values", place, sentence))
                break
            if any(cell.strip() for cell in cells[len(columns) :]):
                faults.append(("row_length", place, _LENGTH.format(cells=len(cells), columns=len(columns))))
            rows.append(Row(place=place, cells=cells))
    except csv.Error as error:
        faults += [] if is_part else [_broken(str(error), rows)]
    else:
        rows = rows[:-1] if is_part else rows
    if len(columns) > MOST_COLUMNS:
        sentence = f"The file has {len(columns):,} columns; at most {MOST_COLUMNS} are read. Leave some out."
        faults.append(("too_many", "line 1", sentence))
    return Table(columns=columns, rows=rows, faults=faults)


def _lines(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not empty, each with the line on which it begins. Raises csv.Error."""
    sep = _SEP_LINE.match(text)
    skipped = 1 if sep else 0
    lines = (line[0] for line in _LINE.finditer(text, sep.end() if sep else 0))
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    before = 0
    for cells in reader:
        line, before = before + 1 + skipped, reader.line_num
        if any(cell.strip() for cell in cells):
            yield line, cells


def _broken(reason: str, rows: list[Row]) -> tuple[str, str, str]:
    """What is wrong with the quotation marks, as the parser says it, after the last whole row."""
    place = f"after {rows[-1].place}" if rows else "line 1"
    if "field larger" in reason:
        return "too_long", place, _TOO_LONG
    return "quotes", place, _QUOTES


def _delimiter(text: str) -> str | None:
    """The delimiter that makes the most regular table of the first rows; None when none makes one."""
    best: tuple[bool, int, int] = (False, 0, 0)
    chosen = None
    for delimiter in DELIMITERS:
        rows = _sample(text, delimiter)
        header = [cell.strip() for cell in rows[0]] if rows else []
        if len(header) < 2 or len(rows) < 2:
            continue
        is_known = has_needed(suggest_fields(header))
        even = 100 * sum(len(row) == len(header) for row in rows[1:]) // (len(rows) - 1)
        if (is_known or (even >= EVEN and _are_names(header))) and (is_known, even, len(header)) > best:
            best, chosen = (is_known, even, len(header)), delimiter
    return chosen


def _are_names(header: list[str]) -> bool:
    filled = [name for name in header if name]
    return (
        len(filled) == len(set(filled)) >= 2
        and all(len(name) <= LONGEST_NAME and not _NUMBER.fullmatch(name) for name in filled)
        and not filled[0].startswith(("{", "[", "<"))
    )


def _sample(text: str, delimiter: str) -> list[list[str]]:
    rows: list[list[str]] = []
    try:
        for _line, cells in _lines(text[:SAMPLE_CHARACTERS], delimiter):
            rows.append(cells)
            if len(rows) > SAMPLE_ROWS:
                break
    except csv.Error:
        pass
    return rows
