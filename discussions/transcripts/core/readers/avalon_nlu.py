"""The games of Avalon-NLU (github.com/sstepput/Avalon-NLU): one JSON object with users, messages and labels."""

from typing import Any

from discussions.transcripts.core.fields import as_object, read_object
from discussions.transcripts.core.notes import Notes
from discussions.transcripts.core.readers.draft import MAFIA, VILLAGER, Draft, find_side
from workspace.core.json_faults import build_pointer

SIDES = dict.fromkeys("merlin percival servant".split(), VILLAGER) | dict.fromkeys(
    "assassin morgana mordred oberon minion".split(), MAFIA
)
_KEYS = frozenset(("users", "messages", "beliefs", "persuasion"))
_FIELDS = {"roundNumber": "/quest", "playerName": "/player", "message": "/msg"}
_MOST_DIGITS = 9
# What the system says of the side that has won.
_WINS = {"evil wins": "evil", "forces of good win": "good"}


def recognises(value: Any) -> bool:
    """Whether it has two of the four keys of a game, and no list or other messages under one that holds an object."""
    found = _KEYS & value.keys() if type(value) is dict else set()
    held = [value[key] for key in ("users", "messages") if key in found]
    first = next(iter(as_object(held[-1]).values()), {"msg": ""}) if held else {"msg": ""}
    are_ours = "messages" not in found or "msg" in as_object(first)
    return len(found) >= 2 and not any(type(part) is list for part in held) and are_ours


def to_native(value: Any, notes: Notes) -> dict[str, Any] | None:
    """The native game of one object. The file gives a game no id: it is the file's name."""
    draft = Draft(notes, notes.source)
    game = read_object(value, "", notes)
    for key, user in read_object(game.get("users"), "/users", notes).items():
        place = f"/users{build_pointer([key])}"
        fields = read_object(user, place, notes)
        role = fields.get("role")
        # Two servants are called servant-1 and servant-2.
        plain = role.partition("-")[0] if type(role) is str else role
        side = find_side(plain, SIDES)
        draft.add_player(place, fields.get("name"), role if side == plain else side, role)
    messages = read_object(game.get("messages"), "/messages", notes)
    is_numbered = all(key.isascii() and key.isdecimal() and len(key) <= _MOST_DIGITS for key in messages)
    for key in sorted(messages, key=int) if is_numbered else messages:
        place = f"/messages{build_pointer([key])}"
        fields = read_object(messages[key], place, notes)
        text = fields.get("msg")
        if fields.get("player") != "system":
            draft.add_message(place, fields.get("quest"), fields.get("player"), text, fields=_FIELDS)
        elif type(text) is str:
            won = next((side for said, side in _WINS.items() if said in text.casefold()), None)
            draft.game["winner"] = won or draft.game.get("winner")
    return draft.game
