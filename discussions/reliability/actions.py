"""Compute the statistics of a project by a job, and store them."""

from datetime import datetime

from discussions.reliability.permissions import check_see_team_statistics
from discussions.reliability.queries import TEAM_STATISTICS
from workspace.jobs.actions import Clock
from workspace.models import Job, Person, Project
from workspace.stored_statistics.actions import compute_missing, enqueue_missing


def ask_for_team_figures(*, project: Project, by: Person, now: datetime) -> Job | None:
    """Queue the missing statistics; None when nothing is missing. Raises NotAllowed."""
    check_see_team_statistics(by, project)
    return enqueue_missing(store=TEAM_STATISTICS, owner=project, by=by, now=now)


def compute_team_figures(*, job: Job, clock: Clock) -> None:
    """Compute what is missing. Raises JobLost when the job was taken over."""
    compute_missing(store=TEAM_STATISTICS, job=job, clock=clock)
