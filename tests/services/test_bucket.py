"""Uploads, exports and audit heads in an S3 bucket: kept whole, read in parts, backed up, restored; and away."""

import os
from zlib import crc32

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client, override_settings
from django.urls import reverse

from discussions.models import Transcript
from evalsite import environment
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import NOW, make_admin, make_lead
from tests.factories.transcripts import as_bytes, make_games_project, native_game, upload
from tests.services.bucket import BucketServer, bucket_server
from tests.services.places import at
from tests.workspace.backups.test_commands import backup, run, site  # noqa: F401  fixtures
from tools.redis_server import free_port
from workspace import blob_store
from workspace.checks.actions import CHECKS, keep_heads, list_heads, verify
from workspace.checks.readiness import forget_needs
from workspace.models import Event, Job
from workspace.people.actions.people import system_person

pytestmark = pytest.mark.slow


def placed(server, folder, monkeypatch):
    """The settings of a site whose files are in a folder of that bucket."""
    for name, value in server.env().items():
        monkeypatch.setenv(name, value)
    options = environment.bucket("STORAGE_URL", is_local=True)
    storages = {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
    for alias in ("default", "audit"):
        place = options | {"location": f"{options['location']}{folder}/{alias}"}
        storages[alias] = {"BACKEND": "evalsite.bucket.Bucket", "OPTIONS": place}
    return override_settings(STORAGE=options, STORAGES=storages)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with bucket_server(tmp_path_factory.mktemp("bucket")) as running:
        yield running


@pytest.fixture
def bucket(server, monkeypatch, tmp_path):
    with placed(server, tmp_path.name, monkeypatch):
        yield


@pytest.mark.django_db
@pytest.mark.usefixtures("bucket")
def test_bytes_are_kept_by_their_hash_and_read_in_parts():
    data = os.urandom(100_000)
    sha256 = blob_store.store_bytes(data)
    assert blob_store.store_bytes(data) == sha256
    assert blob_store.load_bytes(sha256) == data
    assert blob_store.load_start(sha256, 10) == data[:10]
    assert blob_store.load_range(sha256, 70_000, 80_000, crc32(data[70_000:80_000])) == data[70_000:80_000]
    empty = blob_store.store_bytes(b"")
    assert (blob_store.load_start(empty, 10), blob_store.load_bytes(empty)) == (b"", b"")
    with blob_store.new_file() as part:
        part.write(b"table")
        blob_store.keep_file(part, "exports/1-1")
    with blob_store.open_file("exports/1-1") as file:
        assert file.read() == b"table"
    names = {f"transcripts/{key[:2]}/{key}" for key in (sha256, empty)}
    assert set(blob_store.list_files()) == names | {"exports/1-1"}
    assert default_storage.measure() == (3, 100_005)
    blob_store.drop_bytes(sha256)
    with pytest.raises(blob_store.BytesLost):
        blob_store.load_bytes(sha256)
    with pytest.raises(blob_store.BytesLost):
        blob_store.open_file("exports/2-1")


@pytest.mark.django_db
@pytest.mark.usefixtures("bucket")
def test_games_are_imported_and_the_heads_of_the_audit_log_are_kept_there(settings, tmp_path):
    settings.MEDIA_ROOT = settings.VAR_DIR = tmp_path
    project = make_games_project()
    upload(project=project, by=make_lead(project=project))
    run_waiting_jobs(now=NOW)
    assert Transcript.objects.get().games.count() == 1
    keep_heads(by=system_person(now=NOW), now=NOW)
    assert list_heads() == ["heads-2026-03-02.json"]
    checks = [check for check in CHECKS if check.code == "I7"]
    assert [done.breach_count for done in verify(checks=checks, by=system_person(now=NOW), now=NOW)] == [0]
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_backup_of_a_disk_is_restored_into_a_bucket_and_backed_up_there(
    server,
    backup,  # noqa: F811
    make_installation,
    monkeypatch,
    tmp_path,
):
    path, _said = backup
    with placed(server, "restored", monkeypatch), at(make_installation(is_migrated=False)):
        code, _answer, faults = run("restore", path)
        assert (code, faults) == (0, "")
        (kept,) = blob_store.list_files()
        assert blob_store.load_bytes(kept.rpartition("/")[2])
        assert run("verify")[0] == 0
        assert run("backup", tmp_path)[0] == 0
        assert len(list(tmp_path.glob("*.zip"))) == 1
    with placed(server, "restored", monkeypatch), at(make_installation(is_migrated=False)):
        assert "STORAGE_URL holds" in "".join(run("restore", path)[1:])


@pytest.mark.django_db
def test_away_it_refuses_what_is_stored_with_a_sentence_and_pages_go_on(monkeypatch, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    lead = make_lead(project=make_games_project(slug="ours"))
    forget_needs()
    with placed(BucketServer(free_port()), "away", monkeypatch):
        client = Client()
        client.force_login(lead)
        lines = Event.objects.count()
        file = SimpleUploadedFile("game.json", as_bytes(native_game()))
        answer = client.post(reverse("import_upload", args=["ours"]), {"transcripts": [file]})
        assert (answer.status_code, "The storage of files does not answer" in answer.content.decode()) == (
            503,
            True,
        )
        assert (Transcript.objects.count(), Job.objects.count(), Event.objects.count()) == (0, 0, lines)
        assert client.get(reverse("games", args=["ours"])).status_code == 200
        client.force_login(make_admin())
        assert "not known" in client.get(reverse("overview")).content.decode()
        assert client.get("/readyz").json()["checks"]["storage"]["ok"] is False
    forget_needs()


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("https://bucket", "no address of a bucket"),
        ("s3://", "no address of a bucket"),
        ("s3://B", "no address of a bucket"),
        ("s3://bucket?acl=public", "no address of a bucket"),
        ("s3://bucket?endpoint=http://s3.example.org", "Write https"),
    ],
)
def test_what_is_no_bucket_is_refused(value, says, monkeypatch):
    monkeypatch.setenv("STORAGE_URL", value)
    with pytest.raises(ImproperlyConfigured, match=says):
        environment.bucket("STORAGE_URL", is_local=False)


def test_a_bucket_may_be_without_folder_and_needs_its_packages(monkeypatch):
    monkeypatch.setenv("STORAGE_URL", "s3://bucket")
    assert environment.bucket("STORAGE_URL", is_local=False) == {"bucket_name": "bucket", "location": ""}
    monkeypatch.setattr("evalsite.environment.find_spec", lambda _name: None)
    with pytest.raises(ImproperlyConfigured, match=r"requirements-s3\.lock"):
        environment.bucket("STORAGE_URL", is_local=False)
