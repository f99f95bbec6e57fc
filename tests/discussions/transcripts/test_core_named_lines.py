"""Texts of no known chat whose lines name players: each waits with few questions, and nothing private is proposed."""

import pytest
from msgspec.structs import replace

from discussions.transcripts.core.audience import is_clear
from discussions.transcripts.core.readers.called_names import find_names
from discussions.transcripts.core.readers.heads import propose_mapping, read_first_game, read_head
from discussions.transcripts.core.readers.named_lines import read_named
from discussions.transcripts.core.readers.narration import read_heading
from discussions.transcripts.core.readers.row_kinds import find_questions
from tests.discussions.transcripts.test_core_own_shapes import check_waits, text
from tests.discussions.transcripts.test_core_separated import rows_of
from tests.factories.own_logs import SAID
from tests.factories.reading import read_transcripts

CELLS = "| Joueur | Manière | Propos |\n"
LOG = "2026-02-11 19:05:{n}.000 | "
# Each log, and what is answered to each question.
LOGS = {
    "modules": (
        text(
            f"{LOG}DEBUG | app.mind:run:8 - {{name}} broods: {{secret}}",
            f"{LOG}INFO  | app.hall:say:4 - {{name}} says: {{said}}",
        ),
        {"INFO app.hall:say: - says": "speech"},
    ),
    "one module": (
        f'{LOG.format(n=10)}INFO     | app.core:start:4 - Cast: {{"Ann": "Seer", "Bea": "Wolf"}}\n'.encode()
        + text(
            f"{LOG}DEBUG    | app.core:play_round:8 - {{name}} (den only): {{secret}}",
            f"{LOG}INFO     | app.core:play_round:9 - {{name}}: {{said}}",
        ),
        {"DEBUG app.core:play_round: - den only": "private", "INFO app.core:play_round": "speech"},
    ),
    "levels": (
        text(
            f"{LOG}INFO - [SPEECH] {{name}}: {{said}}",
            f"{LOG}INFO - [THOUGHT] {{name}}: {{secret}}",
            rounds="19:05:10 INFO day {}\n",
        ),
        {},
    ),
    "marks": (text("? {name}: {secret}", "! {name}: {said}"), {"?": "private", "!": "speech"}),
    "dates": (
        text("#{n} by {name} » Wed Feb 11, 2026 7:{n} pm", "", "{said}", "", rounds="===== Day {} =====\n\n"),
        {},
    ),
    "a thread to print": (
        text("**Re: Game 7**", "Posted: *Wed Feb 11, 2026 7:{n} pm*", "by **{name}**", "{said}", "")
        + b"Ann (2): Bea, Cid\nBea (1): Ann\n",
        {},
    ),
    "entries of several lines": (
        text(
            "19:05:{n} - INFO - [SYSTEM] It is the turn of {name}, a {role}",
            "19:05:{n} - INFO - [THOUGHT] {name}: 1. Analysis:",
            "    * {secret}",
            "19:05:{n} - INFO - [SPEECH] {name}: {said}",
            rounds="19:05:10 - INFO - [SYSTEM] --- Round {} ---\n",
        ),
        {},
    ),
    "who leads the game": (
        text("! {name}: {said}", rounds="\n⭐ Ada Ray: Day {} begins.\n")
        + "\n⭐ Ada Ray: Night falls. Wolves, wake up.\n! Cid: CANARY\n! Ann: CANARY\n".encode(),
        {},
    ),
    "parts before rounds": (
        text("{name} says: {said}", rounds="+------------+\n| DAY PHASE - ROUND {} |\n+------------+\n")
        + b"\n| NIGHT PHASE - ROUND 2 |\nCid says: CANARY\nAnn says: CANARY\n",
        {},
    ),
    "titles": (
        text("{name}: {said}", rounds="\nDAY {}\n\nRound table\n")
        + b"\n\nConfessional booth\n"
        + text("{name}: {secret}", rounds=""),
        {"Confessional booth": "private"},
    ),
    "titles in brackets": (
        text("{name}: {said}", rounds="\n[{}일차 낮 - 전체 토론]\n")
        + b"\n\n[2\xec\x9d\xbc\xec\xb0\xa8 \xeb\xb0\xa4]\nCid: CANARY\nAnn: CANARY",
        {},
    ),
    "kinds below names": (text("{name}", "Thoughts", "{secret}", "Speech", "{said}", ""), {}),
    "nights of each line": (
        text("[Night 1] ! {name}: {secret}", rounds="") + b"\n" + text("[Day 1] ! {name}: {said}", rounds=""),
        {},
    ),
    "roles": (text("{name} (Doctor) [thinking]: {secret}", "{name} (Doctor): {said}"), {}),
    "turns": (text("{name}'s turn", "Reasoning: {secret}", "Statement: {said}", ""), {}),
    "round of each line": (
        text("[Day 1][Discussion] {name}: {said}", "[Day 1][Thoughts] {name}: {secret}", rounds=""),
        {"Day Thoughts": "thought"},
    ),
    "rounds of a language": (
        text(
            "19:{n} [gov {n}] {name} (table): {said}", "19:{n} [gov {n}] {name} (duma): {secret}", rounds=""
        ),
        {"duma": "thought"},
    ),
    "rounds with parts": (
        text("[Gün {n}] {name}: {said}", "[{n}. loca] {name}: {secret}", rounds=""),
        {"gün": "speech", "loca": "private"},
    ),
    "fields of a chat": (
        text(
            "2026-01-07 19:{n}:00\t#town\t@{name}\t{said}",
            "2026-01-07 19:{n}:30\t#den\t@{name}\t{secret}",
            rounds="",
        )
        + b"\n2026-01-07 19:50:00\t#town\t-->\tEve has joined",
        {"#den": "private"},
    ),
    "pictures": (text("{name}: {said}", "{name}: 💭 {secret}"), {}),
    "short rounds": (
        b"Game 7\n" + text("[D1][Town] {name}: {said}", "[N1][Mafia] {name}: {secret}", rounds=""),
        {"D": "speech"},
    ),
    "logger of each channel": (
        text(
            "19:05:{n} - hall - INFO - {name}: {said}",
            "19:05:{n} - den - DEBUG - {name}: {secret}",
            rounds="",
        ),
        {"hall - INFO": "speech", "den - DEBUG": "private"},
    ),
    "slips": (
        text("{name} to the whole table: {said}", "{name} slips a paper to Cid: {secret}"),
        {"a player's name": "private", "slips a paper": "private"},
    ),
    "underlined": (
        text(
            "{name}",
            "---",
            "",
            "{said}",
            "",
            "*{name} muses*",
            "",
            "{secret}",
            "",
            rounds="Round {}\n=======\n\n",
        ),
        {"muses": "private"},
    ),
    "database": (
        b" id | name |     said_at_table     |   kept_to_self\n----+------+-----------------------+-------------\n"
        + text(" {n} | {name} | {said} | {secret}", rounds=""),
        {},
    ),
    "forum": (
        text("{name}: {said} [spoiler=notes]{secret}[/spoiler]"),
        {"*words in marks* before a text": "thought"},
    ),
    "heard by": (
        text("{name}: {secret}  [heard by: {name} only]", "{name}: {said}  [heard by: everyone]"),
        {"heard by: only": "private", "heard by: everyone": "speech"},
    ),
    "said and thought": (
        text('{name} said: {said} (while thinking: "{secret}")'),
        {"*words in marks* before a text": "thought"},
    ),
    "below": (
        text("[19:05] {name} is thinking...", "    {secret}", "[19:05] {name} speaks:", "    {said}"),
        {},
    ),
    "drawers": (
        text("** {name}", ":PRIVATE_THOUGHT:", "{secret}", ":END:", "{said}", rounds="* Round {}\n"),
        {},
    ),
    "fences": (
        text("**{name}**", "", "```private", "{secret}", "```", "", "{said}", "", rounds="## Day {}\n\n"),
        {},
    ),
    "tree": (text("  {name}", "    thought: {secret}", "    speech: {said}", rounds="Round {}\n"), {}),
    "channels": (text("{name}@public> {said}", "Cid@werewolves> {secret}", rounds="[round {}]\n"), {}),
    "seats": (text("[{name}|den] {secret}", "[{name}|all] {said}"), {"den": "private"}),
    "quotes": (text("{name}（心の声）「{secret}」", "{name}「{said}」", rounds="【{}日目】\n"), {}),
    "sections of a language": (
        text(
            "{name}: {said}",
            rounds="===== RONDA {} =====\n--- Noche: chat de lobos (solo los lobos) ---\nCid: CANARY\n"
            "--- Día: debate público ---\n",
        ),
        {},
    ),
    "records": (
        text(
            "from: {name}\nvisible to: {name}\ntext: {secret}\n----",
            "from: {name}\nvisible to: all\ntext: {said}\n----",
            rounds="",
        ),
        {},
    ),
    "loggers": (
        text(
            "19:05:{n} - {name}.brain - INFO - {secret}",
            "19:05:{n} - {name}.mouth - INFO - {said}",
            rounds="19:05:00 - engine - INFO - Round {}\n",
        ),
        {"brain": "private", "mouth": "speech"},
    ),
    "numbers": (text("0{n}  [00:00:{n}]  {name}: {said}", rounds="Round {}\n"), {}),
    "hidden block": (text("{name}: {said}", "(thinking)", "{secret}", "(end)"), {}),
    "cells of a language": (
        "gracz|sposób|treść|głos\n".encode()
        + text("{name}|duma|{secret}|", "{name}|mowa|{said}|", rounds=""),
        {"duma": "thought", "mowa": "speech"},
    ),
    "cells with colons": (
        "gracz::sposób::treść\n".encode() + text("{name}::duma::{secret}", "{name}::mowa::{said}", rounds=""),
        {"duma": "thought", "mowa": "speech"},
    ),
    "tables of a language": (
        text(
            "| {name} | duma | {secret} |",
            "| {name} | mowa | {said} |",
            rounds=f"## Jour {{}}\n\n{CELLS}|:--|:--|:--|\n",
        ),
        {"duma": "thought", "mowa": "speech"},
    ),
    "table without a rule": (
        CELLS.encode() + text("| {name} | duma | {secret} |", "| {name} | mowa | {said} |", rounds=""),
        {"duma": "thought", "mowa": "speech"},
    ),
    "label": (
        text("{name}: {said}", "Suspect: {secret}", "Seer result: {secret}"),
        {"Suspect": "private", "Seer result": "thought"},
    ),
}


@pytest.mark.parametrize("name", LOGS)
def test_a_log_whose_lines_name_players_waits_and_its_like_is_read(name):
    check_waits(*LOGS[name])


@pytest.mark.parametrize(
    "vote",
    [
        *("[Vote] {} -> {}", "{} votes for {}.", "{} votes for: {}", "[Vote] {}: {}"),
        *("[Abstimmung] {} stimmt für {}", "{} 投票给了 {}", "  {} → {}"),
        *("{} は {} に投票した",),
        *("- {} voted {} of being a spy.",),
    ],
)
def test_votes_among_such_lines_are_read(vote):
    votes = [("Ann", "Bea"), ("Bea", "Cid"), ("Cid", "Bea")]
    data = (
        text("! {name}: {said}", rounds="Round {}\n").decode()
        + "\n"
        + "\n".join(vote.format(*one) for one in votes)
    )
    _mapping, rows = rows_of(data.encode())
    assert [(row["player"], row["target"]) for row in rows if row.get("type") == "vote"] == votes
    assert [(row["player"], row["text"]) for row in rows if "text" in row] == SAID


@pytest.mark.parametrize(
    ("shape", "told"),
    [
        (
            ["╭─ {name} muses ────╮", "│ {said}  │", "╰───────────────────╯"],
            "🗳  Ann → Cid\n🗳  Bea votes for Ann.\nCid votes for Ann\n",
        ),
        (
            ["> **{name}** — {said}", ""],
            "\n| Voter | Vote |\n|---|---|\n| Ann | Cid |\n| Bea | Ann |\n| Cid | Ann |\n",
        ),
    ],
)
def test_votes_told_between_such_lines_are_read(shape, told):
    data = text(*shape, rounds="Round {}\n").decode() + "\n" + told
    _mapping, rows = rows_of(data.encode())
    votes = [(row["player"], row["target"]) for row in rows if row.get("type") == "vote"]
    assert votes == [("Ann", "Cid"), ("Bea", "Ann"), ("Cid", "Ann")]
    assert [(row["player"], row["text"]) for row in rows if row.get("text")] == SAID


def test_lines_of_two_names_are_votes_where_somebody_says_so():
    data = (
        text("! {name}: {said}", rounds="Round {}\n")
        + b"\nAnn glares at Cid\nBea glares at Ann\nCid glares at Bea\n"
    )
    mapping, _rows = rows_of(data)
    assert "glares at" in [
        question.value for question in find_questions(read_head(data, is_part=False), mapping)
    ]
    own = replace(mapping, kinds=mapping.kinds | {"glares at": "vote"}, is_own=True)
    (game,) = read_transcripts(data, "log.txt", columns=[own], own=[own]).games
    assert [(vote.voter, vote.target) for vote in game.record.votes] == [(1, 3), (2, 1), (3, 2)]
    assert [message.text for message in game.record.messages] == [said for _name, said in SAID]


@pytest.mark.parametrize(
    ("told", "reasons"),
    [
        (
            ["{} (wolf) votes for {}: too loud.", "{} (seer) votes for {}: too quiet."],
            ["too loud.", "too quiet."],
        ),
        (["[10:20] day 1 voting: Ann was out. {0}, {2} voted for {1}. {1} voted for {0}."], []),
    ],
)
def test_votes_with_reasons_and_of_several_voters_are_read(told, reasons):
    lines = [f"! {name}: {said}" for name, said in [*SAID, *SAID]] + [
        line.format(*pair, "Cid") for line, pair in zip(told, (("Ann", "Bea"), ("Bea", "Ann")), strict=False)
    ]
    _mapping, rows = rows_of("\n".join(lines).encode())
    votes = [(row["player"], row["target"], row.get("text")) for row in rows if row.get("type") == "vote"]
    cast = (
        [("Ann", "Bea"), ("Cid", "Bea"), ("Bea", "Ann")] if not reasons else [("Ann", "Bea"), ("Bea", "Ann")]
    )
    assert votes == [(*one, reason) for one, reason in zip(cast, reasons or [None] * 3, strict=True)]


def test_votes_in_japanese_and_lists_of_players_are_known():
    names = ["はなこ", "たろう", "けんじ"]
    said = [f"👤{name}: {other}さんの話は長いと思います。" for name in names for other in names]
    votes = [f"👤{name}の投票: 【投票】はなこに投票します。\n理由：はなこは静かです。" for name in names]
    lines = "\n".join([*(f"👤{name}" for name in names), "", *said, "2日目の夜", *said, *votes]).splitlines()
    rows = [row for _number, row in read_named(lines)]
    assert [row["target"] for row in rows if "target" in row] == ["はなこ"] * 3
    assert [row.get("phase", "") for row in rows if "text" in row] == [""] * 9 + ["night"] * 12
    assert [row["player"] for row in rows if row.get("type") == "理由"] == names


def test_a_sentence_without_a_number_begins_the_night():
    data = text("! {name}: {said}").decode() + "\nNight falls.\n! Ann: CANARY\n! Bea: CANARY\n"
    rows = [row for _number, row in read_named(data.splitlines())]
    assert [row.get("phase") == "night" for row in rows] == [row["text"] == "CANARY" for row in rows]


def test_what_belongs_to_no_player_is_asked_about():
    data = text("! {name}: {said}").decode() + "\nThe village is quiet tonight\n"
    _mapping, rows = rows_of(data.encode())
    assert rows[-1] == {
        "round": "2",
        "player": SAID[-1][0],
        "type": "other lines",
        "text": "The village is quiet tonight",
    }
    assert not is_clear("other lines")


def test_the_title_of_a_log_is_of_no_part():
    data = "### Example game log:\n" + text("? {name}: {secret}", "! {name}: {said}").decode()
    _mapping, rows = rows_of(data.encode())
    assert not any("phase" in row for row in rows)


def test_names_may_have_two_words_or_digits():
    spoken = ["Tom is odd.", "I trust Li.", "Why, Anna?", "So says Tom Ito.", "Ask Li Wei."]
    names = ["Anna Berg", "Tom Ito", "Li Wei", "Anna Berg", "Tom Ito"]
    data = "\n".join(
        f"19:05 From {name} to Everyone:\n\t{text}" for name, text in zip(names, spoken, strict=True)
    )
    assert find_names(data.splitlines()) == {*names}
    assert {fault.code for fault in read_transcripts(data.encode(), "a.txt").faults} == {"unknown_columns"}
    titled = "Dr. Green: Hello.\nMrs. White: No, Dr. Green.\nDr. Gray: Hm.\nMrs. White: So, Dr. Gray?\nDr. Gray: No."
    assert find_names(titled.splitlines()) == {"Dr. Green", "Dr. Gray", "Mrs. White"}
    assert find_names(["रवि: सीमा, कहो।", "सीमा: नहीं, रवि।"] * 3) == {"रवि", "सीमा"}
    assert find_names(["agent_0: I trust agent_1.", "agent_1: Why, agent_0?"] * 3) == {"agent_0", "agent_1"}
    models = [
        f"{name}> I trust {other}."
        for name, other in [("gpt-4o", "gemini-1.5-pro"), ("gemini-1.5-pro", "gpt-4o")] * 2
    ]
    assert find_names(models) == {"gpt-4o", "gemini-1.5-pro"}


def test_who_speaks_once_is_a_name_and_what_begins_sentences_is_none():
    told = "Ann: I saw Bea.\nBea: I saw Cid, Ann.\nAnn: The vote is near.\nCid: The end, Bea.\nBea: So be it."
    assert find_names(told.splitlines()) == {"Ann", "Bea", "Cid"}
    assert read_named(["I think so.", "The end.", "I do not.", "The vote is near."] * 3) == []
    assert read_named(['{"name": "Ann", "text": "Hello, Bea"}'] * 9) == []


@pytest.mark.parametrize(
    ("kind", "clear"),
    [
        ("Public discussion", True),
        ("whispers to", True),
        ("says", True),
        ("plotters chat", False),
        ("INFO", False),
        ("?", False),
    ],
)
def test_only_words_that_all_say_one_thing_are_clear(kind, clear):
    assert is_clear(kind) == clear


@pytest.mark.parametrize("label", ["My read", "Seer result", "Suspect", "Result", "投票"])
def test_a_label_that_no_text_names_is_asked_about_in_a_chat(label):
    data = text("{name}: {said}", f"{label}: {{secret}}")
    assert {fault.code for fault in read_transcripts(data, "log.txt").faults} == {"unknown_columns"}


@pytest.mark.parametrize(
    "line",
    [
        *("It is {name}'s turn to speak.", "speaking: {name}", "emotion: calm", "{name} looks at Cid"),
        *(
            "{name} thinks {secret}",
            "{name} trusts Cid: 1/10",
            "Prompt for {name}: {secret}",
            "Secret info for {name}: {secret}",
        ),
        *("\x1b[2m{secret}\x1b[0m", "« {secret} »", "… {secret} …", "{name} (mafia): {secret}"),
    ],
)
def test_a_line_that_comes_back_beside_messages_is_asked_about(line):
    read = read_transcripts(text("{name}: {said}", line), "log.txt")
    assert {fault.code for fault in read.faults} == {"unknown_columns"}


def test_a_player_whom_nobody_names_is_at_worst_asked_about():
    (game,) = read_transcripts(text("{name}: {said}") + b"\nTokens: 120\nWinner: Mafia", "log.txt").games
    assert sorted(player.name for player in game.record.players) == ["Ann", "Bea", "Cid"]


def test_a_text_that_says_with_whom_its_author_agrees_is_no_head_of_another():
    said = [(name.replace("Cid", "OpenAI"), said.replace("Cid", "OpenAI")) for name, said in SAID * 2]
    said[3] = "Ann", f"{said[3][1]}\nI agree with Bea: it is late."
    lines = [line for name, text in said for line in (f"[20:15] {name}:", *text.split("\n"), "")]
    rows = [row for _number, row in read_named(lines)]
    assert [(row["player"], row["text"]) for row in rows] == said


@pytest.mark.parametrize("line", ["☀️ Ann: so it is day 2 now", "✅ Done: the night falls on us"])
def test_a_picture_before_a_name_that_leads_no_game_hides_nothing(line):
    lines = [f"{name}: {said}" for name, said in SAID]
    lines = [*lines, line, *lines]
    assert not read_transcripts("\n".join(lines).encode(), "game.txt").games
    rows = [row for _number, row in read_named(lines)]
    assert [row["text"] for row in rows if row["text"] in line] == [line.removeprefix("☀️ Ann: ")]
    assert not any("phase" in row for row in rows)


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("{name} | thought | {secret}", "thought"),
        ("LLM response ({name}): {secret}", "LLM response"),
        ("Ollama Response: {secret}", "Ollama Response"),
    ],
)
def test_what_a_model_thought_or_answered_is_a_type_of_its_own(line, kind):
    data = text(line, "{name}: {said}")
    check_waits(data, {} if kind == "thought" else {kind: "ignore"})
    _mapping, rows = rows_of(data)
    assert {row.get("type", "") for row in rows} == {kind, ""}
    assert {row["player"] for row in rows} == {"Ann", "Bea", "Cid"}


@pytest.mark.parametrize("line", ["LLM: {secret}", "Ollama Request: {secret}"])
def test_what_a_model_answered_is_no_message_of_a_chat(line):
    assert not read_transcripts(text("{name}: {said}", line), "game.txt").games


def test_a_counter_of_lines_is_no_round_and_a_name_twice_is_one():
    said = SAID * 2
    lines = [f"Round {4 + at} - {name}: {name} says: {text}" for at, (name, text) in enumerate(said)]
    lines = ["--- ROLES ---", *(f"{name}: Role.WOLF" for name in ("Ann", "Bea", "Cid")), "", *lines]
    rows = [row for _number, row in read_named(lines)]
    assert rows == [{"player": name, "type": "says", "text": text} for name, text in said]
    # Where several have a number, it is a round.
    rows = [row for _number, row in read_named([line.replace("1 -", "2 -") for line in lines])]
    assert {row["round"] for row in rows} > {"4", "5"}


def test_a_line_behind_a_round_in_brackets_is_no_text_of_a_heading():
    lines = [f"[Day {1 + at // 2} - Debate] {name}: {text}" for at, (name, text) in enumerate(SAID * 2)]
    assert not any(map(read_heading, lines))
    rows = [row for _number, row in read_named(lines)]
    assert [(row["player"], row["text"]) for row in rows] == SAID * 2
    assert [row["round"] for row in rows] == [str(1 + at // 2) for at in range(len(rows))]


def test_a_role_behind_a_name_is_no_reason_to_look_for_the_speaker_behind_it():
    others = {"Ann": "Bea", "Bea": "Cid", "Cid": "Ann"}
    lines = [f"{name} (seer) favours {others[name]}. Why: {text}" for name, text in SAID * 2]
    rows = [row for _number, row in read_named([*lines, *(f"{name}: {text}" for name, text in SAID)])]
    assert [row["player"] for row in rows] == [name for name, _text in SAID * 3]


def test_labels_in_brackets_below_a_head_are_types_and_hidden_below_a_hidden_one():
    parts = ("(mood) It frowns.", "(心声) CANARY", "(words) Take Bea.")
    lines = []
    for head, own in (("🐺 wolf talk", parts), ("📢 open", parts[:2])):
        for name, said in SAID:
            below = own if own is parts else (*own, f"(words) {said}")
            lines += [f"{head} | {name}", *(f"    {part}" for part in below)]
    rows = [row for _number, row in read_named(lines)]
    assert {row["player"] for row in rows} == {"Ann", "Bea", "Cid"}
    assert {row["type"] for row in rows if "Take Bea." in row["text"]} == {"🐺 wolf talk"}
    assert {row["type"] for row in rows if "CANARY" in row["text"]} == {"心声"}
    assert [row["text"] for row in rows if row["type"] == "words"] == [text for _name, text in SAID]


@pytest.mark.parametrize("line", ["{}: {}", "  {}: {}", "[{}] {}", "{} says: {}", "- {} -> all: {}"])
def test_names_in_small_letters_are_names_where_there_are_no_others(line):
    said = [(name.lower(), text.lower()) for name, text in SAID * 2]
    lines = [line.format(name, text) for name, text in said]
    assert read_transcripts("\n".join(lines).encode(), "game.txt").games == []
    rows = [row for _number, row in read_named([*lines, "note: nobody is out", "note: nobody is out"])]
    assert [(row["player"], row["text"]) for row in rows[: len(said)]] == said
    assert find_names([*lines, "Dee: Hello, Eve.", "Eve: Hello, Dee."] * 2) == {"Dee", "Eve"}


def test_what_a_list_in_a_text_names_is_no_head_and_a_vote_below_a_hidden_one_none():
    wolf = ["🐺 Bea night talk:", "We should act.", "*   **Ann:** CANARY is too sharp.", "VOTE: Ann"]
    talk = [
        part for name, text in SAID for part in (f"{name} says:", text, "* **Bea:** is odd.", "VOTE: Bea")
    ]
    rows = [row for _number, row in read_named([*wolf, "Night 1: No one was killed.", *talk] * 2)]
    hidden = [row for row in rows if "CANARY" in row.get("text", "")]
    assert [(row["player"], row["type"]) for row in hidden] == [("Bea", "🐺 night talk")] * 2
    assert {row["player"] for row in rows if "target" in row} == {"Ann", "Bea", "Cid"}
    said = [row for row in rows if row.get("type") == "says"]
    assert [(row["player"], row["text"].split("\n")[0]) for row in said] == SAID * 2
    assert not any("phase" in row for row in said)


def test_names_in_capitals_before_texts_are_those_in_other_lines():
    lines = [f"[DAY 1] [{name.upper()} (SEER) -> ALL] {said}" for name, said in SAID]
    votes = [("Ann", "Bea"), ("Bea", "Cid"), ("Cid", "Ann")] * 2
    lines += [f"[DAY 1] {name} voted for {other}" for name, other in votes]
    assert read_transcripts("\n".join(lines).encode(), "game.txt").games == []
    rows = [row for _number, row in read_named(lines)]
    assert [(row["player"], row["text"]) for row in rows if "text" in row] == SAID
    assert [(row["player"], row["target"]) for row in rows if "target" in row] == votes


def test_names_in_angle_brackets_may_stand_behind_numbers_and_marks():
    lines = [
        f"{at}. {mark}<{name}>: {said}" for at, (name, said) in enumerate(SAID) for mark in ("[PRIVATE] ", "")
    ]
    rows = [row for _number, row in read_named(lines)]
    assert [(row["player"], row["text"]) for row in rows if "type" not in row] == SAID
    assert {row.get("type") for row in rows} == {None, "PRIVATE"}


@pytest.mark.parametrize(
    ("public", "private"),
    [
        ("[{} -> all | Round 1] {}", "[{} -> Bea | Round 1] {}"),
        ("[Round 1 | {} -> all] {}", "[Round 1 | {} -> Bea] {}"),
        ("<{}> {}", "<{} -> Bea> {}"),
        ("[{}] {}", "[{}]<Bea> {}"),
        ("[Round 1 | {} | speech] {}", "[Round 1 | {} | thought] {}"),
    ],
)
def test_who_hears_it_in_brackets_is_asked_and_nothing_is_a_vote(public, private):
    lines = [public.format(name, said) for name, said in SAID]
    lines += [private.format(name, f"CANARY {at}, dear.") for at, name in enumerate(("Ann", "Cid"))]
    table = read_head("\n".join(lines).encode(), is_part=False)
    mapping = propose_mapping(table)
    asked = {one.value.casefold(): "private" for one in find_questions(table, mapping)}
    record = read_first_game(table, replace(mapping, kinds=asked), "a", "a", {}).record
    assert asked
    assert ([message.text for message in record.messages], record.votes) == (
        [said for _name, said in SAID],
        [],
    )


RARE = """Day 1
Ada: Good morning everybody.
Bo: I think Cy is odd.
Cy: Why me? Bo said nothing yesterday.
Ada: Bo, answer Cy.
Ada votes for Bo
Cy votes for Bo
Bo votes for Cy
Bo was eliminated. Bo was mafia.
Day 2
Ada: Bo voted for Cy on day 1.
Cy: Yes, and you voted for Bo.
{label}: I only watch you two.
"""


@pytest.mark.parametrize("label", ["Dee", "Ferret"])
def test_who_speaks_once_and_is_named_nowhere_is_asked_about_alone(label):
    data = RARE.format(label=label).encode()
    table = read_head(data, is_part=False)
    mapping = propose_mapping(table)
    assert [(one.value, one.count) for one in find_questions(table, mapping)] == [(label, 1)]
    for kind, count in (("speech", 7), ("thought", 6)):
        (game,) = read_transcripts(
            data, "log.txt", columns=[replace(mapping, kinds={label.casefold(): kind})]
        ).games
        assert (len(game.record.messages), len(game.record.votes)) == (count, 3)
        names = [player.name for player in game.record.players]
        assert [names[gone.player - 1] for gone in game.record.eliminations] == ["Bo"]
