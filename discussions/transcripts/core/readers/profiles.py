"""What columns with unknown names may be, by what they hold: proposed to a person, never read without one."""

import re
from collections import Counter
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from discussions.transcripts.core.audience import IGNORE, ROUND, SPEECH, VOTE, kind_of_type
from discussions.transcripts.core.notes import Limits
from discussions.transcripts.core.readers.aliases import propose_aliases
from discussions.transcripts.core.readers.columns import (
    ENCODING,
    LIST,
    PLAYER,
    TEXT,
    MappingRecord,
    split_columns,
    suggest_fields,
)
from discussions.transcripts.core.readers.row_kinds import cells_of, read_signs
from discussions.transcripts.core.readers.tables import Table, TableRow

# How many rows are looked at, and the shortest average text.
MOST_ROWS, LEAST_TEXT = 2000, 12
LONGEST_NAME, MOST_ROUNDS = 60, 60
MOST_TYPES = 20
_UNSPACED = re.compile("[\u2e80-\ud7ff\uf900-\ufaff]")


class _Column(Struct, frozen=True):
    """A column's cells that are not empty, and the different ones in order."""

    name: str
    cells: list[str]
    different: list[str]

    @property
    def length(self) -> float:
        # A sign of a script without spaces says as much as a few letters.
        return sum(len(cell) + 2 * len(_UNSPACED.findall(cell)) for cell in self.cells) / max(
            1, len(self.cells)
        )


def propose_mapping(table: Table) -> MappingRecord:
    """The columns by their names; player, text and round also by what is in columns with other names.

    Text is long and varied. A player is one of a few short values that come back and that texts name. A round is a
    number that never falls.
    """
    fields = suggest_fields(table.columns)
    used = {part for name in fields.values() for part in split_columns(name, table.columns)}
    rows = list(islice(table.rows, MOST_ROWS))
    free = []
    for index, name in enumerate(table.columns):
        cells = [row.cells[index] for row in rows if index < len(row.cells) and row.cells[index]]
        if name not in used and cells:
            free.append(_Column(name, cells, list(dict.fromkeys(cells))))
    found = dict(fields)
    if TEXT not in found and (text := _longest(free)):
        found[TEXT] = text.name
        free.remove(text)
    said = table.columns.index(found[TEXT]) if found.get(TEXT) in table.columns else len(table.columns)
    texts = "\n".join(row.cells[said] for row in rows if said < len(row.cells)).casefold()
    if PLAYER not in found and (player := _most_named(free, texts)):
        found[PLAYER] = player.name
        free.remove(player)
    number = next(
        (one for one in free if _is_round(one) and not f"{one.name}.".startswith(f"{table.counted}.")), None
    )
    if "round" not in found and "phase" not in found and number is not None:
        found["round"] = number.name
    if table.counted and "game" not in found:
        found["game"] = table.counted
    if "type" in found and "target" not in found and (target := _target(free, rows, table, found)):
        found["target"] = target
    return _with_settings(table, found)


def _with_settings(table: Table, found: dict[str, str]) -> MappingRecord:
    """The columns, with what was chosen to read the file; where no column gives a round, a lone type may begin one."""
    settings = {key: said for key, said in ((LIST, table.list), (ENCODING, table.encoding)) if said}
    mapping = MappingRecord(table.columns, found, settings=settings)
    marks = [value for value in find_marks(table, mapping) if kind_of_type(value) in ("", IGNORE, SPEECH)]
    has_rounds = "round" in found or "phase" in found
    return replace(mapping, kinds={} if has_rounds or len(marks) != 1 else {marks[0].casefold(): ROUND})


def _target(free: list[_Column], rows: list[TableRow], table: Table, found: dict[str, str]) -> str:
    """The column that names a player in votes alone; "" without one."""
    at = {
        name: [table.columns.index(part) for part in split_columns(own, table.columns)]
        for name, own in found.items()
    }
    cells = [cells_of(row, at) for row in rows]
    players = {own[PLAYER] for own in cells if PLAYER in own}
    for column in free:
        index = table.columns.index(column.name)
        filled = [
            own for own, row in zip(cells, rows, strict=True) if index < len(row.cells) and row.cells[index]
        ]
        if players.issuperset(column.different) and all(
            kind_of_type(own.get("type", "")) == VOTE for own in filled
        ):
            return column.name
    return ""


def find_aliases(table: Table, mapping: MappingRecord) -> dict[str, str]:
    """Other names that the texts of the first game may use for its players, as pairs."""
    at = read_signs(table, mapping).at
    names: dict[str, None] = {}
    texts, game = [], None
    for row in islice(table.rows, MOST_ROWS):
        cells = cells_of(row, at)
        game = cells.get("game", "") if game is None else game
        if cells.get("game", "") == game and (name := cells.get(PLAYER, "").strip()):
            names[name] = None
            texts.append(cells.get(TEXT, ""))
    return propose_aliases(names, "\n".join(texts)) if len(names) <= Limits().players else {}


def find_marks(table: Table, mapping: MappingRecord) -> dict[str, int]:
    """The values of a type at which a round may begin, and how often: rows of a type that mostly say nothing."""
    signs = read_signs(table, mapping)
    rows = [cells_of(row, signs.at) for row in islice(table.rows, MOST_ROWS)]
    counts = Counter(cells["type"] for cells in rows if "type" in cells)
    said = Counter(
        cells["type"] for cells in rows if cells.get(TEXT) and cells.get(PLAYER) and "type" in cells
    )
    return {
        value: count
        for value, count in counts.items()
        if said[value] < count <= MOST_ROUNDS and count > 1 and kind_of_type(value) != VOTE
    }


def _longest(columns: list[_Column]) -> _Column | None:
    texts = [
        column
        for column in columns
        if column.length >= LEAST_TEXT and any(" " in cell or _UNSPACED.search(cell) for cell in column.cells)
    ]
    varied = [column for column in texts if len(column.different) * 2 > len(column.cells)]
    return max(varied, key=lambda column: column.length * len(column.cells), default=None)


def _most_named(columns: list[_Column], texts: str) -> _Column | None:
    """The column of a few short values that come back; of several the one whose values the texts name most."""
    names = [
        column
        for column in columns
        if _is_small(column, Limits().players)
        and not all(cell.strip().isdecimal() for cell in column.different)
    ]

    def named(column: _Column) -> tuple[float, int]:
        told = sum(name.strip().casefold() in texts for name in column.different)
        return told / len(column.different), len(column.cells)

    return max(names, key=named, default=None)


def _is_small(column: _Column, most: int = MOST_TYPES) -> bool:
    is_short = max(map(len, column.different)) <= LONGEST_NAME
    return is_short and 2 <= len(column.different) <= most and len(column.different) < len(column.cells)


def _is_round(column: _Column) -> bool:
    if not 1 < len(column.different) <= MOST_ROUNDS or not all(
        cell.strip().isdecimal() for cell in column.cells
    ):
        return False
    numbers = [int(cell) for cell in column.cells[:MOST_ROWS]]
    return (
        numbers == sorted(numbers)
        and len(column.different) * 2 <= len(numbers) + 1
        and numbers[-1] <= MOST_ROUNDS
    )
