"""The most used phrases of a game, from the second look at them."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from discussions.core.records import Player


class PhraseUse(Struct, frozen=True):
    """One of the most used phrases: how often, by whom, and in which messages."""

    phrase: str
    count: int
    speakers: list[str]
    messages: list[int]
    is_robotic: bool


def phrase_uses(figures: Mapping[str, Any], players: list[Player]) -> list[PhraseUse]:
    """The most used phrases and the robotic ones, each once."""
    robotic = {each["phrase"] for each in figures.get("robotic", [])}
    listed = {each["phrase"]: each for each in [*figures.get("top_phrases", []), *figures.get("robotic", [])]}
    return [
        PhraseUse(
            phrase=phrase,
            count=each["count"],
            speakers=[f"{players[one['player'] - 1].name} ({one['count']})" for one in each["speakers"]],
            messages=each["messages"],
            is_robotic=phrase in robotic,
        )
        for phrase, each in listed.items()
    ]
