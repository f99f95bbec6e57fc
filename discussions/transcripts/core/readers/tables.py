"""Rows under named columns, as CSV, JSON lines and lists of objects have them."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

import msgspec
from msgspec import Struct

from discussions.transcripts.core.notes import Limits

MOST_CELLS = 4_000_000
MOST_FAULTS = Limits().faults


class TableRow(Struct, frozen=True, gc=False):
    """One row: its number in the file, where it begins and ends there, and its cells in the order of the columns.

    Cells at the end may be missing.
    """

    number: int
    start: int
    end: int
    cells: list[str]


# The rows between two offsets; the first row has this number.
ReadRows = Callable[[int, int, int], Iterator[TableRow]]


class TableFaults(Struct):
    """What is wrong with a file of rows: the first faults as code, place and sentence, and how many there are."""

    first: list[tuple[str, str, str]] = []
    count: int = 0

    def add(self, code: str, place: str, sentence: str) -> None:
        """Count a fault; the list is capped as for any other format."""
        self.count += 1
        if len(self.first) < MOST_FAULTS:
            self.first.append((code, place, sentence))


class Table(Struct, frozen=True):
    """The rows of a file, read again on each access: `read` of the `span` gives all of them.

    `place` says where a row is, by its number. Faults concern the file as a whole: with one, no game is imported.
    `left_out` names the keys of JSON whose values are lists, where they were looked for. `is_part` says that these are
    only the rows at the beginning of the file.
    """

    columns: list[str]
    read: ReadRows
    span: tuple[int, int, int]
    faults: TableFaults = msgspec.field(default_factory=TableFaults)
    place: str = "line {}"
    left_out: list[str] = []
    is_part: bool = False

    @property
    def rows(self) -> Iterator[TableRow]:
        return self.read(*self.span)


def table_columns(names: Sequence[str]) -> list[str]:
    """Unique names of the columns: an empty or a repeated name gets its number."""
    found: list[str] = []
    taken = set(names)
    for number, given in enumerate(names, start=1):
        name = given.strip()[:200]
        while not name or name in found:
            name = f"{name or 'column'} ({number})"
            if name in taken:
                name = f"{name}_"
        found.append(name)
    return found


def sample_rows(table: Table, count: int) -> Iterator[list[str]]:
    """The first rows with a cell for each column."""
    for row in islice(table.rows, count):
        yield [*row.cells, *[""] * (len(table.columns) - len(row.cells))][: len(table.columns)]
