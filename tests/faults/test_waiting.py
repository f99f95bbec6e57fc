"""Nobody waits for what they do not touch: acts in open transactions, and others that must get past them."""

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from threading import Event

import pytest
from django.db import connection, transaction

from discussions.imports.actions.storing import Store, prepare
from discussions.models import Transcript
from discussions.queue.actions import take_next_game
from discussions.transcripts.actions import Upload, import_files
from discussions.transcripts.core.reader import ReadTally
from tests.factories.jobs import make_failed_job
from tests.factories.people import NOW, make_lead, make_member, make_project
from tests.factories.rating import make_game, make_rating_project, say, start
from tests.factories.reading import read_transcripts
from tests.factories.transcripts import as_bytes, make_games_project, native_game, upload
from tests.faults.crowd import breaches
from tools.processes import PATIENCE
from workspace.audit.actions import record_event
from workspace.checks.actions import verify
from workspace.checks.core import Check
from workspace.jobs.actions import renew, sweep_jobs, take_job
from workspace.models import Job
from workspace.people.actions.people import system_person

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.services, pytest.mark.slow]


@pytest.fixture(autouse=True)
def own_folder(settings, tmp_path):
    settings.MEDIA_ROOT = settings.VAR_DIR = tmp_path


@pytest.fixture
def several_writers(transactional_db):
    if connection.vendor == "sqlite":
        pytest.skip("SQLite has one writer; others wait for it, which is no circle")


@contextmanager
def meanwhile(act):
    """`act` is done in a transaction of another connection, which stays open inside."""
    done, leave = Event(), Event()

    def hold():
        try:
            with transaction.atomic():
                act()
                done.set()
                assert leave.wait(PATIENCE)
        finally:
            done.set()
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        held = pool.submit(hold)
        assert done.wait(PATIENCE)
        try:
            yield
        finally:
            leave.set()
            held.result(PATIENCE)


@contextmanager
def without_waiting():
    """Waiting for a lock for half a second is an error inside."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL lock_timeout = '500ms'")
        yield


@pytest.mark.usefixtures("several_writers")
def test_taking_a_game_holds_up_no_other_act_of_the_same_person():
    project = make_rating_project()
    make_game(project=project)
    person, elsewhere = make_member(project=project), make_project()
    with meanwhile(lambda: take_next_game(project=project, by=person, now=NOW)), without_waiting():
        record_event("a:b", ("game", 1), by=person, now=NOW, project=elsewhere)


@pytest.mark.usefixtures("several_writers")
def test_storing_a_batch_of_games_holds_up_no_upload_and_no_job():
    project = make_games_project()
    lead = make_lead(project=project)
    transcript = upload(project=project, by=lead)
    ready = [
        prepare(game, "game.json") for game in read_transcripts(as_bytes(native_game()), "game.json").games
    ]
    store = Store(transcript=Transcript.objects.get(pk=transcript.pk), by=lead)
    with meanwhile(lambda: store.put(ready, ReadTally(), now=NOW)), without_waiting():
        Job.objects.create(
            project=project, kind="noop", subject="x", input_hash="", created_at=NOW, created_by=lead
        )
        another = Upload("b.json", as_bytes(native_game(gameId="b")))
        import_files(project=project, files=[another], by=lead, now=NOW)


@pytest.mark.usefixtures("several_writers")
def test_a_worker_frozen_while_it_writes_holds_up_no_sweep_and_no_other_worker():
    """PostgreSQL ends a transaction that is idle for long, but no COPY that waits for its rows."""
    project = make_games_project()
    lead = make_lead(project=project)
    upload(project=project, by=lead)
    frozen = Job.objects.get()
    waiting = make_failed_job(project=project, by=lead, kind="noop")
    Job.objects.filter(pk=waiting.pk).update(state="queued", rung_at=None)
    Job.objects.filter(pk=frozen.pk).update(state="running", lease_until=NOW, rung_at=None)
    later = NOW + timedelta(minutes=5)
    with meanwhile(lambda: renew(job=Job.objects.get(pk=frozen.pk), now=NOW)), without_waiting():
        assert sweep_jobs(by=lead, now=later) == 2
        assert Job.objects.get(pk=waiting.pk).rung_at == later
        assert take_job(job=frozen.pk, now=later) is None
    assert take_job(job=frozen.pk, now=later).attempt == 1


@pytest.mark.usefixtures("several_writers")
def test_a_job_whose_row_is_locked_for_a_moment_is_taken_after_it():
    project = make_games_project()
    upload(project=project, by=make_lead(project=project))
    job = Job.objects.get().pk
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            Job.objects.select_for_update().get(pk=job)
            taken = pool.submit(take_elsewhere, job)
            time.sleep(0.3)
            assert not taken.done()
        assert taken.result(PATIENCE) == 1


def take_elsewhere(job):
    """How often the job was taken by then, 0 if it could not be taken now; on a connection of its own."""
    try:
        found = take_job(job=job, now=NOW)
        return found.attempt if found else 0
    finally:
        connection.close()


def test_verifying_sees_one_moment_while_people_go_on_saving():
    """Between two looks of one check somebody saves: it is neither a breach, nor made to wait."""
    evaluation = start()
    seen = []

    def look(_now):
        with ThreadPoolExecutor(1) as pool:
            for turn in range(1, 3):
                seen.append(evaluation.judgements.count())
                pool.submit(save, str(turn)).result(PATIENCE)
        yield from ()

    def save(subject):
        try:
            say(evaluation, "question", subject, "yes")
        finally:
            connection.close()

    verify(checks=[Check("I0", "Nothing moves", look)], by=system_person(now=NOW), now=NOW)
    assert seen == [0, 0]
    assert evaluation.judgements.count() == 2
    assert breaches() == {}
