"""An erasure whose worker is killed half-way: the next one ends it, and nothing of the games is left, in no file."""

import os
import signal
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from discussions.archives.actions import erasures
from discussions.archives.actions.erasures import ask_to_erase
from discussions.models import Game
from tests.factories.erasures import find_everywhere
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import make_admin, make_lead
from tests.factories.transcripts import make_games_project, native_game, upload
from tests.faults.crowd import breaches
from tests.services.places import at
from workspace.checks.actions import sweep
from workspace.jobs.actions import run_job
from workspace.models import Erasure, Job
from workspace.people.actions.people import system_person

pytestmark = pytest.mark.services
CANARY = "Quetzalcoatlus"
# In one step on each commit, in the others by `make faults` alone.
KILLED_IN = [
    "_empty_upload",
    pytest.param("_empty_game", marks=pytest.mark.long),
    pytest.param("drop_bytes", marks=pytest.mark.long),
]


def die_in(name: str, job: int) -> int:
    """Run the job in another process that is killed in that step, the second time if it comes for each game."""
    connection.close()
    if child := os.fork():
        return os.waitpid(child, 0)[1]
    act, calls = getattr(erasures, name), []

    def die(*given, **named):
        calls.append(1)
        if name != "_empty_game" or len(calls) == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        return act(*given, **named)

    setattr(erasures, name, die)
    run_job(job=job, clock=timezone.now)
    os._exit(0)


@pytest.mark.parametrize("step", KILLED_IN)
def test_an_erasure_that_is_killed_ends_whole(make_installation, step, fault_table):
    with at(make_installation(is_migrated=True)) as there:
        project, now = make_games_project(slug="ours"), timezone.now()
        lead, admin = make_lead(project=project), make_admin()
        games = [native_game(gameId=f"{CANARY}-{number}", seed=CANARY) for number in range(3)]
        row = upload(project=project, by=lead, games=games, name=f"{CANARY}.json")
        run_waiting_jobs(now=now)
        assert Game.objects.count() == 3
        row.refresh_from_db()
        erasure = ask_to_erase(thing=row, reason="By mistake", by=admin, now=now)
        assert os.WTERMSIG(die_in(step, erasure.job_id)) == signal.SIGKILL
        assert find_everywhere(CANARY) or step != "_empty_game"
        later = timezone.now() + timedelta(minutes=1)
        sweep(by=system_person(now=later), now=later)
        assert run_job(job=erasure.job_id, clock=lambda: later)
        assert Erasure.objects.get().done_at
        assert Job.objects.get(pk=erasure.job_id).state == "done"
        assert find_everywhere(CANARY) == []
        assert breaches() == {}
        fault_table(
            "an erasure", f"its worker is killed in {step}", "ended by the next worker; nothing is left"
        )
        connection.close()
        for path in there.folder.rglob("*"):
            assert not path.is_file() or CANARY.encode() not in path.read_bytes(), path
