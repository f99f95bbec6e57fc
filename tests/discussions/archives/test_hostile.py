"""Archives by somebody who means ill, or that were damaged: nothing of them is imported, and a sentence says why."""

import json
import struct

import pytest
from django.db import transaction
from django.test import override_settings

from discussions.archives.core import FORMAT, MANIFEST
from tests.factories.project_archives import (
    bring_in,
    change_line,
    list_members,
    make_judged_project,
    read_members,
    write_archive,
    write_zip,
)
from workspace.blob_store import BytesLost, load_bytes
from workspace.core.canonical import bytes_hash
from workspace.core.refusals import Unacceptable
from workspace.models import Chain, Event, Person, Project

pytestmark = pytest.mark.django_db

GAME, VERDICT, EVENT = "discussions.game", "discussions.verdict", "workspace.event"
PERSON, RUBRIC, VERSION = "workspace.person", "rubric.rubric", "rubric.rubricversion"


@pytest.fixture(scope="module")
def archive(django_db_setup, django_db_blocker, tmp_path_factory):
    """A sound archive of a project that is not there."""
    folder = override_settings(MEDIA_ROOT=tmp_path_factory.mktemp("first"))
    with django_db_blocker.unblock(), folder, transaction.atomic():
        found = write_archive(*make_judged_project())
        transaction.set_rollback(True)
    return found


def fill(name, body):
    """The archive with one member in place of another, or one more, and a manifest that fits."""
    return lambda data: list_members({**read_members(data), name: body})


def drop(name):
    def change(data):
        members = read_members(data)
        del members[name]
        return list_members(members)

    return change


def manifest(**changed):
    return lambda data: list_members(read_members(data), **changed)


def row(member, **changed):
    return lambda data: change_line(data, member, lambda line: line.update(changed))


def raw_line(member, change):
    """One line as bytes, changed, and a manifest that fits."""

    def written(data):
        members = read_members(data)
        name = f"rows/{member}.jsonl"
        first, rest = members[name].split(b"\n", 1)
        return list_members({**members, name: change(first) + b"\n" + rest})

    return written


def twice(data):
    members = list(read_members(data).items())
    with pytest.warns(UserWarning, match="Duplicate name"):
        return write_zip([members[0], *members])


def unlisted(data):
    """Bytes of a member changed behind the manifest's back."""
    members = read_members(data)
    name = f"rows/{GAME}.jsonl"
    return write_zip({**members, name: members[name].replace(b"1", b"2", 1)}.items())


def encrypted(data):
    """The flag of the first member says that it is encrypted."""
    at = data.rindex(b"PK\x05\x06")
    start = struct.unpack("<I", data[at + 16 : at + 20])[0]
    return data[: start + 8] + b"\x01\x00" + data[start + 10 :]


def broken_stream(data):
    """Garbage in the middle of a packed member."""
    middle = len(data) // 2
    return data[:middle] + bytes(64) + data[middle + 64 :]


def bomb(data):
    members = read_members(data)
    return list_members({**members, f"rows/{GAME}.jsonl": b"\n" * (80 * 1024 * 1024)})


def other_upload(data):
    members = read_members(data)
    name = next(name for name in members if name.startswith("bytes/"))
    return list_members({**members, name: b"something else"})


def extra_upload(data):
    body = b"not of the project"
    return fill(f"bytes/{bytes_hash(body)}", body)(data)


def lost_upload(data):
    return drop(next(name for name in read_members(data) if name.startswith("bytes/")))(data)


def repeated(member):
    """A line twice."""

    def change(data):
        members = read_members(data)
        name = f"rows/{member}.jsonl"
        first = members[name].splitlines(keepends=True)[0]
        return list_members({**members, name: first + members[name]})

    return change


def added(member, **changed):
    """One more line, like the last but for what is changed."""

    def change(data):
        members = read_members(data)
        name = f"rows/{member}.jsonl"
        line = json.loads(members[name].splitlines()[-1]) | changed
        body = json.dumps(line, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
        return list_members({**members, name: members[name] + body})

    return change


def unused_version(data):
    """A rubric version, sound in itself, that nothing in the project was judged by."""
    line = json.loads(read_members(data)[f"rows/{VERSION}.jsonl"].splitlines()[-1])
    number = line["number"]
    body = line["body"].replace(f'"version":"{number}"', '"version":"9.0"')
    return added(VERSION, body=body, sha256=bytes_hash(body.encode()), number="9.0")(data)


def deeper(line):
    return line.replace(b'"detail":"', b'"detail":"' + b"[" * 5000, 1)


HOSTILE = {
    "no zip": (lambda data: b"GIF89a" + data[:100], "This file is no zip, or it was cut"),
    "cut": (lambda data: data[:-100], "This file is no zip, or it was cut"),
    "damaged": (broken_stream, r": it is damaged|it is not what the manifest says"),
    "changed": (
        unlisted,
        f"rows/{GAME}.jsonl: it is not what the manifest says of it: it was changed or cut",
    ),
    "encrypted": (encrypted, "it is encrypted. Make the archive again without a password"),
    "twice": (twice, "the archive has it twice"),
    "a bomb": (bomb, "The archive unpacks to far more than an archive does"),
    "a path": (
        fill("../../etc/cron.d/x", b"* * * * *"),
        r"'../../etc/cron.d/x': a project archive of this format has no",
    ),
    "an unknown table": (fill("rows/workspace.accesstoken.jsonl", b"{}\n"), "has no such member"),
    "no manifest": (lambda data: write_zip([("rows/x", b"")]), "has no such member"),
    "an empty zip": (lambda data: write_zip([]), f"The zip has no {MANIFEST}, so it is no project archive"),
    "a later format": (
        manifest(format=FORMAT + 1),
        f"has format {FORMAT + 1}; this installation reads format {FORMAT}",
    ),
    "no format": (manifest(format=0), "has format 0; this installation reads format"),
    "a manifest with more": (
        manifest(by="me"),
        r"manifest.json: it cannot be read \(Object contains unknown field",
    ),
    "another head": (
        manifest(audit_head={"mac": "0" * 64, "seq": 1}),
        "its audit head is not that of the lines",
    ),
    "no project": (drop("rows/workspace.project.jsonl"), "the archive has no project"),
    "no people": (
        drop("rows/workspace.person.jsonl"),
        "it names 'system@evalsite.invalid', which is not in rows/works",
    ),
    "other bytes": (other_upload, "its bytes have another SHA-256 than its name says"),
    "bytes too many": (extra_upload, "no upload of the project has these bytes"),
    "lost bytes": (lost_upload, "an upload of the project has these bytes, and they are missing"),
    "no JSON": (raw_line(GAME, lambda line: line[:-5]), f"rows/{GAME}.jsonl, line 1: "),
    "a name twice": (
        raw_line(GAME, lambda line: line.replace(b"{", b'{"number":7,', 1)),
        "not written as the product",
    ),
    "spaces": (
        raw_line(GAME, lambda line: line.replace(b":", b": ", 1)),
        "line 1: it is not written as the product",
    ),
    "bad UTF-8": (
        raw_line(GAME, lambda line: line.replace(b'"source_id":"', b'"source_id":"\xff')),
        "line 1: it is no UTF-8",
    ),
    "a lone surrogate": (
        raw_line(GAME, lambda line: line.replace(b'"source_id":"', b'"source_id":"\\ud800')),
        "line 1",
    ),
    "an unknown field": (row(GAME, is_admin=True), "Object contains unknown field `is_admin`"),
    "a wrong type": (row(GAME, number="7"), r"Expected `int`, got `str` - at `\$.number`"),
    "a huge number": (row(GAME, number=2**40), r"Expected `int` <= 2147483647 - at `\$.number`"),
    "a long text": (row(GAME, source_id="x" * 201), r"Expected `str` of length <= 200 - at `\$.source_id`"),
    "a NUL": (row(GAME, source_id="a\x00b"), "a text holds a NUL character"),
    "no such line": (
        row(GAME, iteration=99),
        "it names line 99 of rows/discussions.iteration.jsonl, which is not there",
    ),
    "line zero": (row(GAME, iteration=0), "Expected `int` >= 1"),
    "a stranger": (
        row(GAME, created_by="mallory@example.org"),
        "it names 'mallory@example.org', which is not in rows/",
    ),
    "a choice that is none": (
        row("workspace.membership", role="admin"),
        r"Invalid enum value 'admin' - at `\$.role`",
    ),
    "a job that runs": (row("workspace.job", state="running"), "Invalid enum value 'running'"),
    "a rule of the database": (
        row("workspace.membership", ended_at="2026-03-02T09:00:00Z"),
        "the database refuses",
    ),
    "no game in it": (row("discussions.gametext", body='{"x":1}'), "body: Object missing required field"),
    "another game": (row(GAME, content_sha256="0" * 64), "is not the content that was imported"),
    "a turned verdict": (
        row(VERDICT, passes=True, passed_count=7),
        "The figures that lists show are not those",
    ),
    "a basis without keys": (row(VERDICT, basis={"format": 3}), "basis: Object missing required field"),
    "a basis of nobody": (
        row(VERDICT, basis={"game": "1"}),
        "it names line '1' of rows/discussions.game.jsonl",
    ),
    "a gap in the log": (row(EVENT, seq=2), "line 2 of the audit log is out of turn"),
    "an unknown kind": (row(EVENT, object_kind="weapon"), "nothing is called 'weapon'"),
    "a detail that is no JSON": (row(EVENT, detail="{"), "line 1: detail: "),
    "a deep detail": (raw_line(EVENT, deeper), r"line 1: detail: |line 1: "),
    "an act that nobody told of": (
        row(EVENT, verb="project:renamed"),
        "The audit log has 0 lines of project:created",
    ),
    "a false address": (
        row("workspace.person", email="not an address"),
        "which is not in|this is no e-mail address",
    ),
    "the system by another name": (
        row("workspace.person", is_system=True),
        "this is no e-mail address, or no name",
    ),
    "a person twice": (repeated(PERSON), r"person.jsonl, line 2: '.*' is there twice"),
    "a rubric twice": (repeated(RUBRIC), "line 2: 'discussion' is there twice"),
    "a version twice": (repeated(VERSION), "line 2: 'discussion .*' is there twice"),
    "a person whom nobody names": (
        added(PERSON, email="spare@example.org", is_system=False, name="Spare"),
        r"no line of the archive names 'spare@example.org'",
    ),
    "a version that nobody names": (unused_version, r"no line of the archive names 'response 9\.0'"),
    "a rubric that nobody names": (
        added(RUBRIC, key="spare", name="Spare"),
        "no line of the archive names 'spare'",
    ),
    "a retired version of the product": (row(VERSION, state="retired"), "came with the product says who"),
    "a draft": (row(VERSION, state="draft"), "Invalid enum value 'draft'"),
    **{
        f"a cost of {cost}": (
            row(GAME, cost_usd=cost),
            "game.jsonl, line 1: cost_usd: .* is no number from 0",
        )
        for cost in ("1E+40", "NaN", "Infinity", "-1.000000", "-0.000000", "1.5", "1234567890.000000")
    },
    **{
        f"a moment in {moment}": (row(GAME, created_at=moment), f"game.jsonl, line 1: created_at: {says}")
        for moment, says in (
            ("2026-03-01T09:00:00+02:00", ".* is not in UTC"),
            ("2026-03-01T09:00:00", ".* is not in UTC"),
            ("0001-01-01T00:00:00Z", ".* is not between the year 2000 and now"),
            ("9999-12-31T23:59:59Z", ".* is not between the year 2000 and now"),
            ("2026-03-03T09:06:00Z", ".* is not between the year 2000 and now"),
        )
    },
    "an audit line of tomorrow": (row(EVENT, at="2026-03-04T00:00:00Z"), "event.jsonl, line 1: at: "),
    "an act that does not print": (
        row(EVENT, verb="project:\x1b[31m"),
        r"Expected `str` matching regex .* at `\$\.verb`",
    ),
    "a role that is none": (row(EVENT, role="owner"), "Invalid enum value 'owner'"),
    "a number that is taken": (
        row("workspace.project", next_game_number=1),
        "line 1: its next game would have the number of another game",
    ),
    "two projects": (repeated("workspace.project"), "line 2: an archive has one project"),
    "a manifest of another project": (
        manifest(project="another"),
        "project.jsonl, line 1: its short name is not that of the manifest",
    ),
    "a manifest that does not print": (manifest(project="a\x1b[2J"), "its project is no short name"),
    "a product that does not print": (manifest(product_version="1\n2"), "product version does not print"),
    "a million lists": (
        row("rubric.review", order=[[]] * 500_000),
        "review.jsonl, line 1: it holds more than 500,000 values",
    ),
    "a rubric that is none": (
        row("rubric.rubricversion", body="{}"),
        "what this rubric version says has a fault",
    ),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_it_is_refused_by_a_sentence_and_nothing_is_kept(archive, what):
    change, says = HOSTILE[what]
    before = Event.objects.count()
    with pytest.raises(Unacceptable, match=says) as refused:
        bring_in(change(archive))
    assert refused.value.sentence[-1] == "."
    assert not Project.objects.exists()
    assert not Person.objects.filter(is_system=False).exists()
    assert (Event.objects.count(), Chain.objects.filter(project__isnull=False).count()) == (before, 0)
    for name in read_members(archive):
        if name.startswith("bytes/"):
            with pytest.raises(BytesLost):
                load_bytes(name.removeprefix("bytes/"))


def test_what_is_too_large_is_refused_before_it_is_read(archive, settings):
    limits = settings.ARCHIVE_LIMITS
    for name, most, says in (
        ("members", 3, "members; at most 3 are read"),
        ("unpacked_bytes", 1000, "bytes; at most 1,000 are read. An admin raises ARCHIVE_LIMITS"),
        ("upload_bytes", 10, "an uploaded file has at most 10"),
    ):
        settings.ARCHIVE_LIMITS = limits | {name: most}
        with pytest.raises(Unacceptable, match=says):
            bring_in(archive)


def test_a_long_line_is_refused_at_its_place(archive, settings):
    settings.ARCHIVE_LIMITS = settings.ARCHIVE_LIMITS | {"line_bytes": 1024 * 1024}
    body = json.dumps({"x": "y" * 3_000_000}).encode() + b"\n"
    with pytest.raises(
        Unacceptable, match=r"rows/workspace.person.jsonl, line 1: it is longer than 1,048,576 bytes"
    ):
        bring_in(fill("rows/workspace.person.jsonl", body)(archive))


@pytest.mark.parametrize("written", range(1, FORMAT + 1))
def test_the_sound_archive_comes_in_also_of_an_earlier_format(archive, written):
    assert bring_in(manifest(format=written)(archive)).upload_count
