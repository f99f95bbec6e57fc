"""The page of weights: what a set's reviews speak for, with the evidence, beside the weights it was scored by."""

import math
from datetime import datetime

from django.utils.translation import gettext as _
from msgspec import Struct

from rubric.core.records import RubricRecord
from rubric.models import ComparisonSet
from rubric.reviewer_statistics.core.figure_kinds import TUNING, TuningFigures
from rubric.reviewer_statistics.core.weights_fit import Tuning
from rubric.reviewer_statistics.pages.state import FiguresState, build_state
from rubric.sets.pages import SetFrame, build_set_frame
from rubric.versions.permissions import check_edit_rubrics
from workspace.access.permissions import get_refusal
from workspace.display.core.charts import IntervalRow, IntervalsChart, interval_plot
from workspace.models import Person
from workspace.statistics.labels import format_signed, interval_text, number
from workspace.stored_statistics.pages import decode_body


class WeightLine(Struct, frozen=True):
    """One criterion: the weight it has, the one that was fitted, and how sure that is."""

    label: str
    default: str
    fitted: str
    interval: str
    says: str


class FittedWeights(Struct, frozen=True):
    """Weights fitted to one target. Without `lines` there are none, and `reason` says why.

    `adopt_refusal` says why they are not to be adopted, or why not by this person; "" allows it.
    """

    target: str
    title: str
    what: str
    basis: str
    reason: str
    caution: str
    evidence: list[tuple[str, str, str]]
    plot: IntervalsChart | None
    lines: list[WeightLine]
    is_worth_adopting: bool
    adopt_refusal: str


class TuningPage(Struct, frozen=True):
    """The page; `basis` is the hash of what the figures come from, which adopting names."""

    head: SetFrame
    state: FiguresState
    fits: list[FittedWeights]
    basis: str


def build_tuning_page(*, comparison_set: ComparisonSet, person: Person, now: datetime) -> TuningPage:
    """The page of a set fetched with its project and rubric."""
    head = build_set_frame(comparison_set=comparison_set, current="set_tuning", person=person)
    state, row = build_state(comparison_set=comparison_set, kind=TUNING, now=now)
    if row is None:
        return TuningPage(head, state, [], "")
    figures = decode_body(row, TuningFigures)
    record = comparison_set.rubric_version.to_record()
    refusal = get_refusal(check_edit_rubrics, person)
    fits = [_fit(tuning, record, refusal) for tuning in (figures.holistic, figures.preferences)]
    return TuningPage(head, state, fits, row.input_sha256)


def _fit(found: Tuning, record: RubricRecord, refusal: str) -> FittedWeights:
    is_holistic = found.target == "holistic"
    counted = {"responses": found.responses, "comparisons": found.comparisons, "units": found.units}
    basis = (
        _("%(responses)d responses to %(comparisons)d questions") % counted
        if is_holistic
        else _("%(units)d preferences between %(responses)d responses to %(comparisons)d questions") % counted
    )
    lines = [_line(found, key, record) for key in found.default] if found.weights else []
    return FittedWeights(
        target=found.target,
        title=_("Fitted to the scores as a whole") if is_holistic else _("Fitted to preferences"),
        what=_("The weights under which the overall comes nearest to what reviewers gave as a whole.")
        if is_holistic
        else _(
            "The weights under which the overall agrees best with how reviewers rank responses by themselves."
        ),
        basis=basis if found.comparisons else "",
        reason=found.reason,
        caution=found.caution,
        evidence=_evidence(found, is_holistic) if found.weights else [],
        plot=_plot(found, record),
        lines=lines,
        is_worth_adopting=found.is_worth_adopting,
        adopt_refusal=refusal
        if found.is_worth_adopting
        else _("The evidence is too weak to adopt these weights."),
    )


def _evidence(found: Tuning, is_holistic: bool) -> list[tuple[str, str, str]]:
    """Figures on questions that took no part in the fit: name, figure, what it means."""
    unit = _("squared points, mean") if is_holistic else _("negative log probability, mean")
    shrinkage = (
        _("none: as the reviews say") if not found.shrinkage else _("0 is none, 100 nearly the default")
    )
    return [
        (_("Error with the default weights"), number(found.default_error, 4), unit),
        (_("Error with the fitted weights"), number(found.fitted_error, 4), _("on questions left out of the fit")),
        (
            _("Gain"), format_signed(found.gain, 4),
            _("standard error %(error)s; it takes more than one") % {"error": number(found.gain_error, 4)},
        ),
        (_("Shrinkage to the default"), f"{found.shrinkage:g}", shrinkage),
    ]  # fmt: skip


def _line(found: Tuning, key: str, record: RubricRecord) -> WeightLine:
    assert found.weights is not None
    interval, default = found.intervals.get(key), found.default[key]
    says = ""
    if interval is not None:
        inside = interval[0] <= default <= interval[1]
        says = _("holds the default") if inside else _("leaves the default out")
    return WeightLine(
        label=record.criterion(key).label,
        default=f"{default:.4f}",
        fitted=str(found.weights[key]),
        interval=interval_text(interval, 3),
        says=says,
    )


def _plot(found: Tuning, record: RubricRecord) -> IntervalsChart | None:
    if found.weights is None:
        return None
    rows = []
    for key, weight in found.weights.items():
        low, high = found.intervals.get(key, (None, None))
        rows.append(
            IntervalRow(
                label=record.criterion(key).label, value=float(weight), text=f"{weight:.3f}", low=low, high=high,
                other=found.default[key], says=_("default %(weight)s") % {"weight": f"{found.default[key]:.3f}"},
            )
        )  # fmt: skip
    ends = [end for row in rows for end in (row.value, row.high, row.other) if end is not None]
    # To the next tenth, so that the end of the scale is a round figure.
    return interval_plot(rows, minimum=0.0, maximum=max(5, math.ceil(10 * max(ends) - 1e-9)) / 10)
