"""Exports of Slack (an archive, or a channel) and Discord (a channel); what is private is kept apart, notices left out.

Sources: slack.com/help/articles/220556107 and `JsonMessageWriter` of DiscordChatExporter.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from discussions.transcripts.core.audience import PRIVATE, SPEECH, THOUGHT
from discussions.transcripts.core.fields import as_list, as_moment, as_object, as_objects, read_inside
from discussions.transcripts.core.notes import Games, Limits, NativeGame, NewNotes, Notes
from discussions.transcripts.core.readers.columns import UNKNOWN_COLUMNS, Columns
from discussions.transcripts.core.readers.json_rows import table_of_objects
from discussions.transcripts.core.readers.tables import Table
from workspace.core.words import mark

# The subtypes of Slack and the types of Discord that people or programs of theirs say; others are notices.
_SAID = (None, "bot_message", "me_message", "thread_broadcast", "file_share")
_SAID_ON_DISCORD = ("Default", "Reply", "20", "23")
_USERS, _PUBLIC = ("users.json", "org_users.json"), "channels.json"
_PRIVATE = ("groups.json", "dms.json", "mpims.json")
_DAY = re.compile(r"\d{4}-\d\d-\d\d\.json", re.ASCII)
_MOMENT = re.compile(r"\d{10}\.\d{1,9}", re.ASCII)
_DIRECT = re.compile(r"D[0-9A-Z]{8,20}|mpdm-.*", re.ASCII)
_SIGN = re.compile(r"<([@#!]?)([^<>|\n]{1,2000})(?:\|([^<>\n]{0,2000}))?>")
_ESCAPES = (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"))
_SEVERAL = mark(
    "The public channels {names} all have messages. Say which of them are games under “Is this the game?” of the "
    "import."
)
# The columns of the messages of an export as rows.
CHANNEL_COLUMNS = ["game channel", "name", "text", "time"]

# A message of the export with its place, and the private channel in which it stands; "" for a public one.
_Placed = tuple[str, Any, str]


def recognises(value: Any) -> bool:
    """Whether a JSON value is a channel of Discord, or a list of messages of Slack, bare or under `messages`."""
    about = as_object(value)
    is_discord = all(type(about.get(key)) is dict for key in ("guild", "channel"))
    is_discord = is_discord and type(about.get("messages")) is list
    return is_discord or any(map(_is_slack, _listed(value)[:5]))


def recognises_files(names: Sequence[str]) -> bool:
    """Whether files are those at the top of an export of Slack; its channels are folders beside them."""
    return any(name in names for name in _USERS) and any(name in names for name in (_PUBLIC, *_PRIVATE))


def to_native(value: Any, notes: Notes) -> NativeGame:
    """The messages of one channel as a native object. Never raises."""
    about = as_object(value)
    channel = as_object(about.get("channel"))
    kind = str(channel.get("type", "")).casefold()
    hidden = str(channel.get("name")) if "direct" in kind or "private" in kind else ""
    prefix = "/messages" if about else ""
    placed = [(f"{prefix}/{index}", item, hidden) for index, item in enumerate(_listed(value))]
    return _game(placed, {}, notes)


def _in_public(rooms: dict[str, list[_Placed]]) -> list[tuple[str, Any]]:
    """What people said in public channels, each with its channel."""
    placed = ((room, *entry) for room, items in rooms.items() for entry in items)
    return [(room, item) for room, _place, item, hidden in placed if not hidden and _is_said(item)]


def read_files(files: Mapping[str, bytes], new_notes: NewNotes, columns: Columns) -> Games:
    """The games of an export: its one public channel, or those said to be some; the first has what is private."""
    # What people said of channels, whose names are case-folded there; the first recipe counts.
    recipes = [recipe for recipe in columns if not recipe.fields or [*recipe.columns] == CHANNEL_COLUMNS]
    kinds = {room: kind for recipe in reversed(recipes) for room, kind in recipe.kinds.items()}
    rooms = _workspace(files, Notes("", "", Limits()))[1]
    talked = list(dict.fromkeys(room for room, _item in _in_public(rooms)))
    is_answered = len(talked) < 2 or {room.casefold() for room in talked} <= kinds.keys()
    games = [room for room in talked if len(talked) == 1 or kinds.get(room.casefold()) == SPEECH]
    games = games if games and is_answered else [""]
    source = ""
    for own in games:
        notes = new_notes()
        source = source or notes.source
        notes.source = f"{source}-{own}" if len(games) > 1 else source
        kept = {"", own} if own != games[0] else {"", *rooms} - {*games[1:]}
        part = {path: data for path, data in files.items() if _room(path) in kept}
        users, found = _workspace(part, notes)
        if not is_answered:
            names = ", ".join(f'"{room[:60]}"' for room in talked[:20])
            notes.fault(UNKNOWN_COLUMNS, "", _SEVERAL, names=names)
            yield None, notes
            return
        placed = [
            (place, item, hidden or (room if room in talked and room != own else ""))
            for room, items in found.items()
            for place, item, hidden in items
            if room not in talked or room == own or kinds.get(room.casefold()) in (PRIVATE, THOUGHT)
        ]
        yield _game(placed, users, notes), notes


def table_of_files(files: Mapping[str, bytes]) -> Table:
    """The messages of the public channels of an export as rows; each channel is asked about. Never raises."""
    users, rooms = _workspace(files, Notes("", "", Limits()))
    said = _in_public(rooms)
    names = _names([item for _room, item in said], users)
    cells = (
        (room, names[_author(item)], _readable(item["text"], names), as_moment(item["ts"]))
        for room, item in said
        if _is_slack(item)
    )
    rows = [dict(zip(CHANNEL_COLUMNS, row, strict=True)) for row in cells]
    table = table_of_objects(list(enumerate(rows)), "/{}".format)
    return replace(table, counted=CHANNEL_COLUMNS[0], asked=dict(Counter(room for room, _item in said)))


def _workspace(files: Mapping[str, bytes], notes: Notes) -> tuple[dict[str, str], dict[str, list[_Placed]]]:
    """The names of an export's people by id, and the messages of each channel, with its name where it is private."""
    ends = {path.rpartition("/")[2]: path for path in files if not _DAY.search(path)}
    listed = [name for name in (*_USERS, _PUBLIC, *_PRIVATE) if name in ends]
    tops = {name: as_objects(read_inside(files[ends[name]], name, notes).value) for name in listed}
    people = [user for name in _USERS for user in tops.get(name, ())]
    users = {user["id"]: _called(user) for user in people if type(user.get("id")) is str}
    secret = [room for name in _PRIVATE for room in tops.get(name, ())]
    hidden = {str(room.get(key)) for room in secret for key in ("id", "name")}
    known = {str(room.get("name")) for room in tops.get(_PUBLIC, ())}
    rooms: dict[str, list[_Placed]] = {}
    for path in sorted(path for path in files if _DAY.fullmatch(path.rpartition("/")[2])):
        room = _room(path)
        is_hidden = room in hidden or bool(_DIRECT.fullmatch(room)) or (_PUBLIC in tops and room not in known)
        items = enumerate(as_objects(read_inside(files[path], path, notes).value))
        placed = [(f"{path} /{index}", item, room if is_hidden else "") for index, item in items]
        rooms.setdefault(room, []).extend(placed)
    return users, rooms


def _room(path: str) -> str:
    """The channel of a file; "" for the files that are about the whole export."""
    return path.split("/")[-2] if "/" in path and _DAY.fullmatch(path.rpartition("/")[2]) else ""


def _listed(value: Any) -> list[Any]:
    return as_list(value.get("messages") if type(value) is dict else value)


def _is_slack(item: Any) -> bool:
    is_message = type(item) is dict and item.get("type") == "message"
    return is_message and type(item.get("ts")) is str and _MOMENT.fullmatch(item["ts"]) is not None


def _is_said(item: Any) -> bool:
    if _is_slack(item):
        return item.get("subtype") in _SAID and type(item.get("text")) is str
    is_known = type(item) is dict and type(item.get("author")) is dict and type(item.get("content")) is str
    return is_known and item.get("type", "Default") in _SAID_ON_DISCORD


def _called(about: Any) -> str:
    """What somebody is called in the texts: the display name, the real name, else the name of the account."""
    parts = [about, about.get("profile")] if type(about) is dict else []
    keys = ("display_name", "real_name", "nickname", "name")
    names = (part.get(key) for key in keys for part in reversed(parts) if type(part) is dict)
    return next((name.strip() for name in names if type(name) is str and name.strip()), "")


def _game(placed: list[_Placed], users: dict[str, str], notes: Notes) -> NativeGame:
    said = [entry for entry in placed if _is_said(entry[1])]
    for place, item, _hidden in placed:
        if not _is_said(item):
            about = as_object(item)
            notes.warn("notice", place, about.get("subtype") or about.get("type", ""))
    if all(_is_slack(item) for _place, item, _hidden in said):
        said.sort(key=lambda entry: (len(entry[1]["ts"].partition(".")[0]), entry[1]["ts"]))
    names = _names([item for _place, item, _hidden in said], users)
    messages: list[dict[str, Any]] = []
    for place, item, hidden in said:
        notes.translate(f"/messages/{len(messages)}", place)
        messages.append(_message(item, names) | ({"audience": {"channel": hidden}} if hidden else {}))
    players = dict.fromkeys(message["playerName"] for message in messages)
    return {"gameId": notes.source, "players": [{"name": name} for name in players], "messages": messages}


def _author(item: dict[str, Any]) -> str:
    about = item.get("author")
    found = about.get("id") if type(about) is dict else item.get("user") or item.get("bot_id")
    return str(found or item.get("username") or "")


def _names(said: list[dict[str, Any]], users: dict[str, str]) -> dict[str, str]:
    """The name of each author, by id; with the id where somebody else has the name, too."""
    found = dict(users)
    for item in said:
        profiles = (item.get("user_profile"), {"name": item.get("username")}, item.get("bot_profile"))
        name = next(filter(None, map(_called, (item.get("author"), *profiles))), "")
        if not found.get(_author(item)):
            found[_author(item)] = name or _author(item) or "?"
    authors = set(map(_author, said))
    taken = Counter(found[author].casefold() for author in authors)
    twins = [author for author in authors if taken[found[author].casefold()] > 1]
    return found | {author: f"{found[author]} ({author})" for author in twins}


def _message(item: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    if not _is_slack(item):
        answered_id = as_object(item.get("reference")).get("messageId")
        message = {"id": item.get("id"), "message": item["content"], "timestamp": item.get("timestamp")}
    else:
        own, first = item["ts"], item.get("thread_ts")
        answered_id = first if first != own else None
        message = {"id": own, "message": _readable(item["text"], names), "timestamp": as_moment(own)}
    return message | {"inReplyToId": answered_id, "playerName": names[_author(item)]}


def _readable(text: str, names: Mapping[str, str]) -> str:
    """A text of Slack as its program shows it: with the names of people in place of their ids."""

    def shown(found: re.Match[str]) -> str:
        sign, what, label = found.groups()
        if sign == "@":
            return f"@{names.get(what) or label or what}"
        return f"{sign if sign == '#' else '@' if sign else ''}{label or what}"

    text = _SIGN.sub(shown, text)
    for escaped, plain in _ESCAPES:
        text = text.replace(escaped, plain)
    return text
