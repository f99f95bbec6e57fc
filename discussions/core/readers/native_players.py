"""The players of a native transcript: names that can be told apart, roles and personalities as the file has them."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from discussions.core.readers.fields import flag_of, keys, known_keys, objects_of, text_of, wrong_type
from discussions.core.readers.notes import Notes
from discussions.core.records import Player
from discussions.core.roles import side_of

RoleMap = Mapping[str, Sequence[str]]

PLAYER_KEYS = keys("name role personality isAlive position", alive="isAlive", playerName="name")
_UNSEEN = re.compile("[\u00ad\u034f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]")


def read_players(raw: dict[str, Any], notes: Notes, role_map: RoleMap) -> tuple[list[Player], dict[str, int]]:
    """The players in the order of the file, and their numbers by name."""
    entries = objects_of(raw, "players", "", notes, notes.limits.players)
    if entries is None and raw.get("players") is not None:
        return [], {}
    if not entries:
        notes.fault("no_players", "/players", "The game has no players. List everybody who speaks or votes.")
        return [], {}
    players: list[Player] = []
    numbers: dict[str, int] = {}
    seen: dict[str, str] = {}
    for index, entry in enumerate(entries):
        pointer = f"/players/{index}"
        if type(entry) is not dict:
            wrong_type(notes, pointer, "an object", entry)
            continue
        player = _player(known_keys(entry, PLAYER_KEYS, pointer, notes), pointer, notes)
        if player is None:
            continue
        _note_role(player.role, pointer, notes, role_map)
        _note_twin(player.name, pointer, seen, notes)
        players.append(player)
        numbers.setdefault(player.name, len(players))
    if len(entries) == 1:
        notes.warn("one_player", "/players")
    return players, numbers


def _player(raw: dict[str, Any], pointer: str, notes: Notes) -> Player | None:
    faults_before = notes.fault_count
    most = notes.limits.name_characters
    name = (text_of(raw, "name", pointer, notes, most) or "").strip()
    role = text_of(raw, "role", pointer, notes, most)
    personality = text_of(raw, "personality", pointer, notes, notes.limits.message_characters)
    is_alive = flag_of(raw, "isAlive", pointer, notes)
    if not name and notes.fault_count == faults_before:
        notes.fault("no_name", f"{pointer}/name", "The player has no name. Write it as the messages do.")
    if not name:
        return None
    return Player(name=name, role=role, personality=personality, is_alive=is_alive)


def _note_role(role: str | None, pointer: str, notes: Notes, role_map: RoleMap) -> None:
    if role is None:
        notes.warn("no_role", f"{pointer}/role")
    elif role_map and side_of(role, role_map) is None:
        notes.warn("unknown_role", f"{pointer}/role", role)


def _note_twin(name: str, pointer: str, seen: dict[str, str], notes: Notes) -> None:
    """Two names that a reader cannot tell apart (case, width, unseen characters) are a fault."""
    key = unicodedata.normalize("NFKC", _UNSEEN.sub("", name)).casefold()
    if key not in seen:
        seen[key] = name
        return
    what = "is named twice" if seen[key] == name else f'cannot be told apart from "{seen[key]}"'
    sentence = f'The player "{name}" {what}. Every player needs a name of their own; rename one.'
    notes.fault("duplicate_player", f"{pointer}/name", sentence)
