"""Transcripts for the browser tests: a lively game of 60 messages, a short one, and one written by an enemy."""

from pathlib import Path
from typing import Any

from tests.factories.transcripts import native_game, native_message

AGENTS = (
    ("Marlow", "VILLAGER", "analytical"),
    ("Quill", "MAFIA", "social"),
    ("Juno", "DOCTOR", "cautious"),
    ("Basil", "VILLAGER", "aggressive"),
    ("Tamsin", "MAFIA", "suspicious"),
    ("Orrin", "SEER", "analytical"),
)
OUT = ("Orrin", "Basil", "Quill")

# One line per message: who, "<number" when it answers that message, and what is said. A blank line opens a round.
LIVELY = (Path(__file__).parent / "the_long_table.txt").read_text(encoding="utf-8")

# The ten sentences that refer to the past: message.sentence, and the key of the label that votes and text bear out.
REFERENCES = {
    "20.1": "a",
    "22.1": "a",
    "25.1": "a",
    "29.1": "i",
    "37.1": "i",
    "39.1": "v",
    "43.3": "x",
    "49.2": "a",
    "51.2": "i",
    "58.1": "a",
}
VOTES = (
    "1 Marlow Quill, 1 Quill Orrin, 1 Juno Quill, 1 Basil Orrin, 1 Tamsin Orrin, 1 Orrin Tamsin",
    "2 Marlow Quill, 2 Quill Basil, 2 Juno Basil, 2 Basil Tamsin, 2 Tamsin Basil",
    "3 Marlow Quill, 3 Quill Tamsin, 3 Juno Quill, 3 Tamsin Quill",
    "4 Marlow Tamsin, 4 Juno Tamsin, 4 Tamsin Marlow",
)


def lively_game(game_id: str = "the-long-table", *, rounds: int = 4) -> dict[str, Any]:
    """The long table: 6 agents, 60 messages in 4 rounds, 10 references; the first `rounds` of it (1: none, 2: four)."""
    messages = []
    for number, talk in enumerate(LIVELY.strip().split("\n\n")[:rounds], start=1):
        for line in talk.splitlines():
            who, _, text = line.partition(": ")
            name, _, answered = who.partition(" <")
            turn = len(messages) + 1
            messages.append(
                native_message(
                    turn,
                    name,
                    text,
                    roundNumber=number,
                    inReplyToId=answered or None,
                    timestamp=f"2025-01-15T{10 + turn // 60}:{turn % 60:02}:00Z",
                )
            )
    return native_game(gameId=game_id, players=_players(), messages=messages, votes=_votes(rounds))


def _players() -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "role": role,
            "personality": personality,
            "isAlive": name not in OUT,
            "position": place,
        }
        for place, (name, role, personality) in enumerate(AGENTS, start=1)
    ]


def _votes(rounds: int) -> list[dict[str, Any]]:
    cast = (vote.split() for row in VOTES[:rounds] for vote in row.split(", "))
    return [
        {
            "roundNumber": int(number),
            "voterName": voter,
            "targetName": target,
            "justification": "a feeling",
            "timestamp": None,
        }
        for number, voter, target in cast
    ]


LONG_WORD = 99_000  # the reader takes 100,000 characters a message


def hostile_game(game_id: str = "the-enemy") -> dict[str, Any]:
    """Script tags, controls that turn text around, names that look alike, and a word that never ends."""
    names = ("Ann", "Be\u200ba", "\u0410nn", "<b>Bo</b>", "Eve\u202edab", "Fay")
    texts = (
        "<script>alert('one')</script> I think Fay is lying.",
        "<img src=x onerror=alert(2)> In round 1 nobody voted for <svg onload=alert(3)>.",
        "I trust \u202eevil lla era uoy\u202c because of the evidence.",
        "</bdi></p></article><script src=//127.0.0.1/x.js></script> Earlier Fay said javascript:alert(4)",
        "W" * LONG_WORD,
        "Zero\u200bwidth\u2060joins\ufeff and \u0007bells\u001b[31m and {{ page }} {% now %} ${alert(5)}",
        "\u0627\u0644\u0633\u0644\u0627\u0645 \u2066left\u2069 \u200fright, does Ann believe Ann?",
        "a\u0301" + "\u0336" * 400 + " voted for Ann",
    )
    players = [
        {
            "name": name,
            "role": "<i>MAFIA</i>" if name == "Fay" else "VILLAGER",
            "personality": "analytical'\"><script>alert(6)</script>",
            "isAlive": True,
            "position": place,
        }
        for place, name in enumerate(names, start=1)
    ]
    messages = [
        native_message(turn, names[(turn - 1) % 6], texts[(turn - 1) % 8], roundNumber=1 + (turn > 8))
        for turn in range(1, 17)
    ]
    votes = [
        {
            "roundNumber": 1,
            "voterName": names[0],
            "targetName": names[1],
            "justification": "<script>",
            "timestamp": None,
        }
    ]
    return native_game(gameId=game_id, players=players, messages=messages, votes=votes)
