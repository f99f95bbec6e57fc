"""Reads submitted reviews in one query into the plain records that the cores work on."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from fractions import Fraction

from django.db.models import Count, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from msgspec import Struct

from rubric.core.call_parameters import describe_parameters
from rubric.core.records import FEWEST_SHOWN, HOLISTIC, ReviewRecord
from rubric.core.response_order import map_labels
from rubric.core.scales import Scales, Value, bring_all
from rubric.core.scores import compute_overall
from rubric.core.weights import exact
from rubric.models import (
    CalibrationComparison,
    Comparison,
    ComparisonSet,
    Response,
    Review,
    ReviewedResponse,
    Reviewer,
)
from rubric.models.comparisons import PERSON
from rubric.models.reviews import DRAFT, RATING, SUBMITTED, SUPERSEDED
from rubric.reviews.core.panel import PanelScore, rank_to_values
from rubric.reviews.core.score_rows import ReviewRow
from workspace.core.canonical import canonical_hash
from workspace.models import Person

ORDER_UNKNOWN = "order_unknown"
COLUMNS = (
    *(f"review__{name}" for name in ("id", "round", "mode", "criteria_first", "is_blind", "reviewer_id")),
    *("review__comparison__number", "response__number", "response__word_count", "position"),
    *("scores", "holistic", "is_incomplete", "is_own"),
)


def number_own(reviews: Iterable[tuple[int, int, int]]) -> dict[int, int]:
    """Review -> the reviewer's own number for the comparison: 1 for the first that they started, and so on.

    `reviews` are (key, comparison, round) of one reviewer, in the order of their start, first rounds before second
    ones. A second round keeps the number of the first. Numbers of the set would reveal a hidden duplicate among the
    comparisons around it.
    """
    numbers: dict[int, int] = {}
    first: dict[int, int] = {}
    for key, comparison, round_number in reviews:
        numbers[key] = len(numbers) + 1 if round_number == 1 else first[comparison]
        first.setdefault(comparison, numbers[key])
    return numbers


def load_own_numbers(reviewer: int) -> dict[int, int]:
    """`number_own` of all reviews of that reviewer."""
    rows = Review.objects.filter(reviewer=reviewer).exclude(state=SUPERSEDED).order_by("round", "pk")
    return number_own(rows.values_list("pk", "comparison", "round"))


class Reviewed(Struct, frozen=True):
    """One reviewer's scores of one response. Comparisons and responses by their numbers, reviewers by their keys.

    `scores` are as given, on `scales`; `common` are the same on the common scale, which figures use.
    """

    scales: Scales
    review: int
    round: int
    mode: str
    criteria_first: bool
    is_blind: bool
    reviewer: int
    comparison: int
    response: int
    words: int
    position: int
    scores: dict[str, float]
    holistic: float | None
    is_incomplete: bool
    is_own: bool

    @property
    def common(self) -> Mapping[str, Value]:
        return bring_all(self.scores, self.scales)

    def to_row(self) -> ReviewRow:
        return ReviewRow(
            comparison=str(self.comparison),
            response=str(self.response),
            reviewer=str(self.reviewer),
            scores=self.common,
            holistic=self.holistic,
            position=self.position,
            words=self.words,
            is_own=self.is_own,
        )

    def to_judgement(self, shares: Mapping[str, Fraction]) -> PanelScore:
        """The judgement for the panel, with the overall under these exact weights."""
        found = compute_overall(self.common, shares)
        return PanelScore(
            reviewer=str(self.reviewer),
            response=str(self.response),
            overall=found.value,
            holistic=None if self.holistic is None else exact(self.holistic),
            is_incomplete=found.value is not None and found.is_incomplete,
            is_own=self.is_own,
        )


def load_reviewed(
    comparison_set: ComparisonSet, *, comparison: int | None = None, round_number: int | None = None
) -> list[Reviewed]:
    """Everything submitted for a set, or for the comparison of that number, in one query.

    If a reviewer has two rounds, the newest counts, unless a round is given. Statistics of agreement use round 1,
    since nobody is blind in round 2.
    """
    rows = ReviewedResponse.objects.filter(
        review__comparison__set=comparison_set, review__state=SUBMITTED
    ).order_by("review__comparison__number", "review__reviewer", "review__round", "response__number")
    if comparison is not None:
        rows = rows.filter(review__comparison__number=comparison)
    if round_number is not None:
        rows = rows.filter(review__round=round_number)
    scales = comparison_set.rubric_version.to_record().scales
    newest = {
        (review.comparison, review.reviewer, review.response): review
        for review in (Reviewed(scales, *values) for values in rows.values_list(*COLUMNS))
    }
    return list(newest.values())


def load_rankings(reviewed: Iterable[Reviewed], *, kind: str) -> dict[str, dict[str, dict[str, Fraction]]]:
    """Rankings of reviews without a score of that kind or by criterion: comparison -> reviewer -> `rank_to_values`.

    Own responses are left out.
    """
    several = list(reviewed)
    scored = {review.review for review in several if kind == HOLISTIC and review.holistic is not None}
    held = {
        review.review: review for review in several if review.mode == HOLISTIC and review.review not in scored
    }
    own = {(review.review, str(review.response)) for review in several if review.is_own}
    found: dict[str, dict[str, dict[str, Fraction]]] = {}
    keys = list(held)
    for at in range(0, len(keys), 500):
        rows = Review.objects.filter(pk__in=keys[at : at + 500], reported_ranking__isnull=False).order_by(
            "pk"
        )
        for key, order, ranking in rows.values_list("pk", "order", "reported_ranking"):
            review, values = held[key], rank_to_values(name_places(order, ranking or []))
            found.setdefault(str(review.comparison), {})[str(review.reviewer)] = {
                response: value for response, value in values.items() if (key, response) not in own
            }
    return found


def name_places(order: Sequence[int], ranking: Sequence[Sequence[str]]) -> list[list[str]]:
    """A ranking of labels, with the labels replaced by the numbers of the responses."""
    numbers = map_labels(order)
    return [[str(numbers[label]) for label in place if label in numbers] for place in ranking]


def load_unknown_orders(comparison_set: ComparisonSet) -> set[int]:
    """The reviews that came by file without the order in which their responses were shown."""
    rows = Review.objects.filter(comparison__set=comparison_set, state=SUBMITTED, seed="")
    return {
        key
        for key, flags in rows.values_list("pk", "flags")
        if any(flag.get("code") == ORDER_UNKNOWN for flag in flags)
    }


def list_changes(first: ReviewedResponse | None, second: ReviewedResponse) -> dict[str, float | None]:
    """The changes of the second round to one response: criterion ("holistic" for the whole) -> first-round score."""
    if first is None:
        return {}
    before = {**first.scores, HOLISTIC: first.holistic}
    after = {**second.scores, HOLISTIC: second.holistic}
    return {key: before.get(key) for key in {**before, **after} if before.get(key) != after.get(key)}


def to_rows(reviewed: Iterable[Reviewed]) -> list[ReviewRow]:
    return [review.to_row() for review in reviewed]


def set_hash(comparison_set: ComparisonSet, *given: object, submitted: Sequence[int] | None = None) -> str:
    """The hash of the input of a set's figures: its reviews as submitted, its version, and everything in `given`.

    `submitted` are the keys of these reviews, if the caller has them already.
    """
    keys = load_submitted_keys(comparison_set) if submitted is None else list(submitted)
    return canonical_hash([comparison_set.rubric_version.sha256, keys, *given])


def load_submitted_keys(comparison_set: ComparisonSet) -> list[int]:
    """The reviews of the set that count, in the order in which they were made."""
    rows = Review.objects.filter(comparison__set=comparison_set, state=SUBMITTED)
    return list(rows.order_by("pk").values_list("pk", flat=True))


def list_content(record: ReviewRecord, reasons: Mapping[str, Mapping[str, str]]) -> list[object]:
    """The content of a record in the form in which it is stored; `reasons` say by label what cannot be judged."""
    rows: list[object] = [
        [
            response.scores,
            response.holistic,
            response.reported_overall,
            response.is_incomplete,
            response.notes or "",
            reasons.get(response.label, {}),
        ]
        for response in record.responses
    ]
    return [record.mode, record.ranking, record.reported_ranking, rows]


def list_stored_content(review: Review) -> list[object]:
    """The content of a submitted review, to be compared with `list_content`; flags are left out of both."""
    rows: list[object] = [
        [row.scores, row.holistic, row.reported_overall, row.is_incomplete, row.notes, row.cannot_judge]
        for row in sorted(review.reviewed.all(), key=lambda row: row.position)
    ]
    return [review.mode, review.ranking, review.reported_ranking, rows]


def build_reviewed_rows(
    review: Review, record: ReviewRecord, cannot_judge: Mapping[str, Mapping[str, str]]
) -> list[ReviewedResponse]:
    """The rows for a record, not stored; its labels follow the review's order."""
    numbers = map_labels(review.order)
    responses = {response.number: response for response in review.comparison.responses.defer("text")}
    names = {review.reviewer.name.casefold(), review.reviewer.model.casefold()} - {""}
    return [
        ReviewedResponse(
            review=review,
            response=responses[numbers[response.label]],
            position=review.order.index(numbers[response.label]) + 1,
            scores=response.scores,
            holistic=response.holistic,
            reported_overall=response.reported_overall,
            is_incomplete=response.is_incomplete,
            is_own=responses[numbers[response.label]].author.casefold() in names,
            notes=response.notes or "",
            cannot_judge=dict(cannot_judge.get(response.label, {})),
        )
        for response in record.responses
    ]


# How long a started review holds a place; after that somebody else may take the place, and the work is kept.
PLACE_LEASE = timedelta(days=1)


def count_taken(sets: Iterable[ComparisonSet], *, now: datetime | None = None) -> dict[int, int]:
    """How many people have a place on each comparison of these sets: submitted, or started within the lease."""
    keys = [comparison_set.pk for comparison_set in sets]
    counts = dict.fromkeys(Comparison.objects.filter(set__in=keys).values_list("pk", flat=True), 0)
    taken = query_taken(keys, (now or timezone.now()) - PLACE_LEASE)
    return counts | dict(taken.values_list("comparison").annotate(Count("pk")))


def query_taken(sets: Collection[int], since: datetime) -> "QuerySet[Review]":
    """The reviews that hold a place; those started until `since` hold none."""
    return Review.objects.filter(
        Q(state=DRAFT, reviewer__ended_at=None, created_at__gt=since) | Q(state=SUBMITTED),
        comparison__set__in=sets,
        round=1,
        purpose=RATING,
        reviewer__kind=PERSON,
    ).order_by()


def load_calibrated(sets: Iterable[ComparisonSet]) -> dict[int, bool]:
    """The comparisons of these sets that are or were in a calibration round -> whether the round is open.

    New reviews of them do not count.
    """
    found: dict[int, bool] = {}
    rows = query_calibrated([row.pk for row in sets])
    for comparison, closed_at in rows.values_list("comparison", "round__closed_at"):
        found[comparison] = found.get(comparison, False) or closed_at is None
    return found


def query_calibrated(sets: Collection[int]) -> "QuerySet[CalibrationComparison]":
    return CalibrationComparison.objects.filter(round__set__in=sets)


def has_open_places(comparison_set: ComparisonSet, reviewer: Reviewer) -> bool:
    """Whether a person has reviews to submit, or may still take a place, in a set that needs so many of them."""
    own = Review.objects.filter(reviewer=reviewer).exclude(state=SUPERSEDED)
    if own.filter(state=DRAFT).exists():
        return True
    done = set(own.values_list("comparison", flat=True))
    others = Response.objects.filter(comparison__set=comparison_set).exclude(written_by=reviewer.person_id)
    fit = dict(others.order_by().values_list("comparison").annotate(count=Count("pk")))
    needed = comparison_set.people_needed or 0
    taken, never = count_taken([comparison_set]), done | load_calibrated([comparison_set]).keys()
    return any(
        count < needed and key not in never and fit.get(key, 0) >= FEWEST_SHOWN
        for key, count in taken.items()
    )


def reviewer_names(comparison_set: ComparisonSet, person: Person, *, is_lead: bool) -> dict[str, str]:
    """Names by reviewer key: leads see all names, models with their parameters; a reviewer only their own."""
    names, others = {}, 0
    for reviewer in Reviewer.objects.filter(set=comparison_set).order_by("pk"):
        if is_lead or reviewer.person_id == person.pk:
            said = describe_parameters(reviewer.parameters)
            names[str(reviewer.pk)] = f"{reviewer.name} ({said})" if said else reviewer.name
        else:
            others += 1
            names[str(reviewer.pk)] = _("another reviewer (%(number)d)") % {"number": others}
    return names
