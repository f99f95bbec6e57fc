"""The progress of background work in words and numbers, and whether a worker runs."""

from datetime import datetime, timedelta

from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from msgspec import Struct

from workspace.models import Heartbeat, Job
from workspace.models.jobs import RUNNING

BEATS_WITHIN = timedelta(seconds=60)


class ProgressBar(Struct, frozen=True):
    """A progress bar in words and numbers; rate and time left are "" until they can be known."""

    label: str
    done: int
    total: int
    unit: str
    rate: str = ""
    left: str = ""


def build_progress_bar(job: Job, *, label: str, unit: str, now: datetime) -> ProgressBar:
    seconds = (now - job.started_at).total_seconds() if job.started_at else 0.0
    a_second = job.done_count / seconds if seconds > 0 else 0.0
    rate = _("%(rate)s a second") % {"rate": f"{a_second:,.0f}"} if a_second >= 1 else ""
    left = time_left((job.total_count - job.done_count) / a_second) if a_second else ""
    return ProgressBar(label, job.done_count, job.total_count, unit, rate, left)


def time_left(seconds: float) -> str:
    if seconds < 60:
        whole = max(1, round(seconds))
        return ngettext("about %(n)d second left", "about %(n)d seconds left", whole) % {"n": whole}
    minutes = round(seconds / 60)
    return ngettext("about %(n)d minute left", "about %(n)d minutes left", minutes) % {"n": minutes}


def is_worker_alive(now: datetime) -> bool:
    """Whether a worker sends its heartbeat, or holds a job right now."""
    if Heartbeat.objects.filter(beat_at__gte=now - BEATS_WITHIN).exists():
        return True
    return Job.objects.filter(state=RUNNING, lease_until__gt=now).exists()


def worker_note(now: datetime) -> str:
    if is_worker_alive(now):
        return ""
    return _(
        "No worker is running, so nothing happens at the moment. The work continues by itself as soon as a worker is "
        "started. Tell an admin if this does not change."
    )
