"""One game as a JSON object with its messages in a list, under the same keys as the columns of rows.

Keys of a message that are not known are left out, with a warning.
"""

from typing import Any

from discussions.transcripts.core.fields import NOTHING, snake_to_camel
from discussions.transcripts.core.native import is_native
from discussions.transcripts.core.notes import Notes
from discussions.transcripts.core.readers.columns import NEEDED, MappingRecord, has_needed, suggest_fields
from discussions.transcripts.core.readers.json_rows import flattened, table_of_objects
from discussions.transcripts.core.readers.openai_chat import CARRIED, ID_KEYS
from discussions.transcripts.core.readers.rows import games_of_rows
from discussions.transcripts.core.readers.tables import Table
from workspace.core.words import mark_many, say

LISTS = (
    "messages",
    "turns",
    "conversation",
    "dialogue",
    "dialog",
    "transcript",
    "utterances",
    "history",
    "chat",
    "log",
)
_VOTES_TWICE = mark_many(
    'One vote of the messages was left out: the object lists its votes under "votes", and those count.',
    '{count} votes of the messages were left out: the object lists its votes under "votes", and those count.',
)
_DIFFERS = mark_many(
    'The messages give one player another role or personality than "players" ("{what}"); that list counts.',
    'The messages give {count} players another role or personality than "players" (first "{what}"); that list counts.',
)

_WINNERS = mark_many(
    "The messages name another winner than the object does ({what}); the one of the object counts.",
    "The messages name other winners than the object does ({what}); the one of the object counts.",
)


def recognises(value: Any) -> bool:
    """Whether a JSON value is an object with such a list, told by its first message."""
    return _list_key(value) != "" and not is_native(value)


def to_native(value: Any, notes: Notes) -> dict[str, Any] | None:
    """The game as a native object; None with a fault if there is no such list. Never raises."""
    key = _list_key(value)
    if not key:
        notes.fault("shape", "", _say_missing(value))
        return None
    table = _table(value[key], key, notes)
    fields = suggest_fields(table.columns)
    # The object is one game and holds the game's id.
    fields.pop("game", None)
    for column in table.columns:
        if column not in fields.values():
            notes.warn("unknown_key", f"/{key}", column)
    game, _notes = next(
        games_of_rows(table, MappingRecord(table.columns, fields), lambda: notes), (None, notes)
    )
    game_id = next((value[name] for name in ID_KEYS if value.get(name) not in (None, "")), notes.source)
    return None if game is None else game | {"gameId": game_id} | _carried(value, game, notes)


def _list_key(value: Any) -> str:
    """The key of the list of messages; "" without one."""
    if type(value) is not dict:
        return ""
    lists = {key: value[key] for key in LISTS if type(value.get(key)) is list and value[key]}
    return next((key for key, rows in lists.items() if _is_message(rows[0])), "")


def _say_missing(value: Any) -> str:
    """What an object lacks: a known key in its messages, or the list itself."""
    found = value if type(value) is dict else {}
    for key in LISTS:
        rows = found.get(key)
        names = list(flattened(rows[0])) if type(rows) is list and rows and type(rows[0]) is dict else []
        if names:
            fields = suggest_fields(names)
            return say(
                'The first message under "{key}" has the keys {names}; none of them is known as {missing}. Rename '
                "the keys, or upload the list by itself as jsonl: then you say what its keys mean.",
                key=key,
                names=", ".join(f'"{name[:60]}"' for name in names[:20]),
                missing=", ".join(f'"{field}"' for field in NEEDED if field not in fields),
            )
    sentence = say(
        "An object with a list of messages was expected, under one of the keys {lists}.",
        lists=", ".join(LISTS),
    )
    return say("{sentence} Each message should name its player and its text.", sentence=sentence)


def _is_message(value: Any) -> bool:
    return type(value) is dict and has_needed(suggest_fields(list(flattened(value))))


def _table(entries: list[Any], key: str, notes: Notes) -> Table:
    """The messages as rows; the notes hold their faults."""
    place = f"/{key}/{{}}"
    for index, entry in enumerate(entries):
        if type(entry) is not dict:
            sentence = say("A message should be a JSON object. Correct the file.")
            notes.fault("wrong_type", place.format(index), sentence)
    table = table_of_objects([found for found in enumerate(entries) if type(found[1]) is dict], place)
    # What is left out is counted for the whole value.
    table.faults.judge_not_finite(suggest_fields(table.columns).values())
    for fault in table.faults.first:
        notes.fault(*fault)
    return table


def _carried(value: dict[str, Any], game: dict[str, Any], notes: Notes) -> dict[str, Any]:
    """The native keys of the object around its messages. An empty value counts as absent."""
    carried = {name: value[name] for name in (*CARRIED, "players") if value.get(name)}
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
    if type(carried.get("players")) is list:
        said = {player["name"]: player for player in game["players"]}
        carried["players"] = [
            _merged(player, said, f"/players/{index}", notes)
            for index, player in enumerate(carried["players"])
        ]
    return carried


def _merged(player: Any, said: dict[str, dict[str, Any]], place: str, notes: Notes) -> Any:
    """A player of the list, completed with a role and a personality that only the messages give."""
    if type(player) is not dict:
        return player
    names = (name for key, name in player.items() if snake_to_camel(key) in ("name", "playerName"))
    name = next((name.strip() for name in names if type(name) is str), "")
    if name not in said:
        return player
    facts = {field: said[name][field] for field in ("role", "personality") if said[name][field]}
    if any(player.get(field) not in (*NOTHING, fact) for field, fact in facts.items()):
        notes.warn("player_differs", place, name, says=_DIFFERS)
    return player | {field: fact for field, fact in facts.items() if player.get(field) in NOTHING}
