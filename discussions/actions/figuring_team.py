"""Figures of a whole team are computed by a job and stored."""

from datetime import datetime

from discussions.models.figured_team import TEAM_STATISTICS
from discussions.permissions import check_see_team_figures
from workspace.actions.jobs import Clock
from workspace.actions.stored_statistics import compute_missing, enqueue_missing
from workspace.models import Job, Person, Project


def ask_for_team_figures(*, project: Project, by: Person, now: datetime) -> Job | None:
    """Queue what is not stored of the project's figures; None when nothing is missing. Raises NotAllowed."""
    check_see_team_figures(by, project)
    return enqueue_missing(store=TEAM_STATISTICS, owner=project, by=by, now=now)


def compute_team_figures(*, job: Job, clock: Clock) -> None:
    """Compute what is missing. Raises JobLost when the job was taken over."""
    compute_missing(store=TEAM_STATISTICS, job=job, clock=clock)
