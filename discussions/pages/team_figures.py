"""Where a team's stored figures stand: of the present input, being computed, out of date, or not asked for yet."""

from datetime import datetime
from typing import Any

import msgspec
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from msgspec import Struct

from discussions.models.figured_team import FIGURE_TEAM, KINDS, stored_team_figures, subject_of
from discussions.models.team_figures import TeamFigures
from workspace.models import Job, Project
from workspace.models.jobs import CANCELLED, FAILED, QUEUED, RUNNING
from workspace.pages.progress import worker_note

KIND_NAMES = {"accuracy": gettext_lazy("Audit sample"), "agreement": gettext_lazy("Agreement")}


class TeamPart(Struct, frozen=True):
    """One kind of figures: what it is called, and whether it is computed."""

    name: str
    is_done: bool


class TeamState(Struct, frozen=True):
    """Where the figures of one kind stand. They are shown when `is_there`, and never when they are of other input.

    `kind` is also the name of the page's route. `is_live` says that a job waits or runs. `since` is a sentence about
    figures of other input, "" without any.
    """

    kind: str
    slug: str
    is_there: bool
    is_live: bool
    computed_at: datetime | None
    evaluation_count: int
    done: int
    parts: list[TeamPart]
    since: str
    worker_note: str
    error: str


def build_team_state(*, project: Project, kind: str, now: datetime) -> tuple[TeamState, TeamFigures | None]:
    """The state of that kind's figures, and their row when they are of the present input."""
    stored = stored_team_figures(project)
    count, key = stored.evaluation_count, stored.rows.get(kind)
    row = None if key is None else TeamFigures.objects.get(pk=key)
    job = None
    if row is None and count:
        job = Job.objects.filter(kind=FIGURE_TEAM, subject=subject_of(project)).order_by("-pk").first()
    is_live = job is not None and job.state in (QUEUED, RUNNING)
    state = TeamState(
        kind=kind,
        slug=project.slug,
        is_there=row is not None,
        is_live=is_live,
        computed_at=row.created_at if row else None,
        evaluation_count=count,
        done=len(stored.rows),
        parts=[TeamPart(str(KIND_NAMES[each]), each in stored.rows) for each in KINDS],
        since=_since(project, kind, count) if row is None and count and not is_live else "",
        worker_note=worker_note(now) if is_live else "",
        error=_error(job) if job is not None else "",
    )
    return state, row


def figures_body(row: TeamFigures, shape: type[Any]) -> Any:
    """What is stored, in its shape."""
    return msgspec.json.decode(row.body, type=shape)


def _since(project: Project, kind: str, count: int) -> str:
    """That there are figures of other input, and how many evaluations came since."""
    last = TeamFigures.objects.filter(project=project, kind=kind).order_by("-created_at", "-pk").first()
    if last is None:
        return ""
    more = count - last.evaluation_count
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


def _error(job: Job) -> str:
    if job.state == CANCELLED:
        return _("The work was cancelled before its end.")
    return job.error if job.state == FAILED else ""
