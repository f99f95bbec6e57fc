"""Compute the files of a project's agents by a job, and store them."""

from datetime import datetime

from discussions.agents.permissions import check_see_agents
from discussions.agents.queries import AGENT_STATISTICS
from workspace.jobs.actions import Clock
from workspace.models import Job, Person, Project
from workspace.stored_statistics.actions import compute_missing, enqueue_missing


def ask_for_agents(*, project: Project, by: Person, now: datetime) -> Job | None:
    """Queue the files if they are missing; None when they are there. Raises NotAllowed."""
    check_see_agents(by, project)
    return enqueue_missing(store=AGENT_STATISTICS, owner=project, by=by, now=now)


def compute_agents(*, job: Job, clock: Clock) -> None:
    """Compute the files. Raises JobLost when the job was taken over."""
    compute_missing(store=AGENT_STATISTICS, job=job, clock=clock)
