"""Answers in another shape than asked for, or damaged: read where what was meant is plain, and always noted."""

import json

import pytest

from rubric.reviews.core.answer_json import Names, find_segments
from rubric.reviews.core.answer_shapes import read_loosely
from tests.factories.reviews import CRITERIA, LABELS, codes, evaluations, fenced, read

SAID = evaluations(A={"accuracy": 9}, B={"clarity": 2})
LISTED = [{"response": label, **entry} for label, entry in SAID.items()]
TEXT = json.dumps({"ranking": LABELS, "evaluations": SAID}, indent=1)


def told(review):
    return {code for code, _response in codes(review)}


def scores(review):
    return {response.label: response.scores for response in review.responses}


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (SAID, "flat_shape"),
        (SAID | {"ranking": LABELS}, "flat_shape"),
        ({"evaluations": LISTED}, "listed_shape"),
        (LISTED, "listed_shape"),
        ("\n".join(map(json.dumps, LISTED)), "listed_shape"),
        ({"result": {"evaluations": SAID}}, "wrapped_shape"),
        ({"review": SAID}, "wrapped_shape"),
        ({"review": LISTED, "model": "x"}, "listed_shape"),
        ({"evaluations": {label: {"scores": entry} for label, entry in SAID.items()}}, "nested_scores"),
        (
            {"evaluations": {label: {key: {"score": score} for key, score in entry.items()}
                             for label, entry in SAID.items()}},
            "nested_scores",
        ),
        ({"evaluations": {f"**{label}**": entry for label, entry in SAID.items()}}, "loose_label"),
        ({"evaluations": {label[-1]: entry for label, entry in SAID.items()}}, "loose_label"),
        ({"evaluations": {label.lower().replace(" ", "_"): entry for label, entry in SAID.items()}}, "loose_label"),
        (TEXT.replace("Response ", "Response\u00a0"), "odd_spaces"),
        ({"evaluations": {label.replace(" ", "\u00a0"): entry for label, entry in SAID.items()}}, "loose_label"),
        (TEXT.replace('"accuracy": 9,', '"accuracy": 9,\u00a0'), None),
        (TEXT.replace("\n }", ",\n }"), "repaired"),
        (TEXT.replace('"accuracy": 9,', '"accuracy": 9, // the best\n /* of all */'), "repaired"),
        (TEXT.replace('"accuracy": 9,', '"notes": "one\ntwo", "accuracy": 9,'), "repaired"),
        (TEXT[:-3], "repaired"),
    ],
)  # fmt: skip
def test_another_shape_is_read_and_noted(answer, code):
    for text in (answer, fenced(answer) if not isinstance(answer, str) else f"```json\n{answer}\n```"):
        review = read(text)
        assert (review.mode, scores(review)) == ("rubric", SAID), review.flags
        assert code is None or code in told(review)
        assert "nothing_read" not in told(review)


def test_of_a_block_without_its_end_whole_responses_are_kept():
    review = read(TEXT[: TEXT.rindex('"Response C"') + 40])
    assert scores(review) == {**SAID, "Response C": {}}
    assert review.mode == "partial"
    assert {("repaired", None), ("cut_off_response", None)} <= set(codes(review))
    said = next(flag.message for flag in review.flags if flag.code == "repaired")
    assert said == "The block of scores is no JSON (a missing end). It was repaired and read."
    assert review.reported_ranking == [[label] for label in LABELS]


def test_a_number_at_the_end_may_be_the_beginning_of_another():
    review = read('{"Response A": {"accuracy": 7, "completeness": 7}, "Response B": 1')
    assert review.response("Response B").holistic is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("  ", "Nothing is read: the answer is empty."),
        (
            "All three are fine.",
            'Nothing is read: there are no scores and no ranking. The answer begins "All three are fine.".',
        ),
        (
            '{"verdict": "A", "confidence": 0.9}',
            'Nothing is read: the last block has the keys "verdict", "confidence", and no score of a known response.',
        ),
        (
            '{"evaluations": [',
            'Nothing is read: what looks like scores is damaged. The answer begins "{"evaluations": [".',
        ),
    ],
)
def test_an_answer_of_which_nothing_is_read_says_what_stood_there(text, said):
    review = read(text)
    assert review.mode == "unreadable"
    assert said in [flag.message for flag in review.flags]


def test_a_ranking_of_bare_letters_is_read_and_one_of_nobody_is_noted():
    review = read("FINAL RANKING:\n1. B\n2. **A**\n3. Response C\n")
    assert review.ranking == [["Response B"], ["Response A"], ["Response C"]]
    assert ("loose_label", "Response B") in codes(review)
    review = read(fenced({"evaluations": SAID}) + "FINAL RANKING:\nAll are equal.\n")
    assert codes(review) == [("unreadable_ranking", None)]


def test_labels_that_share_a_letter_are_not_guessed():
    review = read({"A": dict.fromkeys(CRITERIA, 7)}, labels=["Response A", "Answer A"])
    assert review.mode == "unreadable"


def test_what_is_asked_for_goes_before_another_shape():
    other = {label: dict.fromkeys(CRITERIA, 1) for label in LABELS}
    review = read(fenced({"evaluations": SAID}) + fenced(other))
    assert (scores(review), codes(review)) == (SAID, [])


def test_an_answer_that_names_one_response_of_several_is_read():
    found = read_loosely(
        '{"A": {"accuracy": 7}}', Names(["Response A", "Response B"], is_loose=True), Names(["accuracy"])
    )
    assert found is not None and found[0]["evaluations"].keys() == {"A"}
    assert (
        read_loosely(
            '{"C": {"accuracy": 7}}', Names(["Response A", "Response B"], is_loose=True), Names(["accuracy"])
        )
        is None
    )


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a\n```\nb\n```\nc", ["a\n```", "\nb\n```", "\nc"]),
        ("a\n```json\nb\n```\nc", ["a\n```", "json\nb\n```", "\nc"]),
        ("a\n``` `b` \nc", ["a\n``` `b` \nc"]),
        ("a\n~~~ `b`\nc\n~~~\nd", ["a\n~~~", " `b`\nc\n~~~", "\nd"]),
    ],
)
def test_a_fence_of_backticks_has_none_in_its_first_line(text, parts):
    assert [text[start:end] for start, end in find_segments(text)] == parts


def test_names_match_loosely_only_when_asked_to():
    exact, loose = Names(["Response A"]), Names(["Response A"], is_loose=True)
    assert [exact.match(name) for name in ("response a", "**Response A**", "A")] == ["Response A", None, None]
    assert [loose.match(name) for name in ("response a", "**Response A**", "A", "B")] == [
        "Response A"
    ] * 3 + [None]
