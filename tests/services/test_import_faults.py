"""Imports through kill -9: of the worker while it reads, while it measures, and of Redis before it starts."""

import json

import pytest

from tests.transcripts import as_bytes, native_game
from tools.processes import wait_until

pytestmark = [pytest.mark.services, pytest.mark.slow]

GAMES = 600
COUNTS = {
    "import": "SELECT COUNT(*) FROM discussions_game",
    "measure": "SELECT COUNT(*) FROM discussions_measured",
}
UNFINISHED = "SELECT COUNT(*) FROM workspace_job WHERE state <> 'done'"


@pytest.fixture
def upload(live_stack, tmp_path):
    """A project with a lead, and a file of many games; how to import it without waiting."""
    live_stack.script(
        "from tests.factories import make_games_project, make_lead\n"
        "from django.utils import timezone\n"
        "project = make_games_project(slug='ours', now=timezone.now())\n"
        "from tests.factories import make_person, make_member\n"
        "lead = make_person(email='lead@example.org', now=timezone.now())\n"
        "make_member(project=project, role='lead', person=lead, now=timezone.now())\n"
    )
    file = tmp_path / "many.json"
    file.write_bytes(as_bytes([native_game(gameId=f"game-{number}") for number in range(GAMES)]))

    def start():
        done = live_stack.manage(
            "import_transcripts", str(file), "--project", "ours", "--by", "lead@example.org", "--json"
        )
        return json.loads(done.stdout)["imports"][0]

    return start


def number(stack, query):
    return stack.rows(query)[0][0]


def sweep_until_done(stack, seconds=120):
    """What make run does every ten seconds, until nothing is left to do."""

    def is_done():
        stack.manage("sweep")
        return number(stack, UNFINISHED) == 0

    assert wait_until(is_done, seconds, every=1), stack.rows(
        "SELECT kind, state, attempt, error FROM workspace_job"
    )


def check_all_is_there_once(stack):
    assert number(stack, COUNTS["import"]) == GAMES
    assert number(stack, "SELECT COUNT(DISTINCT source_id) FROM discussions_game") == GAMES
    assert number(stack, "SELECT COUNT(*) FROM discussions_gametext") == GAMES
    assert number(stack, COUNTS["measure"]) == GAMES
    assert number(stack, "SELECT COUNT(*) FROM discussions_measuredfindings") == GAMES
    assert number(stack, "SELECT COUNT(*) FROM discussions_companions") == GAMES
    assert number(stack, "SELECT COUNT(*) FROM discussions_slot") == GAMES
    assert number(stack, "SELECT MAX(fault_count) FROM discussions_transcript") == 0


@pytest.mark.parametrize("stage", ["import", "measure"])
def test_a_worker_killed_in_the_middle_loses_and_doubles_nothing(live_stack, upload, stage):
    upload()
    assert wait_until(lambda: number(live_stack, COUNTS[stage]) > 0, 30, every=0.02)
    live_stack.worker.kill()
    there = number(live_stack, COUNTS[stage])
    live_stack.worker.start()
    sweep_until_done(live_stack)
    assert there <= GAMES
    check_all_is_there_once(live_stack)


def test_redis_away_while_files_come_in_costs_nothing_but_time(live_stack, upload):
    live_stack.redis.kill()
    assert upload()["outcome"] == "taken in"
    assert number(live_stack, COUNTS["import"]) == 0
    live_stack.start_redis()
    sweep_until_done(live_stack)
    check_all_is_there_once(live_stack)
