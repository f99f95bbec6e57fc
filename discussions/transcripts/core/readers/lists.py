"""Rows in a list somewhere inside JSON that is in no known format: where such lists are, and their rows.

A path names the keys that lead to a list ("games.log"); lists on the way are passed through. A row also has what stands
around it: the plain values of its game under "game.KEY", and the number of each list's item on the way.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from msgspec.structs import replace

from discussions.transcripts.core.decoding import Decoded
from discussions.transcripts.core.notes import NativeGame, NewNotes, Notes
from discussions.transcripts.core.readers import json_rows
from discussions.transcripts.core.readers.columns import LIST, Columns, MappingRecord, field_of, find_mapping
from discussions.transcripts.core.readers.json_rows import table_of_objects
from discussions.transcripts.core.readers.rows import read_table
from discussions.transcripts.core.readers.tables import Table
from workspace.core.json_items import begin_of, each_value
from workspace.core.strict_json import read_json

DEEPEST, MOST_LISTS, MOST_ITEMS, MOST_KEYS, MOST_SHOWN = 6, 20, 50, 200, 20
GAME = "game"


def read_values(data: bytes) -> Any:
    """The JSON value of a file; of several that follow one another, a list. None of what is no JSON."""
    document = read_json(data, is_lenient=True)
    if document.is_readable:
        return document.value
    values = [
        read_json(data[start : end or len(data)], is_lenient=True)
        for start, end in each_value(data, begin_of(data), len(data))
    ]
    return (
        [value.value for value in values] if values and all(value.is_readable for value in values) else None
    )


def cut_lists(value: Any, depth: int = 0) -> Any:
    """The value with the first items of its lists only, which show its format."""
    if depth > DEEPEST or type(value) not in (dict, list):
        return value
    if type(value) is list:
        return [cut_lists(item, depth + 1) for item in value[:MOST_SHOWN]]
    return {key: cut_lists(part, depth + 1) for key, part in value.items()}


def find_lists(value: Any) -> list[str]:
    """The paths of the lists of objects in a value, but for the value itself."""
    found: dict[str, None] = {}
    _look_for_lists(value, "", found)
    return list(found)


def _look_for_lists(value: Any, path: str, found: dict[str, None]) -> None:
    parts = value[:MOST_ITEMS] if type(value) is list else [value]
    for part in parts:
        for key, inner in (
            islice(part.items(), MOST_KEYS) if type(part) is dict and path.count(".") < DEEPEST else ()
        ):
            own = f"{path}.{key}" if path else key
            if type(inner) is list and inner and type(inner[0]) is dict and len(found) < MOST_LISTS:
                found[own] = None
            if type(inner) in (dict, list):
                _look_for_lists(inner, own, found)


def table_at(value: Any, path: str) -> Table | None:
    """The rows of the list at a path; None where there is none. Never raises."""
    rows = list(_rows_at(value, path.split("."), {}, ""))
    if not rows:
        return None
    table = table_of_objects(
        [(index, row) for index, (_place, row) in enumerate(rows)],
        [place for place, _row in rows].__getitem__,
    )
    counted = GAME if type(value) is list or any(GAME in row for _place, row in rows) else ""
    return replace(table, list=path, lists=find_lists(value), counted=counted)


def count_rows(value: Any, path: str) -> int:
    return sum(1 for _row in _rows_at(value, path.split("."), {}, ""))


def _rows_at(
    value: Any, keys: list[str], around: dict[str, Any], place: str
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects at a path, each with its place and what is around it."""
    if type(value) is list:
        is_outer = GAME not in around
        for index, item in enumerate(value):
            number = {GAME if is_outer else _one_of(place): index + 1} if keys else {}
            yield from _rows_at(item, keys, around | number, f"{place}/{index}")
    elif type(value) is dict and not keys:
        yield place, {key: part for key, part in around.items() if key not in value} | value
    elif type(value) is dict and keys[0] in value:
        plain = {_beside(key): part for key, part in value.items() if type(part) not in (dict, list)}
        yield from _rows_at(value[keys[0]], keys[1:], plain | around, f"{place}/{keys[0]}")


def _beside(key: str) -> str:
    return key if field_of(key) in (GAME, "winner", "round") else f"{GAME}.{key}"


def _one_of(place: str) -> str:
    """What an item of a list is called: of "/games/3/rounds" a round."""
    return place.rpartition("/")[2].removesuffix("s") or GAME


def to_native_text(
    decoded: Decoded, new_notes: NewNotes, columns: Columns
) -> Iterator[tuple[NativeGame, Notes]]:
    """The games of JSONL, of a list, or of the list that a recipe names; a fault when the columns are not known.

    Never raises.
    """
    found = read_listed(decoded, columns)
    return (
        read_table(found[0], new_notes, found[1])
        if found
        else json_rows.to_native_text(decoded, new_notes, columns)
    )


def read_listed(decoded: Decoded, columns: Columns) -> tuple[Table, list[MappingRecord]] | None:
    """The rows of the list that a recipe names, with this recipe; None where no recipe fits."""
    named = [mapping for mapping in columns if LIST in mapping.settings]
    value = read_values(decoded.data if decoded.is_plain else decoded.text.encode()) if named else None
    for mapping in named if value is not None else ():
        table = table_at(value, mapping.settings[LIST])
        if table is not None and find_mapping(table.columns, [mapping]):
            return table, [mapping]
    return None
