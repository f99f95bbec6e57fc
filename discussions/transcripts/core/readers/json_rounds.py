"""What a level of a JSON value says of the rounds of its game: numbers in keys, objects around messages, votes."""

import re
from collections.abc import Iterable
from typing import Any

from discussions.transcripts.core.audience import looks_like_audience, words_of
from discussions.transcripts.core.readers.chat_lines import ARROW
from discussions.transcripts.core.readers.columns import ANY, PLAYER, field_of, suggest_fields

ROUNDS = frozenset(
    "round rounds day days phase phases round_number roundnumber day_number daynumber turn".split()
)
# "day_2", "Round 1"; a number alone is a round in an object of rounds.
_ROUND_KEY = re.compile(r"(?P<kind>day|round)?[\W_]{0,3}(?P<number>\d{1,3})", re.IGNORECASE)
_IN_KEY = re.compile(r"\d{1,3}")
# What is numbered and no round, beside players and games.
_SEATS = frozenset("seat seats model models bot bots npc npcs team teams p m msg message messages id".split())
# What a round is called, and its number, beside the known names of columns.
_NAME_KEYS = ("name", "title", "label", "type")
_NUMBER_KEYS = ("number", "index", "id")
_HAS_NUMBER = re.compile(r"\d")


def round_of_key(key: str, pointer: str, beside: Iterable[str], around: dict[str, Any]) -> dict[str, Any]:
    """The round that a key names: "day_2", a number in an object of rounds, or one in keys that differ in it alone."""
    found = _ROUND_KEY.fullmatch(key)
    if found and (found["kind"] or pointer.rpartition("/")[2].casefold() in ROUNDS):
        return {"round": int(found["number"])}
    number, shape = _IN_KEY.findall(key), _IN_KEY.sub(ANY, key)
    is_counted = len(number) == 1 and "round" not in around and is_series(shape)
    others = (other for other in beside if other != key and _IN_KEY.sub(ANY, other) == shape)
    return {"round": int(number[0])} if is_counted and any(others) else {}


def is_series(shape: str) -> bool:
    """Whether what is counted, "cycle_*", may be the rounds, and no players, games or channels."""
    words = words_of(shape)
    is_known = any(field_of(word) in (PLAYER, "game") for word in words)
    return not is_known and _SEATS.isdisjoint(words) and not looks_like_audience(shape)


def round_of(item: dict[str, Any], index: int, around: dict[str, Any]) -> dict[str, Any]:
    """What an object around messages says of them: their round, else its place in the list, and their phase."""
    plain = {key: part for key, part in item.items() if type(part) in (str, int) and part != ""}
    fields = suggest_fields(list(plain))
    phase = next((plain[key] for key in (fields.get("phase"), *_NAME_KEYS) if key in plain), None)
    number = plain.get(
        fields.get("round", ""), next((plain[key] for key in _NUMBER_KEYS if key in plain), None)
    )
    # A phase of a round is not counted as one.
    if number is None and "round" not in around and not _HAS_NUMBER.search(str(phase or "")):
        number = index + 1
    found = {"round": number, "phase": phase}
    return around | {key: part for key, part in found.items() if part is not None}


def casts(part: Any) -> list[tuple[str, str]]:
    """The voter and the target of each vote, where they are an object by player, or texts such as "Ann -> Bea"."""
    if type(part) is dict:
        return list(part.items()) if all(type(target) is str for target in part.values()) else []
    found = [ARROW.fullmatch(said) for said in part if type(said) is str] if type(part) is list else []
    return [(arrow["voter"], arrow["target"]) for arrow in found if arrow]
