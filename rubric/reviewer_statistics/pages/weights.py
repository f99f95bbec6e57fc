"""The page of weights: weights fitted to a set's reviews, with the evidence, next to the default weights."""

import math
from datetime import datetime

from django.utils.translation import gettext as _

from rubric.core.records import RubricRecord
from rubric.models import ComparisonSet
from rubric.reviewer_statistics.core.figure_kinds import TUNING, TuningFigures
from rubric.reviewer_statistics.core.weights_fit import Tuning
from rubric.reviewer_statistics.pages.state import StatisticsPage, build_state
from rubric.sets.pages import SetFrame
from rubric.versions.permissions import check_edit_rubrics
from workspace.access.permissions import get_refusal
from workspace.display.core.charts import IntervalRow, IntervalsChart, interval_plot
from workspace.models import Person
from workspace.stored_statistics.pages import decode_body


class TuningPage(StatisticsPage, frozen=True):
    """The page: each fit with its plot, the labels of the criteria by key, and why this person may not adopt a fit.

    `basis` is the hash of the input of the figures; a request to adopt names it. `version` is the number of the set's
    version, whose weights are the default.
    """

    fits: list[tuple[Tuning, IntervalsChart | None]] = []
    labels: dict[str, str] = {}
    refusal: str = ""
    basis: str = ""
    version: str = ""


def build_tuning_page(*, comparison_set: ComparisonSet, person: Person, now: datetime) -> TuningPage:
    """The page of a set fetched with its project and rubric."""
    head = SetFrame(comparison_set=comparison_set, current="set_tuning", person=person)
    state, row = build_state(comparison_set=comparison_set, kind=TUNING, now=now)
    if row is None:
        return TuningPage(head, state)
    figures = decode_body(row, TuningFigures)
    record = comparison_set.rubric_version.to_record()
    return TuningPage(
        head=head,
        state=state,
        fits=[(fit, _plot(fit, record)) for fit in (figures.holistic, figures.preferences)],
        labels={criterion.key: criterion.label for criterion in record.criteria},
        refusal=get_refusal(check_edit_rubrics, person),
        version=record.version,
        basis=row.input_sha256,
    )


def _plot(fit: Tuning, record: RubricRecord) -> IntervalsChart | None:
    if fit.weights is None:
        return None
    rows = []
    for key, weight in fit.weights.items():
        low, high = fit.intervals.get(key, (None, None))
        rows.append(
            IntervalRow(
                label=record.criterion(key).label, value=float(weight), text=f"{weight:.3f}", low=low, high=high,
                other=fit.default[key], says=_("default %(weight)s") % {"weight": f"{fit.default[key]:.3f}"},
            )
        )  # fmt: skip
    ends = [end for row in rows for end in (row.value, row.high, row.other) if end is not None]
    # Round up to the next tenth, so that the scale ends at a round number.
    return interval_plot(rows, minimum=0.0, maximum=max(5, math.ceil(10 * max(ends) - 1e-9)) / 10)
