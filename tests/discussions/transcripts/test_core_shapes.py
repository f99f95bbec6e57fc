"""Games written in many shapes come in as the same game, or with a question; nothing private is ever public."""

import csv
import io
import json
import random
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from discussions.core.records import GameRecord
from discussions.transcripts.core.reader import read_transcripts

NAMES = ("Ann", "Bea", "Cid", "Dora", "Eve", "Finn")
WORDS = "I trust you because round vote for nobody was quiet and said lies wolf village think again why not".split()
SPEAKER = ("player", "speaker", "playerName", "agent", "author", "sender", "name", "player_id", "from")
TEXT = ("text", "message", "content", "utterance", "speech", "body")
ROUND = ("round", "day", "round_number", "roundNumber")


class Line(msgspec.Struct):
    """A row of a made-up game: `kind` is speech, thought, private or vote; `target` a player."""

    kind: str
    round: int
    player: str
    text: str = ""
    target: str = ""


class Made(msgspec.Struct):
    roles: dict[str, str]
    lines: list[Line]

    def of(self, *kinds: str) -> list[Line]:
        return [line for line in self.lines if line.kind in kinds]


def make_game(pick: random.Random, *, has_private: bool = True) -> Made:
    names = list(NAMES[: pick.randint(3, 6)])
    lines = []
    for number in range(1, pick.randint(2, 4)):
        for index, name in enumerate(pick.sample(names, len(names))):
            # A canary marks what nobody but its author, or one other, could know.
            said = f"{' '.join(pick.choices(WORDS, k=pick.randint(2, 9)))} {number}{index}."
            if has_private and pick.random() < 0.4:
                lines.append(Line("thought", number, name, f"CANARY {said}"))
            if has_private and pick.random() < 0.3:
                other = pick.choice([player for player in names if player != name])
                lines.append(Line("private", number, name, f"CANARY {said}", other))
            lines.append(Line("speech", number, name, said))
        for name in names:
            lines.append(
                Line("vote", number, name, target=pick.choice([one for one in names if one != name]))
            )
    return Made({name: pick.choice(("MAFIA", "VILLAGER", "SEER")) for name in names}, lines)


def keys_of(pick: random.Random) -> tuple[str, str, str]:
    return pick.choice(SPEAKER), pick.choice(TEXT), pick.choice(ROUND)


def players_of(made: Made) -> list[dict[str, str]]:
    return [{"name": name, "role": role} for name, role in made.roles.items()]


def votes_of(lines: list[Line], **more: Any) -> list[dict[str, Any]]:
    return [{"round": line.round, "voter": line.player, "target": line.target} | more for line in lines]


def as_native(made: Made, pick: random.Random) -> bytes:
    messages = []
    for line in made.of("speech", "thought", "private"):
        who = {"speech": "all", "thought": "nobody", "private": [line.target]}[line.kind]
        messages.append(
            {"roundNumber": line.round, "playerName": line.player, "message": line.text, "audience": who}
        )
    game = {
        "gameId": "g",
        "players": players_of(made),
        "messages": messages,
        "votes": votes_of(made.of("vote")),
    }
    return json.dumps(game).encode()


def with_recipients(made: Made, pick: random.Random) -> list[dict[str, Any]]:
    speaker, text, number = keys_of(pick)
    key = pick.choice(("recipient", "audience", "visible_to", "to"))
    rows = []
    for line in made.of("speech", "thought", "private"):
        who = {"speech": "all", "thought": "self", "private": line.target}[line.kind]
        listed = [who] if pick.random() < 0.2 else who
        rows.append({number: line.round, speaker: line.player, key: listed, text: line.text})
    return rows


def as_recipients(made: Made, pick: random.Random) -> bytes:
    game = {"id": "g", "players": players_of(made), "messages": with_recipients(made, pick)}
    return json.dumps(game | {"votes": votes_of(made.of("vote"))}, indent=pick.choice((None, 2))).encode()


def as_phases(made: Made, pick: random.Random) -> bytes:
    speaker, text, number = keys_of(pick)
    words = {
        "speech": pick.choice(("speech", "discussion", "public", "day talk")),
        "thought": pick.choice(
            ("thought", "inner monologue", "scratchpad", "reasoning", "Gedanken", "内心独白")
        ),
        "private": pick.choice(("dm", "whisper", "night", "private_chat", "wolves")),
    }
    key = pick.choice(("phase", "channel", "type", "visibility"))
    rows = [
        {number: line.round, key: words[line.kind], speaker: line.player, text: line.text}
        for line in made.of("speech", "thought", "private")
    ]
    game = {"id": "g", "roles": made.roles, pick.choice(("messages", "log", "events", "data")): rows}
    return json.dumps(game | {"votes": votes_of(made.of("vote"))}, ensure_ascii=False).encode()


def as_rounds(made: Made, pick: random.Random) -> bytes:
    speaker, text, _number = keys_of(pick)
    inside, numbers = (
        pick.choice(("messages", "discussion", "talk")),
        sorted({line.round for line in made.lines}),
    )
    rounds = []
    for number in numbers:
        own = [line for line in made.lines if line.round == number]
        block: dict[str, Any] = {pick.choice(("round", "number", "day")): number}
        block[inside] = [{speaker: line.player, text: line.text} for line in own if line.kind == "speech"]
        hidden = [line for line in own if line.kind in ("thought", "private")]
        if hidden:
            block[pick.choice(("thoughts", "private_messages", "scratchpad"))] = [
                {speaker: line.player, text: line.text} for line in hidden
            ]
        block["votes"] = [
            {"voter": line.player, "target": line.target} for line in own if line.kind == "vote"
        ]
        rounds.append(block)
    game = {"id": "g", "players": players_of(made), pick.choice(("rounds", "days", "phases")): rounds}
    return json.dumps({"data": game} if pick.random() < 0.3 else game, indent=pick.choice((None, 1))).encode()


def typed_rows(made: Made, pick: random.Random) -> list[dict[str, Any]]:
    _speaker, text, number = keys_of(pick)
    words = {
        "speech": pick.choice(("speech", "conversation", "chat_message", "statement")),
        "thought": pick.choice(("thought", "internal_reasoning", "scratchpad")),
        "private": pick.choice(("private", "whisper", "dm", "night_chat")),
        "vote": pick.choice(("vote", "cast_vote", "ballot")),
    }
    rows = []
    for line in made.lines:
        row: dict[str, Any] = {"game_id": "g", "type": words[line.kind], number: line.round}
        if line.kind == "vote":
            row |= {"voter": line.player, "target": line.target}
        else:
            row |= {"player": line.player, "role": made.roles[line.player], text: line.text}
        rows.append(row)
    return rows


def as_typed_lines(made: Made, pick: random.Random) -> bytes:
    return "\n".join(map(json.dumps, typed_rows(made, pick))).encode()


def as_typed_values(made: Made, pick: random.Random) -> bytes:
    return "\n".join(json.dumps(row, indent=1) for row in typed_rows(made, pick)).encode()


def as_table(made: Made, pick: random.Random) -> bytes:
    rows = typed_rows(made, pick)
    names = list(dict.fromkeys(key for row in rows for key in row))
    out = io.StringIO()
    table = csv.DictWriter(out, names, delimiter=pick.choice(",;\t"))
    table.writeheader()
    table.writerows(rows)
    return out.getvalue().encode(pick.choice(("utf-8", "utf-8-sig")))


def as_flags(made: Made, pick: random.Random) -> bytes:
    speaker, text, number = keys_of(pick)
    key, is_public = pick.choice((("is_private", False), ("public", True), ("private", False)))
    rows = [
        {"game": "g", number: line.round, speaker: line.player, text: line.text}
        | {key: (line.kind == "speech") == is_public, "role": made.roles[line.player]}
        for line in made.of("speech", "thought", "private")
    ]
    return json.dumps(rows).encode()


def as_beside(made: Made, pick: random.Random) -> bytes:
    """Thoughts beside the text of their author's next message."""
    speaker, text, number = keys_of(pick)
    key = pick.choice(("reasoning", "thought", "inner_monologue", "scratchpad", "private_thoughts"))
    rows, waiting = [], ""
    for line in made.of("speech", "thought"):
        if line.kind == "thought":
            waiting = line.text
            continue
        row = {number: line.round, speaker: line.player, text: line.text, "role": made.roles[line.player]}
        rows.append(row | ({key: waiting} if waiting else {}))
        waiting = ""
    return json.dumps({"id": "g", "transcript": rows, "votes": votes_of(made.of("vote"))}).encode()


def as_payloads(made: Made, pick: random.Random) -> bytes:
    """Rows of events, each with its facts in an object of its own."""
    outer, inner = (
        pick.choice(("event", "type", "eventType", "kind")),
        pick.choice(("data", "payload", "details")),
    )
    rows = []
    for row in typed_rows(made, pick):
        kept = {key: row[key] for key in ("game_id", *ROUND) if key in row}
        rest = {key: value for key, value in row.items() if key not in kept and key != "type"}
        rows.append({outer: row["type"], **kept, inner: rest})
    pack = pick.choice(("lines", "list"))
    return json.dumps(rows).encode() if pack == "list" else "\n".join(map(json.dumps, rows)).encode()


def as_ids(made: Made, pick: random.Random) -> bytes:
    """Messages name players by the ids of the list of players."""
    ids = {name: f"p{number}" for number, name in enumerate(made.roles, start=1)}
    key = pick.choice(("playerId", "player_id", "speakerId", "from", "agent_id"))
    who = {"speech": "all", "thought": "self"}
    rows = [
        {"round": line.round, key: ids[line.player], "text": line.text}
        | {"recipient": who.get(line.kind) or ids[line.target]}
        for line in made.of("speech", "thought", "private")
    ]
    players = [player | {"id": ids[player["name"]]} for player in players_of(made)]
    votes = [{"round": row.round, "voter": row.player, "target": row.target} for row in made.of("vote")]
    return json.dumps({"id": "g", "players": players, "messages": rows, "votes": votes}).encode()


def as_list_of_rounds(made: Made, pick: random.Random) -> bytes:
    speaker, text, number = keys_of(pick)
    rounds = [
        {
            number: one,
            "messages": [
                {speaker: line.player, text: line.text, "role": made.roles[line.player]}
                for line in made.of("speech")
                if line.round == one
            ],
        }
        for one in sorted({line.round for line in made.lines})
    ]
    return json.dumps(rounds).encode()


# Each shape, with what it does not carry.
SHAPES: list[tuple[Callable[[Made, random.Random], bytes], frozenset[str]]] = [
    (as_native, frozenset()),
    (as_recipients, frozenset()),
    (as_phases, frozenset()),
    (as_rounds, frozenset()),
    (as_typed_lines, frozenset()),
    (as_typed_values, frozenset()),
    (as_table, frozenset()),
    (as_flags, frozenset(("votes",))),
    (as_beside, frozenset(("private",))),
    (as_payloads, frozenset()),
    (as_ids, frozenset()),
    (as_list_of_rounds, frozenset(("votes", "private"))),
]


def said(record: GameRecord) -> list[tuple[int, str, str]]:
    names = [player.name for player in record.players]
    return [(message.round, names[message.player - 1], message.text) for message in record.messages]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(("shape", "lacks"), SHAPES, ids=[shape.__name__ for shape, _lacks in SHAPES])
def test_a_game_in_any_shape_is_the_same_game(shape, lacks, seed):
    pick = random.Random(f"{shape.__name__} {seed}")
    made = make_game(pick)
    read = read_transcripts(shape(made, pick), "g.json")
    assert "CANARY" not in json.dumps([fault.message for fault in read.faults])
    # A question is an answer, too; a fault, or another game, is none.
    if not read.games:
        assert {fault.code for fault in read.faults} == {"unknown_columns"}, read.faults
        return
    (game,) = read.games
    record, public = game.record, msgspec.json.encode(game.record)
    assert b"CANARY" not in public and "CANARY" not in json.dumps([fault.message for fault in game.warnings])
    assert said(record) == [(line.round, line.player, line.text) for line in made.of("speech")]
    assert {player.name: player.role for player in record.players} == made.roles
    if "votes" not in lacks:
        names = [player.name for player in record.players]
        votes = [(vote.round, names[vote.voter - 1], names[vote.target - 1]) for vote in record.votes]
        assert sorted(votes) == sorted((line.round, line.player, line.target) for line in made.of("vote"))
    if "private" not in lacks:
        kept = sorted(entry.text for entry in game.private)
        assert kept == sorted(line.text for line in made.of("thought", "private"))


def test_most_shapes_need_no_question():
    asked = []
    for shape, _lacks in SHAPES:
        for seed in range(12):
            pick = random.Random(f"{shape.__name__} {seed}")
            if not read_transcripts(shape(make_game(pick), pick), "g.json").games:
                asked.append(f"{shape.__name__} {seed}")
    assert len(asked) <= 12, asked
