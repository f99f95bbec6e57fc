"""One game as a JSON value with its messages in a list or in rounds, under the same keys as the columns of rows.

Keys of a message that are not known are left out, with a warning, unless they could say who could hear it.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import islice, pairwise
from typing import Any

from msgspec.structs import replace

from discussions.transcripts.core.audience import (
    IGNORE,
    OUT,
    SPEECH,
    VOTE,
    is_hidden,
    kind_of_type,
    looks_like_audience,
    words_of,
)
from discussions.transcripts.core.fields import as_list, as_object, as_objects
from discussions.transcripts.core.native import is_native
from discussions.transcripts.core.notes import Notes
from discussions.transcripts.core.readers import columns as recipes
from discussions.transcripts.core.readers import json_rows
from discussions.transcripts.core.readers.cast_lists import find_names, list_players, merge_player
from discussions.transcripts.core.readers.chat_lines import ARROW
from discussions.transcripts.core.readers.column_guesses import suggest_all, with_kind
from discussions.transcripts.core.readers.json_cells import OF_LISTS, as_text, flattened, split_pair
from discussions.transcripts.core.readers.json_cells import names_both as _is_message
from discussions.transcripts.core.readers.openai_chat import CARRIED, ID_KEYS, find_id, is_chat_message
from discussions.transcripts.core.readers.reshaped import reshape
from discussions.transcripts.core.readers.row_kinds import find_questions, first_cells, places_of
from discussions.transcripts.core.readers.rows import MOST_QUESTIONS, games_of_rows, is_nobody
from discussions.transcripts.core.readers.tables import Table
from workspace.core.words import mark, say

ROUNDS = frozenset(
    "round rounds day days phase phases round_number roundnumber day_number daynumber turn".split()
)
# "day_2", "Round 1"; a number alone is a round in an object of rounds.
ROUND_KEY = re.compile(r"(?P<kind>day|round)?[\W_]{0,3}(?P<number>\d{1,3})", re.IGNORECASE)
_IN_KEY = re.compile(r"\d{1,3}")
# What is numbered and no round, beside players and games.
_SEATS = frozenset("seat seats model models bot bots npc npcs team teams p m msg message messages id".split())
# What a round is called, and its number, beside the known names of columns.
_NAME_KEYS = ("name", "title", "label", "type")
_NUMBER_KEYS = ("number", "index", "id")
_HAS_NUMBER = re.compile(r"\d")
LISTS = "messages turns conversation dialogue dialog transcript utterances history chat log".split()
DEEPEST = 6
# How many rows are looked at to recognise a game.
MOST_ROWS = 200
_ABOUT = frozenset(
    "players roles player_roles playerroles config configuration cost costs usage scores results metadata "
    "settings".split()
)
_OF_A_GAME = ("players", "roles", "winner")
_NAMES_GAME = re.compile(r"(?:game|match|session|episode|run)[\W_]{0,3}\d{1,9}", re.IGNORECASE)
_VOTES_TWICE = mark(
    'Votes of the messages were left out, since the object lists its votes under "votes": {count}.'
)

_WINNERS = mark(
    "The messages name another winner than the object does ({what}); the one of the object counts."
)


def _holds_games(value: dict[str, Any], depth: int = 0) -> bool:
    """Whether whole games are inside an object: objects with messages and with players or an id.

    Rounds are none: they stand under such a key, or beside the id, the players or the winner of their game.
    """
    is_game = any(value.get(key) for key in _OF_A_GAME) and depth == 0
    for key, part in value.items() if depth < DEEPEST and not is_game else ():
        listed = [] if key.casefold() in ROUNDS else as_objects(part)
        # A state of the game names the same one.
        own = _game_id(value)
        for item in (item for item in as_objects([part]) or listed if not own or _game_id(item) != own):
            has_talk = _holds_messages(item.get("messages")) or next(_messages(item), None) is not None
            is_named = _NAMES_GAME.fullmatch(key) or _game_id(item) or any(map(item.get, _OF_A_GAME))
            if is_native(item) or (has_talk and is_named):
                return True
            if not _is_about(key) and _holds_games(item, depth + 1):
                return True
    return False


# An object of a list: where it is, and its values with those of the round around it.
_Row = tuple[str, dict[str, Any]]


def recognises(value: Any) -> bool:
    """Whether a JSON value is a game with lists of messages, in rounds or not, told by its first message."""
    if type(value) is list:
        is_thread = all(map(_is_message, value)) and any(map(_has_answers, value))
        return bool(value) and (all(map(_is_round, value)) or is_thread or _are_of_one_game(value))
    if type(value) is not dict or is_native(value):
        return False
    # Of a large value the beginning of each list is looked at.
    brief = json_rows.cut_lists(value, most=MOST_ROWS)
    if _holds_games(brief):
        return False
    # A lone message is no discussion: its list may be a part of a row, or the answers to it.
    first = (values for _place, values in islice(_messages(brief), MOST_ROWS) if "voter" not in values)
    hidden = [is_hidden(str(values.get("phase") or "")) for values in first]
    if hidden.count(False) <= 1 or are_views(brief):
        return False
    # Messages of several games are rows of a list, and no game.
    return not _name_games(values for _place, values in _messages(value))


def are_views(value: dict[str, Any]) -> bool:
    """Whether an object holds a chat for each player under their name: views of one game."""
    chats = {
        key.casefold(): list(islice(_within(part, "", {}, 1), MOST_QUESTIONS))
        for key, part in json_rows.cut_lists(value).items()
        if type(part) is dict and not _is_about(key)
    }
    told = [values for rows in chats.values() for _place, values in rows]
    names = {str(part).casefold() for values in told for part in values.values() if type(part) is str}
    return sum(bool(rows) and key in names for key, rows in chats.items()) > 1


def _name_games(values: Iterable[dict[str, Any]]) -> bool:
    """Whether objects say of which game they are, and are of several."""
    named = (part for value in values for key, part in value.items() if recipes.field_of(key) == "game")
    return len({part for part in named if type(part) in (str, int)}) > 1


def are_states(values: list[Any], depth: int = 0) -> bool:
    """Whether each of several values repeats the messages of the one before it, as states of one game do."""
    kinds = {type(value) for value in values}
    if depth == 0 and kinds == {dict} and _name_games(values):
        return False
    if kinds == {list}:
        # Two games may begin alike, but three lengths of one talk are its states.
        grows = len({*map(len, values)}) > 2 and all(
            later[: len(value)] == value for value, later in pairwise(values)
        )
        return grows and any(_is_message(item) or is_chat_message(item) for item in values[-1][:3])
    keys = [key for key, part in values[-1].items() if type(part) in (dict, list)] if kinds == {dict} else ()
    return depth < DEEPEST and any(
        are_states([value.get(key, type(values[-1][key])()) for value in values], depth + 1) for key in keys
    )


def to_native(value: Any, notes: Notes) -> dict[str, Any] | None:
    """The game as a native object; None with a fault if there is no such list. Never raises."""
    table = table_of_game(value)
    if table is None:
        notes.fault("shape", "", _say_missing(value))
        return None
    table = reshape(table, notes.columns)
    # What is left out is counted for the whole value.
    table.faults.judge_not_finite(recipes.suggest_fields(table.columns).values())
    for fault in table.faults.first:
        notes.fault(*fault)
    is_object = type(value) is dict
    names = find_names(value) if is_object else {}
    known = recipes.find_mapping(table.columns, notes.columns)
    mapping = known or with_kind(table, recipes.MappingRecord(table.columns, suggest_all(table)))
    # The object is one game and holds the game's id.
    fields = {field: name for field, name in mapping.fields.items() if field != "game"}
    mapping = replace(mapping, fields=fields, ids=names)
    named = first_cells(table, places_of(fields, table.columns))
    if known is None and not any(recipes.PLAYER in cells for cells in named):
        # Where no known column names anybody, an unknown one may.
        notes.fault(recipes.UNKNOWN_COLUMNS, "", recipes.describe_unknown(table.columns))
        return None
    if not _is_clear(table, mapping, table.place(0).rpartition("/")[0], notes):
        return None
    game, _notes = next(games_of_rows(table, mapping, lambda: notes), (None, notes))
    if game is None or not is_object:
        return game
    return game | {"gameId": _game_id(value) or notes.source} | _carried(value, game, notes)


def table_of_game(value: Any) -> Table | None:
    """The messages, and the votes and eliminations of rounds, as rows; None without a message. Never raises."""
    whole = {"rounds": value} if type(value) is list else value
    rows = list(_without_polls(list(_messages(whole)))) if type(whole) is dict else []
    if not _has_talk(rows):
        return None
    pointers = [pointer if whole is value else pointer.removeprefix("/rounds") for pointer, _values in rows]
    entries = [(index, values) for index, (_pointer, values) in enumerate(rows) if "" not in values]
    table = json_rows.table_of_objects(entries, pointers.__getitem__)
    for (_pointer, values), pointer in zip(rows, pointers, strict=True):
        if "" in values:
            table.faults.add(
                "wrong_type", pointer, say("A message should be a JSON object. Correct the file.")
            )
    return table


def _has_talk(rows: Iterable[_Row]) -> bool:
    return any("voter" not in values for _place, values in rows)


def _without_polls(rows: list[_Row]) -> Iterator[_Row]:
    """The rows without votes on something else than a player ("approve"), where the votes are an object by player."""
    plain = [flattened(values) for _place, values in rows]
    names = {
        str(part)
        for values in plain
        for key, part in values.items()
        if recipes.field_of(key) == recipes.PLAYER
    }
    for place, values in rows:
        is_cast = "target" in values and values.keys() <= {"type", "voter", "target", "round", "phase"}
        if not is_cast or as_text(values["target"]) in names or is_nobody(as_text(values["target"])):
            yield place, values


def _is_clear(table: Table, mapping: recipes.MappingRecord, place: str, notes: Notes) -> bool:
    """Whether it is known who could hear each message; other unknown keys are left out with a warning."""
    used = {part for name in mapping.fields.values() for part in recipes.split_columns(name, table.columns)}
    questions = find_questions(table, mapping)
    for question in questions[:MOST_QUESTIONS]:
        notes.fault(recipes.UNKNOWN_COLUMNS, place, question.sentence)
    for column in [name for name in table.columns if name not in used]:
        notes.warn("unknown_key", place, column)
    return not questions


def _messages(value: dict[str, Any]) -> Iterator[_Row]:
    """The messages of a game, and the votes and eliminations of its rounds, in the order of the file.

    Beside a list under a usual key, only what not everybody could hear is read.
    """
    lists = {
        key: value[key]
        for key in LISTS
        if type(value.get(key)) is list and value[key] and _is_message(value[key][0])
    }
    if lists:
        talk = next(iter(lists))
        yield from _rows_of(value[talk], f"/{talk}", {})
        for key, part in value.items():
            if key != talk and is_hidden(key) and _holds_messages(part):
                yield from _rows_of(part, f"/{key}", {"phase": key})
        return
    yield from _within(value, "", {}, 0)


def _within(value: dict[str, Any], pointer: str, around: dict[str, Any], depth: int) -> Iterator[_Row]:
    """The rows in the lists of an object, of the objects in it, and of rounds, days and phases."""
    # A message with answers, or messages under their ids.
    are_messages = depth > 0 and len(value) > 1 and all(map(_is_message, value.values()))
    told = {pointer: value} if _has_answers(value) else {}
    told |= {f"{pointer}/{key}": item for key, item in value.items() if are_messages}
    for place, item in told.items():
        yield from _with_answers(item, place, around)
    # What is around messages may say who could hear them.
    around = around | {key: part for key, part in value.items() if depth and _may_say_hearers(key, part)}
    for key, part in value.items() if depth < DEEPEST and not told else ():
        kind = kind_of_type(key)
        place = f"{pointer}/{key}"
        # The only key of an object says what the file is ("mafia"), not who could hear what is in it.
        phase = key if is_hidden(key) and (depth or len(value) > 1) else _named_beside(key, value)
        inside = (around | {"phase": phase} if phase else around) | _round_of_key(key, pointer, value, around)
        if depth and kind == VOTE and (cast := _casts(part)):
            yield from (
                (place, around | {"type": VOTE, "voter": voter, "target": target}) for voter, target in cast
            )
        elif type(part) is dict and not _is_about(key):
            yield from _within(part, place, inside, depth + 1)
        elif depth and kind in (VOTE, OUT) and _are_objects(part) and not _holds_lists(part[0]):
            yield from _rows_of(part, place, around | {"type": kind})
        elif type(part) is list:
            yield from _of_list(key, part, place, inside, depth)


def _of_list(key: str, part: list[Any], place: str, inside: dict[str, Any], depth: int) -> Iterator[_Row]:
    """The messages of a list, or those in the objects of a list of rounds, days or phases."""
    if _holds_messages(part):
        yield from _rows_of(part, place, inside)
    elif _are_objects(part) and not _is_about(key):
        is_state = are_states(part)
        for index in range(len(part) - 1 if is_state else 0, len(part)):
            around_item = inside if is_state else _round_of(part[index], index, inside)
            yield from _within(part[index], f"{place}/{index}", around_item, depth + 1)


def _may_say_hearers(key: str, part: Any) -> bool:
    """Whether a value beside lists of messages may be about those who heard them: a list of names, or a known word."""
    if type(part) is list:
        return bool(part) and all(type(item) is str for item in part)
    return type(part) in (str, bool) and recipes.field_of(key) in ("audience", "private", "public")


def _named_beside(key: str, value: dict[str, Any]) -> str:
    """What messages are called beside a list of others, where that does not say that everybody heard them."""
    beside = [other for other in value if other != key and _holds_messages(value[other])]
    has_talk = any(map(_holds_messages, (value[key], *as_object(value[key]).values())))
    if not beside or not has_talk:
        return ""
    name = " ".join(word for word in words_of(key) if word not in OF_LISTS) or key
    if all(
        words_of(other) == words_of(key) for other in value if _holds_messages(value[other])
    ) and _is_series(key):
        return ""
    return "" if kind_of_type(name) in (SPEECH, VOTE, OUT) else name


def _rows_of(items: list[Any], pointer: str, around: dict[str, Any]) -> Iterator[_Row]:
    for index, item in enumerate(items):
        for said in split_pair(item):
            yield from _with_answers(said if type(said) is dict else {"": said}, f"{pointer}/{index}", around)


def _with_answers(values: dict[str, Any], pointer: str, around: dict[str, Any]) -> Iterator[_Row]:
    """A row, and the answers to it that stand in it, each followed by its own."""
    yield pointer, {key: part for key, part in around.items() if key not in values} | values
    for key, part in values.items():
        if _are_answers(key, values):
            yield from _rows_of(part, f"{pointer}/{key}", around)


def _are_answers(key: str, values: dict[str, Any]) -> bool:
    """Whether a list in a message holds messages with the same keys, as answers have."""
    part = values[key]
    return _holds_messages(part) and type(part[0]) is dict and part[0].keys() ^ values.keys() <= {key}


def _has_answers(value: Any) -> bool:
    return type(value) is dict and any(_are_answers(key, value) for key in value)


def _is_about(key: str) -> bool:
    """Whether the values under a key are about the game or its players, and no part of the talk."""
    return key.casefold() in _ABOUT


def _are_objects(part: Any) -> bool:
    return type(part) is list and bool(part) and all(type(item) is dict for item in part)


def _holds_lists(value: dict[str, Any]) -> bool:
    """Whether an object is a round of votes: with a list of them, or of messages."""
    return _is_message(value) or any(
        _are_objects(part) for key, part in value.items() if kind_of_type(key) == VOTE
    )


def _holds_messages(part: Any) -> bool:
    first = [said for item in part[:3] for said in split_pair(item)] if type(part) is list else []
    return any(map(_is_message, first)) and not any(map(is_chat_message, first))


def _is_round(item: Any) -> bool:
    """Whether an object of a list is a round of one game: it holds messages and names its round, not a game."""
    if type(item) is not dict or _game_id(item) or any(item.get(key) for key in _OF_A_GAME):
        return False
    names = {key.casefold() for key in item}
    return bool(names & ROUNDS) and _has_talk(_within(item, "", {}, 1))


def _are_of_one_game(items: list[Any]) -> bool:
    """Whether objects of a list, no messages or views of a player, name one game, and some hold its messages."""
    if not _are_objects(items) or any(map(_is_message, items)) or any(item.get("players") for item in items):
        return False
    own = _game_id(items[0])
    if own is None or any(_game_id(item) != own for item in items):
        return False
    told = [item for item in items if _has_talk(_within(item, "", {}, 1))]
    return len(told) > 1 and not any(recipes.field_of(key) == recipes.PLAYER for item in told for key in item)


def _game_id(value: dict[str, Any]) -> Any:
    parts = (value, *(as_object(value.get(key)) for key in ("metadata", "game", "info")))
    return find_id(parts, *ID_KEYS, "conversationId")


def _say_missing(value: Any) -> str:
    """What an object lacks: a known key in its messages, or the list itself."""
    found = as_object(value)
    for key in LISTS:
        rows = found.get(key)
        names = list(flattened(rows[0])) if type(rows) is list and rows and type(rows[0]) is dict else []
        if names:
            fields = recipes.suggest_fields(names)
            return say(
                'The first message under "{key}" has the keys {names}; none of them is known as {missing}. Rename '
                "the keys, or upload the list by itself as jsonl: then you say what its keys mean.",
                key=key,
                names=", ".join(f'"{name[:60]}"' for name in names[:20]),
                missing=", ".join(f'"{field}"' for field in recipes.NEEDED if field not in fields),
            )
    sentence = say(
        "An object with a list of messages was expected, under one of the keys {lists}.",
        lists=", ".join(LISTS),
    )
    return say("{sentence} Each message should name its player and its text.", sentence=sentence)


def _carried(value: dict[str, Any], game: dict[str, Any], notes: Notes) -> dict[str, Any]:
    """The native keys of the object around its messages. An empty value counts as absent; votes by rounds are rows."""
    are_rows = any(part.get("votes") for part in as_objects(value.get("votes")))
    names = [name for name in (*CARRIED, "players") if value.get(name) and not (are_rows and name == "votes")]
    # What is called so and is no list is not ours: {"eliminations": {"1": "Bea"}}.
    names = [name for name in names if name not in ("votes", "eliminations") or type(value[name]) is list]
    acts = {name: list(map(_with_round, value[name])) for name in names if name in ("votes", "eliminations")}
    carried = {name: value[name] for name in names} | acts
    said = {player["name"]: player for player in game["players"]}
    if (listed := list_players(value, said)) is not None:
        carried["players"] = listed
    notes.translate("", "")
    for name, part in carried.items():
        notes.translate(f"/{name}", f"/{name}")
        for index in range(len(part) if type(part) is list else 0):
            notes.translate(f"/{name}/{index}", f"/{name}/{index}")
    if "votes" in carried and game["votes"]:
        notes.warn("votes_twice", "/votes", count=len(game["votes"]), says=_VOTES_TWICE)
    own, said_winner = carried.get("winner"), game["winner"]
    if said_winner and type(own) is str and own.strip().casefold() != said_winner.strip().casefold():
        notes.warn("winner_differs", "/winner", f'"{said_winner[:60]}", not "{own[:60]}"', says=_WINNERS)
    if type(listed) is list:
        carried["players"] = [
            merge_player(player, said, f"/players/{index}", notes) for index, player in enumerate(listed)
        ]
    return carried


def _with_round(item: Any) -> Any:
    """A vote or an elimination whose round may be called a day."""
    names = {key: "round" if recipes.field_of(key) == "round" else key for key in as_object(item)}
    return {name: item[key] for key, name in names.items()} if names else item


def _round_of_key(key: str, pointer: str, beside: Iterable[str], around: dict[str, Any]) -> dict[str, Any]:
    """The round that a key names: "day_2", a number in an object of rounds, or one in keys that differ in it alone."""
    found = ROUND_KEY.fullmatch(key)
    if found and (found["kind"] or pointer.rpartition("/")[2].casefold() in ROUNDS):
        return {"round": int(found["number"])}
    number, shape = _IN_KEY.findall(key), _IN_KEY.sub(recipes.ANY, key)
    is_counted = len(number) == 1 and "round" not in around and _is_series(shape)
    others = (other for other in beside if other != key and _IN_KEY.sub(recipes.ANY, other) == shape)
    return {"round": int(number[0])} if is_counted and any(others) else {}


def _is_series(shape: str) -> bool:
    """Whether what is counted, "cycle_*", may be the rounds, and no players, games or channels."""
    words = words_of(shape)
    is_known = any(recipes.field_of(word) in (recipes.PLAYER, "game") for word in words)
    return not is_known and _SEATS.isdisjoint(words) and not looks_like_audience(shape)


def _round_of(item: dict[str, Any], index: int, around: dict[str, Any]) -> dict[str, Any]:
    """What an object around messages says of them: their round, else its place in the list, and their phase."""
    plain = {key: part for key, part in item.items() if type(part) in (str, int) and part != ""}
    fields = recipes.suggest_fields(list(plain))
    phase = next((plain[key] for key in (fields.get("phase"), *_NAME_KEYS) if key in plain), None)
    # "Result" in a state of the game says nothing of what was said before.
    phase = None if _game_id(item) and kind_of_type(str(phase)) == IGNORE else phase
    number = plain.get(
        fields.get("round", ""), next((plain[key] for key in _NUMBER_KEYS if key in plain), None)
    )
    # A phase of a round is not counted as one.
    if number is None and "round" not in around and not _HAS_NUMBER.search(str(phase or "")):
        number = index + 1
    found = {"round": number, "phase": phase}
    return around | {key: part for key, part in found.items() if part is not None}


def _casts(part: Any) -> list[tuple[str, str]]:
    """The voter and the target of each vote, where they are an object by player, or texts such as "Ann -> Bea"."""
    if type(part) is dict and any(map(as_list, part.values())):
        # Who voted for each: nobody does twice, and somebody is voted for who votes.
        found = {str(voter): target for target, voters in part.items() for voter in as_list(voters)}
        are_votes = len(found) == sum(len(as_list(voters)) for voters in part.values()) > len(part)
        return list(found.items()) if are_votes and not part.keys().isdisjoint(found) else []
    if type(part) is dict:
        # Other numbers are how many votes each got.
        are_seats = len(part) > 1 and {*map(as_text, part.values())} <= {*part}
        are_names = are_seats or all(type(target) is str for target in part.values())
        return [(voter, as_text(target)) for voter, target in part.items()] if are_names else []
    arrows = [ARROW.fullmatch(said) for said in part if type(said) is str] if type(part) is list else []
    return [(arrow["voter"], arrow["target"]) for arrow in arrows if arrow]
