"""Checks of reviews: this wing's part of `manage.py verify`, which reads submitted reviews again."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, F, Max, OuterRef, Prefetch, Q, QuerySet, Subquery
from msgspec import to_builtins

from rubric.core.records import ReviewRecord
from rubric.core.response_order import shuffle
from rubric.core.scales import COMMON
from rubric.human_reviewers.core import build_record, collect_reasons
from rubric.human_reviewers.queries.reviews import STARTING, load_review_state, load_rubric
from rubric.model_reviewers.queries import load_answers, parse_answer, reviews_to_read
from rubric.models import (
    CalibrationComparison,
    ComparisonSet,
    Mark,
    MarkRevision,
    Review,
    ReviewedResponse,
    Survey,
)
from rubric.models.comparisons import PERSON
from rubric.models.reviews import CALIBRATION, DRAFT, RATING, REPEAT, SUBMITTED
from workspace.checks.actions import missing_events
from workspace.checks.core import Check
from workspace.models import Event

CHUNK = 200


def _people_said_so(_now: datetime) -> Iterator[str]:
    for review in _submitted(reviewer__kind=PERSON):
        work = load_review_state(review)
        if work.missing:
            yield f"{_name(review)} was submitted, though {work.missing[0].says}"
            continue
        record = build_record(work.sheet, work.values, work.rubric, work.slips)
        if _said(record, collect_reasons(work.values, work.reasons)) != _stored(review):
            yield f"{_name(review)} does not say what its marks say."


def _answers_said_so(_now: datetime) -> Iterator[str]:
    answered = Q(answers__error_code="") | Q(read_from__isnull=False)
    for review in _submitted(answered).distinct():
        record = parse_answer(review, reader=review.reader)
        if record is not None and _said(record, {}) != _stored(review):
            rows = ", ".join(str(answer.pk) for answer in load_answers(review).values())
            yield f"{_name(review)} does not say what its first answer (row {rows}) says."


def _responses_fit(_now: datetime) -> Iterator[str]:
    rows = Review.objects.select_related("comparison", "reviewer").order_by("pk")
    for review in rows.prefetch_related("comparison__responses").iterator(chunk_size=CHUNK):
        responses = review.comparison.responses.all()
        others = {
            response.number
            for response in responses
            if response.written_by_id is None or response.written_by_id != review.reviewer.person_id
        }
        if not set(review.order) <= others or len(set(review.order)) != len(review.order):
            yield f"{_name(review)} was shown responses that are not its reviewer's to judge."
        elif review.seed and review.order != shuffle(sorted(others), review.seed):
            yield f"{_name(review)} has another order than its seed gives."
        if review.comparison.set_id != review.reviewer.set_id:
            yield f"{_name(review)} is by a reviewer of another set."


def _rows_fit(_now: datetime) -> Iterator[str]:
    for review in _submitted():
        rows = sorted(review.reviewed.all(), key=lambda row: row.position)
        placed = [(row.position, row.response.number) for row in rows]
        elsewhere = any(row.response.comparison_id != review.comparison_id for row in rows)
        if elsewhere or placed != list(enumerate(review.order, start=1)):
            yield f"{_name(review)} does not say something of each response in its order."
        held_by = review.reviewer.set
        scales = {
            criterion.key: criterion.scale or COMMON
            for criterion in load_rubric(held_by.rubric_version_id, held_by.rubric_version.sha256).criteria
        }
        names = {review.reviewer.name.casefold(), review.reviewer.model.casefold()} - {""}
        for row in rows:
            for key, score in row.scores.items():
                if key not in scales or not scales[key].holds(score):
                    yield f"{_name(review)} holds a score of no criterion, or beyond its scale: {key} {score:g}."
            if row.holistic is not None and not COMMON.holds(row.holistic):
                yield f"{_name(review)} holds a holistic score beyond {COMMON.text}."
            if row.is_own != (row.response.author.casefold() in names):
                yield f"{_name(review)} is wrong about who wrote the response in row {row.response_id}."


def _marks_count(_now: datetime) -> Iterator[str]:
    newest = MarkRevision.objects.filter(mark=OuterRef("pk")).order_by("-version")
    rows = Mark.objects.annotate(
        count=Count("revisions"),
        top=Max("revisions__version"),
        said=Subquery(newest.values("value")[:1]),
        because=Subquery(newest.values("reason")[:1]),
    )
    wrong = ~Q(version=F("count")) | ~Q(version=F("top")) | Q(top=None)
    wrong |= ~Q(value=F("said")) | ~Q(reason=F("because"))
    for row in rows.filter(wrong).order_by("pk"):
        yield f"Mark {row.pk} ({row.kind}) of review {row.review_id} is not the newest of its revisions."
    others = MarkRevision.objects.exclude(created_by=F("mark__review__reviewer__person"))
    for revision in others.order_by("pk"):
        yield f"Revision {revision.pk} of mark {revision.mark_id} was made by somebody other than the reviewer."
    late = MarkRevision.objects.filter(created_at__gt=F("mark__review__submitted_at"))
    for revision in late.order_by("pk"):
        yield f"Revision {revision.pk} of mark {revision.mark_id} is newer than what was submitted."


def _acts_are_told(_now: datetime) -> Iterator[str]:
    verbs = ("mark:made", "mark:undone")
    lines = Event.objects.filter(verb__in=verbs).order_by().values_list("object_id")
    told = dict(lines.annotate(count=Count("pk")))
    acts = Count("revisions", filter=~Q(revisions__key__startswith=STARTING))
    for row in Mark.objects.annotate(count=acts).order_by("pk").iterator(chunk_size=2000):
        if told.pop(str(row.pk), 0) != row.count:
            yield f"Mark {row.pk} of review {row.review_id} does not have one audit line for each act."
    for key in sorted(told):
        yield f"The audit log tells of mark {key}, which is not there."
    rows: tuple[tuple[str, tuple[str, ...], QuerySet[Any]], ...] = (
        ("review", ("review:begun",), Review.objects.all()),
        ("review", ("review:handed_in",), Review.objects.exclude(submitted_at=None)),
        ("comparison_set", ("comparison_set:opened",), ComparisonSet.objects.all()),
        ("survey", ("survey:answered", "survey:passed_over"), Survey.objects.exclude(answered_at=None)),
    )
    for kind, wanted, found in rows:
        yield from missing_events(kind, wanted, {str(key) for key in found.values_list("pk", flat=True)})


def _set_apart_fits(_now: datetime) -> Iterator[str]:
    first = Review.objects.filter(
        comparison=OuterRef("comparison"), reviewer=OuterRef("reviewer"), purpose=RATING, state=SUBMITTED
    ).filter(submitted_at__lte=OuterRef("created_at"))
    for review in Review.objects.filter(~Exists(first), purpose=REPEAT).order_by("pk"):
        yield f"{_name(review)} repeats a review that its reviewer did not submit before."
    known = CalibrationComparison.objects.filter(comparison=OuterRef("comparison"))
    for review in Review.objects.filter(~Exists(known), purpose=CALIBRATION).order_by("pk"):
        yield f"{_name(review)} is for calibration, but no round has its comparison."
    rows = CalibrationComparison.objects.exclude(comparison__set=F("round__set"))
    for row in rows.order_by("pk"):
        yield f"Calibration {row.round_id} has comparison {row.comparison_id} of another set."


def _submitted(*conditions: Q, **where: object) -> QuerySet[Review]:
    """Every submitted review with its rows, including superseded ones."""
    rows = Prefetch("reviewed", ReviewedResponse.objects.select_related("response").defer("response__text"))
    found = reviews_to_read().filter(*conditions, **where).exclude(submitted_at=None).exclude(state=DRAFT)
    return found.prefetch_related(rows).order_by("pk")


def _said(record: ReviewRecord, reasons: dict[str, dict[str, str]]) -> list[object]:
    """The content of a record in the form in which it is stored."""
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
    return [record.mode, record.ranking, record.reported_ranking, to_builtins(record.flags), rows]


def _stored(review: Review) -> list[object]:
    rows: list[object] = [
        [row.scores, row.holistic, row.reported_overall, row.is_incomplete, row.notes, row.cannot_judge]
        for row in sorted(review.reviewed.all(), key=lambda row: row.position)
    ]
    return [review.mode, review.ranking, review.reported_ranking, review.flags, rows]


def _name(review: Review) -> str:
    return f"Review {review.pk} of comparison {review.comparison_id}, round {review.round},"


CHECKS: tuple[Check, ...] = (
    Check("R1", "Every review by a person says what its marks say", _people_said_so),
    Check("R2", "Every review that came as text says what its first answer says", _answers_said_so),
    Check("R3", "Responses were shown in the order of the seed, and never to who wrote them", _responses_fit),
    Check("R4", "What was submitted fits the order, the criteria and the scale", _rows_fit),
    Check("R5", "Every mark is the newest of its revisions, all by its reviewer", _marks_count),
    Check("R6", "Every act on reviews, sets and surveys has its audit line", _acts_are_told),
    Check(
        "R7",
        "Reviews that count nowhere repeat an earlier one, or are of a calibration round",
        _set_apart_fits,
    ),
)
