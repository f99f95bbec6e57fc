"""CSV: one message in each row, column names in the first. The delimiter (comma, semicolon, tab) is detected."""

import csv
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from itertools import islice

from discussions.transcripts.core.decoding import Decoded
from discussions.transcripts.core.notes import Games, NewNotes
from discussions.transcripts.core.readers import columns as recipes
from discussions.transcripts.core.readers import tables
from discussions.transcripts.core.readers.rows import read_table
from workspace.core.words import mark, say

DELIMITERS = ",;\t|"
# Enough for some rows of the longest messages.
SAMPLE_CHARACTERS, SAMPLE_ROWS = 512 * 1024, 50
LONGEST_NAME = 100
# A text counts as a table if at least this percentage of rows has as many cells as there are columns.
EVEN = 90
# How far into a file its table begins, and after how many lines that are titles.
MOST_BEFORE, MOST_TITLES = 4096, 5
_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_SEP_LINE = re.compile(r"\Asep=([,;\t])\r?\n?")
# A line after one that is blank, which may name the columns of a further table.
_AFTER_BLANK = re.compile(rb"\n[ \t]{0,9}\r?\n(?P<line>[^\r\n]{3,2000})")
_NUMBER = re.compile(r"[\d.,:\s-]+")
# A line of a chat may begin so: "31/01/2026, 20:15 - Ann: hello, Bea".
_MOMENT = re.compile(r"\W{0,3}\d{1,4}[./-]\d{1,2}[./-]\d{1,4}\b")
_LENGTH = mark("The row has {cells:,} cells for {columns:,} columns. Put quotation marks around texts.")
_TOO_LONG = mark("A cell is longer than 131,072 characters. Shorten it, or close its quotation marks.")
_TOO_MANY = mark("The file holds more than {most_cells:,} cells. Split it into several files.")
_TOO_WIDE = mark("The file has {columns_count:,} columns; at most {most_columns} are read. Leave some out.")
_TABLES = mark("The file holds several tables of messages or votes. Write one, with a column for the type.")
_QUOTES = mark('Quotation marks do not fit: write a " in a cell as "", and end it with ". Correct the row.')


def recognises_text(text: str) -> bool:
    """Whether the text is a table: a line of names, and rows with as many cells."""
    return _delimiter(text) is not None


def to_native_text(decoded: Decoded, new_notes: NewNotes, columns: recipes.Columns) -> Games:
    """The games of a table; a fault when the columns are not known. Never raises."""
    return read_table(read_csv(decoded), new_notes, columns)


def read_csv(decoded: Decoded, *, is_part: bool = False) -> tables.Table:
    """The rows of a table, or its faults. A text that `is_part` is cut off: its last row is left out. Never raises."""
    head = decoded.head(SAMPLE_CHARACTERS)
    delimiter = _delimiter(head) or ","
    read = partial(_rows, decoded, delimiter)
    columns: list[str] = []
    faults = tables.TableFaults()
    cell_count = number = 0
    span = (0, 0, 1)
    try:
        for row in read(*_whole(decoded, delimiter, faults)):
            number = row.number
            if not columns:
                columns = tables.table_columns(row.cells)
                continue
            # The last row of a part may be cut off, so the span ends before it.
            start, _end, first = span if cell_count else (row.start, 0, number)
            span = (start, row.start if is_part else row.end, first)
            cell_count += len(row.cells)
            if cell_count > tables.MOST_CELLS:
                faults.add("too_many_values", f"line {number}", say(_TOO_MANY, most_cells=tables.MOST_CELLS))
                break
            if any(cell.strip() for cell in row.cells[len(columns) :]):
                sentence = say(_LENGTH, cells=len(row.cells), columns=len(columns))
                faults.add("row_length", f"line {number}", sentence)
    except csv.Error as error:
        if not is_part:
            faults.add(*_broken(str(error), number))
    if len(columns) > recipes.MOST_COLUMNS:
        sentence = say(_TOO_WIDE, columns_count=len(columns), most_columns=recipes.MOST_COLUMNS)
        faults.add("too_many", "line 1", sentence)
    return tables.Table(columns, partial(read, width=len(columns)), span, faults)


def _whole(
    decoded: Decoded, delimiter: str, faults: tables.TableFaults | None = None
) -> tuple[int, int, int]:
    """Where the table of messages begins and ends, and its first line; comments and other tables are left out."""
    head = decoded.head(SAMPLE_CHARACTERS)
    sep = _SEP_LINE.match(head)
    begin = decoded.begin + (sep.end() if sep else _comments(head, delimiter))
    heads = [(begin, _cells_of_line(head[begin - decoded.begin :].partition("\n")[0], delimiter))]
    quotes, counted = 0, begin
    for found in _AFTER_BLANK.finditer(decoded.data, begin):
        quotes, counted = quotes + decoded.data.count(b'"', counted, found.start()), found.start()
        cells = _cells_of_line(decoded.part(*found.span("line")), delimiter)
        known = {*map(recipes.field_of, cells)} - {None}
        # Within quotation marks such a line is a part of a text.
        if quotes % 2 == 0 and len(known) > 1 and 2 * len(known) > len(cells) and _are_names(cells):
            heads.append((found.start("line"), cells))
    needed = [recipes.has_needed(recipes.suggest_fields(cells)) for _start, cells in heads]
    talks = [place for place, has_talk in enumerate(needed) if has_talk] or [0]
    others = [head for place, head in enumerate(heads) if place != talks[0]]
    further = {recipes.field_of(cell) for _start, cells in others for cell in cells}
    if faults is not None and (len(talks) > 1 or further & {"vote", *recipes.OF_TYPED_ROWS}):
        faults.add("several_tables", "", say(_TABLES))
    start = heads[talks[0]][0]
    end = next((at for at, _cells in heads[talks[0] + 1 :]), len(decoded.data))
    return start, end, 1 + decoded.data.count(b"\n", decoded.begin, start)


def _comments(head: str, delimiter: str) -> int:
    """How long the lines before a table are that are no header: they begin with #, or fill one cell, as titles do."""
    lines = head[:MOST_BEFORE].splitlines(keepends=True)
    # A column of numbers may be called "#".
    told = [line[0] == "#" and line[1:2] != delimiter for line in lines]
    filled = [sum(map(bool, _cells_of_line(line, delimiter))) for line in lines]
    table = next((number for number, count in enumerate(filled) if count > 1 and not told[number]), 0)
    is_titled = table <= MOST_TITLES and all(count < 2 for count in filled[:table])
    first = (number for number, line in enumerate(lines) if line.strip() and not told[number])
    count = table if is_titled else next(first, 0)
    if count and recipes.has_needed(recipes.suggest_fields(_cells_of_line(lines[count - 1], delimiter))):
        count -= 1
    return len("".join(lines[:count]).encode())


def _cells_of_line(line: str, delimiter: str) -> list[str]:
    return [cell.strip().strip('"') for cell in line.strip().split(delimiter)]


def _rows(
    decoded: Decoded, delimiter: str, start: int, end: int, number: int, width: int = 0
) -> Iterator[tables.TableRow]:
    """The filled rows between two offsets, of `width` cells if known; the first line has `number`. Raises csv.Error."""
    reached = start

    def lines() -> Iterator[str]:
        nonlocal reached
        for found in _LINE.finditer(decoded.data, start, end):
            reached = found.end()
            yield decoded.part(found.start(), reached)

    # A row ends with the last line that the parser read.
    reader = csv.reader(lines(), delimiter=delimiter, strict=True, skipinitialspace=True)
    begin, line = start, 0
    for cells in reader:
        if any(cell.strip() for cell in cells):
            even = [*cells, *[""] * (width - len(cells))][:width] if width else cells
            yield tables.TableRow(number=number + line, start=begin, end=reached, cells=even)
        begin, line = reached, reader.line_num


def _broken(reason: str, number: int) -> tuple[str, str, str]:
    """The parser's message about the quotation marks, placed after the last complete row."""
    place = say("after line {number}", number=number) if number else "line 1"
    if "field larger" in reason:
        return "too_long", place, say(_TOO_LONG)
    return "quotes", place, say(_QUOTES)


def _delimiter(text: str) -> str | None:
    """The delimiter that makes the most regular table of the first rows; None when none makes one."""
    best: tuple[bool, int, int] = (False, 0, 0)
    chosen = None
    for delimiter in DELIMITERS:
        rows = _sample(text, delimiter)
        header = [cell.strip() for cell in rows[0]] if rows else []
        is_known = recipes.has_needed(recipes.suggest_fields(header))
        # The first text may be longer than what is looked at.
        is_cut = is_known and len(rows) == 1 and text.count('"') % 2 == 1
        if len(header) < 2 or (len(rows) < 2 and not is_cut):
            continue
        # Bars may also part lines without names, or frame a table with a rule below its header.
        is_open = (header[0] or header[-1]) and {*"".join(rows[-1])} - {*"-+: "}
        if delimiter == "|" and not (is_open and (is_known or is_header(header, rows[1:]))):
            continue
        even = 100 * sum(len(row) == len(header) for row in rows[1:]) // max(1, len(rows) - 1)
        # Where the first cell comes back below it, the first line is a row, too.
        if len(header) == 2 and header[0] in [row[0].strip() for row in rows[1:] if row]:
            continue
        if (is_known or (even >= EVEN and _are_names(header))) and (is_known, even, len(header)) > best:
            best, chosen = (is_known, even, len(header)), delimiter
    return chosen


def is_header(header: list[str], rows: list[list[str]]) -> bool:
    """Whether cells that are no sentences and do not come back below stand above rows of the same length."""
    columns = [[cell.strip() for cell in column] for column in zip(*rows, strict=False)]
    again = (cell in column or cell[-1:] in {*".!?"} for cell, column in zip(header, columns, strict=False))
    return all(len(row) == len(header) > 2 for row in rows) and not any(again)


def _are_names(header: list[str]) -> bool:
    filled = [name for name in header if name]
    return (
        len(filled) == len(set(filled)) >= 2
        and all(len(name) <= LONGEST_NAME and not _NUMBER.fullmatch(name) for name in filled)
        and not filled[0].startswith(("{", "[", "<"))
        and not _MOMENT.match(filled[0])
    )


def _sample(text: str, delimiter: str) -> list[list[str]]:
    rows: list[list[str]] = []
    decoded = Decoded(text[:SAMPLE_CHARACTERS].encode("utf-8", "replace"))
    with suppress(csv.Error):
        for row in islice(_rows(decoded, delimiter, *_whole(decoded, delimiter)), SAMPLE_ROWS + 1):
            rows.append(row.cells)
    return rows
