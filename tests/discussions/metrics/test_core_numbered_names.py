"""Players whose names are bare numbers: a number in a text is one of them only where a word says so."""

import pytest

from discussions.core.records import GameRecord, Message, Player
from discussions.metrics.core.names import build_roster, find_names
from discussions.metrics.core.registry import measure_game
from rubric.versions.queries import DISCUSSION_NUMBERS, discussion_version

NUMBERED = build_roster(("1", "2", "3", "12"), are_numbers_marked=True)


def named(text: str) -> list[tuple[int, str]]:
    return [(span.player, text[span.start : span.end]) for span in find_names(text, NUMBERED)]


@pytest.mark.parametrize(
    "text",
    [
        "In round 1 nothing happened",
        "There are 2 wolves and 1 seer",
        "No. 1.5 of them",
        "player 1st",
        "Day 3: 12 votes",
        "multiplayer 1",
        "第1轮",
        "1, 2, 3!",
        "player 7",
    ],
)
def test_a_number_that_counts_something_names_nobody(text):
    assert named(text) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Player 1 lied", [(1, "Player 1")]),
        ("I ask player 12's reason", [(4, "player 12's")]),
        ("players 1, 2 and 3 agree", [(1, "players 1"), (2, "2"), (3, "3")]),
        ("player 1 and 2 wolves", [(1, "player 1")]),
        ("Seat 2.", [(2, "Seat 2")]),
        ("No. 1 is odd, #3 is not", [(1, "No. 1"), (3, "#3")]),
        ("Spieler 3 und nr. 2", [(3, "Spieler 3"), (2, "nr. 2")]),
        ("joueur n° 1, jugador 2", [(1, "n° 1"), (2, "jugador 2")]),
        ("игрок 2, почему?", [(2, "игрок 2")]),
        ("玩家2说谎，我投1号", [(2, "玩家2"), (1, "1号")]),
    ],
)
def test_a_number_after_a_word_for_a_player_is_a_name(text, found):
    assert named(text) == found


def test_other_names_are_found_as_before_and_so_are_numbers_where_names_are_hidden():
    names = ("Player 1", "Ann", "P2")
    texts = ("Player 1, ask Ann", "player 2 and P2", "1 and 2")
    plain, marked = build_roster(names), build_roster(names, are_numbers_marked=True)
    assert plain == marked
    assert [len(find_names(text, plain)) for text in texts] == [2, 1, 0]
    assert [span.player for span in find_names("1 and 2", build_roster(("1", "2")))] == [1, 2]


def coherence(*texts: str) -> tuple[int, int]:
    players = [
        Player(name=str(number), role=None, personality=None, is_alive=None)
        for number in range(1, len(texts) + 1)
    ]
    messages = [
        Message(position=at, player=at, text=text, round=1, turn=at, time=None, has_reply_link=False)
        for at, text in enumerate(texts, start=1)
    ]
    game = GameRecord(game_id="g", players=players, messages=messages, votes=[], eliminations=[])
    found = measure_game(game, discussion_version(DISCUSSION_NUMBERS[-1]))["coherence"]
    return int(found.numerator), int(found.denominator)


def test_coherence_of_numbered_players_counts_no_counts():
    counts = ("Good morning to all", "In round 1 nothing happened yet", "There are 2 wolves and 1 seer")
    assert coherence(*counts) == (0, 3)
    names = ("Good morning to all", "Player 1 greets warmly", "No. 2 seems relaxed")
    assert coherence(*names) == (2, 3)
