"""Checks of reviews: this app's part of `manage.py verify`, which reads submitted reviews again."""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, F, Max, OuterRef, Prefetch, Q, QuerySet, Subquery
from msgspec import to_builtins

from rubric import models
from rubric.core.records import ReviewRecord
from rubric.core.response_order import shuffle
from rubric.core.scales import COMMON
from rubric.human_reviewers.core import build_record, collect_reasons
from rubric.human_reviewers.queries.reviews import STARTING, load_review_state, load_rubric
from rubric.model_reviewers.queries import (
    fits_itself,
    load_answers,
    parse_answer,
    reads_otherwise,
    reviews_to_read,
)
from rubric.models.comparisons import PERSON
from rubric.models.reviews import CALIBRATION, DRAFT, RATING, REPEAT, SUBMITTED, UPLOADED
from rubric.reviews.core.answer_record import READER
from rubric.reviews.queries import list_content, list_stored_content
from workspace.audit.queries import list_erased
from workspace.checks.actions import missing_events, read_details
from workspace.checks.core import Checks
from workspace.core.canonical import bytes_hash, canonical_hash
from workspace.models import Event

CHECKS = Checks()

CHUNK = 200
MOST_NAMED = 20
ANSWERED = Q(answers__error_code="") | Q(read_from__isnull=False)


@CHECKS.add("R1", "Every review by a person says what its marks say")
def _people_said_so(_now: datetime) -> Iterator[str]:
    for review in _submitted(reviewer__kind=PERSON):
        work = load_review_state(review)
        if work.missing:
            yield f"{_review_name(review)} was submitted, though {work.missing[0].says}"
            continue
        record = build_record(work.sheet, work.values, work.rubric, work.slips)
        if not _holds(review, record, collect_reasons(work.values, work.reasons)):
            yield f"{_review_name(review)} does not say what its marks say."


def _earlier_readers_read(_now: datetime) -> Iterator[str]:
    """Answers to read again: an earlier reader may have read on a Python that misread, so it cannot be asked today."""
    by_set: dict[models.ComparisonSet, list[int]] = {}
    for review in _submitted(ANSWERED, state=SUBMITTED).exclude(reader=READER).distinct():
        if reads_otherwise(review):
            by_set.setdefault(review.reviewer.set, []).append(review.pk)
    for held_by, keys in by_set.items():
        first = ", ".join(map(str, keys[:MOST_NAMED]))
        more = ", ..." if len(keys) > MOST_NAMED else ""
        yield (
            f"Comparison set {held_by.number} of project {held_by.project.slug}: today's reader ({READER}) gives other "
            f"results than an earlier reader stored. Answers: {len(keys)} (rows of reviews: {first}{more}). "
            'Press "Parse all of these again" on the set\'s page Parsed answers.'
        )


@CHECKS.add(
    "R2", "Every review that came as text says what its first answer says", note=_earlier_readers_read
)
def _answers_said_so(_now: datetime) -> Iterator[str]:
    handed_in = {key: detail.get("mode") for key, detail in read_details("review:handed_in")}
    for review in _submitted(ANSWERED).distinct():
        if review.reader != READER:
            if not fits_itself(review) or review.mode != handed_in.get(review.pk, review.mode):
                yield f"{_review_name(review)} holds scores, a ranking and remarks that do not fit one another."
            continue
        record = parse_answer(review)
        if record is not None and not _holds(review, record, {}):
            rows = ", ".join(str(answer.pk) for answer in load_answers(review).values())
            yield f"{_review_name(review)} does not say what its first answer (row {rows}) says."
    yield from _altered_answers()


def _altered_answers() -> Iterator[str]:
    kept = {(key, detail["attempt"]): detail["sha256"] for key, detail in read_details("answer:kept")}
    for answer in models.Answer.objects.exclude(source=UPLOADED).order_by("pk").iterator(chunk_size=CHUNK):
        if kept.get((answer.review_id, answer.attempt)) != bytes_hash(answer.text.encode()):
            yield f"Answer {answer.pk} of review {answer.review_id} is not the text that its audit line names."
    seen: Counter[tuple[str, datetime]] = Counter()
    for event in Event.objects.filter(verb="comparison_set:answered").exclude(object_id="").order_by("pk"):
        said, place = event.details, (event.object_id, event.at)
        rows = models.Answer.objects.filter(
            source=UPLOADED,
            created_at=event.at,
            review__prompt__isnull=False,
            review__reviewer__set=int(event.object_id),
        )
        start = seen[place]
        seen[place] += said["answers"]
        texts = list(rows.order_by("pk").values_list("text", flat=True)[start : seen[place]])
        if canonical_hash(texts) != said["sha256"]:
            yield f"Uploaded answers ({said['answers']}) are not those that audit line {event.pk} names."


@CHECKS.add("R3", "Responses were shown in the order of the seed, and never to who wrote them")
def _responses_fit(_now: datetime) -> Iterator[str]:
    rows = models.Review.objects.select_related("comparison", "reviewer").order_by("pk")
    for review in rows.prefetch_related("comparison__responses").iterator(chunk_size=CHUNK):
        responses = review.comparison.responses.all()
        others = {
            response.number
            for response in responses
            if response.written_by_id is None or response.written_by_id != review.reviewer.person_id
        }
        if not set(review.order) <= others or len(set(review.order)) != len(review.order):
            yield f"{_review_name(review)} was shown responses that are not its reviewer's to judge."
        elif review.seed and review.order != shuffle(sorted(others), review.seed):
            yield f"{_review_name(review)} has another order than its seed gives."
        if review.comparison.set_id != review.reviewer.set_id:
            yield f"{_review_name(review)} is by a reviewer of another set."


@CHECKS.add("R4", "What was submitted fits the order, the criteria and the scale")
def _rows_fit(_now: datetime) -> Iterator[str]:
    for review in _submitted():
        rows = sorted(review.reviewed.all(), key=lambda row: row.position)
        placed = [(row.position, row.response.number) for row in rows]
        elsewhere = any(row.response.comparison_id != review.comparison_id for row in rows)
        if elsewhere or placed != list(enumerate(review.order, start=1)):
            yield f"{_review_name(review)} does not say something of each response in its order."
        held_by = review.reviewer.set
        scales = {
            criterion.key: criterion.scale or COMMON
            for criterion in load_rubric(held_by.rubric_version_id, held_by.rubric_version.sha256).criteria
        }
        names = {review.reviewer.name.casefold(), review.reviewer.model.casefold()} - {""}
        for row in rows:
            for key, score in row.scores.items():
                if key not in scales or not scales[key].holds(score):
                    yield f"{_review_name(review)} holds a score of no criterion, or beyond its scale: {key} {score:g}."
            if row.holistic is not None and not COMMON.holds(row.holistic):
                yield f"{_review_name(review)} holds a holistic score beyond {COMMON.text}."
            if row.is_own != (row.response.author.casefold() in names):
                yield f"{_review_name(review)} is wrong about who wrote the response in row {row.response_id}."


@CHECKS.add("R5", "Every mark is the newest of its revisions, all by its reviewer")
def _marks_count(_now: datetime) -> Iterator[str]:
    rows = add_newest(models.Mark.objects.all(), models.MarkRevision.objects.filter(mark=OuterRef("pk")))
    for row in rows.filter(WRONG_VERSION | WRONG_VALUE):
        yield f"Mark {row.pk} ({row.kind}) of review {row.review_id} is not the newest of its revisions."
    others = models.MarkRevision.objects.exclude(created_by=F("mark__review__reviewer__person"))
    for revision in others.order_by("pk"):
        yield f"Revision {revision.pk} of mark {revision.mark_id} was made by somebody other than the reviewer."
    late = models.MarkRevision.objects.filter(created_at__gt=F("mark__review__submitted_at"))
    for revision in late.order_by("pk"):
        yield f"Revision {revision.pk} of mark {revision.mark_id} is newer than what was submitted."


@CHECKS.add("R6", "Every act on reviews, sets and surveys has its audit line")
def _acts_are_told(_now: datetime) -> Iterator[str]:
    acts = Count("revisions", filter=~Q(revisions__key__startswith=STARTING))
    untold, excess = compare_acts(
        "mark", models.Mark.objects.annotate(count=acts), "mark:made", "mark:undone"
    )
    for row in untold:
        yield f"Mark {row.pk} of review {row.review_id} does not have one audit line for each act."
    yield from excess
    yield from missing_events(
        ("review", "review:begun", models.Review.objects.all()),
        ("review", "review:handed_in", models.Review.objects.exclude(submitted_at=None)),
        ("comparison_set", "comparison_set:opened", models.ComparisonSet.objects.all()),
        ("survey", "survey:answered survey:passed_over", models.Survey.objects.exclude(answered_at=None)),
    )


@CHECKS.add("R7", "Reviews that count nowhere repeat an earlier one, or are of a calibration round")
def _set_apart_fits(_now: datetime) -> Iterator[str]:
    first = models.Review.objects.filter(
        comparison=OuterRef("comparison"), reviewer=OuterRef("reviewer"), purpose=RATING, state=SUBMITTED
    ).filter(submitted_at__lte=OuterRef("created_at"))
    for review in models.Review.objects.filter(~Exists(first), purpose=REPEAT).order_by("pk"):
        yield f"{_review_name(review)} repeats a review that its reviewer did not submit before."
    known = models.CalibrationComparison.objects.filter(comparison=OuterRef("comparison"))
    for review in models.Review.objects.filter(~Exists(known), purpose=CALIBRATION).order_by("pk"):
        yield f"{_review_name(review)} is for calibration, but no round has its comparison."
    rows = models.CalibrationComparison.objects.exclude(comparison__set=F("round__set"))
    for row in rows.order_by("pk"):
        yield f"Calibration {row.round_id} has comparison {row.comparison_id} of another set."


def compare_acts(kind: str, rows: "QuerySet[Any]", *verbs: str) -> tuple[list[Any], list[str]]:
    """Rows with another number of audit lines of these verbs than their `count`; then what the log has in excess."""
    lines = Event.objects.filter(verb__in=verbs).exclude(object_id="").order_by().values_list("object_id")
    told = dict(lines.annotate(count=Count("pk")))
    erased = list_erased(kind)
    untold = [row for row in rows.order_by("pk").iterator(2000) if told.pop(str(row.pk), 0) != row.count]
    return untold, [
        f"The audit log tells of {kind} {key}, which is not there." for key in sorted(set(told) - erased)
    ]


WRONG_VERSION = ~Q(version=F("count")) | ~Q(version=F("top")) | Q(top=None)
WRONG_VALUE = ~Q(value=F("newest_value")) | ~Q(reason=F("newest_reason"))


def add_newest(rows: "QuerySet[Any]", revisions: "QuerySet[Any]") -> "QuerySet[Any]":
    """The rows beside what their revisions say, for WRONG_VERSION and WRONG_VALUE."""
    newest = revisions.order_by("-version")
    beside: QuerySet[Any] = rows.order_by("pk").annotate(
        count=Count("revisions"),
        top=Max("revisions__version"),
        newest_value=Subquery(newest.values("value")[:1]),
        newest_reason=Subquery(newest.values("reason")[:1]),
    )
    return beside


def _submitted(*conditions: Q, **where: object) -> QuerySet[models.Review]:
    rows = Prefetch(
        "reviewed", models.ReviewedResponse.objects.select_related("response").defer("response__text")
    )
    reviews = reviews_to_read().filter(*conditions, **where).exclude(submitted_at=None).exclude(state=DRAFT)
    return reviews.prefetch_related(rows).order_by("pk")


def _holds(review: models.Review, record: ReviewRecord, reasons: dict[str, dict[str, str]]) -> bool:
    is_same = list_content(record, reasons) == list_stored_content(review)
    return is_same and to_builtins(record.flags) == review.flags


def _review_name(review: models.Review) -> str:
    return f"Review {review.pk} of comparison {review.comparison_id}, round {review.round},"
