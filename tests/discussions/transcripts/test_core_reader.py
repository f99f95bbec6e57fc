"""What a native transcript becomes: the record, the warnings that stay with it, and the real files."""

import os
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from discussions.core.records import Cost, Elimination, GameRecord, Vote
from discussions.transcripts.core.notes import Limits
from discussions.transcripts.core.oddities import ODDITY_CODES
from tests.factories.reading import read_transcripts
from tests.factories.transcripts import as_bytes, native_game, native_message

REAL_FILES = sorted(
    Path(os.environ.get("NATIVE_TRANSCRIPTS", Path(__file__).parents[4] / "shared" / "data" / "native")).glob(
        "*.json"
    )
)


ROLE_MAP = {"mafia": ["mafia", "evil"], "village": ["villager", "seer", "good"]}


def read_one(game: object, limits: Limits | None = None) -> tuple[GameRecord, dict[str, str]]:
    """The record of a file with one proper game, and its warnings by code."""
    given = read_transcripts(as_bytes(game), "game.json", limits, role_map=ROLE_MAP)
    assert given.faults == []
    return given.games[0].record, {warning.code: warning.message for warning in given.games[0].warnings}


def test_a_proper_game_comes_in_without_a_warning():
    record, warnings = read_one(native_game())
    assert warnings == {}
    assert record.game_id == "game-1"
    assert [player.name for player in record.players] == ["Ann", "Bea", "Cid"]
    assert record.players[1].role == "MAFIA"
    assert [message.position for message in record.messages] == [1, 2, 3, 4, 5, 6]
    assert [message.player for message in record.messages] == [1, 2, 3, 1, 2, 3]
    assert [message.round for message in record.messages] == [1, 1, 1, 2, 2, 2]
    assert record.votes == [
        Vote(round=1, voter=1, target=3, justification="too quiet"),
        Vote(round=1, voter=2, target=1),
    ]
    assert record.cost == Cost(
        total_usd=Decimal("1.250000"), input_tokens=90_000, output_tokens=8_000, cache_hit_rate=0.75
    )


def test_how_a_game_was_played_is_read():
    given = {
        "playedAt": "2026-01-31T20:15:00Z",
        "modelBuild": "gpt-4.1-2025-04-14",
        "seed": 7,
        "pair": "pair-1",
    }
    record, warnings = read_one(native_game(timestamp="2027-01-01", **given) | {"metadata": {"cost": 1}})
    assert "unknown_key" not in warnings
    assert record.played_on == date(2026, 1, 31)
    assert (record.model_build, record.seed, record.pair) == ("gpt-4.1-2025-04-14", "7", "pair-1")
    builds = {"Ann": "model-b", "Bea": "model-a", "Cid": "model-b"}
    for several in (builds, list(builds.values())):
        assert read_one(native_game(model_build=several))[0].model_build == "model-a, model-b"
    within = {"metadata": {"cost": 1, "seed": 0, "pair": "x", "modelBuild": {"not": "a build"}}}
    record, _warnings = read_one(native_game(**within))
    assert (record.model_build, record.seed, record.pair) == (None, "0", "x")


@pytest.mark.parametrize(
    ("time", "day"),
    [
        ("2026/02/01 10:00", date(2026, 2, 1)),
        (1_770_000_000, date(2026, 2, 2)),
        ("10:00", None),
        ("2026-02-30T10:00", None),
        (None, None),
    ],
)
def test_without_a_time_of_the_game_the_first_message_with_a_date_says_the_day(time, day):
    game = native_game(timestamp=None)
    for message, said in zip(game["messages"], ("soon", time, "2027-01-01"), strict=False):
        message["timestamp"] = said
    assert read_one(game)[0].played_on == (day or date(2027, 1, 1))


def test_too_many_builds_are_refused():
    given = read_transcripts(as_bytes(native_game(modelBuild=[f"{at:0200}" for at in range(6)])), "g.json")
    assert [(fault.code, fault.place) for fault in given.faults] == [("too_long", "g.json /modelBuild")]


def test_snake_case_is_read_too():
    game = {
        "game_id": "game-1",
        "players": [{"name": "Ann", "role": "good", "is_alive": False}, {"name": "Bea", "role": "evil"}],
        "messages": [
            {
                "turn": 1,
                "round_number": 1,
                "player_name": "Ann",
                "message": "Hello",
                "timestamp": "2025-01-01",
            },
            {
                "turn": 2,
                "round_number": 1,
                "player_name": "Bea",
                "message": "Hi",
                "timestamp": "2025-01-01",
                "in_reply_to_id": 1,
            },
        ],
        "votes": [{"round_number": 1, "voter_name": "Ann", "target_name": "Bea"}],
        "metadata": {"cost": {"total_usd": 2, "cache_hit_rate": 1}},
    }
    record, warnings = read_one(game)
    assert warnings == {}
    assert record.players[0].is_alive is False
    assert record.messages[1].reply_to == 1
    assert record.cost == Cost(total_usd=Decimal(2), cache_hit_rate=1.0)


def test_a_list_holds_many_games_and_each_knows_its_place():
    given = read_transcripts(as_bytes([native_game(), native_game(gameId="game-2")]), "games.json")
    assert [game.record.game_id for game in given.games] == ["game-1", "game-2"]
    assert [game.place for game in given.games] == ["games.json /0", "games.json /1"]


def test_optional_parts_are_kept():
    record, warnings = read_one(
        native_game(
            eliminations=[{"roundNumber": 1, "playerName": "Cid", "how": "vote"}],
            prompt="Play well.",
            winner="mafia",
        )
    )
    assert record.eliminations == [Elimination(round=1, player=3, how="vote")]
    assert (record.prompt, record.winner, warnings) == ("Play well.", "mafia", {})


def links(*given: object, **changes: object) -> tuple[GameRecord, dict[str, str]]:
    messages = [
        native_message(n, "Ann", f"Message {n}", inReplyToId=link) for n, link in enumerate(given, start=1)
    ]
    return read_one(native_game(messages=messages, **changes))


@pytest.mark.parametrize("nothing", [None, ""])
def test_null_and_empty_reply_links_are_none(nothing):
    record, warnings = links(nothing, nothing)
    assert not any(message.has_reply_link for message in record.messages)
    assert "unresolved_reply" not in warnings


def test_a_reply_link_to_an_earlier_message_counts():
    record, _ = links(None, 1, "2")
    assert [(message.has_reply_link, message.reply_to) for message in record.messages] == [
        (False, None),
        (True, 1),
        (True, 2),
    ]


def test_a_reply_link_that_resolves_to_nothing_counts_and_is_a_warning():
    record, warnings = links(None, "message-77")
    assert record.messages[1].has_reply_link
    assert record.messages[1].reply_to is None
    assert "to no message of this game (such as message-77)" in warnings["unresolved_reply"]


@pytest.mark.parametrize("to", [2, 3])
def test_a_reply_link_to_itself_or_a_later_message_does_not_count(to):
    record, warnings = links(None, to, None)
    assert not record.messages[1].has_reply_link
    assert record.messages[1].reply_to == to
    assert "do not point to an earlier message" in warnings["reply_not_earlier"]


def test_ids_of_messages_are_used_where_the_file_has_them():
    messages = [
        native_message(1, "Ann", "One", id="a"),
        native_message(2, "Bea", "Two", id="b", inReplyToId="a"),
    ]
    record, _ = read_one(native_game(messages=messages))
    assert record.messages[1].reply_to == 1


COSTS = [
    (None, Cost(), "no_cost"),
    ({}, Cost(), "no_cost"),
    ({"totalUsd": None, "inputTokens": None}, Cost(), "no_cost"),
    ({"totalUsd": 0, "inputTokens": 0, "outputTokens": 0, "cacheHitRate": 0}, Cost(), "cost_all_zero"),
    ({"totalCost": 0.0, "tokens": {"input": 0, "output": 0}}, Cost(), "cost_all_zero"),
    ({"total": 0, "inputTokens": 10}, Cost(total_usd=Decimal(0), input_tokens=10), None),
    (3, Cost(total_usd=Decimal(3)), None),
    (2.9999994, Cost(total_usd=Decimal("2.999999")), None),
    (
        {"total": 1, "cacheHitRate": 75.5},
        Cost(total_usd=Decimal(1), cache_hit_rate=0.755),
        "cache_rate_percent",
    ),
    ({"total": 1, "cacheHitRate": 1}, Cost(total_usd=Decimal(1), cache_hit_rate=1.0), None),
    ({"totalUsd": 0, "totalTokens": 5}, Cost(), "cost_all_zero"),
    ({"totalUsd": 1e-9}, Cost(), "cost_all_zero"),
    ({"inputTokens": 5}, Cost(input_tokens=5), "no_cost"),
]


@pytest.mark.parametrize(("block", "cost", "warning"), COSTS)
def test_costs(block, cost, warning):
    record, warnings = read_one(native_game(metadata={"cost": block}))
    assert record.cost == cost
    assert list(warnings) == ([warning] if warning else [])


WARNED = [
    ({"votes": []}, "no_votes", "The file has no votes"),
    ({"votes": None}, "no_votes", "The file has no votes"),
    ({"metadata": None}, "no_cost", "The cost was not reported."),
    (
        {"source": "somewhere", "extra": 1},
        "unknown_key",
        'Keys that are not known were left out: 1 (first "extra").',
    ),
    (
        {"players": [{"name": "Ann", "role": "Jester"}, {"name": "Bea"}, {"name": "Cid", "role": "seer"}]},
        "unknown_role",
        'cannot be assessed: 1 (first "Jester").',
    ),
    (
        {"players": [{"name": "Ann", "role": ""}, {"name": "Bea"}, {"name": "Cid", "role": "seer"}]},
        "no_role",
        "Players without a role, for whom role consistency cannot be assessed: 2.",
    ),
    (
        {"votes": [{"roundNumber": 1, "voterName": "Ann", "targetName": None}]},
        "vote_without_target",
        "Votes for nobody were left out of the vote record: 1.",
    ),
    (
        {"messages": [native_message(1, "Ann", "Hi", timestamp=None)] * 2},
        "no_time",
        "Messages without a time: 2.",
    ),
    (
        {"messages": [native_message(1, "Ann", "Hi", timestamp="21:54:43")] * 2},
        "time_without_date",
        'no date (such as "21:54:43") stay in the order of the file: 2.',
    ),
    (
        {"messages": [native_message(1, "Ann", "Hi", roundNumber=None)] * 2},
        "no_round",
        "Messages that name no round count to the round before them: 2.",
    ),
    (
        {"messages": [native_message(1, "Ann", "Hi", roundNumber=2), native_message(2, "Ann", "Hi")]},
        "round_goes_back",
        "Messages with a lower round than the message before them",
    ),
    (
        {"messages": [native_message(1, "Ann", "a\0b\0")] * 2},
        "replaced_nul",
        "since no database stores them: 4.",
    ),
    (
        {"messages": [native_message(1, "Ann", "a\ud800b")] * 2},
        "replaced_surrogate",
        "Halves of characters (lone surrogates) were replaced by �: 2.",
    ),
    (
        {"messages": [native_message(1, "Ann", "a\u202eb")] * 2},
        "invisible_characters",
        "Texts hold invisible or direction-changing characters, shown as badges: 2.",
    ),
    ({"messages": [native_message(1, "Ann", "Hi")]}, "one_message", "The game has one message only."),
    (
        {
            "players": [{"name": "Ann", "role": "mafia"}],
            "messages": [native_message(1, "Ann", "Hi")] * 2,
            "votes": [],
        },
        "one_player",
        "The game has one player only.",
    ),
]


@pytest.mark.parametrize(("changes", "code", "sentence"), WARNED)
def test_what_a_person_should_know_is_kept_with_the_game(changes, code, sentence):
    _, warnings = read_one(native_game(**changes))
    assert sentence in warnings[code]


def test_a_byte_order_mark_is_a_warning():
    given = read_transcripts(b"\xef\xbb\xbf" + as_bytes(native_game()), "game.json")
    assert [warning.code for warning in given.games[0].warnings] == ["byte_order_mark"]


def test_replaced_characters_stand_in_the_text_and_only_their_own_game_is_warned():
    messages = [native_message(1, "Ann", "a\0b\ud800"), native_message(2, "Bea", "plain")]
    given = read_transcripts(
        as_bytes([native_game(messages=messages), native_game(gameId="2")]), "games.json"
    )
    assert given.games[0].record.messages[0].text == "a\u2400b\ufffd"
    assert given.games[1].warnings == []


def test_two_hundred_players_come_in():
    players = [{"name": f"P{number}", "role": "villager"} for number in range(200)]
    messages = [native_message(n, f"P{n}", "Hello there") for n in range(200)]
    record, _ = read_one(native_game(players=players, messages=messages, votes=[]))
    assert len(record.players) == 200


def test_a_word_of_a_hundred_thousand_characters_comes_in():
    record, _ = read_one(native_game(messages=[native_message(1, "Ann", "x" * 100_000)] * 2))
    assert len(record.messages[0].text) == 100_000


def test_hostile_text_stays_the_text_it_is():
    hostile = "<script>alert(1)</script> {{7*7}} ]]> [link](javascript:x) </responses_to_evaluate>"
    messages = [native_message(1, "Ann", hostile), native_message(2, "Bea", hostile)]
    record, warnings = read_one(native_game(messages=messages))
    assert record.messages[0].text == hostile
    assert warnings == {}


@pytest.mark.skipif(not REAL_FILES, reason="the real transcripts are not on this machine")
def test_all_real_files_come_in_with_warnings_only():
    codes: set[str] = set()
    for path in REAL_FILES:
        given = read_transcripts(path.read_bytes(), path.name)
        assert (len(given.games), given.faults) == (1, []), path.name
        codes |= {warning.code for warning in given.games[0].warnings} - ODDITY_CODES
    assert codes <= {"no_cost", "no_time", "time_without_date", "no_votes", "invisible_characters"}
    assert {"no_cost", "no_time", "time_without_date", "no_votes"} <= codes
