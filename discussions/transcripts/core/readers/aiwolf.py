"""The logs of AIWolf servers (github.com/aiwolfdial/aiwolf-nlp-server): one JSON object for each game, or a text.

A JSON log lists the requests to the agents, each a JSON text, with the talks that were passed on. A text has lines such
as `1,vote,2,3`: the day, then the kind of line; another line continues the talk before it.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec import Struct

from discussions.transcripts.core.decoding import Decoded
from discussions.transcripts.core.fields import (
    read_entries,
    read_inside,
    read_list,
    read_object,
    read_text,
    wrong_type,
)
from discussions.transcripts.core.native_parts import name_key
from discussions.transcripts.core.notes import Games, NewNotes, Notes
from discussions.transcripts.core.readers.columns import Columns
from discussions.transcripts.core.readers.draft import (
    KILLED,
    MAFIA,
    VILLAGER,
    VOTED_OUT,
    Draft,
    find_side,
    join_texts,
    read_lines,
)
from workspace.core.words import mark, say

# The possessed helps the werewolves, but counts as a human and does not know them.
SIDES = dict.fromkeys("VILLAGER SEER MEDIUM BODYGUARD POSSESSED".split(), VILLAGER) | {"WEREWOLF": MAFIA}
_KEYS = frozenset(("agents", "entries", "game_id", "win_side"))
_ENOUGH = 3
_FIELDS = {"playerName": "/agent", "message": "/text", "roundNumber": "/day"}
LEFT_OUT = ("Skip", "Over")
_AT_NIGHT = ("WHISPER", "DIVINE", "GUARD", "ATTACK")
_MILLISECONDS_FROM = 100_000_000_000
_LAST_SECOND = 4_102_444_800  # the year 2100
_ERROR = mark('Errors of agents: {count} (first "{what}"). The game may have ended early.')
_DIFFERS = mark("Talks that are told to two agents in different words were read as first told: {count}.")
_INVALID_VOTE = mark('Votes that name no player were left out: {count} (first "{what}").')

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
_NIGHT_LINES = {"whisper": _TALK, "divine": _VOTE, "guard": _VOTE, "attackVote": _VOTE}
_SHAPE = mark('The line of "{kind}" should look like "{example}". Correct it, or remove it.')
_SAME_NAME = mark("Agents with the name of another are called by their numbers: {count} (first {what}).")


class _Request(Struct):
    """One request to an agent and the answer to it, as they were found."""

    place: str
    kind: str
    agent: Any
    info: dict[str, Any]
    talks: list[Any]
    answer: Any
    answered: Any

    @property
    def day(self) -> int | None:
        day = self.info.get("day")
        return day if type(day) is int else None


def recognises(value: Any) -> bool:
    """Whether it has three of the four keys of a log."""
    return type(value) is dict and len(_KEYS & value.keys()) >= _ENOUGH


def to_native(value: Any, notes: Notes) -> dict[str, Any] | None:
    log = read_object(value, "", notes)
    draft = Draft(notes, log.get("game_id"))
    requests = list(_read_requests(log, notes))
    _add_players(draft, log, requests)
    _add_talks(draft, requests)
    _add_votes(draft, requests)
    _add_eliminations(draft, requests)
    side = log.get("win_side")
    draft.game["winner"] = None if side == "NONE" else side
    return draft.game


def _read_requests(log: dict[str, Any], notes: Notes) -> Iterator[_Request]:
    # One message appears in many requests: each agent is asked to speak, and each is notified of what was said.
    most = notes.limits.messages * 4
    for place, entry in read_entries(log, "entries", "", notes, most):
        error = read_text(entry, "error", place, notes, notes.limits.message_characters)
        if error:
            notes.warn("agent_error", f"{place}/error", error, says=_ERROR)
        text, at = entry.get("request"), f"{place}/request"
        if type(text) is not str:
            if text is not None:
                wrong_type(notes, at, "text", text)
            continue
        document = read_inside(text, at, notes)
        found = document.value
        if type(found) is dict:
            kind = read_text(found, "request", at, notes, notes.limits.name_characters) or ""
            info = read_object(found.get("info"), f"{at}/info", notes)
            talks = read_list(found, "talk_history", at, notes, notes.limits.messages) or []
            answer, answered = entry.get("response"), entry.get("response_timestamp")
            yield _Request(at, kind, entry.get("agent"), info, talks, answer, answered)
        elif document.is_readable and type(found) is not str:
            # A phase is a single word.
            wrong_type(notes, at, say("an object as JSON"), found)


def _add_players(draft: Draft, log: dict[str, Any], requests: list[_Request]) -> None:
    """Add the agents in the order in which the server announced the game to them: that of the list `agents`."""
    notes = draft.notes
    roles: dict[str, Any] = {}
    names: dict[str, str] = {}
    for request in requests:
        roles |= read_object(request.info.get("role_map"), f"{request.place}/info/role_map", notes)
        if request.kind == "INITIALIZE" and type(request.agent) is str:
            names.setdefault(request.agent, request.place)
    for request in requests:
        for name in read_object(request.info.get("status_map"), f"{request.place}/info/status_map", notes):
            names.setdefault(name, request.place)
    agents = read_list(log, "agents", "", notes, notes.limits.players) or []
    entries = [read_object(agent, f"/agents/{index}", notes) for index, agent in enumerate(agents)]
    is_same = [roles.get(name) for name in names] == [entry.get("role") for entry in entries]
    for index, (name, place) in enumerate(names.items()):
        role = roles.get(name)
        team_agent = None
        if is_same:
            place = f"/agents/{index}"
            team_agent = read_text(entries[index], "name", place, notes, notes.limits.name_characters)
        personality = join_texts(role if type(role) is str else None, team_agent)
        draft.add_player(place, name, find_side(role, SIDES), personality)


def _find_talks(requests: list[_Request], notes: Notes) -> list[tuple[str, dict[str, Any]]]:
    """Every talk once, by day and number, although each agent received it."""
    talks: dict[tuple[int, int], tuple[str, dict[str, Any]]] = {}
    for request in requests:
        for index, entry in enumerate(request.talks):
            place = f"{request.place}/talk_history/{index}"
            talk = read_object(entry, place, notes)
            if type(talk.get("day")) is int and type(talk.get("idx")) is int:
                _, first = talks.setdefault((talk["day"], talk["idx"]), (place, talk))
                if first != talk:
                    notes.warn("talk_differs", place, says=_DIFFERS)
            else:
                wrong_type(notes, place, say("a talk with whole numbers as day and idx"), entry)
    return [found for _key, found in sorted(talks.items(), key=lambda item: item[0])]


def _add_talks(draft: Draft, requests: list[_Request]) -> None:
    """The talks of each day, then its night."""
    talks = _find_talks(requests, draft.notes)
    spoken = Counter((talk["day"], str(talk.get("agent"))) for _, talk in talks)
    answered: dict[tuple[int | None, str], list[str | None]] = defaultdict(list)
    for request in requests:
        if request.kind == "TALK":
            answered[request.day, str(request.agent)].append(_moment(request.answered))
    # If an agent has fewer or more requests than talks, its answers cannot be matched to its talks.
    moments = {key: iter(times) for key, times in answered.items() if len(times) == spoken[key]}
    asked = (one for one in requests if one.kind in _AT_NIGHT and one.day is not None)
    nights = (one for one in asked if type(one.answer) is str and one.answer not in LEFT_OUT)
    events: list[tuple[Any, bool, str, Any]] = [(talk["day"], False, place, talk) for place, talk in talks]
    events += [(one.day, True, one.place, one) for one in nights]
    for day, is_night, place, part in sorted(events, key=lambda event: event[:2]):
        if is_night:
            _add_night(draft, place, day, part.kind.lower(), part.agent, part.answer, _moment(part.answered))
            continue
        agent, text = part.get("agent"), part.get("text")
        time = next(moments.get((day, str(agent)), iter(())), None)
        if not (part.get("skip") is True or part.get("over") is True or text in LEFT_OUT):
            draft.add_message(place, _round(day), agent, text, time=time, fields=_FIELDS)


def _add_night(draft: Draft, place: str, day: Any, kind: str, agent: Any, answer: Any, time: Any) -> None:
    """What an agent whispered to the werewolves, or whom it chose."""
    text = answer if kind == "whisper" else f"{kind} → {answer}"
    side = MAFIA if kind in ("whisper", "attack", "attackVote") else ""
    draft.add_night(place, _round(day), agent, text, kind, time, side)


def _moment(value: Any) -> str | None:
    """Seconds or milliseconds since 1970 as an ISO date-time; None for anything else."""
    if type(value) is not int or value <= 0:
        return None
    milliseconds = value if value >= _MILLISECONDS_FROM else value * 1000
    if milliseconds >= _LAST_SECOND * 1000:
        return None
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=milliseconds)).isoformat()


def _round(day: Any) -> Any:
    return day + 1 if type(day) is int else day


def _add_votes(draft: Draft, requests: list[_Request]) -> None:
    """The last vote of each agent on each day: the server asks again after a tie."""
    notes = draft.notes
    names = {player["name"] for player in draft.game["players"]}
    last: dict[tuple[str, str], _Request] = {}
    for request in requests:
        if request.kind == "VOTE":
            last[str(request.info.get("day")), str(request.agent)] = request
    for request in last.values():
        target = request.answer.strip() if type(request.answer) is str else request.answer
        if type(target) is str and target and target not in names:
            notes.warn("invalid_vote", request.place, target, says=_INVALID_VOTE)
            continue
        number, time = _round(request.info.get("day")), _moment(request.answered)
        draft.add_vote(request.place, number, request.agent, target, time=time)


def _add_eliminations(draft: Draft, requests: list[_Request]) -> None:
    """Add who was executed or attacked, on the day before the first request that reports it."""
    told: set[str] = set()
    for request in requests:
        for key, how in (("executed_agent", VOTED_OUT), ("attacked_agent", KILLED)):
            player = request.info.get(key)
            if player is not None and str(player) not in told:
                told.add(str(player))
                place = f"{request.place}/info/{key}"
                draft.add_elimination(place, request.info.get("day"), player, how)


class _Entry(Struct, frozen=True):
    """One line, with its continuation lines."""

    place: str
    day: int
    kind: str
    rest: str


def recognises_text(text: str) -> bool:
    """Whether the text begins with the status of two agents."""
    first = [_LINE.fullmatch(line.strip()) for line in text.lstrip().split("\n", 2)[:2]]
    status = [one and one["kind"] == "status" and _STATUS.fullmatch(one["rest"]) for one in first]
    return len(first) == 2 and all(status)


def to_native_text(decoded: Decoded, new_notes: NewNotes, columns: Columns) -> Games:
    """The game of the text. Never raises."""
    notes = new_notes()
    draft = Draft(notes, notes.source)
    names: dict[str, str] = {}
    taken: set[str] = set()
    votes: dict[tuple[int, str], tuple[_Entry, str]] = {}
    for entry in _entries(decoded.text, notes):
        if entry.kind in _NIGHT_LINES and (chosen := _NIGHT_LINES[entry.kind].fullmatch(entry.rest)):
            is_whisper = entry.kind == "whisper"
            answer = chosen[2] if is_whisper else _name(names, chosen[2])
            time = _moment(int(chosen[3])) if is_whisper and chosen[3] else None
            if answer not in LEFT_OUT:
                _add_night(draft, entry.place, entry.day, entry.kind, _name(names, chosen[1]), answer, time)
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
        draft.add_vote(entry.place, _round(day), _name(names, voter), _name(names, target))
    yield draft.game, notes


def _entries(text: str, notes: Notes) -> Iterator[_Entry]:
    def stray(number: int) -> None:
        notes.fault("wrong_type", f"line {number}", mark("A log of AIWolf begins with the agents' status."))

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
            time = _moment(int(found[3])) if found[3] else None
            draft.add_message(entry.place, _round(entry.day), _name(names, found[1]), found[2], time=time)
    elif entry.kind == "result":
        draft.game["winner"] = None if found[1] == "NONE" else found[1]
    elif int(found[1]) > 0 and found[2] != "false":
        how = KILLED if entry.kind == "attack" else VOTED_OUT
        draft.add_elimination(entry.place, _round(entry.day), _name(names, found[1]), how)


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
    return f"Agent[{int(number):02d}]"
