"""A reviewer's answer is read as it stands: what counts as a score, which label is meant, which mode it is."""

import json
from fractions import Fraction

import pytest

from rubric.core.scoring import rounded
from tests.core.reviews import CRITERIA, EXAMPLE, LABELS, codes, evaluations, fenced, read


def test_the_example_of_the_decision_record():
    review = read("Some thoughts on {all} of them.\n\n" + fenced(EXAMPLE))
    assert review.mode == "rubric"
    assert [str(rounded(each.overall)) for each in review.responses] == ["8.15", "8.10", "6.00"]
    assert [each.reported_overall for each in review.responses] == [8.15, 8.0, 6.0]
    assert [each.notes for each in review.responses] == ["a", "b", "c"]
    assert review.ranking == review.reported_ranking == [["Response A"], ["Response B"], ["Response C"]]
    assert codes(review) == [("overall_mismatch", "Response B")]
    assert "8.0; its scores give 8.10" in review.flags[0].message
    assert all(each.holistic is None and not each.is_incomplete for each in review.responses)


@pytest.mark.parametrize("score", [1, 10, 7, 8.5, 1.0, 10.0, 9.99])
def test_scores_from_1_to_10_are_read(score):
    review = read({"evaluations": evaluations(A={"accuracy": score})})
    assert review.mode == "rubric"
    assert review.response("Response A").scores["accuracy"] == score
    assert codes(review) == []


@pytest.mark.parametrize(("written", "score"), [("8", 8), (" 9 ", 9), ("8.5", 8.5), ("10", 10), ("1.0", 1)])
def test_a_number_written_as_text_is_read_and_noted(written, score):
    review = read({"evaluations": evaluations(B={"clarity": written})})
    assert review.mode == "rubric"
    assert review.response("Response B").scores["clarity"] == score
    assert codes(review) == [("numeric_string", "Response B")]


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("NaN", "not_a_number"),
        ("Infinity", "not_a_number"),
        ("-Infinity", "not_a_number"),
        ("1e999", "not_a_number"),
        ("true", "not_a_number"),
        ("false", "not_a_number"),
        ("null", "null_score"),
        ("[8]", "not_a_number"),
        ('{"score": 8}', "not_a_number"),
        ('"eight"', "not_a_number"),
        ('""', "not_a_number"),
        ('"8/10"', "not_a_number"),
        ('"NaN"', "not_a_number"),
        ('"٨"', "not_a_number"),
        ('"<1-10>"', "not_a_number"),
        ("0", "out_of_range"),
        ("11", "out_of_range"),
        ("95", "out_of_range"),
        ("-8", "out_of_range"),
        ("0.999", "out_of_range"),
        ("10.001", "out_of_range"),
        ('"95"', "out_of_range"),
        ("9" * 18, "out_of_range"),
        ("9" * 400, "not_a_number"),
    ],
)
def test_what_is_no_score_is_refused_for_its_criterion_alone(source, code):
    text = json.dumps({"evaluations": evaluations(A={"accuracy": "HERE"})}).replace('"HERE"', source)
    review = read(text)
    assert review.mode == "partial"
    a, b, c = review.responses
    assert "accuracy" not in a.scores
    assert (a.is_incomplete, b.is_incomplete, c.is_incomplete) == (True, False, False)
    assert a.overall == b.overall == 7
    assert codes(review) == [(code, "Response A")]
    assert review.flags[0].criterion == "accuracy"
    assert "\n" not in review.flags[0].message
    assert len(review.flags[0].message) < 200


def test_a_partial_overall_is_divided_by_the_weights_that_are_there():
    review = read(
        {"evaluations": evaluations(A={"accuracy": 9, "completeness": 8, "conciseness": 7, "clarity": ...})}
    )
    a = review.response("Response A")
    assert a.overall == Fraction("6.55") / Fraction("0.8")
    assert (review.mode, a.is_incomplete, list(a.scores)) == ("partial", True, CRITERIA[:3])
    assert review.ranking == [["Response A"], ["Response B", "Response C"]]


def test_a_response_without_any_score_makes_the_review_partial():
    given = evaluations()
    del given["Response C"]
    review = read({"evaluations": given})
    c = review.response("Response C")
    assert (review.mode, c.scores, c.overall, c.is_incomplete) == ("partial", {}, None, True)
    assert review.ranking == [["Response A", "Response B"]]


def test_a_key_that_is_there_twice_has_no_value():
    text = json.dumps({"evaluations": evaluations()}).replace(
        '"accuracy": 7', '"accuracy": 9, "accuracy": 3', 1
    )
    review = read(text)
    assert (review.mode, codes(review)) == ("partial", [("duplicate_key", "Response A")])
    assert "accuracy" not in review.response("Response A").scores
    same = json.dumps({"evaluations": evaluations()}).replace(
        '"accuracy": 7', '"accuracy": 7, "accuracy": 7', 1
    )
    assert "accuracy" not in read(same).response("Response A").scores


def test_a_response_that_is_there_twice_has_no_scores():
    text = json.dumps({"evaluations": evaluations()}).replace('"Response B": {', '"Response A": {', 1)
    review = read(text)
    assert (review.mode, codes(review)) == ("partial", [("duplicate_key", "Response A")])
    assert review.response("Response A").scores == {}


def test_evaluations_that_are_there_twice_are_not_read():
    inner = json.dumps(evaluations())
    review = read(f'{{"evaluations": {inner}, "evaluations": {inner}}}')
    assert review.mode == "unreadable"


def test_labels_are_matched_exactly_then_in_any_case():
    given = evaluations()
    given["response a "] = given.pop("Response A")
    assert read({"evaluations": given}).mode == "rubric"
    given = evaluations() | {"RESPONSE A": dict.fromkeys(CRITERIA, 1)}
    review = read({"evaluations": given})
    assert codes(review) == [("duplicate_label", "Response A")]
    assert review.response("Response A").overall == 7
    two = {
        "Response B": given["Response B"],
        "response a": given["RESPONSE A"],
        "RESPONSE A": given["Response A"],
    }
    assert read({"evaluations": two}).response("Response A").scores == {}


def test_labels_that_differ_by_case_alone_are_themselves():
    given = {"a": dict.fromkeys(CRITERIA, 2), "A": dict.fromkeys(CRITERIA, 9)}
    review = read({"evaluations": given}, labels=["A", "a"])
    assert [each.overall for each in review.responses] == [9, 2]


def test_unknown_labels_and_criteria_are_noted():
    given = evaluations(B={"style": 10}) | {"Response Z": dict.fromkeys(CRITERIA, 9)}
    review = read({"ranking": ["Response Z", *LABELS], "evaluations": given})
    assert review.mode == "rubric"
    assert codes(review) == [("unknown_criterion", "Response B"), ("unknown_label", "Response Z")]
    assert review.reported_ranking == [[label] for label in LABELS]


def test_criteria_are_matched_in_any_case_too():
    assert read({"evaluations": evaluations(A={"accuracy": ..., "Accuracy": 8})}).mode == "rubric"


def test_the_old_shape_is_holistic():
    review = read(
        '{"ranking": ["Response A", "Response B"], "scores": {"Response A": 8, "Response B": "6"}}',
        LABELS[:2],
    )
    assert review.mode == "holistic"
    assert [each.holistic for each in review.responses] == [8, 6]
    assert all(
        each.overall is None and not each.is_incomplete and each.scores == {} for each in review.responses
    )
    assert codes(review) == [("numeric_string", "Response B")]
    assert review.ranking == review.reported_ranking == [["Response A"], ["Response B"]]


def test_holistic_scores_without_a_ranking_give_one_with_ties():
    review = read({"scores": {"Response A": 6, "Response B": 8, "Response C": 6}})
    assert (review.mode, review.reported_ranking) == ("holistic", None)
    assert review.ranking == [["Response B"], ["Response A", "Response C"]]


def test_a_holistic_score_beside_scores_is_kept_apart():
    review = read({"evaluations": evaluations(A={"holistic": 9}), "scores": {"Response B": 4}})
    assert review.mode == "rubric"
    assert [each.holistic for each in review.responses] == [9, 4, None]
    assert [each.overall for each in review.responses] == [7, 7, 7]


def test_an_overall_without_scores_is_a_holistic_score_and_noted():
    review = read({"evaluations": {label: {"overall": 8, "notes": "good"} for label in LABELS}})
    assert (review.mode, review.response("Response A").holistic) == ("holistic", 8)
    assert {flag.code for flag in review.flags} == {"overall_as_holistic"}


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't help with that.",
        "I cannot evaluate these responses because they contain personal data.",
        "I must decline.",
        "I am not able to rank responses about this topic.",
        "Unable to score these responses.",
        "Thank you. I won’t provide an evaluation of this content.",
    ],
)
def test_a_refusal_is_an_abstention(text):
    review = read(text)
    assert (review.mode, review.ranking, review.reported_ranking) == ("abstained", [], None)
    assert [each.label for each in review.responses] == LABELS


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "All three are fine, I think.",
        "{}",
        "[]",
        "null",
        '{"evaluations": []}',
        '{"ranking": []}',
        "```json\n```",
    ],
)
def test_what_says_nothing_is_unreadable(text):
    assert read(text).mode == "unreadable"


def test_a_review_that_hesitates_is_no_refusal():
    review = read("I cannot judge the sources, but here are my scores.\n" + fenced(EXAMPLE))
    assert review.mode == "rubric"
    assert read('I cannot rank these. {"evaluations": {"Response A": ').mode == "unreadable"


@pytest.mark.parametrize(
    ("reported", "is_off"), [(7.05, False), (6.95, False), (7.051, True), (6.9, True), ("7.2", True)]
)
def test_an_overall_is_off_by_more_than_5_hundredths(reported, is_off):
    review = read({"evaluations": evaluations(A={"overall": reported})})
    assert (("overall_mismatch", "Response A") in codes(review)) == is_off
    assert review.response("Response A").overall == 7


def test_an_overall_that_is_no_number_is_noted():
    review = read({"evaluations": evaluations(A={"overall": "high"}, B={"overall": None}, C={"overall": 70})})
    assert [each.reported_overall for each in review.responses] == [None, None, 70]
    assert codes(review) == [("overall_mismatch", "Response C"), ("unreadable_overall", "Response A")]


def test_a_review_of_labels_of_ones_own():
    review = read({"evaluations": {"one": dict.fromkeys(CRITERIA, 3)}}, labels=["one"])
    assert (review.mode, review.ranking) == ("rubric", [["one"]])
    with pytest.raises(KeyError):
        review.response("two")


def test_a_flood_of_unknown_labels_is_cut_off_and_counted():
    review = read({"evaluations": evaluations() | {f"Response {number}": 1 for number in range(1000)}})
    assert (review.mode, len(review.flags)) == ("rubric", 201)
    assert review.flags[-1].message == "There are 800 more things to note."


def test_escapes_of_what_no_database_stores_are_replaced():
    """JSON can write in six plain characters what the text itself must not hold."""
    entries = {"notes": "so\0 \ud800", "a\0": 3, "accuracy": "\udfff"}
    review = read({"evaluations": evaluations(A=entries) | {"B\0": 5}, "ranking": ["C\ud800"]})
    assert review.response("Response A").notes == "so␀ \ufffd"
    said = "".join(flag.message + (flag.response or "") for flag in review.flags)
    assert all(shown in said for shown in ("B␀", "C\ufffd", "a␀", '"\ufffd"'))
    assert "\0" not in said and "\ud800" not in said and "\udfff" not in said
