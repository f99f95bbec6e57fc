"""The weighted overall: the source's example, exactness, missing scores, ties, and rounding for show.

Weights: what is refused and how it is said, exactness at the edge, and scaling the others.

Scales of criteria: what can be scored, and how scores of different scales come together.
"""

import re
from decimal import Decimal
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
from rubric.core.scores import Overall, compute_overall, get_weights, rank_values, round_half_up, score_marks
from rubric.core.weights import decimal_text, exact, percent_text, scale_others, weight_problems
from rubric.versions.queries import first_response_version
from tests.factories.versions import three_scales

WEIGHTS = get_weights(first_response_version())

EXAMPLE = {
    "Response A": {"accuracy": 9, "completeness": 8, "conciseness": 7, "clarity": 8},
    "Response B": {"accuracy": 7, "completeness": 9, "conciseness": 9, "clarity": 8},
    "Response C": {"accuracy": 6, "completeness": 6, "conciseness": 5, "clarity": 7},
}

scores = st.dictionaries(st.sampled_from(list(WEIGHTS)), st.integers(1, 10) | st.floats(1, 10))


def test_the_example_of_the_decision_record():
    overalls = {label: compute_overall(given, WEIGHTS) for label, given in EXAMPLE.items()}
    assert [str(round_half_up(overall.value)) for overall in overalls.values()] == ["8.15", "8.10", "6.00"]
    assert [overall.value for overall in overalls.values()] == [
        Fraction(815, 100),
        Fraction(81, 10),
        Fraction(6),
    ]
    assert not any(overall.is_incomplete for overall in overalls.values())


def test_a_missing_score_lowers_nothing():
    without_clarity = {key: score for key, score in EXAMPLE["Response A"].items() if key != "clarity"}
    # 0.35 x 9 + 0.25 x 8 + 0.20 x 7 = 6.55, divided by 0.80
    assert compute_overall(without_clarity, WEIGHTS) == Overall(
        Fraction("6.55") / Fraction("0.8"), is_incomplete=True
    )


def test_without_a_score_that_weighs_there_is_no_overall():
    assert compute_overall({}, WEIGHTS) == Overall(None, is_incomplete=True)
    assert compute_overall({"a": 5}, {"a": Fraction(0), "b": Fraction(1)}) == Overall(
        None, is_incomplete=True
    )
    assert compute_overall({}, {}) == Overall(None, is_incomplete=True)


def test_scores_of_other_criteria_do_not_count():
    assert compute_overall(EXAMPLE["Response C"] | {"style": 10}, WEIGHTS).value == 6


def test_tenths_are_tenths():
    third = {"a": Fraction(1, 10), "b": Fraction(2, 10), "c": Fraction(7, 10)}
    assert compute_overall({"a": 8.1, "b": 8.1, "c": 8.1}, third).value == Fraction(81, 10)


@given(scores, st.randoms())
def test_the_order_of_criteria_changes_nothing(found, order):
    keys = list(WEIGHTS)
    order.shuffle(keys)
    turned = {key: found[key] for key in reversed(list(found))}
    assert compute_overall(turned, {key: WEIGHTS[key] for key in keys}) == compute_overall(found, WEIGHTS)


@given(scores.filter(bool))
def test_an_overall_lies_between_its_scores(found):
    value = compute_overall(found, WEIGHTS).value
    assert min(found.values()) <= value + Fraction(1, 10**12)
    assert value <= max(found.values()) + Fraction(1, 10**12)


def test_equal_overalls_are_tied():
    assert rank_values({"a": 8, "b": 8.15, "c": Fraction(815, 100), "d": None}) == [["b", "c"], ["a"]]
    assert rank_values({}) == []


@given(st.dictionaries(st.text(max_size=3), st.integers(1, 10)), st.randoms())
def test_the_order_of_responses_changes_no_place(values, order):
    shuffled = list(values.items())
    order.shuffle(shuffled)
    assert [set(place) for place in rank_values(dict(shuffled))] == [
        set(place) for place in rank_values(values)
    ]


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
    assert str(round_half_up(Fraction(value))) == shown
    assert round_half_up(Fraction(1, 3), 4) == Decimal("0.3333")


NAMES = ("accuracy", "completeness", "conciseness", "clarity")


def given_as(*weights):
    return dict(zip(NAMES, weights, strict=False))


@pytest.mark.parametrize(
    "weights",
    [
        (0.35, 0.25, 0.20, 0.20),
        ("0.35", "0.25", "0.20", "0.20"),
        (1, 0, 0, 0),
        (0.35, 0.25, 0.2, 0.19996),
        (0.35, 0.25, 0.2, 0.20004),
        (0.3333, 0.3333, 0.3334),
        (0.33333333, 0.33333333, 0.33333333),
        tuple([0.14285714285714285] * 4 + [0.14285714285714285 * 3]),
    ],
)
def test_weights_that_stand(weights):
    names = [*NAMES, "style"]
    assert weight_problems(dict(zip(names, weights, strict=False))) == []


def test_a_sum_that_is_off_is_named_with_every_weight():
    (problem,) = weight_problems(given_as(0.35, 0.25, 0.20, 0.19))
    assert (problem.pointer, problem.code) == ("", "weights")
    assert "sum to 99\u00a0%, 1\u00a0% too little" in problem.message
    assert "clarity 19\u00a0%" in problem.message
    assert problem.message.endswith("Change one of them, and let the others give way in proportion.")


@pytest.mark.parametrize(("count", "more"), [(8, ""), (9, ", 1 more"), (11, ", 3 more")])
def test_of_many_weights_the_first_eight_are_named_and_the_others_counted(count, more):
    (problem,) = weight_problems({f"c{number}": "0.05" for number in range(count)})
    named = ", ".join(f"c{number} 5\u00a0%" for number in range(8))
    assert f"({named}{more});" in problem.message


def test_the_sum_is_1_when_it_is_rounded_to_4_places():
    for off in ("0.199", "0.201", "0.1999", "0.2001", "0.19994", "0.20006"):
        assert weight_problems(given_as("0.35", "0.25", "0.2", off)), off
    assert weight_problems(given_as(0.3333, 0.3333, 0.3333))[0].message.startswith(
        "The weights sum to 99.99\u00a0%, 0.01\u00a0% too little"
    )
    assert not weight_problems(given_as(0.1, 0.2, 0.3, 0.4))


@pytest.mark.parametrize(
    ("weights", "offender", "says"),
    [
        ((1.2, -0.2, 0, 0), "accuracy", "is 120\u00a0%; it must lie between 0 and 100\u00a0%"),
        ((1.2, -0.2, 0, 0), "completeness", "is -20\u00a0%"),
        ((float("nan"), 0.5, 0.5, 0), "accuracy", "no number"),
        ((float("inf"), 0.5, 0.5, 0), "accuracy", "no number"),
        (("half", 0.5, 0.5, 0), "accuracy", '"half", which is no number'),
        ((Decimal("1e999999999"), 0.5, 0.5, 0), "accuracy", "no number"),
        (("", 0.5, 0.5, 0), "accuracy", "no number"),
    ],
)
def test_the_offender_is_named(weights, offender, says):
    found = {problem.pointer: problem.message for problem in weight_problems(given_as(*weights))}
    assert says in found[offender]


def test_no_weights_do_not_sum_to_1():
    assert "sum to 0\u00a0%, 100\u00a0% too little" in weight_problems({})[0].message


@given(st.lists(st.integers(0, 1200), min_size=1, max_size=6), st.randoms())
def test_the_order_changes_nothing(thousandths, order):
    weights = {f"k{at}": Decimal(share) / 1000 for at, share in enumerate(thousandths)}
    shuffled = list(weights.items())
    order.shuffle(shuffled)
    first, other = weight_problems(weights), weight_problems(dict(shuffled))
    assert {(problem.pointer, problem.code) for problem in first} == {
        (problem.pointer, problem.code) for problem in other
    }
    is_off = sum(thousandths) != 1000
    assert is_off == any(problem.code == "weights" for problem in first)


def test_numbers_are_taken_as_they_are_written():
    assert exact(0.1) + exact(0.2) == Fraction(3, 10)
    assert decimal_text(Fraction(1, 3)).startswith("0.333333")
    assert decimal_text(Fraction(7, 20)) == "0.35"


def test_the_others_are_scaled_in_proportion():
    scaled = scale_others(given_as(0.35, 0.25, 0.20, 0.20), "accuracy", 0.48)
    assert scaled == given_as(*map(Decimal, ("0.48", "0.2", "0.16", "0.16")))
    assert scale_others({"a": 1, "b": 0, "c": 0}, "a", 0.5) == {
        "a": Decimal("0.5"), "b": Decimal("0.25"), "c": Decimal("0.25"),
    }  # fmt: skip


@pytest.mark.parametrize(("weights", "key", "value"), [({"a": 1}, "a", 0.5), ({"a": 1, "b": 0}, "a", 1.5)])
def test_what_cannot_be_scaled_is_refused(weights, key, value):
    with pytest.raises(ValueError, match=r"\.$"):
        scale_others(weights, key, value)
    with pytest.raises(KeyError):
        scale_others(weights, "z", 0.5)


@given(
    st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 1000), min_size=2),
    st.integers(0, 10_000),
    st.randoms(),
)
def test_scaled_weights_sum_to_exactly_1_in_whatever_order(thousandths, value, order):
    weights = {key: Decimal(share) / 1000 for key, share in thousandths.items()}
    key = min(weights)
    scaled = scale_others(weights, key, Decimal(value) / 10_000)
    assert sum(scaled.values()) == 1
    assert weight_problems(scaled) == []
    shuffled = list(weights.items())
    order.shuffle(shuffled)
    assert scale_others(dict(shuffled), key, Decimal(value) / 10_000) == scaled


def test_a_sum_of_many_weights_lists_eight_and_counts_the_others():
    for count, more in ((8, []), (9, ["1"]), (11, ["3"])):
        (problem,) = weight_problems({f"k{at}": Decimal("0.04") for at in range(count)})
        assert "k7 4\u00a0%" in problem.message and "k8" not in problem.message
        assert re.findall(r"(?<=, )\d+(?! ?\u00a0%)\b", problem.message.partition("(")[2]) == more


def test_a_sum_above_1_is_too_much():
    (problem,) = weight_problems(given_as(0.35, 0.25, 0.20, 0.21))
    assert "sum to 101\u00a0%, 1\u00a0% too much" in problem.message


def test_all_or_nothing_are_weights():
    assert weight_problems({"a": 1, "b": 0}) == []
    assert scale_others({"a": 0.5, "b": 0.5}, "a", 1) == {"a": 1, "b": 0}
    assert scale_others({"a": 0.5, "b": 0.5}, "a", 0) == {"a": 0, "b": 1}
    assert scale_others({"a": 1}, "a", 1) == {"a": 1}
    with pytest.raises(ValueError, match="only weight"):
        scale_others({"a": 1}, "a", "0.9999")


@pytest.mark.parametrize("written", ["1e400", "-1e400", "1e-400", "9.9e400"])
def test_numbers_of_400_digits_are_worked_with_and_longer_ones_are_not(written):
    assert exact(written) == Fraction(Decimal(written))
    with pytest.raises(ValueError, match="worked with"):
        exact(written.replace("400", "401"))


@pytest.mark.parametrize("written", ["NaN", "Infinity", "-Infinity"])
def test_what_is_not_finite_is_no_number_to_work_with(written):
    with pytest.raises(ValueError, match="worked with"):
        exact(written)


def test_seventeen_decimals_are_written_in_full():
    assert decimal_text(Fraction(1, 10**17)) == "0.00000000000000001"
    assert decimal_text(Fraction(1, 10**18)) == f"{1e-18:.17g}"
    assert decimal_text(Fraction(5)) == "5"


def test_equal_weights_stay_equal_as_far_as_decimals_allow_and_one_takes_the_rest():
    scaled = scale_others({"a": 0.1, "b": 0.3, "c": 0.6}, "a", 0)
    assert scaled == {"a": 0, "b": Decimal("0.333333"), "c": Decimal("0.666667")}
    sevenths = scale_others(dict.fromkeys("abcdefg", "0.142857"), "a", "0.3")
    shown = [percent_text(weight) for weight in sevenths.values()]
    assert shown == ["30", *["11.6667"] * 5, "11.6665"] and sum(sevenths.values()) == 1


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
