"""kill -9 of worker processes and of Redis, at work and while people save; what kills its worker; cancel and resume."""

import os
import signal
from pathlib import Path

import pytest

from tests.factories.transcripts import as_bytes, native_game
from tests.faults.visitors import make_team, words
from tools.processes import wait_until

pytestmark = [pytest.mark.services, pytest.mark.slow, pytest.mark.long]

GAMES, PARTED = 200, 600
HERE = {
    "import": "SELECT COUNT(*) FROM discussions_game",
    "measure": "SELECT COUNT(*) FROM discussions_measured",
}
UNFINISHED = "SELECT COUNT(*) FROM workspace_job WHERE state IN ('queued', 'running')"
LET_LEASES_END = """
from django.utils import timezone
from workspace.models import Job
Job.objects.filter(state="running").update(lease_until=timezone.now(), rung_at=None)
"""
SWEEP_UNTIL_GIVEN_UP = f"""
import time
from django.core.management import call_command
for attempt in range(200):
    {LET_LEASES_END.strip().replace(chr(10), chr(10) + "    ")}
    call_command("sweep")
    if Job.objects.filter(kind="import").earliest("pk").state == "failed":
        break
    time.sleep(0.5)
"""
ONCE = (
    "SELECT COUNT(*) FROM discussions_game",
    "SELECT COUNT(DISTINCT source_id) FROM discussions_game",
    "SELECT COUNT(*) FROM discussions_gametext",
    "SELECT COUNT(*) FROM discussions_measured",
    "SELECT COUNT(*) FROM discussions_measuredfindings",
    "SELECT COUNT(*) FROM discussions_slot",
)


def many(count=GAMES, name="many"):
    return as_bytes([native_game(gameId=f"{name}-{number}") for number in range(count)])


def number(stack, query):
    return stack.rows(query)[0][0]


def sweep_until_done(stack):
    """What make run does until nothing is left to do: it sends messages again, and starts a worker that fell."""

    def is_done():
        if not stack.worker.is_running():
            stack.worker.start()
        return number(stack, UNFINISHED) == 0

    jobs = "SELECT kind, state, attempt, error FROM workspace_job"
    with stack.sweeping(every=0.5):
        assert wait_until(is_done, every=0.1), (
            stack.rows(jobs),
            stack.worker.last_lines(60),
        )


def check_whole(stack, games, states=("done",)):
    assert [number(stack, query) for query in ONCE] == [games] * len(ONCE)
    # The last sweep may have queued a periodic job after the others were done.
    seen = "SELECT DISTINCT state FROM workspace_job"
    assert wait_until(lambda: {state for (state,) in stack.rows(seen)} == set(states)), stack.rows(seen)
    assert "all hold" in stack.manage("verify")


def list_children(process):
    """The process ids of what a process started."""
    path = Path(f"/proc/{process}/task/{process}/children")
    return [int(child) for child in path.read_text().split()]


def upload(team, name="many.json", data=None):
    answer = team.lead.upload("/projects/ours/imports/upload/", {name: data or many()})
    assert answer.status == 303, answer.text[:500]
    return answer


@pytest.mark.parametrize(
    ("stage", "killed"), [("import", "one child"), ("import", "children"), ("measure", "whole")]
)
def test_a_killed_worker_loses_and_doubles_nothing(live_stack, fault_table, stage, killed):
    team = make_team(live_stack)
    # A file of several parts, which all processes of the worker read.
    upload(team, data=many(PARTED))
    assert wait_until(lambda: number(live_stack, HERE[stage]) > 0, every=0.02)
    children = list_children(live_stack.worker.pid)
    for child in children[:1] if killed == "one child" else children:
        os.kill(child, signal.SIGKILL)
    if killed == "whole":
        live_stack.worker.kill()
    live_stack.script(LET_LEASES_END)
    sweep_until_done(live_stack)
    check_whole(live_stack, PARTED)
    numbered = "SELECT source_id FROM discussions_game ORDER BY number"
    assert [name for (name,) in live_stack.rows(numbered)] == [f"many-{place}" for place in range(PARTED)]
    fault_table(
        f"in the middle of: {stage}", f"worker killed ({killed})", f"{PARTED} games, each once, verify clean"
    )


def test_redis_killed_in_the_middle_of_an_import(live_stack, fault_table):
    team = make_team(live_stack)
    upload(team)
    assert wait_until(lambda: number(live_stack, HERE["import"]) > 0, every=0.02)
    live_stack.redis.kill()
    live_stack.start_redis()
    sweep_until_done(live_stack)
    check_whole(live_stack, GAMES)
    fault_table(
        "in the middle of: import", "Redis killed, started again", f"{GAMES} games, each once, verify clean"
    )


@pytest.mark.parametrize(("fault", "count"), [("killed", 20), ("frozen", 5)])
def test_people_save_and_upload_while_redis_is_away(live_stack, fault_table, fault, count):
    team = make_team(live_stack, 2)
    before = number(live_stack, HERE["import"])
    if fault == "killed":
        live_stack.redis.kill()
    else:
        os.kill(live_stack.redis.pid, signal.SIGSTOP)
    saves = []
    for visitor, evaluation in zip(team.evaluators, team.evaluations, strict=True):
        for question in range(1, 6):
            body = {"kind": "question", "subject": question, "version": 0, "value": "yes"}
            key = f"{evaluation}:{question}"
            saves.append(visitor.post(f"/rate/{evaluation}/judge/", key=key, **body))
    assert {answer.status for answer in saves} == {200}
    files = {f"{value}.json": as_bytes(native_game(gameId=f"late-{value}")) for value in range(count)}
    uploaded = team.lead.upload("/projects/ours/imports/upload/", files)
    assert uploaded.status == 303
    slowest = max(answer.seconds for answer in [*saves, uploaded])
    if fault == "killed":
        live_stack.start_redis()
    else:
        os.kill(live_stack.redis.pid, signal.SIGCONT)
    sweep_until_done(live_stack)
    check_whole(live_stack, before + count)
    assert number(live_stack, "SELECT COUNT(*) FROM discussions_revision") == 10
    fault_table(
        f"10 saves, upload of {count} files",
        f"Redis {fault}",
        f"slowest answer {slowest:.1f} s; all done when it was back",
    )


def test_a_file_that_kills_its_worker_fails_with_a_sentence_and_others_come_in(
    live_stack, fault_table, monkeypatch
):
    live_stack.worker.kill()
    monkeypatch.setitem(live_stack.worker.env, "DJANGO_SETTINGS_MODULE", "tests.faults.worker_settings")
    live_stack.worker.start()
    team = make_team(live_stack)
    answer = upload(team, "poison.json", many(3, "poison"))
    upload(team, "good.json", many(20, "good"))
    live_stack.script(SWEEP_UNTIL_GIVEN_UP)
    sweep_until_done(live_stack)
    live_stack.worker.kill()
    page = words(team.lead.get(answer.headers["Location"]).text)
    assert "The work stopped 3 times without getting any further, so it was given up." in page
    check_whole(live_stack, 20, states=("done", "failed"))
    fault_table(
        "reading a file", "worker killed by it, each time", "given up after 3 attempts; others came in"
    )


def test_a_cancelled_import_keeps_its_games_and_the_same_bytes_go_on(live_stack, fault_table):
    team = make_team(live_stack)
    place = upload(team).headers["Location"]
    assert wait_until(lambda: number(live_stack, HERE["import"]) > 0, every=0.02)
    live_stack.worker.kill()
    there = number(live_stack, HERE["import"])
    if number(live_stack, "SELECT state FROM workspace_job WHERE kind = 'import'") == "done":
        pytest.skip("the import was over before its worker could be killed")
    assert team.lead.post(f"{place}cancel/").status in (200, 204, 303)
    assert number(live_stack, HERE["import"]) == there
    again = upload(team)
    assert again.headers["Location"] == f"{place}?was=resumed"
    live_stack.worker.start()
    sweep_until_done(live_stack)
    check_whole(live_stack, GAMES)
    third = upload(team)
    assert third.headers["Location"] == f"{place}?was=already"
    fault_table(
        "in the middle of: import",
        "cancelled, worker killed",
        f"{there} games stayed, the same bytes went on",
    )
