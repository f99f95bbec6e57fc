"""Jobs of tests: run here and now, in the test's own process."""

from datetime import datetime

from tests.factories.people import NOW
from workspace.jobs.actions import run_job
from workspace.models import Job, Person, Project


def run_waiting_jobs(*, now: datetime = NOW) -> None:
    """What a worker does, until nothing waits."""
    while job := Job.objects.filter(state="queued").order_by("pk").first():
        run_job(job=job.pk, clock=lambda: now)


def make_failed_job(
    *,
    project: Project | None,
    by: Person,
    kind: str = "figure_team",
    subject: str = "lost",
    now: datetime = NOW,
) -> Job:
    """A job that was given up, with its reason."""
    return Job.objects.create(
        project=project,
        kind=kind,
        subject=subject,
        state="failed",
        attempt=3,
        created_at=now,
        created_by=by,
        started_at=now,
        finished_at=now,
        error_code="gave_up",
        error="It stopped 3 times.",
    )
