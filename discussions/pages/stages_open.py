"""The form for a project's first stage: what its gate will ask, and why it cannot be opened."""

from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.core.verdict import rules_of
from discussions.models import Iteration, Stage
from rubric.core.records import RubricRecord
from workspace.core.text_display import figure
from workspace.models import Project


class StageOpenPage(Struct, frozen=True):
    """What stands beside the form. `there` is the number of the newest stage, 0 while there is none."""

    slug: str
    name: str
    there: int
    asks: list[str]


def build_stage_open_page(*, project: Project) -> StageOpenPage:
    """The page; what the gate asks comes from the rubric version of the project's unsorted games."""
    unsorted = Iteration.objects.select_related("rubric_version").get(project=project, stage=None)
    newest = Stage.objects.filter(project=project).order_by("-number").values_list("number", flat=True)
    return StageOpenPage(
        slug=project.slug,
        name=project.name,
        there=newest.first() or 0,
        asks=_asks(unsorted.rubric_version.to_record()),
    )


def _asks(rubric: RubricRecord) -> list[str]:
    rules = rules_of(rubric)
    given = {
        "row": int(rubric.parameters["successes_in_a_row"]),
        "needed": rules.needed,
        "of": len(rubric.criteria),
        "cost": figure(rules.amber, decimals=2),
        "cache": figure(float(rubric.parameters["cache_hit_percent"])),
    }
    return [
        _("%(row)d successes in a row, each with %(needed)d of %(of)d averages passing") % given,
        _("every game of them below %(cost)s dollars") % given,
        _("a cache hit rate above %(cache)s %% over their games") % given,
        _("a lead's signed statement that the games are fascinating to watch"),
    ]
