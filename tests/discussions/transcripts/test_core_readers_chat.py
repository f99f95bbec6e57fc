"""Plain text with `[time] Name: text` lines: speakers, times, rounds, votes, the facts at the beginning."""

import pytest

from discussions.transcripts.core.readers import chat_heads, chat_text
from tests.factories.text_formats import read_text

CHAT = """Game: evening-3
Date: 2026-01-31
Winner: village
Players:
- Ann: SEER, calm and slow
- Bea: MAFIA
Cid (VILLAGER, loud)

=== Day 1 ===
[10:02] Ann: Good morning.
I have a plan: we wait.

Second paragraph.
[10:03] Bea: No.
Vote: Ann -> Bea
Vote: bea → nobody
Eliminated: Bea (vote)

## Round 2
[10:04:10] Cid: Well.
"""


def lines(*texts):
    return "\n".join(texts)


def test_a_chat_with_everything():
    (read,) = read_text(chat_text, CHAT)
    record = read.record
    assert (record.game_id, record.timestamp, record.winner) == ("evening-3", "2026-01-31", "village")
    assert [(player.name, player.role, player.personality) for player in record.players] == [
        ("Ann", "SEER", "calm and slow"),
        ("Bea", "MAFIA", None),
        ("Cid", "VILLAGER", "loud"),
    ]
    assert read.said == [
        ("Ann", "Good morning.\nI have a plan: we wait.\n\nSecond paragraph."),
        ("Bea", "No."),
        ("Cid", "Well."),
    ]
    assert [message.round for message in record.messages] == [1, 1, 2]
    assert [(vote.round, vote.voter, vote.target) for vote in record.votes] == [(1, 1, 2)]
    assert [(out.round, out.player, out.how) for out in record.eliminations] == [(1, 2, "vote")]


@pytest.mark.parametrize(
    "heading",
    [
        "Round 2",
        "Day 2",
        "day 2:",
        "=== Day 2 ===",
        "## Round 2",
        "--- Round 2: the vote ---",
        "[Round 2]",
        "**Day #2**",
        "Day 2: it begins",
        "ROUND 2: all of it",
        "Phase 2",
        "phase #2: talk",
        "**Day 2**: it begins",
    ],
)
def test_heading_lines_begin_rounds(heading):
    (read,) = read_text(chat_text, lines("Ann: a", "Bea: b", heading, "Ann: c"))
    assert [message.round for message in read.record.messages] == [1, 1, 2]


def test_a_heading_with_a_text_is_no_player_and_that_is_said():
    text = lines(
        *(f"[10:0{at}] {said}" for at, said in enumerate(["Ann: a", "Bea: b", "Night 1: wolves", "Bea: c"]))
    )
    (read,) = read_text(chat_text, text + "\nDay 2: it begins\n[10:05] Ann: d")
    assert read.said == [("Ann", "a"), ("Bea", "b"), ("Ann", "d")]
    assert [message.round for message in read.record.messages] == [1, 1, 2]
    said = [warning.message for warning in read.warnings if warning.code == "heading_text"]
    assert said == ['Texts after the headings of rounds were left out: 2 (first "wolves").']


@pytest.mark.parametrize(
    ("heading", "said", "time"),
    [
        ("Day 2: Ann: hello", ("Ann", "hello"), None),
        ("**Day 2**: **Ann**: hello", ("Ann", "hello"), None),
        ("## Round 2 – Ann: hello: you", ("Ann", "hello: you"), None),
        ("[10:05] Day 2: Ann: hello", ("Ann", "hello"), "10:05"),
        ("Day 2: [10:05] Ann: hello", ("Ann", "hello"), "10:05"),
    ],
)
def test_a_message_after_a_heading_is_read(heading, said, time):
    before = lines("[10:01] Ann: a", "[10:02] Bea: b") if time else lines("Ann: a", "Bea: b")
    (read,) = read_text(chat_text, lines(before, heading, "more"))
    last = read.record.messages[-1]
    assert (read.said[-1], last.round, last.time) == ((said[0], f"{said[1]}\nmore"), 2, time)
    assert "heading_text" not in read.codes


def test_votes_and_nights_after_a_heading_are_read_as_below_it():
    text = lines(
        "Ann: a", "Bea: b", "Day 2: Vote: Ann -> Bea", "Night 2: Bea: kill", "Day 3: Eliminated: Bea (vote)"
    )
    (read,) = read_text(chat_text, text)
    assert [(vote.round, vote.voter, vote.target) for vote in read.record.votes] == [(2, 1, 2)]
    assert [(out.round, out.player, out.how) for out in read.record.eliminations] == [(3, 2, "vote")]
    assert "night_line" in read.codes and len(read.said) == 2


def test_a_chat_of_messages_after_headings_is_known_as_one():
    text = lines("Day 1: Ann: a", "Day 1: Bea: b", "Day 2: Ann: c")
    assert chat_heads.recognises_text(text)
    (read,) = read_text(chat_text, text)
    assert [message.round for message in read.record.messages] == [1, 1, 2]
    (deep,) = read_text(chat_text, lines("Ann: a", "Ann: b", "Day 1: " * 5000))
    assert "heading_text" in deep.codes


@pytest.mark.parametrize(
    "proof", ["Players: Ann, Phase 1", "Vote: Ann -> Phase 1", "Eliminated: Phase 1 (vote)"]
)
def test_a_player_who_is_called_like_a_heading_speaks(proof):
    (read,) = read_text(chat_text, lines(proof, "", "Ann: a", "Phase 1: b", "Ann: c", "Phase 1: d"))
    assert read.said == [("Ann", "a"), ("Phase 1", "b"), ("Ann", "c"), ("Phase 1", "d")]


@pytest.mark.parametrize(
    "below",
    [
        lines("Winner: village", "Roles: ann: SEER, Bea (MAFIA)"),
        lines("Winner: village", "", "Roles:", "- Ann: SEER", "- Bea = MAFIA", ""),
    ],
)
@pytest.mark.parametrize("time", ["", "[10:00] "])
def test_facts_below_the_messages_are_no_speech(below, time):
    text = lines(f"{time}Ann: a", "", "Second paragraph.", f"{time}Bea: b", f"{time}Ann: c", "", below)
    (read,) = read_text(chat_text, text)
    assert read.said == [("Ann", "a\n\nSecond paragraph."), ("Bea", "b"), ("Ann", "c")]
    assert (read.record.winner, [player.role for player in read.record.players]) == (
        "village",
        ["SEER", "MAFIA"],
    )


def test_what_looks_like_a_fact_among_messages_is_one_of_them():
    for text in (
        lines("Ann: a", "Bea: b", "Winner: me", "Ann: c"),
        lines("Ann: a", "", "Winner: me", "Bea: b", "Ann: c"),
        lines("Winner: me", "", "Winner: me", "Ann: a", "Bea: b", "Winner: me"),
    ):
        (read,) = read_text(chat_text, text)
        assert ("Winner", "me") in read.said, text


@pytest.mark.parametrize(
    ("below", "count"), [(["Date: I would love one"], 1), (["Date: 1", "", "Winner: me"], 2)]
)
def test_a_fact_alone_below_the_messages_may_be_one_of_them_and_that_is_said(below, count):
    (read,) = read_text(chat_text, lines("Ann: a", "Bea: b", "Ann: c", "", *below, ""))
    assert read.record.timestamp == below[0].removeprefix("Date: ")
    (told,) = [warning for warning in read.warnings if warning.code == "fact_below"]
    assert told.place == "file.txt line 5"
    assert (f'"{below[0]}"' in told.message, f"facts: {count} " in told.message) == (True, True)


def test_facts_below_are_no_messages_where_the_players_say_so():
    text = lines("Players: Ann, {}", "", "Ann: a", "Ann: b", "", "Date: I would love one")
    (fact,) = read_text(chat_text, text.format("Bea"))
    assert (fact.record.timestamp, "fact_below" in fact.codes) == ("I would love one", False)
    (message,) = read_text(chat_text, text.format("Date"))
    assert message.said[-1] == ("Date", "I would love one")
    (block,) = read_text(chat_text, lines("Ann: a", "Bea: b", "Ann: c", "", "Date: 1", "Winner: me"))
    assert "fact_below" not in block.codes


def test_roles_at_the_beginning_leave_open_who_speaks():
    (read,) = read_text(chat_text, lines("Roles: Bea: MAFIA", "", "Ann: a", "Bea: b", "Ann: c"))
    assert [(player.name, player.role) for player in read.record.players] == [("Bea", "MAFIA"), ("Ann", None)]
    assert len(read.said) == 3


def test_a_line_across_the_page_is_no_speech():
    (read,) = read_text(
        chat_text, lines("**Ann**: a", "---", "* * *", "**Bea:** b", "====", "Winner: village")
    )
    assert (read.said, read.record.winner) == ([("Ann", "a"), ("Bea", "b")], "village")


def test_a_player_who_is_called_skip_is_voted_for():
    text = lines("Ann: a", "Vote: Ann -> skip", "Vote: Ann -> none", "Skip: b", "Ann: c")
    (read,) = read_text(chat_text, text)
    assert [(vote.voter, vote.target) for vote in read.record.votes] == [(1, 2)]


@pytest.mark.parametrize("sentence", ["Day 2 was quiet", "Round 2 voters lie", "On Day 2 we wait", "Today 2"])
def test_sentences_that_name_a_round_are_no_headings(sentence):
    (read,) = read_text(chat_text, lines("Ann: a", "Bea: b", sentence, "Ann: c"))
    assert read.said[1] == ("Bea", f"b\n{sentence}")


@pytest.mark.parametrize(
    ("time", "expected"),
    [
        ("[10:05] ", "10:05"),
        ("[10:05:33]", "10:05:33"),
        ("(10:05) ", "10:05"),
        ("10:05 ", "10:05"),
        ("10:05:33 - ", "10:05:33"),
        ("10:05 PM ", "10:05 PM"),
        ("[2026-01-31 10:05:33] ", "2026-01-31 10:05:33"),
        ("[2026-01-31T10:05:33Z] ", "2026-01-31T10:05:33Z"),
        ("2026-01-31T10:05:33+01:00 ", "2026-01-31T10:05:33+01:00"),
        ("31/01/2026, 10:05 - ", "31/01/2026, 10:05"),
        ("[31.01.26, 10:05:33] ", "31.01.26, 10:05:33"),
        ("[1736935533] ", "1736935533"),
    ],
)
def test_times_have_several_spellings(time, expected):
    text = lines(f"{time}Ann: a", f"{time}Bea: b", "Note: still Bea")
    assert chat_heads.recognises_text(text)
    (read,) = read_text(chat_text, text)
    assert [message.time for message in read.record.messages] == [expected] * 2
    assert read.said == [("Ann", "a"), ("Bea", "b\nNote: still Bea")]


def test_without_times_short_capitalised_names_speak():
    text = lines("**Ann**: a", "plan: wait", "This is what I think: no", "@Bea: b", "Agent 7: c", "Ann: d")
    (read,) = read_text(chat_text, text)
    assert read.said == [
        ("Ann", "a\nplan: wait\nThis is what I think: no"),
        ("Bea", "b"),
        ("Agent 7", "c"),
        ("Ann", "d"),
    ]
    assert "name_in_text" in read.codes


def test_with_listed_players_nobody_else_speaks_and_that_is_said():
    text = lines("Players: Ann, Bea", "", "ann: a", "Note: x", "Bea: b", "  Ann: set in")
    (read,) = read_text(chat_text, text)
    assert read.said == [("Ann", "a\nNote: x"), ("Bea", "b\nAnn: set in")]
    assert "name_in_text" in read.codes


def test_a_name_that_speaks_once_is_pointed_out():
    text = lines(
        *(f"{name}: no {number}" for number in range(4) for name in ("Ann", "Bea")), "Verdict: no", "Ann: x"
    )
    (read,) = read_text(chat_text, text)
    assert "speaks_once" in read.codes


def test_nights_are_left_out_and_counted():
    text = lines(
        "Day 1", "Ann: a", "Bea: b", "Night 1", "Bea: kill", "", "Vote: Bea -> Ann", "Day 2", "Ann: c"
    )
    (read,) = read_text(chat_text, text)
    assert read.said == [("Ann", "a"), ("Bea", "b"), ("Ann", "c")]
    assert read.record.votes == []
    assert [warning.message[-4:] for warning in read.warnings if warning.code == "night_line"] == [": 2."]


def test_an_item_of_a_list_is_a_text_where_players_speak_outside_of_lists():
    items = ("- **Bea**: she said very little", "2. Cid: he likes it", "3. **Trust:** Dan, so far")
    (read,) = read_text(chat_text, lines("Ann: I see this:", *items, "Bea: a", "Cid: b", "Ann: c", "Bea: d"))
    assert [name for name, _text in read.said] == ["Ann", "Bea", "Cid", "Ann", "Bea"]
    (read,) = read_text(chat_text, lines("- Ann: a", "- Bea: b", "- Ann: c", "Vote: Ann -> Bea"))
    assert read.said == [("Ann", "a"), ("Bea", "b"), ("Ann", "c")]


def test_a_file_that_begins_with_a_game_may_hold_several():
    part = lines("Game: {}", "", "Day 1", "Ann: a", "Bea: b", "Ann: c", "")
    reads = read_text(chat_text, part.format("one") + "\n" + part.format("two"))
    assert [(read.record.game_id, len(read.record.messages)) for read in reads] == [("one", 3), ("two", 3)]


def test_what_stands_before_the_first_message_is_left_out_and_said():
    (read,) = read_text(chat_text, lines("The table is set.", "Ann: a", "Bea: b", "Ann: c"))
    assert "line_before_first" in read.codes


def test_faults_and_warnings_name_the_line():
    text = lines("[10:00] Ann: a", "[10:01] ann: b", "[10:02] Bea: c")
    (read,) = read_text(chat_text, text)
    assert [(fault.code, fault.place) for fault in read.faults] == [("duplicate_player", "file.txt line 2")]


def test_a_name_in_capitals_is_the_same_player():
    (read,) = read_text(
        chat_text, lines("ANN: a", "BEA: b", "Ann votes for Bea", "ANN: c", "Bea votes for Ann")
    )
    assert [player.name for player in read.record.players] == ["ANN", "BEA"]
    assert [(vote.voter, vote.target) for vote in read.record.votes] == [(1, 2), (2, 1)]


def test_what_is_no_chat_is_not_taken_for_one():
    for text in (
        "",
        "hello",
        "Title: a\nAuthor: b\nDate: c\n",
        "A long text.\nWith lines.\nNote: one.\n",
        '{\n  "gameId": "x",\n  "players": []\n}',
        "player,text\nAnn,hi\nBea,yo\n",
        "<p>Ann: a</p>\n<p>Ann: b</p>",
    ):
        assert not chat_heads.recognises_text(text), text
