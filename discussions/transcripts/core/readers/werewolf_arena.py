"""The games of Werewolf Arena (github.com/google/werewolf_arena): the state of a game, or the logs of its rounds.

What players observe, summarise and reason is private: in the state their memories, in the logs their reasons.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from zlib import crc32

from discussions.transcripts.core.fields import (
    as_list,
    as_object,
    as_objects,
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
from workspace.core.json_faults import build_pointer
from workspace.core.words import mark, say

SIDES = {"Villager": VILLAGER, "Seer": VILLAGER, "Doctor": VILLAGER, "Werewolf": MAFIA}
# Of these files, the first one in a folder is read.
LOGS = "game_logs.json"
FILES = ("game_complete.json", "game_partial.json", LOGS)
_STATE = frozenset(("session_id", "seer", "doctor", "villagers", "werewolves", "rounds"))
_LOG = frozenset(("eliminate", "investigate", "protect", "bid", "debate", "votes", "summaries"))
_ENOUGH = 3
_STOPPED = mark('The game stopped with an error: "{what}". What was said until then is read.')
_NO_FILE = mark("The folder has none of the files {files}. Add one of them.")
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
        notes.fault("no_file", "", _NO_FILE, files=", ".join(FILES))
        return None
    document = read_inside(files[name], name, notes)
    # What is wrong with the logs beside a state refuses no game: only reasons are read of them.
    logs = read_inside(files.get(LOGS, b"[]"), LOGS, notes.apart()).value
    return _convert(document.value, notes, f"{name} ", logs) if document.is_readable else None


def _convert(value: Any, notes: Notes, base: str, logs: Any) -> dict[str, Any] | None:
    """`base` comes before each pointer: "" or the file's name and a space. `logs` belong to the state."""
    if type(value) not in (list, dict):
        wrong_type(notes, base.strip(), say("an object with rounds, or a list of rounds"), value)
        return None
    draft = Draft(notes, None)
    if type(value) is list:
        for index, entry in enumerate(value):
            _add_round(draft, f"{base}/{index}", index + 1, entry, [], entry)
        # The logs alone name no players: these are those who bid, speak or vote, in order of first appearance.
        for name, place in draft.named.items():
            draft.add_player(place, name, None, None)
    else:
        _convert_state(draft, value, base, as_list(logs))
    draft.game["gameId"] = _find_id(draft)
    return draft.game


def _find_id(draft: Draft) -> str:
    """The name of the folder or file; where all have it (as they have session_id), a number made from the messages."""
    name = draft.notes.source
    if name and f"{name}.json" not in FILES:
        return name
    messages = (part for part in draft.game["messages"] if part.get("audience") is None)
    texts = (message["message"] for message in messages)
    said = "\n".join(text for text in texts if type(text) is str)
    return f"game-{crc32(said.encode('utf-8', 'surrogatepass')):08x}"


def _convert_state(draft: Draft, value: dict[str, Any], base: str, logs: list[Any]) -> None:
    notes = draft.notes
    players = read_object(value.get("players"), f"{base}/players", notes)
    for name, player in players.items():
        place = f"{base}/players{build_pointer([name])}"
        fields = read_object(player, place, notes)
        keys, most = ("role", "model", "personality"), notes.limits.name_characters
        about = join_texts(*(read_text(fields, key, place, notes, most) for key in keys))
        draft.add_player(place, fields.get("name", name), find_side(fields.get("role"), SIDES), about)
    rounds = read_list(value, "rounds", base, notes, notes.limits.messages) or []
    last = len(rounds) - 1
    memories = [memory for key, player in players.items() for memory in _memories(key, player, last)]
    for index, entry in enumerate(rounds):
        own = [(name, text) for number, name, text in memories if number == index]
        log = as_object(logs[index]) if index < len(logs) else {}
        _add_round(draft, f"{base}/rounds/{index}", index + 1, entry, own, log)
    draft.game["winner"] = value.get("winner")
    error = read_text(value, "error_message", base, notes, notes.limits.message_characters)
    if error:
        notes.warn("game_stopped", f"{base}/error_message", error, says=_STOPPED)


def _memories(key: str, player: Any, last: int) -> Iterator[tuple[int, Any, str]]:
    """What a player remembers of each round, from 0, that not everybody knows, and why they bid in the end."""
    fields = as_object(player)
    name = fields.get("name", key)
    for text in as_list(fields.get("observations")):
        if type(text) is str and (memory := _MEMORY.fullmatch(text)):
            yield int(memory[1]), name, memory[2]
    reason, number = fields.get("bidding_rationale"), as_object(fields.get("gamestate")).get("round_number")
    if type(reason) is str and not reason.isdecimal() and type(number) is int:
        yield min(number, last), name, reason


def _add_round(
    draft: Draft, place: str, number: int, entry: Any, memories: list[tuple[Any, str]], log: Any
) -> None:
    """Debate and last ballot of a round, between memories of its night and its end; `log` is what models answered."""
    if type(entry) is not dict:
        wrong_type(draft.notes, place, say("an object"), entry)
        return
    at_night = [(place, name, text) for name, text in memories if text.startswith(_AT_NIGHT)]
    acts = ((act, text) for act in _ACTS for text in _result(log.get(act)).values())
    for where, name, text in [*at_night, *((f"{place}/{act}", None, f"{act}: {text}") for act, text in acts)]:
        draft.add_thought(where, number, name, text)
    _note_bidders(draft, entry, place)
    _add_debate(draft, place, number, entry, log)
    _add_ballot(draft, place, number, entry, log)
    for name, text in (memory for memory in memories if not memory[1].startswith(_AT_NIGHT)):
        draft.add_thought(place, number, name, text)
    summaries = [entry for entry in as_list(log.get("summaries")) if type(entry) is list and len(entry) == 2]
    for index, (name, answer) in enumerate(summaries):
        for text in _result(answer).values():
            draft.add_thought(f"{place}/summaries/{index}", number, name, text)
    killed, exiled = entry.get("eliminated"), entry.get("exiled")
    if killed is not None and killed != entry.get("protected"):
        draft.add_elimination(f"{place}/eliminated", number, killed, KILLED)
    if exiled is not None:
        draft.add_elimination(f"{place}/exiled", number, exiled, VOTED_OUT)


def _note_bidders(draft: Draft, entry: dict[str, Any], place: str) -> None:
    most = draft.notes.limits.messages
    for turn, bids in enumerate(read_list(entry, "bid", place, draft.notes, most) or []):
        for index, bid in enumerate(as_list(bids)):
            if type(bid) is list and bid and type(bid[0]) is str:
                draft.named.setdefault(bid[0], f"{place}/bid/{turn}/{index}")


def _add_debate(draft: Draft, place: str, number: int, entry: dict[str, Any], log: dict[str, Any]) -> None:
    notes, answers = draft.notes, as_list(log.get("debate"))
    for index, said in enumerate(read_list(entry, "debate", place, notes, notes.limits.messages) or []):
        where = f"{place}/debate/{index}"
        if type(said) is not list or len(said) != 2:
            wrong_type(notes, where, say("a list of a speaker and a text"), said)
            continue
        name, text = said
        answer = as_list(answers[index]) if index < len(answers) else []
        result = _result(answer[1]) if len(answer) == 2 and answer[0] == name else {}
        fields = _SPEECH
        if entry is log:
            fields, text = _LOGGED_SPEECH, result.get("say")
        if type(name) is str:
            draft.named.setdefault(name, where)
        draft.add_message(where, number, name, text, fields=fields, reasoning=result.get("reasoning"))


def _add_ballot(draft: Draft, place: str, number: int, entry: dict[str, Any], log: dict[str, Any]) -> None:
    """The last ballot; if the round broke off before the exile, that is a poll like the others."""
    notes = draft.notes
    polls = read_list(entry, "votes", place, notes, notes.limits.votes) or []
    if not polls or (entry.get("success") is False and entry.get("exiled") is None):
        return
    where, ballots = f"{place}/votes/{len(polls) - 1}", as_list(log.get("votes"))
    logged = as_list(ballots[len(polls) - 1]) if len(polls) <= len(ballots) else []
    answers = {str(vote.get("player")): _result(vote.get("log")) for vote in as_objects(logged)}
    reasons = {name: answer.get("reasoning") for name, answer in answers.items()}
    for name, target in read_object(polls[-1], where, notes).items() if entry is not log else ():
        draft.add_vote(f"{where}{build_pointer([name])}", number, name, target, reasoning=reasons.get(name))
    polled = {"votes": polls[-1]} if entry is log else {}
    for index, vote in enumerate(read_list(polled, "votes", where, notes, notes.limits.votes) or []):
        fields = read_object(vote, f"{where}/{index}", notes)
        voter = fields.get("player")
        if type(voter) is str:
            draft.named.setdefault(voter, f"{where}/{index}/player")
        reason = reasons.get(str(voter))
        draft.add_vote(f"{where}/{index}", number, voter, fields.get("voted_for"), reasoning=reason)


def _result(log: Any) -> dict[str, Any]:
    """What a model answered; empty for anything else."""
    return as_object(as_object(log).get("result"))
