"""Jobs of tests: run here and now, in the test's own process."""

from datetime import datetime

from tests.factories.people import NOW
from workspace.jobs.actions import run_job
from workspace.models import Job


def run_waiting_jobs(*, now: datetime = NOW) -> None:
    """What a worker does, until nothing waits."""
    while job := Job.objects.filter(state="queued").order_by("pk").first():
        run_job(job=job.pk, clock=lambda: now)
