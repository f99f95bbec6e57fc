"""The rubric's own transcript format: a JSON object with `gameId players messages votes`, or a list of them."""

import re
from functools import cached_property
from itertools import chain
from typing import Any

from discussions.core.records import Elimination, GameRecord, Message, PrivateEntry, Vote
from discussions.transcripts.core.audience import (
    SPEECH,
    THOUGHT,
    as_names,
    is_hidden,
    kind_of_audience,
    may_hide,
    split_names,
    tells_apart,
)
from discussions.transcripts.core.fields import (
    NOTHING,
    are_ours,
    as_list,
    as_object,
    as_objects,
    keys,
    known_keys,
    note_invisible,
    parallel_lists,
    read_entries,
    read_list,
    read_object,
    read_text,
    read_time,
    read_whole_number,
    snake_to_camel,
    too_long,
    wrong_type,
)
from discussions.transcripts.core.native_parts import RoleMap, read_cost, read_players, resolve
from discussions.transcripts.core.notes import Limits, Notes
from discussions.transcripts.core.notices import split_notice
from discussions.transcripts.core.readers.column_guesses import column_of, find_kind
from discussions.transcripts.core.readers.columns import PLAYER, field_of, has_needed, suggest_fields
from discussions.transcripts.core.thoughts import RAW, may_think, split_answer, split_thoughts
from workspace.core.words import mark, say

GAME_KEYS = keys(
    "gameId id=gameId timestamp playedAt metadata players messages votes source eliminations prompt cost winner "
    "modelBuild seed pair"
)
MESSAGE_KEYS = keys(
    "turn roundNumber round=roundNumber playerName player=playerName message text=message timestamp inReplyToId "
    "inReplyToPlayer id messageId=id audience reasoning"
)
VOTE_KEYS = keys(
    "roundNumber round=roundNumber voterName voter=voterName targetName target=targetName justification "
    "reason=justification timestamp reasoning"
)
ELIMINATION_KEYS = keys(
    "roundNumber round=roundNumber playerName player=playerName how reason=how method=how cause=how type=how"
)
# A file with more than one empty message in this many is refused: it was exported wrongly.
EMPTY_MESSAGES_IN = 10
# How many characters the builds of all models of a game may have together.
MOST_BUILDS = 1000
_NO_MESSAGES = mark("The game has no messages, so there is nothing to measure. Add them, or remove it.")
_NO_OBJECT = mark("A game should be a JSON object with the keys gameId, players and messages. Correct it.")
_NO_ID = mark("The game has no gameId. Give it one that no other game has.")
_NO_TEXT = mark("The message has no text. Write what was said, or take the message out.")
_NO_ROUND = mark("The entry names no round. Give its roundNumber, or take the entry out.")
_UNKNOWN = mark('"{shown}" is not among the players of this game. {remedy}')
_MEANT = mark('Did you mean "{hint}"?')
_UNCLEAR = mark('Who could hear the message is not clear: "{said}". Write "all", "nobody" or names.')
_MAY_HIDE = mark('The key "{key}" may say who heard the messages. Call it "audience", or name no format.')
_PAIRS = (r'""', "“”", "„“”", "«»", "「」", "『』")
_QUOTED = re.compile(
    "|".join(rf"{q[0]}(?:[^{q}]|(?<![^\s{q[0]}]){q[0]}[^{q}]*[{q[1:]}])+[{q[1:]}]" for q in _PAIRS)
)
_NO_PUBLIC = mark("No message was heard by all, so there is nothing to measure. Look at their audience.")


class _Found:
    """The parts of a game that are known while it is read. `entries` are its messages as they are in the file."""

    def __init__(self, numbers: dict[str, int]) -> None:
        self.numbers = numbers
        self.messages: list[Message] = []
        self.links: list[tuple[int, str, str]] = []
        self.ids: dict[str, int] = {}
        self.round = 0
        self.entries: list[Any] = []

    @cached_property
    def takes_empty(self) -> bool:
        """Whether few messages are without a text, so that these are left out."""
        unused = Notes("", "", Limits())
        entries = (known_keys(entry, MESSAGE_KEYS, "", unused) for entry in as_objects(self.entries))
        empty = sum(_is_empty(entry.get("message")) for entry in entries)
        return empty * EMPTY_MESSAGES_IN <= len(self.entries)

    @cached_property
    def is_raw(self) -> bool:
        """Whether most texts are answers of models as JSON, which nobody heard so; of a few, everybody heard it."""
        texts = [entry.get("message") for entry in as_objects(self.entries)]
        return 2 * sum(type(text) is str and text.startswith(RAW) for text in texts) > len(texts)

    @cached_property
    def is_quoted(self) -> bool:
        """Whether each of several texts that all heard stands in quotes."""
        texts = [entry.get("message") for entry in as_objects(self.entries) if entry.get("audience") is None]
        return len(texts) > 2 and all(type(text) is str and _QUOTED.fullmatch(text.strip()) for text in texts)


def has_our_keys(value: Any) -> bool:
    """Whether the first message of a value has the keys of native ones."""
    messages = value.get("messages") if type(value) is dict else None
    first = messages[0] if type(messages) is list and messages else None
    return type(first) is dict and {"playerName", "message"} <= first.keys()


def is_native(value: Any) -> bool:
    """Whether a value is a native game by its keys, however faulty; known keys that are not ours are of others."""
    if type(value) is not dict:
        return False
    found = {snake_to_camel(key) for key in value}
    messages = value["messages"] if type(value.get("messages")) is list else []
    first = messages[0] if messages else None
    # Messages under their ids are those of another format, as are players who are texts, and votes of other forms.
    # So are those of players whom the list names by the same key alone: {"seat": 3}.
    listed = as_object(next(iter(as_list(value.get("players"))), None))
    is_seated = not listed.keys().isdisjoint(as_object(first)) and PLAYER not in suggest_fields(
        list(as_object(first))
    )
    is_other = (
        is_seated
        or any(as_object(value.get("messages")).values())
        or {*map(type, as_list(value.get("players")))} == {str}
        or (first is not None and not are_votes(value.get("votes")))
    )
    if len(found & {"gameId", "players", "messages"}) < 2 or is_other or "messages" in parallel_lists(value):
        return False
    if type(first) is not dict:
        # The messages of a game may stand in its rounds, or in an object, under a key of another format.
        other = [part for key, part in value.items() if snake_to_camel(key) not in GAME_KEYS.ours]
        others = chain(other, *(as_object(part).values() for part in other))
        return "messages" in found or not any(type(part) is list and as_objects(part[:1]) for part in others)
    strange = _strange_keys(messages)
    if not ({"message", "playerName"} <= first.keys() or has_needed(suggest_fields(list(first)))):
        return not any(_may_hide(key, messages) for key in strange)
    if "players" not in found and not {"message", "playerName"} <= first.keys():
        return False
    ours = {MESSAGE_KEYS.spellings.get(snake_to_camel(key)) for key in first}
    has_hidden = any(
        type(part) is list and key not in GAME_KEYS.ours and is_hidden(key) for key, part in value.items()
    )
    is_known = has_hidden or any(field_of(key) or _may_hide(key, messages) for key in strange)
    return ours >= {"message", "playerName"} and not is_known and type(value.get("players")) is not dict


def are_votes(value: Any) -> bool:
    """Whether a value is a list of votes with the keys of native ones; an empty value counts as one."""
    first = value[0] if type(value) is list and value else value
    named = {VOTE_KEYS.spellings.get(snake_to_camel(key)) for key in as_object(first)}
    return not value or {"voterName", "targetName"} <= named


def _strange_keys(messages: list[Any]) -> list[str]:
    """The keys of messages that are not ours, in order."""
    if are_ours(messages, MESSAGE_KEYS):
        return []
    names = dict.fromkeys(chain.from_iterable(as_objects(messages)))
    return [key for key in names if MESSAGE_KEYS.spellings.get(snake_to_camel(key)) is None]


def _may_hide(key: str, messages: list[Any]) -> bool:
    if field_of(key) in ("phase", "audience", "private"):
        return True
    entries = as_objects(messages)
    fields = {field_of(name): name for name in (entries[0] if entries else ())}
    names, rounds, values = (
        column_of(name, [as_names(message.get(name)) for message in entries])
        for name in (fields.get("player", ""), fields.get("round", ""), key)
    )
    rows = zip(zip(names.all, rounds.all, strict=True), values.all, strict=True)
    is_sign = may_hide(key, map(str.casefold, values.different)) or find_kind([values], names) != ""
    return is_sign or tells_apart(row for row in rows if row[1])


def read_game(value: Any, notes: Notes, role_map: RoleMap) -> GameRecord | None:
    """The game of one native object, or None if there is a fault. The notes hold all faults. Never raises."""
    if type(value) is not dict:
        notes.fault("shape", "", _NO_OBJECT)
        return None
    limits = notes.limits
    raw = known_keys(value, GAME_KEYS, "", notes)
    game_id = (read_text(raw, "gameId", "", notes, limits.name_characters, numbers=True) or "").strip()
    if raw.get("gameId") is None or str(raw["gameId"]).isspace() or raw["gameId"] == "":
        notes.fault("no_game_id", "/gameId", _NO_ID)
    players, numbers = read_players(raw, notes, role_map)
    found = _Found(numbers)
    _read_messages(raw, found, notes)
    metadata = read_object(raw.get("metadata"), "/metadata", notes)
    record = GameRecord(
        game_id=game_id,
        players=players,
        messages=found.messages,
        votes=_read_votes(raw, found, notes),
        eliminations=_read_eliminations(raw, numbers, notes),
        cost=read_cost(raw["cost"] if "cost" in raw else metadata.get("cost"), "/metadata/cost", notes),
        timestamp=read_time(raw, "playedAt", "", notes) or read_time(raw, "timestamp", "", notes),
        prompt=_either(raw, metadata, "prompt", notes),
        winner=_either(raw, metadata, "winner", notes),
        model_build=_read_builds(raw, metadata, notes),
        seed=_read_fact(raw, metadata, "seed", notes),
        pair=_read_fact(raw, metadata, "pair", notes),
    )
    if notes.fault_count:
        return None
    resolve(found.messages, found.links, found.ids, notes)
    return record


def _either(raw: dict[str, Any], metadata: dict[str, Any], key: str, notes: Notes) -> str | None:
    at_top = read_text(raw, key, "", notes, notes.limits.message_characters)
    return at_top or read_text(metadata, key, "/metadata", notes, notes.limits.message_characters)


def _read_fact(raw: dict[str, Any], metadata: dict[str, Any], key: str, notes: Notes) -> str | None:
    """A text or number of the game. Under this key, metadata may also hold what is none."""
    if raw.get(key) in NOTHING and type(metadata.get(key)) in (str, int, float):
        return read_text(metadata, key, "/metadata", notes, notes.limits.name_characters, numbers=True)
    return read_text(raw, key, "", notes, notes.limits.name_characters, numbers=True)


def _read_builds(raw: dict[str, Any], metadata: dict[str, Any], notes: Notes) -> str | None:
    """The builds of all models, sorted: of a text, a list, or an object from player to build."""
    value = raw.get("modelBuild")
    listed = list(value.values()) if type(value) is dict else value
    if type(listed) is not list:
        return _read_fact(raw, metadata, "modelBuild", notes)
    named = {_read_fact({"modelBuild": part}, {}, "modelBuild", notes) for part in listed}
    builds = ", ".join(sorted(filter(None, named)))
    if len(builds) > MOST_BUILDS:
        too_long(notes, "/modelBuild", '"modelBuild"', len(builds), MOST_BUILDS)
    return builds or None


def _read_messages(raw: dict[str, Any], found: _Found, notes: Notes) -> None:
    entries = read_list(raw, "messages", "", notes, notes.limits.messages)
    if entries is None and raw.get("messages") is not None:
        return
    if not entries:
        notes.fault("no_messages", "/messages", _NO_MESSAGES)
        return
    found.entries = entries
    # Where a person named this format, nobody looked at the keys.
    for key in (key for key in _strange_keys(entries) if _may_hide(key, entries)):
        notes.fault("unknown_audience", "/messages", _MAY_HIDE, key=key[:60])
    before = notes.fault_count
    for pointer, fields in read_entries(raw, "messages", "", notes, notes.limits.messages, MESSAGE_KEYS):
        _read_message(fields, pointer, found, notes)
    if not found.messages and notes.fault_count == before:
        notes.fault("no_messages", "/messages", _NO_PUBLIC if notes.private else _NO_MESSAGES)
    if len(entries) == 1:
        notes.warn("one_message", "/messages")


def _is_empty(value: Any) -> bool:
    return not value or value.isspace() if type(value) is str else value is None


def _read_message(raw: dict[str, Any], pointer: str, found: _Found, notes: Notes) -> None:
    """Read a message; of an empty one only speaker and round. What not all could hear goes to the notes."""
    audience = raw.get("audience")
    if audience is not None and not _is_public(audience, raw, pointer, found, notes):
        return
    player = _player(raw, "playerName", pointer, found.numbers, notes)
    said, had_more = _spoken(raw, pointer, player, found, notes)
    if _is_empty(said) and (had_more or found.takes_empty):
        if not had_more:
            _round(raw, pointer, found, notes)
            notes.warn("empty_message", pointer)
        return
    position = len(found.messages) + 1
    turn = None if raw.get("turn") is None else read_whole_number(raw, "turn", pointer, notes)
    link = raw.get("inReplyToId")
    if link not in NOTHING and type(link) not in (str, int):
        wrong_type(notes, f"{pointer}/inReplyToId", say("a message's id or null"), link)
        link = None
    message = Message(
        position=position,
        player=player,
        text=_text(said, pointer, notes),
        round=_round(raw, pointer, found, notes),
        turn=turn,
        time=_time(raw, pointer, notes),
        has_reply_link=link not in NOTHING,
    )
    if "reasoning" in raw:
        _keep_private(raw["reasoning"], "thought", player, message.round, found, notes)
    found.messages.append(message)
    if message.has_reply_link:
        found.links.append((position, str(link), f"{pointer}/inReplyToId"))
    if type(raw.get("id")) in (str, int):
        found.ids.setdefault(str(raw["id"]), position)


def _spoken(raw: dict[str, Any], pointer: str, player: int, found: _Found, notes: Notes) -> tuple[Any, bool]:
    """What a message says without notices and thoughts, and whether it had some; thoughts are kept in the notes."""
    said, thought = raw.get("message"), ""
    if type(said) is not str:
        return said, False
    said, notice = split_notice(said, str(raw.get("playerName")))
    if notice:
        notes.warn("notice", pointer, notice)
    said = said.strip()[1:-1] if found.is_quoted and raw.get("audience") is None else said
    if said.startswith(RAW) and found.is_raw:
        said, thought = split_answer(said)
    if not thought and may_think(said):
        said, thought = split_thoughts(said)
    if thought:
        number = raw.get("roundNumber")
        notes.warn("not_public", pointer, say("nobody"))
        _keep_private(thought, "thought", player, number if type(number) is int else None, found, notes)
    return said, notice != "" or thought != ""


def _is_public(audience: Any, raw: dict[str, Any], pointer: str, found: _Found, notes: Notes) -> bool:
    """Whether everybody could hear the message; if not, it is kept in the notes."""
    is_private = type(audience) is dict
    said = as_names(audience.get("channel") if is_private else audience)
    author = raw.get("playerName")
    names = {name.casefold(): number for name, number in found.numbers.items()}
    kind = kind_of_audience(said, names, author if type(author) is str else "")
    kind = "" if is_private and kind == SPEECH else kind
    to = [names[name.casefold()] for name in split_names(said) if name.casefold() in names]
    if kind == SPEECH:
        return True
    if not kind and type(audience) not in (list, dict):
        notes.fault("unknown_audience", f"{pointer}/audience", _UNCLEAR, said=said[:60])
        return False
    notes.warn("not_public", pointer, say("some players") if to else said)
    player = found.numbers.get(str(author).strip(), 0)
    number = read_whole_number(raw, "roundNumber", pointer, notes)
    time = read_text(raw, "timestamp", pointer, notes, notes.limits.name_characters, numbers=True)
    how = "thought" if kind == THOUGHT else "talk"
    channel = "" if to or how == "thought" else said
    _keep_private(
        raw.get("message"), how, player, number, found, notes, to=to, channel=channel[:200], time=time
    )
    _keep_private(raw.get("reasoning"), "thought", player, number, found, notes)
    return False


def _keep_private(
    text: Any, kind: str, player: int, number: int | None, found: _Found, notes: Notes, **more: Any
) -> None:
    """Keep a text that not everybody could hear, unless it is none; a long one is cut, since nobody rates it."""
    if type(text) is str and not _is_empty(text):
        text = text[: notes.limits.message_characters]
        after = len(found.messages)
        entry = PrivateEntry(after=after, player=player, text=text, kind=kind, round=number, **more)
        notes.private.append(entry)


def _text(value: Any, pointer: str, notes: Notes) -> str:
    if _is_empty(value):
        notes.fault("no_text", f"{pointer}/message", _NO_TEXT)
        return ""
    if type(value) is not str:
        wrong_type(notes, f"{pointer}/message", "text", value)
        return ""
    if len(value) > (most := notes.limits.message_characters):
        too_long(notes, f"{pointer}/message", say("The message"), len(value), most)
    elif not value.isprintable():
        note_invisible(value, f"{pointer}/message", notes)
    return value


def _player(raw: dict[str, Any], key: str, pointer: str, numbers: dict[str, int], notes: Notes) -> int:
    """The number of the player named under a key; 0 after a fault."""
    name = raw.get(key)
    if type(name) is not str:
        wrong_type(notes, f"{pointer}/{key}", say("a player's name"), name)
        return 0
    number = numbers.get(name) or numbers.get(name.strip())
    # An empty roster has its own fault; another fault for every message would only hide it.
    if number is None and numbers:
        hint = next((known for known in numbers if known.casefold() == name.strip().casefold()), None)
        remedy = say(_MEANT, hint=hint) if hint else say("Add the player, or correct the name.")
        notes.fault("unknown_player", f"{pointer}/{key}", _UNKNOWN, shown=name[:60], remedy=remedy)
    return number or 0


def _round(raw: dict[str, Any], pointer: str, found: _Found, notes: Notes) -> int:
    number = raw.get("roundNumber")
    if type(number) is not int or number != found.round:
        number = read_whole_number(raw, "roundNumber", pointer, notes)
    if number is None:
        if raw.get("roundNumber") is None:
            notes.warn("no_round", pointer)
        return found.round or 1
    if number < found.round:
        notes.warn("round_goes_back", pointer)
    found.round = number
    return number


def _time(raw: dict[str, Any], pointer: str, notes: Notes) -> str | None:
    time = None if raw.get("timestamp") is None else read_time(raw, "timestamp", pointer, notes)
    if time is None:
        notes.warn("no_time", pointer)
    elif time[2:3] == ":":
        notes.warn("time_without_date", pointer, time)
    return time


def _read_votes(raw: dict[str, Any], found: _Found, notes: Notes) -> list[Vote]:
    if not raw.get("votes") or type(raw["votes"]) is not list:
        notes.warn("no_votes", "/votes")
    votes, most = [], notes.limits.message_characters
    for pointer, fields in read_entries(raw, "votes", "", notes, notes.limits.votes, VOTE_KEYS):
        voter = _player(fields, "voterName", pointer, found.numbers, notes)
        number = _needed_round(fields, pointer, notes)
        justification = read_text(fields, "justification", pointer, notes, most) or ""
        time = read_time(fields, "timestamp", pointer, notes)
        if fields.get("targetName") in NOTHING:
            notes.warn("vote_without_target", pointer)
            continue
        target = _player(fields, "targetName", pointer, found.numbers, notes)
        votes.append(Vote(round=number, voter=voter, target=target, justification=justification, time=time))
        if "reasoning" in fields:
            _keep_private(fields["reasoning"], "vote", voter, number, found, notes)
    return votes


def _needed_round(raw: dict[str, Any], pointer: str, notes: Notes) -> int:
    if raw.get("roundNumber") is None:
        notes.fault("no_round", pointer, _NO_ROUND)
    return read_whole_number(raw, "roundNumber", pointer, notes) or 0


def _read_eliminations(raw: dict[str, Any], numbers: dict[str, int], notes: Notes) -> list[Elimination]:
    eliminations = []
    most = notes.limits.players
    for pointer, fields in read_entries(raw, "eliminations", "", notes, most, ELIMINATION_KEYS):
        player = _player(fields, "playerName", pointer, numbers, notes)
        how = read_text(fields, "how", pointer, notes, notes.limits.name_characters) or ""
        eliminations.append(Elimination(round=_needed_round(fields, pointer, notes), player=player, how=how))
    return eliminations
