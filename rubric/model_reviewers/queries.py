"""The progress of every model reviewer of a set with every comparison, read in a fixed number of queries."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from django.conf import settings
from django.db import models
from django.db.models import Q
from msgspec import Struct, to_builtins
from msgspec.structs import replace

from rubric.core.records import ABSTAINED, HOLISTIC, UNREADABLE, Flag, ReviewRecord, RubricRecord
from rubric.core.response_order import map_labels
from rubric.model_reviewers.core import OPEN, REFUSAL, UNREAD, derive_state
from rubric.models import Answer, Comparison, ComparisonSet, Review, Reviewer, WholePrompt
from rubric.models.comparisons import MODEL
from rubric.models.reviews import FETCHED, SUBMITTED, SUPERSEDED
from rubric.reviews.core.answer_json import GivenScores
from rubric.reviews.core.answer_record import MISMATCHES, READER, assemble_record, given_mode, read_review
from rubric.reviews.core.claims import claimed_flags
from rubric.reviews.core.corrections import apply_correction, parse_correction
from rubric.reviews.core.two_calls import WHOLE_PART, list_missing, merge_calls
from rubric.reviews.queries import list_content, list_stored_content

STOPPED_BY_LENGTH = "length"
MAIN_PART = ""
TO_READ = ("comparison", "reviewer__set__project", "reviewer__set__rubric_version", "read_from")


class AskedComparison(Struct, frozen=True):
    """One model reviewer and one comparison. `review` is the one that counts or waits, None before it is asked.

    While there is no answer, `error` is the sentence of the newest failed call; `tries` counts live calls. `part` names
    the next answer: "whole" for the holistic score in a separate call. `is_half` says that one of two answers is there.
    """

    comparison: int
    reviewer: int
    state: str
    review: int | None = None
    mode: str = ""
    flag_count: int = 0
    tries: int = 0
    error: str = ""
    superseded_count: int = 0
    part: str = ""
    is_half: bool = False

    @property
    def is_waiting(self) -> bool:
        return self.state in (OPEN, UNREAD)


def model_reviewers(comparison_set: ComparisonSet) -> list[Reviewer]:
    """The set's models, including removed ones, in the order in which they were added."""
    return list(Reviewer.objects.filter(set=comparison_set, kind=MODEL).order_by("pk"))


def get_model_name(reviewer: Reviewer) -> str:
    return reviewer.model or reviewer.name


def has_answers(reviewer: Reviewer) -> bool:
    return Answer.objects.filter(review__reviewer=reviewer).exists()


def is_callable(model: str) -> bool:
    """Whether this site can call the model: it has an endpoint, and the settings name the model."""
    return bool(settings.REVIEW_MODELS_URL) and model in settings.REVIEW_MODELS


def may_call(reviewer: Reviewer) -> bool:
    return is_callable(get_model_name(reviewer))


def load_asked(
    comparison_set: ComparisonSet,
    reviewers: Iterable[Reviewer],
    *,
    comparisons: Iterable[int] | None = None,
    reviews: Iterable[Review] | None = None,
) -> list[AskedComparison]:
    """Every pair of these, by comparison, then reviewer. `reviews` are their first-round reviews, if known."""
    wanted = Comparison.objects.filter(set=comparison_set).order_by("number").values_list("pk", flat=True)
    keys = list(wanted if comparisons is None else comparisons)
    reviewers = list(reviewers)
    if reviews is None:
        rows = Review.objects.filter(reviewer__in=reviewers, round=1)
        rows = rows if comparisons is None else rows.filter(comparison__in=keys)
        reviews = rows.only("comparison_id", "reviewer_id", "state", "mode", "flags", "read_from_id")
    live: dict[tuple[int, int], Review] = {}
    superseded: dict[tuple[int, int], int] = defaultdict(int)
    for review in reviews:
        pair = review.comparison_id, review.reviewer_id
        if review.read_from_id is None:
            superseded[pair] += review.state == SUPERSEDED
        elif review.state != SUPERSEDED:
            # Its answer belongs to a superseded review, but was not asked for again.
            superseded[pair] -= 1
        if review.state != SUPERSEDED:
            live[pair] = review
    waiting = [review.pk for review in live.values() if not review.mode]
    answers, in_two = _load_stored(waiting)
    return [
        _describe_asked(
            live[pair], answers[live[pair].pk], superseded.get(pair, 0), is_in_two=live[pair].pk in in_two
        )
        if pair in live
        else AskedComparison(*pair, state=OPEN, superseded_count=superseded.get(pair, 0))
        for pair in ((key, reviewer.pk) for key in keys for reviewer in reviewers)
    ]


def reviews_to_read() -> "models.QuerySet[Review]":
    return Review.objects.select_related(*TO_READ)


def texts_by_label(review: Review) -> dict[str, str]:
    texts = dict(review.comparison.responses.values_list("number", "text"))
    return {label: texts[number] for label, number in map_labels(review.order).items()}


def load_answers(review: Review) -> dict[str, Answer]:
    """The answers that the review is read from, by part: the first of each part that is not a failed call."""
    rows = Answer.objects.filter(review=review.source_id, error_code="").order_by("-attempt")
    return {answer.part: answer for answer in rows}


def has_two_calls(review: Review) -> bool:
    return WholePrompt.objects.filter(review=review.source_id).exists()


def shows_criteria_first(review: Review) -> bool:
    """Whether a model saw the criteria before it gave holistic scores: in one call for everything."""
    return review.reviewer.set.mode != HOLISTIC and not has_two_calls(review)


def list_readable(
    comparison_set: ComparisonSet, *, states: Sequence[str] = (SUBMITTED,)
) -> "models.QuerySet[Review]":
    """The reviews of the set that count and came as text, by comparison, as `parse_answer` takes them."""
    answered = Q(answers__error_code="") | Q(read_from__isnull=False)
    rows = reviews_to_read().filter(answered, reviewer__set=comparison_set, state__in=states).distinct()
    return rows.select_related("corrected_by", *TO_READ).order_by("comparison__number", "reviewer", "pk")


def reads_otherwise(review: Review) -> bool:
    """Whether the current reader gives something else than what an earlier reader stored and nobody corrected.

    Remarks count only where the earlier reader itself, run today, words them differently: then Python misread.
    """
    if review.reader >= READER or review.correction:
        return False
    now = parse_answer(review)
    if now is None:
        return False
    if list_content(now, {}) != list_stored_content(review):
        return True
    if to_builtins(now.flags) == review.flags:
        return False
    then = parse_answer(review, reader=review.reader)
    return then is not None and to_builtins(then.flags) != review.flags


def fits_itself(review: Review) -> bool:
    """Whether a stored reading is whole: mode, ranking and mismatches follow from its scores, or from its correction.

    It says nothing about the answer. `review` comes from `reviews_to_read`.
    """
    labels = map_labels(review.order)
    rows = sorted(review.reviewed.all(), key=lambda row: row.position)
    if len(rows) != len(labels):
        return False
    scores = {
        label: GivenScores(row.scores, row.holistic, row.reported_overall, row.notes)
        for label, row in zip(labels, rows, strict=True)
    }
    rubric = review.reviewer.set.rubric_version.to_record()
    record = assemble_record(scores, review.reported_ranking, rubric, review.mode)
    if review.mode not in (ABSTAINED, UNREADABLE):
        record = replace(record, mode=given_mode(scores, review.reported_ranking, rubric))
    record = apply_correction(record, parse_correction(review.correction), rubric)
    stored = [flag for flag in review.flags if flag.get("code") in MISMATCHES]
    computed = [flag for flag in record.flags if flag.code in MISMATCHES]
    return list_content(record, {}) == list_stored_content(review) and to_builtins(computed) == stored


def parse_answer(review: Review, *, reader: int = READER) -> ReviewRecord | None:
    """The reader's result for the answers of a review, under its labels, with remarks; None before all are there.

    `review` comes from `reviews_to_read`. The corrections of a person are applied.
    """
    answers = load_answers(review)
    if MAIN_PART not in answers or (WHOLE_PART not in answers and has_two_calls(review)):
        return None
    texts = texts_by_label(review)
    rubric = review.reviewer.set.rubric_version.to_record()
    record = _read_part(answers[MAIN_PART], texts, rubric, reader)
    if WHOLE_PART in answers:
        record = merge_calls(
            _read_part(answers[WHOLE_PART], texts, rubric, reader), record, rubric, reader=reader
        )
    return apply_correction(record, parse_correction(review.correction), rubric)


HalfReview = tuple[ReviewRecord, list[str]]


def read_halves(asked: Iterable[AskedComparison]) -> dict[int, HalfReview]:
    """By review of which one of two answers came: what was read in it, and the labels whose scores it lacks."""
    keys = [comparison.review for comparison in asked if comparison.is_half and comparison.review is not None]
    reviews = reviews_to_read().filter(pk__in=keys).prefetch_related("comparison__responses") if keys else []
    rows = Answer.objects.filter(review__in=keys, error_code="").order_by("-attempt")
    answers = {answer.review_id: answer for answer in rows} if keys else {}
    halves = {}
    for review in reviews:
        by_number = {response.number: response.text for response in review.comparison.responses.all()}
        texts = {label: by_number[number] for label, number in map_labels(review.order).items()}
        rubric = review.reviewer.set.rubric_version.to_record()
        record = _read_part(answers[review.pk], texts, rubric, READER)
        halves[review.pk] = record, list_missing(record, answers[review.pk].part)
    return halves


def _read_part(answer: Answer, texts: Mapping[str, str], rubric: RubricRecord, reader: int) -> ReviewRecord:
    record = read_review(answer.text, list(texts), rubric, reader=reader)
    if answer.finish_reason == REFUSAL and record.mode == UNREADABLE:
        record = replace(record, mode=ABSTAINED)
    flags = list(record.flags)
    if answer.finish_reason == STOPPED_BY_LENGTH:
        message = "The model was stopped at its limit of length, so the answer may lack its end."
        flags.append(Flag("cut_off", message))
    return replace(record, flags=[*flags, *claimed_flags(texts, record, rubric)])


class _StoredAnswer(NamedTuple):
    part: str
    source: str
    error_code: str
    error: str


def _load_stored(reviews: list[int]) -> tuple[dict[int, list[_StoredAnswer]], set[int]]:
    """The stored answers by review, in order, without their texts; and the reviews that are asked in two calls."""
    answers: dict[int, list[_StoredAnswer]] = defaultdict(list)
    in_two: set[int] = set()
    for at in range(0, len(reviews), 500):
        part = reviews[at : at + 500]
        stored = Answer.objects.filter(review__in=part).order_by("review", "attempt")
        for pk, *columns in stored.values_list("review", *_StoredAnswer._fields):
            answers[pk].append(_StoredAnswer(*columns))
        in_two.update(WholePrompt.objects.filter(review__in=part).values_list("review", flat=True))
    return answers, in_two


def _describe_asked(
    review: Review, answers: list[_StoredAnswer], superseded_count: int, *, is_in_two: bool
) -> AskedComparison:
    done = {answer.part for answer in answers if not answer.error_code}
    part = WHOLE_PART if is_in_two and WHOLE_PART not in done else MAIN_PART
    of_part = [answer for answer in answers if answer.part == part]
    tries = [(answer.error_code, answer.source == FETCHED) for answer in of_part]
    return AskedComparison(
        review.comparison_id,
        review.reviewer_id,
        state=derive_state(review.mode, tries),
        review=review.pk,
        mode=review.mode,
        flag_count=len(review.flags),
        tries=sum(is_fetched for _code, is_fetched in tries),
        error="" if review.mode or not of_part else of_part[-1].error,
        superseded_count=superseded_count,
        part=part,
        is_half=not review.mode and is_in_two and len(done) == 1,
    )
