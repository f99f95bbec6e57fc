"""The JSON logs of the AIWolf server (github.com/aiwolfdial/aiwolf-nlp-server): one object for each game.

A log lists the requests to the agents, each a JSON text, and their answers. Messages are the talks that the server
passed on to the agents, except skipped and finished turns. A round is a day, and day 0 is round 1. What agents
whispered and chose at night is private; profiles are left out.
"""

from collections import Counter, defaultdict
from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec import Struct

from discussions.transcripts.core.fields import (
    read_entries,
    read_inside,
    read_list,
    read_object,
    read_text,
    wrong_type,
)
from discussions.transcripts.core.notes import Notes
from discussions.transcripts.core.readers.draft import (
    KILLED,
    MAFIA,
    VILLAGER,
    VOTED_OUT,
    Draft,
    find_side,
    join_texts,
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
_ERROR = mark(
    'Errors of agents that the server noted: {count} (first "{what}"). The game may have ended early.'
)
_DIFFERS = mark("Talks that are told to two agents in different words were read as first told: {count}.")
_INVALID_VOTE = mark(
    'Votes that name no player, which the server did not count, were left out: {count} (first "{what}").'
)


class _Request(Struct):
    """One request to an agent and the answer to it, as they were found."""

    place: str
    kind: str
    agent: Any
    info: dict[str, Any]
    talks: list[Any]
    answer: Any
    answered: Any


def recognises(value: Any) -> bool:
    """Whether it has three of the four keys of a log."""
    return type(value) is dict and len(_KEYS & value.keys()) >= _ENOUGH


def to_native(value: Any, notes: Notes) -> dict[str, Any] | None:
    log = read_object(value, "", notes)
    draft = Draft(notes, log.get("game_id"))
    for native, foreign in (("gameId", "game_id"), ("players", "agents"), ("messages", "entries")):
        notes.translate(f"/{native}", f"/{foreign}")
    notes.translate("/winner", "/win_side")
    requests = _read_requests(log, notes)
    _add_players(draft, log, requests)
    _add_talks(draft, requests)
    _add_votes(draft, requests)
    _add_eliminations(draft, requests)
    side = log.get("win_side")
    draft.game["winner"] = None if side == "NONE" else side
    return draft.game


def _read_requests(log: dict[str, Any], notes: Notes) -> list[_Request]:
    requests = []
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
        document = read_inside(text.encode("utf-8", "surrogatepass"), at, notes)
        found = document.value
        if type(found) is dict:
            requests.append(
                _Request(
                    place=at,
                    kind=read_text(found, "request", at, notes, notes.limits.name_characters) or "",
                    agent=entry.get("agent"),
                    info=read_object(found.get("info"), f"{at}/info", notes),
                    talks=read_list(found, "talk_history", at, notes, notes.limits.messages) or [],
                    answer=entry.get("response"),
                    answered=entry.get("response_timestamp"),
                )
            )
        elif document.is_readable and type(found) is not str:
            # A phase is a single word.
            wrong_type(notes, at, say("an object as JSON"), found)
    return requests


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
    nights = [request for request in requests if _is_at_night(request)]
    nights.sort(key=lambda request: request.info["day"])
    moments = _find_moments(requests)
    spoken = Counter((talk["day"], str(talk.get("agent"))) for _, talk in talks)
    counts: Counter[tuple[Any, str]] = Counter()
    for place, talk in talks:
        while nights and nights[0].info["day"] < talk["day"]:
            _add_at_night(draft, nights.pop(0))
        key = (talk["day"], str(talk.get("agent")))
        times = moments.get(key, [])
        # If an agent has fewer or more requests than talks, its answers cannot be matched to its talks.
        time = times[counts[key]] if len(times) == spoken[key] else None
        counts[key] += 1
        text = talk.get("text")
        if not (talk.get("skip") is True or talk.get("over") is True or text in LEFT_OUT):
            draft.add_message(
                place, find_round(talk["day"]), talk.get("agent"), text, time=time, fields=_FIELDS
            )
    for request in nights:
        _add_at_night(draft, request)


def _is_at_night(request: _Request) -> bool:
    is_answered = type(request.answer) is str and request.answer not in LEFT_OUT
    return request.kind in _AT_NIGHT and is_answered and type(request.info.get("day")) is int


def _add_at_night(draft: Draft, request: _Request) -> None:
    day, time = request.info["day"], format_moment(request.answered)
    add_night(draft, request.place, day, request.kind.lower(), request.agent, request.answer, time)


def add_night(
    draft: Draft, place: str, day: Any, kind: str, agent: Any, answer: str | None, time: str | None
) -> None:
    """What an agent whispered to the werewolves, or whom it chose."""
    text = answer if kind == "whisper" else f"{kind} → {answer}"
    side = MAFIA if kind in ("whisper", "attack", "attackVote") else ""
    draft.add_night(place, find_round(day), agent, text, kind, time, side)


def _find_moments(requests: list[_Request]) -> dict[tuple[Any, str], list[str | None]]:
    """When each agent answered the requests to talk, by day and agent."""
    moments: dict[tuple[Any, str], list[str | None]] = defaultdict(list)
    for request in requests:
        day = request.info.get("day")
        if request.kind == "TALK" and type(day) is int:
            moments[day, str(request.agent)].append(format_moment(request.answered))
    return moments


def format_moment(value: Any) -> str | None:
    """Seconds or milliseconds since 1970 as an ISO date-time; None for anything else."""
    if type(value) is not int or value <= 0:
        return None
    milliseconds = value if value >= _MILLISECONDS_FROM else value * 1000
    if milliseconds >= _LAST_SECOND * 1000:
        return None
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=milliseconds)).isoformat()


def find_round(day: Any) -> Any:
    return day + 1 if type(day) is int else day


def _add_votes(draft: Draft, requests: list[_Request]) -> None:
    """The last vote of each agent on each day: the server asks again after a tie."""
    notes = draft.notes
    names = {player["name"] for player in draft.game["players"]}
    last: dict[tuple[str, str], _Request] = {}
    for request in requests:
        if request.kind == "VOTE":
            key = (str(request.info.get("day")), str(request.agent))
            last.pop(key, None)
            last[key] = request
    for request in last.values():
        target = request.answer.strip() if type(request.answer) is str else request.answer
        if type(target) is str and target and target not in names:
            notes.warn("invalid_vote", request.place, target, says=_INVALID_VOTE)
            continue
        number, time = find_round(request.info.get("day")), format_moment(request.answered)
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
