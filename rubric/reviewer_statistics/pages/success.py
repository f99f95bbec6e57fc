"""The page of the four success metrics: each read literally and corrected, in words, as a plot and as a table."""

import math
from collections.abc import Sequence
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from msgspec import Struct

from rubric.core.records import RubricRecord
from rubric.models import ComparisonSet
from rubric.reviewer_statistics.core.comprehension import (
    ArmsCompared,
    Share,
    UnderstandingReport,
    understanding_report,
)
from rubric.reviewer_statistics.core.conciseness import CONCISENESS, LengthReport
from rubric.reviewer_statistics.core.figure_kinds import SUCCESS, SuccessFigures
from rubric.reviewer_statistics.core.stability import StabilityReport
from rubric.reviewer_statistics.core.variance import Spread, VarianceReport
from rubric.reviewer_statistics.pages.state import FiguresState, build_state
from rubric.reviewer_statistics.queries import load_surveyed
from rubric.sets.pages import SetFrame, build_set_frame
from workspace.display.core.charts import IntervalRow, IntervalsChart, interval_plot
from workspace.models import Person
from workspace.statistics.conclusions import Conclusion, Figure
from workspace.statistics.labels import format_signed, interval_text, number
from workspace.stored_statistics.pages import decode_body

WORDS = {
    "holds": (gettext_lazy("holds"), "good"),
    "not_worse": (gettext_lazy("not worse"), "good"),
    "fails": (gettext_lazy("does not hold"), "bad"),
    "cannot_tell": (gettext_lazy("cannot tell yet"), "wait"),
}


_PREFIX = "Cannot tell yet: "


class Reading(Struct, frozen=True):
    """One way to read a metric: the figure, what can be concluded, on how much it rests and how much it would need."""

    title: str
    what: str
    figure: str
    interval: str
    word: str
    tone: str
    reason: str
    basis: str


class MetricPart(Struct, frozen=True):
    """One metric: what it claims, both readings, the plot and its table (first column names the row), what to mind."""

    number: int
    key: str
    claim: str
    readings: list[Reading]
    plot: IntervalsChart | None
    plot_title: str
    columns: list[str]
    rows: list[list[str]]
    caution: str


def reading(
    title: str, what: str, shown: str, figure: Figure, conclusion: Conclusion, places: int = 2
) -> Reading:
    """A figure with its conclusion; `shown` is "" where there is none, which is then said in its place."""
    word, tone = WORDS[conclusion.code]
    reason = conclusion.reason.removeprefix(_PREFIX)
    return Reading(
        title=title,
        what=what,
        figure=shown or "–",
        interval=interval_text(figure.interval, places),
        word=str(word),
        tone=tone,
        reason=reason[:1].upper() + reason[1:],
        basis=rests_on(conclusion),
    )


def rests_on(found: Conclusion) -> str:
    """On how much a conclusion rests, and how much it would need."""
    units = {"comparisons": _("questions"), "answers in each arm": _("answers in each arm")}
    values = {"n": found.count, "needed": found.needed, "unit": units.get(found.unit, found.unit)}
    if found.needed is None:
        return _("Rests on %(n)d %(unit)s; how many it needs cannot be said yet.") % values
    return (
        _("Rests on %(n)d %(unit)s; a difference that matters shows reliably from about %(needed)d on.")
        % values
    )


def figures_plot(
    figures: Sequence[tuple[str, Figure]], places: int, minimum: float | None = None
) -> IntervalsChart | None:
    """The figures that there are on one scale up to 1, from 0 where none lies below."""
    rows = [
        IntervalRow(
            label=label,
            value=figure.value,
            text=number(figure.value, places),
            low=figure.interval[0] if figure.interval else None,
            high=figure.interval[1] if figure.interval else None,
        )
        for label, figure in figures
        if figure.value is not None
    ]
    if not rows:
        return None
    if minimum is None:
        least = min(end for row in rows for end in (row.value, row.low) if end is not None)
        minimum = 0.0 if least >= 0 else -1.0
    return interval_plot(rows, minimum=minimum, maximum=1.0, reference=0 if minimum < 0 else None)


def cell_text(found: Figure, places: int) -> str:
    """A figure with its interval; with no decimals it is a share, in percent."""
    if found.value is None:
        return found.reason
    if places == 0:
        return share_text(found.value)
    shown, interval = number(found.value, places), interval_text(found.interval, places)
    return f"{shown} ({interval})" if interval else shown


def share_text(value: float | None) -> str:
    """A share of 1 in percent; "" without one."""
    return "" if value is None else _("%(n)s %%") % {"n": number(100 * value, 0)}


def share_interval(found: Share) -> str:
    """Its interval in percent; "" without one."""
    if found.interval is None:
        return ""
    low, high = (number(100 * end, 0) for end in found.interval)
    return _("%(low)s to %(high)s %%") % {"low": low, "high": high}


def describe_basis(found: Figure) -> str:
    """On how much a figure rests."""
    return counted_basis(found.responses, found.comparisons) if found.responses else ""


def counted_basis(responses: int, questions: int) -> str:
    """So many responses to so many questions."""
    said = (
        ngettext("%(n)d response", "%(n)d responses", responses) % {"n": responses},
        ngettext("%(n)d question", "%(n)d questions", questions) % {"n": questions},
    )
    return ", ".join(said)


def variance_part(found: VarianceReport, record: RubricRecord) -> MetricPart:
    """The first: do reviewers differ less on the criteria than on the score as a whole?"""
    spreads = [*found.criteria, found.overall, found.holistic]
    labels = [
        *(record.criterion(criterion.key).label for criterion in found.criteria),
        _("Weighted overall"),
        _("Score as a whole"),
    ]
    return MetricPart(
        number=1,
        key="variance",
        claim=_("Scores by criterion have a lower variance between reviewers than scores as a whole (holistic)."),
        readings=[
            reading(
                _("Literally"), _("variance of the criteria by that of the score as a whole"),
                number(found.literal.value), found.literal, found.literal_conclusion,
            ),
            reading(
                _("Corrected"), _("alpha of the weighted overall less alpha of the score as a whole"),
                format_signed(found.difference.value, 3), found.difference, found.conclusion, 3,
            ),
        ],
        plot=figures_plot([(label, spread.alpha) for label, spread in zip(labels, spreads, strict=True)], 3),
        plot_title=_("Krippendorff's alpha of each kind of score"),
        columns=[
            _("Score"), _("SD within responses, pooled"), _("Variance by that of the whole"), _("ICC(2,1)"), _("Alpha"),
            _("95 % interval"), _("Scores of 1"), _("Scores of 10"), _("Rests on"),
        ],
        rows=[_spread_row(label, spread) for label, spread in zip(labels, spreads, strict=True)],
        caution=_(
            "A weighted mean of four scores varies less than one score by arithmetic alone, so the literal ratio can "
            "be met by criteria that tell nothing. Reliability, which is what alpha and ICC measure, cannot."
        ),
    )  # fmt: skip


def stability_part(found: StabilityReport) -> MetricPart:
    """The second: are rankings more stable?"""
    columns = [
        (_("By the overall"), found.overall),
        (_("By the overall, rounded like the score as a whole"), found.on_grid),
        (_("By the score as a whole"), found.holistic),
    ]
    rows = [
        (_("tau-b between reviewers"), "tau_b", 3), (_("tau-a between reviewers"), "tau_a", 3),
        (_("Kendall's W"), "w", 3), (_("tau-b with reviewers drawn anew"), "resampled_tau", 3),
        (_("Same winner with reviewers drawn anew"), "same_winner", 0),
        (_("Winner kept whoever is left out"), "left_out_winner", 0), (_("Pairs of responses tied"), "tied_share", 0),
    ]  # fmt: skip
    return MetricPart(
        number=2,
        key="stability",
        claim=_("Rankings are more stable."),
        readings=[
            reading(
                _("Literally"), _("tau-b between reviewers: overall less score as a whole"),
                format_signed(found.literal.value, 3), found.literal, found.literal_conclusion, 3,
            ),
            reading(
                _("Corrected"),
                _("the same with overalls rounded to the same grid; tau-a %(tau)s")
                % {"tau": format_signed(found.difference_tau_a.value, 3) or "–"},
                format_signed(found.difference.value, 3), found.difference, found.conclusion, 3,
            ),
        ],
        plot=figures_plot([(label, figures.tau_b) for label, figures in columns], 3),
        plot_title=_("tau-b between reviewers"),
        columns=[_("Figure"), *(label for label, _each in columns)],
        rows=[
            [label, *(cell_text(getattr(figures, name), places) for _n, figures in columns)]
 for label, name, places in rows
        ],
        caution=_(
            "tau-b leaves ties out and so favours the coarser scale, tau-a the finer one. Only where both agree on the "
            "same grid is one kind of ranking called more stable."
        ),
    )  # fmt: skip


def understanding_part(found: UnderstandingReport) -> MetricPart:
    """The third: do people understand results better?"""
    arms = [
        (_("Understand it (4 or 5), with the scores by criterion"), found.reported.with_breakdown),
        (_("Understand it (4 or 5), without"), found.reported.without),
        (_("Name the separating criterion, with"), found.checked.with_breakdown),
        (_("Name the separating criterion, without"), found.checked.without),
    ]
    shares = [(label, Figure(share.value, share.interval)) for label, share in arms]
    return MetricPart(
        number=3,
        key="understanding",
        claim=_("People understand results better with scores by criterion."),
        readings=[
            _arms(_("Literally"), _("share who say 4 or 5, with less without"), found.reported, found.conclusion),
            _arms(
                _("Checked"), _("share who name the separating criterion, with less without"), found.checked,
                found.checked.conclusion,
            ),
        ],
        plot=figures_plot(shares, 2, minimum=0.0),
        plot_title=_("Shares of the answers, by what was shown"),
        columns=[
            _("Question and what was shown"), _("Share"), _("95 % interval"), _("Answers"), _("People"), _("Questions"),
        ],
        rows=[_share_row(label, share) for label, share in arms],
        caution=_(
            "Reviewers are asked once a set is closed, before its results open: chance decides whether the scores by "
            "criterion are shown while they answer. What they say counts only where the check does not contradict."
        ),
    )  # fmt: skip


def length_part(found: LengthReport, record: RubricRecord) -> MetricPart:
    """The fourth: do longer responses score lower on conciseness?"""
    rows = [(record.criterion(key).label, figure) for key, figure in found.within.items()]
    rows += [
        (_("Weighted overall"), found.overall),
        (_("Weighted overall, accuracy held fixed"), found.overall_given_accuracy),
    ]
    absent = Figure(None, reason=found.conclusion.reason)
    within = found.within.get(CONCISENESS, absent)
    return MetricPart(
        number=4,
        key="conciseness",
        claim=_("Conciseness goes down as responses get longer."),
        readings=[
            reading(
                _("Literally"), _("rank correlation of length and conciseness, all responses pooled"),
                format_signed(found.literal.value, 3), found.literal, found.literal_conclusion, 3,
            ),
            reading(
                _("Corrected"), _("the same within questions"), format_signed(within.value, 3), within,
                found.conclusion, 3,
            ),
        ],
        plot=figures_plot(rows, 3, minimum=-1.0),
        plot_title=_("Rank correlation with length, within questions"),
        columns=[_("Score"), _("Correlation with length"), _("95 % interval"), _("Rests on")],
        rows=[
            [label, format_signed(rho.value, 3) or rho.reason, interval_text(rho.interval, 3), describe_basis(rho)]
            for label, rho in rows
        ],
        caution=_(
            "Questions differ in how long an answer they need, so lengths are compared within questions. Where the "
            "overall rises with length while accuracy is held fixed, reviewers reward length. Whoever only counts "
            "words would reach -1 on conciseness."
        ),
    )  # fmt: skip


def _arms(title: str, what: str, found: ArmsCompared, conclusion: Conclusion) -> Reading:
    return reading(title, what, format_signed(found.difference.value), found.difference, conclusion)


def _spread_row(label: str, found: Spread) -> list[str]:
    variance = found.variance.value
    return [
        label,
        "" if variance is None else number(math.sqrt(variance), 3),
        cell_text(found.ratio, 2) if found.ratio.value is not None else "",
        number(found.icc.value, 3),
        number(found.alpha.value, 3) or found.alpha.reason,
        interval_text(found.alpha.interval, 3),
        share_text(found.at_floor),
        share_text(found.at_ceiling),
        describe_basis(found.alpha) or describe_basis(found.variance),
    ]


def _share_row(label: str, found: Share) -> list[str]:
    value = share_text(found.value) or _("nobody answered")
    return [
        label,
        value,
        share_interval(found),
        str(found.answers),
        str(found.people),
        str(found.comparisons),
    ]


class SuccessPage(Struct, frozen=True):
    """The page. The third metric comes from surveys, so it is there without the other figures, too."""

    head: SetFrame
    state: FiguresState
    metrics: list[MetricPart]


def build_success_page(*, comparison_set: ComparisonSet, person: Person, now: datetime) -> SuccessPage:
    """The page of a set fetched with its project and rubric."""
    head = build_set_frame(comparison_set=comparison_set, current="set_success", person=person)
    state, row = build_state(comparison_set=comparison_set, kind=SUCCESS, now=now)
    understanding = understanding_part(understanding_report(load_surveyed(comparison_set)))
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
