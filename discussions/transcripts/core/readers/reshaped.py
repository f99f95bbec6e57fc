"""Tables in another form than one message in each row, as rows: messages in columns of their players, or repeated.

Objects in the cells of a table, as exports of tracing tools have them, become columns of their own.
"""

import re
from collections import defaultdict
from collections.abc import Iterable
from itertools import islice
from typing import Any

from msgspec.structs import replace

from discussions.transcripts.core.audience import SPEECH, kind_of_type
from discussions.transcripts.core.fields import as_object
from discussions.transcripts.core.readers.columns import (
    LONGEST_NAME,
    MOST_COLUMNS,
    TEXT,
    Columns,
    field_of,
    find_mapping,
)
from discussions.transcripts.core.readers.json_cells import as_text, flattened
from discussions.transcripts.core.readers.tables import Table, TableRow, sample_rows, table_columns
from workspace.core.strict_json import read_json

# How many rows show whether ids come back.
MOST_ROWS = 2_000
# The column of the players who stood in the names of columns: no known name, so that a person is asked.
NAMED = "name in the column"
# How many rows show that cells hold objects, and how few columns of players are a game.
SAMPLE, LEAST_PLAYERS = 50, 3
_JOINT = re.compile(r"[._ :/-]+")


def reshape(table: Table, recipes: Columns = ()) -> Table:
    """The table with a row for each message, and one row for each event. Never raises.

    Objects in cells stay where a recipe names their columns.
    """
    table = table if find_mapping(table.columns, recipes) else _open_objects(table)
    return _merge_observed(_split_players(table))


def _open_objects(table: Table) -> Table:
    """The table with a column for each plain value of the objects in its cells: "inputs.player"."""
    held = [
        place
        for place, own in enumerate(zip(*sample_rows(table, SAMPLE), strict=True))
        if field_of(table.columns[place]) != TEXT and any(own) and all(map(_may_be_object, own))
    ]
    if not held or table.faults.count:
        return table
    flat = [(row, [flattened(as_object(_value(row, place))) for place in held]) for row in table.rows]
    found = dict.fromkeys(
        (place, name)
        for _row, objects in flat
        for place, own in zip(held, objects, strict=True)
        for name in own
    )
    if not found or len(found) + len(table.columns) > MOST_COLUMNS:
        return table
    kept = [place for place in range(len(table.columns)) if place not in held]
    columns = [table.columns[place] for place in kept] + [f"{table.columns[at]}.{name}" for at, name in found]
    rows: list[TableRow] = []
    for row, objects in flat:
        own = dict(zip(held, objects, strict=True))
        cells = [row.cells[place] if place < len(row.cells) else "" for place in kept]
        more = [as_text(own[place].get(name)) for place, name in found]
        rows.append(replace(row, cells=cells + more, start=len(rows), end=len(rows) + 1))
    return _of_rows(replace(table, columns=table_columns(columns)), rows)


def _may_be_object(cell: str) -> bool:
    return not cell or (cell[:1] == "{" and cell[-1:] == "}")


def _value(row: TableRow, place: int) -> Any:
    return read_json(row.cells[place].encode(), is_lenient=True).value if place < len(row.cells) else None


def _split_players(table: Table) -> Table:
    """The rows of a table with columns for each player, such as Ann_speech, Ann_vote, Bea_speech, Bea_vote."""
    grid = _grid(table.columns) or _wide(table)
    if not grid:
        return table
    kinds: list[str] = list(dict.fromkeys(kind for own in grid.values() for kind in own))
    used = {place for own in grid.values() for place in own.values()}
    beside = [place for place in range(len(table.columns)) if place not in used]
    rows: list[TableRow] = []
    for row in table.rows:
        cells = [*row.cells, *[""] * (len(table.columns) - len(row.cells))]
        for name, own in grid.items():
            said = [cells[own[kind]] for kind in kinds]
            if any(said):
                more = [*(cells[place] for place in beside), name, *said]
                rows.append(replace(row, cells=more, start=len(rows), end=len(rows) + 1))
    return _of_rows(
        replace(table, columns=[*(table.columns[place] for place in beside), NAMED, *kinds]), rows
    )


def _grid(columns: list[str]) -> dict[str, dict[str, int]]:
    """Player -> kind of column -> its place, where columns are a player and a kind, or a kind and a player."""
    for is_first in (True, False):
        found: dict[str, dict[str, int]] = defaultdict(dict)
        for place, column in enumerate(columns):
            joint = list(_JOINT.finditer(column))
            if joint:
                at = joint[0] if is_first else joint[-1]
                ends = column[: at.start()], column[at.end() :]
                found[ends[not is_first]][ends[is_first]] = place
        kinds: set[str] = max(map(set, found.values()), key=len, default=set())
        grid = {name: own for name, own in found.items() if {*own} == kinds and _may_be_player(name)}
        is_said = any(field_of(kind) == TEXT or kind_of_type(kind) == SPEECH for kind in kinds)
        if is_said and len(grid) > 1 and len(grid) * len(kinds) > 2:
            return grid
    return {}


def _wide(table: Table) -> dict[str, dict[str, int]]:
    """The same for columns that are players: what is written under a name is said by that player."""
    rows = list(sample_rows(table, SAMPLE))
    texts = "\n".join(cell for row in rows for cell in row if " " in cell).casefold()
    found = {
        name: {TEXT: place}
        for place, name in enumerate(table.columns)
        if _may_be_player(name)
        and name.casefold() in texts
        and any(" " in row[place].strip() for row in rows)
    }
    others = [name for name in table.columns if name not in found]
    is_said = any(field_of(name) == TEXT for name in others)
    return found if len(found) >= LEAST_PLAYERS and len(others) < len(found) and not is_said else {}


def _may_be_player(name: str) -> bool:
    return bool(name.strip()) and not kind_of_type(name) and not field_of(name)


def _merge_observed(table: Table) -> Table:
    """The table with one row for each event that the file holds once for each player who observed it.

    Rows of one event have the same id and differ in one column alone, which then lists the cells of all of them.
    """
    fields = list(map(field_of, table.columns))
    at = [place for place, field in enumerate(fields) if field in ("id", "game")]
    events = _events(islice(table.rows, MOST_ROWS), at) if "id" in fields else {}
    repeated = [rows for rows in events.values() if len(rows) > 1]
    differ = {
        place
        for rows in repeated
        for place, cells in enumerate(zip(*(row.cells for row in rows), strict=False))
        if len({*cells}) > 1
    }
    if len(differ) != 1 or fields[place := differ.pop()] not in (None, "audience"):
        return table
    if any(len(row.cells[place]) > LONGEST_NAME for rows in repeated for row in rows):
        return table
    merged: list[TableRow] = []
    for rows in _events(table.rows, at).values():
        seen = dict.fromkeys(row.cells[place] for row in rows if place < len(row.cells))
        cells = [*rows[0].cells[:place], ", ".join(seen), *rows[0].cells[place + 1 :]]
        merged.append(replace(rows[0], cells=cells, start=len(merged), end=len(merged) + 1))
    return _of_rows(table, merged)


def _of_rows(table: Table, rows: list[TableRow]) -> Table:
    return replace(table, read=lambda start, end, _number: iter(rows[start:end]), span=(0, len(rows), 0))


def _events(rows: Iterable[TableRow], at: list[int]) -> dict[tuple[str, ...], list[TableRow]]:
    """The rows of each event in order; a row without an id is one."""
    found: dict[tuple[str, ...], list[TableRow]] = {}
    for row in rows:
        key = tuple(row.cells[place] if place < len(row.cells) else "" for place in at)
        found.setdefault(key if all(key) else (*key, str(row.number)), []).append(row)
    return found
