"""Chats as lists of `{"role", "name", "content"}`, bare or under `messages`.

The speaker is taken from a key such as `speaker` or `player`, else from the name, else from the role.

LangChain and LangGraph write `type` instead of `role`, and may put the rest under `data`.
"""

from typing import Any

from discussions.transcripts.core.notes import Notes
from discussions.transcripts.core.readers.columns import PLAYER, suggest_fields
from workspace.core.words import mark_many, say

LEFT_OUT = frozenset(("system", "developer", "tool", "function"))
ROLES = LEFT_OUT | {"assistant", "user"}
# The types of LangChain's messages, as roles.
TYPES = {"human": "user", "ai": "assistant"} | {kind: kind for kind in LEFT_OUT}
ID_KEYS = ("game_id", "gameId", "id", "conversation_id", "custom_id")
CARRIED = ("timestamp", "winner", "votes", "eliminations", "cost", "metadata")

INSTRUCTION = mark_many(
    'One message is no utterance of a player (role "{what}") and was left out.',
    '{count} messages are no utterances of players (the first has the role "{what}") and were left out.',
)
TOOL_CALL = mark_many(
    "One message calls tools; the calls were left out.",
    "{count} messages call tools; the calls were left out.",
)
PART = mark_many(
    'One part of a message is no text ("{what}") and was left out.',
    '{count} parts of messages are no text (such as "{what}") and were left out.',
)


def is_chat_message(value: Any) -> bool:
    """Whether a JSON value is one message of a chat."""
    value = _with_role(value)
    if type(value) is not dict or type(value.get("role")) is not str or value["role"] not in ROLES:
        return False
    return any(key in value for key in ("content", "tool_calls", "function_call"))


def _with_role(value: Any) -> Any:
    """Convert a message of LangChain to one with a role; return any other value unchanged.

    LangChain names the speaker under `name` only, so an object with another key for the player is a row.
    """
    if type(value) is not dict or "role" in value or type(value.get("type")) is not str:
        return value
    if value["type"] not in TYPES or PLAYER in suggest_fields([key for key in value if key != "name"]):
        return value
    data = value["data"] if type(value.get("data")) is dict else {}
    return data | value | {"role": TYPES[value["type"]]}


def recognises(value: Any) -> bool:
    """Whether a JSON value is one chat: recognised by its first message."""
    messages = value.get("messages") if type(value) is dict else value
    return type(messages) is list and bool(messages) and any(map(is_chat_message, messages[:3]))


def to_native(value: Any, notes: Notes) -> dict[str, Any] | None:
    """The chat as a native object; None with a fault when there are no messages. Never raises."""
    wrapper = value if type(value) is dict else {}
    entries = wrapper.get("messages") if wrapper else value
    if type(entries) is not list:
        notes.fault(
            "shape", "", say("A chat should be a list of messages with role and content. Correct the file.")
        )
        return None
    prefix = "/messages" if wrapper else ""
    messages: list[Any] = []
    names: dict[str, None] = {}
    for index, entry in enumerate(entries):
        message = _message(entry, f"{prefix}/{index}", notes)
        if message is not None:
            notes.translate(f"/messages/{len(messages)}", f"{prefix}/{index}")
            messages.append(message)
            names.setdefault(message["playerName"])
    return _carried(wrapper) | {
        "gameId": _game_id(wrapper, notes),
        "players": with_facts(list(names), wrapper.get("players"), wrapper.get("metadata")),
        "messages": messages,
    }


def content_text(content: Any, pointer: str, notes: Notes) -> str | None:
    """The text of a message's content: text, or the text parts of a list. Other parts are counted."""
    if content is None or type(content) is str:
        return content
    if type(content) is not list:
        notes.fault(
            "wrong_type", pointer, say("The content should be text or a list of parts. Correct the file.")
        )
        return None
    texts = []
    for part in content:
        text = part if type(part) is str else part.get("text") if type(part) is dict else None
        if type(text) is str:
            texts.append(text)
        else:
            kind = part.get("type") if type(part) is dict else None
            notes.warn("part_left_out", pointer, kind if type(kind) is str else "unknown", says=PART)
    return "\n".join(texts)


def with_facts(names: list[str], players: Any, metadata: Any) -> list[Any]:
    """The players by name, with roles and personalities of a list `players`, or of `roles` and `personalities`.

    The list may stand at the top or in the metadata, as may the two objects of name -> text in the metadata.
    """
    facts = metadata if type(metadata) is dict else {}
    listed = players if players is not None else facts.get("players")
    if type(listed) is list and listed:
        return listed
    roles, personalities = facts.get("roles"), facts.get("personalities")
    return [
        {
            "name": name,
            "role": roles.get(name) if type(roles) is dict else None,
            "personality": personalities.get(name) if type(personalities) is dict else None,
        }
        for name in names
    ]


def _message(entry: Any, pointer: str, notes: Notes) -> dict[str, Any] | None:
    """One message; None when it is left out (noted) or faulty."""
    entry = _with_role(entry)
    if type(entry) is not dict or type(entry.get("role")) is not str:
        sentence = say("A message should be an object with role and content. Correct the file.")
        notes.fault("wrong_type", pointer, sentence)
        return None
    if entry["role"] in LEFT_OUT:
        notes.warn("instruction_left_out", pointer, entry["role"], says=INSTRUCTION)
        return None
    if entry.get("tool_calls") or entry.get("function_call"):
        notes.warn("tool_call_left_out", pointer, says=TOOL_CALL)
        if not entry.get("content"):
            return None
    name = entry.get("name")
    if name is not None and type(name) is not str:
        notes.fault(
            "wrong_type", f"{pointer}/name", say("The name of a message should be text. Correct the file.")
        )
        return None
    text = content_text(entry.get("content"), f"{pointer}/content", notes)
    round_number = entry.get("round", entry.get("round_number"))
    return {
        "playerName": _speaker(entry) or (name or "").strip() or entry["role"],
        "message": text,
        "roundNumber": round_number if type(round_number) is int else None,
        "timestamp": entry.get("timestamp"),
    }


def _speaker(entry: dict[str, Any]) -> str:
    """The player that a key such as "speaker" names; "" without one. The name may be that of a model."""
    said = {key: value.strip() for key, value in entry.items() if type(value) is str and key != "name"}
    return said.get(suggest_fields([key for key, value in said.items() if value]).get(PLAYER, ""), "")


def _game_id(wrapper: dict[str, Any], notes: Notes) -> Any:
    for key in ID_KEYS:
        if wrapper.get(key) not in (None, ""):
            return wrapper[key]
    where = notes.pointer.rsplit("/", 1)[-1].removeprefix("line ")
    return f"{notes.source}-{where}" if where.isdecimal() else notes.source


def _carried(wrapper: dict[str, Any]) -> dict[str, Any]:
    """The native keys of the wrapper. From the metadata, only the cost is used."""
    carried = {key: wrapper[key] for key in CARRIED if key in wrapper}
    metadata = carried.pop("metadata", None)
    if type(metadata) is dict and "cost" in metadata and "cost" not in carried:
        carried["cost"] = metadata["cost"]
    return carried
