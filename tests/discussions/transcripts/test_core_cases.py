"""Files as strangers wrote them: what nobody reads refuses nothing, and what is read is right or refused."""

import json
from pathlib import Path

import pytest

from discussions.imports.core import cut, plan_part
from discussions.metrics.core.registry import measure_game
from discussions.transcripts.core.layouts import ReadOptions
from discussions.transcripts.core.reader import plan_reading, read_games
from discussions.transcripts.core.readers.columns import parse_mapping
from rubric.versions.queries import DISCUSSION_NUMBERS, discussion_version
from tests.factories.native_games import as_bytes, native_game, native_message
from tests.factories.reading import Transcripts, read_transcripts

CASES = Path(__file__).parents[3].parent / "shared" / "data" / "cases"


def read_case(name: str) -> Transcripts:
    if not CASES.exists():
        pytest.skip("the folder of cases is not here")
    return read_transcripts((CASES / name).read_bytes(), name)


def codes(read: Transcripts) -> dict[str, str]:
    """The warnings of the only game, by code."""
    (game,) = read.games
    return {warning.code: warning.message for warning in game.warnings}


def messages(read: Transcripts) -> list[tuple[int, str, str]]:
    """Round, name and text of each message of the only game."""
    assert (len(read.games), read.faults) == (1, [])
    record = read.games[0].record
    return [
        (message.round, record.players[message.player - 1].name, message.text) for message in record.messages
    ]


GREETINGS = [(1, "Ann", "Good day, Bea."), (1, "Bea", "Good day, Ann.")]


def test_case_k1a_an_id_keeps_all_its_digits():
    read = read_case("k1a-long-number-id.jsonl")
    assert messages(read) == GREETINGS
    assert read.games[0].record.game_id == "20028695900405254263"


def test_case_k1b_nanoseconds_are_times():
    read = read_case("k1b-nanoseconds.json")
    assert messages(read) == GREETINGS
    times = [message.time for message in read.games[0].record.messages]
    assert times == ["2023-03-28T10:40:00Z", "2023-03-28T10:40:01Z"]


def test_case_k1d_infinity_elsewhere_is_left_out():
    read = read_case("k1d-infinity-elsewhere.json")
    assert messages(read) == GREETINGS
    assert codes(read)["not_finite"].endswith("1 (first Infinity).")


def test_case_k1e_a_score_that_is_no_number_refuses_no_log():
    read = read_case("k1e-inspect-nan-score.json")
    assert [text for _round, _name, text in messages(read)] == ["Good day.", "Good day, Ann."]
    assert codes(read)["scores_left_out"] == 'Scores of the log were left out: 1 (first "judge").'
    assert codes(read)["not_finite"].endswith("1 (first NaN).")


@pytest.mark.parametrize(
    ("written", "time"),
    [
        ("1680000000", "2023-03-28T10:40:00Z"),
        ("1680000000.25", "2023-03-28T10:40:00.25Z"),
        ("1680000000123", "2023-03-28T10:40:00.123Z"),
        ("1680000000123456", "2023-03-28T10:40:00.123456Z"),
        ("1680000000123456789", "2023-03-28T10:40:00.123456789Z"),
        ("1.68e18", "2023-03-28T10:40:00Z"),
        ("17", "17"),
        ("9999999999", "9999999999"),
        ('"10:05"', "10:05"),
    ],
)
def test_numbers_since_1970_are_times_in_games_and_in_rows(written, time):
    said = json.dumps(native_message(1, "Ann", "Hello.") | {"timestamp": "WHEN"}).replace('"WHEN"', written)
    game = as_bytes(native_game(messages=["SAID"], votes=[])).replace(b'"SAID"', said.encode())
    (read,) = read_transcripts(game, "a.json").games
    assert read.record.messages[0].time == time
    row = f'{{"player": "Ann", "text": "Hello.", "timestamp": {written}}}'
    (read,) = read_transcripts(f"{row}\n{row}".encode(), "a.jsonl").games
    assert read.record.messages[0].time == time


def test_a_long_number_is_text_where_it_stands_and_no_round():
    game = as_bytes(native_game(gameId="ID", extra="SEED"))
    long = game.replace(b'"ID"', b"20028695900405254263").replace(b'"SEED"', b"1" * 5000)
    (read,) = read_transcripts(long, "a.json").games
    assert read.record.game_id == "20028695900405254263"
    wrong = as_bytes(native_game()).replace(b'"roundNumber": 1', b'"roundNumber": ' + b"1" * 20, 1)
    (fault,) = read_transcripts(wrong, "a.json").faults
    assert (fault.code, fault.place) == ("wrong_type", "a.json /messages/0/roundNumber")


def test_what_is_not_finite_is_left_out_with_a_count_unless_it_is_read():
    rows = [f'{{"player": "Ann", "text": "Hello {n}.", "tags": [NaN, -Infinity]}}' for n in range(3)]
    warned = codes(read_transcripts("\n".join(rows).encode(), "a.jsonl"))["not_finite"]
    assert warned.endswith("6 (first NaN).")
    rows = [f'{{"player": "Ann", "text": "Hello {n}.", "round": NaN}}' for n in range(3)]
    read = read_transcripts("\n".join(rows).encode(), "a.jsonl")
    assert [(fault.code, fault.place) for fault in read.faults] == [("not_finite", "a.jsonl line 1")]
    assert read.faults[0].message.endswith("This is the first of 3 such places.")
    cost = as_bytes(native_game(metadata={"cost": {"totalUsd": "COST"}})).replace(b'"COST"', b"NaN")
    (fault,) = read_transcripts(cost, "a.json").faults
    assert (fault.code, fault.place.endswith("/metadata/cost/totalUsd")) == ("not_finite", True)


def test_a_cause_that_many_rows_have_is_one_fault_with_its_count():
    rows = "\n".join(['{"player": "Ann", "player": "Bea", "text": "Hello."}'] * 40)
    read = read_transcripts(rows.encode(), "a.jsonl")
    assert (read.fault_count, read.faults[0].place) == (1, "a.jsonl line 1")
    assert read.faults[0].message.endswith("This is the first of 40 such places.")
    game = as_bytes(native_game()).replace(b'"turn":', b'"turn": 9, "turn":')
    read = read_transcripts(game, "a.json")
    assert [fault.code for fault in read.faults] == ["duplicate_key"]


def test_samples_of_one_log_each_count_their_own():
    log = {"version": 2, "plan": {}, "eval": {}, "samples": []}
    for number in (1, 2):
        said = [
            {"role": "assistant", "content": "Hi.", "metadata": {"player": name, "score": "ODD"}}
            for name in ("Ann", "Bea")[:number]
        ]
        log["samples"].append({"id": number, "epoch": 1, "target": "", "messages": said})
    read = read_transcripts(as_bytes(log).replace(b'"ODD"', b"NaN"), "a.json")
    counts = [
        warning.message.partition(": ")[2]
        for game in read.games
        for warning in game.warnings
        if warning.code == "not_finite"
    ]
    assert counts == ["1 (first NaN).", "2 (first NaN)."]


def test_case_k6e_values_one_after_another_are_rows():
    assert messages(read_case("k6e-concatenated.json")) == GREETINGS


ROWS = [{"player": "Ann", "text": "Good day, Bea.", "round": 1}, {"player": "Bea", "text": "Good day, Ann."}]


@pytest.mark.parametrize("joint", ["", " ", "\n", "\r\n\r\n", "\n\t"])
@pytest.mark.parametrize("indent", [None, 1])
def test_values_one_after_another_are_rows_or_games_on_any_lines(joint, indent):
    rows = joint.join(json.dumps(row, indent=indent) for row in ROWS)
    assert messages(read_transcripts(rows.encode(), "a.json")) == GREETINGS
    games = joint.join(json.dumps(native_game(gameId=name), indent=indent) for name in "abc")
    read = read_transcripts(games.encode(), "a.json")
    assert [game.record.game_id for game in read.games] == ["a", "b", "c"]
    assert (read.faults, read.format) == ([], "native")


def test_a_broken_value_among_others_is_a_fault_with_its_line():
    game = json.dumps(native_game(), indent=1)
    lines = game.count("\n")
    wrong = json.dumps(native_game(gameId="b"), indent=1).replace('"players": [', '"players": [,', 1)
    read = read_transcripts(f"{game}\n{wrong}\n{game}".replace("game-1", "c", 1).encode(), "a.json")
    assert [item.record.game_id for item in read.games] == ["c", "game-1"]
    (fault,) = read.faults
    assert fault.code == "syntax"
    assert int(fault.place.split(" ")[2]) > lines + 1
    cut = read_transcripts(f"{game}\n{game[:-9]}".encode(), "a.json")
    assert ([item.code for item in cut.faults], cut.games) == (["trailing"], [])


def test_a_row_that_shares_its_line_is_read_and_a_broken_line_is_told_alone():
    one, two = (json.dumps(row) for row in ROWS)
    (game,) = read_transcripts(f"{one}\n{two} {one}\n{two}".encode(), "a.jsonl").games
    assert len(game.record.messages) == 4
    read = read_transcripts(f"{one}\n{two[:-3]}\n{one}".encode(), "a.jsonl")
    assert [fault.place for fault in read.faults] == ["a.jsonl line 2 /text"]


def test_a_large_file_of_values_is_cut_and_each_part_is_read_as_in_the_whole():
    games = "\n".join(json.dumps(native_game(gameId=f"g{number}"), indent=1) for number in range(150))
    data = (games + "\n").encode()
    options = ReadOptions()
    layout, parts = cut(plan_reading(data, "a.json", options), data)
    found = [
        outcome.game.record.game_id
        for part in parts
        for outcome in read_games(plan_part(data[part.start : part.end], part, layout, options))
    ]
    assert (len(parts), found) == (2, [f"g{number}" for number in range(150)])


def test_case_k7a_a_narrow_space_in_times_is_a_space():
    read = read_case("k7a-nnbsp.txt")
    assert [text for _round, _name, text in messages(read)][1:] == [
        "Good day, Ann, fine.",
        "I think, Cid, is odd",
    ]
    assert [message.time for message in read.games[0].record.messages][0] == "1/31/26, 8:15 PM"
    assert codes(read)["signs_mended"].endswith("plain ones: 3.")


def test_case_k7b_the_short_form_of_a_chat_program_is_no_table():
    read = read_case("k7b-whatsapp-short.txt")
    assert messages(read) == [(1, "Ann", "Good day Bea"), (1, "Bea", "Good day Ann")]
    assert codes(read)["notice"].endswith('1 (first "Messages are encrypted.").')


def test_case_k7c_colours_are_left_out():
    read = read_case("k7c-ansi.log")
    assert messages(read) == [(1, "Ann", "Good day, Bea"), (1, "Bea", "Good day, Ann")]
    assert codes(read)["colours"].endswith(": 4.")


def test_case_k7e_a_role_stands_in_brackets_after_the_name():
    read = read_case("k7e-role-in-brackets.txt")
    assert [(number, name) for number, name, _text in messages(read)] == [
        (1, "player_1"),
        (1, "player_3"),
        (2, "player_1"),
    ]
    assert [player.role for player in read.games[0].record.players] == ["villager", "healer"]


def test_case_k7f_an_encoding_is_asked_for():
    read = read_case("k7f-gbk.csv")
    (fault,) = read.faults
    assert (fault.code, read.games) == ("unknown_columns", [])
    assert "gb18030 (“小明,1,大家好我是村民" in fault.message


def test_case_k7g_a_field_is_as_long_as_a_message_may_be():
    read = read_case("k7g-long-first-field.csv")
    assert [len(text) > 65_536 for _round, _name, text in messages(read)] == [True, False]


def test_case_k7i_a_note_of_an_office_program_is_left_out():
    read = read_case("k7i-readme-docx.zip")
    assert len(read.games) == 1
    assert [(fault.code, fault.is_warning) for fault in read.faults] == [("left_out", True)]


def test_case_k5a_numbers_in_texts_are_no_names():
    (game,) = read_case("k5a-names-are-numbers.csv").games
    found = measure_game(game.record, discussion_version(DISCUSSION_NUMBERS[-1]))["coherence"]
    assert (found.numerator, found.denominator) == (0, 3)


def test_case_k5b_an_alias_is_proposed_and_counts_once_it_is_said():
    name = CASES / "k5b-aliases.jsonl"
    assert "Perhaps P* is Player*: say so" in codes(read_case(name.name))["odd_stranger"]
    mapping = parse_mapping(["also.P*=Player*"])
    read = read_transcripts(name.read_bytes(), name.name, columns=[mapping])
    assert "odd_stranger" not in codes(read)
    (game,) = read.games
    assert [player.aliases for player in game.record.players] == [["P1"], ["P2"], ["P3"]]
    measured = measure_game(game.record, discussion_version(DISCUSSION_NUMBERS[-1]))["coherence"]
    assert (measured.numerator, measured.denominator) == (2, 3)
