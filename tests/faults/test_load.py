"""A short load with kills: everything that was acknowledged is stored, and what is lost, altered or unsaid is found.

`make load` holds the load of the specification, for minutes.
"""

import os
import signal
import sqlite3
from contextlib import closing
from functools import partial
from random import Random
from threading import Event, Timer

import pytest

from benchmarks.clients import SAVE, Log, Plan, Reader, Told, build_table, differences
from benchmarks.driver import ProcessTree
from benchmarks.load import REVISIONS, hold
from tests.faults.saving import browser_of, seat
from tests.faults.visitors import make_team
from tools.processes import PATIENCE, wait_until

PLAN = Plan(seconds=4, rate=15, burst_rate=40, burst_seconds=1)


class StackSite:
    """A live stack as a load wants it."""

    def __init__(self, stack):
        self.stack, self.addresses = stack, [stack.url]
        self.rows, self.manage = stack.rows, stack.manage

    def kill_and_restart(self):
        before = ProcessTree(self.stack.web.pid).pids()
        os.kill(before[-1], signal.SIGKILL)
        self.stack.worker.kill()
        self.stack.worker.start()
        assert wait_until(lambda: len(ProcessTree(self.stack.web.pid).pids()) == len(before))
        return "a web process and the worker"


@pytest.mark.slow
def test_a_load_with_kills_loses_nothing_and_a_loss_would_be_found(live_stack, fault_table):
    if not live_stack.database_url.startswith("sqlite"):
        pytest.skip("rows are taken away past the site, from a file of SQLite")
    team, log, is_over = make_team(live_stack, 3), Log(), Event()
    people, lead = seat(live_stack, team, log), browser_of(live_stack, team.lead)
    reader = Reader(lead, [live_stack.url], log, ["/projects/ours/games/", "/projects/ours/"])
    Timer(PLAN.seconds, is_over.set).start()
    faults = hold(StackSite(live_stack), people, PLAN, [partial(reader.work, is_over, 0.1)])

    for browser in (lead, *(person.judge.browser for person in people)):
        browser.close()
    assert (faults, log.surprises, log.server_errors) == ([], [], [])
    stored = live_stack.rows(REVISIONS)
    assert len(stored) == len(log.told) > 30
    assert differences(log.told, stored) == []
    assert any(line.startswith(SAVE) for line in build_table(log))
    fault_table(
        "3 people saving",
        "a web process and the worker killed",
        f"{log.cuts} connections cut, all went on",
        acknowledged=len(log.told),
    )
    key = take_one_away(live_stack.folder / "evalsite.sqlite3")
    assert differences(log.told, live_stack.rows(REVISIONS)) == [f"{key} was acknowledged and is not stored"]


def take_one_away(path):
    """Delete the last revision as no code of the site can; its key."""
    with closing(sqlite3.connect(path, timeout=PATIENCE)) as database, database:
        for (name,) in database.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'discussions_revision'"
        ).fetchall():
            database.execute(f'DROP TRIGGER "{name}"')
        ((row, key),) = database.execute("SELECT id, key FROM discussions_revision ORDER BY id DESC LIMIT 1")
        database.execute("DELETE FROM discussions_revision WHERE id = ?", (row,))
    return key


TOLD = {"a": Told(1, "yes", "10:00:00"), "b": Told(2, "no", "10:00:01")}


@pytest.mark.parametrize(
    ("stored", "says"),
    [
        ([("a", 1, "yes"), ("b", 2, "no")], []),
        ([("a", 1, "yes")], ["b was acknowledged and is not stored"]),
        ([("a", 1, "no"), ("b", 2, "no")], ["a was acknowledged as (1, 'yes') and is stored as (1, 'no')"]),
        ([("a", 1, "yes"), ("a", 1, "yes"), ("b", 2, "no")], ["a is stored twice"]),
        (
            [("a", 1, "yes"), ("b", 2, "no"), ("c", 1, "yes")],
            ["c is stored and was never acknowledged"],
        ),
    ],
)
def test_what_was_told_is_compared_with_what_is_stored(stored, says):
    assert differences(TOLD, stored) == says


def test_saves_come_at_their_rate_and_in_bursts():
    plan = Plan(seconds=800, rate=2, burst_rate=10, burst_seconds=10)
    moments = plan.moments(Random(1))
    in_bursts = [at for at in moments if plan.is_burst(at)]
    assert moments == sorted(moments)
    assert 160 < len(in_bursts) < 240
    assert 1400 < len(moments) - len(in_bursts) < 1720
