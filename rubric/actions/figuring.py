"""Figures of comparison sets are computed by jobs, one kind after the other, and kept with the hash of their input."""

from datetime import datetime, timedelta

import msgspec
from django.db import transaction

from rubric.core.figured import CODE_VERSION, KINDS, figures_of
from rubric.models import ComparisonSet, SetFigures
from rubric.models.figured import FIGURE_SET, figures_hash, input_of, stored_figures, subject_of
from rubric.models.reviewed import set_hash
from rubric.permissions import check_see_results
from workspace.actions.jobs import Clock, enqueue, finish, renew
from workspace.models import Job, Person
from workspace.models.snapshot import snapshot

# No kind takes longer; a worker that dies over one is missed after this.
LEASE = timedelta(minutes=3)


def ask_for_figures(*, comparison_set: ComparisonSet, by: Person, now: datetime) -> Job | None:
    """Queue what is not there of the set's figures; None when all are of the present input.

    It changes nothing that anybody judged, so the audit log has no line about it. Raises NotAllowed.
    """
    check_see_results(by, comparison_set)
    return queue_figures(comparison_set=comparison_set, by=by, now=now)


def queue_figures(*, comparison_set: ComparisonSet, by: Person, now: datetime) -> Job | None:
    """The same for an act that was allowed already, such as closing the set. None without any review, too."""
    stored = stored_figures(comparison_set)
    if not stored.reviews or len(stored.rows) == len(KINDS):
        return None
    with transaction.atomic():
        return enqueue(
            project=comparison_set.project,
            kind=FIGURE_SET,
            subject=subject_of(comparison_set),
            input_hash=set_hash(comparison_set, FIGURE_SET, CODE_VERSION),
            by=by,
            now=now,
        )


def compute_figures(*, job: Job, clock: Clock) -> None:
    """Compute every kind that is not there for the present input, each stored under the job's fence as it is done.

    The same input always gives the same row, so doing the job twice, or two at once, leaves what one leaves. Raises
    JobLost when the job was taken over.
    """
    comparison_set = _set_of(job)
    renew(job=job, now=clock(), lease=LEASE, done_count=0, total_count=len(KINDS))
    for done, kind in enumerate(KINDS, start=1):
        row = _figured(comparison_set, kind)
        with transaction.atomic():
            now = clock()
            renew(job=job, now=now, lease=LEASE, done_count=done, total_count=len(KINDS))
            if row is not None:
                row.created_at = now
                SetFigures.objects.bulk_create([row], ignore_conflicts=True)
    finish(job=job, now=clock())


def _figured(comparison_set: ComparisonSet, kind: str) -> SetFigures | None:
    """The row of that kind, not stored yet; None when it is there."""
    with snapshot():
        sha256 = figures_hash(comparison_set, kind)
        key = {"set": comparison_set, "kind": kind, "input_sha256": sha256}
        if SetFigures.objects.filter(**key).exists():
            return None
        given = input_of(comparison_set)
    return SetFigures(**key, body=msgspec.json.encode(figures_of(kind, given)).decode())


def _set_of(job: Job) -> ComparisonSet:
    key = int(job.subject.partition(":")[2])
    return ComparisonSet.objects.select_related("project", "rubric_version").get(pk=key)
