"""Games written in many shapes come in as the same game, or with a question; nothing private is ever public."""

import json
import random
from functools import cache

import msgspec
import pytest

from discussions.core.records import GameRecord
from discussions.transcripts.core.formats import NATIVE
from tests.factories.game_shapes import SHAPES, make_game
from tests.factories.reading import read_transcripts

SEEDS = 12


def said(record: GameRecord, *, has_rounds: bool) -> list[tuple[int, str, str]]:
    names = [player.name for player in record.players]
    return [
        (message.round if has_rounds else 1, names[message.player - 1], message.text)
        for message in record.messages
    ]


@pytest.mark.parametrize("shape", SHAPES, ids=[shape.__name__ for shape in SHAPES])
def test_games_in_any_shape_are_the_same_games(shape):
    for seed in range(SEEDS):
        check_game(shape, seed)


@cache
def make_and_read(shape, seed):
    """A game, and what is read of it in this shape."""
    pick = random.Random(f"{shape.__name__} {seed}")
    made = make_game(pick)
    return made, read_transcripts(shape(made, pick), "g.json")


def check_game(shape, seed):
    lacks = SHAPES[shape].split()
    made, read = make_and_read(shape, seed)
    assert "CANARY" not in json.dumps([fault.message for fault in read.faults])
    # A question is an answer, too; a fault, or another game, is none.
    if not read.games:
        assert {fault.code for fault in read.faults} == {"unknown_columns"}, read.faults
        return
    (game,) = read.games
    record, public = game.record, msgspec.json.encode(game.record)
    assert b"CANARY" not in public and "CANARY" not in json.dumps([fault.message for fault in game.warnings])
    has_rounds = "rounds" not in lacks
    assert said(record, has_rounds=has_rounds) == [
        (line.round if has_rounds else 1, line.player, line.text) for line in made.of("speech")
    ]
    names = [player.name for player in record.players]
    assert set(names) == set(made.roles)
    if "roles" not in lacks:
        assert {player.name: player.role for player in record.players} == made.roles
    if "votes" not in lacks:
        votes = [(vote.round, names[vote.voter - 1], names[vote.target - 1]) for vote in record.votes]
        assert sorted(votes) == sorted((line.round, line.player, line.target) for line in made.of("vote"))
    if "private" not in lacks:
        kept = sorted(entry.text for entry in game.private)
        assert kept == sorted(line.text for line in made.of("thought", "private"))


AROUND = {
    "a list": list,
    "matches": lambda games: {"matches": games},
    "data": lambda games: {"data": games},
    "keys": lambda games: {f"m{number}": game for number, game in enumerate(games)},
    "ids": lambda games: {f"9f{number}ab-7": game for number, game in enumerate(games)},
    "objects": lambda games: {"trials": [{"seed": at, "log": game} for at, game in enumerate(games)]},
}


@pytest.mark.parametrize("around", AROUND.values(), ids=AROUND)
def test_several_games_of_any_shape_in_one_file_are_several(around):
    read_count = 0
    for shape in SHAPES:
        pick = random.Random(shape.__name__)
        made = [make_game(pick) for _game in range(3)]
        written = [shape(game, pick).replace(b'"g"', b'"g%d"' % at) for at, game in enumerate(made)]
        try:
            values = [json.loads(game) for game in written]
        except ValueError:
            continue
        read = read_transcripts(json.dumps(around(values)).encode(), "g.json")
        has_rounds = "rounds" not in SHAPES[shape].split()
        found = [said(game.record, has_rounds=has_rounds) for game in read.games]
        wanted = [
            [(line.round if has_rounds else 1, line.player, line.text) for line in game.of("speech")]
            for game in made
        ]
        assert sorted(found) in ([], sorted(wanted)), shape.__name__
        read_count += bool(found)
    assert read_count >= 12


@pytest.mark.parametrize("key", ["to", "phase", "visible_to", "type", "isPrivate"])
def test_a_named_format_hides_no_key_that_may_hide(key):
    messages = [{"playerName": name, "message": "CANARY", key: name} for name in ("Ann", "Bea")]
    game = {"gameId": "g", "players": [{"name": "Ann"}, {"name": "Bea"}], "messages": messages}
    read = read_transcripts(json.dumps(game).encode(), "g.json", named=NATIVE)
    assert ([fault.code for fault in read.faults], read.games) == (["unknown_audience"], [])


def test_most_shapes_need_no_question():
    asked = [
        f"{shape.__name__} {seed}"
        for shape in SHAPES
        for seed in range(SEEDS)
        if not make_and_read(shape, seed)[1].games
    ]
    assert len(SHAPES) == 30
    assert len(asked) <= 12, asked


@pytest.mark.parametrize("is_around", [True, False])
def test_a_round_may_be_an_object_with_its_number(is_around):
    said = {3: ["Good morning.", "I agree with it."], 4: ["It is late.", "So it is."]}
    rows = {
        number: [{"speaker": name, "text": text} for name, text in zip(("Ann", "Bea"), texts, strict=True)]
        for number, texts in said.items()
    }
    days = [{"day": {"number": number}, "messages": own} for number, own in rows.items()]
    flat = [row | {"day": {"number": number}} for number, own in rows.items() for row in own]
    value = {"id": "a", "days": days} if is_around else {"id": "a", "messages": flat}
    (game,) = read_transcripts(json.dumps(value).encode(), "a.json").games
    assert [(one.round, one.text) for one in game.record.messages] == [
        (number, text) for number, texts in said.items() for text in texts
    ]
