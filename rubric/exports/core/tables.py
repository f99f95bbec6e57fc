"""The tables of comparisons: for leads with authors and reviewers, for a reviewer as they were shown."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from rubric.core.records import HOLISTIC
from rubric.exports.core.items import (
    ExportedComparison,
    ExportedResponse,
    ExportedReview,
    MarkHistory,
    OwnReviewRecord,
)
from workspace.exports.core.tables import INTEGER, MOMENT, NUMBER, TEXT, YES_NO, Table, TableColumn, column

# Keys among the scores of a response that are not criteria.
_OVERALL, _NOTES = "overall", "notes"


class _Answered(NamedTuple):
    """A response of a comparison."""

    of: ExportedComparison
    response: ExportedResponse


class _Marked(NamedTuple):
    """One entry of a review that was submitted."""

    of: ExportedComparison
    review: ExportedReview
    label: str
    criterion: str
    score: float | None
    text: str

    @property
    def response(self) -> int:
        return self.review.labels[self.label]

    @property
    def position(self) -> int:
        return list(self.review.labels).index(self.label) + 1

    @property
    def is_own(self) -> bool:
        return self.label in self.review.own


class _Shown(NamedTuple):
    """A response as its reviewer was shown it."""

    of: OwnReviewRecord
    label: str
    text: str


class _OwnMark(NamedTuple):
    """One entry of the reviewer's own review."""

    of: OwnReviewRecord
    mark: MarkHistory


def _place(path: str = "") -> tuple[TableColumn, ...]:
    return (
        column("set", INTEGER, "number of the comparison set in the project", f"{path}set"),
        column("set_name", TEXT, "name of the comparison set", f"{path}set_name"),
    )


COMPARISONS = Table(
    "comparisons",
    "A row for each comparison.",
    (
        *_place(),
        column("comparison", INTEGER, "number of the comparison in its set", "number"),
        column("id", TEXT, "its name in the file that it was imported from"),
        column("question", TEXT, "the question that the responses answer"),
        column("responses", INTEGER, "how many responses it has", lambda item: len(item.responses)),
        column(
            "reviews",
            INTEGER,
            "how many reviews of it were submitted",
            lambda item: sum(review.state == "submitted" for review in item.reviews),
        ),
        column("created_at", MOMENT, "when it was added"),
        column("created_by", TEXT, "who added it"),
    ),
)
_RESPONSE = "number of the response in its comparison"
RESPONSES = Table(
    "responses",
    "A row for each response of a comparison.",
    (
        *_place("of."),
        column("comparison", INTEGER, "number of the comparison in its set", "of.number"),
        column("response", INTEGER, _RESPONSE, "response.number"),
        column("id", TEXT, "its name in the file that it was imported from", "response.id"),
        column("author", TEXT, "the model or person that wrote it, where known", "response.author"),
        column("words", INTEGER, "how many words it has", "response.words"),
        column("text", TEXT, "the response", "response.text"),
    ),
)
MARKS = Table(
    "marks",
    "A row for each entry of each review that was submitted: a score, or why there is none, or notes.",
    (
        *_place("of."),
        column("comparison", INTEGER, "number of the comparison in its set", "of.number"),
        column("response", INTEGER, _RESPONSE, "response"),
        column("reviewer", TEXT, "who reviewed", "review.reviewer"),
        column("reviewer_kind", TEXT, "person, model or elsewhere", "review.reviewer_kind"),
        column("round", INTEGER, "round of the review, 1 or 2", "review.round"),
        column(
            "is_blind",
            YES_NO,
            "whether the reviewer could not see answers before",
            "review.is_blind",
        ),
        column("position", INTEGER, "place at which the response was shown, from 1"),
        column("is_own", YES_NO, "whether the reviewer wrote the response"),
        column(
            "criterion",
            TEXT,
            "key of the criterion; holistic (a holistic score), overall (the weighted sum, computed), notes",
        ),
        column(
            "score",
            NUMBER,
            "as given, on the criterion's scale; empty where it cannot be judged, and for notes",
        ),
        column("text", TEXT, "the notes, or why it cannot be judged"),
        column("submitted_at", MOMENT, "when the review was submitted", "review.submitted_at"),
    ),
)
TABLES = (COMPARISONS, RESPONSES, MARKS)

_OWN_NUMBER = "number under which the reviewer knows the comparison: 1 for the first that they started"
_OWN_COMPARISON = column("comparison", INTEGER, _OWN_NUMBER, "of.comparison")
_ROUND = column("round", INTEGER, "round of the review, 1 or 2", "of.round")
OWN_REVIEWS = Table(
    "reviews",
    "A row for each review of one's own.",
    (
        *_place(),
        column("comparison", INTEGER, _OWN_NUMBER),
        column("question", TEXT, "the question that the responses answer"),
        column("reviewer", TEXT, "who reviewed"),
        column("round", INTEGER, "round of the review, 1 or 2"),
        column("state", TEXT, "draft or submitted"),
        column("created_at", MOMENT, "when it was started"),
        column("submitted_at", MOMENT, "when it was submitted"),
    ),
)
OWN_RESPONSES = Table(
    "responses",
    "A row for each response, under the label that the reviewer saw.",
    (
        *_place("of."),
        _OWN_COMPARISON,
        _ROUND,
        column("label", TEXT, "Response A, Response B and so on"),
        column("text", TEXT, "the response"),
    ),
)
OWN_MARKS = Table(
    "marks",
    "A row for each thing that the reviewer said.",
    (
        *_place("of."),
        _OWN_COMPARISON,
        _ROUND,
        column("about", TEXT, "holistic, score, notes or ranking", "mark.about"),
        column("subject", TEXT, "place of the response as shown, with the criterion", "mark.subject"),
        column("value", TEXT, "what counts now; cannot is “cannot judge”", "mark.value"),
        column("reason", TEXT, "the reason, where one was given", "mark.reason"),
        column("changes", INTEGER, "how many acts there were on it", lambda row: len(row.mark.history)),
        column(
            "changed_at",
            MOMENT,
            "when it was changed last",
            lambda row: row.mark.history[-1].at if row.mark.history else None,
        ),
    ),
)
OWN_TABLES = (OWN_REVIEWS, OWN_RESPONSES, OWN_MARKS)


def rows_of(item: Any) -> Iterator[tuple[Table, Any]]:
    """The rows for an item about comparisons; none for other items."""
    if isinstance(item, ExportedComparison):
        yield COMPARISONS, item
        yield from ((RESPONSES, _Answered(item, response)) for response in item.responses)
        for review in item.reviews:
            if review.state == "submitted":
                yield from ((MARKS, row) for row in _entries(item, review))
    elif isinstance(item, OwnReviewRecord):
        yield OWN_REVIEWS, item
        yield from ((OWN_RESPONSES, _Shown(item, label, text)) for label, text in item.responses.items())
        yield from ((OWN_MARKS, _OwnMark(item, mark)) for mark in item.marks)


def _entries(item: ExportedComparison, review: ExportedReview) -> Iterator[_Marked]:
    for label, given in review.answer["evaluations"].items():
        if label not in review.labels:
            continue
        for criterion, value in given.items():
            if criterion == _NOTES:
                yield _Marked(item, review, label, _NOTES, None, value)
            elif value is not None:
                yield _Marked(item, review, label, criterion, float(value), "")
        for criterion, reason in review.cannot_judge.get(label, {}).items():
            yield _Marked(item, review, label, criterion or HOLISTIC, None, reason)
