"""A row of a job that is used again has the facts of its new life: who asked, and since when it waits."""

from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from tests.factories.exports import ask_export
from tests.factories.people import NOW, make_admin, make_lead, make_member, make_project, moment
from workspace.checks import metrics, readiness
from workspace.checks.pages import build_jobs_part, oldest_queued_at
from workspace.jobs.actions import (
    enqueue,
    fail,
    finish,
    hand_back,
    queue_again,
    renew,
    retry_job,
    run_job,
    take_job,
)
from workspace.models import Heartbeat, Job, Notification
from workspace.outbox.actions.send import OUTBOX, SEND
from workspace.people.actions.people import system_person

pytestmark = [pytest.mark.django_db, pytest.mark.services]

WEEKS = timedelta(days=21)


def ask(*, by, now, kind="noop", project=None, total_bytes=0):
    with transaction.atomic():
        return enqueue(
            project=project,
            kind=kind,
            subject=OUTBOX,
            input_hash="",
            by=by,
            now=now,
            total_bytes=total_bytes,
        )


def ask_twice(first, second, *, apart=WEEKS, now=NOW, **given):
    """A job that is done, and asked for again by another person; held by a worker."""
    job = ask(by=first, now=now - apart, **given)
    finish(job=take_job(job=job.pk, now=now - apart), now=now - apart)
    ask(by=second, now=now, **given)
    return take_job(job=job.pk, now=now)


@pytest.mark.parametrize("end", ["finish", "fail", "cancel"])
def test_a_job_that_is_asked_for_again_waits_since_now_and_for_whom_asked_last(end):
    ada, ben = make_admin(), make_admin()
    job = ask(by=ada, now=NOW - WEEKS)
    held = take_job(job=job.pk, now=NOW - WEEKS)
    if end == "finish":
        finish(job=held, now=NOW - WEEKS)
    elif end == "fail":
        fail(job=held, code="x", reason="It failed.", now=NOW - WEEKS)
    else:
        Job.objects.update(state="cancelled", cancelled_at=NOW, cancelled_by=ada, cause="KeyError: secret")
    again = ask(by=ben, now=NOW, total_bytes=7)
    assert (again.pk, again.created_at, again.created_by, again.total_bytes) == (job.pk, NOW, ben, 7)
    assert (again.error, again.cause) == ("", "")
    assert oldest_queued_at() == NOW


def test_a_job_that_waits_or_runs_stays_that_of_whom_asked_first():
    ada, ben = make_admin(), make_admin()
    job = ask(by=ada, now=NOW)
    ask(by=ben, now=moment(5))
    take_job(job=job.pk, now=moment(5))
    ask(by=ben, now=moment(6))
    job.refresh_from_db()
    assert (job.created_at, job.created_by) == (NOW, ada)


def test_the_site_is_ready_when_an_email_was_queued_this_second(client, monkeypatch, settings):
    monkeypatch.setitem(readiness.QUESTIONS, "broker", lambda now: "")
    settings.DISK_FREE_MB = 1
    readiness.forget_needs()
    now = timezone.now()
    Heartbeat.objects.create(worker="one", beat_at=now)
    system = system_person(now=now)
    first = ask(by=system, now=now - WEEKS, kind=SEND)
    finish(job=take_job(job=first.pk, now=now - WEEKS), now=now - WEEKS)
    ask(by=system, now=now, kind=SEND)
    answer = client.get("/readyz")
    readiness.forget_needs()
    assert answer.status_code == 200, answer.json()["checks"]["queue"]
    assert metrics.seconds_waited(now + timedelta(seconds=30)) == 30
    assert build_jobs_part(make_admin(), now)["oldest_queued_at"] == now


def test_a_job_that_gives_others_a_turn_waits_since_then_and_was_made_when_it_was_made():
    ada = make_admin()
    job = take_job(job=ask(by=ada, now=NOW).pk, now=NOW)
    renew(job=job, now=NOW, lease=timedelta(hours=1), done_count=3)
    hand_back(job=job, now=moment(20))
    assert oldest_queued_at() == moment(20)
    job.refresh_from_db()
    assert (job.created_at, job.created_by, job.done_count, job.started_at) == (NOW, ada, 3, NOW)
    ask(by=make_admin(), now=moment(21))
    assert oldest_queued_at() == moment(20)


def test_the_turn_of_a_former_life_does_not_count_in_the_next():
    job = take_job(job=ask(by=make_admin(), now=NOW).pk, now=NOW)
    hand_back(job=job, now=NOW)
    finish(job=take_job(job=job.pk, now=moment(1)), now=moment(1))
    ask(by=make_admin(), now=moment(900))
    assert oldest_queued_at() == moment(900)


def test_after_a_restore_jobs_wait_since_the_restore():
    take_job(job=ask(by=make_admin(), now=NOW).pk, now=NOW)
    queue_again(by=system_person(now=moment(5000)), now=moment(5000))
    assert oldest_queued_at() == moment(5000)


def test_what_was_done_for_an_earlier_request_is_no_progress_of_this_one():
    job = ask(by=make_admin(), now=NOW)
    held = take_job(job=job.pk, now=NOW)
    renew(job=held, now=NOW, done_count=500, total_count=500, done_bytes=900)
    finish(job=held, now=NOW)
    ask(by=make_admin(), now=moment(1))
    held = take_job(job=job.pk, now=moment(1))
    assert (held.done_count, held.total_count, held.done_bytes) == (0, 0, 0)
    # Only further progress clears the count of attempts.
    renew(job=held, now=moment(1), done_count=1)
    held.refresh_from_db()
    assert held.attempt == 0


def test_whoever_starts_a_failed_job_again_is_who_it_acts_for():
    project = make_project(slug="ours")
    ada, ben = make_lead(project=project), make_lead(project=project)
    job = ask(by=ada, now=NOW - WEEKS, project=project)
    fail(job=take_job(job=job.pk, now=NOW - WEEKS), code="x", reason="It failed.", now=NOW - WEEKS)
    retry_job(job=job, by=ben, now=NOW)
    held = take_job(job=job.pk, now=NOW)
    assert (held.created_by, held.created_at) == (ben, NOW)


def test_a_second_lead_acts_and_is_told_in_their_own_name():
    project = make_project(slug="ours")
    ada, ben = make_lead(project=project), make_lead(project=project)
    held = ask_twice(ada, ben, project=project, kind="import")
    assert held.created_by == ben
    fail(job=held, code="x", reason="It failed.", now=NOW)
    assert [row.person for row in Notification.objects.filter(code="import_failed")] == [ben]


def test_an_export_that_a_lead_starts_again_and_that_fails_is_told_to_its_owner():
    project = make_project(slug="ours")
    owner, lead = make_member(project=project), make_lead(project=project)
    job = ask_export(project, owner).job
    fail(job=take_job(job=job.pk, now=NOW), code="x", reason="It failed.", now=NOW)
    retry_job(job=job, by=lead, now=moment(1))
    Notification.objects.all().delete()
    fail(job=take_job(job=job.pk, now=moment(1)), code="x", reason="It failed.", now=moment(1))
    assert [row.person for row in Notification.objects.filter(code="export_failed")] == [owner]


def test_a_measuring_job_that_is_used_again_writes_in_the_name_of_whom_asked_last(monkeypatch, settings):
    seen = []
    monkeypatch.setattr(
        "discussions.metrics.actions.measure_games", lambda *, job, clock: seen.append(job.created_by)
    )
    ada, ben = make_admin(), make_admin()
    job = ask(by=ada, now=NOW - WEEKS, kind="measure")
    finish(job=take_job(job=job.pk, now=NOW - WEEKS), now=NOW - WEEKS)
    ask(by=ben, now=NOW, kind="measure")
    assert run_job(job=job.pk, clock=lambda: NOW)
    assert seen == [ben]


def test_the_emails_job_has_a_name_for_people():
    admin = make_admin()
    job = ask(by=admin, now=NOW, kind=SEND)
    fail(job=take_job(job=job.pk, now=NOW), code="x", reason="It failed.", now=NOW)
    (line,) = build_jobs_part(admin, NOW)["failed"]
    assert str(line["label"]) == "e-mails"
