"""Answers of models as lines of JSON: the questions that go out with their prompts, and the answers that come in."""

import json
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from rubric.core.asking import LONGEST_ANSWER
from rubric.core.review_lines import MOST_FAULTS, LineFault
from workspace.core.strict_json import read_json

KEYS = ("comparison", "reviewer", "text")


class AnswerLine(Struct, frozen=True):
    """One answer of a file: the comparison's id, the model's name, and what it wrote. `line` counts from 1."""

    line: int
    comparison: str
    reviewer: str
    text: str


def prompt_line(comparison: str, reviewer: str, labels: Mapping[str, str], prompt: str) -> str:
    """One line that goes out: `labels` says which response is behind each label of the prompt, never who wrote it."""
    value = {"comparison": comparison, "reviewer": reviewer, "labels": dict(labels), "prompt": prompt}
    return json.dumps(value, ensure_ascii=False) + "\n"


def read_answer_lines(data: bytes) -> tuple[list[AnswerLine], list[LineFault]]:
    """Every answer of a JSONL file, and its first faults. Blank lines are passed over, other keys left alone."""
    answers: list[AnswerLine] = []
    faults: list[LineFault] = []
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip() or len(faults) >= MOST_FAULTS:
            continue
        document = read_json(line)
        found = [
            LineFault(number, each.pointer, each.code, each.message) for each in document.problems
        ] or _shape_faults(number, document.value)
        faults += found
        if not found:
            answers.append(AnswerLine(number, **{key: document.value[key] for key in KEYS}))
    if not answers and not faults:
        faults.append(LineFault(1, "", "empty", "There is no answer. Give one JSON object a line."))
    return answers, (faults + _twice(answers))[:MOST_FAULTS]


def _shape_faults(line: int, value: Any) -> list[LineFault]:
    if not isinstance(value, dict):
        said = "The line is no object. Write one with the keys comparison, reviewer and text."
        return [LineFault(line, "", "wrong_shape", said)]
    faults = [
        LineFault(line, f"/{key}", "wrong_shape", f'"{key}" is missing or is no text. Give it as text.')
        for key in KEYS
        if not (isinstance(value.get(key), str) and value[key].strip())
    ]
    text = value.get("text")
    if isinstance(text, str) and len(text.encode()) > LONGEST_ANSWER:
        said = "The answer is larger than 2 MB, which no review needs. Shorten it."
        faults.append(LineFault(line, "/text", "too_large", said))
    return faults


def _twice(answers: list[AnswerLine]) -> list[LineFault]:
    """Where the file answers something a second time."""
    first: dict[tuple[str, str], int] = {}
    faults = []
    for each in answers:
        line = first.setdefault((each.comparison, each.reviewer), each.line)
        if line != each.line:
            said = f"Line {line} has the same comparison and reviewer. Keep one of them."
            faults.append(LineFault(each.line, "", "twice", said))
    return faults
