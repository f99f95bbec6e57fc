"""Figures of a team, computed as a worker does."""

from discussions.actions.figuring_team import ask_for_team_figures
from discussions.models.figured_team import TEAM_STATISTICS
from discussions.models.team_figures import TeamFigures
from tests.factories import NOW, make_lead
from workspace.actions.jobs import run_job
from workspace.models import Project
from workspace.pages.stored_statistics import decode_body


def figure_team(project: Project, *, by=None) -> None:
    """Compute what is not there of the project's figures."""
    job = ask_for_team_figures(project=project, by=by or make_lead(project=project), now=NOW)
    if job is not None:
        run_job(job=job.pk, clock=lambda: NOW)


def team_figures(project: Project, kind: str, shape: type):
    """The stored figures of the present input."""
    row = TeamFigures.objects.get(pk=TEAM_STATISTICS.present(project).rows[kind])
    return decode_body(row, shape)
