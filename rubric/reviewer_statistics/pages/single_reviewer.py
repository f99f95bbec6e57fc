"""The reviews behind one reviewer's statistics: every response scored in the first round, next to the others."""

from collections.abc import Mapping
from fractions import Fraction

from msgspec import Struct

from rubric.core.records import HOLISTIC, Criterion, RubricRecord
from rubric.core.scores import compute_overall, get_weights
from rubric.models import ComparisonSet, Reviewer
from rubric.models.comparisons import PERSON
from rubric.reviewer_statistics.core.halo import group_alike, is_flat
from rubric.reviewer_statistics.queries import FIRST_ROUND
from rubric.reviews.queries import Reviewed, load_own_numbers, load_reviewed
from rubric.sets.pages import SetFrame
from rubric.versions.labels import format_mark
from workspace.models import Person

RESPONSES_A_PAGE = 100


class ScoredLine(Struct, frozen=True):
    """One response that the reviewer scored, the overall and the mean of the others' overalls.

    `scores` are by criterion as they were given, "" where one is missing. `own_number` is the comparison's number for
    its reviewer, 0 if that is not shown.
    """

    reviewed: Reviewed
    own_number: int
    scores: list[str]
    holistic: str
    overall: Fraction | None
    others: Fraction | None
    difference: float | None
    is_flat: bool


class ReviewerPage(Struct, frozen=True):
    """One reviewer's first-round reviews, `RESPONSES_A_PAGE` responses from `first` to `last` of `count`."""

    head: SetFrame
    reviewer: Reviewer
    criteria: list[Criterion]
    lines: list[ScoredLine]
    count: int
    first: int
    last: int
    previous: int
    has_scales: bool
    has_own_numbers: bool


def build_reviewer_page(
    *, comparison_set: ComparisonSet, reviewer: Reviewer, person: Person, start: int = 1
) -> ReviewerPage:
    """The page of a set fetched with its project and rubric."""
    record = comparison_set.rubric_version.to_record()
    shares = get_weights(record)
    everything = load_reviewed(comparison_set, round_number=FIRST_ROUND)
    overalls = {id(review): compute_overall(review.common, shares) for review in everything}
    complete = {key: found.value for key, found in overalls.items() if not found.is_incomplete}
    others: dict[tuple[int, int], list[Fraction]] = {}
    for review in everything:
        value = complete.get(id(review))
        if review.reviewer != reviewer.pk and not review.is_own and value is not None:
            others.setdefault((review.comparison, review.response), []).append(value)
    own = [review for review in everything if review.reviewer == reviewer.pk]
    shown = own[start - 1 : start - 1 + RESPONSES_A_PAGE]
    head = SetFrame(comparison_set=comparison_set, current="set_manners", person=person)
    # Gaps in these numbers would reveal to a reviewer which comparisons were hidden duplicates.
    is_told = head.may_lead and reviewer.kind == PERSON
    numbers = load_own_numbers(reviewer.pk) if is_told else {}
    return ReviewerPage(
        head=head,
        reviewer=reviewer,
        criteria=record.criteria,
        lines=[
            _line(review, numbers.get(review.review, 0), record, complete.get(id(review)), others)
            for review in shown
        ],
        has_own_numbers=is_told,
        count=len(own),
        first=start,
        last=start + len(shown) - 1,
        previous=max(1, start - RESPONSES_A_PAGE) if start > 1 else 0,
        has_scales=bool(record.scales),
    )


def _line(
    reviewed: Reviewed,
    own_number: int,
    record: RubricRecord,
    overall: Fraction | None,
    others: Mapping[tuple[int, int], list[Fraction]],
) -> ScoredLine:
    given = others.get((reviewed.comparison, reviewed.response), [])
    mean = sum(given, Fraction()) / len(given) if given else None
    keys = [criterion.key for criterion in record.criteria]
    is_complete = all(key in reviewed.scores for key in keys)
    return ScoredLine(
        reviewed=reviewed,
        own_number=own_number,
        scores=[format_mark(reviewed.scores.get(key), key, record.scales) for key in keys],
        holistic=format_mark(reviewed.holistic, HOLISTIC, record.scales),
        overall=overall,
        others=mean,
        difference=None if overall is None or mean is None else float(overall - mean),
        is_flat=is_complete and is_flat(reviewed.scores, group_alike(keys, record.scales)),
    )
