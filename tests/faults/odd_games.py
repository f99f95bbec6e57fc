"""Games as nobody expects them, that are in order all the same."""

import random
from typing import Any

from tests.factories.native_games import native_game, native_message

BIDI = "trust \u202eme\u202c, \u2066not\u2069 \u200bher\u200f \U000e0041"
MARKUP = "<script>alert(1)</script> \"'><img src=x onerror=y> {{ 7*7 }} {% load x %} ]]> <!-- --> & &amp; javascript:x"
TEXTS = (
    BIDI,
    MARKUP,
    "nul \0 and a lone \ud800 surrogate, \udfff too",
    "x" * 100_000,
    "a\u0301" * 500,
    "\x1b[31mred\x1b[0m \r over",
    "。！？" * 50,
    "?",
    "...",
    "I voted for you in round 1. You voted for me in round 999999. Nobody voted in round 0.",
    " \u3000 ok \u2028 next \u0085 line\n\n\n\nlast ",
    "म\u0947ं और 😀👩‍👩‍👧 \u202d123",
    "aren't I'm don't—can’t ‘quoted’ “said”" * 40,
)
NAMES = (
    *(
        "A",
        "A B",
        "Ann.",
        "Iam",
        "No",
        "I",
        "The Player",
        "O'Neil",
        "名前",
        "x" * 200,
        "<b>",
        "1",
        "Player 1",
    ),
    *("-", "?!"),
)


def odd_player(name: str, position: int, role: str = "VILLAGER") -> dict[str, Any]:
    """One player of a native game."""
    return {"name": name, "role": role, "personality": "", "isAlive": True, "position": position}


def game_among(names: list[str], texts: list[str], **changes: Any) -> dict[str, Any]:
    """The players say the texts in turn; no votes."""
    players = [
        odd_player(name, number, "MAFIA" if number == 1 else "VILLAGER")
        for number, name in enumerate(names, 1)
    ]
    messages = [native_message(at + 1, names[at % len(names)], text) for at, text in enumerate(texts)]
    return native_game(gameId="odd", players=players, messages=messages, **{"votes": [], **changes})


def any_odd_game(seed: int) -> dict[str, Any]:
    """Another odd game for every number."""
    dice = random.Random(seed)
    names = dice.sample(NAMES, dice.randint(1, 6))
    texts = [_odd_text(dice, names) for _ in range(dice.randint(1, 12))]
    votes = [
        {"roundNumber": dice.randint(1, 3), "voterName": dice.choice(names), "targetName": dice.choice(names),
         "justification": dice.choice(TEXTS[:3]), "timestamp": None}
        for _ in range(dice.randint(0, 4))
    ]  # fmt: skip
    cost = dice.choice(
        ({}, {"totalUsd": None}, {"totalUsd": 0}, {"totalUsd": 99_999.999999, "cacheHitRate": 1})
    )
    return game_among(names, texts, votes=votes, metadata={"cost": cost})


def _odd_text(dice: random.Random, names: list[str]) -> str:
    if dice.random() < 0.6:
        return dice.choice(TEXTS)
    who, whom, that = (dice.choice(names) for _ in range(3))
    return f"{who} voted for {whom} in round {dice.randint(1, 3)}, I think that is {that}."


ACCEPTED = {
    "one message": game_among(["Ann", "Bea", "Cid"], ["I think Bea voted for Cid in round 1."]),
    "one message of one player": game_among(["Ann"], ["Hello?"]),
    "one player": game_among(["Ann"], ["I voted for Ann in round 1.", "Why would I? I trust myself."] * 6),
    "200 players": game_among(
        [f"Player{number}" for number in range(1, 201)],
        [f"I think Player{number} voted for Player{number + 1} in round 1." for number in range(1, 200)],
    ),
    "bidi controls": game_among(["An\u202en", "Bea"], [BIDI, "no"]),
    "nul and lone surrogates": game_among(["A\0nn", "B\ud800ea"], [TEXTS[2], "no"]),
    "a word of 100,000 characters": game_among(["Ann", "Bea"], ["x" * 100_000, "no"]),
    "markup everywhere": game_among(["<b>", "{{ x }}"], [MARKUP, MARKUP]),
    "punctuation only": game_among(["?!", "-"], ["?", "...", "!!!", "。"]),
}
