"""A part of a JSON value that could be read if it were a file of its own, for files in no known format."""

import json
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from msgspec import Struct

from discussions.transcripts.core.audience import is_hidden
from discussions.transcripts.core.fields import as_list, as_object, as_objects, parallel_lists
from discussions.transcripts.core.formats import JSONL, Format, recognise
from discussions.transcripts.core.readers import histories, json_turns, openai_chat
from discussions.transcripts.core.readers.columns import field_of
from discussions.transcripts.core.readers.json_cells import names_both
from discussions.transcripts.core.readers.json_games import (
    Unclear,
    are_views,
    explain_pieces,
    list_games,
    merge_channels,
)
from discussions.transcripts.core.readers.json_messages import are_states
from discussions.transcripts.core.readers.json_rounds import OF_A_GAME
from discussions.transcripts.core.readers.json_rows import GAME
from discussions.transcripts.core.readers.json_rows import recognises_text as are_rows
from workspace.core.json_items import each_line, each_value
from workspace.core.strict_json import read_json
from workspace.core.words import say

MOST_VALUES, MOST_ITEMS, DEEPEST = 200, 20, 6
LONGEST_KEY = 40
_LONGEST_LINE, _LONGEST_LOG = 1024 * 1024, 4 * 1024 * 1024
_TEXTS = re.compile(rb'\[\s{0,99}"')
# The keys of a message of a chat that say neither its game nor who could hear it, and those that hold such keys.
_OF_A_MESSAGE = ("data", "metadata", "additional_kwargs", "raw_item")
_IN_A_MESSAGE = frozenset(
    "role type name content id source agent status summary example models_usage usage_metadata response_metadata "
    "tool_calls invalid_tool_calls tool_call_id call_id arguments output".split()
).union(_OF_A_MESSAGE, openai_chat.THOUGHTS)
_OF_A_GAME = frozenset((*OF_A_GAME, "votes", "eliminations", "gameId", "game_id"))


# "[Talk] Ann: Hello." in a list of so many texts.
_NAMED_LINE, _LEAST_LINES = re.compile(r"\w[\])*]{0,3}(?:[:：]| ?(?:→|->)) ?\S"), 6


class InnerPart(Struct, frozen=True):
    """The keys that lead to a list or an object in a file, and its format; "" for a list of rows."""

    keys: tuple[str, ...]
    is_list: bool
    format: str = ""


def find_inner_part(value: Any, formats: Sequence[Format]) -> InnerPart | None:
    """The least deep list or object, in the first of a list, that is in one of the formats; else a list of rows."""
    rows: InnerPart | None = None
    for keys, part in islice(_inner_values(value), MOST_VALUES):
        is_list = type(part) is list
        if name := _format_name(part, formats):
            return InnerPart(keys, is_list, name)
        if rows is None and is_list and JSONL in formats and are_rows(json.dumps(part[:2])):
            rows = InnerPart(keys, is_list)
    return rows


def describe_inner_part(part: InnerPart) -> str:
    """What to do with a file that holds such a part."""
    path = ".".join(key[:LONGEST_KEY] for key in part.keys)
    if not part.format:
        return say(
            'The list under "{path}" holds rows. If they are the messages, say so under “Is this the game?” of the '
            "import.",
            path=path.removeprefix("[0]."),
        )
    sentence = 'What is under "{path}" is in the format {name}. Save it alone as a file, and upload that.'
    return say(sentence, path=path, name=part.format)


def join_pieces(data: bytes) -> bytes:
    """The bytes as one JSON list where each line is a list of objects, a round, or what one agent was told."""
    # The one line of a large file is not looked at.
    end = data.find(b"\n", 0, _LONGEST_LINE)
    sign = data[:1]
    if end < 0 or sign not in (b"{", b"[") or data[end : end + 9].lstrip()[:1] != sign:
        return data
    places = [place for place in islice(each_line(data), MOST_ITEMS) if place[1] - place[0] <= _LONGEST_LINE]
    first = _values_at(data, places)
    are_lists = sign == b"[" and all(type(value) is list and as_objects(value[:1]) for value in first)
    are_objects = len(first) > 1 and all(type(value) is dict for value in first)
    is_game = (are_lists and len(first) > 1) or (
        are_objects
        and (
            histories.recognises(first)
            or (not are_states(first) and json_turns.recognises(first))
            or (
                _are_no_rows(first)
                and len(data) < _LONGEST_LOG
                and _are_no_rows(_values_at(data, each_line(data)))
            )
        )
    )
    return b"[" + b",\n".join(data[start:end] for start, end in each_line(data)) + b"]" if is_game else data


def _values_at(data: bytes, places: Iterable[tuple[int, int | None]]) -> list[Any]:
    return [read_json(data[start:end], is_lenient=True).value for start, end in places]


def _are_no_rows(messages: list[dict[str, Any]]) -> bool:
    """Whether a chat has other words than role and name, or names after the first, and no key hides or tells a game."""
    objects = [one for one in messages if type(one) is dict]
    about = [part for one in objects for key in _OF_A_MESSAGE if (part := as_object(one.get(key)))]
    ids = [one["id"] for one in objects if "id" in one]
    if len(objects) < len(messages) or not all(map(_IN_A_MESSAGE.issuperset, (*objects, *about))):
        return False
    if len({*map(str, ids)}) < len(ids):
        return False
    others = [openai_chat.with_role(one) is not one for one in messages]
    named = sum("name" in one for one in messages)
    is_led = messages[0].keys() == {"role", "content"} and 2 * named > len(messages)
    are_chat = all(map(openai_chat.is_chat_message, messages)) or all(others)
    return (any(others) or is_led) and are_chat and openai_chat.recognises(messages)


def take_lines(data: bytes) -> bytes:
    """The lines of the only list of texts of a JSON value, naming who speaks, unless a key hides them; or all."""
    # The values of a large file are read one by one.
    if data[:1] not in (b"{", b"[") or len(data) >= _LONGEST_LOG or not _TEXTS.search(data):
        return data
    if rows := unfold_lists(data):
        return rows
    value = read_json(data, is_lenient=True).value
    parts, lists = [("", value)], []
    for key, part in parts:
        inner = list(part.items()) if type(part) is dict else [(key, item) for item in as_list(part)]
        if is_hidden(key) or names_both(part):
            return data
        named = sum(type(text) is str and bool(_NAMED_LINE.search(text)) for _key, text in inner)
        if type(part) is list and len(inner) >= _LEAST_LINES and 2 * named > len(inner):
            lists.append(inner)
        parts += [(own, item) for own, item in inner if type(item) in (dict, list)]
    texts = [" ".join(text.split()) for _key, text in (lists or [[]])[0] if type(text) is str]
    return "\n".join(texts).encode() if len(lists) == 1 and len(texts) == len(lists[0]) else data


def unfold_lists(data: bytes, *, is_part: bool = False) -> bytes:
    """The rows of parallel lists, one a line, of an object or of each of several; b"" without them."""
    places = each_value(data, 0, len(data))
    values = _values_at(data, islice(places, 1))
    values = values[0] if values and type(values[0]) is list else values
    keys = parallel_lists(values[0]) if values else []
    if not keys:
        return b""
    values += _values_at(data, (place for place in places if place[1] or not is_part))
    has_games = len(values) == 1 or any(field_of(key) == GAME for key in values[0])
    rows: list[dict[str, Any]] = []
    for number, value in enumerate(values, start=1):
        lists = {key.removesuffix("s"): as_list(as_object(value).get(key)) for key in keys}
        if not {*keys} <= as_object(value).keys() or len({*map(len, lists.values())}) > 1:
            return b""
        beside = {} if has_games else {GAME: number}
        beside |= {key: part for key, part in as_object(value).items() if key not in keys}
        rows += [beside | dict(zip(lists, parts, strict=True)) for parts in zip(*lists.values(), strict=True)]
    return b"\n".join(json.dumps(row).encode() for row in rows)


def list_inner_games(value: Any, formats: Sequence[Format]) -> list[tuple[str, Any]]:
    """The games beside the first in a value that is none: items of a list, or objects of one; [] for a list of such."""
    try:
        games = list_games(value)
    except Unclear:
        return []
    return games or (_inner_of_list if type(value) is list else _inner_of_object)(value, formats)


def _inner_of_list(value: list[Any], formats: Sequence[Format]) -> list[tuple[str, Any]]:
    inner = [(f"/{index}", list_inner_games(item, formats)) for index, item in enumerate(value)]
    games = [(place + pointer, part) for place, own in inner for pointer, part in own]
    are_games = all(type(part) is dict and not _OF_A_GAME.isdisjoint(part) for _pointer, part in games)
    return games if are_games and len(games) == len(value) else []


def _inner_of_object(value: Any, formats: Sequence[Format]) -> list[tuple[str, Any]]:
    is_open = type(value) is dict and not are_views(value)
    inner = find_inner_part(value, formats) if is_open else None
    if inner is None or not inner.format:
        return []
    *above, last = inner.keys
    around = value
    for key in above:
        around = around[key]
    prefix = "".join(f"/{key}" for key in above)
    if not inner.is_list:
        return [(f"{prefix}/{key}", part) for key, part in around.items() if _format_name(part, formats)]
    if whole := merge_channels(around[last]):
        return [(f"{prefix}/{last}", whole)]
    if explain_pieces(around[last], last):
        return []
    if recognise(around[last][:MOST_ITEMS], formats):
        return [(f"{prefix}/{last}", around[last])]
    return [(f"{prefix}/{last}/{index}", part) for index, part in enumerate(around[last])]


def _inner_values(value: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The lists and objects within an object, or within the first object of a list, level by level."""
    keys: tuple[str, ...] = ()
    if type(value) is list and value and type(value[0]) is dict:
        keys, value = ("[0]",), value[0]
    queue = deque([(keys, value)])
    while queue:
        keys, part = queue.popleft()
        if keys and part:
            yield keys, part
        if type(part) is dict and len(keys) < DEEPEST:
            found = ((key, inner) for key, inner in part.items() if type(inner) in (dict, list) and inner)
            queue.extend(((*keys, key), inner) for key, inner in islice(found, MOST_VALUES))


def _format_name(part: Any, formats: Sequence[Format]) -> str:
    """The format of an object, of a list, or of the first item of a list; "" in none."""
    heads = [part[:MOST_ITEMS], *part[:1]] if type(part) is list else [part]
    return next((found.name for head in heads if (found := recognise(head, formats))), "")
