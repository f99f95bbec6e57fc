"""Many at the same moment: one worker takes a job, the same bytes are one import, ids are given once."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection

from discussions.models import Game, Measured, Transcript
from discussions.transcripts.actions import Upload, import_files
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import NOW, make_lead, moment
from tests.factories.transcripts import as_bytes, make_games_project, native_game, upload
from tools.processes import PATIENCE
from workspace.jobs.actions import run_job, take_job
from workspace.models import Job

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.services]


THREADS = 8


@pytest.fixture
def lead(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    return make_lead(project=make_games_project(slug="ours"))


@pytest.fixture
def project(lead):
    return lead.memberships.get().project


def at_once(act, count=THREADS):
    """What each of so many threads gives that begin together."""
    start = Barrier(count)

    def run(number):
        start.wait(timeout=PATIENCE)
        try:
            return act(number)
        finally:
            connection.close()

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))


def test_one_of_many_workers_takes_a_job(project, lead):
    job = upload(project=project, by=lead).job_id
    taken = at_once(lambda _: take_job(job=job, now=NOW))
    assert sum(held is not None for held in taken) == 1
    assert Job.objects.get(pk=job).attempt == 1


def test_one_of_many_workers_takes_over_a_dropped_job(project, lead):
    job = upload(project=project, by=lead).job_id
    take_job(job=job, now=NOW)
    taken = at_once(lambda _: take_job(job=job, now=moment(5)))
    assert sum(held is not None for held in taken) == 1
    assert Job.objects.get(pk=job).fence == 2


def test_the_same_bytes_many_times_at_once_are_one_import(project, lead):
    file = Upload("game.json", as_bytes(native_game()))
    made = at_once(lambda _: import_files(project=project, files=[file], by=lead, now=NOW).imported[0])
    assert sorted(result.outcome for result in made) == ["already"] * (THREADS - 1) + ["new"]
    assert Transcript.objects.count() == Job.objects.count() == 1


def test_many_imports_at_once_number_every_game_once_and_take_every_id_once(project, lead):
    jobs = [
        upload(
            project=project,
            by=lead,
            games=[native_game(gameId=f"{number}-{value}") for value in range(5)]
            + [native_game(prompt=str(number))],
            name=f"{number}.json",
        ).job_id
        for number in range(THREADS)
    ]
    at_once(lambda number: run_job(job=jobs[number], clock=lambda: NOW))
    numbers = sorted(Game.objects.values_list("number", flat=True))
    assert numbers == list(range(1, 5 * THREADS + 2))
    assert Game.objects.filter(source_id="game-1").count() == 1
    assert sum(Transcript.objects.values_list("fault_count", flat=True)) == THREADS - 1
    run_waiting_jobs()
    assert Measured.objects.count() == Game.objects.count()
