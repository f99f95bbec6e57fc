"""Impact previews of drafts: request and cancel them, make them in a job, and store them in rows that never change.

This module also computes what a draft of a response rubric would change; the discussions app does so for the
discussion rubric. Only the preview's own row is written.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from itertools import groupby
from typing import TypeVar

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from rubric.core.records import RubricRecord
from rubric.core.scores import get_weights
from rubric.models import Comparison, ComparisonSet, ImpactPreview, RubricVersion
from rubric.models.reviews import SUBMITTED
from rubric.preview import core
from rubric.preview.queries import reviews_hash
from rubric.reviews.queries import load_reviewed
from rubric.versions.permissions import check_publish_version
from workspace.core.canonical import canonical_bytes, canonical_hash
from workspace.core.refusals import Conflict
from workspace.core.words import for_storage
from workspace.jobs.actions import Clock, cancel_job, enqueue, finish, renew
from workspace.models import Job, Person
from workspace.models.jobs import QUEUED, RUNNING

T = TypeVar("T")


def ask_for_preview(*, version: RubricVersion, basis: str, by: Person, now: datetime) -> Job | None:
    """Queue the preview of a draft in its current state; `basis` is the hash of everything scored so far.

    A job for a preview of another state is cancelled. None if this preview exists already. Raises NotAllowed.
    """
    check_publish_version(by, version)
    part, kind = core.PARTS[version.rubric.kind]
    wanted = canonical_hash([version.sha256, basis])
    with transaction.atomic():
        if _is_there(version, part, basis):
            return None
        for other in _live(version).exclude(input_hash=wanted):
            with suppress(Conflict):
                cancel_job(job=other, by=by, now=now)
        subject = core.make_version_subject(version.pk)
        return enqueue(project=None, kind=kind, subject=subject, input_hash=wanted, by=by, now=now)


def cancel_preview(*, version: RubricVersion, by: Person, now: datetime) -> None:
    """Cancel the preview that is queued or running. Raises NotAllowed, Conflict when there is none."""
    check_publish_version(by, version)
    job = _live(version).order_by("pk").first()
    if job is None:
        raise Conflict(_("No preview is being made, so there is nothing to cancel."), code="job_is_over")
    cancel_job(job=job, by=by, now=now)


def preview_rankings(*, job: Job, clock: Clock) -> None:
    """Preview the job's draft of a response rubric over every comparison that was reviewed under the same rubric.

    Idempotent: a second run finds the same and leaves the same row. Raises NotAllowed when the draft was published in
    the meantime, JobLost when the job was taken over.
    """
    version = load_job_draft(job=job)
    basis = reviews_hash(version.rubric_id)
    draft = version.to_record()
    rows = ComparisonSet.objects.filter(rubric_version__rubric=version.rubric_id)
    sets = list(rows.select_related("project", "rubric_version").order_by("pk"))
    reviewed = Comparison.objects.filter(set__in=sets, reviews__state=SUBMITTED)

    def conclude(rankings: list[core.Reranked]) -> core.Impact:
        versions = {row.rubric_version_id: row.rubric_version.to_record() for row in sets}
        notes = [note for own in versions.values() for note in core.lacking(own, draft)]
        return core.compute_rankings_impact(rankings, notes)

    run_preview(
        job=job,
        clock=clock,
        version=version,
        basis=basis,
        total=reviewed.distinct().count(),
        batches=(_rankings(comparison_set, draft) for comparison_set in sets),
        conclude=conclude,
    )


def _rankings(comparison_set: ComparisonSet, draft: RubricRecord) -> Iterator[core.Reranked]:
    own = comparison_set.rubric_version.to_record()
    before, after = get_weights(own), core.comparable_weights(own, draft)
    reviewed = load_reviewed(comparison_set)
    for number, rows in groupby(reviewed, key=lambda review: review.comparison):
        several = list(rows)
        yield core.rerank(
            core.Location(comparison_set.project.slug, comparison_set.number, number),
            [review.to_judgement(before) for review in several],
            [review.to_judgement(after) for review in several],
        )


def load_job_draft(*, job: Job) -> RubricVersion:
    """The draft of a job, in its current state. Raises NotAllowed when it was published in the meantime."""
    version = RubricVersion.objects.select_related("rubric").get(pk=int(job.subject.partition(":")[2]))
    check_publish_version(job.created_by, version)
    return version


def run_preview(
    *,
    job: Job,
    clock: Clock,
    version: RubricVersion,
    basis: str,
    total: int,
    batches: Iterable[Iterable[T]],
    conclude: Callable[[list[T]], core.Impact],
) -> None:
    """Decide everything again, batch by batch, store the impact on the draft as it was read, once, and end the job.

    Each batch renews the job's lease and records its progress. If the job is restarted after a worker died, the
    progress stays at the earlier value: only further progress resets the count of attempts, so a job that kills every
    worker at the same point is given up. Raises JobLost.
    """
    decided: list[T] = []
    renew(job=job, now=clock(), done_count=max(0, job.done_count), total_count=total)
    for batch in batches:
        with for_storage():
            decided += batch
        renew(job=job, now=clock(), done_count=max(len(decided), job.done_count), total_count=total)
    with for_storage():
        impact = conclude(decided)
    part, _kind = core.PARTS[version.rubric.kind]
    now = clock()
    with transaction.atomic():
        renew(job=job, now=now)
        if not _is_there(version, part, basis):
            ImpactPreview.objects.create(
                version=version,
                part=part,
                sha256=version.sha256,
                basis_sha256=basis,
                body=canonical_bytes(impact).decode(),
                created_at=now,
                created_by=job.created_by,
            )
        finish(job=job, now=now)


def _live(version: RubricVersion) -> "QuerySet[Job]":
    _part, kind = core.PARTS[version.rubric.kind]
    jobs = Job.objects.filter(kind=kind, subject=core.make_version_subject(version.pk))
    return jobs.filter(state__in=(QUEUED, RUNNING))


def _is_there(version: RubricVersion, part: str, basis: str) -> bool:
    known = ImpactPreview.objects.filter(version=version, part=part)
    return known.filter(sha256=version.sha256, basis_sha256=basis).exists()
