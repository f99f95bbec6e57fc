"""The games of Werewolf Arena (github.com/google/werewolf_arena): the state of a game, or the logs of its rounds.

A session folder holds `game_complete.json` (`game_partial.json` after an error) and `game_logs.json`. The state holds
the game; the logs alone have no roles. What players observe, summarise and reason is private: in the state their
memories, in the logs the reasons of what they say, vote and do. Bids, and all votes of a round but the last, which are
polls during the debate, are left out.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from zlib import crc32

from discussions.transcripts.core.fields import read_inside, read_list, read_object, read_text, wrong_type
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
from workspace.core.json_faults import build_pointer
from workspace.core.words import mark_many, say

SIDES = {"Villager": VILLAGER, "Seer": VILLAGER, "Doctor": VILLAGER, "Werewolf": MAFIA}
# Of these files, the first one in a folder is read.
LOGS = "game_logs.json"
FILES = ("game_complete.json", "game_partial.json", LOGS)
_STATE = frozenset(("session_id", "seer", "doctor", "villagers", "werewolves", "rounds"))
_LOG = frozenset(("eliminate", "investigate", "protect", "bid", "debate", "votes", "summaries"))
_ENOUGH = 3
_STOPPED = mark_many(
    'The game stopped with an error: "{what}". What was said until then is read.',
    "The game stopped with {count} errors. What was said until then is read.",
)
_SPEECH = {"playerName": "/0", "message": "/1"}
_LOGGED_SPEECH = {"playerName": "/0", "message": "/1/result/say"}
# A player remembers what happened as "Round 0: ..."; what a moderator announces is known to all.
_MEMORY = re.compile(r"Round (\d{1,6}): (?!Moderator Announcement)(.+)", re.DOTALL)
_AT_NIGHT = "During the night"
# Of a round's logs those of the night, before the debate.
_ACTS = ("eliminate", "investigate", "protect")


def recognises(value: Any) -> bool:
    """Whether it is the state of a game, or the list of its rounds' logs."""
    if type(value) is list:
        return any(type(item) is dict and len(_LOG & item.keys()) >= _ENOUGH for item in value[:20])
    return type(value) is dict and len(_STATE & value.keys()) >= _ENOUGH


def recognises_files(names: Sequence[str]) -> bool:
    return any(name in FILES for name in names)


def to_native(value: Any, notes: Notes) -> dict[str, Any] | None:
    return _convert(value, notes, "", [])


def to_native_files(files: Mapping[str, bytes], notes: Notes) -> dict[str, Any] | None:
    """The native game of a session folder: of the state if it has one, else of the logs."""
    name = next((name for name in FILES if name in files), None)
    if name is None:
        notes.fault(
            "no_file",
            "",
            say("The folder has none of the files {files}. Add one of them.", files=", ".join(FILES)),
        )
        return None
    document = read_inside(files[name], name, notes)
    # What is wrong with the logs beside a state refuses no game: only reasons are read of them.
    logs = read_inside(files.get(LOGS, b"[]"), LOGS, Notes(notes.file, notes.pointer, notes.limits)).value
    return _convert(document.value, notes, f"{name} ", logs) if document.is_readable else None


def _convert(value: Any, notes: Notes, base: str, logs: Any) -> dict[str, Any] | None:
    """`base` comes before each pointer: "" or the file's name and a space. `logs` belong to the state."""
    if type(value) is list:
        return _convert_logs(value, notes, base)
    if type(value) is dict:
        return _convert_state(value, notes, base, logs if type(logs) is list else [])
    wrong_type(notes, base.strip(), say("an object with rounds, or a list of rounds"), value)
    return None


def _find_id(draft: Draft) -> str:
    """The name of the folder or the file; if all games have that name, a number derived from the messages.

    The program gives every game the same session_id, so it cannot distinguish them.
    """
    name = draft.notes.source
    if name and f"{name}.json" not in FILES:
        return name
    messages = (part for part in draft.game["messages"] if part.get("audience") is None)
    texts = (message["message"] for message in messages)
    said = "\n".join(text for text in texts if type(text) is str)
    return f"game-{crc32(said.encode('utf-8', 'surrogatepass')):08x}"


def _convert_state(value: dict[str, Any], notes: Notes, base: str, logs: list[Any]) -> dict[str, Any]:
    draft = Draft(notes, None)
    notes.translate("/players", f"{base}/players")
    notes.translate("/messages", f"{base}/rounds")
    players = read_object(value.get("players"), f"{base}/players", notes)
    for name, player in players.items():
        _add_player(draft, f"{base}/players{build_pointer([name])}", name, player)
    rounds = read_list(value, "rounds", base, notes, notes.limits.messages) or []
    memories = [
        memory for key, player in players.items() for memory in _memories(key, player, len(rounds) - 1)
    ]
    for index, entry in enumerate(rounds):
        own = [(name, text) for number, name, text in memories if number == index]
        log = logs[index] if index < len(logs) and type(logs[index]) is dict else {}
        _add_round(draft, f"{base}/rounds/{index}", index + 1, entry, own, log)
    draft.game["gameId"] = _find_id(draft)
    draft.game["winner"] = value.get("winner")
    notes.translate("/winner", f"{base}/winner")
    error = read_text(value, "error_message", base, notes, notes.limits.message_characters)
    if error:
        notes.warn("game_stopped", f"{base}/error_message", error, says=_STOPPED)
    return draft.game


def _add_player(draft: Draft, place: str, name: str, player: Any) -> None:
    notes = draft.notes
    fields = read_object(player, place, notes)
    role = fields.get("role")
    most = notes.limits.name_characters
    texts = (read_text(fields, key, place, notes, most) for key in ("role", "model", "personality"))
    draft.add_player(place, fields.get("name", name), find_side(role, SIDES), join_texts(*texts))


def _memories(key: str, player: Any, last: int) -> Iterator[tuple[int, Any, str]]:
    """What a player remembers of each round, from 0, that not everybody knows, and why they bid in the end."""
    fields = player if type(player) is dict else {}
    name, told = fields.get("name", key), fields.get("observations")
    for text in told if type(told) is list else []:
        if type(text) is str and (memory := _MEMORY.fullmatch(text)):
            yield int(memory[1]), name, memory[2]
    state, reason = fields.get("gamestate"), fields.get("bidding_rationale")
    number = state.get("round_number") if type(state) is dict else None
    if type(reason) is str and not reason.isdecimal() and type(number) is int:
        yield min(number, last), name, reason


def _add_round(
    draft: Draft, place: str, number: int, entry: Any, memories: list[tuple[Any, str]], log: dict[str, Any]
) -> None:
    """The debate and the last ballot of a round, between what players remember of its night and of its end."""
    if type(entry) is not dict:
        wrong_type(draft.notes, place, say("an object"), entry)
        return
    _add_memories(draft, place, number, memories, is_night=True)
    _add_acts(draft, log, place, number)
    _add_debate(draft, place, number, entry, log)
    _add_ballot(draft, place, number, entry, log)
    _add_memories(draft, place, number, memories, is_night=False)
    _add_summaries(draft, log, place, number)
    killed, exiled = entry.get("eliminated"), entry.get("exiled")
    if killed is not None and killed != entry.get("protected"):
        draft.add_elimination(f"{place}/eliminated", number, killed, KILLED)
    if exiled is not None:
        draft.add_elimination(f"{place}/exiled", number, exiled, VOTED_OUT)


def _add_memories(
    draft: Draft, place: str, number: int, memories: list[tuple[Any, str]], *, is_night: bool
) -> None:
    for name, text in memories:
        if text.startswith(_AT_NIGHT) == is_night:
            draft.add_thought(place, number, name, text)


def _add_debate(draft: Draft, place: str, number: int, entry: dict[str, Any], log: dict[str, Any]) -> None:
    notes, reasons = draft.notes, _reasons(log, "debate")
    for index, said in enumerate(read_list(entry, "debate", place, notes, notes.limits.messages) or []):
        where = f"{place}/debate/{index}"
        if type(said) is list and len(said) == 2:
            reason = reasons.get((index, str(said[0])))
            draft.add_message(where, number, said[0], said[1], fields=_SPEECH, reasoning=reason)
        else:
            wrong_type(notes, where, say("a list of a speaker and a text"), said)


def _add_ballot(draft: Draft, place: str, number: int, entry: dict[str, Any], log: dict[str, Any]) -> None:
    """The last ballot; if the round broke off before the exile, that is a poll like the others."""
    notes, reasons = draft.notes, _reasons(log, "votes")
    polls = read_list(entry, "votes", place, notes, notes.limits.votes) or []
    last = len(polls) - 1
    if polls and (entry.get("success") is not False or entry.get("exiled") is not None):
        where = f"{place}/votes/{last}"
        for voter, target in read_object(polls[-1], where, notes).items():
            reason = reasons.get((last, voter))
            draft.add_vote(f"{where}{build_pointer([voter])}", number, voter, target, reasoning=reason)


def _convert_logs(value: list[Any], notes: Notes, base: str) -> dict[str, Any]:
    """The game of logs. Players are those who bid, speak or vote, in order of first appearance."""
    draft = Draft(notes, None)
    names: dict[str, str] = {}
    for index, entry in enumerate(value):
        place = f"{base}/{index}"
        if type(entry) is not dict:
            wrong_type(notes, place, say("an object"), entry)
            continue
        _note_bidders(entry, place, names, notes)
        _add_acts(draft, entry, place, index + 1)
        _add_logged_debate(draft, entry, place, index + 1, names)
        _add_logged_votes(draft, entry, place, index + 1, names)
        _add_summaries(draft, entry, place, index + 1)
    for name, place in names.items():
        draft.add_player(place, name, None, None)
    draft.game["gameId"] = _find_id(draft)
    return draft.game


def _note_bidders(entry: dict[str, Any], place: str, names: dict[str, str], notes: Notes) -> None:
    for turn, bids in enumerate(read_list(entry, "bid", place, notes, notes.limits.messages) or []):
        for index, bid in enumerate(bids if type(bids) is list else []):
            if type(bid) is list and bid and type(bid[0]) is str:
                names.setdefault(bid[0], f"{place}/bid/{turn}/{index}")


def _add_logged_debate(
    draft: Draft, entry: dict[str, Any], place: str, number: int, names: dict[str, str]
) -> None:
    notes = draft.notes
    for index, said in enumerate(read_list(entry, "debate", place, notes, notes.limits.messages) or []):
        where = f"{place}/debate/{index}"
        if type(said) is not list or len(said) != 2:
            wrong_type(notes, where, say("a list of a speaker and a log"), said)
            continue
        speaker, log = said
        if type(speaker) is str:
            names.setdefault(speaker, where)
        fields = read_object(log, f"{where}/1", notes)
        result = read_object(fields.get("result"), f"{where}/1/result", notes)
        reason, text = result.get("reasoning"), result.get("say")
        draft.add_message(where, number, speaker, text, fields=_LOGGED_SPEECH, reasoning=reason)


def _add_logged_votes(
    draft: Draft, entry: dict[str, Any], place: str, number: int, names: dict[str, str]
) -> None:
    notes = draft.notes
    polls = read_list(entry, "votes", place, notes, notes.limits.votes) or []
    if not polls:
        return
    where = f"{place}/votes/{len(polls) - 1}"
    if type(polls[-1]) is not list:
        wrong_type(notes, where, say("a list"), polls[-1])
        return
    for index, vote in enumerate(polls[-1]):
        fields = read_object(vote, f"{where}/{index}", notes)
        voter = fields.get("player")
        if type(voter) is str:
            names.setdefault(voter, f"{where}/{index}/player")
        reason = _result(fields.get("log")).get("reasoning")
        draft.add_vote(f"{where}/{index}", number, voter, fields.get("voted_for"), reasoning=reason)


def _result(log: Any) -> dict[str, Any]:
    """What a model answered; empty for anything else."""
    result = log.get("result") if type(log) is dict else None
    return result if type(result) is dict else {}


def _reasons(log: dict[str, Any], key: str) -> dict[tuple[int, str], Any]:
    """The turn or the ballot and the player -> the reason of what they said, or of their vote."""
    listed = log[key] if type(log.get(key)) is list else []
    if key == "debate":
        pairs = [(index, said) for index, said in enumerate(listed) if type(said) is list and len(said) == 2]
        return {(index, str(name)): _result(inner).get("reasoning") for index, (name, inner) in pairs}
    votes = [(index, vote) for index, ballot in enumerate(listed) if type(ballot) is list for vote in ballot]
    return {
        (index, str(vote.get("player"))): _result(vote.get("log")).get("reasoning")
        for index, vote in votes
        if type(vote) is dict
    }


def _add_acts(draft: Draft, log: dict[str, Any], place: str, number: int) -> None:
    """What was done at night, and why; the logs do not say by whom."""
    for act in _ACTS:
        for text in _result(log.get(act)).values():
            draft.add_thought(f"{place}/{act}", number, None, f"{act}: {text}")


def _add_summaries(draft: Draft, log: dict[str, Any], place: str, number: int) -> None:
    listed = log["summaries"] if type(log.get("summaries")) is list else []
    for index, entry in enumerate(listed):
        if type(entry) is list and len(entry) == 2:
            for text in _result(entry[1]).values():
                draft.add_thought(f"{place}/summaries/{index}", number, entry[0], text)
