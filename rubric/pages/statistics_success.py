"""The page of the four success metrics: each literally, and beside it the figure that does not pass by arithmetic."""

from datetime import datetime

from msgspec import Struct

from rubric.core.figured import SUCCESS, SuccessFigures
from rubric.core.success.understanding import understanding_report
from rubric.models import ComparisonSet
from rubric.models.figured import surveyed_of
from rubric.pages.set_frame import SetFrame, build_set_frame
from rubric.pages.statistics_metrics import length_part, stability_part, understanding_part, variance_part
from rubric.pages.statistics_readings import MetricPart
from rubric.pages.statistics_state import FiguresState, build_state
from workspace.models import Person
from workspace.pages.stored_statistics import decode_body


class SuccessPage(Struct, frozen=True):
    """The page. The third metric comes from surveys, so it is there without the other figures, too."""

    head: SetFrame
    state: FiguresState
    metrics: list[MetricPart]


def build_success_page(*, comparison_set: ComparisonSet, person: Person, now: datetime) -> SuccessPage:
    """The page of a set fetched with its project and rubric."""
    head = build_set_frame(comparison_set=comparison_set, current="set_success", person=person)
    state, row = build_state(comparison_set=comparison_set, kind=SUCCESS, now=now)
    understanding = understanding_part(understanding_report(surveyed_of(comparison_set)))
    if row is None:
        return SuccessPage(head, state, [understanding])
    figures = decode_body(row, SuccessFigures)
    record = comparison_set.rubric_version.to_record()
    metrics = [
        variance_part(figures.variance, record),
        stability_part(figures.stability),
        understanding,
        length_part(figures.length, record),
    ]
    return SuccessPage(head, state, metrics)
