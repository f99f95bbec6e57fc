"""Rows under named columns, as CSV, JSON lines and lists of objects have them."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from discussions.transcripts.core.notes import Limits, many_times
from discussions.transcripts.core.readers import columns as recipes
from workspace.core.words import mark, say

# How many cells a file may have, and how many of its first rows show what it holds.
MOST_CELLS, SAMPLED = 4_000_000, 2_000
MOST_FAULTS = Limits().faults
_NO_VALUE = frozenset(("NULL", "\\N", "NaN", "nan", "<NA>"))
_NO_NUMBER = mark('The column "{column}" holds {written}, which is no number. Write one, or null.')


class TableRow(Struct, frozen=True, gc=False):
    """One row: its number in the file, where it begins and ends there, and a cell for each column."""

    number: int
    start: int
    end: int
    cells: list[str]


# The rows between two offsets; the first row has this number.
ReadRows = Callable[[int, int, int], Iterator[TableRow]]


class TableFaults(Struct):
    """What is wrong with rows: faults, `not_finite` by column (as written, first place, how many), `composed` texts."""

    first: list[tuple[str, str, str]] = []
    count: int = 0
    not_finite: dict[str, tuple[str, str, int]] = {}
    composed: int = 0

    def add(self, code: str, place: str, sentence: str) -> None:
        """Count a fault; the list is capped as for any other format."""
        self.count += 1
        if len(self.first) < MOST_FAULTS:
            self.first.append((code, place, sentence))

    def judge_not_finite(self, read: Collection[str]) -> list[tuple[str, str, int]]:
        """Add one fault for each column that is read; the others are left out: how written, first place, how many."""
        for column in [column for column in self.not_finite if column in read]:
            written, place, count = self.not_finite[column]
            sentence = say(_NO_NUMBER, column=column[:60], written=str(written))
            self.add("not_finite", place, many_times(sentence, count))
        return [found for column, found in self.not_finite.items() if column not in read]


class Table(Struct, frozen=True):
    """The rows of a file, read again on each access: `read` of the `span` gives all of them.

    `place` says where a row is, by its number. Faults concern the file as a whole: with one, no game is imported.
    `left_out` names the keys of JSON whose values are lists, where they were looked for, or holds the lines of a text
    that are in none of its templates. `is_part` says that these are only the rows at the beginning of the file.
    `counted` is a column that only numbers the games. `settings` are those of `columns.SETTINGS` by which the file was
    read, `choices` what may be chosen for each instead, with a sample.
    `around` holds what may list the players of the only game: the JSON object around the rows, and the first of these.
    """

    columns: list[str]
    read: ReadRows = lambda *_span: iter(())
    span: tuple[int, int, int] = (0, 0, 0)
    faults: TableFaults = msgspec.field(default_factory=TableFaults)
    place: Callable[[int], str] = "line {}".format
    left_out: list[str] = []
    is_part: bool = False
    counted: str = ""
    settings: dict[str, str] = {}
    choices: dict[str, list[tuple[str, str]]] = {}
    # What has to be asked about in any case, such as channels that may be games, and how many rows have it.
    asked: dict[str, int] = {}
    around: list[Any] = []
    # What is around the rows of each of several games.
    of_games: list[Any] = []
    # How a text begins, where templates say how its lines are written, or could.
    first_lines: list[str] = []

    @property
    def rows(self) -> Iterator[TableRow]:
        return self.read(*self.span)

    def find_unread(self, row: TableRow, at: Mapping[str, list[int]]) -> str:
        """The longest cell of a row that is in none of the columns `at`, behind the name of its own; "" without one."""
        read = {index for places in at.values() for index in places}
        cells = ((self.columns[index], cell) for index, cell in enumerate(row.cells) if index not in read)
        name, cell = max(cells, key=lambda pair: len(pair[1]), default=("", ""))
        return f"{name[:60]}: {cell[:60]}" if cell else ""


def with_rows(table: Table, columns: list[str], rows: Iterable[tuple[int, list[str]]]) -> Table:
    """The table with other columns and rows, which are in memory: the number and the cells of each."""
    held = [TableRow(number, index, index + 1, cells) for index, (number, cells) in enumerate(rows)]

    def read(start: int, end: int, _number: int) -> Iterator[TableRow]:
        return iter(held[start:end])

    return replace(table, columns=columns, read=read, span=(0, len(held), 0))


def table_columns(names: Sequence[str]) -> list[str]:
    """Unique names of the columns: an empty or a repeated name gets its number."""
    found: list[str] = []
    for number, given in enumerate(names, start=1):
        name = given.strip()[:200]
        while not name or name in found:
            name = f"{name or 'column'} ({number})"
        found.append(name)
    return found


def sample_rows(table: Table, count: int = SAMPLED) -> Iterator[list[str]]:
    return (row.cells for row in islice(table.rows, count))


def places_of(fields: Mapping[str, str], columns: Sequence[str]) -> dict[str, list[int]]:
    """Field -> the positions of its columns."""
    places = {name: index for index, name in enumerate(columns)}
    return {key: [places[one] for one in recipes.split_columns(name, places)] for key, name in fields.items()}


def cells_of(row: TableRow, at: Mapping[str, list[int]]) -> dict[str, str]:
    """Field -> the first cell of its columns that is not empty."""
    cells = row.cells
    found = {}
    for field, places in at.items():
        for index in places:
            if cells[index] and (cells[index] not in _NO_VALUE or field == recipes.TEXT):
                found[field] = cells[index]
                break
    return found


def first_cells(table: Table, at: Mapping[str, list[int]], count: int = SAMPLED) -> list[dict[str, str]]:
    """The same of each of the first rows."""
    return [cells_of(row, at) for row in islice(table.rows, count)]
