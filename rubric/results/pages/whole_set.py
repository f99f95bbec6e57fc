"""The results of a set: the ranking across comparisons, correlations of criteria, and which reviews do not count."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext_lazy
from msgspec import Struct

from rubric.core.records import BOTH, HOLISTIC, RUBRIC, Criterion
from rubric.core.scales import COMMON, HIGHEST, LOWEST, Scales, take_from_common
from rubric.core.weights import exact
from rubric.models import ComparisonSet
from rubric.results.core.ranking_uncertainty import compute_rounding
from rubric.results.core.whole_set import Pair, Scored, Subject, build_subjects, correlations, score_responses
from rubric.results.pages.headline import Headline, build_headline
from rubric.results.pages.outcomes import build_outcomes, load_set_responses
from rubric.results.pages.reviews import NO_SCORES
from rubric.results.pages.score_views import build_views
from rubric.results.pages.words import ResultsQuery, draw_means, list_version_options, two, weight_text
from rubric.reviews.permissions import check_open_set
from rubric.reviews.queries import Reviewed, load_rankings, load_reviewed, reviewer_names, to_rows
from rubric.versions.labels import format_mark
from rubric.versions.permissions import check_see_weights
from workspace.access.permissions import may
from workspace.core.text import number
from workspace.display.core.charts import DotsChart, scatter
from workspace.display.core.multiples import DOTS, SCATTER_POINTS
from workspace.models import Person
from workspace.statistics.conclusions import LEAST_COMPARISONS

# A column whose means lie closer than this is not shaded up to the last of its steps.
LEAST_SPAN, STEPS = 2.2, 4
# Correlations that are weaker say nothing.
WEAK = 0.1


def shade(
    values: Sequence[Fraction | float | None], *, lowest: float | None = None, span: float = LEAST_SPAN
) -> list[int]:
    """The step of ink of each value, 0 to 4, from `lowest` (else their own lowest) over `span` points or more."""
    known = [float(value) for value in values if value is not None]
    low = min(known, default=0.0) if lowest is None else lowest
    width = max(max(known, default=0.0) - low, span)
    return [0 if value is None else round(STEPS * (float(value) - low) / width) for value in values]


def build_pairs(scored: Sequence[Scored], criteria: Sequence[Criterion]) -> dict[str, Any]:
    """Every pair of criteria, and each criterion with the holistic score if given; over means of responses.

    `rows` are those of a triangle, whose columns are `labels`; each cell is a plot with the column on the x axis.
    """
    labels = {criterion.key: criterion.label for criterion in criteria}
    if labels and any(score.holistic is not None for score in scored):
        labels[HOLISTIC] = _("Holistic")
    found = correlations(scored, [criterion.key for criterion in criteria], with_holistic=HOLISTIC in labels)
    plots = {
        (pair.one, pair.other): {
            "id": f"pair-{at}",
            "along": labels[pair.one],
            "up": labels[pair.other],
            "text": "" if pair.correlation is None else number(pair.correlation),
            "step": shade([abs(pair.correlation or 0)], lowest=0.0, span=1.0)[0],
            "scatter": scatter(pair.points, minimum=LOWEST, maximum=HIGHEST),
        }
        for at, pair in enumerate(found, start=1)
    }
    keys = list(labels)
    return {
        "labels": [labels[key] for key in keys[:-1]],
        "rows": [
            (labels[other], [plots[one, other] for one in keys[:at]]) for at, other in enumerate(keys) if at
        ],
        "plots": list(plots.values()),
        "says": _name_strongest(found, labels),
        "response_count": max((len(pair.points) for pair in found), default=0),
        "least": SCATTER_POINTS,
    }


def _name_strongest(found: Sequence[Pair], labels: dict[str, str]) -> str:
    """The two criteria of the strongest correlation, in words."""
    known = [
        (pair.correlation, pair) for pair in found if pair.correlation is not None and pair.other != HOLISTIC
    ]
    value, strongest = max(known, key=lambda each: abs(each[0]), default=(0.0, None))
    if strongest is None or abs(value) < WEAK:
        return _("No two criteria go together")
    said = (
        _("Where %(one)s is high, %(other)s is low")
        if value < 0
        else _("%(one)s and %(other)s go together most")
    )
    return said % {"one": labels[strongest.one], "other": labels[strongest.other]}


# What does not count, or counts in another way than the rest, with the reason, in the order of `set_notes`.
NOTES = (
    ngettext_lazy(
        "%(n)d incomplete judgement is left out.", "%(n)d incomplete judgements are left out.", "n"
    ),
    ngettext_lazy(
        "%(n)d incomplete judgement counts, divided by the weights of the criteria that were scored.",
        "%(n)d incomplete judgements count, divided by the weights of the criteria that were scored.",
        "n",
    ),
    ngettext_lazy(
        "%(n)d review gave only a holistic score where criteria were asked for; it is never averaged with "
        "overalls.",
        "%(n)d reviews gave only a holistic score where criteria were asked for; they are never averaged with "
        "overalls.",
        "n",
    ),
    ngettext_lazy(
        "%(n)d review counts by its ranking alone, in the mean ranks.",
        "%(n)d reviews count by their rankings alone, in the mean ranks.",
        "n",
    ),
    ngettext_lazy(
        "%(n)d review scored criteria alone where a holistic score was asked for; it does not count here.",
        "%(n)d reviews scored criteria alone where a holistic score was asked for; they do not count here.",
        "n",
    ),
    ngettext_lazy(
        "%(n)d review holds no scores: declined, or unreadable.",
        "%(n)d reviews hold no scores: declined, or unreadable.",
        "n",
    ),
    ngettext_lazy(
        "%(n)d judgement of a reviewer's own response does not count.",
        "%(n)d judgements of reviewers' own responses do not count.",
        "n",
    ),
)


def set_notes(
    reviewed: Sequence[Reviewed], asked: ResultsQuery, kind: str, ranked_count: int = 0
) -> tuple[list[str], int]:
    """The notes, and how many judgements are left out as incomplete; `ranked_count` reviews count by rank alone."""
    others = [review for review in reviewed if not review.is_own]
    is_rubric, keys = kind == RUBRIC, asked.shares.keys()
    scored = {review.review for review in others if review.scores}
    whole = {review.review for review in others if review.holistic is not None}
    incomplete = sum(
        bool(review.scores.keys() & keys) and not keys <= review.scores.keys() for review in others
    )
    left_out = incomplete if is_rubric and not asked.with_incomplete else 0
    counts = (
        left_out,
        incomplete - left_out if is_rubric else 0,
        len(whole - scored) if is_rubric else 0,
        ranked_count,
        0 if is_rubric else len(scored - whole),
        len({review.review for review in reviewed if review.mode in NO_SCORES}),
        sum(review.is_own for review in reviewed),
    )
    return [said % {"n": n} for said, n in zip(NOTES, counts, strict=True) if n], left_out


class SetResultsPage(Struct, frozen=True):
    """Everything the page shows. `by_author` says whether rows are authors or keys of responses.

    `means` are those of each subject by criterion, each on its own scale, as (text, step of ink, whether it is the
    best); `scales` names those that are not common. `weights` is empty where they are hidden.
    """

    asked: ResultsQuery
    choices: list[tuple[str, str]]
    by_author: bool
    reviewer_count: int
    reviewed_count: int
    left_out_count: int
    notes: list[str]
    headline: Headline
    subjects: list[Subject]
    chart: DotsChart
    criteria: Sequence[Criterion]
    means: dict[str, list[tuple[str, int, bool]]]
    scales: dict[str, str]
    weights: dict[str, str]
    views: dict[str, Any]
    pairs: dict[str, Any]
    outcomes: dict[str, Any]
    least_comparisons: int = DOTS

    @property
    def comparison_count(self) -> int:
        return int(self.outcomes["count"])

    @property
    def has_holistic(self) -> bool:
        return any(row.holistic is not None for row in self.subjects)

    @property
    def differs(self) -> str:
        return _name_widest(self.subjects, self.criteria)

    @property
    def interval_reason(self) -> str:
        return _interval_reason(self.subjects)

    @property
    def same_order(self) -> str:
        """Whether the other analyses have the same order; "" without another analysis."""
        count, changed = len(self.views["heads"]), self.views["changed"]
        if count < 2:
            return ""
        if changed:
            return _("The order is another by: %(views)s.") % {"views": ", ".join(changed)}
        if count == 2:
            return _("Same order in both analyses:")
        return _("Same order in all %(n)d analyses:") % {"n": count}

    @property
    def dot_count(self) -> int:
        return max((len(subject.means) for subject in self.subjects), default=0)


def build_set_results(
    *, comparison_set: ComparisonSet, asked: ResultsQuery, person: Person
) -> SetResultsPage:
    """The page for a set fetched with its project and rubric."""
    named_responses, names, by_author = load_set_responses(comparison_set)
    reviewed = load_reviewed(comparison_set)
    reviewed.sort(key=lambda scored: (scored.comparison, scored.response, scored.reviewer))
    rows, shares, mode = to_rows(reviewed), asked.shares, comparison_set.mode
    kind = HOLISTIC if mode == HOLISTIC else RUBRIC
    scored = score_responses(rows, shares, kind=kind, with_incomplete=asked.with_incomplete)
    rankings = load_rankings(reviewed, kind=kind)
    subjects = build_subjects(scored, names, rankings=rankings)
    sees = kind == RUBRIC and may(check_see_weights, person)
    criteria = [] if kind == HOLISTIC else asked.criteria
    scales = comparison_set.rubric_version.to_record().scales
    rounding = compute_rounding(rows, shares, scales, kind=kind)
    whole = score_responses(rows, shares) if sees and asked.with_incomplete else scored if sees else []
    notes, left_out = set_notes(reviewed, asked, kind, sum(map(len, rankings.values())))
    is_lead = may(check_open_set, person, comparison_set.project)
    reviewers = reviewer_names(comparison_set, person, is_lead=is_lead)
    return SetResultsPage(
        asked=asked,
        choices=list_version_options(comparison_set) if sees else [],
        by_author=by_author,
        reviewer_count=len({row.reviewer for row in reviewed if row.mode not in NO_SCORES}),
        reviewed_count=len({row.comparison for row in reviewed if row.mode not in NO_SCORES}),
        left_out_count=left_out,
        notes=notes + _unequal(subjects),
        headline=build_headline(subjects, scored, names, rounding),
        subjects=subjects,
        chart=_draw(subjects),
        criteria=criteria,
        means=_shade_means(subjects, criteria, scales),
        scales={item.key: scales[item.key].text for item in criteria if item.key in scales},
        weights={key: weight_text(share) for key, share in shares.items()} if sees else {},
        views=build_views(scored, subjects, names, reviewers, with_holistic=mode == BOTH),
        pairs=build_pairs(scored, criteria),
        outcomes=build_outcomes(
            comparison_set, scored, whole, named_responses, asked, rankings, rounding, names, subjects
        ),
    )


def _list_means(row: Subject, criteria: Sequence[Criterion], scales: Scales) -> list[str]:
    """The means by criterion, each on the scale on which its scores were given; "" where there are none."""
    means = [(criterion.key, row.criteria.get(criterion.key)) for criterion in criteria]
    return [
        ""
        if mean is None
        else format_mark(two(exact(take_from_common(mean, scales.get(key, COMMON)))), key, scales)
        for key, mean in means
    ]


def _draw(subjects: Sequence[Subject]) -> DotsChart:
    return draw_means(((row.name, row.means, row.mean, row.figure.interval) for row in subjects), is_cut=True)


def _shade_means(
    subjects: Sequence[Subject], criteria: Sequence[Criterion], scales: Scales
) -> dict[str, list[tuple[str, int, bool]]]:
    columns = []
    for criterion in criteria:
        values = [row.criteria.get(criterion.key) for row in subjects]
        best = max((value for value in values if value is not None), default=None)
        columns.append(
            list(zip(shade(values), [value is not None and value == best for value in values], strict=True))
        )
    return {
        row.name: [
            (text, *column[at])
            for text, column in zip(_list_means(row, criteria, scales), columns, strict=True)
        ]
        for at, row in enumerate(subjects)
    }


def _name_widest(subjects: Sequence[Subject], criteria: Sequence[Criterion]) -> str:
    """The criteria whose means lie furthest apart and closest together; without a difference the plain title."""
    spans = {}
    for criterion in criteria:
        values = [row.criteria[criterion.key] for row in subjects if criterion.key in row.criteria]
        spans[criterion.label] = max(values, default=Fraction()) - min(values, default=Fraction())
    widest, closest = (
        max(spans, key=spans.__getitem__, default=""),
        min(spans, key=spans.__getitem__, default=""),
    )
    if not spans or spans[widest] == spans[closest]:
        return _("Means by criterion")
    return _("%(most)s differs most, %(least)s least") % {"most": widest, "least": closest}


def _interval_reason(subjects: Sequence[Subject]) -> str:
    """Why means have no interval; it gives the number of comparisons if that is the same for all subjects."""
    reasons = {row.figure.interval_reason for row in subjects if not row.figure.interval}
    if len(reasons) < 2:
        return next(iter(reasons), "")
    return _("An interval needs at least %(n)d comparisons with responses of the same author.") % {
        "n": LEAST_COMPARISONS
    }


def _unequal(subjects: Sequence[Subject]) -> list[str]:
    if len({len(row.means) for row in subjects}) < 2:
        return []
    return [
        _(
            "Not all have responses to the same number of comparisons, so their means rest on different questions."
        )
    ]
