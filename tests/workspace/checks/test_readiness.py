"""The two pages that machines ask: whether the site is up, and whether it can work, with a sentence for each need."""

import socket
from datetime import timedelta

import pytest
from django.db import OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from tests.factories.people import make_person
from tools.redis_server import RedisServer, find_binary
from workspace.checks import readiness
from workspace.checks.labels import NEEDS
from workspace.database.append_only import guards
from workspace.database.squashed import OLDER, SQUASHED
from workspace.models import Heartbeat, Job

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def asked_anew():
    readiness.forget_needs()
    yield
    readiness.forget_needs()


@pytest.fixture
def broker(monkeypatch):
    """A broker that answers; a real one is asked in a test of its own."""
    monkeypatch.setitem(readiness.QUESTIONS, "broker", lambda now: "")


@pytest.fixture
def well(broker, settings):
    """A site that is ready."""
    settings.DISK_FREE_MB = 1
    Heartbeat.objects.create(worker="one", beat_at=timezone.now())
    return settings


def ask(client):
    answer = client.get("/readyz")
    said = answer.json()
    assert said["ready"] == (answer.status_code == 200)
    assert answer["Cache-Control"] == "no-store"
    return answer.status_code, {name for name, need in said["checks"].items() if not need["ok"]}, said


def test_a_site_that_has_all_it_needs_is_ready_and_says_so(client, well):
    status, unmet, said = ask(client)
    assert (status, unmet) == (200, set())
    assert said["checks"] == {name: {"ok": True, "says": str(met)} for name, (met, _) in NEEDS.items()}


def test_no_worker(client, well):
    Heartbeat.objects.update(beat_at=timezone.now() - timedelta(minutes=2))
    assert ask(client)[:2] == (503, {"worker"})


def test_a_job_that_nobody_takes(client, well):
    person, now = make_person(), timezone.now()
    Job.objects.create(kind="noop", subject="x", created_by=person, created_at=now - timedelta(seconds=110))
    assert ask(client)[0] == 200
    Job.objects.update(created_at=now - timedelta(seconds=130))
    readiness.forget_needs()
    assert ask(client)[:2] == (503, {"queue"})


def test_a_database_behind_the_code(client, well):
    recorded = MigrationRecorder.Migration.objects
    gone = {"0002_tables", *(name for _app, name in SQUASHED["workspace", "0002_tables"])}
    recorded.filter(app="workspace", name__in=gone).delete()
    status, unmet, said = ask(client)
    assert (status, unmet) == (503, {"migrations"})
    assert said["checks"]["migrations"]["says"] == NEEDS["migrations"][1]
    recorded.create(app="workspace", name="0001_initial")
    readiness.forget_needs()
    status, unmet, said = ask(client)
    assert (status, unmet) == (503, {"migrations"})
    assert said["checks"]["migrations"]["says"] == OLDER


@pytest.mark.parametrize("app", ["workspace", "discussions", "account"])
def test_a_database_ahead_of_the_code_is_accepted_for_ten_minutes(client, well, app, caplog):
    row = MigrationRecorder.Migration.objects.create(app=app, name="9999_newer")
    MigrationRecorder.Migration.objects.create(
        app="removed_app", name="0001_initial", applied=timezone.now() - timedelta(days=9)
    )
    assert ask(client)[0] == 200
    MigrationRecorder.Migration.objects.filter(pk=row.pk).update(
        applied=timezone.now() - timedelta(minutes=9)
    )
    readiness.forget_needs()
    assert ask(client)[0] == 200
    MigrationRecorder.Migration.objects.filter(pk=row.pk).update(
        applied=timezone.now() - timedelta(minutes=11)
    )
    readiness.forget_needs()
    status, unmet, said = ask(client)
    assert (status, unmet) == (503, {"migrations"})
    assert "restore the backup that was made before" in said["checks"]["migrations"]["says"]
    assert "9999_newer" not in str(said) and f"it does not know {app}.9999_newer" in caplog.text


def test_evidence_without_its_triggers(client, well):
    guard = guards()["workspace_event"]
    guard.take_down(connection)
    try:
        status, unmet, said = ask(client)
    finally:
        guard.put_up(connection)
    assert (status, unmet) == (503, {"triggers"})
    assert "workspace_event" not in str(said)


def test_a_disk_that_fills_up(client, well):
    well.DISK_FREE_MB = 1_000_000_000
    status, unmet, said = ask(client)
    assert (status, unmet) == (503, {"disk"})
    assert str(well.VAR_DIR) not in str(said)


def test_a_folder_that_cannot_be_written(client, well, monkeypatch):
    monkeypatch.setattr(readiness.os, "access", lambda path, mode: False)
    assert ask(client)[:2] == (503, {"disk"})


def test_a_database_that_is_away_is_said_and_what_hangs_on_it_is_not_known(client, well, monkeypatch):
    def away():
        raise OperationalError("connection to server at 10.0.0.7 failed for user evalsite")

    monkeypatch.setattr(connection, "cursor", away)
    status, unmet, said = ask(client)
    assert (status, unmet) == (503, {"database", *readiness.OF_DATABASE})
    assert "10.0.0.7" not in str(said)
    assert said["checks"]["worker"]["says"].startswith("Not known")
    assert client.get("/healthz").content == b"ok\n"


def test_the_cheap_page_asks_the_database_nothing(client, django_assert_num_queries):
    with django_assert_num_queries(0):
        assert client.get("/healthz").status_code == 200


def test_a_few_statements_answer_everything_and_the_answer_is_kept(
    client, well, django_assert_max_num_queries
):
    ask(client)
    readiness.forget_needs()
    with django_assert_max_num_queries(7):
        ask(client)
    with django_assert_max_num_queries(0):
        ask(client)


def test_while_a_thread_waits_the_others_are_answered_at_once(client, well):
    with readiness._Kept.lock:
        status, unmet, _said = ask(client)
    assert (status, unmet) == (503, {"answer"})


def test_a_fault_is_logged_with_its_reason_once(client, well, caplog):
    well.DISK_FREE_MB = 1_000_000_000
    for _ in range(3):
        ask(client)
        readiness._Kept.at = float("-inf")
    well.DISK_FREE_MB = 1
    ask(client)
    said = [record.getMessage() for record in caplog.records]
    assert [line.split(":")[0] for line in said] == ["not ready", "ready again"]
    assert f"{well.VAR_DIR} has " in said[0]


def broker_reason(url, settings):
    settings.REDIS_URL = url
    return readiness._ask_broker(timezone.now()).partition(":")[0]


def test_a_broker_that_is_not_there(settings):
    assert broker_reason("redis://127.0.0.1:1/0", settings) == "ConnectionError"


def test_a_broker_that_takes_the_call_and_stays_silent(settings):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        assert broker_reason(f"redis://127.0.0.1:{silent.getsockname()[1]}/0", settings) == "TimeoutError"


@pytest.mark.skipif(find_binary() is None, reason="needs a Redis")
def test_a_broker_that_answers_and_one_that_refuses_the_password(tmp_path, settings):
    server = RedisServer(find_binary(), tmp_path / "redis", tmp_path / "redis.log", {})
    try:
        server.start()
        assert broker_reason(server.url, settings) == ""
        assert broker_reason(f"redis://:wrong@127.0.0.1:{server.port}/0", settings) == "AuthenticationError"
    finally:
        server.child.stop(5)
