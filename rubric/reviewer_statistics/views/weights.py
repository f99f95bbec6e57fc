"""The page of weights: weights fitted to a set's reviews, with the evidence, next to the default weights."""

import math

from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from rubric.core.records import RubricRecord
from rubric.reviewer_statistics.actions import adopt_weights
from rubric.reviewer_statistics.core.figure_kinds import TUNING, TuningFigures
from rubric.reviewer_statistics.core.weights_fit import Tuning
from rubric.reviewer_statistics.forms import AdoptForm
from rubric.reviewer_statistics.permissions import check_tune
from rubric.reviewer_statistics.views.state import load_figures
from rubric.sets.views import set_or_404
from rubric.versions.permissions import check_edit_rubrics
from workspace.access.permissions import get_refusal
from workspace.core.refusals import Malformed
from workspace.display.core.charts import IntervalRow, IntervalsChart, interval_plot
from workspace.stored_statistics.pages import decode_body
from workspace.web.bind_form import bind_form, only_parameters
from workspace.web.require import SignedIn, require
from workspace.web.respond import respond


@require("tune")
def set_tuning(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Weights fitted to holistic scores and to preferences. A request to adopt a fit names the hash of their input."""
    only_parameters(request)
    comparison_set = set_or_404(request.user, slug, number)
    check_tune(request.user, comparison_set)
    _head, context, row = load_figures(request, comparison_set, TUNING)
    if row is not None:
        figures = decode_body(row, TuningFigures)
        record = comparison_set.rubric_version.to_record()
        context |= {
            "fits": [(fit, _plot(fit, record)) for fit in (figures.holistic, figures.preferences)],
            "labels": {criterion.key: criterion.label for criterion in record.criteria},
            "adopt_refusal": get_refusal(check_edit_rubrics, request.user),
            "version": record.version,
            "basis": row.input_sha256,
        }
    return respond(
        request,
        page="rubric/reviewer_statistics/weights.html",
        region="rubric/reviewer_statistics/_weights.html",
        context=context,
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


@require("edit_rubrics", methods=("POST",))
def adopt_fit(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Make a draft of fitted weights; redirects to the draft."""
    comparison_set = set_or_404(request.user, slug, number)
    check_edit_rubrics(request.user)
    form = bind_form(request, AdoptForm)
    if not form.is_valid():
        raise Malformed(_("The form does not say which weights to adopt. Reload the page and try again."))
    made = adopt_weights(
        comparison_set=comparison_set, **form.cleaned_data, by=request.user, now=timezone.now()
    )
    return respond(request, page="", redirect=reverse("rubric_version", args=[made.rubric.key, made.number]))
