"""The four success metrics, each put into words: literally, corrected, as a plot and as the table under it."""

import math

from django.utils.translation import gettext as _

from rubric.core.records import RubricRecord
from rubric.core.success.conciseness import CONCISENESS, LengthReport
from rubric.core.success.figures import Conclusion, Figure
from rubric.core.success.stability import StabilityReport
from rubric.core.success.understanding import ArmsCompared, Share, UnderstandingReport
from rubric.core.success.variance import Spread, VarianceReport
from rubric.pages.statistics_readings import (
    MetricPart,
    Reading,
    basis_of,
    cell_text,
    figures_plot,
    reading,
    share_interval,
    share_text,
)
from rubric.pages.statistics_state import interval_text, number, signed


def variance_part(found: VarianceReport, record: RubricRecord) -> MetricPart:
    """The first: do reviewers differ less on the criteria than on the score as a whole?"""
    spreads = [*found.criteria, found.overall, found.holistic]
    labels = [
        *(record.criterion(each.key).label for each in found.criteria),
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
                signed(found.difference.value, 3), found.difference, found.conclusion, 3,
            ),
        ],
        plot=figures_plot([(label, each.alpha) for label, each in zip(labels, spreads, strict=True)], 3),
        plot_title=_("Krippendorff's alpha of each kind of score"),
        columns=[
            _("Score"), _("SD within responses, pooled"), _("Variance by that of the whole"), _("ICC(2,1)"), _("Alpha"),
            _("95 % interval"), _("Scores of 1"), _("Scores of 10"), _("Rests on"),
        ],
        rows=[_spread_row(label, each) for label, each in zip(labels, spreads, strict=True)],
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
                signed(found.literal.value, 3), found.literal, found.literal_conclusion, 3,
            ),
            reading(
                _("Corrected"),
                _("the same with overalls rounded to the same grid; tau-a %(tau)s")
                % {"tau": signed(found.difference_tau_a.value, 3) or "–"},
                signed(found.difference.value, 3), found.difference, found.conclusion, 3,
            ),
        ],
        plot=figures_plot([(label, each.tau_b) for label, each in columns], 3),
        plot_title=_("tau-b between reviewers"),
        columns=[_("Figure"), *(label for label, _each in columns)],
        rows=[
            [label, *(cell_text(getattr(each, name), places) for _n, each in columns)] for label, name, places in rows
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
    shares = [(label, Figure(each.value, each.interval)) for label, each in arms]
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
        rows=[_share_row(label, each) for label, each in arms],
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
                signed(found.literal.value, 3), found.literal, found.literal_conclusion, 3,
            ),
            reading(
                _("Corrected"), _("the same within questions"), signed(within.value, 3), within, found.conclusion, 3,
            ),
        ],
        plot=figures_plot(rows, 3, minimum=-1.0),
        plot_title=_("Rank correlation with length, within questions"),
        columns=[_("Score"), _("Correlation with length"), _("95 % interval"), _("Rests on")],
        rows=[
            [label, signed(each.value, 3) or each.reason, interval_text(each.interval, 3), basis_of(each)]
            for label, each in rows
        ],
        caution=_(
            "Questions differ in how long an answer they need, so lengths are compared within questions. Where the "
            "overall rises with length while accuracy is held fixed, reviewers reward length. Whoever only counts "
            "words would reach -1 on conciseness."
        ),
    )  # fmt: skip


def _arms(title: str, what: str, found: ArmsCompared, conclusion: Conclusion) -> Reading:
    return reading(title, what, signed(found.difference.value), found.difference, conclusion)


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
        basis_of(found.alpha) or basis_of(found.variance),
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
