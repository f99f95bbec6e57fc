"""The statistics pages of a set: agreement, fitted weights and the success metrics; what their figures share."""

import math
from collections.abc import Callable, Iterable
from typing import Any

from django import forms
from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, ngettext_lazy

from rubric.core.records import RubricRecord
from rubric.models import ComparisonSet, SetFigures
from rubric.reviewer_statistics.actions import TARGETS, adopt_weights, ask_for_figures
from rubric.reviewer_statistics.core import figure_kinds
from rubric.reviewer_statistics.core.agreement import OVERALL, AgreedOn
from rubric.reviewer_statistics.core.comprehension import Share, UnderstandingReport, understanding_report
from rubric.reviewer_statistics.core.conciseness import CONCISENESS, LengthReport
from rubric.reviewer_statistics.core.stability import Rankings, StabilityReport
from rubric.reviewer_statistics.core.variance import ScoreSpread, VarianceReport
from rubric.reviewer_statistics.core.weights_fit import Tuning
from rubric.reviewer_statistics.permissions import check_tune
from rubric.reviewer_statistics.queries import SET_STATISTICS, count_not_blind, load_surveyed
from rubric.reviews.pages import SetFrame
from rubric.reviews.permissions import check_see_results
from rubric.reviews.queries import reviewer_names
from rubric.reviews.views import SECTION, set_or_404
from rubric.versions.permissions import check_edit_rubrics
from workspace.access.permissions import get_refusal
from workspace.core.refusals import Malformed
from workspace.core.text import number as number_text
from workspace.core.words import decode_stored
from workspace.display.core.charts import IntervalRow, IntervalsChart, interval_plot
from workspace.models import Person
from workspace.statistics.conclusions import Figure
from workspace.statistics.estimates import Agreement
from workspace.statistics.labels import agreement_answer, agreement_plot, figure_row, list_undefined
from workspace.stored_statistics.pages import read_state
from workspace.web.bind_form import bind_form
from workspace.web.views import SignedIn, frame, require, respond

KIND_NAMES = {
    figure_kinds.RATER_EFFECTS: gettext_lazy("Reviewers"),
    figure_kinds.AGREEMENT: gettext_lazy("Agreement"),
    figure_kinds.SUCCESS: gettext_lazy("Success"),
    figure_kinds.TUNING: gettext_lazy("Weights"),
}
SINCE = (
    gettext_lazy(
        "The figures there are come from other reviews or an earlier way of computing, so they are not shown."
    ),
    ngettext_lazy(
        "%(n)d review was submitted since the figures were computed, so they are not shown.",
        "%(n)d reviews were submitted since the figures were computed, so they are not shown.",
        "n",
    ),
)


class KindForm(forms.Form):
    """The kind of figures to compute; it also names the page to redirect to."""

    kind = forms.ChoiceField(choices=[(kind, kind) for kind in figure_kinds.KINDS])


class AdoptForm(forms.Form):
    """Which fit to adopt; `basis` is the hash of the input of the figures that the person saw."""

    target = forms.ChoiceField(choices=[(target, target) for target in TARGETS])
    basis = forms.CharField(max_length=64)


def load_figures(
    request: SignedIn,
    slug: str,
    number: int,
    kind: str,
    check: Callable[[Person, ComparisonSet], None] = check_see_results,
) -> tuple[ComparisonSet, dict[str, Any], SetFigures | None]:
    """The set, the shared context, and the row of figures of that kind if it matches the present input.

    `not_blind` reviews are left out of the figures.
    """
    comparison_set = set_or_404(request.user, slug, number, check)
    state, row = read_state(
        store=SET_STATISTICS,
        owner=comparison_set,
        kind=kind,
        names=KIND_NAMES,
        since=SINCE,
        now=timezone.now(),
    )
    context = {
        "head": SetFrame(comparison_set, figure_kinds.PAGES[kind], request.user),
        "state": state,
        "address": reverse(figure_kinds.PAGES[kind], args=[slug, number]),
        "not_blind": count_not_blind(comparison_set),
        **frame(request.user, comparison_set.project, SECTION),
    }
    return comparison_set, context, row


@require("see_results", methods=("POST",))
def figure_set(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Queue the missing figures; redirects to the page that asked for them."""
    comparison_set = set_or_404(request.user, slug, number, check_see_results)
    form = bind_form(request, KindForm)
    if not form.is_valid():
        raise Malformed(_("The form does not say which figures it is about. Reload the page and try again."))
    ask_for_figures(comparison_set=comparison_set, by=request.user, now=timezone.now())
    return respond(
        request, page="", redirect=reverse(figure_kinds.PAGES[form.cleaned_data["kind"]], args=[slug, number])
    )


MOST_PAIRS = 100


@require("see_results")
def set_agreement(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Pairs that agree least come first; names of others are for leads."""
    comparison_set, context, row = load_figures(request, slug, number, figure_kinds.AGREEMENT)
    if row is not None:
        report = decode_stored(row.body, figure_kinds.AgreementFigures).report
        record = comparison_set.rubric_version.to_record()
        lines = [_agreement_line(agreement, record) for agreement in report.lines]
        pairs = sorted(report.pairs, key=lambda pair: 2.0 if pair.alpha.value is None else pair.alpha.value)
        context |= {
            "answer": agreement_answer([(label, agreement.alpha) for label, agreement, _reasons in lines]),
            "plot": agreement_plot([(label, agreement.alpha, None) for label, agreement, _reasons in lines]),
            "lines": lines,
            "pairs": pairs[:MOST_PAIRS],
            "more_pairs": max(0, len(pairs) - MOST_PAIRS),
            "pairs_on": _("overall") if report.pairs_on == OVERALL else _("holistic score"),
            "names": reviewer_names(comparison_set, request.user, is_lead=context["head"].may_lead),
        }
    return respond(
        request,
        page="rubric/reviewer_statistics/agreement.html",
        region="rubric/reviewer_statistics/_agreement.html",
        context=context,
    )


def _agreement_line(agreement: AgreedOn, record: RubricRecord) -> tuple[str, AgreedOn, list[str]]:
    """The label of a kind of score, the agreement on it, and what is undefined and why."""
    label = record.criterion(agreement.key).label if agreement.key else _("Holistic score")
    coefficients: list[tuple[str, Agreement | Figure]] = [
        ("alpha", agreement.alpha),
        ("AC2", agreement.ac2),
        ("ICC(2,1)", agreement.icc),
        ("W", agreement.w),
    ]
    return (
        _("Weighted overall") if agreement.part == OVERALL else label,
        agreement,
        list_undefined(coefficients, agreement.alpha, _("alpha")),
    )


@require("tune")
def set_weights(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Weights fitted to holistic scores and to preferences. A request to adopt a fit names the hash of their input."""
    comparison_set, context, row = load_figures(request, slug, number, figure_kinds.TUNING, check_tune)
    if row is not None:
        figures = decode_stored(row.body, figure_kinds.TuningFigures)
        record = comparison_set.rubric_version.to_record()
        context |= {
            "fits": [(fit, _weights_plot(fit, record)) for fit in (figures.holistic, figures.preferences)],
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


def _weights_plot(fit: Tuning, record: RubricRecord) -> IntervalsChart | None:
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


@require("see_results")
def set_success(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """The third metric comes from surveys, so it does not need the stored figures."""
    comparison_set, context, row = load_figures(request, slug, number, figure_kinds.SUCCESS)
    context["answered"] = _understanding(understanding_report(load_surveyed(comparison_set)))
    if row is not None:
        figures = decode_stored(row.body, figure_kinds.SuccessFigures)
        record = comparison_set.rubric_version.to_record()
        context |= {
            "notes": _order_notes(figures),
            "spread": _variance(figures.variance, record),
            "rankings": _stability(figures.stability),
            "lengths": _length(figures.length, record),
        }
    return respond(
        request,
        page="rubric/reviewer_statistics/success.html",
        region="rubric/reviewer_statistics/_success.html",
        context=context,
    )


def _order_notes(figures: figure_kinds.SuccessFigures) -> list[str]:
    """The holistic scores that metrics 1 and 2 leave out, and those with an unknown order."""
    notes = []
    if figures.late_count:
        sentence = ngettext(
            "Metrics 1 and 2 leave out the holistic scores of %(n)d review, since the criteria were seen first.",
            "Metrics 1 and 2 leave out the holistic scores of %(n)d reviews, since the criteria were seen first.",
            figures.late_count,
        )
        notes.append(sentence % {"n": figures.late_count})
    if figures.unknown_count:
        sentence = ngettext(
            "%(n)d review was imported from a file that does not say whether the holistic score was given "
            "first. It counts.",
            "%(n)d reviews were imported from files that do not say whether the holistic scores were "
            "given first. They count.",
            figures.unknown_count,
        )
        notes.append(sentence % {"n": figures.unknown_count})
    return notes


def _plot(
    figures: Iterable[tuple[str, Figure]], *, places: int = 3, minimum: float | None = None
) -> IntervalsChart | None:
    """A chart of the figures that have a value, on one scale up to 1; None unless one of them has an interval.

    Without `minimum`, the scale starts at 0, or at -1 if needed.
    """
    rows = [
        figure_row(label, figure, number_text(figure.value, places))
        for label, figure in figures
        if figure.value is not None
    ]
    if all(row.low is None for row in rows):
        return None
    if minimum is None:
        least = min(end for row in rows for end in (row.value, row.low) if end is not None)
        minimum = 0.0 if least >= 0 else -1.0
    return interval_plot(rows, minimum=minimum, maximum=1.0, reference=0 if minimum < 0 else None)


def _variance(
    report: VarianceReport, record: RubricRecord
) -> tuple[VarianceReport, dict[str, ScoreSpread], IntervalsChart | None]:
    """The first metric: the spread of each kind of score, by its label."""
    spreads = {record.criterion(spread.key).label: spread for spread in report.criteria}
    spreads |= {
        _("Weighted overall"): report.overall,
        _("Weighted overall, rounded like the holistic score"): report.on_grid,
        _("Holistic score"): report.holistic,
    }
    return report, spreads, _plot((label, spread.alpha) for label, spread in spreads.items())


def _stability(report: StabilityReport) -> tuple[StabilityReport, dict[str, Rankings], IntervalsChart | None]:
    """The second metric: rankings by each kind of score, by its label."""
    rankings = {
        _("By the overall"): report.overall,
        _("By the overall, rounded like the holistic score"): report.on_grid,
        _("By the holistic score"): report.holistic,
    }
    return report, rankings, _plot((label, ranking.tau_b) for label, ranking in rankings.items())


def _understanding(
    report: UnderstandingReport,
) -> tuple[UnderstandingReport, dict[str, Share], IntervalsChart | None]:
    """The third metric: shares of the answers, by question and by what was shown."""
    shares = {
        _("Understand it (4 or 5), with the scores by criterion"): report.reported.with_breakdown,
        _("Understand it (4 or 5), without"): report.reported.without,
        _("Name the separating criterion, with"): report.checked.with_breakdown,
        _("Name the separating criterion, without"): report.checked.without,
    }
    figures = [(label, Figure(share.value, share.interval)) for label, share in shares.items()]
    return report, shares, _plot(figures, places=2, minimum=0.0)


def _length(
    report: LengthReport, record: RubricRecord
) -> tuple[LengthReport, list[tuple[str, Figure]], Figure, IntervalsChart | None]:
    """The fourth metric: correlations with length by score, and the one of the criterion conciseness."""
    correlations = [(record.criterion(key).label, figure) for key, figure in report.within.items()]
    correlations += [
        (_("Weighted overall"), report.overall),
        (_("Weighted overall, accuracy held fixed"), report.overall_given_accuracy),
    ]
    absent = Figure(None, reason=report.conclusion.reason)
    conciseness = report.within.get(CONCISENESS, absent)
    return report, correlations, conciseness, _plot(correlations, minimum=-1.0)
