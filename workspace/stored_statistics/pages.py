"""The state of stored statistics: up to date, being computed, out of date, or not requested yet."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from workspace.jobs.pages import worker_note
from workspace.models import Job
from workspace.models.jobs import CANCELLED, FAILED, QUEUED, RUNNING
from workspace.stored_statistics.queries import OwnerT, StatisticsStore


def read_state(
    *,
    store: StatisticsStore[OwnerT],
    owner: OwnerT,
    kind: str,
    names: Mapping[str, Any],
    since: tuple[Any, Any],
    now: datetime,
) -> tuple[dict[str, object], Any]:
    """The state of the statistics of one kind, and their row; None when it comes from other input, which is not shown.

    `names` are those of the kinds, `since` the sentences about figures of other input: without and with the number of
    submissions that came in after the newest of them. `is_live` says that a job waits or runs.
    """
    present = store.present(owner)
    rows = store.row_model._default_manager
    row = rows.get(pk=present.rows[kind]) if kind in present.rows else None
    job = old = None
    if row is None and present.count:
        jobs = Job.objects.filter(kind=store.job_kind, subject=store.subject(owner))
        job = jobs.order_by("-pk").first()
    is_live = job is not None and job.state in (QUEUED, RUNNING)
    if row is None and present.count and not is_live:
        past = rows.filter(**{store.owner_name: owner, "kind": kind})
        old = past.order_by("-created_at", "-pk").first()
    more = present.count - store.count(old) if old else 0
    error = ""
    if job is not None and job.state in (CANCELLED, FAILED):
        error = job.error if job.state == FAILED else _("The work was cancelled before its end.")
    state = {
        "kind": kind,
        "is_there": row is not None,
        "is_live": is_live,
        "computed_at": row.created_at if row else None,
        "count": present.count,
        "done": len(present.rows),
        "parts": [(names[name], name in present.rows) for name in store.kinds],
        "since": "" if old is None else since[1] % {"n": more} if more > 0 else since[0],
        "worker_note": worker_note(now) if is_live else "",
        "error": error,
    }
    return state, row
