"""Messages that come ten times, too early and for nothing; a worker that was stopped past its lease and wakes."""

import os
import signal
import sqlite3
import time
from contextlib import closing

import pytest

from tests.faults.test_worker_and_redis_killed import (
    GAMES,
    HERE,
    LET_LEASES_END,
    check_whole,
    list_children,
    number,
    sweep_until_done,
    upload,
)
from tests.faults.visitors import make_team
from tools.launch import ROOT
from tools.processes import Child, wait_until

pytestmark = [pytest.mark.services, pytest.mark.slow, pytest.mark.long]

RING = """
from celery import current_app
for time in range(10):
    for job in range(1, 8):
        current_app.send_task("workspace.look_at_job.import", args=[job])
"""
COPIES = "SELECT COUNT(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'COPY %'"


def test_messages_that_come_ten_times_and_too_early_change_nothing(live_stack, fault_table):
    team = make_team(live_stack)
    live_stack.script(RING)
    upload(team)
    live_stack.script(RING)
    sweep_until_done(live_stack)
    live_stack.script(RING)
    time.sleep(1)
    check_whole(live_stack, GAMES)
    fault_table(
        f"import of {GAMES} games",
        "each message 10 times, also before its job and after it",
        f"{GAMES} games, each once",
    )


def stop(stack, processes):
    """Stop them at a moment at which none holds a lock that neither anybody else nor a time limit could end."""
    while True:
        for process in processes:
            os.kill(process, signal.SIGSTOP)
        if is_writable(stack):
            return
        for process in processes:
            os.kill(process, signal.SIGCONT)
        time.sleep(0.01)


def is_writable(stack):
    """Whether nobody holds the write lock of an SQLite database, or a COPY of PostgreSQL that waits for its rows."""
    if not stack.database_url.startswith("sqlite"):
        return number(stack, COPIES) == 0
    with closing(sqlite3.connect(stack.database_url.removeprefix("sqlite:///"), timeout=0.5)) as database:
        try:
            database.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            return False
        return True


def test_a_worker_that_wakes_after_its_lease_writes_nothing(live_stack, fault_table, tmp_path):
    team = make_team(live_stack)
    upload(team)
    assert wait_until(lambda: number(live_stack, HERE["measure"]) > 0, every=0.02)
    asleep = [*list_children(live_stack.worker.pid), live_stack.worker.pid]
    stop(live_stack, asleep)
    other = Child(
        "other worker", live_stack.worker.command, live_stack.worker.env, tmp_path / "other.log", ROOT
    )
    other.start()
    began = time.monotonic()
    try:
        live_stack.script(LET_LEASES_END)
        sweep_until_done(live_stack)
        back = time.monotonic() - began
        for process in reversed(asleep):
            os.kill(process, signal.SIGCONT)
        time.sleep(2)
        sweep_until_done(live_stack)
    finally:
        other.kill()
        live_stack.worker.kill()
    check_whole(live_stack, GAMES)
    fault_table(
        "in the middle of: measure",
        "worker stopped past its lease, then woken",
        f"another went on; {GAMES} games, each once",
        back=back,
    )
