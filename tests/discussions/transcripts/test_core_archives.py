"""Zip and gzip archives: read within limits, never trusted, and told of in sentences."""

import gzip
from random import Random

import pytest
import zstandard

from discussions.transcripts.core.file_names import shown_path, source_name
from discussions.transcripts.core.notes import Limits
from tests.factories.archives import GAME, HOSTILE, MIB, lying_about_size, with_method, zipped, zipped_entry
from tests.factories.reading import read_transcripts
from tests.factories.transcripts import as_bytes, native_game

SMALL = Limits(file_bytes=4 * MIB, unpacked_bytes=16 * MIB, archive_files=100)


def game(name):
    return as_bytes(native_game(gameId=name))


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_archive_is_answered_with_a_sentence(name):
    read = read_transcripts(HOSTILE[name], "evil.zip", SMALL)
    assert read.games == []
    assert read.fault_count == len([fault for fault in read.faults if not fault.is_warning]) >= 1
    assert all(fault.place.startswith("evil.zip") and fault.message.endswith(".") for fault in read.faults)


SAID = {
    "nothing but the start": "The archive is damaged or was cut off.",
    "an empty archive": "The archive holds no files that may be transcripts.",
    "a wrong checksum": "This file of the archive is damaged",
    "encrypted": "locked with a password",
    "lzma": "compressed by a method that is not read",
    "a link": "links are not followed",
    "a zip inside": "an archive inside an archive",
    "a bomb": "unpacks to more than 500 times its size",
    "a file over the limit": "unpacks to more than 4 MiB",
    "one file ninety times": "This file of the archive is damaged",
    "too many files": "more than 100 files",
    "licences alone": "holds no files that may be transcripts",
    "a workbook of Excel": "Save it there as CSV",
    "a sheet of LibreOffice": "Save it there as CSV",
    "pictures": "The file is a picture.",
    "a gzip bomb": "unpacks to more than",
    "a gzip in a gzip": "an archive inside an archive",
    "a tar archive": "zip archive instead",
}


@pytest.mark.parametrize("name", SAID)
def test_what_is_wrong_with_an_archive_is_said(name):
    assert SAID[name] in read_transcripts(HOSTILE[name], "evil.zip", SMALL).faults[0].message


def test_archives_of_zstandard_are_read_within_the_limits():
    packed = zstandard.compress(GAME)
    assert [game.record.game_id for game in read_transcripts(with_method(GAME, packed, 93), "a.eval").games]
    bomb = b"[" + b" " * 3 * MIB + b"]"
    for archive, code in (
        (with_method(GAME, packed[:-9], 93), "damaged"),
        (with_method(GAME, b"noise", 93), "damaged"),
        (with_method(GAME + b" ", packed, 93), "damaged"),
        (with_method(bomb, zstandard.compress(bomb), 93), "ratio"),
        (with_method(b"", zstandard.compress(Random(1).randbytes(5 * MIB)), 93), "too_large"),
    ):
        read = read_transcripts(archive, "a.eval", SMALL)
        assert ([fault.code for fault in read.faults], read.games) == ([code], [])


def test_an_archive_that_unpacks_to_too_much_is_refused_whole():
    numbers = b"".join(b"%09d" % number for number in range(100_000))
    files = {"a.json": GAME} | {f"{number}.json": numbers for number in range(6)}
    read = read_transcripts(zipped(files), "large.zip", Limits(unpacked_bytes=3 * MIB))
    assert (read.games, read.fault_count) == ([], 1)
    assert "The archive unpacks to more than 3 MiB" in read.faults[0].message


def test_each_file_of_an_archive_is_read_and_the_bad_ones_are_refused_by_themselves():
    files = {
        "runs/one.json": game("one"),
        "runs/two.jsonl": game("two") + b"\n" + game("three"),
        "list.json": b"[" + game("four") + b"]",
        "bad/cut.json": game("five")[:-9],
        "notes.txt": b"Remember the milk.",
        "LICENSE": b"MIT",
        "runs/README.md": b"Read me.",
        "LIESMICH.txt": b"Lies mich.",
        "runs/Group.PNG": b"\x89PNG",
    }
    read = read_transcripts(zipped(files), "all.zip")
    assert [found.record.game_id for found in read.games] == ["one", "two", "three", "four"]
    assert [found.place for found in read.games] == [
        "all.zip: runs/one.json",
        "all.zip: runs/two.jsonl line 1",
        "all.zip: runs/two.jsonl line 2",
        "all.zip: list.json /0",
    ]
    left_out, cut, notes, picture = read.faults
    assert (picture.is_warning, picture.place) == (True, "all.zip: runs/Group.PNG")
    assert (left_out.is_warning, left_out.message[-3:]) == (True, " 3.")
    assert (cut.code, cut.place.split(" line")[0]) == ("truncated", "all.zip: bad/cut.json")
    assert (notes.code, notes.place) == ("unknown_format", "all.zip: notes.txt")
    assert (read.fault_count, read.refused_count, read.format) == (2, 0, "native")


NAMES = [
    ("../../etc/passwd", "etc/passwd"),
    ("/etc/passwd", "etc/passwd"),
    ("C:\\games\\a.json", "games/a.json"),
    ("..\\..\\a.json", "a.json"),
    ("a/../b.json", "a/b.json"),
    ("x/a\u202e.json", "x/a\ufffd.json"),
    ("d" * 300 + "/a.json", "d" * 150 + "…" + "d" * 49 + "/a.json"),
]


@pytest.mark.parametrize(("name", "shown"), NAMES)
def test_names_of_files_are_only_shown(name, shown):
    (found,) = read_transcripts(zipped({name: GAME}), "x.zip").games
    assert found.place == f"x.zip: {shown}"


def test_a_name_ends_at_a_nul():
    (found,) = read_transcripts(zipped({"a~b": GAME}).replace(b"a~b", b"a\0b"), "x.zip").games
    assert found.place == "x.zip: a"
    assert shown_path("a\0b") == "a␀b"


def test_of_two_files_of_one_name_the_second_is_refused():
    files = {"x/a.json": GAME, "x\\a.json": game("two"), "y/a.json": game("three")}
    read = read_transcripts(zipped(files), "x.zip")
    assert [found.record.game_id for found in read.games] == ["game-1", "three"]
    assert [(fault.code, fault.place) for fault in read.faults] == [("duplicate_name", "x.zip: x/a.json")]


def test_a_file_compressed_with_gzip_is_read_as_it_is_named():
    read = read_transcripts(gzip.compress(GAME[:90]) + gzip.compress(GAME[90:]) + b"\0" * 9, "game.json.gz")
    assert [found.place for found in read.games] == ["game.json.gz"]


def test_what_an_entry_says_of_rights_dates_and_sizes_does_not_matter():
    data = zipped_entry(external_attr=0o777 << 16, date_time=(2107, 12, 31, 23, 59, 58))
    for archive in (data, lying_about_size(GAME, 2**32 - 2)):
        assert len(read_transcripts(archive, "x.zip").games) == 1


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("runs/0001.json", "0001"),
        ("a.jsonl.gz", "a"),
        (".json", ".json"),
        ("game.v2.txt", "game.v2"),
        ("", "file"),
    ],
)
def test_a_game_without_an_id_is_called_after_its_file(name, source):
    assert source_name(name) == source


def test_a_file_that_is_named_as_a_private_channel_is_no_game():
    files = {
        "g/town.txt": b"Day 1\nAnn: Hi.\nBea: Ho.\n",
        "g/mafia_chat.txt": b"Day 1\nAnn: CANARY\nBea: CANARY\n",
    }
    read = read_transcripts(zipped(files | {"g/secret-hitler-7.txt": files["g/town.txt"]}), "all.zip")
    assert [game.record.game_id for game in read.games] == ["town", "secret-hitler-7"]
    assert [fault.code for fault in read.faults] == ["private_file"]
