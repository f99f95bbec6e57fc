"""The weighted overall: the source's example, exactness, missing scores, ties, and rounding for show."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubric.core.scoring import Overall, overall_of, ranked, rounded, weights_of
from rubric.shelf import first_response_version

WEIGHTS = weights_of(first_response_version())
EXAMPLE = {
    "Response A": {"accuracy": 9, "completeness": 8, "conciseness": 7, "clarity": 8},
    "Response B": {"accuracy": 7, "completeness": 9, "conciseness": 9, "clarity": 8},
    "Response C": {"accuracy": 6, "completeness": 6, "conciseness": 5, "clarity": 7},
}
scores = st.dictionaries(st.sampled_from(list(WEIGHTS)), st.integers(1, 10) | st.floats(1, 10))


def test_the_example_of_the_decision_record():
    overalls = {label: overall_of(given, WEIGHTS) for label, given in EXAMPLE.items()}
    assert [str(rounded(each.value)) for each in overalls.values()] == ["8.15", "8.10", "6.00"]
    assert [each.value for each in overalls.values()] == [Fraction(815, 100), Fraction(81, 10), Fraction(6)]
    assert not any(each.is_incomplete for each in overalls.values())


def test_a_missing_score_lowers_nothing():
    without_clarity = {key: score for key, score in EXAMPLE["Response A"].items() if key != "clarity"}
    # 0.35 x 9 + 0.25 x 8 + 0.20 x 7 = 6.55, divided by 0.80
    assert overall_of(without_clarity, WEIGHTS) == Overall(
        Fraction("6.55") / Fraction("0.8"), is_incomplete=True
    )


def test_without_a_score_that_weighs_there_is_no_overall():
    assert overall_of({}, WEIGHTS) == Overall(None, is_incomplete=True)
    assert overall_of({"a": 5}, {"a": Fraction(0), "b": Fraction(1)}) == Overall(None, is_incomplete=True)
    assert overall_of({}, {}) == Overall(None, is_incomplete=True)


def test_scores_of_other_criteria_do_not_count():
    assert overall_of(EXAMPLE["Response C"] | {"style": 10}, WEIGHTS).value == 6


def test_tenths_are_tenths():
    third = {"a": Fraction(1, 10), "b": Fraction(2, 10), "c": Fraction(7, 10)}
    assert overall_of({"a": 8.1, "b": 8.1, "c": 8.1}, third).value == Fraction(81, 10)


@given(scores, st.randoms())
def test_the_order_of_criteria_changes_nothing(found, order):
    keys = list(WEIGHTS)
    order.shuffle(keys)
    turned = {key: found[key] for key in reversed(list(found))}
    assert overall_of(turned, {key: WEIGHTS[key] for key in keys}) == overall_of(found, WEIGHTS)


@given(scores.filter(bool))
def test_an_overall_lies_between_its_scores(found):
    value = overall_of(found, WEIGHTS).value
    assert min(found.values()) <= value + Fraction(1, 10**12)
    assert value <= max(found.values()) + Fraction(1, 10**12)


def test_equal_overalls_are_tied():
    assert ranked({"a": 8, "b": 8.15, "c": Fraction(815, 100), "d": None}) == [["b", "c"], ["a"]]
    assert ranked({}) == []


@given(st.dictionaries(st.text(max_size=3), st.integers(1, 10)), st.randoms())
def test_the_order_of_responses_changes_no_place(values, order):
    shuffled = list(values.items())
    order.shuffle(shuffled)
    assert [set(place) for place in ranked(dict(shuffled))] == [set(place) for place in ranked(values)]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("8.125", "8.13"),
        ("8.115", "8.12"),
        ("8.1149999", "8.11"),
        ("6", "6.00"),
        ("9.995", "10.00"),
        ("-0.005", "-0.01"),
    ],
)
def test_half_goes_up_for_show(value, shown):
    assert str(rounded(Fraction(value))) == shown
    assert rounded(Fraction(1, 3), 4) == Decimal("0.3333")
