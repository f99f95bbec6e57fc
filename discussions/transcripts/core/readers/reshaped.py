"""Tables in another form than one message in each row, as rows: messages in columns of their players, or repeated."""

import re
from collections import defaultdict
from collections.abc import Iterable
from itertools import islice

from msgspec.structs import replace

from discussions.transcripts.core.audience import SPEECH, kind_of_type
from discussions.transcripts.core.readers.columns import LONGEST_NAME, TEXT, field_of
from discussions.transcripts.core.readers.tables import Table, TableRow

# How many rows show whether ids come back.
MOST_ROWS = 2_000
# The column of the players who stood in the names of columns: no known name, so that a person is asked.
NAMED = "name in the column"
_JOINT = re.compile(r"[._ :/-]+")


def reshape(table: Table) -> Table:
    """The table with a row for each message, and one row for each event. Never raises."""
    return _merge_observed(_split_players(table))


def _split_players(table: Table) -> Table:
    """The rows of a table with columns for each player, such as Ann_speech, Ann_vote, Bea_speech, Bea_vote."""
    grid = _grid(table.columns)
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
