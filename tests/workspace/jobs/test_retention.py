"""Jobs that are over, and workers that were stopped, are deleted after a while; what something needs stays."""

from datetime import timedelta

import pytest

from discussions.models import Measured, Transcript
from tests.factories.exports import make_export
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import NOW, make_admin, make_lead
from tests.factories.transcripts import make_games_project, upload
from tests.workspace.jobs.test_used_again import ask
from workspace.jobs import actions
from workspace.jobs.actions import JOBS_STAY, beat, fail, finish, forget_jobs, take_job
from workspace.models import Heartbeat, Job
from workspace.people.actions.people import system_person

pytestmark = [pytest.mark.django_db, pytest.mark.services]

LATER = NOW + JOBS_STAY


def forget(now=LATER):
    return forget_jobs(by=system_person(now=now), now=now)


def end(kind, state, **given):
    """A job that ended then."""
    return Job.objects.create(
        kind=kind, subject=f"{kind}:{state}", state=state, created_at=NOW, finished_at=NOW, **given
    )


def test_what_is_over_for_long_is_deleted_and_what_waits_or_runs_is_not():
    by = make_admin()
    over = [end("noop", state, created_by=by) for state in ("done", "failed")]
    over.append(end("noop", "cancelled", created_by=by, cancelled_at=NOW, cancelled_by=by))
    kept = [end("noop", state, created_by=by) for state in ("queued", "running")]
    assert forget(LATER - timedelta(seconds=1)) == 0
    # Once a day.
    assert forget(LATER) == 0
    assert forget(LATER + timedelta(days=1)) == 3
    assert list(Job.objects.order_by("pk")) == kept
    assert len(over) == 3


def test_workers_that_were_stopped_for_long_are_deleted():
    by = system_person(now=NOW)
    beat(worker="old", by=by, now=NOW)
    beat(worker="new", by=by, now=NOW + timedelta(seconds=1))
    forget()
    assert [row.worker for row in Heartbeat.objects.all()] == ["new"]


def test_jobs_that_uploads_measurements_and_exports_name_stay():
    project = make_games_project(slug="ours")
    lead = make_lead(project=project)
    upload(project=project, by=lead)
    run_waiting_jobs()
    export = make_export(project, lead)
    named = {Transcript.objects.get().job_id, export.job_id}
    named |= set(Measured.objects.exclude(job=None).values_list("job", flat=True))
    Job.objects.update(finished_at=NOW)
    forget()
    assert set(Job.objects.values_list("pk", flat=True)) == named
    assert len(named) >= 2


def test_a_failed_job_that_measures_stays_since_it_says_what_is_not_measured():
    by = make_admin()
    failed = end("measure", "failed", created_by=by)
    end("measure", "done", created_by=by)
    assert forget() == 1
    assert Job.objects.get() == failed


def test_more_than_one_statement_holds_are_deleted_in_one_round(monkeypatch):
    monkeypatch.setattr(actions, "MOST_FORGOTTEN", 2)
    by = make_admin()
    for number in range(5):
        end(f"noop{number}", "done", created_by=by)
    assert forget() == 5
    assert not Job.objects.exists()


def test_a_job_that_was_asked_for_again_since_stays():
    by = make_admin()
    job = ask(by=by, now=NOW)
    finish(job=take_job(job=job.pk, now=NOW), now=NOW)
    ask(by=by, now=LATER)
    assert forget() == 0
    fail(job=take_job(job=job.pk, now=LATER), code="x", reason="It failed.", now=LATER)
    assert forget(LATER + timedelta(days=1)) == 0
    assert Job.objects.get().finished_at == LATER
