"""Files of prompts that go out and of answers that come in."""

import json

import pytest

from rubric.core.answer_lines import AnswerLine, prompt_line, read_answer_lines
from rubric.core.asking import LONGEST_ANSWER
from workspace.core.strict_json import read_json


def lines(*values) -> bytes:
    return "\n".join(each if isinstance(each, str) else json.dumps(each) for each in values).encode()


GOOD = {"comparison": "c-1", "reviewer": "one-model", "text": "I prefer A."}


def test_a_prompt_is_one_line_that_reads_back():
    line = prompt_line("c\n1", "one-model", {"Response A": "x"}, "Line\nand \u2028 line")
    assert line.count("\n") == 1
    assert read_json(line.encode()).value == {
        "comparison": "c\n1",
        "reviewer": "one-model",
        "labels": {"Response A": "x"},
        "prompt": "Line\nand \u2028 line",
    }


def test_answers_are_read_in_order_and_other_keys_left_alone():
    data = lines(GOOD | {"prompt": "long", "labels": {}}, "", GOOD | {"comparison": "c-2"}, "  ")
    answers, faults = read_answer_lines(data)
    assert faults == []
    assert answers == [
        AnswerLine(1, "c-1", "one-model", "I prefer A."),
        AnswerLine(3, "c-2", "one-model", "I prefer A."),
    ]


@pytest.mark.parametrize(
    ("value", "code", "pointer"),
    [
        ("nonsense", "syntax", ""),
        ("[]", "wrong_shape", ""),
        ({"comparison": "c", "reviewer": "m"}, "wrong_shape", "/text"),
        (GOOD | {"text": ["I"]}, "wrong_shape", "/text"),
        (GOOD | {"text": " \n"}, "wrong_shape", "/text"),
        (GOOD | {"comparison": 1}, "wrong_shape", "/comparison"),
        (GOOD | {"reviewer": ""}, "wrong_shape", "/reviewer"),
        (GOOD | {"text": "x" * (LONGEST_ANSWER + 1)}, "too_large", "/text"),
        ('{"comparison": "c", "comparison": "d", "reviewer": "m", "text": "t"}', "duplicate_key", None),
    ],
)
def test_every_fault_has_its_line_and_place(value, code, pointer):
    answers, faults = read_answer_lines(lines(GOOD, value))
    assert [each.line for each in faults] == [2]
    assert pointer is None or (faults[0].code, faults[0].pointer) == (code, pointer) or code == "syntax"
    assert len(answers) == 1


def test_a_second_answer_to_the_same_is_a_fault_and_an_empty_file_is_one():
    _answers, faults = read_answer_lines(lines(GOOD, GOOD | {"reviewer": "other"}, GOOD))
    assert [(each.line, each.code) for each in faults] == [(3, "twice")]
    assert "Line 1" in faults[0].message
    assert [each.code for each in read_answer_lines(b"\n \n")[1]] == ["empty"]


def test_of_a_file_without_end_the_first_thousand_faults_are_named():
    for data in (b"{}\n" * 5000, lines(*[GOOD] * 5000)):
        assert len(read_answer_lines(data)[1]) == 1_000
