"""The replays of Kaggle's werewolf (github.com/Kaggle/kaggle-environments): of `steps` only the costs are read.

The moderator's events are JSON inside texts: public talk, and the votes of a day, though their events are private.
"""

from collections.abc import Iterable, Iterator
from typing import Any, TypedDict

import msgspec

from discussions.transcripts.core import fields
from discussions.transcripts.core.notes import Notes
from discussions.transcripts.core.readers.draft import KILLED, VOTED_OUT, Draft
from discussions.transcripts.core.readers.rows import STOPPED
from workspace.core.json_items import begin_of

_CHAT, _VOTE, _ROLE = "ChatDataEntry", "DayExileVoteDataEntry", "GameStartRoleDataEntry"
# Of events of these types the player who left, and how.
_LEAVING = {
    "DayExileElectedDataEntry": ("elected_player_id", VOTED_OUT),
    "WerewolfNightEliminationDataEntry": ("eliminated_player_id", KILLED),
}
# What players do in secret. Other events repeat these, or are requests of the moderator.
_SECRET = frozenset(
    "WerewolfNightVoteDataEntry DoctorHealActionDataEntry SeerInspectActionDataEntry SeerInspectResultDataEntry "
    "BidDataEntry".split()
)
_READ = {_CHAT, _VOTE, _ROLE, *_LEAVING, *_SECRET}
_COSTS = {"totalUsd": "cost", "inputTokens": "prompt_tokens", "outputTokens": "completion_tokens"}


class _Replay(TypedDict, total=False):
    """The values of a replay that are read. The others, up to sixty megabytes of them, are never built."""

    name: str
    info: msgspec.Raw
    id: Any
    steps: list[list[dict[str, msgspec.Raw]]]


_REPLAY = msgspec.json.Decoder(_Replay)
# The place of an event, its type and its fields.
_Event = tuple[str, str, dict[str, Any]]


def find_inner(data: bytes) -> tuple[int, int, str, dict[str, Any]] | None:
    """Where the info of a replay begins and ends in a file, its key, and the values around it that are read."""
    if b'"GAME_END"' not in data or b'"werewolf"' not in data:
        return None
    try:
        replay: dict[str, Any] = {**_REPLAY.decode(memoryview(data)[begin_of(data) :])}
        states = [state for step in replay.pop("steps", ()) for state in step if "action" in state]
        replay["cost"] = _cost_of_acts(msgspec.json.decode(state["action"]) for state in states)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    info = bytes(replay.pop("info", b""))
    start = data.find(info)
    if not info.startswith(b"{") or replay.get("name") != "werewolf":
        return None
    return start, start + len(info), "info", replay


def recognises(value: Any) -> bool:
    """Whether it is a replay of this game, which has an end or events."""
    info = value.get("info") if type(value) is dict and value.get("name") == "werewolf" else None
    return type(info) is dict and bool(info.keys() & {"GAME_END", "MODERATOR_OBSERVATION"})


def to_native(value: Any, notes: Notes) -> dict[str, Any] | None:
    replay = fields.read_object(value, "", notes)
    info = fields.read_object(replay.get("info"), "/info", notes)
    end = fields.read_object(info.get("GAME_END"), "/info/GAME_END", notes)
    draft = Draft(notes, info.get("EpisodeId") or replay.get("id") or notes.source, counts_private=True)
    events = list(_events(info, notes))
    _add_players(draft, end, events)
    names = {player["name"] for player in draft.game["players"] if type(player["name"]) is str}
    for place, kind, event in events:
        _add_event(draft, place, kind, event, names)
    if end.get("terminated_with_agent_error") is True:
        notes.warn("game_stopped", "/info/GAME_END/terminated_with_agent_error", says=STOPPED)
    states = [state for step in fields.as_list(replay.get("steps")) for state in fields.as_objects(step)]
    cost = replay.get("cost") or _cost_of_acts(state.get("action") for state in states)
    if type(end.get("cost_summary")) is dict:
        cost = {ours: end["cost_summary"].get(f"total_{theirs}") for ours, theirs in _COSTS.items()}
    builds = [player["personality"] for player in draft.game["players"]]
    draft.game |= {"winner": end.get("winner_team"), "cost": cost, "modelBuild": builds}
    return draft.game


def _events(info: dict[str, Any], notes: Notes) -> Iterator[_Event]:
    """The moderator's events that are read, in order."""
    base = "/info/MODERATOR_OBSERVATION"
    steps = fields.read_list(info, "MODERATOR_OBSERVATION", "/info", notes, notes.limits.messages) or []
    for number, step in enumerate(steps):
        for index, raw in enumerate(fields.as_list(step)):
            place = f"{base}/{number}/{index}"
            entry = fields.read_object(raw, place, notes)
            kind, text = entry.get("data_type"), entry.get("json_str")
            if type(kind) is not str or kind not in _READ or type(text) is not str:
                continue
            yield place, kind, fields.as_object(fields.read_inside(text, f"{place}/json_str", notes).value)


def _add_players(draft: Draft, end: dict[str, Any], events: list[_Event]) -> None:
    """The players and roles of the end; of a game that broke off, those of its beginning."""
    notes, place = draft.notes, "/info/GAME_END/all_players"
    roles = fields.read_object(end.get("all_players_and_role"), "/info/GAME_END/all_players_and_role", notes)
    listed = fields.read_list(end, "all_players", "/info/GAME_END", notes, notes.limits.players) or []
    for index, entry in enumerate(listed):
        player = fields.read_object(entry, f"{place}/{index}", notes)
        agent = fields.read_object(player.get("agent"), f"{place}/{index}/agent", notes)
        name = player.get("id")
        role = roles.get(name) if type(name) is str else None
        first = next(iter(fields.as_list(agent.get("llms"))), None)
        model = first.get("model_name") if type(first) is dict else agent.get("agent_id")
        draft.add_player(f"{place}/{index}", name, role or agent.get("role"), model)
    for where, kind, event in events if not listed else ():
        if kind == _ROLE:
            data = fields.read_object(event.get("data"), where, notes)
            draft.add_player(where, data.get("player_id"), data.get("role"), None)


def _add_event(draft: Draft, place: str, kind: str, event: dict[str, Any], names: set[str]) -> None:
    data = fields.read_object(event.get("data"), place, draft.notes)
    day, time = event.get("day"), event.get("created_at")
    number = max(day, 1) if type(day) is int else day
    player, reasoning = data.get("actor_id"), data.get("reasoning")
    if kind in _LEAVING:
        draft.add_elimination(place, number, data.get(_LEAVING[kind][0]), _LEAVING[kind][1])
    if kind in (_ROLE, *_LEAVING):
        return
    threat = data.get("perceived_threat_level")
    if type(threat) is str and threat:
        threat = f"Perceived threat level: {threat}"
        draft.add_message(place, number, player, threat, time=time, audience="nobody")
    if kind == _VOTE:
        target = data.get("target_id")
        target = target if type(target) is not str or target in names else None
        draft.add_vote(place, number, player, target, time=time, reasoning=reasoning)
        return
    said = data.get("message") if kind == _CHAT else event.get("description")
    is_public = kind == _CHAT and event.get("public") is True
    audience = None if is_public else event.get("visible_to") or "nobody"
    draft.add_message(place, number, player, said, time=time, audience=audience, reasoning=reasoning)


def _cost_of_acts(acts: Iterable[Any]) -> dict[str, Any] | None:
    """The sum over all acts; None where no act has a cost."""
    figures: dict[str, Any] = {}
    for act in acts:
        usage = fields.as_object(fields.as_object(act).get("kwargs"))
        for ours, theirs in _COSTS.items():
            if type(usage.get(theirs)) in (int, float):
                figures[ours] = figures.get(ours, 0) + usage[theirs]
    return figures or None
