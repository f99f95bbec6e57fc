"""Events of programs under any of the names that programs give them: none comes in wrongly, and none leaks.

What waits is right as it is proposed.
"""

import json
from itertools import product
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from discussions.core.records import GameRecord
from discussions.transcripts.core.audience import PRIVATE
from discussions.transcripts.core.readers.heads import propose_mapping, read_first_game, read_head
from discussions.transcripts.core.readers.row_kinds import find_questions
from tests.factories.reading import read_transcripts
from tests.factories.sayings import PUBLIC, SECRET

NAMES = ("Ann", "Bea", "Cid", "Dee")
# What an event calls each of its parts.
KEYS = {
    "type": "type event event_type kind action eventType",
    "round": "round day day_number roundNumber turn_number cycle",
    "payload": "data payload details event_data info args fields detail content",
    "player": "player speaker from actor agent_name name who user src by playerName",
    "text": "text message content utterance said speech statement line words",
    "thought": "thought reasoning thoughts text",
    "voter": "voter player",
    "target": "target vote_for voted_for choice votee to nominee",
}
TYPES = {
    "speech": "speech chat discussion player_message say statement day_speech SPEAK",
    "thought": "thought reasoning inner_monologue agent_reasoning",
    "wolf": "wolf_chat mafia_chat werewolf_discussion",
    "vote": "vote vote_cast ballot day_vote VOTE",
    "phase": "phase_change day_start round_start",
    "out": "elimination death player_eliminated lynch",
}
Said = list[tuple[int, str, str]]


class Log:
    """A random log: how its events are written, what is said, and who votes for whom."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.keys = {part: self.random.choice(names.split()) for part, names in KEYS.items()}
        if self.keys["voter"] == "player":
            self.keys["voter"] = self.keys["player"]
        if self.keys["payload"] == self.keys["text"]:
            self.keys["payload"] = "data"
        self.types = {kind: self.random.choice(names.split()) for kind, names in TYPES.items()}
        self.is_named_outside, self.is_counted_outside = (self.random.random() < 0.5 for _ in range(2))
        self.rows: list[dict[str, Any]] = []
        self.said: Said = []
        self.votes: list[tuple[int, str, str]] = []
        for number, name in product((1, 2, 3), (None, *NAMES)):
            if name:
                self.add_turn(number, name)
            else:
                self.add("phase", number, None, phase="day")
                self.add("wolf", number, "Ann", text=self.words(SECRET, "Ann"))
        for number in (1, 2, 3):
            for name in NAMES:
                target = self.another(name)
                self.votes.append((number, name, target))
                self.add("vote", number, name, "voter", target=target)
        self.add("out", 3, None, victim="Dee")

    def another(self, name: str) -> str:
        return self.random.choice([one for one in NAMES if one != name])

    def words(self, texts: tuple[str, ...], name: str) -> str:
        return f"{self.random.choice(texts).format(self.another(name))} Note {len(self.rows)}."

    def add_turn(self, number: int, name: str) -> None:
        self.add("thought", number, name, thought=self.words(SECRET, name))
        self.said.append((number, name, self.words(PUBLIC, name)))
        self.add("speech", number, name, text=self.said[-1][2])

    def add(self, kind: str, number: int, name: str | None, who: str = "player", **parts: str) -> None:
        inner: dict[str, Any] = {self.keys.get(part, part): value for part, value in parts.items()}
        outer: dict[str, Any] = {self.keys["type"]: self.types[kind]}
        if name:
            (outer if self.is_named_outside and self.keys[who] == self.keys["player"] else inner)[
                self.keys[who]
            ] = name
        (outer if self.is_counted_outside else inner)[self.keys["round"]] = number
        self.rows.append(outer | {self.keys["payload"]: inner})

    def written(self) -> tuple[bytes, str]:
        form = self.random.choice(("jsonl", "list", "object"))
        if form == "jsonl":
            return "\n".join(map(json.dumps, self.rows)).encode(), "log.jsonl"
        value = self.rows if form == "list" else {"id": "g1", "players": [*NAMES], "events": self.rows}
        return json.dumps(value).encode(), "log.json"


def told(record: GameRecord) -> tuple[Said, list[tuple[int, str, str]]]:
    names = [player.name for player in record.players]
    said = [(row.round, names[row.player - 1], row.text) for row in record.messages]
    return said, [(vote.round, names[vote.voter - 1], names[vote.target - 1]) for vote in record.votes]


@pytest.mark.parametrize("seed", range(40))
def test_events_under_any_names_are_read_or_proposed_as_they_are(seed):
    log = Log(seed)
    data, name = log.written()
    games = read_transcripts(data, name).games
    if games:
        assert told(games[0].record)[0] == log.said
        return
    table = read_head(data, is_part=False)
    assert table is not None
    mapping = propose_mapping(table)
    asked = {question.value.casefold(): PRIVATE for question in find_questions(table, mapping)}
    for kinds in ({}, asked):
        record = read_first_game(table, replace(mapping, kinds=kinds), name, "log", {}).record
        assert record is not None
        assert told(record) == (log.said, log.votes)
