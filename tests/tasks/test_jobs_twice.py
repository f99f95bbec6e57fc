"""Every task twice, in any order, leaves the same rows."""

import pytest

from discussions.models import Companions, Game, GameText, Measured, MeasuredFindings, Slot, Transcript
from tests.factories import NOW, make_games_project, make_lead, moment, run_waiting_jobs, upload
from tests.transcripts import native_game
from workspace.actions.jobs import run_job, take_job
from workspace.models import Event, Heartbeat, Job
from workspace.tasks import look_at_job, note_beat

pytestmark = [pytest.mark.django_db, pytest.mark.services]

TABLES = (Transcript, Game, GameText, Measured, MeasuredFindings, Companions, Slot, Event)


@pytest.fixture
def transcript(db, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    project = make_games_project(slug="ours")
    games = [native_game(gameId=str(number)) for number in range(5)]
    return upload(
        project=project, by=make_lead(project=project), games=[*games, native_game(gameId="x", messages=[])]
    )


def rows():
    """Everything that jobs write, without the moments at which they did."""
    found = {}
    for table in TABLES:
        names = [field.attname for field in table._meta.fields if not field.attname.endswith("_at")]
        names = [name for name in names if name not in ("mac", "job_id")]
        found[table.__name__] = list(table.objects.order_by("pk").values_list(*names))
    return found


def let_go(kind):
    """As if the worker had died after its last commit and before it said that it was done."""
    Job.objects.filter(kind=kind).update(state="running", lease_until=NOW, attempt=1, finished_at=None)


@pytest.mark.parametrize("kind", ["measure", "companions"])
def test_a_job_done_twice_leaves_the_same_rows(transcript, kind):
    run_waiting_jobs()
    before = rows()
    let_go(kind)
    job = Job.objects.get(kind=kind)
    assert run_job(job=job.pk, clock=lambda: moment(5))
    run_waiting_jobs(now=moment(6))
    assert rows() == before
    assert set(Job.objects.values_list("state", flat=True)) == {"done"}


def test_an_import_done_twice_adds_its_event_and_nothing_else(transcript):
    run_waiting_jobs()
    before = rows()
    let_go("import")
    run_job(job=transcript.job_id, clock=lambda: moment(5))
    run_waiting_jobs(now=moment(6))
    after = rows()
    events = after.pop("Event")
    assert len(events) == len(before.pop("Event")) + 1
    assert after == before


def test_two_workers_at_once_leave_what_one_leaves(transcript):
    late = take_job(job=transcript.job_id, now=NOW)
    run_job(job=transcript.job_id, clock=lambda: moment(1))
    run_waiting_jobs(now=moment(1))
    before = rows()
    assert not run_job(job=late.pk, clock=lambda: moment(2))
    run_waiting_jobs(now=moment(2))
    assert rows() == before


def test_games_that_come_in_while_measuring_are_measured(transcript):
    run_waiting_jobs()
    project = transcript.project
    upload(project=project, by=transcript.created_by, games=native_game(gameId="later"), name="later.json")
    run_waiting_jobs()
    assert Measured.objects.count() == Game.objects.count() == 6
    assert Job.objects.filter(kind="measure").count() == 1


def test_a_message_that_comes_twice_or_about_nothing_is_no_harm(transcript):
    look_at_job.apply(args=[transcript.job_id]).get()
    look_at_job.apply(args=[transcript.job_id]).get()
    look_at_job.apply(args=[999_999]).get()
    assert Game.objects.count() == 5


def test_a_worker_leaves_a_sign_of_life(db):
    note_beat.apply().get()
    note_beat.apply().get()
    assert Heartbeat.objects.count() == 1
