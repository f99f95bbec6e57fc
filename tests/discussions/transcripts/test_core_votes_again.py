"""Games whose rounds nothing names but that the players vote again, and columns that are no players."""

import json
from typing import Any

import pytest

from discussions.transcripts.core.readers.columns import MappingRecord, parse_mapping
from discussions.transcripts.core.readers.heads import (
    propose_mapping,
    read_first_game,
    read_head,
    with_rounds,
)
from discussions.transcripts.core.readers.row_kinds import find_questions
from tests.factories.own_logs import SAID
from tests.factories.reading import read_transcripts

NAMES = ("Ann", "Bea", "Cid")


def talk(number: int, **more: Any) -> list[dict[str, Any]]:
    return [
        {"type": "message", "speaker": name, "text": f"I say {number}, {text}", **more} for name, text in SAID
    ]


def ballot(*votes: tuple[str, str], **more: Any) -> list[dict[str, Any]]:
    return [{"type": "vote", "voter": voter, "target": target, **more} for voter, target in votes]


FIRST, SECOND = ballot(("Ann", "Cid"), ("Bea", "Cid")), ballot(("Ann", "Bea"), ("Bea", "Ann"))


def as_lines(rows: list[dict[str, Any]]) -> bytes:
    return "\n".join(map(json.dumps, rows)).encode()


def as_object(rows: list[dict[str, Any]]) -> bytes:
    return json.dumps(
        {"players": [{"name": name, "role": "VILLAGER"} for name in NAMES], "log": rows}
    ).encode()


@pytest.mark.parametrize("written", [as_lines, as_object])
def test_votes_that_come_again_without_rounds_ask_where_rounds_begin(written):
    data = written([*talk(1), *FIRST, *talk(2), *SECOND, *talk(3)])
    read = read_transcripts(data, "a.json")
    assert [fault.code for fault in read.faults if not fault.is_warning] == ["unknown_columns"]
    assert "nothing says where rounds begin" in read.faults[0].message
    table = read_head(data, is_part=False)
    mapping = with_rounds(table, propose_mapping(table))
    assert mapping.settings["rounds"] == "votes" and not find_questions(table, mapping)
    shown = read_first_game(table, mapping, "a", "a", {}).record
    (game,) = read_transcripts(data, "a.json", columns=[mapping]).games
    for record in (shown, game.record):
        assert [message.round for message in record.messages] == [1] * 6 + [2] * 12
        assert [vote.round for vote in record.votes] == [1, 1, 2, 2]
    (whole,) = read_transcripts(data, "a.json", columns=[parse_mapping(["rounds=none"])]).games
    assert (whole.record.rounds, len(whole.record.votes)) == (1, 4)


@pytest.mark.parametrize(
    "rows",
    [
        [*talk(1), *FIRST, *talk(2)],
        [*talk(1), *FIRST, *talk(2), *ballot(("Cid", "Ann"), ("Ann", "Bea"))],
        [*talk(1), *FIRST, *SECOND],
        [*talk(1, round=1), *ballot(*[("Ann", "Cid"), ("Bea", "Cid")], round=1), *talk(2, round=2), *SECOND],
        [row for one in talk(1) for row in (one, *ballot((one["speaker"], "Cid")))],
    ],
)
def test_one_ballot_a_second_one_of_others_known_rounds_and_votes_with_talk_ask_nothing(rows):
    assert len(read_transcripts(as_lines(rows), "a.jsonl").games) == 1


@pytest.mark.parametrize(
    "nobody",
    ["Abstain from voting", "nessuno", "nadie", "niemand", "personne", "ninguém", "никто", "没有人", "なし"],
)
def test_nobody_is_no_player_in_any_language(nobody):
    rows = [*talk(1), *ballot(("Ann", "Bea"), ("Bea", nobody))]
    (game,) = read_transcripts(as_lines(rows), "a.jsonl").games
    assert [vote.target for vote in game.record.votes] == [2]
    assert [player.name for player in game.record.players] == [*NAMES]


def proposed(data: bytes) -> MappingRecord:
    table = read_head(data, is_part=False)
    assert table is not None
    return propose_mapping(table)


@pytest.mark.parametrize(
    ("columns", "player"),
    [
        (("took", "role"), "role"),
        (("kind_of_mind", "role"), "role"),
        (("role", "gamer"), "gamer"),
    ],
)
def test_durations_are_no_players_and_a_role_that_is_none_is_one(columns, player):
    values = {
        "took": ("1.25", "0.5", "1.25"),
        "kind_of_mind": ("PATHOS", "ETHOS", "LOGOS"),
        "gamer": NAMES,
        "role": ("Wind", "Wall", "Door") if player == "role" else ("Villager", "Seer", "Villager"),
    }
    rows = [
        {**{column: values[column][n % 3] for column in columns}, "content": f"I will think about it, {n}."}
        for n in range(9)
    ]
    assert proposed(as_lines(rows)).fields["player"] == player


def test_a_list_of_keys_that_are_private_is_no_audience():
    rows = [
        {
            "type": "speech",
            "data": {"who": name, "text": text, "plan": "x" * n},
            "private_fields": ["plan"] * (n % 2),
        }
        for n, (name, text) in enumerate(SAID)
    ]
    table = read_head(as_lines(rows), is_part=False)
    assert "private_fields" not in str([one.value for one in find_questions(table, propose_mapping(table))])
    # Under another name the same values are asked about.
    other = as_lines([{**row, "private_to": row.pop("private_fields")} for row in rows])
    table = read_head(other, is_part=False)
    assert "private_to" in str([one.value for one in find_questions(table, propose_mapping(table))])


def test_a_table_with_bars_may_begin_with_an_index_without_a_name():
    lines = [f"{n}|m{n}|{name}|{text}" for n, (name, text) in enumerate(SAID)]
    (game,) = read_transcripts("\n".join(["|id|player|text", *lines]).encode(), "a.csv").games or (None,)
    assert game is None or len(game.record.messages) == len(SAID)
    mapping = proposed("\n".join(["|id|player|text", *lines]).encode())
    assert (mapping.fields["player"], mapping.fields["text"]) == ("player", "text")


@pytest.mark.parametrize(
    "vote",
    [
        "[ACTION] {}: vote {}",
        "[ACTION] {}: VOTE({})",
        "[ACTION] {}: Vote: {}",
        "[VOTE] {}: {}",
        "[VOTE] {}: I vote for {}.",
        "Vote: {} --> {}",
    ],
)
def test_a_vote_behind_a_tag_or_below_each_message_counts_once_in_a_round(vote):
    names = ("Ann", "Bea", "Ann", "Bea")
    lines = [
        part
        for at, name in enumerate(names)
        for part in (f"[SPEECH] {name}: Point {at} is mine.", vote.format(name, "Ann" if at % 2 else "Bea"))
    ]
    (game,) = read_transcripts("\n".join(lines).encode(), "chat.txt").games
    assert [message.text for message in game.record.messages] == [f"Point {at} is mine." for at in range(4)]
    assert [(one.voter, one.target) for one in game.record.votes] == [(1, 2), (2, 1)]
    assert "vote_repeated" in {warning.code for warning in game.warnings}


@pytest.mark.parametrize("vote", ["[VOTE] {} --> {}", "{} votes for {} (vote parsing failed)"])
def test_lines_that_are_votes_are_proposed_as_such(vote):
    lines = [f"{name}: Point {name} is mine.\n{vote.format(name, 'Cid')}" for name in (*NAMES, *NAMES)]
    table = read_head("\n".join(lines).encode(), is_part=False)
    game = read_first_game(table, propose_mapping(table), "chat.txt", "chat", {})
    assert (len(game.record.votes), len(game.record.messages)) == (6, 6)


@pytest.mark.parametrize("act", ["protect {}", "{} is odd to me.", "accuse {}"])
def test_other_acts_behind_a_tag_are_no_votes(act):
    lines = [
        f"[{tag}] {name}: {text}"
        for name, other in (("Ann", "Bea"), ("Bea", "Ann"), ("Ann", "Bea"))
        for tag, text in (("SPEECH", "Good day."), ("ACTION", act.format(other)))
    ]
    (game,) = read_transcripts("\n".join(lines).encode(), "chat.txt").games
    assert (len(game.record.messages), game.record.votes) == (3, [])
