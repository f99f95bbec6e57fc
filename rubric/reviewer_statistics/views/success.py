"""The page of the four success metrics, each read literally and corrected."""

from collections.abc import Iterable

from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from rubric.core.records import RubricRecord
from rubric.reviewer_statistics.core.comprehension import Share, UnderstandingReport, understanding_report
from rubric.reviewer_statistics.core.conciseness import CONCISENESS, LengthReport
from rubric.reviewer_statistics.core.figure_kinds import SUCCESS, SuccessFigures
from rubric.reviewer_statistics.core.stability import Rankings, StabilityReport
from rubric.reviewer_statistics.core.variance import Spread, VarianceReport
from rubric.reviewer_statistics.queries import load_surveyed
from rubric.reviewer_statistics.views.state import get_results_set, load_figures
from workspace.display.core.charts import IntervalRow, IntervalsChart, interval_plot
from workspace.statistics.conclusions import Figure
from workspace.statistics.labels import number as number_text
from workspace.stored_statistics.pages import decode_body
from workspace.web.require import SignedIn, require
from workspace.web.respond import respond


@require("see_results")
def set_success(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """The third metric comes from surveys, so it does not need the stored figures."""
    comparison_set = get_results_set(request, slug, number)
    _head, context, row = load_figures(request, comparison_set, SUCCESS)
    context["answered"] = _understanding(understanding_report(load_surveyed(comparison_set)))
    if row is not None:
        figures = decode_body(row, SuccessFigures)
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


def _order_notes(figures: SuccessFigures) -> list[str]:
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
        IntervalRow(
            label=label,
            value=figure.value,
            text=number_text(figure.value, places),
            low=figure.interval[0] if figure.interval else None,
            high=figure.interval[1] if figure.interval else None,
        )
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
) -> tuple[VarianceReport, dict[str, Spread], IntervalsChart | None]:
    """The first metric: the spread of each kind of score, by its label."""
    spreads = {record.criterion(spread.key).label: spread for spread in report.criteria}
    spreads |= {_("Weighted overall"): report.overall, _("Holistic score"): report.holistic}
    return report, spreads, _plot((label, spread.alpha) for label, spread in spreads.items())


def _stability(
    report: StabilityReport,
) -> tuple[StabilityReport, dict[str, Rankings], IntervalsChart | None]:
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
