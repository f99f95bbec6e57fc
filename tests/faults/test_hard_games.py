"""Games that take too long, too much memory, or stumble over a fault: they are named, and hold up no other."""

import re
import signal
import subprocess
import sys
import threading

import pytest
from django.urls import reverse

from discussions.metrics import actions
from discussions.metrics.core.registry import build_diagnostics, measure_game
from discussions.models import Companions, Game, Iteration, Measured
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import NOW, make_lead
from tests.factories.transcripts import make_games_project, native_game, upload
from tools.processes import wait_until
from workspace.database.transactions import database_now
from workspace.jobs import actions as jobs
from workspace.jobs.actions import TooSlow, limit_time, retry_job, run_job, take_job
from workspace.models import Job

NAMES = ["a", "b", "c"]


def run_away(*_given):
    """A pattern that takes exponential time on this text, as one of a rubric version may."""
    return re.search(r"(?:a|a)+$", "a" * 60 + "b")


def fill_memory(*_given):
    raise MemoryError


def stumble(*_given):
    raise KeyError("a fault")


def hard(real, what):
    """`real`, but for the game called hard, where it does something else."""
    return lambda game, *rest: (what if game.game_id == "hard" else real)(game, *rest)


@pytest.fixture
def lead(db, settings, tmp_path, monkeypatch):
    """Somebody where a game may take what is called a second and is an eighth of one."""
    settings.MEDIA_ROOT = settings.VAR_DIR = tmp_path
    settings.MEASURE_SECONDS = 1
    monkeypatch.setattr(actions, "limit_time", lambda seconds: limit_time(seconds / 8))
    return make_lead(project=make_games_project(slug="ours"))


def bring_in(lead):
    games = [native_game(gameId=name) for name in ("a", "hard", "b", "c")]
    upload(project=lead.memberships.get().project, by=lead, games=games, name="games.json")
    run_waiting_jobs()


def names_of(rows, path):
    return sorted(rows.objects.values_list(path, flat=True))


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("what", "code", "says"),
    [
        (run_away, "slow", "Game 2 takes longer than 1 seconds to measure."),
        (fill_memory, "large", "Game 2 needs more memory than a worker may use."),
        (stumble, "broken", "Game 2 cannot be measured because of a fault in evalsite."),
    ],
    ids=lambda given: given if isinstance(given, str) else given.__name__,
)
def test_a_game_that_cannot_be_measured_is_named_and_all_others_are_done(
    lead, client, monkeypatch, fault_table, what, code, says
):
    monkeypatch.setattr(actions, "measure_game", hard(measure_game, what))
    bring_in(lead)
    job = Job.objects.get(kind="measure")
    assert (job.state, job.error_code) == ("failed", "games_failed")
    assert job.error.startswith(says)
    game = Game.objects.get(source_id="hard")
    assert job.faults == {str(game.pk): code}
    assert names_of(Measured, "game__source_id") == NAMES
    client.force_login(lead)
    page = client.get(reverse("game", args=["ours", game.number])).content.decode()
    assert "Measuring failed" in page
    assert "Being measured" not in page
    assert says.split("'")[0] in page
    assert reverse("retry_job", args=[job.pk]) in page
    listed = client.get(reverse("games", args=["ours"])).content.decode()
    assert listed.count("measuring failed") == 1
    fault_table("measuring a game", f"a game that is {code}", "named and failed; all others measured")


@pytest.mark.django_db
def test_diagnostics_that_cannot_be_computed_are_said_and_computed_after_a_retry(lead, client, monkeypatch):
    bring_in(lead)
    assert names_of(Measured, "game__source_id") == sorted([*NAMES, "hard"])
    client.force_login(lead)
    address = reverse("game", args=["ours", 2])
    with monkeypatch.context() as patched:
        patched.setattr(actions, "build_diagnostics", hard(build_diagnostics, run_away))
        client.post(f"{address}diagnostics/")
        assert "The diagnostics are being computed" in client.get(address).content.decode()
        run_waiting_jobs()
    for headers, place in (({"HX-Request": "true"}, "diagnostics/"), ({}, "")):
        page = client.get(f"{address}{place}", headers=headers).content.decode()
        assert "No diagnostics" in page
        assert "The diagnostics of game 2 take longer than 1 seconds" in page
        assert not Job.objects.filter(state="queued").exists()
    retry_job(job=Job.objects.get(kind="companions"), by=lead, now=NOW)
    run_waiting_jobs()
    assert names_of(Companions, "measured__game__source_id") == ["hard"]
    assert "No diagnostics" not in client.get(address).content.decode()


@pytest.mark.django_db
def test_a_retry_measures_what_can_be_measured_by_now(lead, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(actions, "measure_game", hard(measure_game, run_away))
        bring_in(lead)
    retry_job(job=Job.objects.get(kind="measure"), by=lead, now=NOW)
    run_waiting_jobs()
    job = Job.objects.get(kind="measure")
    assert (job.state, job.faults) == ("done", {})
    assert names_of(Measured, "game__source_id") == sorted([*NAMES, "hard"])


@pytest.mark.django_db
def test_an_iteration_with_such_a_game_says_why_it_cannot_be_opened(lead, monkeypatch):
    from discussions.iterations.queries import refuse_unready
    from workspace.core.refusals import NotAllowed

    monkeypatch.setattr(actions, "measure_game", hard(measure_game, stumble))
    bring_in(lead)
    Iteration.objects.update(least_games=1)
    with pytest.raises(NotAllowed) as refused:
        refuse_unready(Iteration.objects.get())
    assert (refused.value.code, refused.value.sentence.split(".")[0]) == (
        "measuring_failed",
        "Game 2 cannot be measured because of a fault in evalsite",
    )


def test_time_limits_interrupt_a_pattern_that_runs_away_and_nothing_later():
    with pytest.raises(TooSlow), limit_time(0.2):
        run_away()
    with limit_time(1):
        assert signal.getitimer(signal.ITIMER_VIRTUAL)[0] > 0
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0, 0)


def test_a_thread_is_not_limited_since_it_cannot_be_interrupted():
    done = []

    def work():
        with limit_time(1):
            done.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done


@pytest.mark.django_db(transaction=True)
@pytest.mark.services
def test_a_step_that_takes_longer_than_a_lease_keeps_its_job(lead, settings, monkeypatch):
    monkeypatch.setattr(jobs, "KEPT_EVERY", jobs.LEASE / 100)
    settings.JOB_ACTIONS = settings.JOB_ACTIONS | {"measure": "tests.faults.test_hard_games.wait_for_renewal"}
    games = [native_game()]
    upload(project=lead.memberships.get().project, by=lead, games=games, name="one.json")
    run_job(job=Job.objects.get(kind="import").pk, clock=database_now)
    assert run_job(job=Job.objects.get(kind="measure").pk, clock=database_now)
    assert Job.objects.get(kind="measure").state == "done"


def wait_for_renewal(*, job, clock):
    """An action of one long step: ends when the lease was renewed behind its back, and nobody else gets the job."""
    taken = job.lease_until
    assert wait_until(lambda: Job.objects.get(pk=job.pk).lease_until > taken), "the lease was never renewed"
    assert take_job(job=job.pk, now=taken) is None
    jobs.finish(job=job, now=clock())


def test_a_process_of_a_worker_meets_its_limit_of_memory_as_an_error_and_goes_on():
    code = """
import os
os.environ["WORKER_MEMORY_MB"] = "512"
import tests.settings
import django
django.setup()
from celery.signals import worker_process_init
import evalsite.celery
worker_process_init.send(None)
import numpy
try:
    numpy.ones(10**8)
except MemoryError:
    print("refused")
print(numpy.ones(10**6).sum())
"""
    ended = subprocess.run(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        env={"DJANGO_SETTINGS_MODULE": "tests.settings"},
    )
    assert ended.stdout.split() == ["refused", "1000000.0"]
