"""Public formats whose games have thoughts, calls of tools and secret acts: none of these is ever speech."""

import csv
import io
import json
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from discussions.core.records import Elimination, Player
from discussions.transcripts.core.formats import find_format
from discussions.transcripts.core.readers.columns import MappingRecord
from tests.factories.archives import zipped
from tests.factories.native_games import native_game
from tests.factories.public_formats import (
    CANARY,
    SAID,
    a2a_latest,
    a2a_task,
    agents_items,
    atif_trajectory,
    autogen_result,
    chatarena_history,
    crew_log,
    crew_output,
    discord_channel,
    kaggle_replay,
    langfuse_traces,
    langsmith_runs,
    otlp_spans,
    otlp_structured,
    session_lines,
    slack_day,
    slack_export,
)
from tests.factories.reading import read_transcripts

SHARED = Path(__file__).parents[3].parent / "shared" / "data"


def read_value(value, **options):
    return read_transcripts(json.dumps(value).encode(), "game.json", **options)


def only(read):
    """The only game; nothing private is in its record, in a warning or in a fault."""
    assert (read.faults, len(read.games)) == ([], 1)
    game = read.games[0]
    assert CANARY not in repr((game.record, game.warnings, read.faults))
    return game


def said(game):
    """Round, name and text of each message."""
    names = [player.name for player in game.record.players]
    return [(message.round, names[message.player - 1], message.text) for message in game.record.messages]


def kept(game):
    """Kind and author of what is private."""
    names = ["", *(player.name for player in game.record.players)]
    return [(entry.kind, names[entry.player]) for entry in game.private]


def codes(game):
    return {warning.code for warning in game.warnings}


def sample(path):
    if not (SHARED / path).exists():
        pytest.skip("the folder of samples is not here")
    return read_transcripts((SHARED / path).read_bytes(), Path(path).name)


def test_a_replay_of_kaggle_is_read():
    read = read_value(kaggle_replay())
    game = only(read)
    assert (read.format, game.record.game_id, game.record.winner) == ("kaggle_werewolf", "741", "Villagers")
    assert said(game) == [(1, "Ann", "Who was it?"), (1, "Bea", "Not me.")]
    assert game.record.players[1] == Player("Bea", "Werewolf", "model-a", is_alive=True)
    # The vote for nobody is left out; the night counts to the day after it.
    assert [(vote.round, vote.voter, vote.target) for vote in game.record.votes] == [(1, 1, 2)]
    assert game.record.eliminations == [Elimination(1, 4, "killed at night"), Elimination(1, 2, "voted out")]
    assert codes(game) == {"not_public", "vote_without_target"}
    assert game.record.model_build == "model-a"


def test_what_is_secret_in_a_replay_is_kept_apart():
    game = only(read_value(kaggle_replay()))
    assert all(CANARY in entry.text for entry in game.private)
    bea = ("thought", "Bea")
    assert kept(game)[:8] == [bea] * 6 + [("thought", "Ann")] * 2
    assert kept(game)[-1] == ("vote", "Ann")
    assert [entry.to for entry in game.private if "it is" in entry.text] == [[2]]


def test_the_cost_of_a_replay_is_its_summary_or_the_sum_of_its_acts():
    cost = only(read_value(kaggle_replay())).record.cost
    assert (float(cost.total_usd), cost.input_tokens, cost.output_tokens) == (0.5, 200, 18)
    replay = kaggle_replay()
    summary = {
        "total_cost": 1.5,
        "total_prompt_tokens": 7,
        "total_completion_tokens": 3,
        "cost_per_agent": [],
    }
    replay["info"]["GAME_END"]["cost_summary"] = summary
    cost = only(read_value(replay)).record.cost
    assert (float(cost.total_usd), cost.input_tokens, cost.output_tokens) == (1.5, 7, 3)
    assert "no_cost" in codes(only(read_value(kaggle_replay() | {"steps": [5]})))


def test_a_replay_that_broke_off_has_the_roles_of_its_beginning():
    game = only(read_value(kaggle_replay(GAME_END={"terminated_with_agent_error": True})))
    assert [player.role for player in game.record.players] == ["Villager", "Werewolf", "Seer", "Doctor"]
    assert "game_stopped" in codes(game)


@pytest.mark.parametrize(
    "data", [b"\xef\xbb\xbf %s", b'[%s, {"name": "werewolf", "info": {"GAME_END": {}}}]']
)
def test_a_replay_is_the_same_in_any_file(data):
    whole = json.dumps(kaggle_replay(), indent=1).encode()
    read = read_transcripts(data % whole, "game.json")
    assert read.games[0].record == only(read_transcripts(whole, "game.json")).record
    named = read_transcripts(whole, "game.json", named=find_format("kaggle_werewolf"))
    assert named.games[0].record == read.games[0].record


def test_what_nobody_reads_of_a_replay_refuses_nothing():
    steps = '{"steps": [[{"observation": {"a": 1, "a": [[[2]]]}}]], "rewards": 12345678901234567890, '
    read = read_transcripts(
        (steps + json.dumps(kaggle_replay() | {"steps": []})[1:].replace('"steps": [], ', "")).encode(), "a"
    )
    assert read.faults == []


def test_the_steps_of_a_replay_are_not_built():
    steps = [[{"observation": {"seen": [{"who": "Ann", "said": "x" * 50}] * 1_000}}]] * 100
    data = json.dumps(kaggle_replay() | {"steps": steps}).encode()
    tracemalloc.start()
    read = read_transcripts(data, "game.json")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (len(read.games), len(data) > 7_000_000, peak < 500_000) == (1, True, True), peak


def test_faults_of_a_replay_have_their_place_in_the_file():
    data = json.dumps(kaggle_replay(), indent=1)
    twice = data.replace('"winner_team"', '"winner_team": 1,\n"winner_team"')
    (fault,) = read_transcripts(twice.encode(), "game.json").faults
    line = twice[: twice.rindex('"winner_team"')].count("\n") + 1
    assert (fault.code, fault.place.split(" column ")[0]) == ("duplicate_key", f"game.json line {line}")
    assert fault.place.endswith("/info/GAME_END")
    replay = kaggle_replay()
    replay["info"]["MODERATOR_OBSERVATION"][4][1]["json_str"] += CANARY
    (fault,) = read_value(replay).faults
    assert fault.place == "game.json /info/MODERATOR_OBSERVATION/4/1/json_str"
    assert CANARY not in fault.message


def test_the_sample_of_kaggle_is_read():
    game = only(sample("kaggle_werewolf/random-agents.json"))
    record = game.record
    assert [message.round for message in record.messages] == [1] * 6 + [2] * 4
    assert (len(record.players), record.winner) == (7, "Werewolves")
    assert [vote.round for vote in record.votes] == [1] * 6 + [2] * 4
    names = [record.players[elimination.player - 1].name for elimination in record.eliminations]
    assert names == ["Cid", "Ann", "Fay", "Eva", "Gus"]
    assert len(game.private) == 67
    assert not any("randomly" in message.text for message in record.messages)


def test_items_of_the_agents_sdk_are_read():
    read = read_value(agents_items())
    game = only(read)
    assert read.format == "openai_chat"
    assert said(game) == [(1, "user", "Good morning."), (1, "assistant", "Who begins?")]
    assert kept(game) == [("thought", "assistant")]
    (warning,) = [warning for warning in game.warnings if warning.code == "item_left_out"]
    assert warning.message.startswith(
        'Items that are no messages were left out: 2 (first type "function_call")'
    )


@pytest.mark.parametrize(
    ("value", "left_out"),
    [
        (autogen_result(), "item_left_out"),
        (a2a_task(), "part_left_out"),
        (a2a_latest(), "part_left_out"),
    ],
    ids=["AutoGen", "A2A", "A2A status"],
)
def test_agents_of_other_tools_are_players(value, left_out):
    read = read_value(value)
    game = only(read)
    assert (read.format, said(game)) == ("openai_chat", [(1, *line) for line in SAID])
    assert kept(game) == [("thought", "Bea")]
    assert left_out in codes(game)


def test_the_agent_of_a_trajectory_is_its_player():
    game = only(read_value(atif_trajectory()))
    assert (game.record.game_id, said(game)) == ("s", [(1, "Ann", "Good morning.")])
    assert kept(game) == [("thought", "Ann")]
    assert {"instruction_left_out", "tool_call_left_out"} <= codes(game)
    assert (float(game.record.cost.total_usd), game.record.cost.input_tokens) == (0.5, 40)


@pytest.mark.parametrize(
    "hidden",
    [
        {"role": "assistant", "name": "Bea", "content": CANARY, "to": "Ann"},
        {"role": "assistant", "name": "Bea", "content": CANARY, "channel": "analysis"},
        {"role": "assistant", "name": "Bea", "content": CANARY, "private": True},
        {"role": "assistant", "name": "Bea", "content": [{"type": "thinking", "thinking": CANARY}]},
        {"role": "assistant", "name": "Bea", "content": None, "reasoning_content": CANARY},
        {"role": "assistant", "name": "Bea", "content": "", "thinking": CANARY, "tool_calls": [{"id": "c"}]},
        {
            "role": "assistant",
            "name": "Bea",
            "content": [{"text": CANARY, "thought": True}, {"type": "tool_result", "text": CANARY}],
        },
    ],
)
def test_what_not_everybody_hears_in_a_chat_is_kept_apart(hidden):
    rows = [{"role": "user", "name": name, "content": text} for name, text in SAID]
    game = only(read_value([*rows, hidden]))
    assert said(game) == [(1, *line) for line in SAID]
    assert [(entry.player, entry.text) for entry in game.private] == [(2, CANARY)]


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("autogen.json", SAID),
        ("a2a.json", SAID),
        ("convokit_utterances.jsonl", SAID),
        (
            "atif.json",
            [("Ann", "Good morning, I suspect Bea because she was quiet."), ("Ann", "I vote for Bea.")],
        ),
    ],
)
def test_the_samples_of_chats_are_read(name, lines):
    assert said(only(sample(f"format_samples/{name}"))) == [(1, *line) for line in lines]


def test_case_k6f_items_are_read():
    game = only(sample("cases/k6f-agents-items.json"))
    lines = [("user", "Begin."), ("assistant", "Good day."), ("assistant", "Good night.")]
    assert said(game) == [(1, *line) for line in lines]
    assert "item_left_out" in codes(game)


TRACES = {
    "OTLP": otlp_spans(),
    "OTLP structured": otlp_structured(),
    "Langfuse": langfuse_traces(),
    "LangSmith": langsmith_runs(),
    "session": session_lines(),
}


@pytest.mark.parametrize("is_by_line", [False, True], ids=["value", "lines"])
@pytest.mark.parametrize("name", TRACES)
def test_answers_of_models_are_what_players_said(name, is_by_line):
    value = TRACES[name]
    values = value if type(value) is list else [value]
    lines = "\n".join(map(json.dumps, values)) if is_by_line else json.dumps(value, indent=1)
    read = read_transcripts(lines.encode(), "game.json")
    game = only(read)
    assert (read.format, game.record.game_id) == ("agent_traces", "g")
    assert said(game) == [(1, *line) for line in SAID]
    assert kept(game) == [("thought", "Bea")]
    assert "instruction_left_out" in codes(game)


def test_each_conversation_of_a_trace_is_a_game():
    first, second = langfuse_traces()
    read = read_value([first, second | {"sessionId": "h"}])
    assert [(game.record.game_id, len(game.record.messages)) for game in read.games] == [("g", 1), ("h", 1)]


def test_a_broken_line_of_a_trace_refuses_its_games():
    lines = "\n".join([*map(json.dumps, session_lines()), '{"type": ' + CANARY])
    read = read_transcripts(lines.encode(), "game.jsonl")
    assert (read.games, [fault.place for fault in read.faults]) == ([], ["game.jsonl line 6"])
    assert CANARY not in repr(read.faults)


def test_a_trace_without_an_answer_is_refused():
    read = read_value({"resourceSpans": []})
    assert [fault.code for fault in read.faults] == ["shape"]


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("otlp.json", SAID[:1]),
        ("langfuse.json", SAID),
        ("langsmith.jsonl", [SAID[0], ("Bea", "Who?")]),
        ("sts.jsonl", [("assistant", "Good morning."), ("user", "Hi")]),
    ],
)
def test_the_samples_of_traces_are_read(name, lines):
    assert said(only(sample(f"format_samples/{name}"))) == [(1, *line) for line in lines]


@pytest.mark.parametrize("about", [{"player": "Bea"}, {}, {"player": "Bea", "visible_to": ["Bea"]}])
def test_a_step_that_is_called_a_thought_is_none_of_the_talk(about):
    first, second = langfuse_traces()
    second["observations"][1] |= {"name": "reflection", "metadata": about, "output": CANARY}
    game = only(read_value([first, second]))
    assert said(game) == [(1, *SAID[0])]
    assert [entry.text for entry in game.private] == [CANARY]


def test_runs_within_a_run_are_its_answers():
    *_others, last, chain, first = langsmith_runs()
    tree = chain | {"child_runs": [{"run_type": "tool", "outputs": {}, "child_runs": [first]}, last]}
    assert said(only(read_value(tree))) == [(1, *SAID[0]), (1, *SAID[1])]


def test_runs_whose_answers_have_keys_of_their_own_are_shown_as_a_table():
    def run(player, night=False, **outputs):
        inputs = {"agent": player, "round": 1}
        return {"name": "den" if night else "speak", "run_type": "llm", "inputs": inputs, "outputs": outputs}

    lines = [*SAID, ("Cy", "Not me, Ann."), ("Ann", "Bea asks too much.")]
    days = [run(name, reasoning=CANARY, speech=text) for name, text in lines]
    parts = [("night_1", [run("Ann", night=True, message_to_pack=CANARY)]), ("day_1", days)]
    chains = [
        {"name": name, "run_type": "chain", "outputs": {}, "child_runs": within} for name, within in parts
    ]
    read = read_value({"name": "game", "run_type": "chain", "outputs": {}, "child_runs": chains})
    assert [fault.code for fault in read.faults] == ["unknown_columns"]
    assert CANARY not in repr(read.faults)


def test_contents_of_gemini_are_read():
    rows = [
        {"role": "user", "parts": [{"text": "Good morning."}]},
        {"role": "model", "parts": [{"text": CANARY, "thought": True}, {"text": "Who begins?"}]},
    ]
    game = only(read_value(rows))
    assert said(game) == [(1, "user", "Good morning."), (1, "assistant", "Who begins?")]
    assert kept(game) == [("thought", "assistant")]


def test_contents_of_gemini_may_name_their_agents_and_rounds():
    rows = [{"role": "model", "agent": name, "round": 2, "parts": [{"text": text}]} for name, text in SAID]
    assert said(only(read_value({"contents": rows}))) == [(2, *line) for line in SAID]


def test_observations_of_others_make_no_trace():
    read = read_value(native_game(observations=[{"type": "seen", "output": CANARY}]))
    assert read.format == "native"
    assert only(read).record.game_id == native_game()["gameId"]


@pytest.mark.parametrize("value", [crew_output(), crew_log()], ids=["CrewOutput", "output_log_file"])
def test_what_tasks_of_crewai_returned_is_what_their_agents_said(value):
    read = read_value(value)
    game = only(read)
    assert (read.format, said(game)) == ("openai_chat", [(1, *line) for line in SAID])
    cost = game.record.cost
    assert (cost.input_tokens, cost.output_tokens) == ((40, 5) if type(value) is dict else (None, None))


def test_a_history_of_chatarena_keeps_what_only_some_could_see():
    rows = chatarena_history()
    out = io.StringIO()
    table = csv.writer(out)
    table.writerows([rows[0], *(row.values() for row in rows)])
    for data, name in ((json.dumps(rows), "json"), (out.getvalue(), "csv")):
        read = read_transcripts(data.encode(), f"history.{name}")
        game = only(read)
        assert (read.format, said(game)) == (
            "csv" if name == "csv" else "jsonl",
            [(1, *line) for line in SAID],
        )
        assert kept(game) == [("talk", "Ann"), ("talk", "Cid")]
        assert [warning.message for warning in game.warnings if warning.code == "row_ignored"] == [
            'Rows that are no speech, vote or elimination were left out: 2 (first "Moderator").'
        ]


def test_the_meta_of_convokit_is_asked_about_only_where_it_may_hide_something():
    rows = [
        {"id": f"u{index}", "conversation_id": "g", "text": text, "speaker": name, "reply-to": None}
        | {"timestamp": None, "vectors": [], "meta": {"score": index, "round": 2, "parsed": [{}]}}
        for index, (name, text) in enumerate(SAID)
    ]
    lines = "\n".join(map(json.dumps, rows)).encode()
    assert said(only(read_transcripts(lines, "utterances.jsonl"))) == [(2, *line) for line in SAID]
    lines = lines.replace(b'"score": 0', b'"channel": "x"').replace(b'"score": 1', b'"channel": "y"')
    assert [fault.code for fault in read_transcripts(lines, "a").faults] == ["unknown_columns"] * 2


def test_speakers_and_conversations_of_a_corpus_give_roles_and_winners():
    rows = [
        {"id": at, "conversation_id": "g", "speaker": who, "text": text}
        for at, (who, text) in enumerate(SAID)
    ]
    files = {
        "c/utterances.jsonl": "\n".join(map(json.dumps, rows)).encode(),
        "c/conversations.json": json.dumps({"g": {"meta": {"winner": "town"}}}).encode(),
    }
    for name, about in (("speakers", {"meta": {"role": "wolf", "vote": "Bea"}}), ("users", {"role": "wolf"})):
        speakers = {f"c/{name}.json": json.dumps({SAID[0][0]: about}).encode()}
        read = read_transcripts(zipped(files | speakers), "c.zip")
        game = only(read)
        assert (read.format, game.record.winner, game.record.votes) == ("convokit", "town", [])
        assert [player.role for player in game.record.players][:2] == ["wolf", None]
        assert [line[1:] for line in said(game)] == [*SAID]


def archive(files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        for path, value in files.items():
            packed.writestr(path, json.dumps(value))
    return out.getvalue()


@pytest.mark.parametrize("value", [discord_channel(), slack_day(has_profiles=True)], ids=["Discord", "Slack"])
def test_a_channel_of_a_chat_program_is_read(value):
    read = read_value(value)
    game = only(read)
    assert (read.format, said(game)) == ("chat_exports", [(1, *line) for line in SAID])
    assert [message.reply_to for message in game.record.messages] == [None, 1]
    assert game.record.messages[0].time.startswith("2026-01-31T20:15:0")
    assert "notice" in codes(game)


@pytest.mark.parametrize("kind", ["DirectTextChat", "DirectGroupTextChat", "GuildPrivateThread"])
def test_a_private_channel_of_discord_has_nothing_to_measure(kind):
    read = read_value(discord_channel(kind))
    assert ([fault.code for fault in read.faults], read.games) == (["no_messages"], [])


@pytest.mark.parametrize("folder", ["", "workspace/"])
def test_an_export_of_slack_is_a_game_with_its_private_channels(folder):
    files = {folder + path: value for path, value in slack_export().items()}
    read = read_transcripts(archive(files), "export.zip")
    game = only(read)
    assert (read.format, game.record.game_id) == ("chat_exports", "workspace" if folder else "export")
    assert said(game) == [(1, *line) for line in SAID]
    assert kept(game) == [("talk", "Bea")] * 2


def test_a_channel_of_slack_is_public_only_if_it_is_listed_so():
    files = slack_export()
    del files["groups.json"], files["dms.json"]
    assert kept(only(read_transcripts(archive(files), "export.zip"))) == [("talk", "Bea")] * 2
    two = archive(files | {"random/2026-01-31.json": slack_day()})
    (fault,) = read_transcripts(two, "export.zip").faults
    assert (fault.code, '"random", "town"' in fault.message) == ("unknown_columns", True)


@pytest.mark.parametrize(
    ("answers", "ids", "private"),
    [
        ({"town": "speech", "random": "ignore"}, ["export"], 2),
        ({"town": "speech", "random": "private"}, ["export"], 4),
        ({"town": "speech", "random": "speech"}, ["export-random", "export-town"], 2),
        ({"town": "speech"}, [], 0),
    ],
)
def test_talking_channels_of_slack_are_games_where_people_said_so(answers, ids, private):
    files = slack_export() | {"random/2026-01-31.json": slack_day()}
    files["channels.json"] = [*files["channels.json"], {"id": "C02", "name": "random"}]
    read = read_transcripts(archive(files), "export.zip", columns=[MappingRecord([], {}, kinds=answers)])
    assert [game.record.game_id for game in read.games] == ids
    assert [said(game) for game in read.games] == [[(1, *line) for line in SAID]] * len(ids)
    assert sum(len(game.private) for game in read.games) == private
    assert [fault.code for fault in read.faults] == ([] if ids else ["unknown_columns"])


def test_texts_of_slack_are_read_as_its_program_shows_them():
    text = "<@U01BBBBBBBB> &amp; <@U09|Cid> in <#C1|town>: <https://a.example|here> &lt;3 <!channel>"
    day = slack_day()
    day[1] |= {"text": text}
    game = only(read_transcripts(archive(slack_export(**{"town/2026-01-31.json": day})), "export.zip"))
    assert said(game)[0] == (1, "Ann", "@Bea & @Cid in #town: here <3 @channel")


def test_two_people_of_one_name_stay_apart():
    export = slack_export()
    for user in export["users.json"]:
        user["profile"]["display_name"] = "Ann"
    names = [name for _round, name, _text in said(only(read_transcripts(archive(export), "export.zip")))]
    assert names == ["Ann (U01AAAAAAAA)", "Ann (U01BBBBBBBB)"]
