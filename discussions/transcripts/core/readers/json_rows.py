"""JSON with one message in each object: objects one after another, as in JSONL (one in each line), or a list.

The list may stand inside JSON in no known format: a path names the keys that lead to it ("games.log"), and lists on the
way are passed through. A row then also has what stands around it: the plain values of its game under "game.KEY", and
the number of each item of a list on the way.
"""

import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import groupby, islice
from typing import Any

import msgspec
from msgspec.structs import replace

from discussions.transcripts.core import audience
from discussions.transcripts.core.decoding import Decoded
from discussions.transcripts.core.fields import as_list, as_object, as_objects
from discussions.transcripts.core.notes import Games, NewNotes, many_times
from discussions.transcripts.core.readers import cast_lists, json_cells, json_rounds
from discussions.transcripts.core.readers import columns as recipes
from discussions.transcripts.core.readers.json_votes import votes_beside
from discussions.transcripts.core.readers.rows import read_table
from discussions.transcripts.core.readers.tables import MOST_CELLS, Table, TableFaults, TableRow, with_rows
from workspace.core.json_faults import Problem
from workspace.core.json_items import Parts, begin_of, each_value, find_items, find_values
from workspace.core.strict_json import NotFinite, Replaced, read_json, sum_replaced
from workspace.core.words import mark, say

DEEPEST_LIST = 6
# An id under which a database stores an item: "-NZ90lYXxSHulEwNFP10", a UUID.
_STORED = re.compile(r"(?=.{0,39}\d)-?[\w-]{18,39}")
MOST_LISTS, MOST_ITEMS, MOST_KEYS, MOST_SHOWN = 20, 50, 200, 20
GAME, COUNTER = "game", " number"
# What else lists of games are called, without an "s".
_GAMES = frozenset("matche transcript conversation dialogue result item data".split()) | json_rounds.GAMES
# How many rows at the beginning may list the players.
_FIRST = 5
MOST_IN_HEAD = 5_000
_TOO_MANY = mark("The rows have more than {columns} keys, or {cells:,} values. Split the file.")
_NO_OBJECT = mark("A row should be a JSON object. Correct the file.")
_NO_LIST = Problem(code="shape", message=mark("A list of objects was expected. Correct the file."))

# Of a list: its place, what it holds, and what is around it.
_Listed = tuple[str, dict[str, Any], dict[str, Any]]
# A row of a file, as in `TableRow`, with its JSON; and those between two places.
_Entry = tuple[int, int, int, bytes]
_Entries = Callable[[int, int, int], Iterator[_Entry]]

# Code and sentence -> the first place, and how many.
_Causes = dict[tuple[str, str], tuple[str, int]]


def recognises_text(text: str) -> bool:
    """Whether a text begins with rows: two plain values, one a text, and no list of objects but of players."""
    stripped = text.lstrip()
    first = [entry for _number, entry in islice(_first_objects(text), 2)]
    is_alone = stripped.startswith("{") and len(first) < 2
    first = first if is_alone else list(map(cast_lists.without_lists, first))
    if is_alone and not stripped.partition("\n")[0].rstrip().endswith("}"):
        return False
    # What names a player and a text may hold lists, such as calls of tools, but none of messages.
    lists = [part[0] for part in first[0].values() if _holds_objects(part)] if first else []
    if lists and json_cells.names_both(first[0]) and not any(map(json_cells.names_both, lists)):
        return True
    # Of a lone object, the objects in it are looked at, too.
    depth = 1 if len(first) == 1 else json_cells.DEEPEST
    are_columns = len(first) == 1 and json_cells.are_columns(first[0])
    if not first or are_columns or _holds_objects_within(first[0], depth):
        return False
    return any(
        sum(type(cell) is not json_cells.Listed for cell in cells.values()) >= 2
        and any(type(cell) is str for cell in cells.values())
        for cells in map(json_cells.flattened, first)
    )


def to_native_text(decoded: Decoded, new_notes: NewNotes, columns: recipes.Columns) -> Games:
    """The games of JSONL, a list, or the list of a recipe; a fault when columns are not known. Never raises."""
    table, own = read_listed(decoded, columns) or (read_rows(decoded), columns)
    return read_table(table, new_notes, own)


def read_rows(decoded: Decoded) -> Table:
    """The rows of JSONL or a list, nested objects flattened ("speaker.name"), or their faults. Never raises."""
    begin = begin_of(decoded.data)
    if decoded.data[begin : begin + 1] != b"[":
        return _read_values(decoded)
    if not decoded.is_plain:
        decoded = Decoded(decoded.text.encode())
    items = find_items(decoded.data)
    if items is not None:
        table = _checked_table(partial(_items, decoded, items), (0, len(items), 0), "/{}".format)
        if not any(code != "wrong_type" for code, _place, _sentence in table.faults.first):
            return table
    document = read_json(decoded.data, is_lenient=True)
    faults = TableFaults()
    for problem in document.problems or [_NO_LIST]:
        place = f"line {problem.line} column {problem.column} {problem.pointer}".strip()
        faults.add(problem.code, place, say(problem.message))
    faults.count = max(faults.count, document.problem_count)
    return Table([], faults=faults)


def _read_values(decoded: Decoded) -> Table:
    """The rows of values one after the other, by lines if the first is one: then a broken one is a fault of it."""
    whole = decoded.begin, len(decoded.data), 1
    first = next(_lines(decoded, *whole), (0, 0, 1, b""))[3]
    table = _checked_table(partial(_lines, decoded), whole, "line {}".format)
    is_by_line = read_json(first, is_lenient=True).is_readable
    if is_by_line and all(code != "trailing" for code, _place, _sentence in table.faults.first):
        return table
    plain = decoded if decoded.is_plain else Decoded(decoded.text.encode())
    if find_values(plain.data) is None:
        return table
    return _checked_table(partial(_values, plain), (plain.begin, len(plain.data), 1), "line {}".format)


def read_first_rows(text: str) -> Table:
    """The rows at the beginning of a text that may be cut off. Never raises."""
    place = ("/{}" if text.lstrip().startswith("[") else "line {}").format
    return table_of_objects(list(islice(_first_objects(text), MOST_IN_HEAD)), place)


def table_of_objects(entries: list[tuple[int, dict[str, Any]]], place: Callable[[int], str]) -> Table:
    """The rows of objects that are in memory, each with its number. Never raises."""
    flat = [(number, json_cells.flattened(entry)) for number, entry in entries]
    seen = json_cells.SeenNames()
    for _number, cells in flat:
        seen.add(cells)
    numbers, columns = json_cells.find_positions(seen.columns, seen.players)
    names = (name for _number, entry in entries for name in _list_names(entry))
    listed = dict.fromkeys(name for name in names if name.rpartition(".")[2] not in cast_lists.KEYS)
    faults = TableFaults()
    for number, cells in flat:
        _note_not_finite(cells, Replaced(), place(number), faults)
    if len(columns) > recipes.MOST_COLUMNS:
        sentence = say(_TOO_MANY, columns=recipes.MOST_COLUMNS, cells=MOST_CELLS)
        faults.add("too_many", place(entries[0][0]), sentence)
    left_out = [name for name in listed if not {name, f"{name}{json_cells.LISTS}"} & set(columns)]
    around = [entry for _number, entry in entries[:_FIRST]]
    table = Table(columns, faults=faults, place=place, left_out=left_out, around=around)
    rows = ((number, _cells(cells, numbers, len(columns))) for number, cells in flat)
    return with_rows(table, columns, rows)


def _checked_table(entries: _Entries, span: tuple[int, int, int], place: Callable[[int], str]) -> Table:
    """The rows of these entries. Each entry is checked once for faults."""
    seen = json_cells.SeenNames()
    faults = TableFaults()
    causes: _Causes = {}
    cell_count = 0
    for _start, _end, number, data in entries(*span):
        where = place(number)
        cells = _checked_cells(data, where, faults, causes)
        cell_count += len(cells)
        seen.add(cells)
        if len(seen.fields) > recipes.MOST_COLUMNS or cell_count > MOST_CELLS:
            faults.add("too_many", where, say(_TOO_MANY, columns=recipes.MOST_COLUMNS, cells=MOST_CELLS))
            break
    for (code, sentence), (at, count) in causes.items():
        faults.add(code, at, many_times(sentence, count))
    numbers, columns = json_cells.find_positions(seen.columns, seen.players)
    read = partial(_rows, entries, numbers, len(columns))
    around = [_value(data) for *_span, data in islice(entries(*span), _FIRST)]
    return Table(columns=columns, read=read, span=span, faults=faults, place=place, around=around)


def _checked_cells(data: bytes, where: str, faults: TableFaults, causes: _Causes) -> dict[str, Any]:
    """The values of a row; none after a fault. `causes` are those that many rows may have."""
    document = read_json(data, is_lenient=True)
    for problem in document.problems:
        at = f"{where} {problem.pointer}".strip()
        if document.is_readable:
            first, count = causes.get((problem.code, problem.message), (at, 0))
            causes[problem.code, problem.message] = first, count + 1
        else:
            faults.add(problem.code, at, problem.message)
    if document.is_readable and not document.problems and type(document.value) is not dict:
        faults.add("wrong_type", where, say(_NO_OBJECT))
    if document.problems or type(document.value) is not dict:
        return {}
    cells = json_cells.flattened(document.value)
    replaced = sum_replaced(document.replaced.values())
    faults.composed += replaced.composed
    _note_not_finite(cells, replaced, where, faults)
    return cells


def _note_not_finite(cells: dict[str, Any], replaced: Replaced, where: str, faults: TableFaults) -> None:
    """Note what is no number by its column; under "" what stands in a list, which no column holds."""
    odd = [(name, cell) for name, cell in cells.items() if type(cell) is NotFinite]
    for name, cell in (*odd, *[("", replaced.first)] * (replaced.not_finite - len(odd))):
        first, at, count = faults.not_finite.get(name, (cell, where, 0))
        faults.not_finite[name] = first, at, count + 1


def _rows(
    entries: _Entries, numbers: dict[str, int], width: int, start: int, end: int, number: int
) -> Iterator[TableRow]:
    for begin, after, at, data in entries(start, end, number):
        entry = _value(data)
        if type(entry) is dict:
            yield TableRow(at, begin, after, _cells(json_cells.flattened(entry), numbers, width))


def _lines(decoded: Decoded, start: int, end: int, number: int) -> Iterator[_Entry]:
    """The lines between two offsets that are not blank."""
    while start < end:
        after = decoded.data.find(b"\n", start, end)
        after = end if after < 0 else after
        line = decoded.part(start, after)
        if line.strip():
            yield start, after, number, line.encode()
        start, number = after + 1, number + 1


def _values(decoded: Decoded, start: int, end: int, number: int) -> Iterator[_Entry]:
    """The values between two offsets, with the lines where they begin."""
    for begin, after in each_value(decoded.data, start, end):
        number += decoded.data.count(b"\n", start, begin)
        start = begin
        yield begin, after or end, number, decoded.data[begin : after or end]


def _items(decoded: Decoded, items: Parts, start: int, end: int, number: int) -> Iterator[_Entry]:
    for index, (begin, after) in enumerate(items.between(start, end), start=number):
        yield index, index + 1, index, decoded.data[begin:after]


def _value(data: bytes) -> Any:
    """The value of a checked row. Escaped characters are replaced if necessary."""
    try:
        return read_json(data, is_lenient=True).value if b"\\u" in data else msgspec.json.decode(data)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return read_json(data, is_lenient=True).value


def _cells(values: dict[str, Any], numbers: dict[str, int], width: int) -> list[str]:
    cells = [""] * width
    for name, cell in values.items():
        if name in numbers and not cells[numbers[name]]:
            cells[numbers[name]] = json_cells.as_text(cell)
    return cells


def _first_objects(text: str) -> Iterator[tuple[int, Any]]:
    """The whole objects at the beginning of a text that may be cut off: of a list by index, or one in each line."""
    decoder = json.JSONDecoder()
    is_list = text.lstrip().startswith("[")
    start, number = text.find("[") + 1 if is_list else 0, 0
    while True:
        while start < len(text) and text[start] in " \t\r\n,":
            start += 1
        if start >= len(text) or text[start] != "{":
            return
        try:
            entry, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            return
        yield (number if is_list else text.count("\n", 0, start) + 1), entry
        start, number = end, number + 1


def _holds_objects(value: Any) -> bool:
    """Whether a value is a list of objects, or a table, as games of other formats have and rows do not."""
    first = value[0] if type(value) is list and value else None
    return type(first) is dict or bool(json_cells.table_of_turns(value))


def _holds_objects_within(entry: dict[str, Any], depth: int) -> bool:
    """The same for the values of an object, and of the objects in it."""
    inner = [value for value in entry.values() if type(value) is dict and depth < json_cells.DEEPEST]
    return any(map(_holds_objects, entry.values())) or any(
        _holds_objects_within(value, depth + 1) for value in inner
    )


def _list_names(entry: dict[str, Any], prefix: str = "", depth: int = 1) -> Iterator[str]:
    """The names of the lists that `flattened` leaves out, unless they are empty."""
    for key, value in entry.items():
        name = f"{prefix}{key}"[:200]
        if type(value) is dict and depth < json_cells.DEEPEST:
            yield from _list_names(value, f"{name}.", depth + 1)
        elif type(value) is list and value:
            yield name


def read_values(data: bytes) -> Any:
    """The JSON value of a file, or a list of several, with rows as objects (`with_objects`); None of no JSON."""
    document = read_json(data, is_lenient=True)
    if document.is_readable:
        return json_cells.with_objects(document.value)
    places = each_value(data, begin_of(data), len(data))
    values = [read_json(data[start : end or len(data)], is_lenient=True) for start, end in places]
    are_readable = bool(values) and all(value.is_readable for value in values)
    return [value.value for value in values] if are_readable else None


def cut_lists(value: Any, depth: int = 0, *, most: int = MOST_SHOWN) -> Any:
    """The value with the first items of its lists only, which show its format."""
    if type(value) is list and depth <= DEEPEST_LIST:
        return [cut_lists(item, depth + 1, most=most) for item in value[:most]]
    is_object = type(value) is dict and depth <= DEEPEST_LIST
    return {key: cut_lists(part, depth + 1, most=most) for key, part in value.items()} if is_object else value


def find_lists(value: Any) -> list[str]:
    """The paths of the lists of objects in a value, and in its items; `*` is the value itself, if it is one or some."""
    own = [recipes.ANY] if _are_rows(value) else []
    return list(islice(dict.fromkeys((*own, *_lists_in(value, ""))), MOST_LISTS))


def _are_rows(value: Any) -> bool:
    """Whether a value is a list of objects, or holds several of messages."""
    first = next(iter(_items_of(value).values()), None)
    return type(first) is dict or (type(first) is list and json_cells.names_both(next(iter(first), None)))


def _items_of(value: Any) -> dict[Any, Any]:
    """The items of a list, or of an object that holds only lists and objects under numbers or ids; else none."""
    if type(value) is list:
        return dict(enumerate(value))
    are_parts = type(value) is dict and set() < {*map(type, value.values())} <= {dict, list}
    are_alike = are_parts and len(value) > 1 and len({tuple(audience.words_of(key)) for key in value}) == 1
    are_counted = are_alike and json_rounds.are_numbered(value)
    return value if are_counted or (are_parts and all(map(_STORED.fullmatch, value))) else {}


def _lists_in(value: Any, path: str) -> Iterator[str]:
    parts = [*islice(_items_of(value).values() or [value], MOST_ITEMS)]
    # What is text in other items is no list of rows.
    texts = {key for part in parts for key, inner in as_object(part).items() if type(inner) is str}
    # Nor are parts of what messages say, unless one of them is none.
    rows = {
        key for part in parts for key, inner in as_object(part).items() if not json_cells.are_parts(inner)
    }
    for part in parts:
        is_open = type(part) is dict and path.count(".") < DEEPEST_LIST
        for key, inner in islice(part.items(), MOST_KEYS) if is_open else ():
            inner = inner if key in rows - texts else None
            own = f"{path}.{key}" if path else key
            if _are_rows(inner):
                yield own
            if type(inner) in (dict, list):
                yield from _lists_in(inner, own)


def table_at(value: Any, path: str) -> Table | None:
    """The rows of the list at a path; None where there is none. Never raises."""
    rows = _each_once(list(_rows_at(value, _keys(path), {}, "")))
    if not rows:
        return None
    places = [place for place, _item, _around in rows]
    objects = [
        {key: part for key, part in around.items() if key not in item} | item for _at, item, around in rows
    ]
    table = table_of_objects(list(enumerate(objects)), places.__getitem__)
    is_counted = any(GAME in row for row in objects)
    choices = {recipes.LIST: [(other, other) for other in find_lists(value)]}
    counted = GAME if is_counted else ""
    first = _keys(path)[:1]
    parts = as_objects([value, *as_list(value)])
    beside = [{key: part for key, part in one.items() if key not in first} for one in parts]
    around, of_games = ([], beside) if is_counted else ([*beside, *table.around], [])
    table = replace(table, settings={recipes.LIST: path}, choices=choices, counted=counted)
    return replace(table, around=around, of_games=of_games)


def count_rows(value: Any, path: str) -> int:
    return sum(1 for _row in _rows_at(value, _keys(path), {}, ""))


def _keys(path: str) -> list[str]:
    return [] if path == recipes.ANY else path.split(".")


def _each_once(rows: list[_Listed]) -> list[_Listed]:
    """The rows, each once where each list repeats the end of the one before it, as the last turns at each step do."""
    lists = [list(part) for _place, part in groupby(rows, key=lambda row: row[0].rpartition("/")[0])]
    found: list[_Listed] = []
    for _game, part in groupby(lists, key=lambda own: _game_of(own[0])):
        steps = list(part)
        items = [[item for _place, item, _around in own] for own in steps]
        repeated = json_rounds.count_repeated(items)
        if not (json_rounds.are_windows(items, repeated) and json_cells.names_both(rows[0][1])):
            return rows
        # The steps of one game are no games.
        found += [
            (place, item, {key: value for key, value in around.items() if key != GAME})
            for own, count in zip(steps, repeated, strict=True)
            for place, item, around in own[count:]
        ]
    return found


def _game_of(row: _Listed) -> Any:
    """The game that what is around a row names, beside its number."""
    return next((part for key, part in row[2].items() if key != GAME and recipes.field_of(key) == GAME), None)


def _rows_at(value: Any, keys: list[str], around: dict[str, Any], place: str) -> Iterator[_Listed]:
    """The objects at a path, each with its place and what is around it."""
    if items := _items_of(value):
        is_outer = GAME not in around and not _is_part(place, [*items.values()])
        # Events, of which some hold a list, are no games.
        is_counted = place or all({*keys[:1]} <= as_object(item).keys() for item in items.values())
        for index, (key, item) in enumerate(items.items(), start=1):
            is_one = (keys and is_counted) or type(item) is list
            may_hide = type(key) is str and (audience.is_hidden(key) or audience.looks_like_audience(key))
            around = around | ({"audience": key} if may_hide else {})
            part = _one_of(place) if place else "round"
            number = {GAME if is_outer else part: index} if is_one else {}
            yield from _rows_at(item, keys, around | number, f"{place}/{key}")
    elif type(value) is dict and not keys:
        yield place, value, around
    elif type(value) is dict and keys[0] in value:
        flat = {key: part for key, part in value.items() if type(part) not in (dict, list)}
        plain = {_name_around(key, place, around): part for key, part in flat.items()}
        # The only key of a file says what it is, another one who could hear what is under it.
        may_hide = audience.is_hidden(keys[0]) or audience.looks_like_audience(keys[0])
        hidden = {"audience": keys[0]} if may_hide and (place or len(value) > 1) else {}
        talks = [keys[0], *_talks_beside(value, keys[0])] if len(keys) == 1 else [keys[0]]
        for key in talks:
            named = {"channel": key} if len(talks) > 1 else hidden
            yield from _rows_at(value[key], keys[1:], plain | around | named, f"{place}/{key}")
        votes = votes_beside(value, keys[0], place) if len(keys) == 1 else ()
        yield from ((at, vote, plain | around) for at, vote in votes)


def _talks_beside(value: dict[str, Any], talk: str) -> list[str]:
    """The keys of other lists of messages like those of a talk, which may be what not everybody heard."""
    said = next(iter(as_objects(value[talk])), {})
    found = []
    for key, part in value.items():
        row = next(iter(as_objects(part)), {})
        both = row.keys() & said.keys()
        is_alike = len(both) > 1 and both in (row.keys(), said.keys())
        if (
            key != talk
            and is_alike
            and audience.kind_of_type(key) != audience.VOTE
            and any(audience.count_gaps(str(row[one])) for one in both)
        ):
            found.append(key)
    return found


def _name_around(key: str, place: str, around: dict[str, Any]) -> str:
    """The column of a value beside a list: "game.KEY". The number of a round is none of a game."""
    if recipes.field_of(key) in (GAME, "winner", "round"):
        return key
    above = place.rpartition("/")[0]
    own = _one_of(above) if above else "round"
    is_part = own in around and own != GAME and recipes.field_of(f"{GAME}.{key}") == GAME
    return f"{own if is_part else GAME}.{key}"


def _is_part(place: str, items: list[Any]) -> bool:
    """Whether the items of a list are parts of one game, such as rounds, and no games with ids or players."""
    key = place.rpartition("/")[2].casefold().rstrip("s")
    if not key:
        return len(items) > 1 and all(map(_names_round, items))
    names = [set(item) for item in items if type(item) is dict]
    fields = set().union(*names)
    is_own = any(recipes.field_of(name) == GAME or name in ("id", *json_rounds.OF_A_GAME) for name in fields)
    are_rounds = all(any(recipes.field_of(name) == "round" for name in own) for own in names)
    return bool(key) and not is_own and (key not in _GAMES or are_rounds)


def _names_round(item: Any) -> bool:
    """Whether an object of a file says which round it is, and not of which game."""
    named = (GAME, recipes.PLAYER)
    own = [said for key, said in as_object(item).items() if key == "id" or recipes.field_of(key) in named]
    return all(map(json_rounds.is_called_round, own)) and json_rounds.named_round(as_object(item)) is not None


def _one_of(place: str) -> str:
    """What an item of a list is called: of "/games/3/rounds" a round."""
    name = place.rpartition("/")[2].removesuffix("s") or GAME
    return name if name == GAME or recipes.field_of(name) in (None, "round") else f"{name}{COUNTER}"


def read_listed(
    decoded: Decoded, columns: recipes.Columns
) -> tuple[Table, list[recipes.MappingRecord]] | None:
    """The rows of the list that a recipe names, with this recipe; None where no recipe fits."""
    named = [mapping for mapping in columns if recipes.LIST in mapping.settings]
    value = read_values(decoded.data if decoded.is_plain else decoded.text.encode()) if named else None
    for mapping in named if value is not None else ():
        table = table_at(value, mapping.settings[recipes.LIST])
        if table is not None and recipes.find_mapping(table.columns, [mapping]):
            return table, [mapping]
    return None
