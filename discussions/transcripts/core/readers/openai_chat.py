"""Chats as lists of `{"role", "name", "content"}`, bare or under `messages`, and what says the same in other words.

These are LangChain, OpenAI's Agents SDK, AutoGen, A2A, CrewAI and ATIF; docs/transcripts.md says what is read of each.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from discussions.transcripts.core.audience import (
    IGNORE,
    LEAST_SPACES,
    PRIVATE,
    SPEECH,
    THOUGHT,
    distinct,
    kind_of_flag,
    kind_of_type,
    looks_like_audience,
)
from discussions.transcripts.core.fields import NOTHING, as_list, as_object, as_objects, read_part
from discussions.transcripts.core.notes import Notes
from discussions.transcripts.core.readers.chat_labels import find_modes, may_be_none, split_mode
from discussions.transcripts.core.readers.columns import (
    PLAYER,
    TEXT,
    MappingRecord,
    field_of,
    split_columns,
    suggest_fields,
)
from discussions.transcripts.core.readers.json_cells import are_parts
from discussions.transcripts.core.readers.json_rows import table_of_objects
from discussions.transcripts.core.readers.narration import LONGEST_TOLD, TOLD, leave_narration
from discussions.transcripts.core.readers.row_kinds import UNCLEAR, hidden_part, kind_of_phase, read_signs
from discussions.transcripts.core.readers.tables import SAMPLED
from workspace.core.strict_json import read_json
from workspace.core.words import mark

LEFT_OUT = frozenset(("system", "developer", "tool", "function"))
ROLES = LEFT_OUT | {"assistant", "user", THOUGHT}
# The types of LangChain's messages, as roles.
TYPES = {"human": "user", "ai": "assistant"} | {kind: kind for kind in LEFT_OUT}
# The roles of messages with parts: those of A2A, and "model" of Gemini.
A2A_ROLES = {"ROLE_USER": "user", "user": "user"} | dict.fromkeys(
    ("ROLE_AGENT", "agent", "model"), "assistant"
)
# The types of AutoGen's messages that are said; the others are calls of tools and events.
SAID = frozenset(("TextMessage", "MultiModalMessage", "StopMessage"))
# How the types of items end that are calls, what came of them, and the like.
_CALLS = ("_call", "_output", "_request", "_response", "_tools", "_reference")
THOUGHTS = ("reasoning_content", "reasoning", "thinking", "thought", "thoughts")
_LISTS = ("messages", "chat_history", "history", "steps", "tasks_output", "new_items")
# What tells an output of a task of CrewAI, and a line of the log of its tasks.
_OUTPUT, _TASK = {"agent", "raw", "description"}, {"agent", "task", "status", "timestamp"}
_LINE = {*_TASK, "task_name", "output"}
# The keys of a message, and the fields of further ones, that are read or say nothing of who could hear it.
_KNOWN = frozenset(
    (*THOUGHTS, "role", "type", "name", "content", "tool_calls", "function_call", "source", "status", "data")
)
_READ = (PLAYER, "audience", "phase", "private", "round", "time", "id")
# The keys of which a message has one: its content, or what becomes its content.
_HOLDS_CONTENT = frozenset(
    "content tool_calls function_call parts step_id summary data raw task raw_item".split()
)
ID_KEYS = ("game_id", "gameId", "id", "conversation_id", "custom_id", "session_id", "chat_id")
# Objects with the cost: our names of its figures, and theirs.
_COSTS = {
    "token_usage": {"inputTokens": "prompt_tokens", "outputTokens": "completion_tokens"},
    "final_metrics": {
        "totalUsd": "total_cost_usd",
        "inputTokens": "total_prompt_tokens",
        "outputTokens": "total_completion_tokens",
    },
}
CARRIED = (
    *("timestamp", "winner", "votes", "eliminations", "cost", "metadata"),
    *("playedAt", "modelBuild", "seed", "pair"),
)

# "You are Ann", "[Round 1] Bea: ...".
_ADDRESSES = re.compile(
    r"\byou(?:r|['’]re| are)\b|^\W{0,3}(?:\[[^\]\n]{1,40}\] ?)?[^\W\d_]\w{0,40} ?:",
    re.IGNORECASE | re.MULTILINE,
)

_NO_CONTENT = mark("The content should be text or a list of parts. Correct the file.")
_NO_MESSAGE = mark("A message should be an object with role and content. Correct the file.")
_NO_NAME = mark("The name of a message should be text. Correct the file.")
_NO_NAMES = mark(
    "Messages have no name: they seem to be what one model was told and what it answered. Leave out what it was told, "
    "and write the name of the player of each message."
)
_MAY_HIDE = mark('The key "{key}" may say who heard the messages. Call it "audience", or leave it out.')
_NO_PLAYER = mark('Whether "{name}" is a player is not clear. List it under "players", or name its audience.')
INSTRUCTION = mark('Messages that are no utterances of players were left out: {count} (first role "{what}").')
_UNCLEAR_CALL = mark('Beside a call of "{name}" stands another text. Write what was heard as the content.')
_UNCLEAR_NAME = mark('Names with and without "{name}" speak. Write who heard the former as their audience.')
TOOL_CALL = mark("Calls of tools were left out, of so many messages: {count}.")
ITEM = mark('Items that are no messages were left out: {count} (first type "{what}").')
PART = mark('Parts of messages that are no text were left out: {count} (first "{what}").')


def is_chat_message(value: Any) -> bool:
    if type(value) is not dict or _HOLDS_CONTENT.isdisjoint(value):
        return False
    value = with_role(value)
    if type(value.get("role")) is not str or value["role"] not in ROLES:
        return False
    return any(key in value for key in ("content", "tool_calls", "function_call"))


def with_role(value: Any) -> Any:
    """A message in other words with a role; any other value, also a row with a key for its player, as it is."""
    if type(value) is not dict:
        return value
    if type(value.get("raw_item")) is dict:
        # An item of a run of OpenAI's agents.
        return as_object(with_role(value["raw_item"])) | {"name": as_object(value.get("agent")).get("name")}
    kind, source, role = (
        found if type(found := value.get(key)) is str else "" for key in ("type", "source", "role")
    )
    if role in A2A_ROLES and type(value.get("parts")) is list:
        about = as_object(value.get("metadata"))
        name = _speaker(value) or _speaker(about) or about.get("name")
        beside = first_values(value, "round", "phase", "audience", "private", "public", "time")
        return beside | {"role": A2A_ROLES[role], "name": name, "content": value["parts"]}
    if "role" in value:
        return value
    if (step := _of_step(value, source)) or PLAYER in suggest_fields([key for key in value if key != "name"]):
        return step or value
    if kind == "reasoning" and type(value.get("summary")) is list:
        return {"role": THOUGHT, "content": value.get("content") or value["summary"]}
    if source and kind.endswith(("Message", "Event")):
        said = THOUGHT if kind_of_type(kind) == THOUGHT else "assistant" if kind in SAID else "tool"
        return value | {"role": said, "name": source}
    if kind in TYPES:
        return as_object(value.get("data")) | value | {"role": TYPES[kind]}
    return value | {"role": "tool"} if kind.endswith(_CALLS) else value


def _of_step(value: dict[str, Any], source: str) -> dict[str, Any] | None:
    """A step of ATIF, or a task of CrewAI, as a message; a task that only began has no output."""
    if source and "step_id" in value:
        role = "assistant" if source == "agent" else "system"
        return value | {"role": role, "content": value.get("message")}
    if value.keys() >= _OUTPUT or _TASK <= value.keys() <= _LINE:
        as_role = "assistant" if value.keys() & {"raw", "output"} else "tool"
        told = {"content": value.get("raw", value.get("output")), "timestamp": value.get("timestamp")}
        task = value.get("description", value.get("task"))
        return {"role": as_role, "name": value["agent"], "task": task} | told
    return None


def find_list(value: Any) -> str | None:
    """The key of an object's messages, "" for a list of them; None for other values."""
    if type(value) is dict:
        # A history of messages with a player and a text is read by the reader of turns.
        has_parts = any("parts" in entry for entry in as_objects(value.get("history")))
        lists = (key for key in _LISTS if type(value.get(key)) is list and (has_parts or key != "history"))
        return next((key for key in lists if find_list(value[key]) == ""), None)
    return "" if any(map(is_chat_message, as_list(value)[:3])) else None


def recognises(value: Any) -> bool:
    """Whether a value is one chat, by its first messages; what may be no player or hide messages is asked of rows."""
    key = find_list(value)
    named = as_objects(value[key] if key else value)[:SAMPLED] if key is not None else []
    names = [name for row in named if type(name := row.get("name")) is str and "audience" not in row]
    is_clear = not _unclear_labels(names, as_object(value).get("players")) and not _hiding_keys(named)
    return key is not None and is_clear and not _unknown_phases(named)


def to_native(value: Any, notes: Notes) -> dict[str, Any] | None:
    """The chat as a native object; None when there are no messages. Never raises."""
    wrapper = as_object(value)
    key = find_list(value)
    entries = wrapper.get(key or "messages") if wrapper else value
    if type(entries) is not list:
        return None
    prefix = f"/{key or 'messages'}" if wrapper else ""
    placed = [(f"{prefix}/{index}", entry) for index, entry in enumerate(entries)]
    # The latest message of a task of A2A need not be in its history.
    latest = as_object(as_object(wrapper.get("status")).get("message"))
    if type(latest.get("parts")) is list and latest not in entries:
        placed.append(("/status/message", latest))
    for phase in _unknown_phases(entries):
        notes.fault("unknown_audience", "", _MAY_HIDE, key=phase[:60])
    return convert(wrapper, placed, notes)


def convert(wrapper: dict[str, Any], entries: Iterable[tuple[str, Any]], notes: Notes) -> dict[str, Any]:
    """The chat of these messages, each with its place, and of what stands around them."""
    own_name = as_object(wrapper.get("agent")).get("name")
    rows: list[tuple[str, dict[str, Any]]] = []
    entries = list(_without_prompts(list(entries)))
    speaks_by_calls = any(kind == SPEECH for _place, entry in entries for kind, _name, _text in _told(entry))
    # Thoughts without an author are those of the one who speaks next.
    waiting: list[dict[str, Any]] = []
    for pointer, entry in entries:
        message = _message(entry, pointer, notes, speaks_by_calls=speaks_by_calls)
        if message is None:
            told = as_object(entry).get("content")
            rows += [(pointer, {TOLD: told})] if type(told) is str and len(told) <= LONGEST_TOLD else []
            continue
        rows.append((pointer, message))
        if message["playerName"] == "assistant" and type(own_name) is str and own_name.strip():
            message["playerName"] = own_name.strip()
        if message["playerName"] == THOUGHT:
            waiting.append(message)
            continue
        if message["playerName"] != "user":
            for thought in waiting:
                thought["playerName"] = message["playerName"]
            waiting.clear()
    listed = [as_object(player).get("name", player) for player in _with_facts([], wrapper)]
    rows = leave_narration(rows, [name for name in listed if type(name) is str], notes)
    messages = [message for _place, message in rows]
    for number, (pointer, _row) in enumerate(rows):
        notes.translate(f"/messages/{number}", pointer)
    names = dict.fromkeys(message["playerName"] for message in messages)
    called = _split_names(messages, [name for name in names if name != THOUGHT], notes)
    _note_unclear(wrapper, [entry for _place, entry in entries], messages, notes)
    facts = {"gameId": game_id(wrapper, notes), "players": _with_facts(called, wrapper), "messages": messages}
    return _carried(wrapper) | facts


def _without_prompts(entries: list[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """The messages; what a user without a name says once to all, before several named players, is an instruction."""
    said = [as_object(with_role(entry)) for _place, entry in entries]
    names = {str(one["name"]) for one in said if one.get("name")}
    first = next((at for at, one in enumerate(said) if one.get("name")), 0)
    bare = [at for at, one in enumerate(said) if one.get("role") in ("user", "human") and not one.get("name")]
    told = [at for at in bare if not _is_of_tools(said[at])]
    is_led = len(names) > 1 and not any(
        at > first or _ADDRESSES.search(str(said[at].get("content"))) for at in told
    )
    for at, (place, entry) in enumerate(entries):
        yield place, {**entry, "role": "system"} if is_led and at in told else entry


def _is_of_tools(entry: Any) -> bool:
    """Whether a message holds nothing but calls of tools, or what came of them."""
    parts = as_list(as_object(entry).get("content"))
    return bool(parts) and all("tool" in read_part(part)[0] for part in parts)


def _note_unclear(wrapper: dict[str, Any], entries: list[Any], messages: list[Any], notes: Notes) -> None:
    """Note faults where it is not clear who spoke, or who could hear it."""
    names = {message["playerName"] for message in messages} - {THOUGHT}
    told = [str(message["message"]) for message in messages if message["playerName"] == "user"]
    roles = [as_object(entry).get("role") for entry in entries]
    is_instructed = names <= {"user", "assistant"} and ("system" in roles or "developer" in roles)
    # What tells a model what to do comes again and again, or addresses it.
    is_context = is_instructed or len(told) > 1 or any(map(_ADDRESSES.search, told))
    is_monologue = names == {"assistant"} and len(messages) > 1
    if is_monologue or (told and len(names) > 1 and is_context):
        notes.fault("no_names", "", _NO_NAMES)
    for key in _hiding_keys(entries):
        notes.fault("unknown_audience", "", _MAY_HIDE, key=key[:60])
    heard = [message["playerName"] for message in messages if message["audience"] is None]
    for name in _unclear_labels(heard, wrapper.get("players")):
        notes.fault("unclear_name", "", _NO_PLAYER, name=name[:60])


def _hiding_keys(messages: list[Any]) -> list[str]:
    """The keys of messages with names that may say who could hear them, beside those that are read."""
    said = [with_role(message) for message in as_objects(messages)]
    rows = [
        {
            key: part
            for key, part in message.items()
            if not (key in _KNOWN or are_parts(part))
            and (field_of(key) not in _READ or type(part) is dict or as_objects(part))
        }
        | first_values(message, "round", "audience")
        | {PLAYER: _speaker(message) or message.get("name") or message.get("role")}
        | {TEXT: str(message.get("content") or "")}
        for message in said
        if str(message.get("role")) not in LEFT_OUT
    ]
    if all(row.keys() <= {PLAYER, TEXT, "round"} for row in rows):
        return []
    table = table_of_objects(list(enumerate(rows)), "/{}".format)
    known = {field: field for field in (PLAYER, TEXT, "round", "audience")}
    signs = read_signs(table, MappingRecord(table.columns, known))
    unsaid = [field for field in signs.told_all if not all(row.get(field) for row in rows if row[TEXT])]
    unclear = [field for field in signs.at if field.startswith(UNCLEAR)]
    return [field.removeprefix(UNCLEAR) for field in dict.fromkeys((*unclear, *unsaid))]


def _unknown_phases(messages: list[Any]) -> list[str]:
    """The phases and channels of which nothing is known, and the keys of channels that not all messages have."""
    said = [one for one in map(with_role, as_objects(messages)) if str(one.get("role")) not in LEFT_OUT]
    keys = dict.fromkeys(key for message in said for key in message if field_of(key) == "phase")
    unknown: list[str] = []
    for key in keys:
        phases = distinct(str(message.get(key) or "") for message in said if message.get("content"))
        # A channel is no round: of its "2" nothing is known.
        kind_of = kind_of_type if looks_like_audience(key) else kind_of_phase
        kinds = {phase: kind_of(phase) or hidden_part({"phase": phase}) for phase in phases}
        is_told = kind_of is kind_of_type and SPEECH in kinds.values()
        unknown += [phase or key for phase, kind in kinds.items() if not kind and (phase or is_told)]
    return unknown


def _unclear_labels(names: list[str], players: Any) -> list[str]:
    """The names that may be no players, such as Wolves, unless the chat lists them."""
    listed = {str(as_object(player).get("name", player)) for player in as_list(players)}
    modes = find_modes(names)
    called = dict.fromkeys(split_mode(name, modes)[0] for name in names)
    return [name for name in called if name not in (THOUGHT, *listed) and may_be_none(name)]


def _split_names(messages: list[Any], names: list[str], notes: Notes) -> list[str]:
    """The names without what says who heard their messages, which these then say: "Ann" and "Ann (thinks)"."""
    modes = find_modes(names)
    for message in messages if modes else ():
        message["playerName"], mode = split_mode(message["playerName"], modes)
        kind = kind_of_type(mode)
        if kind in (THOUGHT, PRIVATE):
            message["audience"] = "nobody" if kind == THOUGHT else {"channel": mode}
        elif mode:
            notes.fault("unclear_name", "", _UNCLEAR_NAME, name=mode)
    return list(dict.fromkeys(split_mode(name, modes)[0] for name in names))


def _content_text(content: Any, pointer: str, notes: Notes, thoughts: list[str]) -> str | None:
    """The text of a message's content or of its text parts, without its `thoughts`; other parts are counted."""
    if content is None or type(content) is str:
        return content
    if type(content) is not list:
        notes.fault("wrong_type", pointer, _NO_CONTENT)
        return None
    texts: list[str] = []
    for part in content:
        kind, text, is_thought = read_part(part)
        if text is None:
            notes.warn("part_left_out", pointer, kind, says=PART)
        else:
            (thoughts if is_thought else texts).append(text)
    return "\n".join(texts)


def _with_facts(names: list[str], wrapper: dict[str, Any]) -> list[Any]:
    """The list `players` at the top or in the metadata; else those of the names, with what the metadata say of each."""
    facts = as_object(wrapper.get("metadata"))
    listed = wrapper.get("players")
    roles, personalities = as_object(facts.get("roles")), as_object(facts.get("personalities"))
    return as_list(facts.get("players") if listed is None else listed) or [
        {"name": name, "role": roles.get(name), "personality": personalities.get(name)} for name in names
    ]


def calls_of(entry: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    content = as_objects(as_object(entry).get("content"))
    calls = [call.get("function") for call in as_objects(as_object(entry).get("tool_calls"))]
    calls += [as_object(entry).get("function_call"), *(part for part in content if "input" in part)]
    for call in map(as_object, calls):
        given = call.get("arguments", call.get("input"))
        args = read_json(given.encode()).value if type(given) is str else given
        yield str(call.get("name", "")), as_object(args)


def _told(entry: Any) -> Iterator[tuple[str, str, str]]:
    """The sentences in the arguments of a message's calls, each with what the call is, one of KINDS, and its name."""
    for name, given in calls_of(entry):
        is_open = not any(looks_like_audience(key) for key in given)
        for text in given.values():
            if type(text) is str and text.count(" ") >= LEAST_SPACES:
                yield kind_of_type(name) if is_open else "", name, text


def _message(
    entry: Any, pointer: str, notes: Notes, *, speaks_by_calls: bool = False
) -> dict[str, Any] | None:
    """One message; None if left out or faulty. Beside calls is a thought where it `speaks_by_calls` ("say")."""
    kind = entry.get("type") if type(entry) is dict and "role" not in entry else None
    entry = with_role(entry)
    if type(entry) is not dict or type(entry.get("role")) is not str:
        notes.fault("wrong_type", pointer, _NO_MESSAGE)
        return None
    if entry["role"] in LEFT_OUT:
        is_item = type(kind) is str and kind not in TYPES
        code, says = ("item_left_out", ITEM) if is_item else ("instruction_left_out", INSTRUCTION)
        told = entry.get("source", entry["role"]) if "step_id" in entry else entry["role"]
        notes.warn(code, pointer, kind if is_item else told, says=says)
        return None
    thoughts = [entry[key] for key in THOUGHTS if type(entry.get(key)) is str and entry[key]]
    is_call = entry.get("tool_calls") or entry.get("function_call")
    if is_call and not any(kind == SPEECH for kind, _name, _text in _told(entry)):
        notes.warn("tool_call_left_out", pointer, says=TOOL_CALL)
        if not entry.get("content") and not thoughts:
            return None
    name = entry.get("name")
    if name is not None and type(name) is not str:
        notes.fault("wrong_type", f"{pointer}/name", _NO_NAME)
        return None
    text = _content_text(entry.get("content"), f"{pointer}/content", notes, thoughts)
    if _is_of_tools(entry) and not speaks_by_calls:
        return None
    text = _spoken(entry, text, pointer, notes, thoughts, speaks_by_calls=speaks_by_calls)
    thought, audience = "\n".join(thoughts), _audience(entry)
    if entry["role"] == THOUGHT or (thought and not text):
        text, thought, audience = "\n".join(filter(None, (text, thought))), "", "nobody"
    round_number = entry.get("round", entry.get("round_number"))
    return {
        "playerName": _speaker(entry) or (name or "").strip() or entry["role"],
        "message": text,
        "roundNumber": round_number if type(round_number) is int else None,
        "timestamp": entry.get("timestamp"),
        "audience": audience,
        "reasoning": thought or None,
    }


def _spoken(
    entry: dict[str, Any],
    text: str | None,
    pointer: str,
    notes: Notes,
    thoughts: list[str],
    *,
    speaks_by_calls: bool,
) -> str | None:
    """What a message says aloud: its text, or where models speak by calls, the text of its call."""
    told = list(_told(entry))
    if speaks_by_calls and entry["role"] == "assistant":
        thoughts += [text] if text else []
        return "\n".join(said for kind, _name, said in told if kind == SPEECH)
    if text and (unclear := next((name for kind, name, _said in told if kind in ("", IGNORE)), "")):
        notes.fault("unclear_call", pointer, _UNCLEAR_CALL, name=unclear)
    return text


def _audience(entry: dict[str, Any]) -> Any:
    """Who could hear a message, where a key says so; None for everybody."""
    given = first_values(entry, "audience", "phase", "private")
    phase = given.get("phase")
    kind = kind_of_type(phase) if type(phase) is str else ""
    hidden = "nobody" if kind == THOUGHT else {"channel": phase} if kind == PRIVATE else None
    # A name or a room there is no flag, and hides the message, too.
    is_private = kind_of_flag(str(given.get("private") or False), is_private=True) != SPEECH
    return given.get("audience", hidden or ({"channel": "private"} if is_private else None))


def first_values(entry: dict[str, Any], *wanted: str) -> dict[str, Any]:
    """Field -> the first value of an object under a key with a known name."""
    keys = [key for key, value in entry.items() if value is not None]
    fields = suggest_fields(keys)
    return {field: entry[split_columns(fields[field], keys)[0]] for field in wanted if field in fields}


def _speaker(entry: dict[str, Any]) -> str:
    """The player that a key such as "speaker" names; "" without one. The name may be that of a model."""
    said = {key: value.strip() for key, value in entry.items() if type(value) is str and key != "name"}
    return said.get(suggest_fields([key for key in said if said[key]]).get(PLAYER, "role_name"), "")


def game_id(wrapper: dict[str, Any], notes: Notes) -> Any:
    own = find_id([wrapper], *ID_KEYS)
    if own is not None:
        return own
    where = notes.pointer.rsplit("/", 1)[-1].removeprefix("line ")
    return f"{notes.source}-{where}" if where.isdecimal() else notes.source


def find_id(parts: Iterable[dict[str, Any]], *keys: str) -> Any:
    """The first value under one of the keys in one of the objects; None without one."""
    return next((part[key] for part in parts for key in keys if part.get(key) not in NOTHING), None)


def _carried(wrapper: dict[str, Any]) -> dict[str, Any]:
    """The native keys of the wrapper. From the metadata, the final metrics and the usage, only the cost is used."""
    carried = {key: wrapper[key] for key in CARRIED if key in wrapper and key != "metadata"}
    metadata = as_object(wrapper.get("metadata"))
    given = {key: names for key, names in _COSTS.items() if type(wrapper.get(key)) is dict}
    for key, names in reversed(given.items()):
        carried = {"cost": {ours: wrapper[key].get(theirs) for ours, theirs in names.items()}} | carried
    return carried | {"cost": metadata["cost"]} if "cost" in metadata else carried
