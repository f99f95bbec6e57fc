"""`backup` and `restore`: what is written, what is refused and with which sentence, and that nothing is half done."""

import io
import json
import os
import shutil
import stat
import zipfile
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.test import Client
from django.utils import timezone

from discussions.models import Game
from tests.factories.outbox import make_webhook, measure_games
from tests.factories.people import make_admin, make_member, make_person
from tests.factories.rating import make_rating_project, start
from tests.services.places import at
from workspace.backups.core import ERASURES, MANIFEST
from workspace.blob_store import keep_file, list_files, load_bytes, new_file
from workspace.database.dumps import DumpFailed, count_rows
from workspace.models import Delivery, Event, Job, Person, SignIn

pytestmark = pytest.mark.services


def run(*words):
    """Exit code, standard output and standard error of a command."""
    said, faults = io.StringIO(), io.StringIO()
    code = 0
    try:
        call_command(*map(str, words), stdout=said, stderr=faults)
    except SystemExit as end:
        code = end.code
    return code, said.getvalue(), faults.getvalue()


@pytest.fixture(scope="module")
def site(make_installation):
    """An installation with a game that is being judged, an export's file, a job that a worker holds, a sign-in, and a
    message that waits for a webhook.
    """
    with at(make_installation(is_migrated=True)) as there:
        project, now = start(project=make_rating_project(slug="mafia")).game.project, timezone.now()
        lead = make_person(email="ada@example.org")
        make_member(project=project, person=lead, role="lead")
        with new_file() as part:
            keep_file(part, "exports/1-1")
        Job.objects.create(
            project=project,
            kind="export",
            subject="export:1",
            state="running",
            lease_until=now - timedelta(days=1),
            created_at=now,
            created_by=lead,
        )
        Client().force_login(lead)
        make_webhook(project=project, by=lead, now=now)
        measure_games(project, 1, now=now)
    return there


@pytest.fixture(scope="module")
def backup(site, tmp_path_factory):
    """A backup of it, and what the command said as JSON."""
    folder = tmp_path_factory.mktemp("backups")
    with at(site):
        code, said, faults = run("backup", folder, "--json")
    assert (code, faults) == (0, "")
    said = json.loads(said)
    return Path(said["file"]), said


@pytest.fixture
def empty(make_installation):
    with at(make_installation(is_migrated=False)) as there:
        yield there


def test_a_backup_is_one_private_file_that_says_what_it_holds(site, backup):
    path, said = backup
    assert [found.name for found in path.parent.iterdir()] == [path.name]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    manifest = said["manifest"]
    assert manifest["rows"]["discussions_game"] == 1
    with zipfile.ZipFile(path) as archive:
        kept = [name for name in archive.namelist() if name.startswith("files/")]
        assert json.loads(archive.read(MANIFEST)) == manifest
    assert len(kept) == 1, "the file of an export is left out"
    with at(site):
        event = Event.objects.get(verb="backup:made")
        assert event.object_id == path.name
        (head,) = [head for head in manifest["heads"] if head["chain"] == event.chain_id]
        assert head["seq"] == event.seq - 1


def export(folder):
    """The project as lines of JSON, but for the first line, which says when it was exported."""
    out = folder / "export.jsonl"
    given = ("--project", "mafia", "--format", "jsonl", "--by", "ada@example.org", "--out", out)
    assert run("export", *given)[0] == 0
    return out.read_bytes().splitlines()[1:]


def test_a_restored_site_is_whole_and_waiting_work_waits_again(site, backup, make_installation, tmp_path):
    with at(site):
        (kept,) = [name for name in list_files() if not name.startswith("exports/")]
        upload, exported = load_bytes(kept.rpartition("/")[2]), export(tmp_path)
    with at(make_installation(is_migrated=False)):
        assert_restored(*backup, upload, exported, tmp_path)


def assert_restored(path, said, upload, exported, folder):
    code, answer, faults = run("restore", path.parent, "--json")
    assert (code, faults) == (0, "")
    found = json.loads(answer)
    assert found["rows"] == sum(said["manifest"]["rows"].values())
    assert (found["files"], found["migrations_applied"]) == (1, 0)
    assert {check["breach_count"] for check in found["verify"]} == {0}
    assert Person.objects.filter(email="ada@example.org").exists()
    (kept,) = list_files()
    assert load_bytes(kept.rpartition("/")[2]) == upload
    assert export(folder) == exported
    assert not SignIn.objects.exists()
    delivery = Delivery.objects.get()
    assert (delivery.state, delivery.next_attempt_at) == ("failed", None) and "restored" in delivery.error
    assert (found["sign_ins_ended"], found["deliveries_ended"]) == (1, 1)
    job = Job.objects.get(kind="export")
    assert (job.state, job.lease_until, job.rung_at, job.fence) == ("queued", None, None, 1)
    assert Event.objects.get(verb="backup:restored").object_id == path.name


def test_a_place_that_is_not_empty_stays_as_it_is(site, backup, empty):
    (empty.folder / "uploads").mkdir()
    (empty.folder / "uploads" / "notes").write_text("mine")
    code, _, said = run("restore", backup[0])
    assert code == 2 and "holds 1 files that are not of this backup, such as files/notes" in said
    assert count_rows() == {}
    with at(site):
        before = count_rows()
        code, _, said = run("restore", backup[0])
        assert code == 2 and "Make a new database and name it in DATABASE_URL" in said
        assert count_rows() == before


def test_a_restore_that_was_cut_off_is_run_again(backup, empty, monkeypatch):
    def fail(_path):
        raise DatabaseError("the server went away")

    with monkeypatch.context() as patched:
        patched.setattr("workspace.database.dumps.load_dump", fail)
        code, _, said = run("restore", backup[0])
    assert (code, count_rows()) == (1, {}) and "Restoring failed: the server went away" in said
    assert run("restore", backup[0])[0] == 0


@pytest.mark.parametrize("fault", [DatabaseError, CommandError])
def test_a_restore_that_fails_after_the_database_was_filled_asks_for_a_new_one(
    backup, empty, monkeypatch, fault
):
    def fail(**_given):
        raise fault("the migration failed")

    monkeypatch.setattr("workspace.management.commands.restore.note_restored", fail)
    code, _, said = run("restore", backup[0])
    assert code == 1 and "Restoring failed: the migration failed. Correct that, then run it again." in said
    assert "If the database has tables now, make a new, empty one" in said
    code, _, said = run("restore", backup[0])
    assert code == 2 and "a restore that was cut off late leaves tables, too. Make a new database" in said


def test_an_older_backup_is_brought_up_to_date(make_installation, tmp_path):
    with at(make_installation(is_migrated=True)):
        graph = MigrationLoader(connection).graph
        (newest,) = graph.leaf_nodes("discussions")
        (before,) = [key for key in graph.node_map[newest].parents if key[0] == "discussions"]
        MigrationExecutor(connection).migrate([before])
        assert run("backup", tmp_path)[0] == 0
    with at(make_installation(is_migrated=False)):
        code, said, _ = run("restore", tmp_path)
    assert code == 0 and "brought up to date by" in said


def change(path, folder, **changed):
    """A copy of a backup in which these files are others; None leaves one out."""
    copy = folder / path.name
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(copy, "w") as target:
        for name in source.namelist():
            data = changed.get(name.partition(".")[0], source.read(name))
            if data is not None:
                target.writestr(name, data)
    return copy


def with_rows(path):
    """The manifest of a backup, changed without its seal."""
    with zipfile.ZipFile(path) as archive:
        found = json.loads(archive.read(MANIFEST))
    return json.dumps(found | {"rows": {}})


HOSTILE = {
    "no archive": (
        lambda path, copy: copy.write_bytes(b"text"),
        "is no whole backup: File is not a zip file",
    ),
    "cut off": (lambda path, copy: copy.write_bytes(path.read_bytes()[:-400]), "is no whole backup"),
    "no manifest": (lambda path, copy: change(path, copy.parent, manifest=None), "it holds no manifest.json"),
    "other manifest": (lambda path, copy: change(path, copy.parent, manifest="{}"), "is none of evalsite"),
    "changed manifest": (
        lambda path, copy: change(path, copy.parent, manifest=with_rows(path)),
        "does not fit AUDIT_KEY",
    ),
    "changed database": (
        lambda path, copy: change(path, copy.parent, database="x"),
        "is not what was backed up",
    ),
    "no database": (
        lambda path, copy: change(path, copy.parent, database=None),
        "files that its manifest lists",
    ),
    "damaged": (lambda path, copy: copy.write_bytes(flipped(path.read_bytes())), "is no whole backup"),
}


def flipped(data):
    """The bytes with some changed that belong to the database; of one alone the unpacked bytes can be the same."""
    return data[:1000] + bytes(byte ^ 1 for byte in data[1000:1200]) + data[1200:]


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_damaged_or_changed_backup_is_answered_with_a_sentence(backup, empty, tmp_path, kind):
    make, says = HOSTILE[kind]
    make(backup[0], tmp_path / backup[0].name)
    code, _, said = run("restore", tmp_path / backup[0].name, "--json")
    (fault,) = json.loads(said)["faults"]
    assert code == 2 and says in fault["message"]
    assert count_rows() == {} and not list(list_files())


@pytest.mark.services(is_long=True)
def test_another_audit_key_is_said_at_once_and_can_be_accepted(backup, empty, settings):
    settings.AUDIT_KEY = "another key " * 5
    code, _, said = run("restore", backup[0])
    assert code == 2 and "Set AUDIT_KEY to that of the site that was backed up" in said
    code, said, _ = run("restore", backup[0], "--unsealed")
    assert code == 1 and "Audit chain 1 breaks at line 1" in said
    assert Person.objects.filter(email="ada@example.org").exists()


@pytest.mark.parametrize("command", ["backup", "restore"])
def test_a_place_that_is_not_there_is_said(site, tmp_path, command):
    with at(site):
        code, _, said = run(command, tmp_path / "none")
    assert code == 2 and "There is no f" in said


def test_a_folder_without_backups_and_an_empty_database_are_said(empty, tmp_path):
    code, _, said = run("restore", tmp_path)
    assert code == 2 and "holds no backup" in said
    code, _, said = run("backup", tmp_path)
    assert code == 2 and "The database has no tables" in said
    assert run("backup", tmp_path, "--keep", "0")[0] == 2


def test_old_backups_of_this_site_are_deleted_and_nothing_else(site, backup, tmp_path, settings):
    copies = [tmp_path / f"evalsite-2026010{day}T000000Z.zip" for day in (1, 2, 3)]
    for copy in copies[:2]:
        shutil.copy(backup[0], copy)
    copies[2].write_bytes(b"of somebody else")
    abandoned = tmp_path / ".evalsite-unfinished-1"
    abandoned.mkdir()
    os.utime(abandoned, (0, 0))
    with at(site):
        code, said, _ = run("backup", tmp_path, "--keep", "2")
    assert code == 0 and said.endswith(f"Deleted {copies[0].name}.\n")
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left[:2] == [copies[1].name, copies[2].name] and len(left) == 3


def test_a_backup_that_fails_leaves_nothing(site, tmp_path, monkeypatch):
    def find_damage(_path):
        raise DumpFailed("The copy of the database is damaged: row 3 is missing.")

    monkeypatch.setattr("workspace.database.dumps.check_dump", find_damage)
    with at(site):
        before = Event.objects.count()
        code, _, said = run("backup", tmp_path)
        assert Event.objects.count() == before
    assert code == 1 and "The copy of the database is damaged" in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.services(is_long=True)
def test_a_restore_erases_again_what_was_erased_since_the_backup(make_installation, tmp_path):
    folder = tmp_path / "backups"
    folder.mkdir()
    with at(make_installation(is_migrated=True)):
        game, admin = start(project=make_rating_project(slug="mafia")).game, make_admin()
        person = make_person(name="Ada Byron", email="ada@example.org")
        assert run("backup", folder)[0] == 0
        (made,) = folder.iterdir()
        before = made.rename(
            folder / "evalsite-20260101T000000Z.zip"
        )  # the next one may be of the same second
        words = ("--reason", "By mistake", "--by", admin.email)
        assert run("erase", "--project", "mafia", "--game", game.number, *words)[0] == 0
        assert run("erase", "--person", "ada@example.org", *words)[0] == 0
        assert run("backup", folder)[0] == 0
        assert (folder / ERASURES).exists()
    with at(make_installation(is_migrated=False)):
        code, said, _faults = run("restore", before)
        assert code == 0, said
        assert "Erased again 2 of 2 erasures" in said
        assert not Game.objects.exists()
        assert Person.objects.get(pk=person.pk).name.startswith("erased-")
    (folder / ERASURES).write_text((folder / ERASURES).read_text().replace("By mistake", "By nobody"))
    with at(make_installation(is_migrated=False)):
        said = run("restore", before)[1]
        assert "Its seal does not fit AUDIT_KEY" in said
        assert Game.objects.exists()
