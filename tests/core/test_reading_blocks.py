"""Which object of a text is read: fences, free objects, the last of the right shape; and how fast a megabyte is."""

import json
import re
import time

import pytest

from rubric.core.reading_blocks import REFUSED, decode, find_blocks
from tests.core.reviews import EXAMPLE, LABELS, codes, evaluations, fenced, read

FIRST = {"evaluations": evaluations(A={"accuracy": 2})}
LAST = {"ranking": LABELS, "evaluations": evaluations(A={"accuracy": 9})}
PLAIN = json.dumps(LAST)


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        fenced(LAST),
        f"```\n{PLAIN}\n```",
        f"~~~json\n{PLAIN}\n~~~",
        f"````\n{PLAIN}\n````",
        f"   ```JSON\n   {PLAIN}\n   ```",
        f"> ```json\n> {PLAIN}\n> ```",
        f"```json {PLAIN} ```",
        f"```json {json.dumps(LAST, indent=1)}\n```",
        f"```json\n{PLAIN}```\nThat is all.",
        f"```json\n{PLAIN}",
        f"The block: {PLAIN}. Done.",
        f"I use {{braces}} and {{ more {PLAIN}",
        f'She said {{"no and left.\n{PLAIN}',
        f"A 5\" screen is 'fine'.\n{PLAIN}",
        f"}}}}}} {PLAIN} }}}}",
        f"{{{{ {PLAIN}",
        f"```\ncode {{\n```\n{PLAIN}",
        f'```\n{{"open": \n```\n{fenced(LAST)}}}',
        f'{{"a": 1}} {PLAIN} {{"b": {{"c": 2}}}}',
        f"[{PLAIN}]",
        json.dumps(LAST, indent="\t").replace("\n", "\r\n"),
        PLAIN.replace("9", "9.0"),
        json.dumps(LAST | {"notes": 'brace } and { and \\" and ```'}),
    ],
)
def test_the_object_is_found(text):
    review = read(text)
    assert (review.mode, review.response("Response A").scores["accuracy"]) == ("rubric", 9)
    assert codes(review) == []


@pytest.mark.parametrize("between", ["\n", "\nOn second thought:\n", '\n{"note": 1}\n'])
@pytest.mark.parametrize(("one", "other"), [(fenced, fenced), (fenced, json.dumps), (json.dumps, fenced)])
def test_the_last_one_counts_and_an_earlier_different_one_is_noted(one, other, between):
    review = read(one(FIRST) + between + other(LAST))
    assert review.response("Response A").scores["accuracy"] == 9
    assert codes(review) == [("superseded_block", None)]
    assert codes(read(one(LAST) + between + other(LAST))) == []


@pytest.mark.parametrize(
    "after",
    ['{"confidence": 0.9}', '{"ranking": ["Response C", "Response B", "Response A"]}',
     '{"evaluations": {"Response X": {}}}', '{"evaluations": 3}', "{}", '{"scores": []}'],
)  # fmt: skip
def test_a_later_object_of_another_shape_does_not_count(after):
    review = read(fenced(LAST) + fenced(json.loads(after)))
    assert (review.mode, review.response("Response A").scores["accuracy"]) == ("rubric", 9)
    assert codes(review) == []


@pytest.mark.parametrize(
    "broken",
    [
        fenced(LAST)[:-40],
        PLAIN[:-1],
        PLAIN.replace('"accuracy": 9,', '"accuracy": 9,,'),
        PLAIN.replace("}}", "},}"),
        PLAIN.replace('"ranking"', "'x': 1, \"ranking\""),
        PLAIN[:-1] + ", // done\n}",
    ],
)
def test_a_block_that_is_no_json_is_not_read_but_noted(broken):
    review = read(broken)
    assert review.mode == "unreadable"
    assert codes(review) == [("broken_block", None)]
    review = read(fenced(FIRST) + broken)
    assert review.response("Response A").scores["accuracy"] == 2
    assert ("broken_block", None) in codes(review)


def test_an_object_within_another_is_no_review():
    assert read({"result": EXAMPLE}).mode == "unreadable"
    assert read(json.dumps({"example": fenced(EXAMPLE)})).mode == "unreadable"


def test_blocks_are_balanced_objects_that_lie_in_no_other():
    wanted = re.compile('"a"')
    text = 'x {"a": {"a": 1}} {"b": 2} { {"a": 3} {"open": {"a": "}"} {"a"'
    assert [block.source for block in find_blocks(text, wanted=wanted)] == [
        '{"a": {"a": 1}}',
        '{"a": 3}',
        '{"a": "}"}',
    ]
    assert all(text[each.start :].startswith(each.source) for each in find_blocks(text, wanted=wanted))


def test_what_a_part_is_worth_is_left_to_who_wants_it():
    value = decode('{"a": 1, "a": 1, "b": {"c": NaN}, "d": 2}')
    assert (value["a"], value["d"]) == (REFUSED, 2)
    assert value["b"]["c"] != value["b"]["c"]
    assert decode('{"a": 1,}') is REFUSED
    assert decode('{"a":' * 100_000) is REFUSED
    assert decode('{"a": ' + "9" * 5000 + "}") is REFUSED


@pytest.mark.parametrize(
    "unit",
    ["{", "}", "{}", "{ ", "{{", "{{}", '{"a":', '{"scores":', '{"a":{', '"', '\\"', "\\", '"\\', "```\n", "```json\n",
     "```\n~~~\n", "`", "~~~", "[", "[{", " ", "\n", "> ", "FINAL RANKING:\n", "1. Response A\n", '"scores":',
     "I can't ", "{x", "} {"],
)  # fmt: skip
def test_a_megabyte_of_anything_is_read_in_100_ms(unit):
    """Alone; beside a block of scores, where all has to be looked at, some of these take longer, but never seconds."""
    text = unit * (1_000_000 // len(unit))
    for whole in (text, f'{{"scores": 1, {text}\n{PLAIN}'):
        assert _seconds(whole) < (0.1 if whole is text else 1.0)


def test_time_grows_with_the_length_alone():
    def seconds(size):
        return _seconds('{"ranking": [], ' + '{"x"} "{' * (size // 8) + PLAIN)

    assert seconds(400_000) < 12 * seconds(100_000) + 0.02


def _seconds(text):
    """The processor's time to read a text; the best of three, since other tests run beside."""
    best = 9.0
    for _ in range(3):
        before = time.process_time()
        read(text)
        best = min(best, time.process_time() - before)
        if best < 0.05:
            break
    return best
