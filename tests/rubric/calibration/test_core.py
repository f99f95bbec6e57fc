"""Agreed marks as they are typed, their consensus, and who passes a round; how far two reviews are apart."""

from fractions import Fraction

import pytest

from rubric.calibration.core import (
    build_consensus,
    compare_review,
    compute_result,
    find_missing_mark,
    parse_agreed_marks,
)
from rubric.core.scales import Scale
from rubric.reviewer_statistics.core.agreement import compute_self_agreement
from rubric.reviews.core.score_rows import collect_marks, pair_marks

LABELS = {"holistic": "As a whole", "accuracy": "Factual correctness", "clarity": "Clarity"}
WEIGHTS = {"accuracy": Fraction(3, 4), "clarity": Fraction(1, 4)}
WITHIN = Fraction(1)


def wholes(*marks):
    """Responses 1, 2, 3 with these marks as a whole."""
    return collect_marks((str(number), {}, mark) for number, mark in enumerate(marks, start=1))


def key(*marks):
    return {str(number): {"holistic": str(mark)} for number, mark in enumerate(marks, start=1)}


def test_agreed_marks_are_read_line_by_line():
    text = "3.1: 8\n 3.2: as a WHOLE 7.5, accuracy 9,Clarity 6\n\n12.1: holistic 10"
    assert parse_agreed_marks(text, LABELS) == {
        3: {"1": {"holistic": "8"}, "2": {"holistic": "15/2", "accuracy": "9", "clarity": "6"}},
        12: {"1": {"holistic": "10"}},
    }
    assert parse_agreed_marks("1.1: 4", {"accuracy": "Factual correctness"}) == {1: {"1": {"accuracy": "4"}}}


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("3: 8", "does not begin with the numbers"),
        ("3.x: 8", "does not begin with the numbers"),
        ("3.1 8", "does not begin with the numbers"),
        ("3.1: spelling 8", "names no mark of this set"),
        ("3.1: 11", "is no mark on the scale 1 to 10"),
        ("3.1: 0.5", "is no mark on the scale 1 to 10"),
        ("3.1: accuracy 1e99999999", "is no number"),
        ("3.1: 8, holistic 7", "two marks for As a whole"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(line, says):
    with pytest.raises(ValueError, match=says):
        parse_agreed_marks(line, LABELS)


def test_labels_may_have_commas_and_numbers_any_decimals():
    labels = {"accuracy": "Facts, figures", "clarity": "Clear, not long, well put", "fine": "Fine"}
    scales = {"fine": Scale(0, 1, 0.0625)}
    text = "3.1: facts, FIGURES 9, Clear, not long, well put 7.5,fine .0625"
    assert parse_agreed_marks(text, labels, scales) == {
        3: {"1": {"accuracy": "9", "clarity": "15/2", "fine": "1/16"}}
    }
    with pytest.raises(ValueError, match="names no mark of this set"):
        parse_agreed_marks("3.1: facts 9, clarity 7", labels, scales)


def test_a_number_alone_needs_a_mark_as_a_whole_or_a_single_criterion():
    criteria = {name: LABELS[name] for name in ("accuracy", "clarity")}
    with pytest.raises(ValueError, match="accuracy, clarity"):
        parse_agreed_marks("3.1: 8", criteria)


def test_a_key_needs_every_mark_of_every_response():
    assert find_missing_mark(key(8, 7), [1, 2], {"holistic": "As a whole"}) == ""
    assert (
        find_missing_mark(key(8), [1, 2], {"holistic": "As a whole"})
        == "response 2 has no mark for As a whole"
    )


def test_the_consensus_is_the_exact_mean_of_the_marks_that_are_there():
    three = [wholes(8, 2), wholes(7, 4), wholes(7, None)]
    assert build_consensus(three) == {"1": {"holistic": "22/3"}, "2": {"holistic": "3"}}


def test_what_one_person_gave_is_no_consensus():
    assert build_consensus([wholes(8, 2, None), wholes(7, None, 3)]) == {"1": {"holistic": "15/2"}}
    assert build_consensus([wholes(8, 2)]) == {}


def test_marks_within_the_tolerance_agree_and_others_are_listed():
    found = compare_review(key(8, "15/2", 6), wholes(9, 9, 6), WITHIN, WEIGHTS)
    assert (found.alike, found.count, found.is_same_first) == (2, 3, False)
    [pair] = found.differences
    assert (pair.response, pair.one, pair.other) == ("2", Fraction(15, 2), 9)


def test_only_responses_that_were_reviewed_and_marks_that_were_given_are_compared():
    found = compare_review(key(9, 7, 6), {"2": {"holistic": Fraction(7)}, "3": {}}, WITHIN, WEIGHTS)
    assert (found.alike, found.count) == (1, 1)
    assert found.is_same_first, "response 1 was not theirs to review"


@pytest.mark.parametrize(
    ("reviews", "asked", "passes"),
    [
        ([(8, 7, 6)], 1, True),
        ([(8, 7, 6)], 2, None),
        ([(8, 7, 3), (8, 7, 6)], 2, True),
        ([(8, 4, 3), (8, 7, 6)], 2, False),
        ([(7, 8, 6), (8, 7, 6)], 2, True),
        ([(7, 8, 6), (7, 8, 6)], 2, False),
        ([], 0, True),
    ],
)
def test_a_round_is_passed_over_all_its_comparisons(reviews, asked, passes):
    compared = [compare_review(key(8, 7, 6), wholes(*marks), WITHIN, WEIGHTS) for marks in reviews]
    result = compute_result(compared, asked=asked, pass_percent=75, first_percent=50)
    assert result.passes is passes
    assert result.first_percent == (100 * result.first_alike / len(compared) if compared else None)


def test_the_first_place_goes_by_the_weighted_overall_where_there_are_criteria():
    one = collect_marks([("1", {"accuracy": 9, "clarity": 1}, 1), ("2", {"accuracy": 5, "clarity": 9}, 9)])
    other = collect_marks([("1", {"accuracy": 6, "clarity": 6}, 1), ("2", {"accuracy": 6, "clarity": 6}, 9)])
    assert not pair_marks(one, other, WEIGHTS).is_same_first, "the second has a tie"
    assert pair_marks(one, one, WEIGHTS).is_same_first
    assert pair_marks(one, {"1": {}, "2": {}}, WEIGHTS).is_same_first is None


def test_self_agreement_counts_marks_of_every_repeat_of_a_person():
    repeats = [
        (5, wholes(8, 7, 6), wholes(8, 6, 4)),
        (5, wholes(8, 7, 6), wholes(7, 8, 6)),
        (9, wholes(3, 3), wholes(3, 3)),
    ]
    first, second = compute_self_agreement(repeats, {})
    assert list(first.values()) == [5, 2, 6, 2, 5, 1, 2]
    assert list(second.values()) == [9, 1, 2, 2, 2, 1, 1]


def test_marks_on_scales_of_their_own_are_read_on_them_and_compared_on_the_common_one():
    scales = {"accuracy": Scale(0, 1), "clarity": Scale(1, 5)}
    weights = {"accuracy": Fraction(1, 2), "clarity": Fraction(1, 2)}
    labels = {"accuracy": "Accuracy", "clarity": "Clarity"}
    agreed = parse_agreed_marks("1.1: accuracy 1, clarity 2\n1.2: accuracy 0, clarity 5", labels, scales)[1]
    with pytest.raises(ValueError, match="is no mark on the scale 0 or 1"):
        parse_agreed_marks("1.1: accuracy 2", labels, scales)
    given = {
        "1": {"accuracy": Fraction(1), "clarity": Fraction(3)},
        "2": {"accuracy": Fraction(0), "clarity": Fraction(5)},
    }
    found = compare_review(agreed, given, WITHIN, weights, scales)
    assert (found.alike, found.count, found.is_same_first) == (3, 4, True)
    assert [pair.apart for pair in found.differences] == [Fraction(9, 4)], (
        "one of four steps of a scale 1 to 5"
    )
