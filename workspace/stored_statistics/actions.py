"""Statistics are computed by jobs, one kind after the other, and stored with the hash of their input."""

import logging
from datetime import datetime, timedelta

import msgspec
from celery.exceptions import SoftTimeLimitExceeded
from django.db import Error, transaction

from workspace.core.canonical import canonical_hash
from workspace.core.refusals import Refusal
from workspace.core.words import for_storage
from workspace.database.transactions import snapshot
from workspace.jobs.actions import Clock, enqueue, finish, renew
from workspace.models import Job, Person
from workspace.models.stored_statistics import StoredStatistics
from workspace.stored_statistics.queries import OwnerT, StatisticsStore

# No kind takes longer; a worker that dies is noticed after this.
LEASE = timedelta(minutes=3)
logger = logging.getLogger("evalsite.jobs")


def enqueue_missing(
    *, store: StatisticsStore[OwnerT], owner: OwnerT, by: Person, now: datetime
) -> Job | None:
    """Queue what is not stored for the present input; None when nothing is missing, or nothing was submitted.

    It changes no judgement, so the audit log has no line about it.
    """
    present = store.present(owner)
    if not present.count or len(present.rows) == len(store.kinds):
        return None
    with transaction.atomic():
        return enqueue(
            project=store.project(owner),
            kind=store.job_kind,
            subject=store.subject(owner),
            input_hash=canonical_hash(list(present.hashes.values())),
            by=by,
            now=now,
        )


def compute_missing(*, store: StatisticsStore[OwnerT], job: Job, clock: Clock) -> None:
    """Compute every kind that is not stored for the present input; store each under the job's fence when ready.

    The same input always gives the same row, so doing the job twice, or two jobs at once, has the same result as one.
    A kind that meets an unforeseen error does not keep the others; the first such error is raised at the end. Raises
    JobLost when the job was taken over.
    """
    owner = store.load(int(job.subject.partition(":")[2]))
    total = len(store.kinds)
    renew(job=job, now=clock(), lease=LEASE, done_count=0, total_count=total)
    failures = []
    for done, kind in enumerate(store.kinds, start=1):
        try:
            row = _new_row(store, owner, kind, job)
        except (Error, Refusal, SoftTimeLimitExceeded):
            raise
        except Exception as fault:
            logger.exception("job %s could not compute %s", job.pk, kind)
            failures.append(fault)
            row = None
        with transaction.atomic():
            now = clock()
            renew(job=job, now=now, lease=LEASE, done_count=done, total_count=total)
            if row is not None:
                row.created_at = now
                store.row_model._default_manager.bulk_create([row], ignore_conflicts=True)
    if failures:
        raise failures[0]
    finish(job=job, now=clock())


def _new_row(store: StatisticsStore[OwnerT], owner: OwnerT, kind: str, job: Job) -> StoredStatistics | None:
    """The unsaved row of that kind; None when one is stored already."""
    with snapshot():
        present = store.present(owner)
        if kind in present.rows:
            return None
        compute = store.read(owner, kind)
    with for_storage():
        found = compute()
    return store.row_model(
        **{store.owner_name: owner},
        **store.columns(present.count, job),
        kind=kind,
        input_sha256=present.hashes[kind],
        body=msgspec.json.encode(found).decode(),
    )
