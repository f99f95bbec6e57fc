"""Lines of an export about rubrics and comparisons. People are named as in the rest of the export."""

from datetime import datetime
from typing import Any

from msgspec import Struct

from rubric.core.records import RubricRecord

Numbered = float | int


class ExportedVersion(Struct, frozen=True, tag_field="kind", tag="rubric_version"):
    """A rubric version, whole."""

    rubric: str
    number: str
    state: str
    sha256: str
    note: str
    published_at: datetime | None
    published_by: str | None
    body: RubricRecord


class ExportedReviewer(Struct, frozen=True):
    """A reviewer of a set: "person", "model" or "elsewhere"."""

    name: str
    kind: str
    model: str
    parameters: dict[str, Any]
    ended_at: datetime | None


class ExportedSet(Struct, frozen=True, tag_field="kind", tag="comparison_set"):
    """A comparison set. `left_out` says why its reviews and authors are not in this export, "" if they are."""

    number: int
    name: str
    rubric_version: str
    mode: str
    has_second_round: bool
    people_needed: int | None
    created_at: datetime
    created_by: str
    closed_at: datetime | None
    closed_by: str | None
    reviewers: list[ExportedReviewer]
    left_out: str


class ExportedResponse(Struct, frozen=True):
    """One response of a comparison; the author is the name of a model or person as given, "" if unknown."""

    number: int
    id: str
    author: str
    words: int
    text: str


class ExportedMark(Struct, frozen=True):
    """One act of a reviewer: the value of a mark before and after it."""

    version: int
    before: str
    after: str
    reason: str
    took_ms: int | None
    undoes: int | None
    by: str
    at: datetime


class MarkHistory(Struct, frozen=True):
    """One mark of a person's review, and every act on it. Subjects number responses in the order shown."""

    about: str
    subject: str
    value: str
    reason: str
    history: list[ExportedMark]


class ExportedAnswer(Struct, frozen=True):
    """A model's raw answer, or why there is none."""

    attempt: int
    source: str
    part: str
    model: str
    parameters: dict[str, Any]
    text: str
    finish_reason: str
    prompt_tokens: int | None
    answer_tokens: int | None
    cost_usd: float | None
    took_ms: int | None
    error: str
    at: datetime


class ExportedReview(Struct, frozen=True):
    """One review. `purpose` is "rating", "repeat" (a hidden duplicate) or "calibration"; only "rating" counts.

    `labels` says which response each label stood for; `answer` is the decision record's JSON. It has a `ranking` of
    labels (a list of labels if several share a place) and for each label under `evaluations` the scores by criterion
    with `overall`, `holistic` and `notes`. `cannot_judge` is label -> criterion -> reason, `own` the labels of the
    reviewer's own responses.
    """

    id: int
    reviewer: str
    reviewer_kind: str
    round: int
    purpose: str
    state: str
    mode: str
    is_blind: bool
    criteria_first: bool
    labels: dict[str, int]
    answer: dict[str, Any]
    cannot_judge: dict[str, dict[str, str]]
    incomplete: list[str]
    own: list[str]
    flags: list[Any]
    correction: dict[str, Any]
    corrected_at: datetime | None
    corrected_by: str | None
    created_at: datetime
    submitted_at: datetime | None
    marks: list[MarkHistory]
    answers: list[ExportedAnswer]


class ExportedComparison(Struct, frozen=True, tag_field="kind", tag="comparison"):
    """A comparison with its responses and every review of it."""

    set: int
    set_name: str
    number: int
    id: str
    question: str
    created_at: datetime
    created_by: str
    responses: list[ExportedResponse]
    reviews: list[ExportedReview]


class OwnReviewRecord(Struct, frozen=True, tag_field="kind", tag="own_review"):
    """A reviewer's own review, with what they were shown: responses under their labels, and no author."""

    set: int
    set_name: str
    comparison: int
    question: str
    responses: dict[str, str]
    reviewer: str
    round: int
    state: str
    created_at: datetime
    submitted_at: datetime | None
    marks: list[MarkHistory]


def build_answer(ranking: list[list[str]], evaluations: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The decision record's JSON of a review: a place with a single label is that label, not a list of one."""
    places = [place[0] if len(place) == 1 else place for place in ranking]
    return {"ranking": places, "evaluations": evaluations}
