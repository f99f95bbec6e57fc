"""One game as a JSON value with its messages in a list or in rounds, under the same keys as the columns of rows."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from msgspec.structs import replace

from discussions.transcripts.core.audience import is_hidden
from discussions.transcripts.core.fields import as_object
from discussions.transcripts.core.native import is_native
from discussions.transcripts.core.notes import Notes
from discussions.transcripts.core.readers import column_guesses as guesses
from discussions.transcripts.core.readers import columns as recipes
from discussions.transcripts.core.readers import json_rounds as rounds
from discussions.transcripts.core.readers import json_rows
from discussions.transcripts.core.readers.cast_lists import find_names, list_players, merge_player
from discussions.transcripts.core.readers.draft import is_nobody
from discussions.transcripts.core.readers.json_cells import LISTS as OF_LISTS
from discussions.transcripts.core.readers.json_cells import as_text, flattened
from discussions.transcripts.core.readers.json_cells import names_both as is_message
from discussions.transcripts.core.readers.json_games import (
    Unclear,
    are_listed_rounds,
    are_of_one_game,
    are_views,
    as_one_game,
    list_games,
)
from discussions.transcripts.core.readers.json_messages import (
    LISTS,
    MOST_ROWS,
    game_id,
    has_answers,
    has_talk,
    is_told,
    messages,
    name_games,
    repeat_turns,
)
from discussions.transcripts.core.readers.json_votes import are_native
from discussions.transcripts.core.readers.known_columns import lacks_columns, suggest_all
from discussions.transcripts.core.readers.openai_chat import CARRIED
from discussions.transcripts.core.readers.reshaped import reshape
from discussions.transcripts.core.readers.row_kinds import find_questions, read_signs
from discussions.transcripts.core.readers.rows import MOST_QUESTIONS, games_of_rows
from discussions.transcripts.core.readers.tables import Table, first_cells, places_of
from discussions.transcripts.core.readers.vote_columns import find_ballots, find_votes, with_kind
from workspace.core.words import mark, say

_NOT_NAMED = mark(
    'The first message under "{key}" has the keys {names}; none of them is known as {missing}. Rename the keys, or '
    "upload the list by itself as jsonl."
)
_NOT_FOUND = mark("A list of messages with players and texts was expected, under one of the keys {lists}.")
_VOTES_TWICE = mark('Votes of the messages were left out, since the object has "votes": {count}.')
_WINNERS = mark("The messages name another winner than the object ({what}); that of the object counts.")


def recognises(value: Any) -> bool:
    """Whether a JSON value is a game with lists of messages, in rounds or not, told by its first message."""
    if type(value) is list:
        is_thread = all(map(is_message, value)) and any(map(has_answers, value))
        is_game = (
            is_thread or are_of_one_game(value) or (repeat_turns(value) and has_talk(messages({"": value})))
        )
        return bool(value) and (are_listed_rounds(value) or is_game)
    if type(value) is not dict or is_native(value):
        return False
    # Of a large value the beginning of each list is looked at.
    brief = json_rows.cut_lists(value, most=MOST_ROWS)
    try:
        if list_games(brief):
            return False
    except Unclear:
        return False
    # A lone message is no discussion: its list may be a part of a row, or the answers to it.
    told = messages(brief)
    first = list(islice(told, MOST_ROWS))
    hidden = [is_hidden(str(values.get("phase") or "")) for _place, values in filter(is_told, first)]
    if hidden.count(False) <= 1 or are_views(brief):
        return False
    # Messages of several games are rows of a list, and no game.
    rows = [*first, *told] if brief == value else list(messages(value))
    return not name_games(values for _place, values in rows) and not _begin_again(rows)


def _begin_again(rows: list[rounds.Row]) -> bool:
    """Whether the rounds of the first list of messages begin again in it."""
    above = rows[0][0].rpartition("/")[0]
    own = [row for row in rows if row[0].rpartition("/")[0] == above]
    numbers = (
        (int(said[:9]) if said.isdecimal() else None, row[0]) for row in own if (said := rounds.round_in(row))
    )
    return bool(rounds.find_restarts(numbers))


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
    value = as_one_game(value) if type(value) is list else value
    is_object = type(value) is dict
    known = recipes.find_mapping(table.columns, notes.columns)
    mapping = known or with_kind(table, recipes.MappingRecord(table.columns, suggest_all(table)))
    # The object is one game and holds the game's id.
    fields = {field: name for field, name in mapping.fields.items() if field != "game"}
    rows = first_cells(table, places_of(fields, table.columns))
    if known is None and "vote" not in fields:
        fields |= find_votes(rows, guesses.find_free(table, fields), fields)
    named = first_cells(table, places_of(fields, table.columns))
    names = find_names(value, named) if is_object else {}
    mapping = replace(mapping, fields=fields, ids=names)
    votes = {} if known else find_ballots(rows, guesses.find_free(table, fields), fields)
    if known is None and (votes or lacks_columns(table, fields, named)):
        notes.fault(recipes.UNKNOWN_COLUMNS, "", recipes.describe_unknown(table.columns))
        return None
    signs = read_signs(table, mapping)
    questions = [question.sentence for question in find_questions(table, mapping, signs)]
    if not _is_clear(table, mapping, questions, notes):
        return None
    game, _notes = next(games_of_rows(table, mapping, lambda: notes, signs), (None, notes))
    if game is None or not is_object:
        return game
    return game | {"gameId": game_id(value) or notes.source} | _carried(value, game, names, notes)


def table_of_game(value: Any) -> Table | None:
    """The messages, and the votes and eliminations of rounds, as rows; None without a message. Never raises."""
    whole = {"rounds": value} if type(value) is list else value
    rows = list(_without_polls(rounds.with_rounds(messages(whole)))) if type(whole) is dict else []
    if not has_talk(rows):
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


def _without_polls(rows: list[rounds.Row]) -> Iterator[rounds.Row]:
    """The rows without votes on something else than a player ("approve"), where the votes are an object by player."""
    # Only votes are compared with the names.
    plain = [flattened(own) for _at, own in rows] if any("target" in own for _at, own in rows) else []
    pairs = (pair for values in plain for pair in values.items())
    names = {str(part) for key, part in pairs if recipes.field_of(key) == recipes.PLAYER}
    for place, values in rows:
        is_cast = "target" in values and values.keys() <= {"type", "voter", "target", "round", "phase"}
        if not is_cast or as_text(values["target"]) in names or is_nobody(as_text(values["target"])):
            yield place, values


def _is_clear(table: Table, mapping: recipes.MappingRecord, questions: list[str], notes: Notes) -> bool:
    """Whether it is known who could hear each message; other unknown keys are left out with a warning."""
    used = {part for name in mapping.fields.values() for part in recipes.split_columns(name, table.columns)}
    place = table.place(0).rpartition("/")[0]
    for sentence in questions[:MOST_QUESTIONS]:
        notes.fault(recipes.UNKNOWN_COLUMNS, place, sentence)
    for column in [name for name in table.columns if name not in used]:
        notes.warn("unknown_key", place, column)
    return not questions


def _say_missing(value: Any) -> str:
    """What an object lacks: a known key in its messages, or the list itself."""
    found = as_object(value)
    for key in LISTS:
        rows = found.get(key)
        first = as_object(rows[0]) if type(rows) is list and rows else {}
        names = [name for name in flattened(first) if not name.endswith(OF_LISTS)]
        if names:
            fields = recipes.suggest_fields(names)
            shown = ", ".join(f'"{name[:60]}"' for name in names[:20])
            missing = ", ".join(f'"{field}"' for field in recipes.NEEDED if field not in fields)
            return say(_NOT_NAMED, key=key, names=shown, missing=missing)
    return say(_NOT_FOUND, lists=", ".join(LISTS))


def _carried(
    value: dict[str, Any], game: dict[str, Any], ids: dict[str, str], notes: Notes
) -> dict[str, Any]:
    """The native keys of the object around its messages. An empty value counts as absent; votes by rounds are rows."""
    names = [name for name in (*CARRIED, "players") if value.get(name)]
    # What is called so and is no list of ours is not ours: {"eliminations": {"1": "Bea"}}. Other votes are rows.
    names = [name for name in names if name != "eliminations" or type(value[name]) is list]
    are_rows = game["votes"] and not are_native(value.get("votes"))
    names = [name for name in names if name != "votes" or (type(value[name]) is list and not are_rows)]
    listed = [name for name in ("votes", "eliminations") if name in names]
    acts = {name: [_with_round(item, ids) for item in value[name]] for name in listed}
    carried = {name: value[name] for name in names} | acts
    said = {player["name"]: player for player in game["players"]}
    if (players := list_players(value, said, ids)) is not None:
        carried["players"] = players
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
    if type(players) is list:
        carried["players"] = [
            merge_player(player, said, f"/players/{index}", notes) for index, player in enumerate(players)
        ]
    return carried


def _with_round(item: Any, ids: dict[str, str]) -> Any:
    """A vote or an elimination whose round may be called a day, with names for ids."""
    names = {key: "round" if recipes.field_of(key) == "round" else key for key in as_object(item)}
    said = {name: item[key] for key, name in names.items()}
    for name in [name for name in said if recipes.field_of(name) in (recipes.PLAYER, "voter", "target")]:
        said[name] = ids.get(str(said[name]), said[name])
    return said or item
