"""Chats of one file that go on at the same time are channels of one game; ids of calls say whose they are."""

import json

import pytest

from discussions.transcripts.core.readers.columns import MappingRecord
from discussions.transcripts.core.readers.heads import propose_mapping, read_head
from discussions.transcripts.core.readers.row_kinds import find_questions
from tests.factories.reading import read_transcripts


def chat(name, *said):
    rows = [{"from": who, "date": f"2026-01-05T20:{at:02}:00", "text": text} for at, who, text in said]
    return {"id": name, "name": name, "type": "group", "messages": rows}


SQUARE = chat("Square", (1, "Ann", "Hi, Bea."), (3, "Bea", "Ho, Ann."), (5, "Cid", "Who is it?"))
DEN = chat("Hut", (2, "Ann", "CANARY: we take Cid."), (4, "Bea", "CANARY: fine."))
NOTES = chat("Saved (Cid)", (2, "Cid", "CANARY: I trust nobody."))
LATER = chat("Second", (11, "Ann", "Again."), (12, "Bea", "Again, Ann."))


@pytest.mark.parametrize("chats", [[SQUARE, DEN, NOTES], [DEN, NOTES, SQUARE]])
def test_the_channel_in_which_everybody_speaks_is_the_game(chats):
    (game,) = read_transcripts(json.dumps({"chats": {"list": chats}}).encode(), "result.json").games
    assert [message.text for message in game.record.messages] == ["Hi, Bea.", "Ho, Ann.", "Who is it?"]
    assert sum("CANARY" in entry.text for entry in game.private) == 3


def test_a_message_of_a_channel_without_a_time_stays_where_it_is():
    square = SQUARE | {"messages": [*SQUARE["messages"][:2], {"from": "Cid", "text": "Well."}]}
    (game,) = read_transcripts(json.dumps({"chats": {"list": [square, DEN]}}).encode(), "result.json").games
    assert [message.text for message in game.record.messages] == ["Hi, Bea.", "Ho, Ann.", "Well."]


def test_channels_of_which_none_holds_everybody_are_refused():
    other = chat("Other", (2, "Ann", "CANARY one."), (3, "Dan", "CANARY two."))
    outcome = read_transcripts(json.dumps({"chats": {"list": [SQUARE, other]}}).encode(), "result.json")
    assert not outcome.games
    assert "channels of one game" in outcome.faults[0].message


def test_a_private_channel_in_which_everybody_speaks_is_no_game():
    den = SQUARE | {"name": "Wolf den", "id": "w"}
    outcome = read_transcripts(json.dumps({"chats": {"list": [den, NOTES]}}).encode(), "result.json")
    assert not outcome.games


def test_chats_one_after_another_are_games():
    games = read_transcripts(json.dumps({"chats": {"list": [SQUARE, LATER]}}).encode(), "result.json").games
    assert [len(game.record.messages) for game in games] == [3, 2]


def call(own, **answer):
    content = f"```json\n{json.dumps(answer)}\n```"
    body = {"choices": [{"message": {"role": "assistant", "content": content}}]}
    return {"id": f"b{own}", "custom_id": own, "response": {"status_code": 200, "body": body}}


IDS = ["game7|round{}|{}|{}|{}", "mafia-7/r{}/{}/{}/{}", "g1_{}_{}_{}_{}"]


@pytest.mark.parametrize("shape", IDS)
def test_ids_of_calls_say_the_player_the_round_and_the_type(shape):
    calls = [
        call(shape.format(number, name, kind, number), **answer)
        for number in (1, 2)
        for name in ("Ann", "Bea", "Cid")
        for kind, answer in (
            ("speak", {"thinking": "CANARY: hide.", "say": f"I am {name} in {number}."}),
            ("vote", {"vote": "Ann"}),
            ("bribe", {"offer": "CANARY: take this, and be quiet."}),
        )
    ]
    (game,) = read_transcripts("\n".join(map(json.dumps, calls)).encode(), "batch.jsonl").games
    names = [player.name for player in game.record.players]
    assert [(one.round, names[one.player - 1], one.text) for one in game.record.messages] == [
        (number, name, f"I am {name} in {number}.") for number in (1, 2) for name in ("Ann", "Bea", "Cid")
    ]
    assert sum("CANARY" in entry.text for entry in game.private) == 12


def test_ids_of_calls_that_say_no_player_are_refused():
    calls = [call(f"req/{at}/x", say=f"Hello {at}, all of you.") for at in range(4)]
    outcome = read_transcripts("\n".join(map(json.dumps, calls)).encode(), "batch.jsonl")
    assert [fault.code for fault in outcome.faults] == ["no_names"]


ROOMS = [("c1", name, f"I would hear {name} once more.") for name in ("Ann", "Bea", "Cid")]
ROOMS = (ROOMS + [("c2", name, "CANARY Ann is next.") for name in ("Bea", "Cid")]) * 2


@pytest.mark.parametrize("key", ["conversation", "session_id", "chatId", "dialogue"])
def test_conversations_that_take_turns_may_be_rooms_of_one_game(key):
    rows = [{key: room, "speaker": name, "text": text} for room, name, text in ROOMS]
    data = "\n".join(map(json.dumps, rows)).encode()
    read = read_transcripts(data, "a.jsonl")
    assert (read.games, [fault.code for fault in read.faults]) == ([], ["unknown_columns"])
    table = read_head(data, is_part=False)
    assert table is not None
    mapping = propose_mapping(table)
    assert [one.value for one in find_questions(table, mapping)] == ["c1", "c2"]
    # A person may say that they are games.
    games = MappingRecord(table.columns, {"game": key, "player": "speaker", "text": "text"})
    assert len(read_transcripts(data, "a.jsonl", columns=(games,)).games) == 2
    apart = [row for room in ("c1", "c2") for row in rows if row[key] == room]
    assert len(read_transcripts("\n".join(map(json.dumps, apart)).encode(), "a.jsonl").games) == 2
    apart[-1][key] = "wolf den"
    assert read_transcripts("\n".join(map(json.dumps, apart)).encode(), "a.jsonl").games == []


def test_blocks_of_keys_and_values_are_rows_and_a_chat_in_turns_is_none():
    blocks = [f"Room: {room}\nFrom: {name}\nBody: {text}\nAnd so on: yes." for room, name, text in ROOMS]
    table = read_head("\n\n".join(blocks).encode(), is_part=False)
    assert table is not None and table.columns == ["Room", "From", "Body"]
    assert next(iter(table.rows)).cells == ["c1", "Ann", "I would hear Ann once more.\nAnd so on: yes."]
    turns = "\n\n".join(
        "\n".join(f"{name}: I say {at} things." for name in ("Ann", "Bea", "Cid")) for at in range(4)
    )
    (game,) = read_transcripts(turns.encode(), "a.txt").games
    assert len(game.record.players) == 3 and len(game.record.messages) == 12
