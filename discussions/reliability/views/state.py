"""The state of the stored statistics of a project."""

from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from discussions.models import TeamFigures
from discussions.reliability.queries import TEAM_STATISTICS
from workspace.models import Project
from workspace.stored_statistics.pages import StatisticsState, read_state

SECTION = "team"
KIND_NAMES = {
    "accuracy": gettext_lazy("Accuracy of automatic metrics"),
    "agreement": gettext_lazy("Agreement"),
}


def build_team_state(
    *, project: Project, kind: str, now: datetime
) -> tuple[StatisticsState, TeamFigures | None]:
    """The state of the statistics of a kind, and their row if it was computed from the current input.

    The kind is also the name of the page's URL.
    """
    state, row = read_state(
        store=TEAM_STATISTICS, owner=project, kind=kind, names=KIND_NAMES, since=_since, now=now
    )
    return StatisticsState(**state), row


def _since(more: int) -> str:
    """A sentence on statistics of another input, with the number of evaluations since."""
    if more <= 0:
        return _(
            "The figures there are come from other evaluations or an earlier way of computing, so they are not shown."
        )
    sentence = ngettext(
        "%(n)d evaluation was submitted since the figures were computed, so they are not shown.",
        "%(n)d evaluations were submitted since the figures were computed, so they are not shown.",
        more,
    )
    return sentence % {"n": more}
