"""The results of a set: the ranking across comparisons, correlations of criteria, and which reviews do not count."""

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext_lazy
from msgspec import Struct

from rubric.core.records import BOTH, HOLISTIC, RUBRIC, Criterion
from rubric.core.scales import COMMON, HIGHEST, LOWEST, Scales, take_from_common
from rubric.core.weights import exact
from rubric.models import ComparisonSet
from rubric.results.core.ranking_uncertainty import compute_rounding
from rubric.results.core.whole_set import Scored, Subject, build_subjects, correlations, score_responses
from rubric.results.pages.headline import Headline, build_headline
from rubric.results.pages.outcomes import build_outcomes, load_set_responses
from rubric.results.pages.reviews import NO_SCORES
from rubric.results.pages.score_views import build_views
from rubric.results.pages.words import ResultsQuery, draw_means, list_version_options, two
from rubric.reviews.permissions import check_open_set
from rubric.reviews.queries import Reviewed, load_rankings, load_reviewed, reviewer_names, to_rows
from rubric.versions.labels import format_mark
from rubric.versions.permissions import check_see_weights
from workspace.access.permissions import may
from workspace.display.core.charts import DotsChart, scatter
from workspace.display.core.minimums import DOTS, SCATTER_POINTS
from workspace.models import Person
from workspace.statistics.conclusions import LEAST_COMPARISONS
from workspace.statistics.labels import number


def build_pairs(scored: Sequence[Scored], criteria: Sequence[Criterion]) -> dict[str, Any]:
    """Every pair of criteria, and each criterion with the holistic score if given; over means of responses.

    `rows` are those of a table, `plots` have the first of a pair on the x axis and the second on the y axis.
    """
    labels = {criterion.key: criterion.label for criterion in criteria}
    if labels and any(score.holistic is not None for score in scored):
        labels[HOLISTIC] = _("Holistic")
    found = correlations(scored, [criterion.key for criterion in criteria], with_holistic=HOLISTIC in labels)
    texts = {
        frozenset((pair.one, pair.other)): "" if pair.correlation is None else number(pair.correlation)
        for pair in found
    }
    return {
        "labels": list(labels.values()),
        "rows": [
            (label, ["1" if key == other else texts[frozenset((key, other))] for other in labels])
            for key, label in labels.items()
        ],
        "plots": [
            {
                "id": f"pair-{at}",
                "along": labels[pair.one],
                "up": labels[pair.other],
                "text": texts[frozenset((pair.one, pair.other))],
                "scatter": scatter(pair.points, minimum=LOWEST, maximum=HIGHEST),
            }
            for at, pair in enumerate(found, start=1)
        ],
        "response_count": max((len(pair.points) for pair in found), default=0),
        "least": SCATTER_POINTS,
    }


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

    `means` are those of each subject by criterion, each on its own scale; `scales` names those that are not common.
    """

    asked: ResultsQuery
    choices: list[tuple[str, str]]
    by_author: bool
    comparison_count: int
    reviewer_count: int
    left_out_count: int
    notes: list[str]
    headline: Headline
    subjects: list[Subject]
    chart: DotsChart
    interval_reason: str
    criteria: Sequence[Criterion]
    means: dict[str, list[str]]
    scales: dict[str, str]
    has_holistic: bool
    views: dict[str, Any]
    pairs: dict[str, Any]
    outcomes: dict[str, Any]
    least_comparisons: int = DOTS

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
        comparison_count=len(named_responses),
        reviewer_count=len({row.reviewer for row in rows}),
        left_out_count=left_out,
        notes=notes + _unequal(subjects),
        headline=build_headline(subjects, scored, names, rounding),
        subjects=subjects,
        chart=draw_means((row.name, row.means, row.mean, row.figure.interval) for row in subjects),
        interval_reason=_interval_reason(subjects),
        criteria=criteria,
        means={row.name: _list_means(row, criteria, scales) for row in subjects},
        scales={item.key: scales[item.key].text for item in criteria if item.key in scales},
        has_holistic=any(row.holistic is not None for row in subjects),
        views=build_views(scored, subjects, names, reviewers, with_holistic=mode == BOTH),
        pairs=build_pairs(scored, criteria),
        outcomes=build_outcomes(comparison_set, scored, whole, named_responses, asked, rankings, rounding),
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
