"""Read answers: those that the current reader reads differently, and one answer with both readings."""

from copy import copy

from django.db.models import Q
from django.utils.translation import gettext as _
from msgspec import Struct

from rubric.core.records import ABSTAINED, HOLISTIC, PARTIAL, RUBRIC, UNREADABLE, ReviewRecord
from rubric.model_reviewers.pages.read_part import ReadPart, read_record, read_stored
from rubric.model_reviewers.queries import list_readable, load_answers, parse_answer, reads_otherwise
from rubric.models import ComparisonSet, Review
from rubric.reviews.core.answer_record import READER
from rubric.sets.pages import ASKING, SetFrame
from rubric.sets.permissions import check_change_set
from workspace.access.permissions import get_refusal
from workspace.models import Person

MOST_LISTED = 200
LONGEST_SHOWN = 20_000


class ReadingRow(Struct, frozen=True):
    """One answer: the stored reading, and the current reader's reading ("" if that is the same)."""

    review: int
    comparison: int
    reviewer: str
    stored: str
    present: str
    corrected_by: str


class ReadingsPage(Struct, frozen=True):
    """Answers of a set that are read differently now, of which nothing was read, or that a person corrected."""

    head: SetFrame
    rows: list[ReadingRow]
    more: int
    changed_count: int
    change_refusal: str


class Reading(Struct, frozen=True):
    """One reading of the answer; `corrected_by` is "" for a reading by a reader."""

    review: Review
    corrected_by: str
    reason: str


class ReadingPage(Struct, frozen=True):
    """One answer, the stored reading, and the current reader's reading (None if that is the same).

    `earlier` are the superseded readings, in order of time; `answers` are the beginnings of the texts, and whether
    there is more.
    """

    head: SetFrame
    review: Review
    answers: list[tuple[str, bool]]
    stored: ReadPart
    present: ReadPart | None
    corrected_by: str
    reason: str
    earlier: list[Reading]
    change_refusal: str


def build_readings_page(*, comparison_set: ComparisonSet, person: Person) -> ReadingsPage:
    """The list, of a set fetched with its project and rubric."""
    rows = [row for review in list_readable(comparison_set) if (row := _row(review)) is not None]
    return ReadingsPage(
        head=SetFrame(comparison_set=comparison_set, current=ASKING, person=person),
        rows=rows[:MOST_LISTED],
        more=max(0, len(rows) - MOST_LISTED),
        changed_count=sum(bool(row.present) for row in rows),
        change_refusal=get_refusal(check_change_set, person, comparison_set),
    )


def build_reading_page(*, review: Review, person: Person) -> ReadingPage:
    """One answer; `review` comes from `list_readable`."""
    comparison_set = review.reviewer.set
    rubric = comparison_set.rubric_version.to_record()
    keys = dict(review.comparison.responses.values_list("number", "key"))
    texts = [answer.text for _part, answer in sorted(load_answers(review).items(), reverse=True)]
    present = _present(review)
    chain = Review.objects.filter(Q(read_from=review.source_id) | Q(pk=review.source_id)).exclude(
        pk=review.pk
    )
    return ReadingPage(
        head=SetFrame(comparison_set=comparison_set, current=ASKING, person=person),
        review=review,
        answers=[(text[:LONGEST_SHOWN], len(text) > LONGEST_SHOWN) for text in texts],
        stored=read_stored(review, keys, rubric),
        present=read_record(review, present, keys, rubric) if present else None,
        corrected_by=review.corrected_by.name if review.corrected_by else "",
        reason=str(review.correction.get("reason", "")),
        earlier=[
            Reading(
                earlier,
                earlier.corrected_by.name if earlier.corrected_by else "",
                str(earlier.correction.get("reason", "")),
            )
            for earlier in chain.select_related("corrected_by").order_by("pk")
        ],
        change_refusal=get_refusal(check_change_set, person, comparison_set),
    )


def name_mode(mode: str) -> str:
    """How a review was given, in a few words."""
    return {
        RUBRIC: _("all criteria scored"),
        PARTIAL: _("some criteria missing"),
        HOLISTIC: _("a holistic score or ranking"),
        ABSTAINED: _("declined"),
        UNREADABLE: _("not readable"),
    }.get(mode, mode)


def _present(review: Review) -> ReviewRecord | None:
    """The reading of the current reader, if it differs from the stored one."""
    if review.correction:
        bare = copy(review)
        bare.correction = {}
        return parse_answer(bare)
    return parse_answer(review) if review.reader < READER and reads_otherwise(review) else None


def _row(review: Review) -> ReadingRow | None:
    is_changed = reads_otherwise(review)
    if not (is_changed or review.correction or review.mode == UNREADABLE):
        return None
    record = parse_answer(review) if is_changed else None
    return ReadingRow(
        review=review.pk,
        comparison=review.comparison.number,
        reviewer=review.reviewer.name,
        stored=name_mode(review.mode),
        present=name_mode(record.mode) if record else "",
        corrected_by=review.corrected_by.name if review.corrected_by else "",
    )
