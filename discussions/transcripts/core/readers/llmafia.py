"""The game folders of LLMafia (github.com/niveck/LLMafia): text files with one line for each message; see `_FILES`."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from discussions.transcripts.core.fields import read_flag, read_inside, read_list, read_object
from discussions.transcripts.core.notes import Notes
from discussions.transcripts.core.readers.draft import KILLED, MAFIA, VILLAGER, VOTED_OUT, Draft, read_lines
from workspace.core.strict_json import normalise_text
from workspace.core.words import mark

CONFIG, NAMES, MAFIA_NAMES = "config.json", "player_names.txt", "mafia_names.txt"
DAY_CHAT, NIGHT_CHAT = "public_daytime_chat.txt", "public_nighttime_chat.txt"
MANAGER_CHAT, WINNER = "public_manager_chat.txt", "who_wins.txt"
MANAGER = "Game-Manager"
_FILES = frozenset((CONFIG, NAMES, MAFIA_NAMES, DAY_CHAT, MANAGER_CHAT, WINNER))
_LINE = re.compile(r"\[(\d\d:\d\d:\d\d)\] ([^:]+): ?(.*)", re.ASCII | re.DOTALL)
_GONE = re.compile(r"(.+?) was (?:voted out|eliminated)\. ")
_END = "has ended, now it's time to vote"
_NIGHT = "Now it's Nighttime"
_VOTE = " voted for "
_NO_UTF_8 = mark("Byte 0x{data:02x} is not UTF-8 text. Save the file again as UTF-8.")
_NO_LINE = mark('The line should begin like "[14:05:00] Ann: ". Correct it, or remove it.')


class _Line(Struct, frozen=True):
    """One line of a chat; `text` has the lines that follow without a time and a name."""

    place: str
    time: str
    name: str
    text: str


def recognises_files(names: Sequence[str]) -> bool:
    return len(_FILES & set(names)) >= 2


def to_native_files(files: Mapping[str, bytes], notes: Notes) -> dict[str, Any] | None:
    """The native game of a folder. The files give a game no id: it is the folder's name."""
    draft = Draft(notes, notes.source)
    notes.translate("/players", CONFIG if CONFIG in files else NAMES)
    if CONFIG in files:
        _add_configured_players(draft, files[CONFIG])
    else:
        _add_named_players(draft, files)
    day, manager = _read_chat(files, DAY_CHAT, notes), _read_chat(files, MANAGER_CHAT, notes)
    # What is wrong with a night refuses no game: nobody rates it.
    night = _read_chat(files, NIGHT_CHAT, notes.apart())
    _add_chats(draft, day, night, manager)

    for number, is_night, line in _phases(manager):
        # A night belongs to the round of the day before it.
        if found := _GONE.match(line.text):
            draft.add_elimination(line.place, max(number, 1), found[1], KILLED if is_night else VOTED_OUT)
    winner = _read_lines(files, WINNER, notes)
    draft.game["winner"] = re.sub(r" wins?!?$", "", winner[0].strip()) if winner else None
    return draft.game


def _read_lines(files: Mapping[str, bytes], name: str, notes: Notes) -> list[str]:
    """The lines of a file; none when it is missing or (after a fault) not UTF-8."""
    data = files.get(name, b"")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        notes.fault("encoding", f"{name} line {line}", _NO_UTF_8, data=data[error.start])
        return []
    text, replaced = normalise_text(text)
    if replaced.nul:
        notes.warn("replaced_nul", name, count=replaced.nul)
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    return lines[:-1] if lines[-1] == "" else lines


def _read_chat(files: Mapping[str, bytes], name: str, notes: Notes) -> list[_Line]:
    """The lines of a chat; a line without a time and a name continues the message before it."""

    def stray(number: int) -> None:
        notes.fault("no_chat_line", f"{name} line {number}", _NO_LINE)

    read = read_lines(_read_lines(files, name, notes), _LINE, stray)
    return [_Line(f"{name} line {at}", match[1], match[2], match[3] + more) for at, match, more in read]


def _add_configured_players(draft: Draft, data: bytes) -> None:
    notes = draft.notes
    config = read_object(read_inside(data, CONFIG, notes).value, CONFIG, notes)
    players = read_list(config, "players", f"{CONFIG} ", notes, notes.limits.players) or []
    for index, entry in enumerate(players):
        place = f"{CONFIG} /players/{index}"
        fields = read_object(entry, place, notes)
        is_mafia = read_flag(fields, "is_mafia", place, notes)
        is_llm = read_flag(fields, "is_llm", place, notes)
        personality = None if is_llm is None else "llm" if is_llm else "human"
        draft.add_player(place, fields.get("name"), _find_role(is_mafia), personality)


def _find_role(is_mafia: bool | None) -> str | None:
    return None if is_mafia is None else MAFIA if is_mafia else VILLAGER


def _add_named_players(draft: Draft, files: Mapping[str, bytes]) -> None:
    mafia = {line.strip() for line in _read_lines(files, MAFIA_NAMES, draft.notes)}
    for number, line in enumerate(_read_lines(files, NAMES, draft.notes), start=1):
        if name := line.strip():
            is_mafia = name in mafia if MAFIA_NAMES in files else None
            draft.add_player(f"{NAMES} line {number}", name, _find_role(is_mafia), None)


def _add_chats(draft: Draft, day: list[_Line], night: list[_Line], manager: list[_Line]) -> None:
    """Messages and votes of the days, and what the mafia says and votes in the night after each of them."""
    begun = [at for at, is_night, line in _phases(manager) if is_night and line.text.startswith(_NIGHT)]
    # A night that the manager does not announce has the number of its day.
    nights = dict(enumerate(begun, 1))
    said = [(number, False, line) for number, line in _numbered(day)]
    said += [(nights.get(number, number), True, line) for number, line in _numbered(night)]
    for number, is_night, line in sorted(said, key=lambda part: part[:2]):
        _add_line(draft, max(number, 1), line, is_night=is_night)


def _numbered(chat: list[_Line]) -> Iterator[tuple[int, _Line]]:
    """The lines with the number of their day or night, which ends with its last vote, or with the call for votes."""
    ends: list[int] = []
    for index, line in enumerate(chat):
        if line.name == MANAGER and _END in line.text:
            ends.append(index)
        elif line.name == MANAGER and _VOTE in line.text and ends:
            ends[-1] = index
    for index, line in enumerate(chat):
        yield 1 + bisect_left(ends, index), line


def _add_line(draft: Draft, number: int, line: _Line, *, is_night: bool) -> None:
    """A message or a vote, which at night is private, too. Other lines of the manager are left out."""
    voter, vote, target = line.text.partition(_VOTE)
    is_vote = line.name == MANAGER
    if is_night and (target or not is_vote):
        name, text = (voter, f"→ {target}") if is_vote else (line.name, line.text)
        draft.add_night(line.place, number, name, text, "night", line.time, MAFIA)
    elif not is_night and not is_vote:
        draft.add_message(line.place, number, line.name, line.text, time=line.time)
    elif not is_night and vote:
        draft.add_vote(line.place, number, voter, target, time=line.time)


def _phases(manager: list[_Line]) -> Iterator[tuple[int, bool, _Line]]:
    """The manager's lines with the number of the day and whether it is night. 0 is before the first day."""
    number, is_night = 0, False
    for line in manager:
        if line.text.startswith(("Now it's Daytime", "Now it's Discussion Time")):
            number, is_night = number + 1, False
        elif line.text.startswith(_NIGHT):
            is_night = True
        yield number, is_night, line
