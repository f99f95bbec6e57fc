"""The reader of a judge's answers: strict JSON, found as in reviews of models; nothing is dropped without a flag.

Only an object with the prompt's code counts, so that what a game says, or a model quotes from it, is never an answer.
"""

import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from discussions.core import judgement_kinds as kinds
from rubric.core.records import Flag
from rubric.model_reviewers.core import LONGEST_ANSWER
from rubric.reviews.core.answer_json import REFUSED, decode, find_blocks
from rubric.reviews.core.review_lines import MOST_FAULTS, walk_lines
from workspace.core.json_faults import Problem
from workspace.core.words import say

# Change it when an answer may be read otherwise than before.
READER = 1
CANNOT = ""
NO_BLOCK, NO_CODE, OTHER_CODE, SUPERSEDED_BLOCK = "no_block", "no_code", "other_code", "superseded_block"
MISSING, UNKNOWN_ITEM, NOT_AN_ANSWER, CUT_OFF = "missing", "unknown_item", "not_an_answer", "cut_off"
_WANTED = re.compile('"answers"')
MOST_NAMED = 200


# Item number -> value, "" where the judge said that it cannot tell; and what else there is to know.
ReadAnswers = tuple[dict[int, str], list[Flag]]


def read_answers(text: str, kind: str, *, code: str, item_count: int) -> ReadAnswers:
    """The answers in a text to a prompt with that code and so many items. Never raises; linear."""
    found = [decode(source) for _start, source in find_blocks(text, wanted=_WANTED)]
    blocks = [block for block in found if isinstance(block, dict) and isinstance(block.get("answers"), dict)]
    if not blocks:
        return {}, [Flag(NO_BLOCK, "There is no JSON object with answers.")]
    own = [block["answers"] for block in blocks if block.get("code") == code]
    flags = []
    if len(own) < len(blocks):
        flags.append(Flag(OTHER_CODE, "A JSON object without the code of this prompt was left out."))
    if not own:
        flags.append(Flag(NO_CODE, "No JSON object has the code of this prompt, so nothing is read."))
        return {}, flags
    if any(other != own[-1] for other in own[:-1]):
        flags.append(Flag(SUPERSEDED_BLOCK, "Earlier answers differ; the last ones count."))
    return _read_block(own[-1], kind, item_count, flags)


def _read_block(answers: Mapping[str, Any], kind: str, item_count: int, flags: list[Flag]) -> ReadAnswers:
    items = {str(number): number for number in range(1, item_count + 1)}
    values = {}
    for key, given in list(answers.items()):
        if key not in items:
            flags.append(Flag(UNKNOWN_ITEM, f"The prompt has no item {key[:20]!r}."))
            continue
        value = _read_value(given, kind)
        if value is None:
            flags.append(Flag(NOT_AN_ANSWER, f"Item {key}: {str(given)[:40]!r} is not one of the answers."))
        else:
            values[items[key]] = value
    missing = [key for key in items if key not in answers]
    flags += [Flag(MISSING, f"Item {key} has no answer.") for key in missing]
    if len(flags) > MOST_NAMED:
        flags = [*flags[:MOST_NAMED], Flag("more", f"And {len(flags) - MOST_NAMED} more.")]
    return values, flags


def _read_value(given: Any, kind: str) -> str | None:
    """The value, "" for null; None if it is none of the kind's. A rating may be a number or a text."""
    if given is None:
        return CANNOT
    if given is REFUSED or isinstance(given, bool) or not isinstance(given, str | int | float):
        return None
    if kind == kinds.RATING:
        try:
            written = f"{float(given):.1f}" if float(given) * 2 == int(float(given) * 2) else ""
        except (ValueError, OverflowError):
            return None
    else:
        written = given.strip().casefold() if isinstance(given, str) else ""
    return written if written in kinds.VALUES[kind] else None


class AnswerLine(Struct, frozen=True):
    """One answer of a file: the number of its prompt, and what the judge wrote."""

    line: int
    prompt: int
    text: str


def read_lines(data: bytes) -> tuple[list[AnswerLine], list[Problem]]:
    """Every answer of a JSONL file, and its first faults. Blank lines and other keys are ignored."""
    faults: list[Problem] = []
    lines = [
        AnswerLine(number, value["prompt"], value["text"])
        for number, value in walk_lines(data, _find_problems, faults)
    ]
    if not lines and not faults:
        faults.append(Problem("empty", say("There is no answer. Give one JSON object a line.")))
    first: dict[int, int] = {}
    for line in lines:
        known = first.setdefault(line.prompt, line.line)
        if known != line.line:
            message = say("Line {line} answers the same prompt. Keep one of them.", line=known)
            faults.append(Problem("twice", message, line.line, pointer="/prompt"))
    return lines, faults[:MOST_FAULTS]


def _find_problems(value: Any) -> list[Problem]:
    if not isinstance(value, dict):
        message = say("The line is no object. Write one with the keys prompt and text.")
        return [Problem("wrong_shape", message)]
    problems = []
    number = value.get("prompt")
    if isinstance(number, bool) or not isinstance(number, int) or not 0 < number < 2**31:
        message = say('"prompt" is missing or is no number. Take that of the prompt.')
        problems.append(Problem("wrong_shape", message, pointer="/prompt"))
    text = value.get("text")
    if not isinstance(text, str) or not text.strip():
        message = say('"text" is missing or is no text. Give what the judge wrote.')
        problems.append(Problem("wrong_shape", message, pointer="/text"))
    elif len(text.encode("utf-8", "surrogatepass")) > LONGEST_ANSWER:
        message = say("The answer is larger than 2 MB, which no judge needs. Shorten it.")
        problems.append(Problem("too_large", message, pointer="/text"))
    return problems
