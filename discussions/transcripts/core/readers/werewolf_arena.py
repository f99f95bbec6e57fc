"""The games of Werewolf Arena (github.com/google/werewolf_arena): the state of a game, or the logs of its rounds.

A session folder holds `game_complete.json` (`game_partial.json` after an error) and `game_logs.json`. The state holds
everything that is read. The logs alone have no roles. Bids, summaries, the reasons in the logs and all votes of a round
but the last, which are polls during the debate, are left out.
"""

from collections.abc import Mapping, Sequence
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
FILES = ("game_complete.json", "game_partial.json", "game_logs.json")
_STATE = frozenset(("session_id", "seer", "doctor", "villagers", "werewolves", "rounds"))
_LOG = frozenset(("eliminate", "investigate", "protect", "bid", "debate", "votes", "summaries"))
_ENOUGH = 3
_STOPPED = mark_many(
    'The game stopped with an error: "{what}". What was said until then is read.',
    "The game stopped with {count} errors. What was said until then is read.",
)
_SPEECH = {"playerName": "/0", "message": "/1"}
_LOGGED_SPEECH = {"playerName": "/0", "message": "/1/result/say"}


def recognises(value: Any) -> bool:
    """Whether it is the state of a game, or the list of its rounds' logs."""
    if type(value) is list:
        return any(type(item) is dict and len(_LOG & item.keys()) >= _ENOUGH for item in value[:20])
    return type(value) is dict and len(_STATE & value.keys()) >= _ENOUGH


def recognises_files(names: Sequence[str]) -> bool:
    return any(name in FILES for name in names)


def to_native(value: Any, notes: Notes) -> dict[str, Any] | None:
    return _convert(value, notes, "")


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
    return _convert(document.value, notes, f"{name} ") if document.is_readable else None


def _convert(value: Any, notes: Notes, base: str) -> dict[str, Any] | None:
    """`base` comes before each pointer: "" or the file's name and a space."""
    if type(value) is list:
        return _convert_logs(value, notes, base)
    if type(value) is dict:
        return _convert_state(value, notes, base)
    wrong_type(notes, base.strip(), say("an object with rounds, or a list of rounds"), value)
    return None


def _find_id(draft: Draft) -> str:
    """The name of the folder or the file; if all games have that name, a number derived from the messages.

    The program gives every game the same session_id, so it cannot distinguish them.
    """
    name = draft.notes.source
    if name and f"{name}.json" not in FILES:
        return name
    texts = (message["message"] for message in draft.game["messages"])
    said = "\n".join(text for text in texts if type(text) is str)
    return f"game-{crc32(said.encode('utf-8', 'surrogatepass')):08x}"


def _convert_state(value: dict[str, Any], notes: Notes, base: str) -> dict[str, Any]:
    draft = Draft(notes, None)
    notes.translate("/players", f"{base}/players")
    notes.translate("/messages", f"{base}/rounds")
    for name, player in read_object(value.get("players"), f"{base}/players", notes).items():
        _add_player(draft, f"{base}/players{build_pointer([name])}", name, player)
    rounds = read_list(value, "rounds", base, notes, notes.limits.messages) or []
    for index, entry in enumerate(rounds):
        _add_round(draft, f"{base}/rounds/{index}", index + 1, entry)
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


def _add_round(draft: Draft, place: str, number: int, entry: Any) -> None:
    notes = draft.notes
    if type(entry) is not dict:
        wrong_type(notes, place, say("an object"), entry)
        return
    for index, said in enumerate(read_list(entry, "debate", place, notes, notes.limits.messages) or []):
        where = f"{place}/debate/{index}"
        if type(said) is list and len(said) == 2:
            draft.add_message(where, number, said[0], said[1], fields=_SPEECH)
        else:
            wrong_type(notes, where, say("a list of a speaker and a text"), said)
    killed, exiled = entry.get("eliminated"), entry.get("exiled")
    polls = read_list(entry, "votes", place, notes, notes.limits.votes) or []
    # If a round broke off before the exile, the last ballot is a poll like the others.
    if polls and (entry.get("success") is not False or exiled is not None):
        where = f"{place}/votes/{len(polls) - 1}"
        for voter, target in read_object(polls[-1], where, notes).items():
            draft.add_vote(f"{where}{build_pointer([voter])}", number, voter, target)
    if killed is not None and killed != entry.get("protected"):
        draft.add_elimination(f"{place}/eliminated", number, killed, KILLED)
    if exiled is not None:
        draft.add_elimination(f"{place}/exiled", number, exiled, VOTED_OUT)


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
        _add_logged_debate(draft, entry, place, index + 1, names)
        _add_logged_votes(draft, entry, place, index + 1, names)
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
        draft.add_message(where, number, speaker, result.get("say"), fields=_LOGGED_SPEECH)


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
        draft.add_vote(f"{where}/{index}", number, voter, fields.get("voted_for"))
