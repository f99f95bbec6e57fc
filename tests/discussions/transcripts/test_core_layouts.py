"""How games are found in files: lists, lines, texts and folders, of several formats, found or named."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discussions.transcripts.core.decoding import Decoded
from discussions.transcripts.core.formats import FORMATS, NATIVE, Format, find_format
from discussions.transcripts.core.layouts import ReadOptions
from discussions.transcripts.core.notes import Limits
from discussions.transcripts.core.reader import ReadTally, plan_reading, read_games
from discussions.transcripts.core.readers.columns import MappingRecord
from tests.factories.archives import zipped
from tests.factories.reading import read_transcripts
from tests.factories.transcripts import as_bytes, native_game, native_message


def line(**changes):
    return as_bytes(native_game(**changes))


def talk(value, notes, place=lambda at: f"/talk/{at}"):
    """A game of a made-up format: {"talk": [[name, text], ...]}, or a list that begins with "talk"."""
    said = value.get("talk") if isinstance(value, dict) else value[1:] if isinstance(value, list) else None
    if not isinstance(said, list):
        notes.fault("shape", "/talk", "A talk should be a list. Correct the file.")
        return None
    for at in range(len(said)):
        notes.translate(f"/messages/{at}", place(at))
    return {
        "gameId": notes.source,
        "players": [{"name": name, "role": "SEER"} for name in ("Ann", "Bea")],
        "messages": [{"playerName": name, "message": text} for name, text in said],
        "votes": [],
    }


def talks_of_text(decoded, new_notes, columns):
    for game in decoded.text.split("\n\n"):
        notes = new_notes()
        said = [entry.split(": ", 1) for entry in game.splitlines()[1:]]
        game = talk({"talk": said}, notes, lambda at: f"line {at + 2}")
        yield game | {"winner": columns[0].fields["winner"] if columns else None}, notes


TALK = Format(
    name="talk",
    looks='a JSON object with the key "talk"',
    recognises=lambda value: (
        "talk" in value[:1] if isinstance(value, list) else isinstance(value, dict) and "talk" in value
    ),
    to_native=talk,
)
LOG = Format(
    name="log",
    looks='a JSON object with the key "log"',
    recognises=lambda value: isinstance(value, dict) and "log" in value,
    to_native=talk,
    parts=lambda value: [(f"/log/{at}", part) for at, part in enumerate(value["log"])],
)
FOLDER = Format(
    name="folder",
    looks="a folder with talk.txt",
    recognises_files=lambda names: "talk.txt" in names,
    to_native_files=lambda files, notes: next(talks_of_text(Decoded(files["talk.txt"]), lambda: notes, {}))[
        0
    ],
)
TEXT = Format(
    name="text",
    looks="text that begins with TALK",
    recognises_text=lambda text: text.startswith("TALK\n"),
    to_native_text=talks_of_text,
)
ALL = (NATIVE, TALK, LOG, FOLDER, TEXT)
SAID = [["Ann", "Hi."], ["Bea", "Yes."]]
TALK_TEXT = b"TALK\nAnn: Hi.\nBea: Yes.\n"


def read(data, name="a.json", **changes):
    options = ReadOptions(formats=ALL, **changes)
    plan = plan_reading(data if isinstance(data, bytes) else as_bytes(data), name, options)
    tally, games = ReadTally.of(plan), []
    for outcome in read_games(plan):
        tally.add(outcome)
        games += [outcome.game] if outcome.game else []
    assert plan.game_count >= len(games) or plan.units[0].kind == "text"
    return games, tally


def ids(games):
    return [game.record.game_id for game in games]


def test_lines_are_games_and_a_broken_one_is_refused_with_its_number():
    lines = [
        line(gameId="a"),
        b"",
        b'{"gameId": "cut',
        line(gameId="b", votes={}),
        line(gameId="c"),
        b"[1]",
        b"  ",
    ]
    found = read_transcripts(b"\xef\xbb\xbf" + b"\r\n".join(lines), "games.jsonl")
    assert ids(found.games) == ["a", "c"]
    assert [game.place for game in found.games] == ["games.jsonl line 1", "games.jsonl line 5"]
    assert [fault.place for fault in found.faults] == [
        "games.jsonl line 3 column 12 /gameId",
        "games.jsonl line 4 /votes",
        "games.jsonl line 6",
    ]
    assert (found.refused_count, found.format) == (3, "native")
    assert found.games[0].warnings[0].code == "byte_order_mark"


BAD_LINES = [
    (b'{"gameId": "cut', "truncated", "column 12 /gameId"),
    (b"not JSON", "syntax", "column 1"),
    (b'{"gameId": "\xff"}', "encoding", "column 13"),
    (b'{"gameId": "\x01"}', "control_character", "column 13 /gameId"),
    (b'{"a": [1,]}', "syntax", "column 10 /a/1"),
    (b"{}{}", "trailing", "column 3"),
    (b"[" * 70, "depth", "column 65 " + "/0" * 64),
    (b'  {"gameId": NaN}', "not_finite", "column 14 /gameId"),
    (b'{"a": 1, "a": 2}', "duplicate_key", "column 10"),
    (b'{"messages": 1234567890123456789}', "no_game_id", "/gameId"),
    (b'{"a\\u0000": 1}', "key", "column 2"),
    (b"5", "shape", ""),
    (b"null", "shape", ""),
    (b"[]", "shape", ""),
    (b'"text"', "shape", ""),
    (line(messages=[]), "no_messages", "/messages"),
    (line(gameId=""), "no_game_id", "/gameId"),
]


@pytest.mark.parametrize(("bad", "code", "place"), BAD_LINES)
def test_a_bad_line_refuses_itself_alone(bad, code, place):
    data = b"\n".join([line(gameId="a"), bad, line(gameId="b")])
    for given_data, lines in ((data, 2), (data.replace(b"\n", b"\r\n\r\n"), 3)):
        found = read_transcripts(given_data, "x")
        assert ids(found.games) == ["a", "b"]
        assert (found.faults[0].code, found.faults[0].place) == (code, f"x line {lines} {place}".rstrip())
        assert found.refused_count == 1


def test_lines_are_found_though_the_first_is_broken_and_a_file_of_one_game_has_no_lines():
    assert ids(read_transcripts(b'{"a\n' + line(gameId="b"), "x").games) == ["b"]
    pretty = json.dumps(native_game(), indent=1).encode() + b"\n\n"
    (game,) = read_transcripts(pretty, "x.json").games
    assert game.place == "x.json"


def test_each_item_of_a_list_shows_its_own_format_and_the_others_are_of_the_first():
    games, tally = read([5, {"talk": SAID}, native_game(), {"log": [{"talk": SAID}]}, {"talk": 7}])
    assert ids(games) == ["a-2", "game-1", "a-4"]
    assert tally.format == "mixed"
    assert [fault.place for fault in tally.faults] == ["a.json /0/talk", "a.json /4/talk"]


def test_a_list_may_be_one_game():
    games, tally = read(["talk", *SAID])
    assert (ids(games), tally.format) == (["a"], "talk")


def test_a_value_of_several_games_gives_each_of_them():
    games, tally = read(
        {"log": [{"talk": SAID}, {"talk": [["Ann", "Hi."], ["Zoe", "Yes."]]}, {}]}, "runs.json"
    )
    assert ids(games) == ["runs-1"]
    assert [fault.place for fault in tally.faults] == ["runs.json /log/1/talk/1", "runs.json /log/2/talk"]
    assert (tally.refused_count, tally.format) == (2, "log")


def test_what_is_odd_in_the_json_of_several_games_refuses_them_all():
    data = as_bytes({"log": [{"talk": SAID}, {"talk": SAID}]}).replace(b'"log"', b'"x": 1, "x": 2, "log"')
    games, tally = read(data)
    assert (games, tally.fault_count, tally.refused_count) == ([], 1, 2)
    assert tally.faults[0].place == "a.json line 1 column 10"


@pytest.mark.parametrize(
    "odd",
    [
        b"[" * 64 + b"]" * 64,
        b'{"a": ' + b"[" * 63 + b"]" * 63 + b', "a": 1}',
        b'"\xff"',
        b'"\\q"',
        b"tru",
    ],
)
def test_of_a_list_with_one_item_that_cannot_be_read_no_game_comes_in(odd):
    games, tally = read(b"[" + line() + b"," + odd + b"]")
    assert (games, tally.game_count) == ([], 0)
    assert tally.fault_count


def test_texts_give_games_with_places_by_line():
    games, tally = read(
        b"\xef\xbb\xbf" + TALK_TEXT + b"\nTALK\nAnn: a\0b\nZoe: Hi.",
        "talks.txt",
        columns=[MappingRecord([], {"winner": "mafia"})],
    )
    assert (ids(games), games[0].record.winner, tally.format) == (["talks"], "mafia", "text")
    assert {warning.code for warning in games[0].warnings} >= {"byte_order_mark", "replaced_nul"}
    assert [fault.place for fault in tally.faults] == ["talks.txt line 3"]


def test_a_folder_of_files_is_one_game_beside_others():
    files = {
        "0001/talk.txt": TALK_TEXT,
        "0001/other.txt": b"x",
        "b.json": as_bytes({"talk": SAID}),
        "0002/talk.txt": b"TALK\nZoe: Hi",
    }
    games, tally = read(zipped(files), "runs.zip")
    assert ids(games) == ["0001", "b"]
    assert [game.place for game in games] == ["runs.zip: 0001", "runs.zip: b.json"]
    assert [fault.place for fault in tally.faults] == ["runs.zip: 0002 line 2"]
    games, _tally = read(zipped({"talk.txt": TALK_TEXT}), "0007.zip")
    assert ids(games) == ["0007"]


def test_a_format_that_is_named_is_not_looked_for():
    games, _tally = read([native_game(), {"talk": SAID}], named=TALK)
    assert ids(games) == ["a-2"]
    games, _tally = read(b"TALKS\nAnn: Hi.", "a.txt", named=TEXT)
    assert ids(games) == ["a"]
    _games, tally = read(TALK_TEXT, "a.txt", named=NATIVE)
    assert [fault.code for fault in tally.faults] == ["unknown_format"]
    _games, tally = read({"talk": SAID}, named=FOLDER)
    assert (
        tally.faults[0].message
        == "A game in the format folder is a folder of several files. Put it into a zip archive."
    )
    assert find_format("native") is NATIVE
    assert find_format("") is find_format("talk") is None


def test_a_file_in_no_known_format_is_told_which_there_are_and_what_was_found():
    _games, tally = read(b"Dear all,\nplease find the games attached.")
    (fault,) = tally.faults
    assert fault.message == (
        'The file holds text that begins with "Dear all,", which is no transcript format we know. Known are: '
        + "; ".join(f"{known.name} ({known.looks})" for known in ALL)
        + ". Convert the file, or name its format. The page Import has a sample of each; CSV and JSONL files may name "
        "their columns in any way."
    )


def test_text_in_brackets_is_no_broken_json():
    found = read_transcripts(b"[Day 1] nobody speaks here", "a.txt")
    assert [fault.code for fault in found.faults] == ["unknown_format"]
    assert 'text that begins with "[Day 1] nobody' in found.faults[0].message


def test_every_format_has_a_name_and_a_pair_of_functions():
    assert len({known.name for known in FORMATS}) == len(FORMATS)
    for known in FORMATS:
        assert known.looks and not known.looks.endswith(".")
        assert bool(known.recognises_files) == bool(known.to_native_files or known.read_files)
        assert bool(known.recognises_text) == bool(known.to_native_text)
        assert known.recognises or known.recognises_files or known.recognises_text


def test_limits_hold_for_each_game_of_a_file():
    games = [
        native_game(gameId=str(at), messages=[native_message(at, "Ann", "x" * 10 * at)]) for at in range(1, 9)
    ]
    found = read_transcripts(as_bytes(games), "x", Limits(message_characters=50, faults=2))
    assert ids(found.games) == ["1", "2", "3", "4", "5"]
    assert (found.fault_count, len(found.faults), found.refused_count) == (3, 2, 3)


@given(st.lists(st.sampled_from([native_game(), native_game(votes={}), {"a": 1}, 5, [], None]), max_size=5))
def test_a_list_and_lines_of_the_same_values_give_the_same_games(values):
    values = [native_game(gameId="first"), *values]
    as_list = read_transcripts(as_bytes(values), "x")
    as_lines = read_transcripts(b"\n".join(map(as_bytes, values)) + b"\n ", "x")
    assert [game.record for game in as_list.games] == [game.record for game in as_lines.games]
    assert (as_list.fault_count, as_list.refused_count) == (as_lines.fault_count, as_lines.refused_count)
