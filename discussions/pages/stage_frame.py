"""What stands at the top of every page of a stage: where one is, what the stage is called, and the ways on."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from msgspec import Struct

from discussions.core.iteration_moves import CHANGE
from discussions.models import Iteration, Stage

SECTION = "iterations"
HISTORY, COMPARE, GATE, SUMMARY = "stage", "compare_iterations", "stage_gate", "stage_summary"
# Route and name of each page of a stage, in the order of the tabs; the template leaves out what has no route.
TABS = [
    (HISTORY, gettext_lazy("History")),
    (COMPARE, gettext_lazy("Compare newest")),
    (GATE, gettext_lazy("Gate")),
    (SUMMARY, gettext_lazy("Summary")),
]


class StageTab(Struct, frozen=True):
    """One page: the name of its route, the number in its address, and what it is called."""

    route: str
    number: int
    label: str
    is_current: bool


class StageFrame(Struct, frozen=True):
    """The head of a page of a stage. `newest` is the number of its newest change, 0 while there is none."""

    slug: str
    project: str
    number: int
    name: str
    goal: str
    is_closed: bool
    newest: int
    tabs: list[StageTab]


def build_stage_frame(*, stage: Stage, current: str, newest: int | None = None) -> StageFrame:
    """The head for a stage fetched with its project; `current` is the route of the page.

    One query, for the number of the newest change, where the page does not know it.
    """
    if newest is None:
        changes = Iteration.objects.filter(stage=stage, kind=CHANGE).order_by("-number")
        newest = changes.values_list("number", flat=True).first() or 0
    return StageFrame(
        slug=stage.project.slug,
        project=stage.project.name,
        number=stage.number,
        name=stage.name,
        goal=stage.goal,
        is_closed=stage.closed_at is not None,
        newest=newest,
        tabs=[
            StageTab(route, newest if route == COMPARE else stage.number, str(label), route == current)
            for route, label in TABS
            if route != COMPARE or newest
        ],
    )


def counted_says(stage: Stage) -> str:
    """How the stage's row of successes is counted."""
    units = {"iteration": _("whole iterations"), "game": _("single games")}
    rules = {"average": _("on average"), "every_game": _("in every game")}
    return _("A success is counted in %(unit)s, with the rating needed %(rule)s.") % {
        "unit": units[stage.streak_unit],
        "rule": rules[stage.engagement_rule],
    }
