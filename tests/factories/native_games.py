"""Small native transcripts written for the tests, as values and as bytes. Fuzzing uses them, without Django."""

import json
from typing import Any

TEXTS = (
    "Good morning everybody, who heard something in the night?",
    "I think Bea has been very quiet, and that is a pattern.",
    "Ann voted for Cid in round 1 without any reason.",
    "I agree with Ann, the evidence points to Bea.",
    "Why would you accuse me? I trust Ann since round 1.",
    "Let us vote then, the others were defended by nobody.",
)


def native_game(**changes: Any) -> dict[str, Any]:
    """A proper native game of three players, six messages and two votes; `changes` replace its top keys."""
    names = ("Ann", "Bea", "Cid")
    roles = ("VILLAGER", "MAFIA", "SEER")
    game: dict[str, Any] = {
        "gameId": "game-1",
        "timestamp": "2025-01-15T10:00:00Z",
        "metadata": {
            "cost": {"totalUsd": 1.25, "inputTokens": 90_000, "outputTokens": 8_000, "cacheHitRate": 0.75}
        },
        "players": [
            {"name": name, "role": role, "personality": "analytical", "isAlive": True, "position": position}
            for position, (name, role) in enumerate(zip(names, roles, strict=True), start=1)
        ],
        "messages": [
            native_message(position, names[(position - 1) % 3], text, roundNumber=1 + (position > 3))
            for position, text in enumerate(TEXTS, start=1)
        ],
        "votes": [
            {
                "roundNumber": 1,
                "voterName": "Ann",
                "targetName": "Cid",
                "justification": "too quiet",
                "timestamp": None,
            },
            {
                "roundNumber": 1,
                "voterName": "Bea",
                "targetName": "Ann",
                "justification": "",
                "timestamp": None,
            },
        ],
    }
    return game | changes


def native_message(turn: int, player: str, text: str, **changes: Any) -> dict[str, Any]:
    """One message of a native game."""
    message: dict[str, Any] = {
        "turn": turn,
        "roundNumber": 1,
        "playerName": player,
        "message": text,
        "timestamp": f"2025-01-15T10:{turn % 60:02}:00Z",
        "inReplyToId": None,
        "inReplyToPlayer": None,
    }
    return message | changes


def repeated_messages() -> list[dict[str, Any]]:
    """The six messages of a game, and the first three once more, with the same times and other turns."""
    messages: list[dict[str, Any]] = native_game()["messages"]
    return messages + [
        message | {"turn": 7 + at, "roundNumber": 2} for at, message in enumerate(messages[:3])
    ]


def as_bytes(value: Any) -> bytes:
    """The value as a JSON file."""
    return json.dumps(value, ensure_ascii=True).encode()
