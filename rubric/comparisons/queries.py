"""The stored rows of a set with which an import compares its lines."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import Count, Q, Sum
from django.db.models.functions import Length
from msgspec import Struct

from rubric.core.records import ReviewRecord
from rubric.core.response_order import map_labels
from rubric.models import Answer, Comparison, ComparisonSet, Response, Review, ReviewedResponse, Reviewer
from rubric.models.comparisons import ELSEWHERE, MODEL, PERSON
from rubric.models.reviews import DRAFT, SUBMITTED, SUPERSEDED
from workspace.models import Project

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
    counts = Comparison.objects.filter(set=comparison_set).aggregate(
        comparisons=Count("pk", distinct=True), drafts=Count("reviews", filter=drafts)
    )
    return counts["comparisons"], counts["drafts"]


def load_response_numbers(comparison_set: ComparisonSet) -> dict[str, Mapping[str, int]]:
    """Key of the comparison -> key of the response -> its number."""
    found: dict[str, Mapping[str, int]] = {}
    rows = Comparison.objects.filter(set=comparison_set).order_by("pk")
    for key, response, number in rows.values_list("key", "responses__key", "responses__number"):
        found[key] = {**found.get(key, {}), response: number}
    return found


def load_reviewers_by_name(comparison_set: ComparisonSet) -> dict[str, Reviewer]:
    """The reviewers whose reviews can come by file, by name: a model of the set, else an external reviewer."""
    rows = Reviewer.objects.filter(set=comparison_set, kind__in=(ELSEWHERE, MODEL))
    named = {
        reviewer.name: reviewer for reviewer in rows.filter(kind=ELSEWHERE).select_related("set__project")
    }
    return named | {
        reviewer.name: reviewer for reviewer in rows.filter(kind=MODEL).select_related("set__project")
    }


def load_stored_reviews(reviewers: Sequence[Reviewer]) -> dict[tuple[str, str], StoredReview]:
    """The reviews of these reviewers that count or wait, by the comparison's key and the reviewer's name."""
    rows = Review.objects.filter(reviewer__in={reviewer.pk for reviewer in reviewers}, round=1)
    submitted = ReviewedResponse.objects.filter(review__in=rows.filter(state=SUBMITTED)).order_by("position")
    said: dict[int, list[ReviewedRow]] = defaultdict(list)
    columns = ("review", "response__number", "scores", "holistic", "reported_overall", "notes")
    for review, *values in submitted.values_list(*columns):
        said[review].append(tuple(values))
    answers = Answer.objects.filter(review__in=rows, error_code="").order_by("-attempt")
    texts = dict(answers.values_list("review", "text"))
    wanted = (
        "pk",
        "read_from",
        "comparison__key",
        "reviewer__name",
        "order",
        "state",
        "mode",
        "reported_ranking",
    )
    return {
        (comparison, reviewer): StoredReview(
            order, None if state == DRAFT else (mode, ranking, said[key]), texts.get(source or key)
        )
        for key, source, comparison, reviewer, order, state, mode, ranking in rows.exclude(
            state=SUPERSEDED
        ).values_list(*wanted)
    }


def list_said(record: ReviewRecord, order: Sequence[int]) -> ReviewRows:
    """The content of a record in the form of its rows."""
    numbers = map_labels(order)
    rows: list[ReviewedRow] = [
        (
            numbers[response.label],
            response.scores,
            response.holistic,
            response.reported_overall,
            response.notes or "",
        )
        for response in record.responses
    ]
    return record.mode, record.reported_ranking, rows


def count_characters(project: Project) -> int:
    """The number of characters in the questions and responses of a project's comparison sets."""
    questions = Comparison.objects.filter(set__project=project).aggregate(sum=Sum(Length("question")))
    responses = Response.objects.filter(comparison__set__project=project).aggregate(sum=Sum(Length("text")))
    return int(questions["sum"] or 0) + int(responses["sum"] or 0)
