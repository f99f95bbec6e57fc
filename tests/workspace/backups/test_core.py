"""Which backups are refused, and which files a backup may hold."""

from datetime import UTC, datetime

import msgspec
import pytest
from msgspec.structs import replace

from workspace.backups.core import (
    BackupPart,
    Manifest,
    Unusable,
    find_part_fault,
    find_version_fault,
    list_backups,
    name_backup,
    read_manifest,
)
from workspace.core.audit_chain import Head

KEY = "k" * 32
DATABASE = "database.sqlite3"
MANIFEST = Manifest(
    product="evalsite",
    format=1,
    version="0.2.0",
    made_at=datetime(2026, 1, 31, 2, 30, tzinfo=UTC),
    vendor="sqlite",
    server="sqlite 3.46.1",
    migrations=["workspace.0001_initial"],
    rows={"workspace_person": 2},
    heads=[Head(1, 2, "ab")],
    parts=[BackupPart(DATABASE, 3, "cd"), BackupPart("files/transcripts/ab/abc", 3, "ef")],
)


def test_names_sort_by_time_and_only_they_are_backups():
    names = [name_backup(datetime(2026, 1, day, tzinfo=UTC)) for day in (9, 10)]
    assert names[0] == "evalsite-20260109T000000Z.zip"
    others = ["evalsite-20260109T000000Z.zip.part", "evalsite.zip", "notes.txt"]
    assert list_backups([names[0], *others, names[1]]) == [names[1], names[0]]


def test_a_seal_fits_its_key_and_what_was_sealed():
    sealed = MANIFEST.sealed(KEY)
    assert sealed.is_sealed(KEY)
    assert not sealed.is_sealed(KEY[1:])
    assert not replace(sealed, rows={"workspace_person": 3}).is_sealed(KEY)
    assert not replace(sealed, seal="é").is_sealed(KEY)
    assert read_manifest(msgspec.json.encode(sealed)).is_sealed(KEY)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"{}",
        b"\xff",
        b"[" * 100_000,
        msgspec.json.encode(replace(MANIFEST, product="another")),
        msgspec.json.encode(replace(MANIFEST, format=2)),
        msgspec.json.encode(replace(MANIFEST, version="new")),
    ],
)
def test_what_is_no_manifest_is_refused_with_a_sentence(data):
    with pytest.raises(Unusable, match=r"\.$"):
        read_manifest(data)


def find_fault(*names, listed=()):
    parts = [*MANIFEST.parts, *(BackupPart(name, 1, "") for name in listed)]
    return find_part_fault(replace(MANIFEST, parts=parts), list(names), DATABASE)


def test_an_archive_holds_what_its_manifest_lists_and_nothing_else():
    whole = ("manifest.json", DATABASE, "files/transcripts/ab/abc")
    heads = "audit/heads-2026-01-31.json"
    assert find_fault(*whole) == ""
    assert find_fault(heads, *whole, listed=[heads]) == ""
    differs = "It does not hold the files that its manifest lists"
    for names in (whole[:2], (*whole, "more"), (*whole, DATABASE)):
        assert find_fault(*names) == differs
    assert find_part_fault(MANIFEST, list(whole), "database.pgdump") == "It holds no database.pgdump"


@pytest.mark.parametrize(
    "name",
    [
        "files/../a",
        "files//a",
        "files/",
        "files/a\\b",
        "files/C:a",
        "files/a\n",
        "/etc/passwd",
        "audit/a",
        ".env",
    ],
)
def test_a_file_that_no_backup_has_is_refused(name):
    whole = ("manifest.json", DATABASE, "files/transcripts/ab/abc", name)
    assert find_fault(*whole, listed=[name]).startswith("It holds a file that no backup has")


def find_refusal(**given):
    here = {
        "version": "0.2.0",
        "vendor": "sqlite",
        "apps": {"workspace"},
        "migrations": {*MANIFEST.migrations},
    }
    return find_version_fault(MANIFEST, **(here | given))


def test_only_a_newer_product_and_another_database_are_refused():
    assert find_refusal() == ""
    assert find_refusal(version="0.10.0") == ""
    assert "newer than this one (0.1.0)" in find_refusal(version="0.1.0")
    assert "such as workspace.0001_initial" in find_refusal(migrations=())
    assert find_refusal(apps={"rubric"}, migrations=()) == "", "an app that is switched off here"
    assert find_refusal(vendor="postgresql").startswith(
        "The backup is of sqlite, and DATABASE_URL names postgresql"
    )
