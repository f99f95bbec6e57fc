"""The state of the site: workers, queue, oldest job, database. For leads and admins, and as one word for machines."""

from datetime import datetime, timedelta

from django.db import connection
from django.db.models import Count
from msgspec import Struct

from workspace.jobs.pages import BEATS_WITHIN
from workspace.models import Heartbeat, Job
from workspace.models.jobs import FAILED, QUEUED, RUNNING

TAKEN_WITHIN = timedelta(seconds=120)
SHOWN = 20


class StatusPage(Struct, frozen=True):
    """Workers, counts of jobs, when the oldest waiting job was made, and what the site runs on.

    A worker is alive when its last beat is not before `alive_since`.
    """

    workers: list[Heartbeat]
    alive_since: datetime
    queued_count: int
    running_count: int
    failed_count: int
    oldest_queued_at: datetime | None
    version: str
    database: str
    mode: str


def status_page(*, now: datetime, version: str, mode: str) -> StatusPage:
    """The state of the site at this moment."""
    counts = dict(Job.objects.order_by().values_list("state").annotate(Count("pk")))
    return StatusPage(
        workers=list(Heartbeat.objects.order_by("-beat_at")[:SHOWN]),
        alive_since=now - BEATS_WITHIN,
        queued_count=counts.get(QUEUED, 0),
        running_count=counts.get(RUNNING, 0),
        failed_count=counts.get(FAILED, 0),
        oldest_queued_at=oldest_queued_at(),
        version=version,
        database=connection.display_name,
        mode=mode,
    )


def oldest_queued_at() -> datetime | None:
    """When the job that waits longest was made; None when none waits."""
    return (
        Job.objects.filter(state=QUEUED).order_by("created_at").values_list("created_at", flat=True).first()
    )


def is_ready(*, now: datetime) -> bool:
    """Whether the database answers, a worker lives, and no job waits too long."""
    oldest = oldest_queued_at()
    if oldest is not None and now - oldest > TAKEN_WITHIN:
        return False
    return Heartbeat.objects.filter(beat_at__gte=now - BEATS_WITHIN).exists()
