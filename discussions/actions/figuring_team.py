"""Figures of a whole team are computed by a job, one kind after the other, and kept with the hash of their input."""

from datetime import datetime, timedelta

import msgspec
from django.db import transaction

from discussions.models.figured_team import FIGURE_TEAM, KINDS, input_hash, stored_team_figures, subject_of
from discussions.models.team_figures import TeamFigures
from discussions.permissions import check_see_team_figures
from workspace.actions.jobs import Clock, enqueue, finish, renew
from workspace.models import Job, Person, Project
from workspace.models.snapshot import snapshot

# No kind takes longer; a worker that dies over one is missed after this.
LEASE = timedelta(minutes=3)


def ask_for_team_figures(*, project: Project, by: Person, now: datetime) -> Job | None:
    """Queue what is not there of the project's figures; None when all are of the present input, or nothing is in.

    It changes nothing that anybody judged, so the audit log has no line about it. Raises NotAllowed.
    """
    check_see_team_figures(by, project)
    stored = stored_team_figures(project)
    if not stored.evaluation_count or len(stored.rows) == len(KINDS):
        return None
    with transaction.atomic():
        return enqueue(
            project=project,
            kind=FIGURE_TEAM,
            subject=subject_of(project),
            input_hash=input_hash(project),
            by=by,
            now=now,
        )


def compute_team_figures(*, job: Job, clock: Clock) -> None:
    """Compute every kind that is not there for the present input, each stored under the job's fence as it is done.

    The same input always gives the same row, so doing the job twice, or two at once, leaves what one leaves. Raises
    JobLost when the job was taken over.
    """
    project = Project.objects.get(pk=int(job.subject.partition(":")[2]))
    renew(job=job, now=clock(), lease=LEASE, done_count=0, total_count=len(KINDS))
    for done, kind in enumerate(KINDS, start=1):
        row = _figured(project, kind)
        with transaction.atomic():
            now = clock()
            renew(job=job, now=now, lease=LEASE, done_count=done, total_count=len(KINDS))
            if row is not None:
                row.created_at, row.job = now, job
                TeamFigures.objects.bulk_create([row], ignore_conflicts=True)
    finish(job=job, now=clock())


def _figured(project: Project, kind: str) -> TeamFigures | None:
    """The row of that kind, not stored yet; None when it is there."""
    with snapshot():
        stored = stored_team_figures(project)
        if kind in stored.rows:
            return None
        figures = KINDS[kind].compute(project)
    return TeamFigures(
        project=project,
        kind=kind,
        input_sha256=stored.hashes[kind],
        body=msgspec.json.encode(figures).decode(),
        evaluation_count=stored.evaluation_count,
    )
