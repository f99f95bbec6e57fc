"""Reviewers' answers for tests: the source's example, and answers built from what they say."""

import json
from typing import Any

from rubric.core.records import ReviewRecord
from rubric.reviews.core.answer_record import read_review
from rubric.versions.queries import first_response_version

LABELS = ["Response A", "Response B", "Response C"]


CRITERIA = ["accuracy", "completeness", "conciseness", "clarity"]


VERSION = first_response_version()


EXAMPLE = {
    "ranking": LABELS,
    "evaluations": {
        "Response A": {
            "accuracy": 9,
            "completeness": 8,
            "conciseness": 7,
            "clarity": 8,
            "overall": 8.15,
            "notes": "a",
        },
        "Response B": {
            "accuracy": 7,
            "completeness": 9,
            "conciseness": 9,
            "clarity": 8,
            "overall": 8.0,
            "notes": "b",
        },
        "Response C": {
            "accuracy": 6,
            "completeness": 6,
            "conciseness": 5,
            "clarity": 7,
            "overall": 6.0,
            "notes": "c",
        },
    },
}


def evaluations(**changes: dict[str, Any]) -> dict[str, Any]:
    """Three evaluations of 7 everywhere; `A={"accuracy": 9}` changes Response A, Ellipsis takes a key away."""
    built = {}
    for label in LABELS:
        entry = dict.fromkeys(CRITERIA, 7) | changes.get(label[-1], {})
        built[label] = {key: value for key, value in entry.items() if value is not ...}
    return built


def fenced(value: Any) -> str:
    """The value as a JSON block."""
    return f"```json\n{json.dumps(value, indent=2)}\n```\n"


def read(answer: Any, labels: list[str] | None = None) -> ReviewRecord:
    """The review read from a text, or from a value in a fence."""
    return read_review(answer if isinstance(answer, str) else fenced(answer), labels or LABELS, VERSION)


def codes(review: ReviewRecord) -> list[tuple[str, str | None]]:
    """(code, response) of every flag, sorted."""
    return sorted({(flag.code, flag.response) for flag in review.flags}, key=str)
