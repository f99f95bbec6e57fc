"""Jobs: asked for once, taken by one, held by lease and fence, given up after three vain tries, swept."""

from datetime import timedelta

import pytest
from django.db import connection, transaction

from tests.factories.people import NOW, make_lead, make_project, moment
from workspace.core.refusals import Conflict, NotAllowed
from workspace.jobs.actions import (
    LEASE,
    JobLost,
    cancel_job,
    enqueue,
    fail,
    finish,
    hand_back,
    notify_workers,
    renew,
    run_job,
    sweep_jobs,
    take_job,
)
from workspace.models import Event, Job

pytestmark = [pytest.mark.django_db, pytest.mark.services]


AFTER_LEASE = NOW + LEASE


@pytest.fixture
def lead(db):
    return make_lead(project=make_project(slug="ours"))


@pytest.fixture
def project(lead):
    return lead.memberships.get().project


@pytest.fixture
def job(project, lead):
    return ask(project, lead)


def ask(project, lead, now=NOW, **given):
    with transaction.atomic():
        return enqueue(
            project=project,
            kind="noop",
            subject=given.get("subject", "thing:1"),
            input_hash="x",
            by=lead,
            now=now,
        )


def load_state(job):
    return Job.objects.get(pk=job.pk).state


def test_a_job_that_was_run_where_it_was_queued_needs_no_message(
    project, lead, notified, settings, django_capture_on_commit_callbacks
):
    settings.JOB_ACTIONS = {"noop": f"{__name__}.finish_now"}
    with django_capture_on_commit_callbacks(execute=True) as callbacks, transaction.atomic():
        done, waiting = (ask(project, lead, moment(number), subject=f"thing:{number}") for number in (1, 2))
        assert run_job(job=done.pk, clock=lambda: moment(3))
    assert len(callbacks) == 2
    assert notified == [waiting.pk]
    assert (load_state(done), load_state(waiting)) == ("done", "queued")


def finish_now(*, job, clock):
    finish(job=job, now=clock())


@pytest.mark.django_db(transaction=True)
def test_a_job_is_asked_for_inside_a_transaction(project, lead):
    with pytest.raises(RuntimeError, match="outside of a transaction"):
        enqueue(project=project, kind="noop", subject="thing:1", input_hash="", by=lead, now=NOW)


def test_the_same_job_is_one_row_and_one_that_is_over_is_queued_anew(project, lead, job):
    assert ask(project, lead).pk == job.pk
    held = take_job(job=job.pk, now=NOW)
    assert ask(project, lead).state == "running"
    finish(job=held, now=NOW)
    again = ask(project, lead)
    assert (again.pk, again.state, again.attempt, again.finished_at) == (job.pk, "queued", 0, None)
    assert again.fence == held.fence


def test_one_worker_takes_a_job_and_no_other(job):
    held = take_job(job=job.pk, now=NOW)
    assert (held.state, held.attempt, held.fence, held.lease_until) == ("running", 1, 1, AFTER_LEASE)
    assert take_job(job=job.pk, now=NOW) is None
    assert take_job(job=0, now=NOW) is None


def test_a_job_whose_worker_fell_silent_is_taken_and_the_late_worker_writes_nothing(job):
    late = take_job(job=job.pk, now=NOW)
    held = take_job(job=job.pk, now=AFTER_LEASE)
    assert held.fence == 2
    for write in (
        lambda: renew(job=late, now=AFTER_LEASE, done_count=5),
        lambda: finish(job=late, now=AFTER_LEASE),
        lambda: fail(job=late, code="x", reason="y", now=AFTER_LEASE),
        lambda: hand_back(job=late, now=AFTER_LEASE),
    ):
        with pytest.raises(JobLost):
            write()
    finish(job=held, now=AFTER_LEASE)
    assert load_state(job) == "done"
    assert Job.objects.get(pk=job.pk).done_count == 0


def test_renewing_holds_the_job_and_notes_how_far_it_is(job):
    held = take_job(job=job.pk, now=NOW)
    renew(job=held, now=moment(1), done_count=10, total_count=20)
    row = Job.objects.get(pk=job.pk)
    assert (row.done_count, row.total_count, row.lease_until) == (10, 20, moment(1) + LEASE)
    assert take_job(job=job.pk, now=moment(1)) is None


def test_three_tries_without_progress_are_enough(job):
    for attempt in range(3):
        assert take_job(job=job.pk, now=NOW + attempt * LEASE).attempt == attempt + 1
    assert take_job(job=job.pk, now=NOW + 3 * LEASE) is None
    row = Job.objects.get(pk=job.pk)
    assert (row.state, row.error_code) == ("failed", "gave_up")
    assert row.error.startswith("The work stopped 3 times without getting any further")


def test_progress_clears_the_tries(job):
    for attempt in range(10):
        now = NOW + attempt * LEASE
        held = take_job(job=job.pk, now=now)
        renew(job=held, now=now, done_count=attempt + 1)
    assert load_state(job) == "running"


def test_the_same_count_again_is_no_progress(job):
    held = take_job(job=job.pk, now=NOW)
    renew(job=held, now=NOW, done_count=1)
    for attempt in range(1, 4):
        now = NOW + attempt * LEASE
        renew(job=take_job(job=job.pk, now=now), now=now, done_count=1)
    assert take_job(job=job.pk, now=NOW + 4 * LEASE) is None
    assert load_state(job) == "failed"


def test_cancelling_stops_the_worker_at_its_next_write_and_is_recorded(job, lead):
    held = take_job(job=job.pk, now=NOW)
    cancelled = cancel_job(job=job, by=lead, now=moment(1))
    assert (cancelled.state, cancelled.cancelled_by, cancelled.cancelled_at) == ("cancelled", lead, moment(1))
    with pytest.raises(JobLost):
        renew(job=held, now=moment(1), done_count=1)
    assert take_job(job=job.pk, now=moment(9)) is None
    assert Event.objects.get(verb="job:cancelled").by == lead
    with pytest.raises(Conflict, match="over already"):
        cancel_job(job=job, by=lead, now=moment(2))


def test_the_rest_of_a_long_job_goes_behind_what_is_waiting(job):
    held = take_job(job=job.pk, now=NOW)
    hand_back(job=held, now=moment(1))
    row = Job.objects.get(pk=job.pk)
    assert (row.state, row.attempt, row.lease_until) == ("queued", 0, None)
    assert take_job(job=job.pk, now=moment(1)).fence == 2


DID = []


def note(*, job, clock):
    """What the test's kind of job does."""
    DID.append(job.pk)
    finish(job=job, now=clock())


def refuse(*, job, clock):
    """A job that is refused."""
    raise NotAllowed("You left the project meanwhile.")


def lose(*, job, clock):
    """A job that somebody else takes over meanwhile."""
    take_job(job=job.pk, now=clock() + LEASE)
    renew(job=job, now=clock())


@pytest.fixture
def kinds(settings):
    settings.JOB_ACTIONS = {"noop": f"{__name__}.note"}
    DID.clear()
    return settings.JOB_ACTIONS


def test_a_job_is_done_by_the_action_of_its_kind_and_once(job, kinds):
    assert run_job(job=job.pk, clock=lambda: NOW)
    assert not run_job(job=job.pk, clock=lambda: NOW)
    assert [job.pk] == DID
    assert load_state(job) == "done"


def test_a_refusal_is_the_reason_of_the_failure(job, kinds):
    kinds["noop"] = f"{__name__}.refuse"
    run_job(job=job.pk, clock=lambda: NOW)
    row = Job.objects.get(pk=job.pk)
    assert (row.state, row.error_code, row.error) == (
        "failed",
        "not_allowed",
        "You left the project meanwhile.",
    )


def test_a_job_that_was_taken_over_is_left_alone(job, kinds):
    kinds["noop"] = f"{__name__}.lose"
    run_job(job=job.pk, clock=lambda: NOW)
    row = Job.objects.get(pk=job.pk)
    assert (row.state, row.fence) == ("running", 2)


@pytest.fixture
def notified(monkeypatch):
    """The jobs for which a message was sent: the broker is the one thing that these tests have not got."""
    sent = []
    monkeypatch.setattr("workspace.jobs.actions.send", lambda task, job: sent.append(job))
    return sent


def sweep(now, **given):
    return sweep_jobs(by=make_lead(project=make_project()), now=now, **given)


def test_the_sweep_sends_messages_for_what_nobody_took_and_what_was_dropped_and_not_too_often(
    project, lead, notified
):
    waiting, taken, dropped, over = (ask(project, lead, subject=f"thing:{number}") for number in range(4))
    take_job(job=taken.pk, now=moment(1))
    take_job(job=dropped.pk, now=NOW)
    finish(job=take_job(job=over.pk, now=NOW), now=NOW)
    assert sweep(moment(1)) == 2
    assert notified == [waiting.pk, dropped.pk]
    assert sweep(moment(1) + timedelta(seconds=10)) == 0
    assert sweep(moment(1) + timedelta(seconds=20)) == 3
    assert notified[2:] == [waiting.pk, taken.pk, dropped.pk]


def test_the_first_sweep_sends_messages_for_everything_that_waits(project, lead, notified):
    job = ask(project, lead)
    notify_workers({job.pk: job.kind}, NOW)
    assert sweep(NOW) == 0
    assert sweep(NOW, notify_again=timedelta(0)) == 1


def test_code_of_the_version_before_inserts_jobs_while_a_new_one_is_deployed(job):
    known = [
        field.column for field in Job._meta.local_concrete_fields if field.column not in ("id", "faults")
    ]
    columns = ", ".join(f'"{name}"' for name in known)
    values = columns.replace('"input_hash"', "'y'")
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO workspace_job ({columns}) SELECT {values} FROM workspace_job")
    assert Job.objects.get(input_hash="y").faults == {}
