"""Chats of a model's API, and logs of Inspect AI."""

import pytest

from discussions.core.records import Cost
from discussions.transcripts.core.readers import inspect_eval, json_turns, openai_chat
from tests.factories.archives import zipped
from tests.factories.reading import read_transcripts
from tests.factories.text_formats import inspect_sample, read_value
from tests.factories.transcripts import as_bytes

CHAT = [
    {"role": "system", "content": "You play."},
    {"role": "assistant", "name": "Ann", "content": "Good morning."},
    {
        "role": "user",
        "name": "Bea",
        "content": [{"type": "text", "text": "One."}, {"type": "text", "text": "Two."}],
    },
    {"role": "assistant", "name": "Ann", "content": None, "tool_calls": [{"id": "x"}]},
    {"role": "tool", "content": "done"},
    {"role": "user", "content": [{"type": "image_url", "image_url": {}}, {"type": "text", "text": "Look."}]},
]


def test_a_chat_is_one_game_by_name_else_by_role():
    assert openai_chat.recognises(CHAT)
    read = read_value(openai_chat, CHAT)
    assert read.record.game_id == "file"
    assert read.said == [("Ann", "Good morning."), ("Bea", "One.\nTwo."), ("user", "Look.")]
    said = {warning.code: warning.message for warning in read.warnings}
    assert said["instruction_left_out"].startswith(
        "Messages that are no utterances of players were left out: 2"
    )
    assert said["tool_call_left_out"] == "Calls of tools were left out, of so many messages: 1."
    assert '"image_url")' in said["part_left_out"]


def test_a_wrapper_may_give_id_players_and_cost():
    value = {
        "id": "talk-1",
        "messages": [message | {"round": 2} for message in CHAT[1:3]],
        "players": [{"name": "Ann", "role": "SEER"}, {"name": "Bea", "role": "MAFIA"}],
        "votes": [{"roundNumber": 2, "voterName": "Ann", "targetName": "Bea"}],
        "metadata": {"cost": {"totalUsd": 0.5}},
        "model": "some/model",
    }
    read = read_value(openai_chat, value)
    assert read.record.game_id == "talk-1"
    assert [player.role for player in read.record.players] == ["SEER", "MAFIA"]
    assert [message.round for message in read.record.messages] == [2, 2]
    assert float(read.record.cost.total_usd) == 0.5
    assert len(read.record.votes) == 1
    roles = {"messages": CHAT[1:3], "metadata": {"roles": {"Ann": "SEER"}}}
    assert [player.role for player in read_value(openai_chat, roles).record.players] == ["SEER", None]


def test_an_object_with_turns_is_a_game():
    turns = [
        {"turn": 4, "speaker": {"name": "Ann"}, "utterance": "a", "phase": "Day 1", "tokens": 5},
        {"turn": 5, "speaker": {"name": "Bea"}, "utterance": "b", "phase": "Night 1"},
        {"turn": 6, "speaker": {"name": "Bea"}, "utterance": "c", "phase": "Day 2", "vote": "Ann"},
    ]
    turns = [{**turn, "speaker": turn["speaker"]["name"]} for turn in turns]
    roster = [{"name": "Bea", "role": "MAFIA"}, {"name": "Ann", "role": "SEER"}]
    value = {"id": 7, "conversation": turns, "players": roster, "winner": "mafia", "seed": 1}
    assert json_turns.recognises(value)
    read = read_value(json_turns, value)
    assert (read.record.game_id, read.said) == ("7", [("Ann", "a"), ("Bea", "c")])
    assert [player.role for player in read.record.players] == ["MAFIA", "SEER"]
    assert (read.record.winner, len(read.record.votes)) == ("mafia", 1)
    assert {"unknown_key", "not_public"} <= read.codes
    games = read_transcripts(as_bytes([value, value | {"id": "8"}]), "a.json")
    assert ([game.record.game_id for game in games.games], games.format) == (["7", "8"], "json_turns")


def test_what_messages_say_of_players_adds_to_the_list_of_players():
    turns = [
        {"speaker": "Ann", "text": "a", "role": "SEER", "persona": "calm"},
        {"speaker": "Bea", "text": "b", "role": "SEER", "persona": "loud"},
        {"speaker": "Cid", "text": "c", "role": "VILLAGER"},
    ]
    roster = [{"name": "Cid"}, {"name": "Bea", "role": "MAFIA"}, {"player_name": " Ann ", "personality": ""}]
    read = read_value(json_turns, {"turns": turns, "players": roster})
    assert [(player.name, player.role, player.personality) for player in read.record.players] == [
        ("Cid", "VILLAGER", None),
        ("Bea", "MAFIA", "loud"),
        ("Ann", "SEER", "calm"),
    ]
    (differs,) = [warning for warning in read.warnings if warning.code == "player_differs"]
    assert (differs.place, '"Bea")' in differs.message) == ("file.json /players/1", True)
    same = read_value(json_turns, {"turns": turns[:1], "players": [{"name": "Ann", "role": "SEER"}]})
    assert "player_differs" not in same.codes


def test_votes_of_messages_beside_a_list_of_votes_are_left_out_with_a_warning():
    turns = [
        {"speaker": "Ann", "text": "a", "vote": "Bea"},
        {"speaker": "Bea", "text": "b", "vote": "Ann"},
    ]
    votes = [{"round": 1, "voter": "Ann", "target": "Ann"}]
    read = read_value(json_turns, {"turns": turns, "votes": votes})
    assert [(vote.voter, vote.target) for vote in read.record.votes] == [(1, 1)]
    (left_out,) = [warning for warning in read.warnings if warning.code == "votes_twice"]
    assert (left_out.place, left_out.message[-4:]) == ("file.json /votes", ": 2.")
    for lone in ({"turns": turns}, {"turns": turns, "votes": []}):
        read = read_value(json_turns, lone)
        assert (len(read.record.votes), "votes_twice" in read.codes) == (2, False)


def test_messages_under_other_keys_are_answered_with_what_they_hold():
    message = {"content": "Hi", "author": {"id": "9", "nick": "Ann"}, "embeds": []}
    (fault,) = read_value(json_turns, {"guild": {}, "messages": [message]}).faults
    assert 'under "messages" has the keys "content", "author.id", "author.nick"; none' in fault.message
    assert 'none of them is known as "player". Rename' in fault.message and "as jsonl" in fault.message
    (fault,) = read_value(json_turns, {"log": [{"doer": "Ann", "said": "Hi"}]}).faults
    assert 'known as "player", "text". Rename' in fault.message


@pytest.mark.parametrize(
    ("value", "code", "place"),
    [
        *((value, "shape", "file.json") for value in (None, 5, [], {}, {"turns": []}, {"turns": [5]})),
        ({"turns": [{"speaker": "Ann"}]}, "shape", "file.json"),
        ({"turns": [{"speaker": "Ann", "text": "a"}, 5]}, "wrong_type", "file.json /turns/1"),
        ({"turns": [{"speaker": "", "text": "a"}]}, "no_player", "file.json /turns/0"),
        ({"turns": [{"speaker": "Ann", "text": "a", "round": "x"}]}, "wrong_type", "file.json /turns/0"),
        ({"turns": [{"speaker": "Ann", "text": "a"}], "players": 5}, "wrong_type", "file.json /players"),
        (
            {"turns": [{"speaker": "Ann", "text": "a"}], "players": [{"name": "Bea"}]},
            "unknown_player",
            "file.json /turns/0",
        ),
    ],
)
def test_what_is_wrong_with_turns_is_told(value, code, place):
    read = read_value(json_turns, value)
    assert read.record is None
    assert (read.faults[0].code, read.faults[0].place) == (code, place)


def test_messages_of_langchain_have_a_type():
    chat = [
        {"type": "system", "content": "Play."},
        {"type": "human", "name": "Ann", "content": "a", "additional_kwargs": {}, "id": "x"},
        {"type": "ai", "content": [{"type": "text", "text": "b"}], "tool_calls": []},
        {"type": "ai", "data": {"type": "ai", "name": "Bea", "content": "c"}},
    ]
    for value in (chat, {"messages": chat}):
        assert openai_chat.recognises(value)
        read = read_value(openai_chat, value)
        assert read.said == [("Ann", "a"), ("assistant", "b"), ("Bea", "c")]
        assert "instruction_left_out" in read.codes
    assert not openai_chat.recognises([{"type": "TextMessage", "content": "a"}])
    assert not openai_chat.recognises([{"type": "human", "text": "a"}])


@pytest.mark.parametrize("key", ["speaker", "Agent_Name", "user"])
def test_messages_with_a_type_and_a_player_are_none_of_langchain(key):
    rows = [{"type": "human", key: "Ann", "content": "a"}, {"type": "ai", key: "Bea", "content": "b"}]
    assert not openai_chat.recognises(rows)
    waiting = read_transcripts(as_bytes(rows), "a.json")
    assert (waiting.format, len(waiting.games)) == ("jsonl", 1)
    (game,) = read_transcripts(as_bytes({"messages": rows}), "a.json").games
    assert [player.name for player in game.record.players] == ["Ann", "Bea"]


def test_what_is_no_chat_is_not_taken_for_one():
    rows = [{"role": "SEER", "content": "a", "player": "Ann"}]
    for value in (
        None,
        [],
        {},
        5,
        [5],
        rows,
        {"messages": []},
        {"messages": [{"text": "a"}]},
        {"role": "user"},
    ):
        assert not openai_chat.recognises(value), value


def test_a_sample_is_a_game_of_its_agents():
    sample = inspect_sample()
    sample["metadata"] |= {"seed": 7, "pair": {"not": "a name"}, "prompt": ["not", "a", "text"]}
    assert inspect_eval.recognises(sample)
    read = read_value(inspect_eval, sample)
    assert (read.record.model_build, read.record.seed, read.record.pair) == (
        ", ".join(sample["model_usage"]),
        "7",
        None,
    )
    assert read.record.game_id == "g1-1-abcdefgh"
    assert read.said == [("Ann", "Bea was quiet."), ("Bea", "I listen."), ("Ann", "So you say.")]
    assert read.record.messages[0].time == "2026-01-01T10:00:00+00:00"
    assert [(player.role, player.personality) for player in read.record.players] == [
        ("SEER", None),
        ("MAFIA", "calm"),
    ]
    assert read.record.cost == Cost(
        total_usd=read.record.cost.total_usd, input_tokens=200, output_tokens=10, cache_hit_rate=0.2
    )
    assert float(read.record.cost.total_usd) == 0.75
    said = {warning.code: warning.message for warning in read.warnings}
    assert said["scores_left_out"] == 'Scores of the log were left out: 1 (first "won").'
    assert said["instruction_left_out"].startswith(
        "Messages that are no utterances of players were left out: 1"
    )


def test_a_name_in_the_metadata_comes_before_the_span_and_the_model_after_it():
    sample = inspect_sample()
    sample["messages"][1] |= {"metadata": {"player": "Zoe", "round": 3}}
    sample["messages"].append({"role": "assistant", "content": "Hm.", "model": "some/model"})
    sample["messages"].append({"role": "user", "content": "Yes.", "metadata": {"player": "Hob"}})
    read = read_value(inspect_eval, sample)
    assert [name for name, _text in read.said] == ["Zoe", "Bea", "Ann", "some/model", "Hob"]
    assert read.record.messages[0].round == 3


def test_agents_who_only_speak_in_the_events_are_found_there():
    read = read_value(inspect_eval, inspect_sample(messages=[]))
    assert read.said == [("Ann", "Bea was quiet."), ("Bea", "I listen."), ("Ann", "So you say.")]
    assert "taken_from_events" in read.codes


def test_attachments_are_put_back_and_reasoning_is_kept_apart():
    sample = inspect_sample(attachments={"k": "Long text."})
    sample["messages"][1]["content"] = "attachment://k"
    sample["messages"][2]["content"] = [
        {"type": "reasoning", "reasoning": "secret"},
        {"type": "text", "text": "attachment://k"},
    ]
    read = read_value(inspect_eval, sample)
    assert [text for _name, text in read.said] == ["Long text.", "Long text.", "So you say."]
    assert [(entry.text, entry.kind) for entry in read.private] == [("secret", "thought")]


def test_the_samples_of_a_log_are_listed():
    log = {"version": 2, "plan": {}, "eval": {"task": "mafia"}, "samples": [inspect_sample(), 5]}
    assert inspect_eval.recognises(log)
    assert [pointer for pointer, _sample in inspect_eval.parts(log)] == ["/samples/0", "/samples/1"]
    assert read_value(inspect_eval, 5).faults[0].code == "shape"
    head = {key: value for key, value in log.items() if key != "samples"}
    for without in (head, log | {"samples": None}, log | {"samples": []}):
        ((pointer, broken),) = inspect_eval.parts(without)
        assert (pointer, read_value(inspect_eval, broken).faults[0].code) == ("", "shape")
    assert not inspect_eval.recognises({"version": 2}) and not inspect_eval.recognises([log])


def test_an_archive_of_samples_gives_them_and_leaves_out_what_is_beside_them():
    sample = inspect_sample()
    log = {
        "header.json": {"version": 2, "plan": {}, "eval": {}},
        "summaries.json": [{"id": "g1", "epoch": 1}],
        "_journal/start.json": {"version": 2, "plan": {}, "eval": {}},
        "samples/g1_epoch_1.json": sample,
    }
    found = read_transcripts(zipped({name: as_bytes(value) for name, value in log.items()}), "my.eval")
    assert [game.record.game_id for game in found.games] == ["g1-1-abcdefgh"]
    assert (found.fault_count, found.format) == (0, "inspect")


def call(name, arguments):
    return {
        "id": "x",
        "type": "function",
        "function": {"name": name, "arguments": as_bytes(arguments).decode()},
    }


def test_models_that_speak_by_calls_think_beside_them():
    talk = [
        {"role": "assistant", "name": name, "content": "I am the wolf.", "tool_calls": calls}
        for name, calls in (
            ("Ann", [call("say_to_all", {"line": "Good morning to you."})]),
            ("Bea", [call("speak", {"line": "I slept very well."})]),
            ("Ann", [call("vote", {"target": "Bea"})]),
        )
    ]
    read = read_value(openai_chat, talk)
    assert read.said == [("Ann", "Good morning to you."), ("Bea", "I slept very well.")]
    # What a call does of which the name says nothing, or whom it tells, is not known.
    for name, arguments in (
        ("act", {"a": "Good morning to you."}),
        ("say", {"to": "Bea", "a": "Psst, I am it."}),
    ):
        talk = [{"role": "assistant", "name": "Ann", "content": "Hm.", "tool_calls": [call(name, arguments)]}]
        (fault,) = read_value(openai_chat, talk).faults
        assert fault.code == "unclear_call" and f'"{name}"' in fault.message
