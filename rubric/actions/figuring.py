"""Figures of comparison sets are computed by jobs and stored."""

from datetime import datetime

from rubric.models import ComparisonSet
from rubric.models.figured import SET_STATISTICS
from rubric.permissions import check_see_results
from workspace.actions.jobs import Clock
from workspace.actions.stored_statistics import compute_missing, enqueue_missing
from workspace.models import Job, Person


def ask_for_figures(*, comparison_set: ComparisonSet, by: Person, now: datetime) -> Job | None:
    """Queue what is not stored of the set's figures; None when nothing is missing. Raises NotAllowed."""
    check_see_results(by, comparison_set)
    return queue_figures(comparison_set=comparison_set, by=by, now=now)


def queue_figures(*, comparison_set: ComparisonSet, by: Person, now: datetime) -> Job | None:
    """The same for an act that was allowed already, such as closing the set."""
    return enqueue_missing(store=SET_STATISTICS, owner=comparison_set, by=by, now=now)


def compute_figures(*, job: Job, clock: Clock) -> None:
    """Compute what is missing. Raises JobLost when the job was taken over."""
    compute_missing(store=SET_STATISTICS, job=job, clock=clock)
