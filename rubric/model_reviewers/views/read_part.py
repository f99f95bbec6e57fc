"""What was read from an answer, as a table: from a stored review, or from a record that is not stored."""

from collections.abc import Mapping, Sequence

from django.utils.translation import gettext as _
from msgspec import Struct

from rubric.core.records import HOLISTIC, ReviewRecord, RubricRecord
from rubric.core.response_order import map_labels
from rubric.core.scales import write_number
from rubric.core.scores import round_half_up, score_marks
from rubric.models import Review, ReviewedResponse
from rubric.reviews.queries import build_reviewed_rows
from rubric.versions.labels import format_mark
from workspace.core.limits import LONGEST_COMMENT
from workspace.core.text import shorten


class ReadLine(Struct, frozen=True):
    """The part of a review about one response. Missing figures are ""."""

    label: str
    key: str
    scores: list[str]
    holistic: str
    overall: str
    reported: str
    is_incomplete: bool
    is_own: bool
    notes: str


class ReadPart(Struct, frozen=True):
    """What was read from the answer: labels of criteria, a line for each response, remarks, the ranking."""

    criteria: list[str]
    lines: list[ReadLine]
    flags: list[str]
    ranking: list[str]
    has_holistic: bool
    has_reported: bool


def read_stored(review: Review, keys: Mapping[int, str], rubric: RubricRecord) -> ReadPart:
    """The review as it was submitted; `keys` are the keys of responses, by number."""
    rows = list(review.reviewed.select_related("response").defer("response__text").order_by("position"))
    return _part(rows, [str(flag["message"]) for flag in review.flags], review.ranking, review, keys, rubric)


def read_record(
    review: Review, record: ReviewRecord, keys: Mapping[int, str], rubric: RubricRecord
) -> ReadPart:
    """What a record would say in place of that review."""
    rows = build_reviewed_rows(review, record, {})
    return _part(rows, [flag.message for flag in record.flags], record.ranking, review, keys, rubric)


def _part(
    rows: Sequence[ReviewedResponse],
    flags: list[str],
    ranking: Sequence[Sequence[str]],
    review: Review,
    keys: Mapping[int, str],
    rubric: RubricRecord,
) -> ReadPart:
    labels = list(map_labels(review.order))
    has_scores = any(row.scores for row in rows)
    return ReadPart(
        criteria=[criterion.label for criterion in rubric.criteria] if has_scores else [],
        lines=[
            _build_line(row, labels[row.position - 1], keys, rubric, has_scores=has_scores) for row in rows
        ],
        flags=flags,
        ranking=[_(" and ").join(tied) for tied in ranking],
        has_holistic=any(row.holistic is not None for row in rows),
        has_reported=any(row.reported_overall is not None for row in rows),
    )


def _build_line(
    row: ReviewedResponse, label: str, keys: Mapping[int, str], rubric: RubricRecord, *, has_scores: bool
) -> ReadLine:
    overall = score_marks(row.scores, rubric).value
    given = [(criterion.key, row.scores.get(criterion.key)) for criterion in rubric.criteria]
    return ReadLine(
        label=label,
        key=keys[row.response.number],
        scores=[format_mark(value, key, rubric.scales) for key, value in given] if has_scores else [],
        holistic=format_mark(row.holistic, HOLISTIC, rubric.scales),
        overall="" if overall is None else str(round_half_up(overall)),
        reported="" if row.reported_overall is None else write_number(row.reported_overall),
        is_incomplete=row.is_incomplete,
        is_own=row.is_own,
        notes=shorten(row.notes, LONGEST_COMMENT),
    )
