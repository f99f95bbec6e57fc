"""The state of the site for the status page, the overview and the API: workers, jobs, storage, versions, backups."""

import platform
import shutil
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import django
from django.conf import settings
from django.core.files.storage import default_storage
from django.db import connection
from django.db.models import Count, Min
from django.db.models.functions import Coalesce

from workspace.access.permissions import get_refusal, is_admin
from workspace.checks.labels import JOB_KINDS
from workspace.checks.permissions import check_retry_job
from workspace.checks.queries import SweepAct, load_acts
from workspace.database.dumps import name_server
from workspace.jobs.pages import BEATS_WITHIN, is_worker_alive
from workspace.models import Event, Heartbeat, Job, Person, SignIn
from workspace.models.jobs import FAILED, QUEUED, RUNNING

ACTIVE_WITHIN = timedelta(days=1)
SHOWN = 20
BACKUP_MADE = "backup:made"
# Older than this, a backup is late: the timer makes one every night.
BACKUP_EVERY = timedelta(hours=36)


def build_jobs_part(person: Person, now: datetime) -> dict[str, Any]:
    """Workers, counts of jobs, since when the oldest waiting job has waited, and the newest that failed.

    A worker is alive when its last beat is not before `alive_since`. `failed_count` counts those that the person sees.
    Of those shown, `retry_refusal` says why one cannot be started again here; `cause` is the unforeseen error, for
    admins alone.
    """
    counts = dict(
        Job.objects.filter(state__in=(QUEUED, RUNNING)).order_by().values_list("state").annotate(Count("pk"))
    )
    failed = Job.objects.visible_to(person).filter(state=FAILED)
    return {
        "workers": list(Heartbeat.objects.order_by("-beat_at")[:SHOWN]),
        "alive_since": now - BEATS_WITHIN,
        "is_worker_alive": is_worker_alive(now),
        "queued_count": counts.get(QUEUED, 0),
        "running_count": counts.get(RUNNING, 0),
        "oldest_queued_at": oldest_queued_at(),
        "failed_count": failed.count(),
        "failed": [
            {
                "job": job,
                "label": JOB_KINDS.get(job.kind, job.kind),
                "retry_refusal": get_refusal(check_retry_job, person, job),
                "cause": job.cause if is_admin(person) else "",
            }
            for job in failed.select_related("project").order_by("-finished_at", "-pk")[:SHOWN]
        ],
    }


def list_acts(now: datetime) -> list[tuple[SweepAct, bool]]:
    return sorted(((act, act.is_late(now)) for act in load_acts()), key=lambda line: not line[1])


def measure_storage() -> dict[str, int | None]:
    """Sizes in bytes; None where they cannot be known. Files are uploads, and exports until they are removed."""
    count, size = _measure_files()
    try:
        free = shutil.disk_usage(Path(settings.VAR_DIR)).free
    except OSError:
        free = None
    database = None
    if connection.vendor == "sqlite":
        database = _ask("PRAGMA page_count") * _ask("PRAGMA page_size")
    elif connection.vendor == "postgresql":
        database = _ask("SELECT pg_database_size(current_database())")
    return {"database_bytes": database, "file_count": count, "file_bytes": size, "free_bytes": free}


def _measure_files() -> tuple[int | None, int | None]:
    if not settings.STORAGE:
        files = (path for path in Path(settings.MEDIA_ROOT).rglob("*") if path.is_file())
        sizes = [path.stat().st_size for path in files]
        return len(sizes), sum(sizes)
    bucket: Any = default_storage
    try:
        count, size = bucket.measure()
    except OSError:
        return None, None
    return count, size


def _ask(sql: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return int(cursor.fetchone()[0])


def read_versions() -> dict[str, str]:
    return {
        "product": settings.VERSION,
        "python": platform.python_version(),
        "django": django.get_version(),
        "database": name_server(),
        "mode": "local" if settings.LOCAL else "production",
    }


def find_last_backup(now: datetime) -> dict[str, Any] | None:
    """The newest backup that `manage.py backup` made: it records one only after it has read the file back."""
    made = Event.objects.filter(chain__project=None, object_kind="backup", verb=BACKUP_MADE)
    for line in made.order_by("-seq")[:1]:
        return {
            "name": line.object_id,
            "made_at": line.at,
            "rows": line.details["rows"],
            "files": line.details["files"],
            "is_late": now - line.at > BACKUP_EVERY,
        }
    return None


def list_active_people(now: datetime) -> list[tuple[Person, datetime]]:
    latest: dict[Person, datetime] = {}
    for sign_in in SignIn.objects.filter(person__isnull=False, expire_date__gt=now).select_related("person"):
        seen_at, person = sign_in.noted("seen"), sign_in.person
        if seen_at is not None and person is not None and now - seen_at <= ACTIVE_WITHIN:
            latest[person] = max(seen_at, latest.get(person, seen_at))
    return sorted(latest.items(), key=lambda line: line[1], reverse=True)


def oldest_queued_at(*without: str) -> datetime | None:
    """Since when a job waits, apart from those of these kinds."""
    waiting = Job.objects.filter(state=QUEUED).exclude(kind__in=without)
    since: datetime | None = waiting.aggregate(since=Min(Coalesce("queued_at", "created_at")))["since"]
    return since
