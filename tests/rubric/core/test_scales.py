"""Scales of criteria: what can be scored, and how scores of different scales come together."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubric.core.scales import (
    COMMON,
    Scale,
    bring_all,
    bring_to_common,
    is_scale,
    rescale_score,
    take_from_common,
)
from rubric.core.scores import compute_overall, get_weights, score_marks
from rubric.versions.queries import first_response_version
from tests.factories.versions import three_scales

SCALES = (Scale(1, 5), Scale(0, 1), Scale(0, 3, 0.5), Scale(-2, 2), Scale(0, 100, 5), Scale(1, 7, 0.1))


@pytest.mark.parametrize(
    ("scale", "text", "points"),
    [
        (Scale(1, 5), "1 to 5", ("1", "2", "3", "4", "5")),
        (Scale(0, 1), "0 or 1", ("0", "1")),
        (Scale(0, 1, 0.5), "0 to 1 in steps of 0.5", ("0", "0.5", "1")),
        (Scale(-1, 1), "-1 to 1", ("-1", "0", "1")),
    ],
)
def test_a_scale_says_what_can_be_chosen(scale, text, points):
    assert (scale.text, scale.points) == (text, points)


def test_steps_of_a_tenth_are_exact():
    assert Scale(0, 1, 0.1).points[3] == "0.3"
    assert Scale(0, 1, 0.1).is_step(0.3)
    assert not Scale(0, 1, 0.1).is_step(0.35)
    assert not Scale(0, 1, 0.1).is_step(1.1)


def test_the_formula_by_hand():
    """1 + 9 (x - low) / (high - low): 4 of 1 to 5 is 1 + 9 x 3/4, 2 of 0 to 3 is 1 + 9 x 2/3."""
    assert bring_to_common(4, Scale(1, 5)) == Fraction(31, 4)
    assert bring_to_common(2, Scale(0, 3)) == 7
    assert (bring_to_common(0, Scale(0, 1)), bring_to_common(1, Scale(0, 1))) == (1, 10)
    assert bring_to_common(2, Scale(1, 8)) == Fraction(16, 7)


@given(st.sampled_from(SCALES), st.fractions(min_value=-200, max_value=200))
def test_a_score_brought_to_the_common_scale_comes_back_exactly(scale, value):
    assert take_from_common(bring_to_common(value, scale), scale) == value


def test_scores_of_the_common_scale_stay_the_very_same():
    scores = {"a": 7, "b": 7.5}
    assert bring_all(scores, {}) is scores
    assert bring_all(scores, {"a": COMMON, "b": Scale(1, 10, 0.5)}) == scores
    assert [type(value) for value in bring_all(scores, {"a": COMMON}).values()] == [int, float]


def test_the_overall_weighs_scores_on_the_common_scale():
    """0.5 x 7.75 + 0.2 x 10 + 0.3 x 6; without depth the rest is divided by 0.7."""
    found = score_marks({"coherence": 4, "recommend": 1, "depth": 6}, three_scales())
    assert (found.value, found.is_incomplete) == (Fraction("7.675"), False)
    part = score_marks({"coherence": 4, "recommend": 1}, three_scales())
    assert (part.value, part.is_incomplete) == (Fraction("5.875") / Fraction("0.7"), True)


@given(st.lists(st.integers(1, 10) | st.floats(1, 10), min_size=4, max_size=4))
def test_with_one_scale_for_all_the_arithmetic_is_as_it_was(values):
    rubric = first_response_version()
    scores = dict(zip((criterion.key for criterion in rubric.criteria), values, strict=True))
    assert score_marks(scores, rubric) == compute_overall(scores, get_weights(rubric))


@pytest.mark.parametrize(
    ("value", "is_one"),
    [
        ([1, 10], True),
        ([0, 0.5], True),
        ([-2, 2], True),
        ([1, 1], False),
        ([10, 1], False),
        ([1], False),
        ([1, 5, 10], False),
        ([1, "10"], False),
        ([False, True], False),
        ([1, float("inf")], False),
        ([float("nan"), 1], False),
        ((1, 10), False),
        ("1-10", False),
        (None, False),
    ],
)
def test_a_scale_is_a_list_of_a_lower_and_a_higher_number(value, is_one):
    assert is_scale(value) is is_one


def test_the_ends_of_a_scale_can_be_chosen_and_nothing_beyond():
    for scale in SCALES:
        assert scale.holds(scale.lowest) and scale.holds(scale.highest)
        assert [scale.is_step(float(point)) for point in scale.points] == [True] * len(scale.points)
        assert not scale.holds(scale.lowest - scale.step) and not scale.is_step(scale.highest + scale.step)
    assert not Scale(0.5, 3.5).is_step(2) and Scale(0.5, 3.5).is_step(2.5)
    assert not Scale(0.1, 1, 0.3).is_step(0.2)


def test_a_converted_score_is_whole_where_it_can_be():
    found = [rescale_score(value, Scale(1, 5)) for value in (1, 3, 4, 5)]
    assert (found, list(map(type, found))) == ([1, 5.5, 7.75, 10], [int, float, float, int])
