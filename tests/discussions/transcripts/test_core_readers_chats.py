"""Chats as people keep them: who speaks is told by the key that names a player, and rounds by marks of lines."""

import json
import tracemalloc

import pytest
from msgspec.structs import replace

from discussions.transcripts.core.layouts import ReadOptions
from discussions.transcripts.core.reader import plan_reading, read_games
from discussions.transcripts.core.readers import chat_heads, chat_text, csv_rows, inner_parts
from discussions.transcripts.core.readers.heads import propose_mapping, read_head
from discussions.transcripts.core.thoughts import ASIDE
from tests.factories.reading import read_transcripts
from tests.factories.text_formats import read_text


def only_game(data, name="a.json"):
    """The game of a file that holds one, and what was noted of it."""
    (game,) = read_transcripts(data.encode(), name).games
    return game.record, {warning.code: warning.message for warning in game.warnings}


API_ROWS = [
    {"role": "assistant", "speaker": "Ann", "content": "Hi."},
    {"role": "assistant", "speaker": "Bea", "content": "Ho."},
    {"role": "user", "speaker": " ", "content": "Go on."},
]
WRITTEN = {
    "list": json.dumps(API_ROWS),
    "object": json.dumps({"messages": API_ROWS}),
    "name of a model": json.dumps([row | {"name": "some-model"} for row in API_ROWS[:2]] + API_ROWS[2:]),
}


@pytest.mark.parametrize("what", WRITTEN)
def test_a_speaker_names_the_player_of_a_message_of_an_api(what):
    record, _warnings = only_game(WRITTEN[what])
    assert [player.name for player in record.players] == ["Ann", "Bea", "user"]


@pytest.mark.parametrize(
    "data", ["\n".join(map(json.dumps, API_ROWS[:2])), json.dumps({"turns": API_ROWS[:2]})]
)
def test_the_role_of_an_api_is_no_role_of_the_game(data):
    record, _warnings = only_game(data, "a.jsonl")
    assert [(player.name, player.role) for player in record.players] == [("Ann", None), ("Bea", None)]


def turns(winner, *rows):
    said = [{"speaker": name, "text": "Hello.", "winner": row} for name, row in zip("AB", rows, strict=True)]
    return json.dumps({"winner": winner, "turns": said})


def test_an_object_that_names_another_winner_than_its_rows_says_so():
    record, warnings = only_game(turns("village", "mafia", ""))
    assert record.winner == "village"
    assert '("mafia", not "village")' in warnings["winner_differs"]
    _record, warnings = only_game(turns("Village", "village", ""))
    assert "winner_differs" not in warnings
    record, warnings = only_game(turns(None, "mafia", ""))
    assert (record.winner, "winner_differs" in warnings) == ("mafia", False)


PUBLIC = (
    "Day 2 (mafia game)",
    "Mafia game, day 2",
    "werewolf game 2",
    "Day 2 (mafia wins)",
    "Day 2: wolves lost one",
    "Round 2 (werewolf revealed)",
)
PRIVATE = (
    "Day 2 (mafia)",
    "Day 2 (mafia chat)",
    "Day 2 (wolf den chat)",
    "Round 2: wolves",
    "Round 2: wolves wake up",
    "Day 2 (private)",
    "Day 2 night",
    "Day 2 (werewolf only)",
    "mafia",
    "the wolves plan",
)


@pytest.mark.parametrize("phase", [*PUBLIC, *PRIVATE])
def test_only_a_private_channel_leaves_a_row_out(phase):
    (read,) = read_text(csv_rows, f'player,text,phase\nAnn,a,Day 1\nBea,b,"{phase}"\n')
    assert [name for name, _text in read.said] == (["Ann", "Bea"] if phase in PUBLIC else ["Ann"])


CHATS = {
    "rounds before messages": "[Day 1] Ann: One\n[Day 1] Bea: Two: and\nmore\n[Day 2] Ann: Three\n",
    "rounds in round brackets": "(Round 1) Ann: One\n(Round 1) Bea: Two: and\nmore\n(Round 2) Ann: Three\n",
    "names in angle brackets": "Day 1\n<Ann> One\n<@Bea> Two: and\nmore\nDay 2\n<Ann> Three\n",
    "two numbers": "[Tag 1, Runde 1] Ann: One\n[Tag 1, Runde 2] Bea: Two: and\nmore\n[Tag 2 - Runde 1] Ann: Three\n",
    "a number in each round": "[Day 1 | #1] Ann: One\n[Day 1 | #2] Bea: Two: and\nmore\n[Day 2 | #1] Ann: Three\n",
    "both": "[Day 1] <Ann> One\n[Day 1] <Bea> Two: and\nmore\n[Day 2] <Ann> Three\n",
}
TIMED = {
    "names in angle brackets": "Day 1\n[10:05] <Ann> One\n10:06 <+Bea> Two: and\nmore\nDay 2\n[10:07] <Ann> Three\n",
    "a time after the round": "[Day 1] [10:05] Ann: One\n[Day 1] 10:06 Bea: Two: and\nmore\n[Day 2] [10:07] Ann: Three",
    "a time beside the round": "[Day 1, 10:05] Ann: One\n[Day 1 10:06] Bea: Two: and\nmore\n[Day 2, 10:07] Ann: Three",
}


@pytest.mark.parametrize("what", [*CHATS, *(f"{what}, timed" for what in TIMED)])
def test_chats_with_marks_are_read(what):
    text = CHATS.get(what) or TIMED[what.removesuffix(", timed")]
    (game,) = (found := read_transcripts(text.encode(), "chat.txt")).games
    record = game.record
    assert found.format == "chat_text"
    assert [(record.players[said.player - 1].name, said.round, said.text) for said in record.messages] == [
        ("Ann", 1, "One"),
        ("Bea", 1, "Two: and\nmore"),
        ("Ann", 2, "Three"),
    ]
    times = [said.time for said in record.messages]
    assert times == (["10:05", "10:06", "10:07"] if what.endswith("timed") else [None] * 3)


FIELDS = {
    "tabs": "[LINE] Chat history\nSaved on: 2026/01/31 23:10\n\n2026/01/31(Sat)\n20:01\tHost Rita\tDay 1 starts now\n"
    '20:02\tAnn\tGood morning.\n20:03\tBea\t"Two lines\nof text"\n20:04\tAnn\t[Sticker]\n20:05\tAnn\t!vote Bea\n'
    '20:06\tHost Rita\tBea is out.\n\n2026/02/01(Sun)\n20:01\tHost Rita\tDay 2 starts now\n20:02\tAnn\t"It" is quiet.\n'
    "20:03\tCid\tVery.\n20:04\tCid\tWho?\n20:05\tCid left the group.\n",
    "pipes": "20:01:00 |j| Ann\n20:01:01 |raw|<b>Day 1. Talk!</b>\n20:01:02 |c|@Ann|Good morning.\n"
    "20:01:03 |c:|1700000000|+Bea|Two lines\n20:01:04 |pm|+Bea|Psst|Ann\n20:01:05 |c|~|Ann has voted Bea.\n"
    "20:01:06 |raw|<b>Night 1. Sleep.</b>\n20:01:07 |c| guest7|So late.\n20:01:08 |raw|<b>Day 2. Talk!</b>\n"
    '20:01:09 |c|@Ann|"It" is quiet.\n20:01:10 |c| Cid|Very.\n20:01:11 |c| Cid|Who?\n20:01:12 |c|+Bea|Cid?',
}


@pytest.mark.parametrize("name", FIELDS)
def test_fields_of_lines_are_messages_and_the_rest_is_told(name):
    (game,) = (found := read_transcripts(FIELDS[name].encode(), "chat.txt")).games
    record, names = game.record, [player.name for player in game.record.players]
    said = [(one.round, names[one.player - 1], one.text.replace("\nof text", "")) for one in record.messages]
    talk = [
        (1, "Ann", "Good morning."),
        (1, "Bea", "Two lines"),
        (2, "Ann", '"It" is quiet.'),
        (2, "Cid", "Very."),
    ]
    assert said[:5] == [*talk, (2, "Cid", "Who?")] and found.format == "chat_text"
    assert [(names[vote.voter - 1], names[vote.target - 1]) for vote in record.votes] == [("Ann", "Bea")]
    assert [entry.text for entry in game.private if "sst" in entry.text] == ["Psst|Ann"][: name == "pipes"]


@pytest.mark.parametrize("line", ["20:0{}\t{}\twolves\t{}", "20:0{} | {} | {}", "20:0{}|wolves|{}|{}"])
def test_fields_that_may_say_who_heard_a_line_are_asked_about(line):
    said = [line.format(at, name, f"Text number {at} is here.") for at, name in enumerate(("Ann", "Bea") * 4)]
    assert read_transcripts("\n".join(said).encode(), "chat.txt").games == []


@pytest.mark.parametrize("quotes", ['""', "“”", "「」", "«»"])
def test_quotes_around_every_text_go(quotes):
    said = [f"{quotes[0]}Bea and Ann, hear {quotes} my point {at}.{quotes[1]}" for at in range(4)]
    lines = [f"{'Ann' if at % 2 else 'Bea'}: {text}" for at, text in enumerate(said)]
    for given, first in ((lines, said[0][1:-1]), (["Ann: Hello.", *lines], "Hello.")):
        (game,) = read_transcripts("\n".join(given).encode(), "chat.txt").games
        assert game.record.messages[0].text == first
        assert game.record.messages[-1].text == (said[3][1:-1] if given is lines else said[3])


@pytest.mark.parametrize("quotes", ['""', "“”", "«»"])
def test_quotes_of_two_parts_of_a_text_stay(quotes):
    texts = ["{}Trust{} is what Ann calls a {}word{}", "{}Yes{} he said, {}and no{}", "{}All{} of {}you{}"]
    lines = [f"{'Ann' if at % 2 else 'Bea'}: {text.format(*quotes * 2)}" for at, text in enumerate(texts * 2)]
    (game,) = read_transcripts("\n".join(lines).encode(), "chat.txt").games
    assert [one.text for one in game.record.messages] == [text.format(*quotes * 2) for text in texts * 2]


@pytest.mark.parametrize("sign", "@#")
def test_places_after_names_are_asked_about(sign):
    talk = [(name, "hall", f"I say my point {at}.") for at, name in enumerate(["Ann", "Bea", "Cid"] * 3)]
    talk[3:3] = [(name, "howl", "We take Cid.") for name in ("Ann", "Bea")]
    lines = [f"10:0{at} {name} {sign}{place}: {text}" for at, (name, place, text) in enumerate(talk)]
    assert read_transcripts("\n".join(lines[:10]).encode(), "chat.txt").games == []


def test_a_sentence_with_a_colon_is_said_to_nobody():
    text = "I have something to say and you may not like it: Ann lies."
    lines = [*("! Ann: Good day.\n! Bea: Hello Ann, who are you?\n" * 3).split("\n")[:-1], f"! Ann: {text}"]
    table = read_head("\n".join(lines).encode(), is_part=False)
    assert table is not None and [row.cells[table.columns.index("text")] for row in table.rows][-1] == text


def test_a_night_before_a_message_leaves_it_out():
    (read,) = read_text(chat_text, "[Day 1] Ann: a\n[Night 1] Bea: kill\n[Day 2] Bea: b\n[Day 2] Ann: c\n")
    assert [text for _name, text in read.said] == ["a", "b", "c"]


def test_a_colon_in_an_irc_log_names_nobody():
    (read,) = read_text(chat_text, "<ann> My list\nBob: mafia\n<bea> Well\n<ann> Yes\n")
    assert [name for name, _text in read.said] == ["ann", "bea", "ann"]


@pytest.mark.parametrize(
    "text", ["<p> One</p>\n<p> Two</p>\n", "<game>\n<b> x\n<b> y\n</game>\n", "<Ann> One\n"]
)
def test_markup_is_no_chat(text):
    assert not chat_heads.recognises_text(text)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_places_are_lines_of_the_file_in_every_game(end):
    game = ["Game: one", "", "who knows", "Ann: a", "Bea: b", "Ann: c", ""]
    reads = read_text(chat_text, end.join([*game, *game]))
    places = [
        [warning.place for warning in read.warnings if warning.code == "line_before_first"] for read in reads
    ]
    assert places == [["file.txt line 3"], ["file.txt line 10"]]


def many_games(count):
    """So many games of 8 messages of 15 KB, one after the other: few lines, as each is followed byte by byte."""
    said = "".join(f"[10:{at:02}] Player{at % 5}: {'a' * 15_000}\n" for at in range(8))
    return "".join(f"Game: game-{number}\n\nDay 1\n{said}\n" for number in range(count)).encode()


def test_games_of_a_large_chat_are_in_memory_one_at_a_time():
    data = many_games(40)
    plan = plan_reading(data, "chat.txt", ReadOptions())
    tracemalloc.start()
    try:
        names = [read.game.record.game_id for read in read_games(plan)]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert names == [f"game-{number}" for number in range(40)]
    assert peak < len(data) * 2 / 3, "no second copy of the text"


@pytest.mark.parametrize(
    "hidden",
    [
        "Ann [thought]: CANARY",
        "Ann (aside, to herself): CANARY",
        "[to: Bea] Ann: CANARY",
        "*whisper* Ann: CANARY",
        "> *Ann (thinking):* CANARY",
        "> **Ann** (to the pack): CANARY",
        "Ann (DM to Game Master): CANARY",
        "@Bea (DM) Ann: CANARY",
        "## Ann's private notes\n- **Ann**: CANARY\n## Day 1",
        "## Roles (hidden)\n- **Ann**: CANARY\n## Day 1",
        "<details><summary>Reasoning of Ann</summary>\n**Ann:** CANARY\n</details>",
    ],
)
def test_what_a_line_or_a_heading_calls_private_is_in_no_text(hidden):
    text = f"# Mafia game 7\n\n## Day 1\nAnn [speech]: Hi.\n{hidden}\nBea (aloud): Ho.\nAnn: Yes.\nBea wrote: No.\n"
    (game,) = read_transcripts(text.encode(), "a.md").games
    assert [message.text for message in game.record.messages] == ["Hi.", "Ho.", "Yes.", "No."]
    assert [player.name for player in game.record.players] == ["Ann", "Bea"]
    assert any("CANARY" in entry.text for entry in game.private)


def test_in_a_log_of_irc_a_line_with_a_time_continues_no_text():
    lines = [
        "20:15 <@Ann> Hi.",
        "20:16 <Ann:Bea> CANARY",
        "20:17 * Bea waves",
        "20:18 < Bea> Ho.",
        "20:19 <Ann> Yes.",
    ]
    (game,) = read_transcripts("\n".join(lines).encode(), "a.log").games
    assert [message.text for message in game.record.messages] == ["Hi.", "Ho.", "Yes."]
    assert "were left out: 2 (" in next(
        warning.message for warning in game.warnings if warning.code == "notice"
    )


def test_who_leads_the_game_is_no_player_and_a_vote_without_a_voter_is_of_who_speaks():
    text = "Day 1\nModerator: Welcome.\nAll of you.\nAnn: Hi.\nVOTE: Bea\nBea: Ho.\nModerator: Bea is out.\nAnn: Yes."
    (game,) = read_transcripts(text.encode(), "a.txt").games
    assert [message.text for message in game.record.messages] == ["Hi.", "Ho.", "Yes."]
    assert [player.name for player in game.record.players] == ["Ann", "Bea"]
    assert [(vote.round, vote.voter, vote.target) for vote in game.record.votes] == [(1, 1, 2)]
    listed = "Players: Moderator, Ann\n\nDay 1\nModerator: Hi.\nAnn: Ho.\nModerator: Yes."
    (game,) = read_transcripts(listed.encode(), "a.txt").games
    assert len(game.record.messages) == 3


NAMED = [{"role": "assistant", "name": name, "content": f"{name} says hello."} for name in ("Ann", "Bea")] * 2
PROMPT = {"role": "user", "content": "Begin the day."}
RESULT = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "ok"}]}
LED = {
    "a prompt": [PROMPT, *NAMED],
    "a prompt and a result": [PROMPT, *NAMED, RESULT],
    "a result": [*NAMED, RESULT],
}


@pytest.mark.parametrize("is_list", [True, False])
@pytest.mark.parametrize("chat", LED.values(), ids=LED)
def test_what_named_players_are_told_first_is_no_message(chat, is_list):
    text = json.dumps({"messages": chat}) if is_list else "\n".join(map(json.dumps, chat))
    record, warnings = only_game(text)
    assert [player.name for player in record.players] == ["Ann", "Bea"]
    assert [message.text for message in record.messages] == [message["content"] for message in NAMED]
    assert ("instruction_left_out" in warnings) == (PROMPT in chat)


LANGCHAIN = [{"type": "ai", "name": one["name"], "content": one["content"]} for one in NAMED]


@pytest.mark.parametrize("chat", [LANGCHAIN, [{"role": "system", "content": "Begin."}, *NAMED]])
@pytest.mark.parametrize(
    ("beside", "count"),
    [
        ({"id": ["a", "b", "c", "d", "e"]}, 1),
        ({"game_id": [0, 0, 0, 1, 1]}, 2),
        ({"id": [0, 0, 0, 1, 1]}, None),
        ({"night": [False, False, False, True, True]}, 0),
        ({"kind": ["talk", "talk", "talk", "whisper", "whisper"]}, 1),
        ({"metadata": [{"night": at > 2} for at in range(5)]}, 0),
    ],
)
def test_lines_of_chats_whose_keys_say_more_are_rows(chat, beside, count):
    ((key, parts),) = beside.items()
    rows = [row | {key: part} if at else row for at, (row, part) in enumerate(zip(chat, parts, strict=False))]
    read = read_transcripts("\n".join(map(json.dumps, rows)).encode(), "a.jsonl")
    assert (read.format == "openai_chat") == (beside["id"][0] == "a" if "id" in beside else False)
    assert count in (None, len(read.games))
    hidden = [row["content"] for row in rows if row.get("kind") == "whisper"]
    private = [entry.text for game in read.games for entry in game.private]
    assert private == hidden


@pytest.mark.parametrize("kind", ["ai", "message", "speech"])
def test_what_another_column_says_counts_beside_a_type_that_says_nothing(kind):
    rows = [
        row | {"type": kind, "kind": said}
        for row, said in zip(NAMED, ["talk"] * 3 + ["whisper"], strict=True)
    ]
    (game,) = read_transcripts("\n".join(map(json.dumps, rows)).encode(), "a.jsonl").games
    assert [entry.text for entry in game.private] == [NAMED[3]["content"]]


@pytest.mark.parametrize(("most", "known"), [(1000, "openai_chat"), (100, "jsonl")])
def test_lines_of_a_long_chat_are_rows(monkeypatch, most, known):
    monkeypatch.setattr(inner_parts, "_LONGEST_LOG", most)
    assert read_transcripts("\n".join(map(json.dumps, LANGCHAIN)).encode(), "a.jsonl").format == known


@pytest.mark.parametrize(
    "chat", [[*NAMED, PROMPT], [PROMPT, *NAMED[:2], PROMPT | {"content": "I play, too."}]]
)
def test_a_user_who_speaks_later_is_not_left_out(chat):
    read = read_transcripts(json.dumps({"messages": chat}).encode(), "a.json")
    assert [player.name for game in read.games for player in game.record.players] in (
        [],
        ["Ann", "Bea", "user"],
    )


def run_item(agent, kind, **inner):
    return {"type": f"{kind}_item", "agent": {"name": agent}, "raw_item": inner}


ITEMS = [
    *(
        run_item(
            name,
            "message_output",
            type="message",
            role="assistant",
            content=[{"type": "output_text", "text": f"I am {name}."}],
        )
        for name in ("Ann", "Bea")
    ),
    run_item("Ann", "reasoning", type="reasoning", summary=[{"type": "summary_text", "text": "CANARY."}]),
    run_item("Ann", "tool_call", type="function_call", name="vote", arguments="{}"),
]
EVENTS = [
    *({"source": name, "content": f"I am {name}.", "type": "TextMessage"} for name in ("Ann", "Bea")),
    {"source": "Ann", "content": "CANARY.", "type": "ThoughtEvent"},
    {
        "source": "Ann",
        "content": [{"id": "c", "arguments": "{}", "name": "vote"}],
        "type": "ToolCallRequestEvent",
    },
]


@pytest.mark.parametrize("items", [ITEMS, EVENTS], ids=["OpenAI", "AutoGen"])
@pytest.mark.parametrize("form", ["list", "lines", "object"])
def test_items_of_runs_are_read_in_lists_and_in_lines(items, form):
    inside = {"new_items" if items is ITEMS else "messages": items}
    text = {
        "list": json.dumps(items),
        "lines": "\n".join(map(json.dumps, items)),
        "object": json.dumps(inside),
    }[form]
    record, _warnings = only_game(text)
    assert [message.text for message in record.messages] == ["I am Ann.", "I am Bea."]


COLOURED = [
    {"speaker": f"\x1b[33m{name}\x1b[0m", "text": f"\x1b[1mI am {name}.\x1b[0m"} for name in ("Ann", "Bea")
]


@pytest.mark.parametrize("text", [json.dumps({"turns": COLOURED}), "\n".join(map(json.dumps, COLOURED))])
def test_colours_in_json_are_left_out(text):
    record, _warnings = only_game(text)
    assert [player.name for player in record.players] == ["Ann", "Bea"]
    assert [message.text for message in record.messages] == ["I am Ann.", "I am Bea."]


def test_what_may_be_no_colour_stays():
    said = r"C:\\u001b[1m"
    text = f'{{"turns": [{{"speaker": "Ann", "text": "{said}"}}, {{"speaker": "Bea", "text": "Hi."}}]}}'
    record, _warnings = only_game(text)
    assert record.messages[0].text == json.loads(f'"{said}"')


@pytest.mark.parametrize("is_list", [True, False])
@pytest.mark.parametrize("said", ["{} I am Cid.", "I am Cid. {}", "I am {} Cid.", "{}"])
@pytest.mark.parametrize("code", ["2", "3", "0;90", "2;37", "38;5;8", "38;5;240", "38;2;128;128;128"])
def test_a_text_in_a_faint_colour_in_json_is_asked_about(code, said, is_list):
    faint = {"speaker": "Cid", "text": said.format(f"\x1b[{code}mI must lie.\x1b[0m")}
    rows = [*COLOURED * 3, faint]
    text = json.dumps({"turns": rows}) if is_list else "\n".join(map(json.dumps, rows))
    found = read_transcripts(text.encode(), "a.jsonl")
    assert ([fault.code for fault in found.faults], found.games) == (["unknown_columns"], [])


def test_a_faint_text_is_a_thought_in_a_chat_and_said_where_a_person_says_so():
    faint = "\x1b[2mI must lie.\x1b[0m I am Cid."
    said = [*((row["speaker"], row["text"]) for row in COLOURED * 3), ("Cid", faint)]
    chat = [{"role": "assistant", "name": name, "content": text} for name, text in said]
    (game,) = read_transcripts(json.dumps({"messages": chat}).encode(), "a.json").games
    assert game.record.messages[-1].text == "I am Cid." and [one.text for one in game.private] == [
        "I must lie."
    ]
    rows = "\n".join(json.dumps({"round": 1, "player": name, "text": text}) for name, text in said)
    table = read_head(rows.encode(), is_part=False)
    assert table is not None
    mapping = replace(propose_mapping(table), kinds={ASIDE.casefold(): "speech"})
    (game,) = read_transcripts(rows.encode(), "a.jsonl", columns=(mapping,)).games
    assert game.record.messages[-1].text == "I must lie. I am Cid."


@pytest.mark.parametrize("code", ["33", "1;33", "38;5;3", "38;2;255;0;0"])
@pytest.mark.parametrize("said", ["\x1b[{}mI am Ann.\x1b[0m", "\x1b[2m\x1b[0mI \x1b[2mam\x1b[0m Ann."])
def test_colours_that_set_no_words_apart_in_json_are_left_out(code, said):
    record, _warnings = only_game(
        json.dumps({"turns": [COLOURED[0] | {"text": said.format(code)}, COLOURED[1]]})
    )
    assert [message.text for message in record.messages] == ["I am Ann.", "I am Bea."]
