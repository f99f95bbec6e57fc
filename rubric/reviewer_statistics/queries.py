"""Stored figures of a comparison set, their input, and its answered surveys."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial

import msgspec
from msgspec.structs import replace

from rubric.core.scores import get_weights
from rubric.models import ComparisonSet, Review, ReviewedResponse, SetFigures, Survey
from rubric.models.comparisons import ELSEWHERE, PERSON
from rubric.models.reviews import REPEAT, SET_APART, SUBMITTED
from rubric.reviewer_statistics.core import figure_kinds
from rubric.reviewer_statistics.core.agreement import compute_self_agreement
from rubric.reviewer_statistics.core.comprehension import Surveyed
from rubric.reviewer_statistics.core.weights_fit import Preference
from rubric.reviews.core.score_rows import collect_marks
from rubric.reviews.queries import (
    load_reviewed,
    load_submitted_keys,
    load_unknown_orders,
    name_places,
    set_hash,
    to_rows,
)
from workspace.models import Project
from workspace.stored_statistics.queries import Present, StatisticsStore

FIRST_ROUND = 1
FIGURE_SET = "figure_set"
REVIEW_KEYS = ("pk", "reviewer", "comparison")


def figures_hash(comparison_set: ComparisonSet, kind: str, submitted: Sequence[int] | None = None) -> str:
    """The hash of the current input of figures of that kind: reviews, version, kind and code."""
    return set_hash(comparison_set, kind, figure_kinds.CODE_VERSION, submitted=submitted)


def present_figures(comparison_set: ComparisonSet, kind: str) -> SetFigures | None:
    """The stored figures of the current input; None when there are none yet."""
    sha256 = figures_hash(comparison_set, kind)
    return SetFigures.objects.filter(set=comparison_set, kind=kind, input_sha256=sha256).first()


class _SetStore(StatisticsStore[ComparisonSet]):
    row_model, owner_name, subject_name = SetFigures, "set", "comparison_set"
    job_kind, kinds = FIGURE_SET, figure_kinds.KINDS

    def load(self, key: int) -> ComparisonSet:
        return ComparisonSet.objects.select_related("project", "rubric_version").get(pk=key)

    def project(self, owner: ComparisonSet) -> Project:
        return owner.project

    def inputs(self, owner: ComparisonSet) -> Present:
        submitted = load_submitted_keys(owner)
        return Present(
            {kind: figures_hash(owner, kind, submitted) for kind in figure_kinds.KINDS}, len(submitted)
        )

    def read(self, owner: ComparisonSet, kind: str) -> Callable[[], figure_kinds.Figures]:
        return partial(figure_kinds.compute_statistics, kind, load_input(owner))

    def count(self, row: SetFigures) -> int:
        return int(msgspec.json.decode(row.body)["reviews"])


SET_STATISTICS = _SetStore()


def load_input(comparison_set: ComparisonSet) -> figure_kinds.Input:
    """The input of the figures, from blind reviews only: no second round, no reviewer who could see results."""
    found = load_reviewed(comparison_set, round_number=FIRST_ROUND)
    reviewed = [review for review in found if review.is_blind]
    own = {(review.review, review.response) for review in reviewed if review.is_own}
    by_file = set(comparison_set.reviewers.filter(kind=ELSEWHERE).values_list("pk", flat=True))
    both = [review for review in reviewed if review.holistic is not None and review.scores]
    late = {review.review for review in both if review.criteria_first}
    unknown = load_unknown_orders(comparison_set)
    record = comparison_set.rubric_version.to_record()
    rows = [
        replace(row, position=None) if review.review in unknown else row
        for review, row in zip(reviewed, to_rows(reviewed), strict=True)
    ]
    return figure_kinds.Input(
        whole_first=[
            replace(row, holistic=None) if review.criteria_first else row
            for review, row in zip(reviewed, rows, strict=True)
        ],
        late_count=len(late),
        unknown_count=len({review.review for review in both if review.reviewer in by_file} - late),
        rows=rows,
        preferences=_preferences(comparison_set, own),
        weights=get_weights(record),
        scales=record.scales,
        reviews=len(load_submitted_keys(comparison_set)),
    )


def count_not_blind(comparison_set: ComparisonSet) -> int:
    """Count the first-round reviews that the figures leave out, since their reviewers could see results before."""
    rows = Review.objects.filter(comparison__set=comparison_set, state=SUBMITTED, round=FIRST_ROUND)
    return rows.filter(is_blind=False).count()


def load_self_agreement(comparison_set: ComparisonSet) -> list[dict[str, int]]:
    """How far each person agrees with themselves on the set's submitted hidden duplicates; in order of names."""
    repeats = Review.objects.filter(comparison__set=comparison_set, purpose=REPEAT, state=SET_APART)
    again = {(reviewer, comparison): key for key, reviewer, comparison in repeats.values_list(*REVIEW_KEYS)}
    if not again:
        return []
    rated = Review.objects.filter(comparison__set=comparison_set, state=SUBMITTED, round=FIRST_ROUND)
    rated = rated.filter(reviewer__in={reviewer for reviewer, _comparison in again})
    rows = rated.order_by("reviewer__name", "reviewer", "comparison__number").values_list(*REVIEW_KEYS)
    pairs = [
        (reviewer, key, again[reviewer, comparison])
        for key, reviewer, comparison in rows
        if (reviewer, comparison) in again
    ]
    said = _load_marks(comparison_set, {key for _reviewer, *keys in pairs for key in keys})
    rubric = comparison_set.rubric_version.to_record()
    repeated = ((reviewer, said[first], said[repeat]) for reviewer, first, repeat in pairs)
    return compute_self_agreement(repeated, get_weights(rubric), rubric.scales)


def _load_marks(
    comparison_set: ComparisonSet, reviews: set[int]
) -> dict[int, dict[str, dict[str, Fraction]]]:
    found: dict[int, list[tuple[str, dict[str, float], float | None]]] = {key: [] for key in reviews}
    people = ReviewedResponse.objects.filter(
        review__comparison__set=comparison_set, review__reviewer__kind=PERSON
    )
    columns = ("review", "response__number", "scores", "holistic")
    for key, number, scores, holistic in people.values_list(*columns):
        if key in found:
            found[key].append((str(number), scores, holistic))
    return {key: collect_marks(rows) for key, rows in found.items()}


def load_surveyed(comparison_set: ComparisonSet) -> list[Surveyed]:
    """Every answered survey of the set; skipped surveys are left out."""
    rows = Survey.objects.filter(comparison__set=comparison_set, answered_at__isnull=False).order_by("pk")
    columns = ("comparison__number", "person", "arm", "understood", "is_right")
    return [
        Surveyed(str(comparison), str(person), arm, understood, is_right)
        for comparison, person, arm, understood, is_right in rows.values_list(*columns)
    ]


def _preferences(comparison_set: ComparisonSet, own: set[tuple[int, int]]) -> list[Preference]:
    rows = Review.objects.filter(
        comparison__set=comparison_set,
        state=SUBMITTED,
        round=FIRST_ROUND,
        is_blind=True,
        reported_ranking__isnull=False,
    ).order_by("pk")
    found = []
    for key, number, reviewer, order, ranking in rows.values_list(
        "pk", "comparison__number", "reviewer", "order", "reported_ranking"
    ):
        places = name_places(order, ranking or [])
        mine = [str(response) for review, response in own if review == key]
        found += figure_kinds.derive_preferences(str(number), str(reviewer), places, mine)
    return found
