"""The Celery tasks. A message carries only a job's number; the row says the rest."""

from datetime import timedelta

from celery import Task, shared_task
from django.conf import settings
from django.core.cache import cache

from workspace.checks.actions import sweep
from workspace.database.transactions import database_now
from workspace.jobs.actions import LOOK_AT_JOB, NOTIFY_AGAIN, beat, run_job
from workspace.people.actions.people import system_person

BEAT = "workspace.beat"
SWEEP, ONCE_IN = "workspace.sweep", 5


def _look_at_job(self: Task, job: int) -> None:
    """Take the job and do it; nothing happens when somebody else has it or it is over."""
    note_worker(worker=str(self.request.hostname or "here"))
    run_job(job=job, clock=database_now)


look_at_job = {
    kind: shared_task(name=f"{LOOK_AT_JOB}{kind}", bind=True)(_look_at_job) for kind in settings.JOB_ACTIONS
}


@shared_task(name=BEAT, bind=True)
def note_beat(self: Task) -> None:
    note_worker(worker=str(self.request.hostname or "here"))


@shared_task(name=SWEEP, bind=True)
def sweep_now(self: Task, is_first: bool = False) -> None:
    """Do what is only due by time. Of all workers' sweeps, one at a time runs; the first sweep of a worker always runs.

    The first sends messages for everything that waits: those from before this worker started may be lost.
    """
    note_worker(worker=str(self.request.hostname or "here"))
    if cache.add("sweep", 1, timeout=ONCE_IN) or is_first:
        now = database_now()
        notify_again = timedelta(0) if is_first else NOTIFY_AGAIN
        sweep(by=system_person(now=now), now=now, notify_again=notify_again)


def note_worker(*, worker: str) -> None:
    now = database_now()
    beat(worker=worker, by=system_person(now=now), now=now)
