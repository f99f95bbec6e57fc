"""CSV and JSONL with one message in each row: columns to games, by known names or by a mapping."""

import json

import pytest

from discussions.transcripts.core.decoding import Decoded, decode_text
from discussions.transcripts.core.readers import csv_rows, json_rows
from discussions.transcripts.core.readers.columns import (
    OF_TYPED_ROWS,
    SPELLINGS,
    MappingRecord,
    columns_hash,
    find_mapping,
    known_fields,
    parse_mapping,
    suggest_fields,
)
from discussions.transcripts.core.readers.heads import read_first_game, read_head
from tests.factories.reading import read_transcripts
from tests.factories.text_formats import read_text

CSV = '''game,round,player,text,time,role,personality,vote
a,Day 1,Ann,"Good morning,
all of you",10:00,SEER,calm,
a,1.0,Bea,Hello,10:01,MAFIA,,
b,1,Cid,Who is here?,,,,
a,Round 2,Ann,"I say ""Bea""",10:02,,,bea
a,2,Bea,,10:03,,,nobody
b,2,Dan,Me.,,,,Cid
'''
LONE = "player,text\nAnn,hello\nBea,yes\n"


def test_rows_become_the_games_that_their_column_names():
    first, second = read_text(csv_rows, CSV)
    assert first.record.game_id == "a"
    assert first.said == [
        ("Ann", "Good morning,\nall of you"),
        ("Bea", "Hello"),
        ("Ann", 'I say "Bea"'),
    ]
    assert [message.round for message in first.record.messages] == [1, 1, 2]
    assert [message.time for message in first.record.messages] == ["10:00", "10:01", "10:02"]
    players = [(player.name, player.role, player.personality) for player in first.record.players]
    assert players == [("Ann", "SEER", "calm"), ("Bea", "MAFIA", None)]
    assert [(vote.round, vote.voter, vote.target) for vote in first.record.votes] == [(2, 1, 2)]
    assert "vote_without_target" in first.codes
    assert (second.record.game_id, second.said) == ("b", [("Cid", "Who is here?"), ("Dan", "Me.")])
    assert [(vote.voter, vote.target) for vote in second.record.votes] == [(2, 1)]


def test_votes_in_columns_of_their_own_need_no_types_and_what_is_not_read_is_counted():
    rows = "who,said,von,gegen,unsaid\nAnn,Hello.,,,\nBea,Yes.,,,\n,,Ann,Bea,\n,,Bea,Ann,\n"
    rows += "Ann,,,,I lied.\n,,,,So did I.\n,,,,\n"
    table = read_head(rows.encode(), is_part=False)
    assert table is not None
    fields = {"player": "who", "text": "said", "voter": "von", "target": "gegen"}
    first = read_first_game(table, MappingRecord(table.columns, fields), "a.csv", "a", {})
    assert first.record is not None
    assert [(vote.voter, vote.target) for vote in first.record.votes] == [(1, 2), (2, 1)]
    unread = [warning.message for warning in first.warnings if warning.code == "row_unread"]
    assert unread == ["Rows of which no text and no vote is read were left out: 2 (first unsaid: I lied.)."]


def test_a_file_without_a_game_column_is_one_game_named_after_it():
    (read,) = read_text(csv_rows, LONE)
    assert (read.record.game_id, read.said) == ("file", [("Ann", "hello"), ("Bea", "yes")])


@pytest.mark.parametrize(
    "text",
    [
        LONE.replace(",", ";"),
        LONE.replace(",", "\t"),
        LONE.replace("\n", "\r\n"),
        LONE.replace("\n", "\r"),
        "sep=;\n" + LONE.replace(",", ";"),
        LONE.replace("hello", '"hello"') + "\n\n",
        "player,text,\nAnn,hello,\nBea,yes,\n".replace(",\n", "\n"),
    ],
)
def test_delimiter_line_ends_and_quotes_are_told_by_the_content(text):
    assert csv_rows.recognises_text(text)
    assert read_text(csv_rows, text)[0].said == [("Ann", "hello"), ("Bea", "yes")]


def test_a_delimiter_inside_of_texts_is_not_taken_for_that_of_the_file():
    text = "player;text\n" + "".join(f"Ann;one, two, {number}\n" for number in range(9))
    assert read_text(csv_rows, text)[0].said[3] == ("Ann", "one, two, 3")


def test_reply_links_go_by_id_or_turn_or_number():
    by_id = "id,player,text,reply_to\nx,Ann,a,\ny,Bea,b,x\n"
    by_turn = "turn,player,text,reply_to\n4,Ann,a,\n5,Bea,b,4\n"
    by_number = "player,text,reply_to\nAnn,a,\nBea,b,1.0\n"
    for text in (by_id, by_turn, by_number):
        (read,) = read_text(csv_rows, text)
        assert [message.reply_to for message in read.record.messages] == [None, 1], text


GAMES = """game,player,text
a,Ann,1
b,Bea,2
a,Ann,"3,
still 3"
a,Cid,4

b,Ann,5
a,Cid,6
"""


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252"])
@pytest.mark.parametrize("break_", ["\n", "\r\n", "\r"])
def test_rows_of_games_may_be_mixed(encoding, break_):
    data = GAMES.replace("5", "\u00e9").replace("\n", break_).encode(encoding)
    first, second = read_transcripts(b"sep=,\r\n" + data if encoding == "utf-8" else data, "a.csv").games
    said = [message.text.replace(break_, "\n") for message in first.record.messages]
    assert said == ["1", "3,\nstill 3", "4", "6"]
    assert [message.text for message in second.record.messages] == ["2", "\u00e9"]


def test_lines_and_items_of_games_may_be_mixed():
    rows = [{"game": game, "player": "Ann", "text": f"{at} \u00e9\0"} for at, game in enumerate("abaabba")]
    rows[3]["vote"] = "Bea"
    lines = "\n\n".join(map(json.dumps, rows))
    for text in (lines, f"[{lines.replace(chr(10) * 2, ',')}]"):
        first, second = read_transcripts(text.encode(), "a.jsonl").games
        assert [message.text[0] for message in first.record.messages] == ["0", "2", "3", "6"]
        assert [message.text for message in second.record.messages] == [
            f"{at} \u00e9\u2400" for at in (1, 4, 5)
        ]
        assert [player.name for player in first.record.players] == ["Ann", "Bea"]


def test_places_are_those_of_the_file_though_rows_are_mixed():
    lines = GAMES.splitlines()
    text = "\n".join([*lines[:7], "c,Ann,", "b,,5", "a,,6"])
    read = read_transcripts(text.encode(), "a.csv")
    assert [fault.place for fault in read.faults] == ["a.csv line 10", "a.csv line 9", "a.csv line 8"]


NIGHTS = "player,text,{},vote\nAnn,a,{},\nBea,b,{},Ann\nBea,c,{},Ann\n"


@pytest.mark.parametrize(
    ("column", "first", "hidden", "last"),
    [
        ("phase", "Day 1", "Night 1", "Day 2"),
        ("phase", "day_1", "NIGHT", "day_2"),
        ("phase", "D1", "N1", "D2"),
        ("round", "Day 1", "Night 1", "2"),
        ("channel", "public 1", "mafia_chat", "all 2"),
        ("visibility", "all", "Werewolf only", "public"),
        ("audience", "everyone", "whisper to Ann", "town"),
        ("phase", "Day 1", "Round 1 - Night", "Day 2 (after night 1)"),
        ("phase", "Round 1", "day_1_mafia_chat", "round 2 before the night"),
        ("channel", "public (mafia game)", "the mafia", "not private 2"),
        ("visibility", "non-private", "private", "non_private"),
        ("round", "N°1", "N1", "N°2"),
        ("phase", "N° 1", "n-1", "N° 2"),
    ],
)
def test_talk_at_night_and_in_private_is_kept_apart_and_counted(column, first, hidden, last):
    (read,) = read_text(csv_rows, NIGHTS.format(column, first, hidden, last))
    assert read.said == [("Ann", "a"), ("Bea", "c")]
    # Who could hear it is no round.
    rounds = [1, 1] if column in ("visibility", "audience") else [1, 2]
    assert [message.round for message in read.record.messages] == rounds
    assert len(read.record.votes) == 1
    assert [(entry.after, entry.text, entry.kind) for entry in read.private] == [(1, "b", "talk")]
    (left_out,) = [warning for warning in read.warnings if warning.code == "not_public"]
    assert f'1 (first for "{hidden.replace("_", " ")}").' in left_out.message
    assert left_out.place == "file.txt line 3"


def test_a_phase_gives_no_round_where_a_column_does():
    text = "player,text,round,phase\nAnn,a,2,Day 1\nBea,b,2,Night 1\nBea,c,3,Day 2: the mafiosi\n"
    (read,) = read_text(csv_rows, text)
    assert [(message.round, message.text) for message in read.record.messages] == [(2, "a"), (3, "c")]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        *[
            (said, 1)
            for said in (
                *("1", "1.0", "Day 1", "Day-1", "day_1", "Round 1/5", "Day - 1", "R1", "#1", "1st"),
                *("Day 1 decision", "Day 1 may be long", "Round 1 marathon", "August players 1"),
                *("Day one", "Tour I", "acte I"),
            )
        ],
        *[
            (said, "looks like a date or a time")
            for said in (
                *("2026-01-31", "31.01.2026", "1/31/26", "2026-01-31T10:00", "10:05", "Jan 31", "31 January"),
                *(
                    "20260131",
                    "1769850000",
                    "31-Jan-26",
                    "Jan. 31st 2026",
                    "2026 Sept 1",
                    "1st of May",
                    "May 2026",
                ),
                *("Sat 31 Jan", "Day 1 (31 dec 2025)"),
            )
        ],
        *[(said, "is below 0") for said in ("-1", "Day -1")],
        *[(said, "holds no number") for said in ("one", "x", "day")],
    ],
)
def test_a_round_is_a_number_and_no_date(said, expected):
    (read,) = read_text(csv_rows, f"player,text,day\nAnn,a,{said}\nBea,b,\n")
    if isinstance(expected, int):
        assert [message.round for message in read.record.messages] == [expected] * 2
    else:
        assert [fault.code for fault in read.faults] == ["wrong_type"]
        assert f'The round "{said}" {expected}' in read.faults[0].message


def test_a_phase_with_a_month_inside_of_a_word_gives_the_round():
    (read,) = read_text(csv_rows, "player,text,phase\nAnn,a,Day 1 decision\nBea,b,Day 2 decision\n")
    assert [message.round for message in read.record.messages] == [1, 2]


def test_players_may_be_called_skip_pass_or_none():
    text = "player,text,vote\nAnn,a,skip\nBea,b,none\nSkip,c,pass\nnone,d,Ann\n"
    (read,) = read_text(csv_rows, text)
    assert [(vote.voter, vote.target) for vote in read.record.votes] == [(1, 3), (2, 4), (4, 1)]


def test_spaces_after_a_delimiter_do_not_matter():
    text = 'player, text, vote\nAnn, "hi, all", Bea\nBea, "no ""way""", \n'
    assert csv_rows.recognises_text(text)
    (read,) = read_text(csv_rows, text)
    assert read.said == [("Ann", "hi, all"), ("Bea", 'no "way"')]
    assert len(read.record.votes) == 1


def test_who_is_only_voted_for_is_a_player_and_that_is_said():
    (read,) = read_text(csv_rows, "player,text,vote\nAnn,a,Zoe\nBea,b,\n")
    assert [player.name for player in read.record.players] == ["Ann", "Bea", "Zoe"]
    assert "silent_target" in read.codes


def test_a_role_that_changes_is_kept_as_it_was_first_and_that_is_said():
    (read,) = read_text(csv_rows, "player,text,role\nAnn,a,SEER\nAnn,b,MAFIA\nBea,c,\n")
    assert read.record.players[0].role == "SEER"
    assert "role_differs" in read.codes


def test_jsonl_lists_and_nested_objects_are_rows_too():
    rows = [
        {"speaker": "Ann", "content": "a", "day": 1},
        {"speaker": "Bea", "content": "b", "day": 2, "vote": "Ann"},
        {"speaker": "Ann", "content": None, "day": 2, "vote": "Bea"},
    ]
    for text in ("\n".join(map(json.dumps, rows)), json.dumps(rows)):
        assert json_rows.recognises_text(text)
        (read,) = read_text(json_rows, text)
        assert read.said == [("Ann", "a"), ("Bea", "b")]
        assert [(vote.voter, vote.target) for vote in read.record.votes] == [(2, 1), (1, 2)]
    nested = [{"from": {"name": name}, "msg": {"text": "x"}} for name in ("Ann", "Bea")]
    mapping = MappingRecord(columns=[], fields={"player": "from.name", "text": "msg.text"})
    assert read_text(json_rows, json.dumps(nested), [mapping])[0].said == [("Ann", "x"), ("Bea", "x")]


@pytest.mark.parametrize("field", SPELLINGS)
def test_each_spelling_is_known_whatever_its_case_and_signs(field):
    assert SPELLINGS[field]
    for spelling in SPELLINGS[field]:
        columns = [spelling.upper(), "_".join(spelling)]
        expected = "|".join(columns) if field == "type" else columns[0]
        typed = [*columns, "type"] if field in OF_TYPED_ROWS else columns
        assert suggest_fields(typed)[field] == ("|".join(columns) if field in OF_TYPED_ROWS else expected)


def test_a_file_with_a_column_that_nobody_knows_waits_for_a_mapping():
    text = "player,text,epoch\nAnn,hello,1\nBea,yes,2\n"
    (read,) = read_text(csv_rows, text)
    assert read.record is None
    assert [fault.code for fault in read.faults] == ["unknown_columns"]
    assert 'not all known: "player", "text", "epoch"' in read.faults[0].message
    mapping = MappingRecord(
        ["epoch", "player", "text"], {"player": "player", "text": "text", "game": "epoch"}
    )
    assert [read.record.game_id for read in read_text(csv_rows, text, [mapping])] == ["1", "2"]


def test_a_mapping_fits_by_the_columns_that_it_uses():
    mapping = MappingRecord(["a", "b", "c"], {"player": "a", "text": "b", "round": "c"})

    def fields(columns, mappings):
        found = find_mapping(columns, mappings)
        return found and found.fields

    assert fields(["c", "b", "a"], [mapping]) == mapping.fields
    assert fields(["a", "b"], [mapping]) == {"player": "a", "text": "b"}
    assert fields(["a", "b", "c", "final_ranks.Ann_82"], [mapping]) == mapping.fields
    assert fields(["a", "c"], [mapping]) is None
    # What may separate games, or say who could hear a row, is asked about.
    for stranger in ("game_id", "visible_for", "channel", "Type of event"):
        assert fields(["a", "b", "c", stranger], [mapping]) is None
    assert columns_hash(["b", "a"]) == columns_hash(["a", "b"]) != columns_hash(["a"])
    assert known_fields(["name", "player", "text"]) is None
    exact = MappingRecord(["a", "b"], {"player": "b", "text": "a"})
    assert fields(["a", "b"], [mapping, exact]) == exact.fields


def test_columns_are_written_on_the_command_line():
    written = ["player=Who said|Speaker,text=What", "round = Day", "is.Under tone=thought"]
    assert parse_mapping(written) == MappingRecord(
        [], {"player": "Who said|Speaker", "text": "What", "round": "Day"}, {"under tone": "thought"}
    )
    for bad in (
        ["player=a"],
        ["is.x=sung,player=a,text=b"],
        ["player"],
        ["x=a,player=a,text=b"],
        ["player=a,player=b,text=c"],
        [""],
    ):
        with pytest.raises(ValueError, match=r"\.$"):
            parse_mapping(bad)


def test_columns_without_a_name_or_with_that_of_another_are_told_apart():
    table = csv_rows.read_csv(Decoded(b"player,text,,text\nAnn,a,b,c\nBea,d,e,f\n"))
    assert table.columns == ["player", "text", "column (3)", "text (4)"]


def test_what_is_no_table_is_not_taken_for_one():
    for text in (
        "",
        "hello",
        "a,b",
        "Ann: hi, you\nBea: yes\nAnn: one, two, three\n",
        '{"a": 1,\n"b": 2}',
        "1,2\n3,4\n",
    ):
        assert not csv_rows.recognises_text(text), text
    for text in (
        "",
        "{",
        '{\n"player": "Ann",\n"text": "a"\n}',
        "[]",
        "[1, 2]",
        '{"a": 1}',
        '{"messages": []}',
        "null",
    ):
        assert not json_rows.recognises_text(text), text


def test_texts_are_utf_8_or_windows_1252_or_nothing():
    assert decode_text("é".encode()).text == "é"
    assert decode_text(b"\xef\xbb\xbfa").warnings == [("byte_order_mark", 1)]
    old = decode_text("it’s “é”".encode("cp1252"))
    assert (old.text, old.warnings) == ("it’s “é”", [("windows_1252", 1)])
    assert decode_text(b"a\0b").text == "a\u2400b"
    assert decode_text(b"\x81\x8d") is None
    assert decode_text(b"\x7fELF\x02\x01") is None


def test_a_preview_reads_the_beginning_of_a_file_and_leaves_out_half_a_row():
    rows = [f'Ann{number % 3},"text {number},\nsecond"\n' for number in range(200)]
    data = ("player,text\n" + "".join(rows)).encode()
    whole = read_head(data, is_part=False)
    rows = list(whole.rows)
    assert len(rows) == 200
    for cut in range(100, 160):
        part = read_head(data[:cut], is_part=True)
        assert part is not None
        kept = list(part.rows)
        assert kept == rows[: len(kept)]
    first = read_first_game(whole, MappingRecord([], {"player": "player", "text": "text"}), "x.csv", "x", {})
    assert (first.game_count, len(first.record.messages), first.faults) == (1, 200, [])
    lines = b"".join(
        json.dumps({"who": "Ann", "said": f"x{number}"}).encode() + b"\n" for number in range(50)
    )
    as_list = b"[" + b",\n".join(lines.splitlines()) + b"]"
    for data in (lines, as_list):
        part = read_head(data[:333], is_part=True)
        assert part.columns == ["who", "said"] and 3 < len(list(part.rows)) < 20
    assert read_head(b"PK\x03\x04\x00\x00", is_part=False) is None
    assert read_head(b"hello", is_part=False) is None
