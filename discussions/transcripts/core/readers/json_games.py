"""Whether the parts of a JSON value are games, or rounds, channels, states or views of one."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, islice, permutations
from typing import Any

from discussions.transcripts.core.audience import is_hidden, kind_of_title, words_of
from discussions.transcripts.core.fields import as_list, as_object, as_objects
from discussions.transcripts.core.native import is_native
from discussions.transcripts.core.readers import columns as recipes
from discussions.transcripts.core.readers import json_rounds as rounds
from discussions.transcripts.core.readers import json_rows, openai_chat
from discussions.transcripts.core.readers.json_cells import flattened
from discussions.transcripts.core.readers.json_cells import names_both as is_message
from discussions.transcripts.core.readers.json_messages import (
    DEEPEST,
    LISTS,
    MOST_ROWS,
    are_states,
    game_id,
    has_talk,
    holds_messages,
    is_about,
    may_repeat_turns,
    messages,
    of_list,
    repeat_turns,
    within,
)
from discussions.transcripts.core.readers.json_votes import are_objects
from discussions.transcripts.core.readers.openai_chat import first_values
from discussions.transcripts.core.readers.rows import MOST_QUESTIONS
from workspace.core.words import mark, say

MOST_PARTS = 20
_NAMES_GAME = re.compile(rf"(?:{'|'.join(rounds.GAMES)})[\W_]{{0,3}}\d{{1,9}}", re.IGNORECASE)
UNCLEAR = mark("Parts of the file may be games, rounds or channels. Say which, under “Is this the game?”.")
VIEWS = mark(
    "The file holds one chat for each player: what it was told, and what it answered. They are views of one game, "
    "no games. Export the messages of the game, each once, with its player."
)
STATES = mark(
    "Each of its values repeats the messages of the one before it, so they are states of one game, and no games. Keep "
    "the last one alone as a file, if it has all messages; else export the messages, each once."
)
CHANNELS = mark(
    "The chats of the file overlap in time and share people, so they are channels of one game. Which one "
    "everybody could hear is not clear. Save that one alone as a file."
)
# Where an object holds what each player saw, and whose it is.
_VIEWS = frozenset(("agents", "players", "views", "perspectives", "contexts", "participants"))
_OWNERS = frozenset(
    "agent agent_name agentName agent_id agentId player player_name playerName player_id playerId".split()
)
# Under which keys a chat has a name.
_CALLED = frozenset(("name", "title", "channel", "chat", "topic"))


class Unclear(Exception):
    """The parts of a value may be games, or rounds or channels of one."""


def list_games(
    value: Any, key: str = "", pointer: str = "", depth: int = 0, around: Any = None
) -> list[tuple[str, Any]]:
    """The games in a value, with pointers; [] for one. `around` is the id of what it stands in. Raises `Unclear`."""
    is_object = type(value) is dict
    if is_object and depth == 0 and any(value.get(name) for name in rounds.OF_A_GAME):
        return []
    items = as_list(value)
    are_parts = is_object or not (holds_messages(value) or are_states(items) or repeat_turns(items))
    parts = value if is_object else dict(enumerate(items if are_parts else ()))
    told = {str(name): part for name, part in parts.items() if has_talk(_talk_in(part))}
    if not is_object and len(told) > 1:
        if whole := merge_channels([*told.values()]):
            return [(pointer, whole)]
        if _are_pieces([*told.values()], key) or may_repeat_turns([*told.values()]):
            raise Unclear
    are_rounds = len(told) < 2 or key.casefold() in rounds.ROUNDS or rounds.are_rounds(told)
    called = [str(as_object(part).get(named) or "") for part in told.values() for named in _CALLED]
    if not are_rounds and any(is_hidden(name) or kind_of_title(name) for name in called):
        raise Unclear
    own = (game_id(value) if is_object else None) or around
    inside = {name: part for name, part in told.items() if depth < DEEPEST and not is_about(name)}
    inner = {
        name: list_games(part, name, f"{pointer}/{name}", depth + 1, own) for name, part in inside.items()
    }
    places = {name: (f"{pointer}/{name}", part) for name, part in told.items()}
    if any(inner.values()):
        # Beside games in a list of each, one game alone is not in one.
        are_alike = not is_object or rounds.are_numbered(told)
        return [game for name in told for game in inner.get(name) or ([places[name]] if are_alike else [])]
    return [*places.values()] if _are_games(key, told, own) else []


def is_unclear(value: Any, key: str = "") -> bool:
    """Whether nobody can tell if the parts of a value are games. `key` is what they are called."""
    try:
        list_games(json_rows.cut_lists(value, most=MOST_ROWS), key)
    except Unclear:
        return True
    return False


def _are_games(key: str, told: dict[str, Any], own: Any) -> bool:
    """Whether the parts of an object or a list that hold messages are games; `own` is the id of what is around them."""
    if key.casefold() in rounds.ROUNDS:
        return False
    parts = {name: as_object(part) for name, part in told.items()}
    # What stands in one of the rounds alone is told when the game begins, or ends.
    counts = Counter(name for part in parts.values() for name in rounds.OF_A_GAME if part.get(name))
    of_games = [name for name, count in counts.items() if count > 1 or not rounds.are_numbered(told)]
    for name, part in parts.items():
        # A state of the game names the same one.
        is_other = not own or game_id(part) != own
        has_id = game_id(part) is not None and _is_id_of_game(part)
        is_named = _NAMES_GAME.fullmatch(name) or has_id or any(map(part.get, of_games))
        is_round = str(part.get("type") or part.get("kind")).casefold() in rounds.ROUNDS
        if is_other and not is_round and (is_named or is_native(part)):
            return True
    first = {name: told[name] for name in islice(told, MOST_PARTS)}
    if len(first) < 2 or _are_plain_rounds(first) or rounds.are_named(first):
        return False
    rows = [rounds.with_rounds(islice(_talk_in(part), MOST_ROWS)) for part in first.values()]
    counts = Counter(number for own_rows in rows for number in {*map(rounds.round_in, own_rows)} - {""})
    again = [number for number, count in counts.items() if count > 1]
    is_told = (key in LISTS or own) and not _differ_in_words([*first.values()])
    pairs = permutations(map(_speakers, rows), 2)
    # At most half of those who speak in one, and nobody else, speak in another one.
    may_be_channels = any(few < many and 2 * len(few) <= len(many) for few, many in pairs)
    if (again or not counts) and not is_told and may_be_channels:
        raise Unclear
    words = [{*words_of(name)} for name in first]
    if not rounds.SETS.isdisjoint(words_of(key)) or not any(map(rounds.GAMES.isdisjoint, words)):
        return True
    is_again = len(again) > 1 and rounds.are_numbered(first)
    # What each part is by itself is no clearer than what they are together.
    are_unclear = is_again and any(map(is_unclear, first.values()))
    if is_again and not are_unclear:
        return True
    may_be = again or (not counts and key not in LISTS and rounds.are_numbered(first))
    if are_unclear or (may_be and not own):
        raise Unclear
    return False


def _are_plain_rounds(parts: dict[str, Any]) -> bool:
    are_named = rounds.are_rounds(parts)
    if are_named and _name_games(map(as_object, parts.values())):
        raise Unclear
    return are_named


def _is_id_of_game(part: dict[str, Any]) -> bool:
    """Whether the id of an object is that of a game, by its key or by what it is called."""
    own = game_id(part)
    is_explicit = any(recipes.field_of(key) == "game" for key, said in part.items() if said == own)
    return is_explicit or not rounds.is_called_round(own)


def _differ_in_words(parts: list[Any]) -> bool:
    """Whether each of several objects has a text of its own under the same key."""
    texts = [{key: said for key, said in as_object(part).items() if type(said) is str} for part in parts]
    return any(len({*(text.get(key, "") for text in texts)} - {""}) == len(texts) for key in texts[0])


def _speakers(talk: list[rounds.Row]) -> set[str]:
    cells = (pair for _place, values in talk for pair in flattened(values).items())
    return {str(name) for key, name in cells if recipes.field_of(key) == recipes.PLAYER}


def _talk_in(part: Any) -> Iterator[rounds.Row]:
    if type(part) is list:
        yield from of_list("", part, "", {}, 0)
    elif type(part) is dict:
        yield from messages(part)


def are_views(value: dict[str, Any]) -> bool:
    """Whether an object holds a chat for each player under their name: views of one game."""
    chats = {
        key.casefold(): list(islice(within(part, "", {}, 1), MOST_QUESTIONS))
        for key, part in json_rows.cut_lists(value).items()
        if type(part) is dict and not is_about(key)
    }
    told = [values for rows in chats.values() for _place, values in rows]
    names = {str(part).casefold() for values in told for part in values.values() if type(part) is str}
    return sum(bool(rows) and key in names for key, rows in chats.items()) > 1


def are_listed_rounds(items: list[Any]) -> bool:
    """Whether objects of a list are rounds of one game: each holds messages and names its round, and none is a game."""
    if not are_objects(items) or not all(has_talk(within(item, "", {}, 1)) for item in items):
        return False
    names = list(map(rounds.named_round, items))
    # With each round, those who are left may be listed.
    first, *later = [own for item in items if (own := _listed(item))] or [set[str]()]
    are_left = len({*names}) == len(items) > 1 and all(map(first.issuperset, later))
    left = {"players"} if are_left else set[str]()
    told = {
        str(at): {key: part for key, part in item.items() if key not in left} for at, item in enumerate(items)
    }
    return None not in names and not _name_games(items) and not _are_games("", told, None)


def _listed(item: dict[str, Any]) -> set[str]:
    players = item.get("players")
    names = as_list(players) or list(as_object(players))
    return {str(as_object(player).get("name", player)) for player in names}


def _name_games(items: Iterable[dict[str, Any]]) -> bool:
    """Whether objects give their games different numbers or seeds."""
    plain = {pair for item in items for pair in item.items() if type(pair[1]) in (str, int)}
    said = [key for key, _part in plain if key and rounds.GAMES.issuperset(words_of(key))]
    return len({*said}) < len(said)


def as_one_game(items: list[Any]) -> dict[str, Any]:
    """A game that is a list of its rounds as one object, with what the rounds say of the whole game."""
    parts = as_objects(items)
    ids = {own if type(own := game_id(part)) in (str, int) else None for part in parts}
    own = {"gameId": ids.pop()} if len(ids) == 1 else {}
    told = {key: part[key] for part in reversed(parts) for key in rounds.OF_A_GAME if part.get(key)}
    return own | told | {"rounds": items}


def _may_be_rounds(pieces: Sequence[Any]) -> bool:
    """Whether objects of the same players hold messages that name no round, and nothing else calls them games."""
    talks = [list(islice(_talk_in(piece), MOST_ROWS)) for piece in pieces[:MOST_PARTS]]
    beside = [pair for piece in pieces for pair in as_object(piece).items() if type(pair[1]) in (str, int)]
    are_called = any(
        not rounds.GAMES.isdisjoint(words_of(key)) or _NAMES_GAME.fullmatch(str(said)) for key, said in beside
    )
    if are_called or not all(talks) or any(rounds.round_in(row) for talk in talks for row in talk):
        return False
    said = list(map(_speakers, talks))
    return all(2 * len(own & set().union(*said[:at])) >= len(own) for at, own in enumerate(said) if at)


def are_of_one_game(items: list[Any]) -> bool:
    """Whether objects of a list, no messages or views of a player, name one game, and some hold its messages."""
    if not are_objects(items) or any(map(is_message, items)) or any(item.get("players") for item in items):
        return False
    own = game_id(items[0])
    if own is None or any(game_id(item) != own for item in items):
        return False
    told = [item for item in items if has_talk(within(item, "", {}, 1))]
    return len(told) > 1 and not any(recipes.field_of(key) == recipes.PLAYER for item in told for key in item)


def explain_pieces(values: Sequence[Any], key: str = "") -> str:
    """Why values (under `key`) are no games, though each reads as one: states, rounds, channels or views; else ""."""
    may_be = _may_be_rounds(values)
    told = {str(at): as_object(one) for at, one in enumerate(values)}
    # Rounds that no format reads as one game.
    are_named = may_be and len(told) > 1 and None not in map(rounds.named_round, told.values())
    are_named = are_named and not _are_games("", told, None)
    is_asked = are_named or is_unclear([*values], key or ("" if may_be else "games"))
    return _are_pieces(values, key) or (say(UNCLEAR) if is_asked else "")


def _are_pieces(values: Sequence[Any], key: str) -> str:
    pieces = [value for value in values if type(value) is dict]
    if len(pieces) < max(2, len(values)):
        return ""
    if are_states(pieces):
        return say(STATES)
    if _are_channels(pieces):
        return say(CHANNELS)
    named = _OWNERS | {"name"} if key.casefold() in _VIEWS else _OWNERS
    owners = {next((str(piece[name]) for name in piece if name in named), "") for piece in pieces}
    ids = {str(openai_chat.find_id([one], *openai_chat.ID_KEYS) or at) for at, one in enumerate(pieces)}
    if repeat_turns(pieces) or 2 < 2 * len(ids) <= len(pieces):
        return say(UNCLEAR)
    are_views = len(owners - {""}) == len(pieces) and all(map(openai_chat.recognises, pieces))
    return say(VIEWS) if are_views or (len(ids) == 1 and "" not in owners) else ""


def _talk_of(piece: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    """Time, or that of the message before, speaker and row of each message of a chat."""
    rows = next((as_objects(piece[key]) for key in LISTS if type(piece.get(key)) is list), [])
    plain = [{key: part for key, part in row.items() if type(part) in (str, int, float)} for row in rows]
    said = [first_values(cells, "time", recipes.PLAYER) for cells in plain]
    times: list[Any] = []
    for facts in said:
        times.append(facts.get("time", times[-1] if times else None))
    names = [str(facts.get(recipes.PLAYER, "")) for facts in said]
    return list(zip(map(_as_time, times), names, rows, strict=True))


def _as_time(value: Any) -> str:
    is_number = type(value) in (int, float) and abs(value) < 10**15
    return f"{value:020.6f}" if is_number else str(value or "").rjust(20)


def _are_channels(pieces: Sequence[dict[str, Any]]) -> bool:
    """Whether chats with names are channels of one game: somebody speaks in one of them while another one goes on."""
    if not all(set(piece) & _CALLED and frozenset(rounds.OF_A_GAME).isdisjoint(piece) for piece in pieces):
        return False
    spans = []
    for talk in filter(None, map(_talk_of, pieces[:MOST_PARTS])):
        times = [time for time, name, _row in talk if time.strip() and name]
        names = {name for _time, name, _row in talk} - {""}
        spans.append((min(times, default=""), max(times, default=""), names))
    return any(
        first < other_last and other_first < last and names & other_names
        for (first, last, names), (other_first, other_last, other_names) in combinations(spans, 2)
    )


def merge_channels(pieces: Sequence[Any]) -> dict[str, Any] | None:
    """The messages of channels of one game in order of time, private but in the channel of everybody; or None."""
    if not all(type(piece) is dict for piece in pieces) or not _are_channels(pieces):
        return None
    talks = list(map(_talk_of, pieces))
    speakers = [{name for _time, name, _row in talk} - {""} for talk in talks]
    everybody = set().union(*speakers)
    tables = [
        index
        for index, names in enumerate(speakers)
        if names == everybody and not any(kind_of_title(str(pieces[index].get(key, ""))) for key in _CALLED)
    ]
    if len(tables) != 1:
        return None
    said = [
        (time, index, row | ({} if index in tables else {"private": True}))
        for index, talk in enumerate(talks)
        for time, _name, row in talk
    ]
    return {"turns": [row for _time, _index, row in sorted(said, key=lambda one: one[:2])]}
