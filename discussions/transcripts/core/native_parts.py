"""Parts of a native transcript: its cost (missing is never zero), its players, and which message another answers."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

from msgspec import structs

from discussions.core.records import Cost, Message, Player
from discussions.metrics.core.parameters import parse_side
from discussions.transcripts.core.fields import (
    LARGEST,
    describe_type,
    keys,
    read_entries,
    read_flag,
    read_list,
    read_text,
    wrong_type,
)
from discussions.transcripts.core.notes import Notes
from workspace.core.strict_json import NotFinite
from workspace.core.words import mark, say

MOST_USD = 999_999
_SMALLEST = Decimal("0.000001")

# Spellings without case and underscores.
_TOTAL = ("totalusd", "total", "totalcost", "totalcostusd", "costusd", "usd", "cost", "amount")
_INPUT = ("inputtokens", "prompttokens", "tokensin", "input")
_OUTPUT = ("outputtokens", "completiontokens", "tokensout", "output")
_ALL_TOKENS = ("totaltokens", "tokens", "tokencount")
_NO_FIGURE = mark('The cost figure "{name}" should be a number, but {actual} was found. Correct the file.')
_RANGE = mark('The cost figure "{name}" is {value}; a number from 0 to {most:,} was expected. Correct it.')
_NO_WHOLE = mark("A token count should be a whole number, but {value} was found. Correct it.")
_NO_PLAYERS = mark("The game has no players. List everybody who speaks or votes.")
_NO_NAME = mark("The player has no name. Write it as the messages do.")
_TWIN = mark('The player "{name}" {what}. Every player needs a name of their own; rename one.')
_LIKE = mark('cannot be told apart from "{seen}"')
_RATE = ("cachehitrate", "cacherate", "hitrate", "cachehits")


def read_cost(value: Any, pointer: str, notes: Notes) -> Cost:
    """The cost as reported. `value` is the block, a bare number of dollars, or None."""
    if value is None:
        notes.warn("no_cost", pointer)
        return Cost()
    if type(value) in (int, float):
        value = {"totalUsd": value}
    if type(value) is not dict:
        wrong_type(notes, pointer, say("an object, a number of dollars or null"), value)
        return Cost()
    block = _flattened(value)
    total = _amount(block, _TOTAL, pointer, notes, MOST_USD)
    # The sum of the tokens is only checked: it is not kept.
    tokens = [_whole(block, names, pointer, notes) for names in (_INPUT, _OUTPUT, _ALL_TOKENS)]
    rate = _amount(block, _RATE, pointer, notes, 100)
    if rate is not None and rate > 1:
        notes.warn("cache_rate_percent", pointer, rate)
        rate /= 100
    usd = None if total is None else Decimal(repr(total)).quantize(_SMALLEST, ROUND_HALF_EVEN)
    kept = [figure for figure in (usd, *tokens[:2]) if figure is not None]
    if kept and not any(kept):
        notes.warn("cost_all_zero", pointer)
        return Cost()
    if usd is None:
        notes.warn("no_cost", pointer)
    share = None if rate is None else float(rate)
    return Cost(total_usd=usd, input_tokens=tokens[0], output_tokens=tokens[1], cache_hit_rate=share)


def _flattened(value: dict[str, Any]) -> dict[str, Any]:
    """The block with its keys in one spelling; a nested block (`tokens: {input, output}`) is flattened."""
    flat: dict[str, Any] = {}
    for key, part in value.items():
        if type(part) is dict:
            for inner, inner_part in part.items():
                flat.setdefault(inner.replace("_", "").lower(), inner_part)
        else:
            flat[key.replace("_", "").lower()] = part
    return flat


def _amount(
    block: dict[str, Any], names: tuple[str, ...], pointer: str, notes: Notes, most: int
) -> float | None:
    for name in names:
        value = block.get(name)
        if value is None:
            continue
        if type(value) is NotFinite:
            wrong_type(notes, f"{pointer}/{name}", "", value)
            return None
        if type(value) not in (int, float):
            notes.fault("wrong_type", pointer, _NO_FIGURE, name=name, actual=describe_type(value))
            return None
        if not 0 <= value <= most:
            notes.fault("out_of_range", pointer, _RANGE, name=name, value=value, most=most)
            return None
        return value + 0 if type(value) is int else float(value) + 0.0
    return None


def _whole(block: dict[str, Any], names: tuple[str, ...], pointer: str, notes: Notes) -> int | None:
    value = _amount(block, names, pointer, notes, LARGEST)
    if value is None or value == int(value):
        return None if value is None else int(value)
    notes.fault("wrong_type", pointer, _NO_WHOLE, value=value)
    return None


def resolve(
    messages: list[Message], links: list[tuple[int, str, str]], ids: dict[str, int], notes: Notes
) -> None:
    """Resolve links (position, id, place) by ids, else by turns; those to no message count, to later ones not."""
    if links and not ids:
        # Of messages with the same turn, the first one counts.
        with_turn = [message for message in reversed(messages) if message.turn is not None]
        ids = {str(message.turn): message.position for message in with_turn}
    for position, to, pointer in links:
        target, message = ids.get(to), messages[position - 1]
        if target is None:
            notes.warn("unresolved_reply", pointer, to)
            continue
        is_earlier = target < position
        if not is_earlier:
            notes.warn("reply_not_earlier", pointer, to)
        messages[position - 1] = structs.replace(message, has_reply_link=is_earlier, reply_to=target)


MOST_ALIASES = 50
RoleMap = Mapping[str, Sequence[str]]
PLAYER_KEYS = keys("name playerName=name role personality isAlive alive=isAlive position aliases")
_UNSEEN = re.compile("[\u00ad\u034f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]")


def read_players(raw: dict[str, Any], notes: Notes, role_map: RoleMap) -> tuple[list[Player], dict[str, int]]:
    """The players in the order of the file, and their numbers by name."""
    entries = read_list(raw, "players", "", notes, notes.limits.players)
    if entries is None and raw.get("players") is not None:
        return [], {}
    if not entries:
        notes.fault("no_players", "/players", _NO_PLAYERS)
        return [], {}
    players: list[Player] = []
    numbers: dict[str, int] = {}
    seen: dict[str, str] = {}
    for pointer, fields in read_entries(raw, "players", "", notes, notes.limits.players, PLAYER_KEYS):
        player = _player(fields, pointer, notes, role_map)
        if player is None:
            continue
        _note_twin(player.name, pointer, seen, notes)
        players.append(player)
        numbers.setdefault(player.name, len(players))
    for number, player in enumerate(players, start=1):
        for alias in player.aliases:
            _note_twin(alias, f"/players/{number - 1}", seen, notes)
            numbers.setdefault(alias, number)
    if len(entries) == 1:
        notes.warn("one_player", "/players")
    return players, numbers


def _player(raw: dict[str, Any], pointer: str, notes: Notes, role_map: RoleMap) -> Player | None:
    faults_before = notes.fault_count
    most = notes.limits.name_characters
    name = (read_text(raw, "name", pointer, notes, most) or "").strip()
    role = read_text(raw, "role", pointer, notes, most)
    personality = read_text(raw, "personality", pointer, notes, notes.limits.message_characters)
    is_alive = read_flag(raw, "isAlive", pointer, notes)
    aliases = []
    for alias in read_list(raw, "aliases", pointer, notes, MOST_ALIASES) or ():
        text = read_text({"aliases": alias}, "aliases", pointer, notes, most) or ""
        aliases += [text.strip()] if text.strip() else []
    if not name and notes.fault_count == faults_before:
        notes.fault("no_name", f"{pointer}/name", _NO_NAME)
    if not name:
        return None
    if role is None:
        notes.warn("no_role", f"{pointer}/role")
    elif role_map and parse_side(role, role_map) is None:
        notes.warn("unknown_role", f"{pointer}/role", role)
    return Player(name=name, role=role, personality=personality, is_alive=is_alive, aliases=aliases)


def name_key(name: str) -> str:
    """A key that is equal for names that differ only in case, width or invisible characters."""
    return unicodedata.normalize("NFKC", _UNSEEN.sub("", name)).casefold()


def _note_twin(name: str, pointer: str, seen: dict[str, str], notes: Notes) -> None:
    key = name_key(name)
    if key not in seen:
        seen[key] = name
        return
    what = say("is named twice") if seen[key] == name else say(_LIKE, seen=seen[key])
    notes.fault("duplicate_player", f"{pointer}/name", _TWIN, name=name, what=what)
