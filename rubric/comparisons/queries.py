"""What a set holds and who reviews it, and the stored rows with which an import compares its lines."""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from math import ceil
from typing import Any

from django.db.models import Count, F, Q, QuerySet, Sum
from django.db.models.functions import Length
from msgspec import Struct

from rubric.core.records import FEWEST_SHOWN, UNREADABLE, ReviewRecord
from rubric.core.response_order import map_labels
from rubric.models import Answer, Comparison, ComparisonSet, Response, Review, ReviewedResponse, Reviewer
from rubric.models.comparisons import ELSEWHERE, MODEL, PERSON
from rubric.models.reviews import DRAFT, RATING, SET_APART, SUBMITTED, SUPERSEDED
from rubric.reviews.queries import count_taken
from workspace.models import Person, Project

COMPARISONS_A_PAGE = 100
MOST_REVIEWERS = 200
REVIEWER_ORDER = (PERSON, MODEL, ELSEWHERE)
# An unreadable answer is no submitted review.
_SUBMITTED = Q(reviews__state=SUBMITTED, reviews__round=1) & ~Q(reviews__mode=UNREADABLE)
_SET_APART = Q(reviews__state=SET_APART)
ReviewedRow = tuple[Any, ...]
ReviewRows = tuple[str, list[list[str]] | None, list[ReviewedRow]]


class StoredReview(Struct, frozen=True):
    """A review that is stored or in an earlier line of the file; `said` is None if it is not submitted yet.

    `text` is the answer that it was read from, by any reader.
    """

    order: list[int]
    said: ReviewRows | None = None
    text: str | None = None

    def is_same(self, other: "StoredReview") -> bool:
        """Whether both have the same text or the same content, with the responses in the same order."""
        is_text = self.text is not None and self.text == other.text
        return self.order == other.order and (is_text or self.said == other.said)


def count_comparisons(comparison_set: ComparisonSet) -> tuple[int, int]:
    """How many comparisons the set has, and how many reviews people of the set have begun and not submitted."""
    drafts = Q(reviews__state=DRAFT, reviews__reviewer__kind=PERSON, reviews__reviewer__ended_at=None)
    comparisons = Comparison.objects.filter(set=comparison_set)
    counts = comparisons.aggregate(all=Count("pk", distinct=True), drafts=Count("reviews", filter=drafts))
    return counts["all"], counts["drafts"]


def load_response_numbers(comparison_set: ComparisonSet) -> dict[str, Mapping[str, int]]:
    """Key of the comparison -> key of the response -> its number."""
    found: dict[str, Mapping[str, int]] = {}
    rows = Comparison.objects.filter(set=comparison_set).order_by("pk")
    for key, response, number in rows.values_list("key", "responses__key", "responses__number"):
        found[key] = {**found.get(key, {}), response: number}
    return found


def load_reviewers_by_name(comparison_set: ComparisonSet) -> dict[str, Reviewer]:
    """The reviewers whose reviews can come by file, by name: a model of the set, else an external reviewer."""
    rows = Reviewer.objects.filter(set=comparison_set).select_related("set__project")
    return {reviewer.name: reviewer for kind in (ELSEWHERE, MODEL) for reviewer in rows.filter(kind=kind)}


def load_stored_reviews(reviewers: Sequence[Reviewer]) -> dict[tuple[str, str], StoredReview]:
    """The reviews of these reviewers that count or wait, by the comparison's key and the reviewer's name."""
    rows = Review.objects.filter(reviewer__in={reviewer.pk for reviewer in reviewers}, round=1)
    submitted = ReviewedResponse.objects.filter(review__in=rows.filter(state=SUBMITTED)).order_by("position")
    said: dict[int, list[ReviewedRow]] = defaultdict(list)
    given = ("review", "response__number", "scores", "holistic", "reported_overall", "notes")
    for review, *values in submitted.values_list(*given):
        said[review].append(tuple(values))
    answers = Answer.objects.filter(review__in=rows, error_code="").order_by("-attempt")
    texts = dict(answers.values_list("review", "text"))
    columns = ("read_from", "comparison__key", "reviewer__name", "order", "state", "mode", "reported_ranking")
    found = rows.exclude(state=SUPERSEDED).select_related("comparison", "reviewer").only(*columns)
    return {
        (row.comparison.key, row.reviewer.name): StoredReview(
            row.order,
            None if row.state == DRAFT else (row.mode, row.reported_ranking, said[row.pk]),
            texts.get(row.source_id),
        )
        for row in found
    }


def list_said(record: ReviewRecord, order: Sequence[int]) -> ReviewRows:
    numbers = map_labels(order)
    rows: list[ReviewedRow] = [
        (numbers[said.label], said.scores, said.holistic, said.reported_overall, said.notes or "")
        for said in record.responses
    ]
    return record.mode, record.reported_ranking, rows


def count_characters(project: Project) -> int:
    """The number of characters in the questions and responses of a project's comparison sets."""
    questions = Comparison.objects.filter(set__project=project).aggregate(sum=Sum(Length("question")))
    responses = Response.objects.filter(comparison__set__project=project).aggregate(sum=Sum(Length("text")))
    return int(questions["sum"] or 0) + int(responses["sum"] or 0)


class SetLine(Struct, frozen=True):
    """One set in the list. `own_count` of `own_total` are the person's own reviews; None for non-reviewers.

    Hidden duplicates are included, and `own_total` is 0 if it would reveal them.
    """

    comparison_set: ComparisonSet
    comparison_count: int
    reviewer_count: int
    review_count: int
    own_count: int | None
    own_total: int


def list_set_lines(project: Project, person: Person) -> list[SetLine]:
    """The sets of the project, newest first: all of them for leads, for others those in which they review."""
    rows = ComparisonSet.objects.visible_to(person).filter(project=project)
    sets = list(rows.select_related("rubric_version__rubric").order_by("-number"))
    comparisons = _counts(Comparison.objects.filter(set__in=sets), "set")
    reviewers = _counts(Reviewer.objects.filter(set__in=sets, ended_at=None), "set")
    reviews = _counts(_first_round().filter(comparison__set__in=sets), "comparison__set")
    mine = Reviewer.objects.filter(set__in=sets, person=person, ended_at=None)
    own = dict(mine.values_list("set").annotate(count=Count("reviews", filter=_SUBMITTED | _SET_APART)))
    unfit = _unfit_counts(mine)
    return [
        SetLine(
            comparison_set=comparison_set,
            comparison_count=comparisons.get(comparison_set.pk, 0),
            reviewer_count=reviewers.get(comparison_set.pk, 0),
            review_count=reviews.get(comparison_set.pk, 0),
            own_count=own.get(comparison_set.pk),
            own_total=0
            if comparison_set.repeat_percent
            else comparisons.get(comparison_set.pk, 0) - unfit.get((comparison_set.pk, person.pk), 0),
        )
        for comparison_set in sets
    ]


def list_comparisons(comparison_set: ComparisonSet, start: int) -> list[tuple[Comparison, dict[str, int]]]:
    """A page of comparisons from that number on, each with its `response_count`.

    Each comes with its count of submitted first-round reviews by kind of reviewer.
    """
    rows = Comparison.objects.filter(set=comparison_set, number__gte=start).order_by("number")
    comparisons = list(rows.annotate(response_count=Count("responses"))[:COMPARISONS_A_PAGE])
    submitted = _first_round().filter(comparison__in=comparisons).order_by()
    by_kind: dict[int, dict[str, int]] = defaultdict(dict)
    for key, kind, count in submitted.values_list("comparison", "reviewer__kind").annotate(Count("pk")):
        by_kind[key][kind] = count
    return [(comparison, by_kind[comparison.pk]) for comparison in comparisons]


def count_places(comparison_set: ComparisonSet, calibrated: Collection[int]) -> tuple[int, int]:
    """How many places are taken, and of how many, without comparisons for calibration; 0 of 0 without a limit."""
    needed = comparison_set.people_needed
    if not needed:
        return 0, 0
    counts = [count for key, count in count_taken([comparison_set]).items() if key not in calibrated]
    return sum(min(count, needed) for count in counts), needed * len(counts)


def list_reviewers(
    comparison_set: ComparisonSet, count: int, calibrated: Collection[int]
) -> tuple[Sequence[tuple[Reviewer, int, int]], int]:
    """The reviewers, people first, removed ones last; and how many more there are. `count` counts comparisons.

    Each has a `done_count` and a `second_count`, and comes with how many comparisons are to review, and how many are
    not theirs to judge. Where each comparison needs so many people, a person's first number is an equal share.
    """
    rows = Reviewer.objects.filter(set=comparison_set)
    counted = rows.annotate(
        done_count=Count("reviews", filter=_SUBMITTED),
        second_count=Count("reviews", filter=Q(reviews__state=SUBMITTED, reviews__round=2)),
    ).order_by(F("ended_at").asc(nulls_first=True), "-kind", "name", "pk")
    reviewers = list(counted[:MOST_REVIEWERS])
    more = rows.count() - len(reviewers) if len(reviewers) == MOST_REVIEWERS else 0
    unfit = _unfit_counts(rows)
    apart = _calibrated_counts(calibrated)
    needed = comparison_set.people_needed
    people = rows.filter(kind=PERSON, ended_at=None).count() if needed else 0
    lines = []
    for reviewer in sorted(reviewers, key=_by_kind):
        own = unfit.get((reviewer.set_id, reviewer.person_id), 0) if reviewer.person_id else 0
        most = count - own - (apart(reviewer.pk) if reviewer.kind == PERSON else 0)
        total = ceil(needed * most / people) if needed and reviewer.kind == PERSON and people else most
        lines.append((reviewer, min(total, most), own))
    return lines, more


def candidates(comparison_set: ComparisonSet) -> list[tuple[int, str]]:
    """Members of the project who do not review in the set yet: key, and name with e-mail address."""
    present = Reviewer.objects.filter(set=comparison_set, person__isnull=False, ended_at=None)
    members = Person.objects.filter(
        memberships__project=comparison_set.project_id, memberships__ended_at=None, is_active=True
    ).exclude(pk__in=present.values("person"))
    return [(member.pk, f"{member.name} ({member.email})") for member in members.order_by("name", "pk")]


def _first_round() -> QuerySet[Review]:
    return Review.objects.filter(state=SUBMITTED, round=1).exclude(mode=UNREADABLE)


def _counts(rows: QuerySet[Any], by: str) -> dict[int, int]:
    return dict(rows.order_by().values_list(by).annotate(count=Count("pk")))


def _calibrated_counts(calibrated: Collection[int]) -> Callable[[int], int]:
    """Maps a reviewer to the number of calibration comparisons that they had not started before."""
    started = Review.objects.filter(comparison__in=calibrated, purpose=RATING, round=1)
    counts = _counts(started, "reviewer") if calibrated else {}
    return lambda reviewer: len(calibrated) - counts.get(reviewer, 0)


def _by_kind(reviewer: Reviewer) -> tuple[bool, int]:
    return reviewer.ended_at is not None, REVIEWER_ORDER.index(reviewer.kind)


def _unfit_counts(reviewers: QuerySet[Reviewer]) -> dict[tuple[int, int], int]:
    """How many comparisons of a set, by set and person, leave a reviewer fewer than two responses of others."""
    people = reviewers.filter(person__isnull=False)
    written = (
        Response.objects.filter(
            comparison__set__in=people.values("set"), written_by__in=people.values("person")
        )
        .order_by()
        .values_list("comparison__set", "comparison", "written_by")
        .annotate(count=Count("pk"))
    )
    own = list(written)
    if not own:
        return {}
    totals = _counts(Response.objects.filter(comparison__in={row[1] for row in own}), "comparison")
    counts: dict[tuple[int, int], int] = defaultdict(int)
    for set_id, comparison, person, count in own:
        if totals[comparison] - count < FEWEST_SHOWN:
            counts[set_id, person] += 1
    return counts
