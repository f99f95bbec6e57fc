"""What Celery calls. A message carries a job's number only; the row says the rest."""

from celery import Task, shared_task

from workspace.database.clock import database_now
from workspace.jobs.actions import LOOK_AT_JOB, beat, run_job
from workspace.people.actions import system_person

BEAT = "workspace.beat"


@shared_task(name=LOOK_AT_JOB, bind=True)
def look_at_job(self: Task, job: int) -> None:
    """Take the job and do it; nothing happens when somebody else has it or it is over."""
    note_worker(worker=str(self.request.hostname or "here"))
    run_job(job=job, clock=database_now)


@shared_task(name=BEAT, bind=True)
def note_beat(self: Task) -> None:
    """Write down that this worker is there."""
    note_worker(worker=str(self.request.hostname or "here"))


def note_worker(*, worker: str) -> None:
    """The sign of life that pages read."""
    now = database_now()
    beat(worker=worker, by=system_person(now=now), now=now)
