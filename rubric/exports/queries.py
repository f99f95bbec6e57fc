"""Reads rubric versions, comparison sets and reviews as lines of an export, a few comparisons at a time."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from django.db.models import QuerySet
from msgspec.structs import replace

from rubric.core.records import RubricRecord
from rubric.core.response_order import map_labels
from rubric.core.scores import round_half_up, score_marks
from rubric.exports.core.items import (
    ExportedAnswer,
    ExportedComparison,
    ExportedMark,
    ExportedResponse,
    ExportedReview,
    ExportedReviewer,
    ExportedSet,
    ExportedVersion,
    MarkHistory,
    OwnReviewRecord,
    build_answer,
)
from rubric.models import (
    Answer,
    Comparison,
    ComparisonSet,
    Mark,
    MarkRevision,
    Response,
    Review,
    ReviewedResponse,
    Reviewer,
    RubricVersion,
)
from rubric.models.comparisons import ELSEWHERE
from rubric.reviews.queries import load_own_numbers
from workspace.models import Person, Project

# The number of comparisons in memory at once.
BATCH = 50
# The name of a person or an external reviewer in this export, by key; None means nobody.
NameOf = Callable[[int | None], str | None]
ReviewerName = Callable[[Reviewer], str]


def stream_versions(keys: Collection[int], name: NameOf) -> Iterator[ExportedVersion]:
    """These versions in the order of their keys."""
    for row in RubricVersion.objects.filter(pk__in=keys).select_related("rubric").order_by("pk"):
        yield ExportedVersion(
            rubric=row.rubric.key,
            number=row.number,
            state=row.state,
            sha256=row.sha256,
            note=row.note,
            published_at=row.published_at,
            published_by=name(row.published_by_id),
            body=row.to_record(),
        )


def get_version_name(row: RubricVersion) -> str:
    """The name of a version in exports: key of its rubric and number."""
    return f"{row.rubric.key} {row.number}"


def list_outside_reviewers(project: Project) -> list[int]:
    """The reviewers whose reviews came by file, which may be people."""
    rows = Reviewer.objects.filter(set__project=project, kind=ELSEWHERE)
    return list(rows.values_list("pk", flat=True))


def list_people_who_review(project: Project) -> list[int]:
    """The people who review sets of the project, or did so before."""
    rows = Reviewer.objects.filter(set__project=project, person__isnull=False)
    return list(rows.values_list("person", flat=True))


def stream_set(
    row: ComparisonSet, *, left_out: str, name: NameOf, reviewer_name: ReviewerName
) -> Iterator[ExportedSet | ExportedComparison]:
    """A set fetched with its version's rubric, then its comparisons; with `left_out` without reviews and authors."""
    reviewers = {reviewer.pk: reviewer for reviewer in row.reviewers.order_by("pk")}
    names = {key: reviewer_name(reviewer) for key, reviewer in reviewers.items()}
    yield ExportedSet(
        number=row.number,
        name=row.name,
        rubric_version=get_version_name(row.rubric_version),
        mode=row.mode,
        has_second_round=row.has_second_round,
        people_needed=row.people_needed,
        created_at=row.created_at,
        created_by=name(row.created_by_id) or "",
        closed_at=row.closed_at,
        closed_by=name(row.closed_by_id),
        reviewers=[
            ExportedReviewer(
                names[key], reviewer.kind, reviewer.model, reviewer.parameters, reviewer.ended_at
            )
            for key, reviewer in reviewers.items()
        ],
        left_out=left_out,
    )
    for batch in _batches(row.comparisons.all()):
        yield from _comparisons(row, batch, reviewers, names, left_out, name)


def _batches(rows: "QuerySet[Comparison]") -> Iterator[list[Comparison]]:
    last = 0
    while batch := list(rows.filter(pk__gt=last).order_by("pk")[:BATCH]):
        yield batch
        last = batch[-1].pk


def _comparisons(
    row: ComparisonSet,
    batch: list[Comparison],
    reviewers: Mapping[int, Reviewer],
    names: Mapping[int, str],
    left_out: str,
    name: NameOf,
) -> Iterator[ExportedComparison]:
    keys = [comparison.pk for comparison in batch]
    responses: dict[int, list[Response]] = defaultdict(list)
    for response in Response.objects.filter(comparison__in=keys).order_by("number"):
        responses[response.comparison_id].append(response)
    reviews = {} if left_out else _reviews(row, keys, reviewers, names, name)
    for comparison in batch:
        yield ExportedComparison(
            set=row.number,
            set_name=row.name,
            number=comparison.number,
            id="" if left_out else comparison.key,
            question=comparison.question,
            created_at=comparison.created_at,
            created_by=name(comparison.created_by_id) or "",
            responses=[
                ExportedResponse(
                    response.number,
                    "" if left_out else response.key,
                    "" if left_out else name(response.written_by_id) or response.author,
                    response.word_count,
                    response.text,
                )
                for response in responses[comparison.pk]
            ],
            reviews=reviews.get(comparison.pk, []),
        )


def _reviews(
    row: ComparisonSet,
    comparisons: list[int],
    reviewers: Mapping[int, Reviewer],
    names: Mapping[int, str],
    name: NameOf,
) -> dict[int, list[ExportedReview]]:
    """Comparison -> its reviews, including superseded ones, in the order in which they were made."""
    rows = list(Review.objects.filter(comparison__in=comparisons).order_by("pk"))
    keys = [review.pk for review in rows]
    marks, answers = load_marks(keys, name), _load_answers(keys)
    said: dict[int, list[ReviewedResponse]] = defaultdict(list)
    for reviewed in ReviewedResponse.objects.filter(review__in=keys).order_by("position"):
        said[reviewed.review_id].append(reviewed)
    rubric = row.rubric_version.to_record()
    numbers = dict(Response.objects.filter(comparison__in=comparisons).values_list("pk", "number"))
    found: dict[int, list[ExportedReview]] = defaultdict(list)
    for review in rows:
        label_of = {number: label for label, number in map_labels(review.order).items()}
        given = {label_of[numbers[reviewed.response_id]]: reviewed for reviewed in said[review.pk]}
        built = replace(
            _review(review, given, rubric),
            reviewer=names[review.reviewer_id],
            reviewer_kind=reviewers[review.reviewer_id].kind,
            corrected_by=name(review.corrected_by_id),
            marks=marks.get(review.pk, []),
            answers=answers.get(review.pk, []),
        )
        found[review.comparison_id].append(built)
    return found


def _review(review: Review, given: Mapping[str, ReviewedResponse], rubric: RubricRecord) -> ExportedReview:
    """A review with what it gives the response under each label, without the reviewer's name."""
    return ExportedReview(
        id=review.pk,
        reviewer="",
        reviewer_kind="",
        round=review.round,
        purpose=review.purpose,
        state=review.state,
        mode=review.mode,
        is_blind=review.is_blind,
        criteria_first=review.criteria_first,
        labels=map_labels(review.order),
        answer=build_answer(
            review.reported_ranking or review.ranking,
            {label: _scores(reviewed, rubric) for label, reviewed in given.items()},
        ),
        cannot_judge={
            label: reviewed.cannot_judge for label, reviewed in given.items() if reviewed.cannot_judge
        },
        incomplete=[label for label, reviewed in given.items() if reviewed.is_incomplete],
        own=[label for label, reviewed in given.items() if reviewed.is_own],
        flags=review.flags,
        correction=review.correction,
        corrected_at=review.corrected_at,
        corrected_by=None,
        created_at=review.created_at,
        submitted_at=review.submitted_at,
        marks=[],
        answers=[],
    )


def _scores(reviewed: ReviewedResponse, rubric: RubricRecord) -> dict[str, Any]:
    """A response in the decision record's JSON: scores as given, our overall on the common scale to two places."""
    overall = score_marks(reviewed.scores, rubric).value
    given: dict[str, Any] = dict(reviewed.scores)
    if overall is not None:
        given["overall"] = float(round_half_up(overall))
    if reviewed.holistic is not None:
        given["holistic"] = reviewed.holistic
    if reviewed.notes:
        given["notes"] = reviewed.notes
    return given


def load_marks(reviews: Collection[int], name: NameOf) -> dict[int, list[MarkHistory]]:
    """Review -> the person's marks, with every act."""
    acts: dict[int, list[MarkRevision]] = defaultdict(list)
    for act in MarkRevision.objects.filter(mark__review__in=reviews).order_by("mark", "version"):
        acts[act.mark_id].append(act)
    found: dict[int, list[MarkHistory]] = defaultdict(list)
    for mark in Mark.objects.filter(review__in=reviews).order_by("pk"):
        history, before = [], ""
        for act in acts[mark.pk]:
            by = name(act.created_by_id) or ""
            history.append(
                ExportedMark(
                    act.version, before, act.value, act.reason, act.took_ms, act.undoes, by, act.created_at
                )
            )
            before = act.value
        found[mark.review_id].append(MarkHistory(mark.kind, mark.subject, mark.value, mark.reason, history))
    return found


def _load_answers(reviews: Collection[int]) -> dict[int, list[ExportedAnswer]]:
    found: dict[int, list[ExportedAnswer]] = defaultdict(list)
    for row in Answer.objects.filter(review__in=reviews).order_by("review", "attempt"):
        found[row.review_id].append(
            ExportedAnswer(
                attempt=row.attempt,
                source=row.source,
                part=row.part,
                model=row.model,
                parameters=row.parameters,
                text=row.text,
                finish_reason=row.finish_reason,
                prompt_tokens=row.prompt_tokens,
                answer_tokens=row.answer_tokens,
                cost_usd=None if row.cost_usd is None else float(row.cost_usd),
                took_ms=row.took_ms,
                error=row.error,
                at=row.created_at,
            )
        )
    return found


def stream_own_reviews(project: Project, person: Person, name: NameOf) -> Iterator[OwnReviewRecord]:
    """The person's own reviews of a project, with what the person was shown to review them."""
    rows = Review.objects.visible_to(person).filter(reviewer__set__project=project)
    rows = rows.select_related("comparison__set").order_by("pk")
    last, numbers = 0, dict[int, int]()
    while batch := list(rows.filter(pk__gt=last)[:BATCH]):
        last = batch[-1].pk
        texts = {
            (comparison, number): text
            for comparison, number, text in Response.objects.filter(
                comparison__in=[review.comparison_id for review in batch]
            ).values_list("comparison", "number", "text")
        }
        marks = load_marks([review.pk for review in batch], name)
        for review in batch:
            if review.pk not in numbers:
                numbers |= load_own_numbers(review.reviewer_id)
            yield OwnReviewRecord(
                set=review.comparison.set.number,
                set_name=review.comparison.set.name,
                # A hidden duplicate looks like any other review: it has the number and the states that its page shows.
                comparison=numbers[review.pk],
                question=review.comparison.question,
                responses={
                    label: texts[review.comparison_id, number]
                    for label, number in map_labels(review.order).items()
                },
                reviewer=name(person.pk) or "",
                round=review.round,
                state="submitted" if review.submitted_at else "draft",
                created_at=review.created_at,
                submitted_at=review.submitted_at,
                marks=marks.get(review.pk, []),
            )
