"""The state of a team's stored figures, in words."""

from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from discussions.models import TeamFigures
from discussions.reliability.queries import TEAM_STATISTICS
from workspace.models import Project
from workspace.stored_statistics.pages import StatisticsState, read_state

KIND_NAMES = {"accuracy": gettext_lazy("Audit sample"), "agreement": gettext_lazy("Agreement")}


class TeamState(StatisticsState, frozen=True, kw_only=True):
    """The state of the figures of one kind, which is also the name of the page's route."""

    slug: str

    @property
    def evaluation_count(self) -> int:
        """The evaluations that the figures come from."""
        return self.count


def build_team_state(*, project: Project, kind: str, now: datetime) -> tuple[TeamState, TeamFigures | None]:
    """The state of that kind's figures, and their row when they are of the present input."""
    state, row = read_state(
        store=TEAM_STATISTICS, owner=project, kind=kind, names=KIND_NAMES, since=_since, now=now
    )
    return TeamState(**state, slug=project.slug), row


def _since(more: int) -> str:
    """That there are figures of other input, and how many evaluations came since."""
    if more <= 0:
        return _(
            "The figures there are come from other evaluations or an earlier way of computing, so they are not shown."
        )
    sentence = ngettext(
        "%(n)d evaluation came in since the figures were computed, so they are not shown.",
        "%(n)d evaluations came in since the figures were computed, so they are not shown.",
        more,
    )
    return sentence % {"n": more}
