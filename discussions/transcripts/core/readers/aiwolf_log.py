"""The text logs of AIWolf servers: lines such as `1,vote,2,3`, where the day comes first, then the kind of line.

Days, skipped turns, repeated votes and what is private are as in the JSON logs (`aiwolf.py`). A line of another
shape continues the text of the talk before it. If a program plays against itself, its agents have the same name. The
first agent keeps it; the others are called by their numbers.
"""

import re
from collections.abc import Iterator

from msgspec import Struct

from discussions.transcripts.core.decoding import Decoded
from discussions.transcripts.core.native_parts import name_key
from discussions.transcripts.core.notes import NativeGame, NewNotes, Notes
from discussions.transcripts.core.readers.aiwolf import LEFT_OUT, SIDES, add_night, find_round, format_moment
from discussions.transcripts.core.readers.columns import Columns
from discussions.transcripts.core.readers.draft import (
    KILLED,
    VOTED_OUT,
    Draft,
    find_side,
    join_texts,
    read_lines,
)
from workspace.core.words import mark

_LINE = re.compile(r"(?P<day>\d{1,6}),(?P<kind>[A-Za-z]{1,20}),(?P<rest>.*)", re.DOTALL)
_STATUS = re.compile(r"(\d{1,6}),([^,]*),[^,]*,([^,]*)(?:,(.*))?", re.DOTALL)
_TALK = re.compile(r"\d{1,9},\d{1,9},(\d{1,6}),(.*?)(?:,(\d{10,13}))?", re.DOTALL)
_VOTE = re.compile(r"(\d{1,6}),(-?\d{1,6})(?:,.*)?", re.DOTALL)
_OUT = re.compile(r"(-?\d{1,6}),([A-Za-z_]*)(?:,.*)?", re.DOTALL)
_RESULT = re.compile(r"-?\d{1,6},-?\d{1,6},([A-Za-z_]*)(?:,.*)?", re.DOTALL)
_SHAPES = {
    "status": (_STATUS, "0,status,1,SEER,ALIVE,team,Ann"),
    "talk": (_TALK, "0,talk,0,0,1,Hello."),
    "vote": (_VOTE, "1,vote,1,2"),
    "execute": (_OUT, "1,execute,2,WEREWOLF"),
    "attack": (_OUT, "1,attack,2,true"),
    "result": (_RESULT, "2,result,2,0,VILLAGER"),
}
# What is said and chosen at night: lines of another shape are left out.
_AT_NIGHT = {"whisper": _TALK, "divine": _VOTE, "guard": _VOTE, "attackVote": _VOTE}
_SHAPE = mark('The line of "{kind}" should look like "{example}". Correct it, or remove it.')
_SAME_NAME = mark("Agents with the name of another are called by their numbers: {count} (first {what}).")


class _Entry(Struct, frozen=True):
    """One line, with its continuation lines."""

    place: str
    day: int
    kind: str
    rest: str


def recognises_text(text: str) -> bool:
    """Whether the text begins with the status of two agents."""
    first = [_LINE.fullmatch(line.strip()) for line in text.lstrip().split("\n", 2)[:2]]
    return len(first) == 2 and all(
        match is not None and match["kind"] == "status" and _STATUS.fullmatch(match["rest"])
        for match in first
    )


def to_native_text(
    decoded: Decoded, new_notes: NewNotes, columns: Columns
) -> Iterator[tuple[NativeGame, Notes]]:
    """The game of the text. Never raises."""
    notes = new_notes()
    draft = Draft(notes, notes.source)
    names: dict[str, str] = {}
    taken: set[str] = set()
    votes: dict[tuple[int, str], tuple[_Entry, str]] = {}
    for entry in _entries(decoded.text, notes):
        if entry.kind in _AT_NIGHT and (chosen := _AT_NIGHT[entry.kind].fullmatch(entry.rest)):
            is_whisper = entry.kind == "whisper"
            answer = chosen[2] if is_whisper else _name(names, chosen[2])
            time = format_moment(int(chosen[3])) if is_whisper and chosen[3] else None
            if answer not in LEFT_OUT:
                add_night(draft, entry.place, entry.day, entry.kind, _name(names, chosen[1]), answer, time)
        if entry.kind not in _SHAPES:
            continue
        shape, example = _SHAPES[entry.kind]
        found = shape.fullmatch(entry.rest)
        if found is None:
            notes.fault("wrong_type", entry.place, _SHAPE, kind=entry.kind, example=example)
        elif entry.kind == "vote":
            # The server asks again after a tie: the last vote counts.
            votes.pop((entry.day, found[1]), None)
            votes[entry.day, found[1]] = (entry, found[2])
        else:
            _add(draft, names, taken, entry, found)
    for (day, voter), (entry, target) in votes.items():
        draft.add_vote(entry.place, find_round(day), _name(names, voter), _name(names, target))
    yield draft.game, notes


def _entries(text: str, notes: Notes) -> Iterator[_Entry]:
    def stray(number: int) -> None:
        notes.fault(
            "wrong_type", f"line {number}", mark("A log of AIWolf should begin with the agents' status.")
        )

    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for number, match, more in read_lines(lines, _LINE, stray):
        yield _Entry(f"line {number}", int(match["day"]), match["kind"], match["rest"] + more)


def _add(draft: Draft, names: dict[str, str], taken: set[str], entry: _Entry, found: "re.Match[str]") -> None:
    """A player, a message, an elimination or the winner. `taken` are the keys of the names."""
    if entry.kind == "status":
        if found[1] not in names:
            names[found[1]] = _new_name(draft, taken, entry.place, found)
            taken.add(name_key(names[found[1]]))
            role = found[2] or None
            draft.add_player(entry.place, names[found[1]], find_side(role, SIDES), join_texts(role, found[3]))
    elif entry.kind == "talk":
        if found[2] not in LEFT_OUT:
            time = format_moment(int(found[3])) if found[3] else None
            draft.add_message(entry.place, find_round(entry.day), _name(names, found[1]), found[2], time=time)
    elif entry.kind == "result":
        draft.game["winner"] = None if found[1] == "NONE" else found[1]
    elif int(found[1]) > 0 and found[2] != "false":
        how = KILLED if entry.kind == "attack" else VOTED_OUT
        draft.add_elimination(entry.place, find_round(entry.day), _name(names, found[1]), how)


def _new_name(draft: Draft, taken: set[str], place: str, found: "re.Match[str]") -> str:
    """The name of an agent's first status; its number where it has none or that of another agent."""
    name, unnamed = (found[4] or "").strip(), _unnamed(found[1])
    if name and name_key(name) in taken:
        draft.notes.warn("same_name", place, unnamed, says=_SAME_NAME)
        return unnamed
    return name or unnamed


def _name(names: dict[str, str], number: str) -> str | None:
    """The name of an agent; None for nobody (-1)."""
    return None if number.startswith("-") else names.get(number, _unnamed(number))


def _unnamed(number: str) -> str:
    """The name that texts use for an agent without a name."""
    return f"Agent[{int(number):02d}]"
