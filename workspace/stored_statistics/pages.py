"""The state of stored statistics: up to date, being computed, out of date, or not requested yet."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from msgspec import Struct

from workspace.core.words import decode_stored
from workspace.jobs.pages import worker_note
from workspace.models import Job
from workspace.models.jobs import CANCELLED, FAILED, QUEUED, RUNNING
from workspace.models.stored_statistics import StoredStatistics
from workspace.stored_statistics.queries import OwnerT, StatisticsStore


class Part(Struct, frozen=True):
    """One kind of statistics: its name, and whether it is computed."""

    name: str
    is_done: bool


class StatisticsState(Struct, frozen=True, kw_only=True):
    """The state of the statistics of one kind. They are shown when `is_there`, never when they come from other input.

    `is_live` says that a job waits or runs. `since` is a sentence about statistics of other input, "" without any.
    """

    kind: str
    is_there: bool
    is_live: bool
    computed_at: datetime | None
    count: int
    done: int
    parts: list[Part]
    since: str
    worker_note: str
    error: str


def read_state(
    *,
    store: StatisticsStore[OwnerT],
    owner: OwnerT,
    kind: str,
    names: Mapping[str, object],
    since: Callable[[int], str],
    now: datetime,
) -> tuple[dict[str, Any], Any]:
    """The fields of the state, and the row when it comes from the present input.

    `names` are those of the kinds; `since` makes a sentence of how many submissions came in after the newest row.
    """
    present = store.present(owner)
    row: StoredStatistics | None = None
    if kind in present.rows:
        row = store.row_model._default_manager.get(pk=present.rows[kind])
    job = store.newest_job(owner) if row is None and present.count else None
    is_live = job is not None and job.state in (QUEUED, RUNNING)
    old = store.newest_row(owner, kind) if row is None and present.count and not is_live else None
    state = {
        "kind": kind,
        "is_there": row is not None,
        "is_live": is_live,
        "computed_at": row.created_at if row else None,
        "count": present.count,
        "done": len(present.rows),
        "parts": [Part(str(names[name]), name in present.rows) for name in store.kinds],
        "since": since(present.count - store.count(old)) if old else "",
        "worker_note": worker_note(now) if is_live else "",
        "error": _error(job) if job is not None else "",
    }
    return state, row


def decode_body(row: StoredStatistics, shape: type[Any]) -> Any:
    """The stored body, decoded to its type and in the reader's language."""
    return decode_stored(row.body, shape)


def _error(job: Job) -> str:
    if job.state == CANCELLED:
        return _("The work was cancelled before its end.")
    return job.error if job.state == FAILED else ""
