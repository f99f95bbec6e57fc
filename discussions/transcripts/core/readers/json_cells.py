"""JSON as cells of rows: objects, lists that name players, parts of contents, and tables whose rows are lists."""

import re
from collections import Counter
from collections.abc import Collection, Iterable
from operator import is_
from typing import Any

from discussions.transcripts.core.audience import (
    SPEECH,
    as_names,
    count_gaps,
    is_hidden,
    kind_of_flag,
    kind_of_type,
    may_hide,
    words_of,
)
from discussions.transcripts.core.fields import as_list, as_object, join_marked, plain_value, read_part
from discussions.transcripts.core.notes import Limits
from discussions.transcripts.core.readers import columns as recipes
from discussions.transcripts.core.readers.column_guesses import ListedPlayers, is_of_others
from discussions.transcripts.core.readers.json_rounds import ROUND_KEY, ROUNDS, names_round
from discussions.transcripts.core.readers.narration import read_role
from discussions.transcripts.core.thoughts import RAW, read_answer
from workspace.core.strict_json import normalise_text

DEEPEST = 4
MOST_CELLS = 2_000
MOST_DEPTH = 6
# Where the names of the columns stand beside rows that are lists.
_BESIDE = ("columns", "header", "headers", "fields", "names", "keys")
# The types of the parts of a content that everybody is told, and their keys.
_TEXTS = ("text", "input_text", "output_text")
_OF_TEXTS = frozenset(
    "type kind part_kind block_type content_type text content annotations citations logprobs "
    "cache_control id index".split()
)
# So few parts of one content say no type of each.
_FEW_PARTS = 3
_WHO_SAYS = {"question": {"asker", "questioner"}, "answer": {"answerer", "responder", "respondent"}}
_NAMED_TEXT = re.compile(
    r"(?P<player>[^\W\d_][^\s:：\[\](){}\"]{0,29}(?: [^\Wa-z_][^\s:：\[\](){}\"]{0,19}){0,2}) ?[:：]\s?(?P<text>\S.*)",
    re.DOTALL,
)
# What a list is called whose name says nothing of it.
OF_LISTS = frozenset("log logs list lists history record records entries row rows item items data".split())
# What a model answers, of which only a part may be said.
_OF_ANSWERS = frozenset("response responses answer answers reply replies".split())
# After the name of a value that may list players.
LISTS = "[]"
_AUDIENCES = ("audience", "private", "public")
_DIGIT = re.compile(r"\d")
_SAID = re.compile(r'\s{0,9}(?:said|says): "(?P<text>.*)"\s{0,9}', re.DOTALL)


class Listed(str):
    """A list that may be the players who could hear a message, as one text."""

    __slots__ = ()


class SeenNames:
    """The names of the values of all rows with their fields, the players, and what lists of names may say."""

    def __init__(self) -> None:
        self.fields: dict[str, str | None] = {}
        self.players: set[str] = set()
        # What any column holds, where none is known as that of the players.
        self.cells: set[str] = set()
        self.listed: dict[str, ListedPlayers] = {}
        # Of these a list is empty, and what is no list has a value: all, and nobody.
        self.mixed: set[str] = set()
        # The players and rounds of the rows so far, to which a list that comes later was not given.
        self.said: dict[tuple[str, str], str] = {}

    def add(self, cells: dict[str, Any]) -> None:
        row: dict[str, str] = {}
        for name, cell in cells.items():
            if name not in self.fields:
                self.fields[name] = recipes.field_of(name)
            field = self.fields[name]
            is_name = field == recipes.PLAYER and type(cell) in (str, int)
            if is_name and len(self.players) < recipes.MOST_COLUMNS:
                self.players.add(str(cell))
            elif type(cell) is str and len(cell) <= recipes.LONGEST_NAME and len(self.cells) < MOST_CELLS:
                self.cells.add(cell)
            if field in (recipes.PLAYER, recipes.TEXT, "round"):
                row.setdefault(field, cell if type(cell) is str else as_text(cell))
            if type(cell) is Listed and name not in self.listed:
                self.listed[name] = ListedPlayers(self.said)
        for name, listed in self.listed.items():
            beside = as_text(cells.get(name.removesuffix(LISTS)))
            self.mixed |= {name} if beside and "[]" in listed.different else set()
            listed.add(row, cells.get(name) or beside)
        self.said[row.get(recipes.PLAYER, ""), row.get("round", "")] = ""

    @property
    def columns(self) -> list[str]:
        """The names without lists that say nothing of who could hear a message."""
        every = [{*map(str.casefold, own)} for own in (self.players, {*()} if self.players else self.cells)]
        hiding = {
            name
            for name, listed in self.listed.items()
            if any(listed.may_hide(names, name) for names in every) and not is_of_others(name)
        } | self.mixed
        # What an object says of each player is one value.
        return [
            name
            for name in self.fields
            if name in hiding
            or (
                name not in self.listed and {name.rpartition(".")[0] + LISTS, name + LISTS}.isdisjoint(hiding)
            )
        ]


def flattened(entry: dict[str, Any], prefix: str = "", depth: int = 1) -> dict[str, Any]:
    """The plain values of an object by name, the first counts; ids in keys are `*` ("final_ranks.*"); no lists."""
    tag = next(iter(entry), "")
    own = as_object(entry.get(tag))
    is_tagged = depth == 1 and len(entry) == 1 and len(own) > 1
    if is_tagged and "event" not in own and tag.casefold() not in recipes.WRAPPERS:
        # The only key of a row says what it is, as in {"Speech": {"player": "Ann", "text": "Hi."}}.
        return {"event": tag} | flattened(own)
    found: dict[str, Any] = {}
    is_map = depth > 1 and all(map(_is_id, entry))
    for key, given in entry.items():
        value = plain_value(given)
        if type(value) is str and value.startswith(RAW) and recipes.field_of(key) != recipes.TEXT:
            value = read_answer(value) or value
        is_id = is_map or (type(value) is dict and _is_id(key))
        name = f"{prefix}{recipes.ANY if is_id else key}"[:200]
        if type(value) in (dict, list):
            for inner, part in _inner_values(name, value, depth).items():
                found.setdefault(inner, part)
        elif name.strip():
            found.setdefault(name, value)
    return found


def is_talk(key: str) -> bool:
    """Whether what stands under a key was said to everybody."""
    return kind_of_type(key) == SPEECH and _OF_ANSWERS.isdisjoint(words_of(key))


def names_both(value: Any) -> bool:
    """Whether a value is an object that names a player and a text."""
    return type(value) is dict and recipes.has_needed(recipes.suggest_fields(list(flattened(value))))


def split_pair(item: Any) -> list[Any]:
    """A question and its answer with who says each, of {"asker": ..., "question": ...} in one; else the value."""
    if type(item) is not dict or not all(type(item.get(key)) is str for key in _WHO_SAYS):
        return [item]
    keys = [*_WHO_SAYS]
    names = [next((name for name in item if _WHO_SAYS[key] & {*words_of(name)}), "") for key in keys]
    if not all(names):
        return [item]
    rest = {key: part for key, part in item.items() if key not in (*keys, *names)}
    pairs = zip(keys, names, strict=True)
    return [{recipes.PLAYER: item[name], recipes.TEXT: item[key]} | rest for key, name in pairs]


def _inner_values(name: str, value: Any, depth: int) -> dict[str, Any]:
    """The plain values of an object or a list in a row, by name."""
    heard = _hearers(name, value)
    found: dict[str, Any] = {f"{name}{LISTS}" if type(heard) is Listed else name: heard} if heard else {}
    if type(value) is dict and type(heard) is not str and depth < DEEPEST:
        return found | flattened(value, f"{name}.", depth + 1)
    is_text = type(value) is list and recipes.field_of(name.rpartition(".")[2]) == recipes.TEXT
    if is_text or are_parts(value):
        said = join_marked(value)
        texts, thoughts, calls = ([said], [], []) if said else _split_parts(value)
        named = {name: texts, f"{name.rpartition('.')[0]}.thought".lstrip("."): thoughts}
        found |= {inner: "\n".join(parts) for inner, parts in named.items() if parts}
        found |= flattened(calls[0], f"{name}.", min(depth + 1, DEEPEST - 1)) if calls else {}
    return found


def _is_id(key: str) -> bool:
    return _DIGIT.search(key) is not None and recipes.field_of(key) is None


def _may_be_player(key: str) -> bool:
    """Whether a key may be a name, or the id of a player: "Agent 2", "p_3"."""
    if _is_id(key):
        is_like = recipes.LIKE_A_PLAYER.fullmatch(key) is not None
        return is_like or recipes.field_of(_DIGIT.sub("", key)) == recipes.PLAYER
    return not (recipes.field_of(key) or kind_of_type(key))


def find_positions(names: Iterable[str], players: Collection[str]) -> tuple[dict[str, int], list[str]]:
    """The column of each name, and all columns. Keys of one object that are players are one path, with `*`."""
    inner: dict[str, set[str]] = {}
    for name in names:
        around, _dot, key = name.rpartition(".")
        inner.setdefault(around, set()).add(key)
    numbers: dict[str, int] = {}
    columns: dict[str, int] = {}
    for name in names:
        around = name.rpartition(".")[0]
        path = f"{around}.{recipes.ANY}" if around and inner[around] <= set(players) else name
        # In other rows a text stands there, such as "*".
        numbers[name] = numbers[name.removesuffix(LISTS)] = columns.setdefault(path, len(columns))
    return numbers, list(columns)


def _hearers(name: str, value: Any) -> str | None:
    """Who may have heard a message: a list of names or players, or flags by name; `Listed` where it is not said."""
    field, items = recipes.field_of(name), value
    if field in recipes.NEEDED or len(value) > Limits().players:
        return None
    if type(value) is dict:
        flags = {who: kind_of_flag(as_names(flag), is_private=False) for who, flag in value.items()}
        is_of_flags = len(flags) != 1 and all(flags.values())
        items = [who for who, flag in flags.items() if flag == SPEECH] if is_of_flags else [{}]
    elif value and type(value[0]) is dict:
        fields = recipes.suggest_fields(list(value[0]))
        named = "" if recipes.TEXT in fields else fields.get(recipes.PLAYER, "")
        items = [as_object(item).get(named, {}) for item in value]
    if any(type(item) in (dict, list) for item in items):
        return None
    if field in _AUDIENCES or may_hide(name, map(str, items)):
        # The player 0 is no flag.
        return (
            f"[{as_names(items)}]"
            if items and kind_of_flag(as_names(items), is_private=True)
            else as_names(items)
        )
    are_short = all(item is not None and len(str(item)) <= recipes.LONGEST_NAME for item in items)
    return Listed(as_names(items)) if are_short and field is None else None


def are_parts(value: Any) -> bool:
    """Whether a list under any key is what one message says, in parts, and no list of messages."""
    parts = as_list(value)
    is_typed = all(read_part(part)[0] != "unknown" for part in parts)
    return bool(parts) and (is_typed or len(parts) <= _FEW_PARTS) and any(_split_parts(parts))


def _split_parts(parts: list[Any]) -> tuple[list[str], list[str], list[dict[str, Any]]]:
    """What parts of a content say, think, and call; nothing where a key may hide a text, or a call what was said."""
    said: list[str] = []
    thoughts: list[str] = []
    calls: list[dict[str, Any]] = []
    for part in parts:
        kind, text, is_thought = read_part(part)
        is_plain = type(part) is dict and kind in (*_TEXTS, "unknown") and part.keys() <= _OF_TEXTS
        if type(part) is dict and "call" in words_of(kind if kind != "unknown" else next(iter(part), "")):
            calls.append(part)
        elif "tool" in kind or (text and not (is_thought or is_plain)) or (type(part) is dict and not text):
            return [], [], []
        else:
            (thoughts if is_thought else said).extend([text] if text else [])
    says_more = any(count_gaps(as_text(cell)) > 1 for call in calls for cell in flattened(call).values())
    return ([], [], []) if says_more or len(calls) > 1 else (said, thoughts, calls)


def as_text(value: Any) -> str:
    if value is None:
        return ""
    if type(value) is bool:
        return "true" if value else "false"
    return normalise_text(str(value))[0]


def with_objects(value: Any, depth: int = 0) -> Any:
    """The value with objects for rows that are lists, with names beside or first. A whole table is under rows."""
    if depth == 0 and are_columns(value):
        first = next(iter(value.values()))
        return {"rows": [{name: column[key] for name, column in value.items()} for key in first]}
    if type(value) is dict and value.get("type") == "constructor" and type(value.get("kwargs")) is dict:
        # As LangChain writes its objects: {"lc": 1, "id": [..., "AIMessage"], "kwargs": {...}}.
        kind = str(as_list(value.get("id"))[-1:]).lower()
        role = next((role for role in ("human", "system", "tool", "ai") if f"{role}message" in kind), "")
        value = ({"type": role} if role else {}) | value["kwargs"]
    if type(value) is dict and depth < MOST_DEPTH:
        found = {
            key: _under(key, value, depth) if type(part) in (dict, list) else part
            for key, part in value.items()
        }
        # What has no tables is not copied.
        return value if all(map(is_, found.values(), value.values())) else found
    if type(value) is not list or depth >= MOST_DEPTH:
        return value
    if depth == 0 and is_table(value):
        return {"rows": _objects(value, [])}
    if names := _names_of_texts(value):
        return [_said_by(names, part) for part in map(as_object, value)]
    parts = [with_objects(part, depth + 1) for part in value]
    return value if all(map(is_, parts, value)) else parts


def _under(key: str, value: dict[str, Any], depth: int) -> Any:
    if rows := table_of_turns(value[key]):
        beside: list[str] = next((value[own] for own in _BESIDE if _are_names(value.get(own))), [])
        said = _objects(rows, beside or _names_of_pairs(key, rows))
        # The key of a list of pairs may say who could hear them.
        is_asked = kind_of_type(key) != SPEECH and said[0].keys() == {recipes.PLAYER, recipes.TEXT}
        return [{"channel": key} | row for row in said] if is_asked else said
    # The only list of a value is read as the lines of a text.
    is_of_round = depth > 1 or names_round(value) or ROUND_KEY.fullmatch(key) is not None
    lines = as_list(value[key]) if is_of_round and (_may_be_said(key) or is_hidden(key)) else []
    said = [
        match.groupdict() for line in lines if type(line) is str and (match := _NAMED_TEXT.fullmatch(line))
    ]
    part = said if said and len(said) == len(lines) else value[key]
    return with_objects(_of_store(key, by_player(key, part)), depth + 1)


def _may_be_said(key: str) -> bool:
    return kind_of_type(key) == SPEECH or OF_LISTS.issuperset(words_of(key))


def _names_of_texts(parts: list[Any]) -> set[str]:
    """The names under which objects of a list have one sentence each, beside what all have: {"Ann": "Hello, Bea."}"""
    objects = [part for part in parts if type(part) is dict]
    counts = Counter(key for part in objects for key in part)
    beside = {key for key, count in counts.items() if count == len(objects) > 1}
    pairs = [
        [(key, said) for key, said in part.items() if type(said) is str and key not in beside]
        for part in objects
    ]
    said = [pair for own in pairs for pair in own if len(own) == 1]
    # Who is voted for ("na: Ann") is called so elsewhere, and says nothing.
    called = {part[key] for part in objects for key in beside if type(part[key]) is str}
    names = {name for name, _said in said} if called.isdisjoint(text for _name, text in said) else set()
    is_one = all(map(len, pairs)) and len(pairs) == len(parts) and all(len(part) == 1 for part in objects)
    is_beside = (
        beside and all(len(own) < 2 for own in pairs) and 2 * len(said) > max(len(parts), 2 * len(names))
    )
    is_known = any(recipes.field_of(key) in (recipes.PLAYER, recipes.TEXT) for key in beside)
    is_called = not is_known and not any(
        recipes.field_of(name) or kind_of_type(name) for name, _role in map(read_role, names)
    )
    are_texts = len(names) > 1 and 2 * sum(count_gaps(text) > 0 for _name, text in said) > len(said)
    return names if is_called and are_texts and (is_one or is_beside) else set()


def _said_by(names: set[str], part: dict[str, Any]) -> dict[str, Any]:
    """A message for an object that has its text under one of these names, which a role may follow: "Ann (seer)"."""
    plain = {key: item for key, item in part.items() if key not in names}
    for name in names & part.keys():
        player, role = read_role(name)
        plain |= {recipes.PLAYER: player, recipes.TEXT: part[name]} | ({"role": role} if role else {})
    return plain


def is_table(value: Any) -> bool:
    """Whether a value is a list of lists of one length, of plain values, a text in each of the first ones."""
    rows = value if type(value) is list and value and type(value[0]) is list else []
    return (
        len(rows) > 1
        and all(type(row) is list and len(row) == len(rows[0]) > 1 for row in rows)
        and all(any(type(cell) is str for cell in row) for row in rows[:2])
        and not any(type(cell) in (dict, list) for row in rows for cell in row)
    )


def table_of_turns(value: Any) -> list[list[Any]]:
    """The rows of a table, or of a list with a table for each turn, of which some are said; [] of other values."""
    rows = [row for part in as_list(value) for row in as_list(part)]
    tables = value, rows if is_table(rows) and any(_SAID.fullmatch(str(row[-1])) for row in rows) else []
    return next(filter(is_table, tables), [])


def are_columns(value: Any) -> bool:
    """Whether an object has a column under each key, as pandas writes tables: {"player": {"0": "Ann", "1": "Bea"}}."""
    columns = list(value.values()) if type(value) is dict and len(value) > 1 else []
    keys = list(columns[0]) if columns and type(columns[0]) is dict else []
    counted = [str(number) for number in range(len(keys))]
    return len(keys) > 1 and all(type(one) is dict and list(one) == keys == counted for one in columns)


def _objects(rows: list[list[Any]], beside: list[str]) -> list[dict[str, Any]]:
    first, width = rows[0], len(rows[0])
    if len(beside) == width:
        names = beside
    elif _are_names(first) and recipes.has_needed(recipes.suggest_fields(first)):
        names, rows = first, rows[1:]
    else:
        names = [str(number) for number in range(1, width + 1)]
    said = [_SAID.fullmatch(str(row[-1])) for row in rows]
    if any(said):
        # What nobody said are acts: [..., "did nothing"].
        names = [*names, "type"]
        pairs = zip(rows, said, strict=True)
        rows = [[*row[:-1], own["text"], SPEECH] if own else [*row, "act"] for row, own in pairs]
    return [dict(zip(names, row, strict=True)) for row in rows]


def _names_of_pairs(key: str, rows: list[list[Any]]) -> list[str]:
    """Player, who was spoken to, and text, where rows are names that come back, and sentences, under a telling key."""
    names = {str(row[0]) for row in rows}
    if OF_LISTS.issuperset(words_of(key)):
        return []
    are_said = 2 * sum(count_gaps(str(row[-1])) > 0 for row in rows) > len(rows)
    is_named = len(names) > 1 and max(map(len, names)) <= recipes.LONGEST_NAME and are_said
    if len(rows[0]) == 3 and kind_of_type(key) == SPEECH and names.issuperset(str(row[1]) for row in rows):
        return [recipes.PLAYER, "audience", recipes.TEXT] if is_named else []
    return [recipes.PLAYER, recipes.TEXT] if is_named and len(rows[0]) == 2 else []


def _of_store(key: str, value: Any) -> Any:
    """A list for an object of what was said under ids: {"chat": {"m1": {...}, "m2": {...}}}."""
    parts = as_object(as_object(value).get("byId")) or as_object(value)
    is_said = _may_be_said(key)
    are_flat = all(
        type(part) is dict and _is_id(own) and not any(type(inner) is list for inner in part.values())
        for own, part in parts.items()
    )
    are_rounds = any(not ROUNDS.isdisjoint(words_of(own)) for own in (key, *parts))
    is_store = is_said and len(parts) > 1 and are_flat and not are_rounds
    return [{"id": own} | part for own, part in parts.items()] if is_store else value


def by_player(key: str, value: Any) -> Any:
    """A list of messages for an object of what each player says, by name: {"Ann": {"speech": "Hi."}}."""
    parts = value if type(value) is dict and len(value) > 1 else {}
    if not all(map(_may_be_player, parts)):
        return value
    if all(type(part) is dict for part in parts.values()):
        fields = [recipes.suggest_fields(list(flattened(part))) for part in parts.values()]
        told = (own for own in fields if own.keys() & {recipes.TEXT, "thought"} and recipes.PLAYER not in own)
        is_said = 2 * sum(1 for _own in told) > len(fields)
        return [{recipes.PLAYER: name} | part for name, part in parts.items()] if is_said else value
    said = [part for part in parts.values() if type(part) is str and count_gaps(part)]
    are_said = kind_of_type(key) == SPEECH and 2 * len(said) > len(parts)
    return [{recipes.PLAYER: name, recipes.TEXT: part} for name, part in parts.items()] if are_said else value


def _are_names(value: Any) -> bool:
    are_texts = type(value) is list and all(type(name) is str and name.strip() for name in value)
    return are_texts and len({*value}) == len(value)
