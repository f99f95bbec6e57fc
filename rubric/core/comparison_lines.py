"""Comparisons and reviews as lines of JSON: what a file holds, and everything that is wrong with it.

`docs/comparisons.md` shows the lines. A review gives an answer as text, or plain scores, on a scale of its own if need
be; where its responses lay is said by labels.
"""

import math
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from rubric.core.comparisons import LONGEST_AUTHOR, NewComparison, NewResponse, comparison_faults
from rubric.core.records import HIGHEST, LOWEST
from rubric.core.review_lines import MOST_FAULTS, LineFault
from workspace.core.json_places import Problem, pointer_of
from workspace.core.strict_json import read_json

COMPARISON_KEYS = ("id", "question", "responses")
RESPONSE_KEYS = ("id", "text", "author")
HOLISTIC_KEY, NOTES_KEY = "holistic", "notes"
Number = int | float


class ComparisonLine(Struct, frozen=True):
    """A comparison and the line, counted from 1, on which it stands."""

    line: int
    comparison: NewComparison


class ReviewGiven(Struct, frozen=True):
    """One review before it is read; all ids are those of the file.

    `labels` is label -> response; either `text` is the reviewer's answer under these labels, or `scores` is response ->
    what was given, of `scale`.
    """

    line: int
    comparison: str
    reviewer: str
    labels: dict[str, str]
    text: str | None = None
    scores: dict[str, dict[str, Any]] = {}
    scale: tuple[Number, Number] = (LOWEST, HIGHEST)


class Lines(Struct, frozen=True):
    """Everything in a file, in its order. With faults nothing of it is to be stored; the first thousand are named."""

    comparisons: list[ComparisonLine]
    reviews: list[ReviewGiven]
    faults: list[LineFault]


def read_comparison_lines(data: bytes) -> Lines:
    """Every comparison and review of a JSONL file, and every fault. Blank lines are passed over. Never raises."""
    found = Lines([], [], [])
    ids: dict[str, int] = {}
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip() or len(found.faults) >= MOST_FAULTS:
            continue
        document = read_json(line)
        problems = document.problems or _problems(document.value)
        if not problems:
            value = document.value
            if "comparison" in value:
                found.reviews.append(_review(number, value))
            else:
                given = _comparison(value)
                problems = [
                    Problem("invalid", each.message, pointer=each.pointer)
                    for each in comparison_faults(given)
                ]
                if ids.setdefault(given.key, number) != number:
                    said = (
                        f'Line {ids[given.key]} has the id "{given.key}", too. Give each comparison its own.'
                    )
                    problems.append(Problem("duplicate_id", said, pointer="/id"))
                found.comparisons.append(ComparisonLine(number, given))
        found.faults.extend(LineFault(number, each.pointer, each.code, each.message) for each in problems)
    if not (found.comparisons or found.reviews or found.faults):
        said = "The file holds no comparison and no review. Write one JSON object a line."
        found.faults.append(LineFault(1, "", "empty", said))
    return found


def response_numbers(comparison: NewComparison) -> dict[str, int]:
    """Id -> number of the responses, as they will be stored: those without an id are called by their number."""
    return {each.key or str(number): number for number, each in enumerate(comparison.responses, start=1)}


def _problems(value: Any) -> list[Problem]:
    """What is wrong with the shape of a line."""
    if not isinstance(value, dict) or not ("comparison" in value or "question" in value):
        said = (
            "The line is neither a comparison (an object with id, question and responses) nor a review (an object with "
            "comparison, reviewer, and text or scores)."
        )
        return [Problem("wrong_shape", said)]
    return list(_review_problems(value) if "comparison" in value else _comparison_problems(value))


def _comparison_problems(value: dict[str, Any]) -> Iterator[Problem]:
    yield from _text_problems(value, ("id", "question"), "")
    yield from _unknown(value, COMPARISON_KEYS, "")
    if not isinstance(value.get("responses"), list):
        said = '"responses" is missing or is no list. Give 2 to 26 objects with id, text and author.'
        yield Problem("wrong_shape", said, pointer="/responses")
        return
    for place, response in enumerate(value["responses"]):
        pointer = f"/responses/{place}"
        if not isinstance(response, dict):
            yield Problem("wrong_shape", "A response is an object with id, text and author.", pointer=pointer)
            continue
        yield from _text_problems(response, ("text",), pointer)
        yield from _text_problems({"id": "-", "author": "-"} | response, ("id", "author"), pointer)
        yield from _unknown(response, RESPONSE_KEYS, pointer)


def _text_problems(value: dict[str, Any], keys: tuple[str, ...], pointer: str) -> Iterator[Problem]:
    for key in keys:
        text = value.get(key)
        if not isinstance(text, str) or (key in ("id", "reviewer", "comparison") and not text.strip()):
            said = f'"{key}" is missing or is no text. Give it as text.'
            yield Problem("wrong_shape", said, pointer=f"{pointer}/{key}")


def _unknown(value: dict[str, Any], known: tuple[str, ...], pointer: str) -> Iterator[Problem]:
    """What is stored never changes, so a misspelt key is better refused than passed over."""
    for key in value:
        if key not in known:
            said = f"The key is none of {', '.join(known)}. Correct it, or take it out."
            yield Problem("unknown_key", said, pointer=pointer + pointer_of([key]))


def _review_problems(value: dict[str, Any]) -> Iterator[Problem]:
    """Other keys of a review are its writer's own business."""
    yield from _text_problems(value, ("comparison", "reviewer"), "")
    if isinstance(value.get("reviewer"), str) and len(value["reviewer"].strip()) > LONGEST_AUTHOR:
        said = "The reviewer has more than 200 characters. Shorten the name."
        yield Problem("too_long", said, pointer="/reviewer")
    given = value.get("labels", {})
    if not isinstance(given, dict) or not all(isinstance(each, str) for each in given.values()):
        said = (
            '"labels" must say which response each label was, such as {"Response A": "the id of a response"}.'
        )
        yield Problem("wrong_shape", said, pointer="/labels")
    if ("text" in value) == ("scores" in value):
        yield Problem("wrong_shape", "A review has either text or scores. Give one of them.")
    elif "text" in value:
        yield from _text_problems(value, ("text",), "")
        if not given:
            said = 'A text speaks of labels. Say in "labels" which response each of them was.'
            yield Problem("wrong_shape", said, pointer="/labels")
    else:
        yield from _scores_problems(value)


def _scores_problems(value: dict[str, Any]) -> Iterator[Problem]:
    scale = value.get("scale", [LOWEST, HIGHEST])
    is_scale = isinstance(scale, list) and len(scale) == 2 and all(map(_is_number, scale))
    if not is_scale or scale[0] >= scale[1]:
        said = '"scale" must be the lowest and the highest score that could be given, such as [0, 100].'
        yield Problem("wrong_shape", said, pointer="/scale")
        return
    if not isinstance(value["scores"], dict) or not value["scores"]:
        said = '"scores" must hold an object of scores for each response, by its id.'
        yield Problem("wrong_shape", said, pointer="/scores")
        return
    for response, given in value["scores"].items():
        if not isinstance(given, dict):
            said = f'The scores of a response are an object, such as {{"{HOLISTIC_KEY}": {scale[1]}}}.'
            yield Problem("wrong_shape", said, pointer=pointer_of(["scores", response]))
            continue
        for name, score in given.items():
            message = _score_fault(name, score, scale)
            if message:
                yield Problem("bad_score", message, pointer=pointer_of(["scores", response, name]))


def _score_fault(name: str, score: Any, scale: list[Number]) -> str:
    """What is wrong with a score or the notes; null is a score that was not given."""
    if name == NOTES_KEY:
        return "" if isinstance(score, str) else '"notes" is no text. Give it as text.'
    if score is None:
        return ""
    if not _is_number(score):
        return f'"{name}" is no number. Give one from {scale[0]} to {scale[1]}, or null where there is none.'
    if not scale[0] <= score <= scale[1]:
        return (
            f'"{name}" is {score}; scores lie from {scale[0]} to {scale[1]}. Correct it, or say the "scale".'
        )
    return ""


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _comparison(value: dict[str, Any]) -> NewComparison:
    responses = [
        NewResponse(text=each["text"], key=each.get("id", "").strip(), author=each.get("author", "").strip())
        for each in value["responses"]
    ]
    return NewComparison(question=value["question"], responses=responses, key=value["id"].strip())


def _review(line: int, value: dict[str, Any]) -> ReviewGiven:
    scale = value.get("scale", [LOWEST, HIGHEST])
    return ReviewGiven(
        line=line,
        comparison=value["comparison"].strip(),
        reviewer=value["reviewer"].strip(),
        labels={label: each.strip() for label, each in value.get("labels", {}).items()},
        text=value.get("text"),
        scores={key.strip(): each for key, each in value.get("scores", {}).items()},
        scale=(scale[0], scale[1]),
    )
