"""The messages in a JSON value, in lists, rounds, days and phases, with what is around them."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

from discussions.transcripts.core.audience import OUT, SPEECH, VOTE, is_hidden, kind_of_type, words_of
from discussions.transcripts.core.fields import as_list, as_object
from discussions.transcripts.core.readers import columns as recipes
from discussions.transcripts.core.readers import json_rounds as rounds
from discussions.transcripts.core.readers.json_cells import (
    OF_LISTS,
    as_text,
    by_player,
    flattened,
    is_talk,
    split_pair,
)
from discussions.transcripts.core.readers.json_cells import names_both as is_message
from discussions.transcripts.core.readers.json_votes import (
    are_native,
    are_objects,
    casts_of,
    holds_lists,
    votes_of,
)
from discussions.transcripts.core.readers.openai_chat import ID_KEYS, find_id, is_chat_message

LISTS = "messages turns conversation dialogue dialog transcript utterances history chat log".split()
DEEPEST = 6
# How many rows are looked at to recognise a game.
MOST_ROWS = 200
_ABOUT = frozenset(
    "players roles player_roles playerroles config configuration cost costs usage scores results metadata "
    "settings".split()
)


def messages(value: dict[str, Any]) -> Iterator[rounds.Row]:
    """The messages, votes and eliminations of a game in order; beside a list under a usual key only what is hidden."""
    lists = {key: value[key] for key in LISTS if as_list(value.get(key)) and is_message(value[key][0])}
    if lists:
        talk = next(iter(lists))
        yield from rows_of(value[talk], f"/{talk}", {})
        for key, part in value.items():
            if key != talk and is_hidden(key) and holds_messages(part):
                yield from rows_of(part, f"/{key}", {"phase": key})
            elif kind_of_type(key) == VOTE and type(part) in (dict, list):
                yield from (row for row in within({key: part}, "", {}, 0) if not is_told(row))
        return
    yield from within(value, "", {}, 0)


def within(value: dict[str, Any], pointer: str, around: dict[str, Any], depth: int) -> Iterator[rounds.Row]:
    """The rows in the lists of an object, of the objects in it, and of rounds, days and phases."""
    # A message with answers, or messages under their ids.
    are_messages = depth > 0 and len(value) > 1 and all(map(is_message, value.values()))
    told = {pointer: value} if has_answers(value) else {}
    told |= {f"{pointer}/{key}": item for key, item in value.items() if are_messages}
    for place, item in told.items():
        yield from _with_answers(item, place, around)
    # What is around messages may say who could hear them.
    heard = ("audience", "private", "public")
    known = {key: part for key, part in value.items() if depth and recipes.field_of(key) in heard}
    around = around | {key: part for key, part in known.items() if type(part) in (str, bool)}
    around |= {key: part for key, part in value.items() if depth and {*map(type, as_list(part))} == {str}}
    is_open = depth < DEEPEST and not told
    shapes = rounds.count_shapes(value) if is_open else {}
    talks = Counter(tuple(words_of(key)) for key, part in value.items() if is_open and holds_messages(part))
    yield from _thought_of(value, pointer, around) if depth and talks else ()
    is_alone = bool(talks or around.get(rounds.LEVELS))
    for key, whole in value.items() if is_open else ():
        kind = kind_of_type(key)
        part = by_player(SPEECH, whole) if depth and talks and is_hidden(key) else whole
        place = f"{pointer}/{key}"
        # The only key of an object says what the file is ("mafia"), not who could hear what is in it.
        phase = key if is_hidden(key) and (depth or len(value) > 1) else _named_beside(key, part, talks)
        inside = around | ({"phase": phase} if phase else {}) | rounds.of_key(key, pointer, shapes, around)
        is_cast = kind == VOTE and (depth or not (key == "votes" and are_native(part)))
        if part is not whole:
            yield from rows_of(part, place, inside)
        elif is_cast and (votes := list(votes_of(part, place, around))):
            yield from votes
        elif depth and is_alone and kind == SPEECH and is_message(part) and not has_answers(part):
            # One message alone beside others, or in a round: last words.
            yield from rows_of([part], place, inside)
        elif type(part) is dict and not is_about(key):
            yield from within(part, place, inside, depth + 1)
        elif depth and kind == OUT and are_objects(part) and not holds_lists(part[0]):
            yield from rows_of(part, place, around | {"type": kind})
        elif type(part) is list:
            yield from of_list(key, part, place, inside, depth)


def _thought_of(value: dict[str, Any], pointer: str, around: dict[str, Any]) -> Iterator[rounds.Row]:
    """What a player thought, beside the messages that they saw: {"agent": "Ann", "thought": ..., "seen": [...]}."""
    plain = {key: part for key, part in value.items() if type(part) in (str, int)}
    fields = recipes.suggest_fields(list(plain))
    if recipes.PLAYER in fields and "thought" in fields and recipes.TEXT not in fields:
        yield pointer, around | plain


def of_list(
    key: str, part: list[Any], place: str, inside: dict[str, Any], depth: int
) -> Iterator[rounds.Row]:
    """The messages of a list, or those in the objects of a list of rounds, days or phases."""
    if holds_messages(part):
        yield from rows_of(part, place, inside)
    elif are_objects(part) and not is_about(key):
        new = without_repeated(part)
        # The last state holds all messages; where each names its round, what is new in it is of this round.
        is_state = are_states(part) and (are_states(new) or not all(map(rounds.names_round, part)))
        # What a step repeats of the steps before does not begin a round.
        is_step = new is not part and not all(map(rounds.names_round, part))
        part = part if is_state else new
        for index in range(len(part) - 1 if is_state else 0, len(part)):
            has_id = game_id(part[index]) is not None
            own = inside if is_state or is_step else rounds.of_item(part[index], index, inside, has_id=has_id)
            yield from within(part[index], f"{place}/{index}", own, depth + 1)


def _named_beside(key: str, part: Any, talks: Counter[tuple[str, ...]]) -> str:
    """What messages are called beside other lists, counted by words in `talks`, unless it says that all heard them."""
    is_beside = talks.total() > holds_messages(part)
    if not is_beside or not any(map(holds_messages, (part, *as_object(part).values()))):
        return ""
    words = words_of(key)
    if rounds.is_series(key) and len(talks) == 1 and tuple(words) in talks:
        return ""
    name = " ".join(word for word in words if word not in OF_LISTS) or key
    return "" if kind_of_type(name) in (SPEECH, VOTE, OUT) else name


def rows_of(items: list[Any], pointer: str, around: dict[str, Any]) -> Iterator[rounds.Row]:
    for index, item in enumerate(items):
        for said in split_pair(item):
            yield from _with_answers(said if type(said) is dict else {"": said}, f"{pointer}/{index}", around)


def _with_answers(values: dict[str, Any], pointer: str, around: dict[str, Any]) -> Iterator[rounds.Row]:
    """A row, and the answers to it that stand in it, each followed by its own."""
    # A message in a hidden list is hidden, whatever it calls its own phase.
    hidden = {"phase": around["phase"]} if rounds.hides(around) else {}
    kept = {rounds.LEVELS: around.get(rounds.LEVELS, ())} | hidden
    row = {key: part for key, part in around.items() if key not in values} | values | kept
    yield pointer, row
    is_event = not any(part and recipes.field_of(key) == recipes.TEXT for key, part in values.items())
    for key, part in values.items():
        if type(part) is list and _are_answers(key, values):
            yield from rows_of(part, f"{pointer}/{key}", around)
        elif is_event and type(part) is dict and (is_talk(key) or kind_of_type(key) == VOTE):
            yield from _of_players(key, part, f"{pointer}/{key}", row)


def _of_players(key: str, part: dict[str, Any], place: str, event: dict[str, Any]) -> Iterator[rounds.Row]:
    """What each player says in an event, or for whom each votes: {"type": "vote", "votes": {"Ann": "Bea"}}."""
    # Other objects by player say nothing of one of them.
    plain = {name: one for name, one in event.items() if not part.keys() & as_object(one).keys()}
    if kind_of_type(key) == VOTE:
        named = {"type": VOTE} if "type" not in recipes.suggest_fields(list(plain)) else {}
        yield from ((place, plain | named | {"voter": own, "target": to}) for own, to in casts_of(part))
    for one in as_list(by_player(key, part)):
        yield f"{place}/{one[recipes.PLAYER]}", plain | one


def _are_answers(key: str, values: dict[str, Any]) -> bool:
    """Whether a list in a message holds messages with the same keys, as answers have."""
    part = values[key]
    is_alike = holds_messages(part) and type(part[0]) is dict and len(values) - len(part[0]) in (0, 1)
    return is_alike and part[0].keys() ^ values.keys() <= {key}


def has_answers(value: Any) -> bool:
    return any(type(part) is list and _are_answers(key, value) for key, part in as_object(value).items())


def is_about(key: str) -> bool:
    """Whether the values under a key are about the game or its players, and no part of the talk."""
    return key.casefold() in _ABOUT


def holds_messages(part: Any) -> bool:
    first = [said for item in part[:3] for said in split_pair(item)] if type(part) is list else []
    return any(map(is_message, first)) and not any(map(is_chat_message, first))


def has_talk(rows: Iterable[rounds.Row]) -> bool:
    return any(map(is_told, rows))


def is_told(row: rounds.Row) -> bool:
    """Whether a row is no vote and no elimination."""
    return "voter" not in row[1] and kind_of_type(str(row[1].get("type", ""))) not in (VOTE, OUT)


def name_games(values: Iterable[dict[str, Any]]) -> bool:
    """Whether objects say of which game they are, and are of several."""
    named = (part for value in values for key, part in value.items() if recipes.field_of(key) == "game")
    return len({part for part in named if type(part) in (str, int)}) > 1


def are_states(values: list[Any], depth: int = 0) -> bool:
    """Whether each of several values repeats the messages of the one before, and none has others under another key."""
    kinds = {type(value) for value in values}
    if depth == 0 and kinds == {dict} and name_games(values):
        return False
    if kinds == {list}:
        # Two games may begin alike, but three lengths of one talk are its states.
        return len({*map(len, values)}) > 2 and _grow(values) and _hold_talk(values)
    columns = list(_columns_of(values).values()) if kinds == {dict} and depth < DEEPEST else []
    lists = [column for column in columns if all(type(part) is list for part in column)]
    is_other = any(_hold_talk(column) and not _grow(column) for column in lists)
    return not is_other and any(are_states(column, depth + 1) for column in columns)


def _columns_of(values: Iterable[dict[str, Any]]) -> dict[str, list[Any]]:
    """The lists and objects under each key of several objects; an empty one where it is missing."""
    kinds = {key: type(part) for value in values for key, part in value.items() if type(part) in (list, dict)}
    return {key: [value.get(key, kind()) for value in values] for key, kind in kinds.items()}


def _grow(lists: list[list[Any]]) -> bool:
    return all(later[: len(own)] == own for own, later in pairwise(lists))


def _hold_talk(lists: list[list[Any]]) -> bool:
    return any(is_message(item) or is_chat_message(item) for own in lists for item in own[:3])


def repeat_turns(values: list[Any]) -> bool:
    """Whether lists in several objects begin with the last messages of the object before: turns of one game."""
    return are_objects(values) and not name_games(values) and without_repeated(values) is not values


def may_repeat_turns(values: list[Any]) -> bool:
    """The same where nobody can tell which messages are repeated, and which were said again, by round or id."""
    if any(rounds.names_round(part) or game_id(part) is not None for part in map(as_object, values)):
        return False
    lists = _lists_of(values) if are_objects(values) else {}
    return any(rounds.go_on(own, rounds.count_repeated(own)) and _hold_talk(own) for own in lists.values())


def _lists_of(values: list[dict[str, Any]]) -> dict[str, list[list[Any]]]:
    """The lists of each key under which several objects have nothing else."""
    return {key: column for key, column in _columns_of(values).items() if {*map(type, column)} == {list}}


def without_repeated(values: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Several objects, each with only what is new in its lists that repeat those before, and is in none beside them."""
    columns = _lists_of(values)
    repeated = {key: rounds.count_repeated(column) for key, column in columns.items()}
    lists = {
        key: column
        for key, column in columns.items()
        if are_states(column, 1) or (rounds.are_windows(column, repeated[key]) and _hold_talk(column))
    }
    if not lists:
        return values
    new = {key: [one[at:] for one, at in zip(own, repeated[key], strict=True)] for key, own in lists.items()}
    found = []
    for index, value in enumerate(values):
        beside = [item for key, part in value.items() if key not in lists for item in as_list(part)]
        said = set(map(_author_and_text, filter(is_message, beside)))
        kept = {
            key: [item for item in parts[index] if not is_message(item) or _author_and_text(item) not in said]
            for key, parts in new.items()
        }
        found.append(value | kept)
    return found


def _author_and_text(item: dict[str, Any]) -> tuple[str, ...]:
    cells = flattened(item)
    fields = recipes.suggest_fields(list(cells))
    return tuple(as_text(cells[fields[field].partition(recipes.OR)[0]]) for field in recipes.NEEDED)


def game_id(value: dict[str, Any]) -> Any:
    parts = (value, *(as_object(value.get(key)) for key in ("metadata", "game", "info")))
    called = (key for key in value if recipes.field_of(key) == "game" and type(value[key]) in (str, int))
    return find_id(parts, *ID_KEYS, "conversationId", *called)
