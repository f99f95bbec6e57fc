"""Jobs of tests: run here and now, in the test's own process."""

from datetime import datetime

from django.db.models import QuerySet

from discussions.metrics.actions import COMPANIONS
from tests.factories.people import NOW
from workspace.jobs.actions import run_job
from workspace.models import Job


def run_waiting_jobs(*, now: datetime = NOW) -> None:
    """What a worker does, until nothing waits."""
    _run(Job.objects.filter(state="queued"), now)


def measure_waiting_games(*, now: datetime = NOW) -> None:
    """What a worker does, but for the diagnostics: their job goes on waiting, and most tests never look at them."""
    _run(Job.objects.filter(state="queued").exclude(kind=COMPANIONS), now)


def _run(waiting: QuerySet[Job], now: datetime) -> None:
    while job := waiting.order_by("pk").first():
        run_job(job=job.pk, clock=lambda: now)
