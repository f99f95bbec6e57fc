"""The supported transcript formats: how each is recognised, and how it is converted into the native one.

A converter is a pure module that never raises, whatever it is given. It only rearranges: `native.read_game` checks its
output (speakers, lengths, votes, empty messages, cost), and reports faults at the places that the converter noted with
`Notes.translate`.
"""

from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any

from msgspec import Struct

from discussions.core.records import GameRecord
from discussions.transcripts.core import native
from discussions.transcripts.core.decoding import Decoded
from discussions.transcripts.core.native_parts import RoleMap
from discussions.transcripts.core.notes import Games, NativeGame, NewNotes, Notes
from discussions.transcripts.core.readers import (
    agent_traces,
    aiwolf,
    avalon_nlu,
    chat_exports,
    chat_heads,
    chat_text,
    convokit,
    csv_rows,
    histories,
    inspect_eval,
    json_rows,
    json_turns,
    kaggle_werewolf,
    llmafia,
    openai_chat,
    separated,
    werewolf_arena,
)
from discussions.transcripts.core.readers.columns import Columns
from discussions.transcripts.core.readers.tables import Table
from workspace.core.words import mark, say

Inner = tuple[int, int, str, dict[str, Any]]


class Format(Struct, frozen=True):
    """One format. It has `recognises` and `to_native`, or the pair for files, or the pair for texts, or several pairs.

    * `recognises(value)`: whether a decoded JSON value is a game of this format, recognised by its keys, however faulty
      it is otherwise. A list is cut to its first 20 items.
    * `to_native(value, notes)`: the object that `native.read_game` reads, in camelCase keys; None with a fault in the
      notes when the value cannot be converted. `value` may be anything, since a person can name the format.
    * `parts(value)`: for a value that holds several games: a pointer into the value and what `to_native` takes.
    * `find_inner(data)`: for large objects of which one value is read: where it begins and ends in the bytes of a file,
      its key, and the values around it that are read, too; None for other files.
    * `recognises_files(names)`: whether the files of one folder (their names without the folder) are a game.
    * `to_native_files(files, notes)`: the same as `to_native`, for the bytes of these files.
    * `read_files(files, new_notes, columns)`: the same, where a folder may hold several games.
    * `table_of_files(files)`: its messages as rows, for a person who says what they are.
    * `has_folders`: the folders within that folder belong to the game; files are then named with their last folder.
    * `recognises_text(text)`: whether a text is of this format; given its first lines, mostly 200,000 signs.
    * `to_native_text(decoded, new_notes, columns)`: each game of the text, one after the other, with
      notes that were made for it.
    """

    name: str
    # A description of the format for people, marked for translation, without a full stop.
    looks: str
    # The file of static/samples with the example of docs/transcripts.md; "" for formats of public collections.
    sample: str = ""
    recognises: Callable[[Any], bool] | None = None
    to_native: Callable[[Any, Notes], NativeGame] | None = None
    parts: Callable[[Any], list[tuple[str, Any]]] | None = None
    find_inner: Callable[[bytes], Inner | None] | None = None
    recognises_files: Callable[[Sequence[str]], bool] | None = None
    to_native_files: Callable[[Mapping[str, bytes], Notes], NativeGame] | None = None
    has_folders: bool = False
    read_files: Callable[[Mapping[str, bytes], NewNotes, Columns], Games] | None = None
    table_of_files: Callable[[Mapping[str, bytes]], Table] | None = None
    recognises_text: Callable[[str], bool] | None = None
    to_native_text: Callable[[Decoded, NewNotes, Columns], Games] | None = None

    @property
    def says(self) -> str:
        return say(self.looks)


def _format(name: str, reader: ModuleType, looks: str, **more: Any) -> Format:
    """The format that a module reads by its functions of these names, and by others that are given."""
    found = {field: getattr(reader, field) for field in Format.__struct_fields__ if hasattr(reader, field)}
    return Format(**found | more | {"name": name, "looks": looks})


NATIVE = _format(
    "native",
    native,
    mark("a JSON object with the keys gameId, players, messages and votes"),
    recognises=native.is_native,
    sample="native.json",
)
JSONL = _format(
    "jsonl",
    json_rows,
    mark("a JSON object with a message in each line, or a list of them"),
    sample="messages.jsonl",
)
# Read by a recipe alone, so that nobody can name it.
SEPARATED = _format("separated", separated, mark("lines such as Name | text, which a recipe reads"))
CHAT_TEXT = _format(
    "chat_text",
    chat_text,
    mark("lines such as [10:05] Name: text"),
    recognises_text=chat_heads.recognises_text,
    sample="chat.txt",
)

# Formats are tried in this order, the more specific first: a sample of a log holds a chat,
# a chat may have keys of a native game around it, and a table may hold lines that look like a chat.
FORMATS: tuple[Format, ...] = (
    _format("inspect", inspect_eval, mark("a log of Inspect AI with its samples"), sample="inspect.json"),
    _format(
        "werewolf_arena",
        werewolf_arena,
        mark("game_complete.json with the keys session_id, players and rounds, or its session folder"),
    ),
    _format(
        "kaggle_werewolf", kaggle_werewolf, mark("a replay of Kaggle's werewolf, with its events under info")
    ),
    _format("llmafia", llmafia, mark("a folder with config.json and public_daytime_chat.txt")),
    Format(
        "aiwolf",
        mark("a JSON object with the keys game_id, agents, entries and win_side"),
        recognises=aiwolf.recognises,
        to_native=aiwolf.to_native,
    ),
    _format(
        "avalon_nlu", avalon_nlu, mark("a JSON object with the keys users, messages, beliefs and persuasion")
    ),
    _format(
        "chat_exports",
        chat_exports,
        mark("an export of Slack, with users.json and folders, or of a channel of Discord"),
        has_folders=True,
    ),
    _format(
        "convokit", convokit, mark("a corpus of ConvoKit: a folder with utterances.jsonl and speakers.json")
    ),
    _format(
        "agent_traces",
        agent_traces,
        mark("a trace of OpenTelemetry (gen_ai) or Langfuse, runs of LangSmith, a session of Hugging Face"),
        sample="trace.json",
    ),
    _format(
        "histories",
        histories,
        mark("histories of agents: for each player, a list of what it was told and what it answered"),
    ),
    _format(
        "openai_chat",
        openai_chat,
        mark("a list of messages with role (or LangChain's type) and content, bare or under messages"),
        sample="chat.json",
    ),
    NATIVE,
    _format(
        "json_turns",
        json_turns,
        mark("a JSON object with a list of messages, such as turns, that name player and text"),
        sample="turns.json",
    ),
    Format(
        "aiwolf_log",
        mark("lines such as 0,status,1,SEER,ALIVE,team and 1,vote,1,2"),
        recognises_text=aiwolf.recognises_text,
        to_native_text=aiwolf.to_native_text,
    ),
    JSONL,
    _format(
        "csv",
        csv_rows,
        mark("a first line with the names of columns, then a message in each row"),
        sample="messages.csv",
    ),
    CHAT_TEXT,
)
# Games of other formats inside an object that is none itself; each part shows its own format.
INSIDE = Format(name="inside", looks=mark("an object with games inside"))


def find_format(name: str) -> Format | None:
    return next((known for known in FORMATS if known.name == name), None)


def recognise(value: Any, formats: Sequence[Format] = FORMATS) -> Format | None:
    """The first of the formats in which a decoded JSON value is a game; a long list is cut to its first items."""
    # No other format has our keys: most games need not be looked through for others.
    if NATIVE in formats and native.has_our_keys(value) and native.is_native(value):
        return NATIVE
    # A row of plain values is no game; a file may have many.
    is_plain = type(value) is dict and not any(type(part) in (dict, list) for part in value.values())
    fitting = (known for known in formats if known.recognises and known.recognises(value))
    return None if is_plain else next(fitting, None)


def read_converted(value: NativeGame, notes: Notes, role_map: RoleMap) -> GameRecord | None:
    """The game that a converter returned, checked like a native game; its own faults are in the notes already."""
    if value is None:
        if not notes.fault_count:
            notes.fault("shape", "", say("No game can be made of this. Name another format."))
        return None
    notes.begin_native()
    return native.read_game(value, notes, role_map)
