"""The site as it really runs: hashed static files, a worker that answers, kill -9 and back."""

import json
import urllib.request
from contextlib import closing
from pathlib import Path

import pytest
from celery import Celery
from redis import Redis

from tests.factories.transcripts import as_bytes, native_game
from tests.faults.visitors import make_team
from tools.processes import PATIENCE, wait_until

FORGET_THE_BELL = """
from workspace.models import Job
Job.objects.filter(kind="import").update(state="queued", rung_at=None, finished_at=None)
"""

pytestmark = [pytest.mark.slow, pytest.mark.services(is_long=True)]


def test_static_files_are_hashed_compressed_and_kept_forever(live_stack, static_files):
    names = json.loads((static_files / "staticfiles.json").read_text())["paths"]
    name = next(
        hashed for plain, hashed in names.items() if plain.startswith("css/") or plain.endswith(".css")
    )
    request = urllib.request.Request(
        f"{live_stack.url}/static/{name}", headers={"Accept-Encoding": "br, gzip"}
    )
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        assert "immutable" in answer.headers["Cache-Control"]
        assert answer.headers["Content-Encoding"] == "br"


def test_web_and_worker_come_back_after_kill_9_and_the_rows_are_there(live_stack):
    before = live_stack.rows("SELECT COUNT(*) FROM django_migrations")
    live_stack.web.kill()
    live_stack.worker.kill()
    live_stack.redis.kill()
    assert live_stack.rows("SELECT COUNT(*) FROM django_migrations") == before
    live_stack.start_redis()
    live_stack.start()
    with Celery(broker=live_stack.redis_server.url) as caller:
        assert wait_until(lambda: caller.control.ping(timeout=1)), live_stack.worker.last_lines(40)


def test_a_worker_sweeps_by_itself_when_it_starts_and_then_again_and_again(live_stack):
    unfinished = "SELECT COUNT(*) FROM workspace_job WHERE state <> 'done'"
    live_stack.worker.kill()
    team = make_team(live_stack)
    assert (
        team.lead.upload("/projects/ours/imports/upload/", {"a.json": as_bytes(native_game())}).status == 303
    )
    assert live_stack.rows(unfinished) == [(1,)]
    with closing(Redis.from_url(live_stack.redis_server.url)) as redis:
        redis.flushall()
    live_stack.worker.start()
    live_stack.wait_for(unfinished, 0)
    live_stack.script(FORGET_THE_BELL)
    assert live_stack.rows(unfinished) == [(1,)]
    live_stack.wait_for(unfinished, 0)


def test_manage_runs_on_the_data_of_the_stack(live_stack):
    said = live_stack.script("from django.db import connection; print(connection.vendor)")
    vendor = "sqlite" if live_stack.database_url.startswith("sqlite") else "postgresql"
    assert said.strip() == vendor
    assert Path(live_stack.env["VAR_DIR"]) == live_stack.folder
    with pytest.raises(AssertionError, match="ZeroDivisionError"):
        live_stack.script("1 / 0")
