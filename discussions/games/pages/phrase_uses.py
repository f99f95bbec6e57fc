"""The most used phrases of a game, from its diagnostics."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from discussions.core.records import Player


class PhraseUse(Struct, frozen=True):
    """One of the most used phrases, with its count, its players and its messages."""

    phrase: str
    count: int
    speakers: list[str]
    messages: list[int]
    is_robotic: bool


def phrase_uses(figures: Mapping[str, Any], players: list[Player]) -> list[PhraseUse]:
    """The most used phrases and the robotic ones, each once."""
    robotic = {use["phrase"] for use in figures.get("robotic", [])}
    listed = {use["phrase"]: use for use in [*figures.get("top_phrases", []), *figures.get("robotic", [])]}
    return [
        PhraseUse(
            phrase=phrase,
            count=use["count"],
            speakers=[
                f"{players[speaker['player'] - 1].name} ({speaker['count']})" for speaker in use["speakers"]
            ],
            messages=use["messages"],
            is_robotic=phrase in robotic,
        )
        for phrase, use in listed.items()
    ]
