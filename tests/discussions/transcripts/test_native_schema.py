"""The JSON Schema of the native format says what its reader takes; the logger of the docs writes games that come in."""

import copy
import json
import re
from pathlib import Path

import pytest

from discussions.transcripts.core.native import ELIMINATION_KEYS, GAME_KEYS, MESSAGE_KEYS, VOTE_KEYS
from discussions.transcripts.core.native_parts import PLAYER_KEYS
from tests.factories.reading import read_transcripts

ROOT = Path(__file__).parents[3]
SCHEMA = json.loads((ROOT / "static" / "samples" / "native.schema.json").read_text())["$defs"]
PARTS = {"players": "player", "messages": "message", "votes": "vote", "eliminations": "elimination"}
GAME = {
    "gameId": "g",
    "players": [{"name": "Ann"}, {"name": "Bea"}],
    "messages": [
        {"playerName": "Ann", "message": "Hi.", "roundNumber": 1},
        {"playerName": "Bea", "message": "Ho.", "roundNumber": 1},
    ],
    "votes": [{"roundNumber": 1, "voterName": "Ann", "targetName": "Bea"}],
    "eliminations": [{"roundNumber": 1, "playerName": "Bea"}],
}
VALUES = {
    "string": "Ann",
    "integer": 1,
    "number": 0.5,
    "boolean": True,
    "null": None,
    "array": [],
    "object": {},
}


def rule(name, key):
    own = SCHEMA[name]["properties"][key]
    return SCHEMA[own["$ref"].rpartition("/")[2]] if "$ref" in own else own


def types_of(name, key):
    given = rule(name, key).get("type", [])
    types = {given} if isinstance(given, str) else set(given)
    return types | {"integer"} if "number" in types else types


def test_the_schema_has_the_keys_of_the_reader():
    assert set(SCHEMA["game"]["properties"]) == GAME_KEYS.ours
    assert set(SCHEMA["player"]["properties"]) == PLAYER_KEYS.ours
    assert set(SCHEMA["message"]["properties"]) == MESSAGE_KEYS.ours
    assert set(SCHEMA["vote"]["properties"]) == VOTE_KEYS.ours
    assert set(SCHEMA["elimination"]["properties"]) == ELIMINATION_KEYS.ours


def read_with(part, key, value):
    game = copy.deepcopy(GAME)
    (game[part][0] if part else game)[key] = value
    return read_transcripts(json.dumps(game).encode(), "g.json")


SCALARS = [
    (part, key)
    for part, name in (("", "game"), *PARTS.items())
    for key in SCHEMA[name]["properties"]
    if types_of(name, key) and key not in (*PARTS, "metadata", "cost", "audience", "id")
]


@pytest.mark.parametrize(("part", "key"), SCALARS)
def test_the_reader_takes_the_types_of_the_schema_and_no_others(part, key):
    name = PARTS.get(part, "game")
    allowed = types_of(name, key)
    assert allowed
    for kind, value in VALUES.items():
        read = read_with(part, key, value)
        codes = {fault.code for fault in read.faults}
        wrong = codes & {"wrong_type", "shape", "no_game_id"}
        if kind in allowed:
            assert not wrong, (kind, codes)
        # A thought or an id that is no text is left out, since nobody reads it.
        elif key != "reasoning":
            assert codes, kind


@pytest.mark.parametrize("part", ["", *PARTS])
def test_what_the_schema_needs_is_needed(part):
    name = PARTS.get(part, "game")
    for key in SCHEMA[name]["required"]:
        game = copy.deepcopy(GAME)
        del (game[part][0] if part else game)[key]
        read = read_transcripts(json.dumps(game).encode(), "g.json")
        # A vote for nobody is left out with a warning.
        assert read.faults or key == "targetName", key
        assert SCHEMA[name]["properties"][key]


def test_the_sample_holds_only_what_the_schema_knows():
    sample = json.loads((ROOT / "static" / "samples" / "native.json").read_text())
    assert set(sample) <= set(SCHEMA["game"]["properties"])
    for part, name in PARTS.items():
        for entry in sample.get(part, []):
            assert set(entry) <= set(SCHEMA[name]["properties"])


def test_the_logger_of_the_docs_writes_a_whole_game(tmp_path):
    (code,) = re.findall(
        r"```python\n(import json\n.*?)```", (ROOT / "docs" / "transcripts.md").read_text(), re.DOTALL
    )
    target = tmp_path / "game.json"
    exec(code.replace('"game-1.json"', repr(str(target))), {})
    (game,) = read_transcripts(target.read_bytes(), "game.json").games
    assert {warning.code for warning in game.warnings} <= {"unknown_role", "not_public"}
    assert len(game.record.messages) == 2 and game.record.cost.total_usd is not None
    assert {entry.kind for entry in game.private} == {"thought", "talk", "vote"}
