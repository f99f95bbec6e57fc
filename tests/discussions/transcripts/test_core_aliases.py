"""Other names of players: what texts suggest, and what a pair means in each game."""

import json

import msgspec
import pytest

from discussions.adjudication.core.authorship_test import without_names
from discussions.core.records import GameRecord, Message, Player
from discussions.metrics.core.names import build_roster, find_names
from discussions.transcripts.core.readers.columns import (
    MappingRecord,
    expand_aliases,
    is_pair,
    parse_mapping,
    propose_aliases,
)
from tests.factories.native_games import as_bytes, native_game
from tests.factories.reading import read_transcripts

NUMBERED = ("Player1_Game77_model-a", "Player2_Game77_model-b")


def read_rows(rows, *written):
    data = "\n".join(json.dumps(row) for row in rows).encode()
    return read_transcripts(data, "log.jsonl", columns=[parse_mapping(written)] if written else [])


@pytest.mark.parametrize(
    ("names", "texts", "pairs"),
    [
        (NUMBERED, "Good day, P2.", {"P*": "Player*"}),
        (("Game7_Seat1", "Game7_Seat2"), "player 1 and Player 2 agree", {"player *": "Seat*"}),
        (("1", "2"), "Player 1 lies, and P2 too", {"P*": "*"}),
        (("Player1", "Player2"), "P3 is nobody", {}),
        (("Ann1", "Bea1"), "P1 is one of two", {}),
        (("Marisol", "Anselm"), "I think Mari lies.\nYes, I trust Mari now.", {"Mari": "Marisol"}),
        (("Marisol", "Marina"), "I think Mari lies.\nYes, I trust Mari now.", {}),
        (("Willa", "Anselm"), "Last Will first.\nA Will is a will, and Will it be.", {}),
        (("Marisol", "Anselm"), "I think Mari lies.", {}),
    ],
)
def test_pairs_are_proposed_where_a_number_or_a_beginning_fits_one_player(names, texts, pairs):
    assert propose_aliases(names, texts) == pairs


def test_a_pair_that_fits_two_players_says_nothing():
    assert expand_aliases({"P*": "Player*", "Mari": "MARISOL", "X": "Nobody"}, [*NUMBERED, "Marisol"]) == {
        "P1": NUMBERED[0],
        "P2": NUMBERED[1],
        "Mari": "Marisol",
    }
    assert expand_aliases({"P*": "Player*"}, ["Player1_a", "Player1_b"]) == {}
    assert [
        is_pair(*pair) for pair in (("P*", "Player*"), ("P", "Q"), ("P*", "Q"), ("*P", "*Q"), ("", "Q"))
    ] == [
        True,
        True,
        False,
        False,
        False,
    ]


def test_pairs_hold_in_each_game_for_who_speaks_who_votes_and_who_is_named():
    rows = [
        {"game": game, "player": f"Player{n}_{game}", "text": f"I trust P{3 - n}.", "vote": f"P{3 - n}"}
        for game in ("a", "b")
        for n in (1, 2)
    ]
    rows.insert(1, {"game": "a", "player": "P1", "text": "Once more."})
    read = read_rows(rows, "also.P*=Player*")
    assert [len(game.record.players) for game in read.games] == [2, 2]
    for game in read.games:
        assert [player.aliases for player in game.record.players] == [["P1"], ["P2"]]
        assert [(vote.voter, vote.target) for vote in game.record.votes] == [(1, 2), (2, 1)]
    assert [message.player for message in read.games[0].record.messages] == [1, 1, 2]


def test_a_game_without_other_names_is_stored_as_before():
    rows = [{"player": name, "text": "Good day."} for name in ("Ann", "Bea")]
    before = read_rows(rows).games[0].record
    assert read_rows(rows, "also.P*=Player*").games[0].record == before
    assert b"aliases" not in msgspec.json.encode(before)


def test_native_players_may_have_other_names_which_nobody_else_has():
    players = [{"name": "Ann", "aliases": ["A1", " "]}, {"name": "Bea"}, {"name": "Cid"}]
    (game,) = read_transcripts(as_bytes(native_game(players=players)), "g.json").games
    assert game.record.players[0].aliases == ["A1"]
    assert game.record.names == ("Ann", "Bea", "Cid", "A1")
    players[1]["aliases"] = ["ann"]
    (fault,) = read_transcripts(as_bytes(native_game(players=players)), "g.json").faults
    assert (fault.code, fault.place) == ("duplicate_player", "g.json /players/1/name")


def test_other_names_are_found_in_texts_and_hidden_where_nobody_may_be_named():
    text = "Mari: I trust p2, not Will or will."
    game = GameRecord("g", [Player("Marisol", aliases=["Mari", "Will"]), Player("Bea", aliases=["P2"])], [])
    roster = build_roster(("Marisol", "Bea"), frozenset(["will"]), aliases=game.aliases)
    assert [(span.player, text[span.start : span.end]) for span in find_names(text, roster)] == [
        (1, "Mari"),
        (2, "p2"),
        (1, "Will"),
    ]
    shown = without_names(Message(1, 1, text, 1), game.names, frozenset(["will"]))
    assert shown == "[name]: I trust [name], not [name] or will."


def test_a_recipe_is_written_and_read_with_its_pairs():
    mapping = parse_mapping(["player=who,text=what,is.Dawn=ignore,also.P*=Player*"])
    assert mapping.aliases == {"P*": "Player*"} and mapping.kinds == {"dawn": "ignore"}
    assert MappingRecord.of_written([], mapping.written) == mapping
    for wrong in ("also.P*=Player", "also.=Ann", "player=who,also.P*=Player*"):
        with pytest.raises(ValueError, match=r"also\.NAME=PLAYER|player and text"):
            parse_mapping([wrong])
