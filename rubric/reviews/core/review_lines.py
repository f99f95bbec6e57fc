"""Reviews as lines of JSON: the input (`reviewer`, `responses`, `text`), and the output for a review."""

from collections.abc import Callable, Iterator
from typing import Any

from msgspec.structs import replace

from rubric.core.records import ResponseReview, ReviewRecord
from workspace.core.json_faults import Problem
from workspace.core.strict_json import read_json
from workspace.core.words import say

# The most faults that are named for a file; nobody reads more, and millions of them would fill the memory.
MOST_FAULTS = 1_000


def walk_lines(
    data: bytes, find_problems: Callable[[Any], list[Problem]], faults: list[Problem]
) -> Iterator[tuple[int, Any]]:
    """The number and the value of each line of a JSONL file without problems; those of the others go to `faults`.

    Their `line` is that of the file. Blank lines are skipped, and everything after so many faults. `find_problems`
    judges lines that are JSON.
    """
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip() or len(faults) >= MOST_FAULTS:
            continue
        document = read_json(line)
        problems = document.problems or find_problems(document.value)
        faults += [replace(problem, line=number) for problem in problems]
        if not problems:
            yield number, document.value


def read_lines(data: bytes) -> tuple[list[tuple[str, list[str], str]], list[Problem]]:
    """Every review of a JSONL file in order, and its first faults.

    A review is who gave it, the labels of the responses that they saw, and its text.
    """
    faults: list[Problem] = []
    values = [value for _number, value in walk_lines(data, _shape_problems, faults)]
    if not values and not faults:
        faults.append(Problem("empty", say("There is no review. Give one JSON object a line.")))
    return [(value["reviewer"], value["responses"], value["text"]) for value in values], faults


def _shape_problems(value: Any) -> list[Problem]:
    """What a line lacks; other keys are ignored."""
    if not isinstance(value, dict):
        said = say("The line is no object. Write one with the keys reviewer, responses and text.")
        return [Problem(code="wrong_shape", message=said)]
    problems = [
        Problem(
            code="wrong_shape",
            message=say('"{key}" is missing or is no text. Give it as text.', key=key),
            pointer=f"/{key}",
        )
        for key in ("reviewer", "text")
        if not isinstance(value.get(key), str)
    ]
    labels = value.get("responses")
    if (
        not isinstance(labels, list)
        or not labels
        or not all(isinstance(label, str) and label.strip() for label in labels)
        or len(set(labels)) != len(labels)
    ):
        said = say(
            '"responses" must list the labels of the responses, each once, such as ["Response A", "Response B"].'
        )
        problems.append(Problem(code="wrong_shape", message=said, pointer="/responses"))
    return problems


def review_output(reviewer: str, review: ReviewRecord) -> dict[str, Any]:
    """The review as plain values, with the keys that `score_reviews` prints; overalls are unrounded."""
    flags = {(flag.code, flag.response): None for flag in review.flags}
    return {
        "reviewer": reviewer,
        "mode": review.mode,
        "responses": {response.label: _response_output(response) for response in review.responses},
        "ranking": review.ranking,
        "reported_ranking": review.reported_ranking,
        "flags": [{"code": code, "response": response} for code, response in flags],
    }


def _response_output(response: ResponseReview) -> dict[str, Any]:
    return {
        "scores": response.scores,
        "overall": None if response.overall is None else float(response.overall),
        "holistic": response.holistic,
        "reported_overall": response.reported_overall,
        "incomplete": response.is_incomplete,
        "notes": response.notes,
    }
