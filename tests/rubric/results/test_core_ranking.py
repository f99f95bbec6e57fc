"""One comparison: intervals of means, what a lead is worth, what moves of weight change, weights tried out.

Where all responses are equal, hardly ever is one called ahead; the full sizes are in benchmarks.statistics.
"""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from benchmarks.statistics.responses import set_leads, single_leads
from rubric.core.scales import COMMON, Scale
from rubric.results.core.ranking_uncertainty import (
    MARGIN,
    compute_rounding,
    compute_unanimity,
    count_unanimous,
    criterion_means,
    find_open,
    find_step,
    leads,
    mean_interval,
    moves,
    tell_apart,
    weight_ranges,
)
from rubric.results.core.what_if import tried_weights
from rubric.reviews.core.score_rows import ReviewRow

SHARES = {
    "accuracy": Fraction(35, 100),
    "completeness": Fraction(25, 100),
    "conciseness": Fraction(20, 100),
    "clarity": Fraction(20, 100),
}

RECORD = {"A": (9, 8, 7, 8), "B": (7, 9, 9, 8), "C": (6, 6, 6, 6)}
MEANS = {label: dict(zip(SHARES, map(Fraction, scores), strict=True)) for label, scores in RECORD.items()}


def make_rows(table, reviewer="r1"):
    return [
        ReviewRow("1", label, reviewer, dict(zip(SHARES, map(float, scores), strict=True)))
        for label, scores in table.items()
    ]


def make_values(**lists):
    return {
        name: {key: Fraction(str(value)) for key, value in given.items()} for name, given in lists.items()
    }


def test_the_example_of_the_record_flips_after_a_hundred_and_twenty_fifth_of_ten_thousand():
    near, never = moves(MEANS, SHARES, "A")
    assert (near.rival, near.move, near.is_fragile) == ("B", Fraction(125, 10_000), True)
    assert (near.takes, near.gives) == ({"accuracy": Fraction(125, 10_000)}, "conciseness")
    assert (never.rival, never.move, never.takes, never.gives) == ("C", None, {}, "")


def test_each_weight_has_its_range_in_which_the_first_stays_first():
    found = {weight_range.criterion: weight_range for weight_range in weight_ranges(MEANS, SHARES, "A")}
    accuracy, clarity = found["accuracy"], found["clarity"]
    assert (round(float(accuracy.low), 4), accuracy.low_rival, accuracy.high) == (0.3333, "B", None)
    assert round(float(found["completeness"].high), 4) == 0.2857
    assert round(float(found["conciseness"].high), 4) == 0.2195
    assert (clarity.low, clarity.high) == (None, None)


def test_the_interval_of_a_mean_is_that_of_student():
    values = [Fraction(7), Fraction(8), Fraction(6), Fraction(8)]
    numbers = [float(value) for value in values]
    low, high = stats.t.interval(0.95, 3, loc=np.mean(numbers), scale=stats.sem(numbers))
    assert mean_interval(values) == pytest.approx((low, high))
    assert mean_interval(values[:1]) is None
    assert mean_interval([Fraction(1), Fraction(10)]) == (1.0, 10.0)


def test_a_gap_that_reviewers_cannot_tell_from_none_is_no_tie():
    values = make_values(
        x={"A": 8, "B": 7.5, "C": 4}, y={"A": 7, "B": 7.5, "C": 3.5}, z={"A": 9, "B": 8.5, "C": 5}
    )
    close, far = leads(values, "A", ["B", "C"])
    assert (close.gap, close.reviewers, close.word) == (Fraction(1, 6), 3, "cannot_tell")
    assert close.interval[0] < 0 < close.interval[1]
    assert (far.gap, far.word, far.chance) == (Fraction(23, 6), "ahead", 1.0)
    # Of the 27 ways to draw three reviewers, 7 have y twice or more (behind), none leaves both level.
    assert close.chance == pytest.approx(20 / 27)


def test_level_needs_the_whole_interval_inside_the_margin():
    near = {"x": {"A": 7.05, "B": 7}, "y": {"A": 6.95, "B": 7}, "z": {"A": 7.03, "B": 7}}
    [level] = leads(make_values(**near), "A", ["B"])
    assert (level.word, level.gap) == ("level", Fraction(1, 100))
    assert max(map(abs, level.interval)) < MARGIN
    same = {"A": 7.1, "B": 7}
    [certain] = leads(make_values(x=same, y=same, z=same), "A", ["B"])
    assert (certain.word, certain.interval) == ("level", (0.1, 0.1))
    [two] = leads(make_values(x=same, y=same), "A", ["B"])
    assert two.word == "cannot_tell", "two reviewers can be alike by chance"
    [wide] = leads(make_values(**near | {"z": {"A": 7.2, "B": 7}}), "A", ["B"])
    assert wide.word == "cannot_tell" and wide.interval[1] > MARGIN


def test_scores_that_were_rounded_are_no_surer_than_rounding_leaves_them():
    """Three whole holistic scores apart by 2: a variance of 1/12 each, of the gap 2/12/3, t(.975, 2) = 4.303."""
    rows = [ReviewRow("1", label, "x", {}, holistic=score) for label, score in (("A", 9.0), ("B", 7.0))]
    rounding = compute_rounding(rows, {}, {}, kind="holistic")
    assert rounding == pytest.approx(1 / 12)
    values = make_values(x={"A": 9, "B": 7}, y={"A": 9, "B": 7}, z={"A": 8, "B": 6})
    [found] = leads(values, "A", ["B"], rounding)
    assert found.noise == pytest.approx(4.30265 * (2 / 36) ** 0.5, abs=1e-4)
    assert found.word == "ahead"
    [two] = leads({key: values[key] for key in "xy"}, "A", ["B"], rounding)
    assert two.word == "cannot_tell" and two.interval[0] < 0 < two.interval[1]
    low, high = mean_interval([Fraction(9), Fraction(9)], rounding)
    assert (round(low, 3), high) == (round(9 - 12.7062 * (1 / 24) ** 0.5, 3), 10.0)


def test_rounding_is_that_of_the_scale_or_of_the_steps_that_occur():
    shares = {"fine": Fraction(1, 4), "yes": Fraction(3, 4)}
    rows = [ReviewRow("1", "A", "x", {"fine": 1 + Fraction(9, 10) * at, "yes": 10}) for at in range(3)]
    scales = {"yes": Scale(0, 1)}
    found = compute_rounding(rows, shares, scales, kind="rubric")
    assert found == pytest.approx(((0.9 / 4) ** 2 + (9 * 0.75) ** 2) / 12)
    assert find_step([1, 7, 10], COMMON) == 1
    assert find_step([1, 7.5, 8], COMMON) == Fraction(1, 2)
    assert find_step([1, 7.5], COMMON) == 1
    assert find_step([], COMMON) == 1


def test_of_several_rivals_the_first_is_ahead_of_those_that_hold_together():
    """All: .05/3, .05/2, .05. Some: three left are six pairs, then two are three, then one: .05/6, .05/3, .05."""
    assert tell_apart([0.04, 0.016, 0.024]) == [True, True, True]
    assert tell_apart([0.06, 0.008, 0.016]) == [False, True, True]
    assert tell_apart([0.06, 0.009, 0.01]) == [False, False, False]
    assert tell_apart([0.001, 0.02, 1.0]) == [True, False, False]
    assert tell_apart([]) == []


def test_ahead_is_said_of_all_rivals_or_of_none():
    values = make_values(
        x={"A": 9, "B": 5, "C": 9, "D": 2},
        y={"A": 8, "B": 4, "C": 5, "D": 1},
        z={"A": 9, "B": 5, "C": 8, "D": 2},
    )
    near, clear, far = leads(values, "A", ["C", "B", "D"], 0.01)
    assert (near.word, clear.word, far.word) == ("cannot_tell", "ahead", "ahead")
    assert find_open([near, clear, far]) is near and find_open([clear, near]) is near
    assert find_open([clear, far]) is clear


def test_no_interval_says_more_than_the_scale_allows():
    [found] = leads(make_values(x={"A": 10, "B": 1}, y={"A": 9, "B": 5}), "A", ["B"])
    assert found.noise > 9 and found.interval == (-9.0, 9.0)


def test_only_equal_means_are_a_tie():
    [tie] = leads(make_values(x={"A": 8, "B": 2}, y={"A": 2, "B": 8}), "A", ["B"])
    assert (tie.word, tie.gap) == ("tie", 0)


def test_everybody_puts_the_same_response_first_or_not():
    values = make_values(x={"A": 8, "B": 7.9}, y={"A": 9, "B": 1}, z={"B": 4})
    assert count_unanimous(values, "A") == 2
    assert count_unanimous(values, "B") == 0
    # Who ties it with another does not put it first; one reviewer is not everybody.
    assert count_unanimous({**values, "w": {"A": Fraction(5), "B": Fraction(5)}}, "A") == 0
    assert count_unanimous(make_values(x={"A": 8, "B": 7}), "A") == 0
    # Who did not judge it ranks another first.
    assert count_unanimous({**values, "w": {"B": Fraction(5), "C": Fraction(4)}}, "A") == 0


def test_unanimity_has_its_exact_chance():
    everybody = {name: {"A": 9, "B": 7, "C": 5} for name in "xyz"}
    assert compute_unanimity(make_values(**everybody)) == pytest.approx(1 / 9)
    # One of them wrote C and did not judge it: A or B, each 1/3 x 1/3 x 1/2.
    assert compute_unanimity(make_values(**everybody | {"z": {"A": 9, "B": 7}})) == pytest.approx(1 / 9)
    assert compute_unanimity(make_values(**everybody), {"w": {"A": Fraction(-1), "B": Fraction(-2)}}) == (
        pytest.approx(2 / 54)
    )


def test_whoever_gave_a_ranking_alone_is_one_of_all_reviewers():
    values = make_values(x={"A": 8, "B": 7}, y={"A": 6, "B": 5})
    against, same = {"A": Fraction(-2), "B": Fraction(-1)}, {"A": Fraction(-1), "B": Fraction(-2)}
    assert count_unanimous(values, "A", {"w": against}) == 0
    assert count_unanimous(values, "A", {"w": same}) == 3
    assert count_unanimous(values, "A", {"x": against}) == 2, "whose scores count, ranks by them"


def test_the_uncertainty_of_a_gap_is_that_of_paired_differences_where_all_judged_both():
    values = make_values(x={"A": 8, "B": 7}, y={"A": 7, "B": 7.5}, z={"A": 9, "B": 6})
    [found] = leads(values, "A", ["B"])
    half = stats.t.ppf(0.975, 2) * stats.sem([1, -0.5, 3])
    assert found.noise == pytest.approx(half, abs=1e-5)


def test_a_gap_between_other_reviewers_is_no_surer_than_they_are():
    # Both of the reviewers of both differ by the same 2, but who judged B alone was harsh.
    values = make_values(x={"A": 9, "B": 7}, y={"A": 6, "B": 4}, z={"B": 8}, w={"B": 2})
    [found] = leads(values, "A", ["B"])
    assert (found.gap, found.reviewers, found.word) == (Fraction(9, 4), 4, "cannot_tell")
    [alone] = leads(make_values(x={"A": 9, "B": 7}, y={"B": 4}), "A", ["B"])
    assert (alone.word, alone.noise, alone.panel_size) == ("cannot_tell", None, 1)


def test_one_reviewer_says_nothing_about_how_reviewers_differ():
    [found] = leads(make_values(x={"A": 8, "B": 7}), "A", ["B"])
    assert (found.word, found.chance, found.noise) == ("cannot_tell", None, None)
    [tie] = leads(make_values(x={"A": 8, "B": 8}, y={"A": 7, "B": 7}), "A", ["B"])
    assert (tie.word, tie.chance) == ("tie", 0.5)


def test_only_complete_rows_that_are_not_the_reviewers_own_make_means_by_criterion():
    own = ReviewRow("1", "A", "r2", dict.fromkeys(SHARES, 1.0), is_own=True)
    part = ReviewRow("1", "A", "r3", {"accuracy": 1.0})
    assert criterion_means([*make_rows(RECORD), own, part], SHARES) == MEANS


@given(st.permutations(list(SHARES)), st.permutations(list(RECORD)), st.permutations(["r1", "r2", "r3"]))
def test_orders_of_criteria_responses_and_reviewers_change_nothing(keys, labels, reviewers):
    other = {"A": (6, 8, 9, 7), "B": (9, 9, 6, 8), "C": (8, 8, 8, 5)}
    tables = {"r1": RECORD, "r2": other, "r3": {"A": (5, 5, 5, 5), "B": (5, 4, 5, 6), "C": (4, 4, 4, 4)}}
    rows = [row for name in reviewers for row in make_rows({key: tables[name][key] for key in labels}, name)]
    shares = {key: SHARES[key] for key in keys}
    found = criterion_means(rows, shares)
    plain = criterion_means([row for name, table in tables.items() for row in make_rows(table, name)], SHARES)
    assert found == plain
    assert {move.rival: move for move in moves(found, shares, "B")} == {
        move.rival: move for move in moves(plain, SHARES, "B")
    }
    values = {
        name: {key: sum(SHARES[share] * Fraction(score) for share, score in zip(SHARES, tables[name][key], strict=True))
               for key in labels}
        for name in reviewers
    }  # fmt: skip
    ordered = {name: dict(sorted(values[name].items())) for name in sorted(values)}
    assert leads(values, "A", ["B", "C"]) == leads(ordered, "A", ["B", "C"])


def control(number="35", slider="35", was="35"):
    return number, slider, was


def test_of_number_and_slider_the_one_that_moved_counts():
    weights = {"accuracy": Fraction(35, 100), "clarity": Fraction(65, 100)}
    slid = tried_weights({"accuracy": control(slider="70")}, weights)
    assert (slid.texts["accuracy"], slid.moved) == ("70", {"accuracy": "slider"})
    assert slid.shares == {"accuracy": Fraction(70, 135), "clarity": Fraction(65, 135)}
    typed = tried_weights({"accuracy": control(number="10", slider="70")}, weights)
    assert (typed.texts["accuracy"], typed.moved) == ("10", {"accuracy": "number"})
    assert tried_weights({}, weights).shares == weights


def test_a_slider_that_only_shows_the_nearest_step_was_not_moved():
    weights = {"accuracy": Fraction(1, 3), "clarity": Fraction(2, 3)}
    found = tried_weights({"accuracy": control("33.3333", "33.5", "33.3333")}, weights)
    assert (found.moved, found.texts["accuracy"]) == ({}, "33.3333")
    assert found.shares == weights


@pytest.mark.parametrize("text", ["", "x", "-0.1", "100.1", "NaN", "1e999999999", "9" * 50])
def test_what_is_no_weight_is_named_and_nothing_is_computed(text):
    found = tried_weights(
        {"accuracy": control(number=text)}, {"accuracy": Fraction(1, 2), "clarity": Fraction(1, 2)}
    )
    assert "is no weight" in found.faults["accuracy"] and found.shares == {}


def test_weights_that_are_all_zero_are_refused():
    found = tried_weights({"accuracy": control(number="0")}, {"accuracy": Fraction(1)})
    assert found.faults == {"": "All weights are 0. Give at least one criterion a weight."}


@given(st.lists(st.decimals(0, 1, places=4), min_size=2, max_size=6))
def test_tried_weights_sum_to_one_and_keep_their_proportions(given_texts):
    keys = [f"k{at}" for at in range(len(given_texts))]
    controls = {key: (str(text), "0", "-") for key, text in zip(keys, given_texts, strict=True)}
    found = tried_weights(controls, dict.fromkeys(keys, Fraction(1, len(keys))))
    if not any(given_texts):
        assert found.faults
        return
    total = sum(map(Fraction, given_texts))
    assert sum(found.shares.values()) == 1
    assert found.shares == {key: Fraction(text) / total for key, text in zip(keys, given_texts, strict=True)}


RUNS = 100


@pytest.fixture(scope="module")
def single():
    return {(row[0], row[1]): [float(cell) for cell in row[2:]] for row in single_leads(RUNS)[2]}


def test_in_one_comparison_of_equal_responses_none_is_ahead(single):
    some, every, level, _unanimous, _better = zip(*single.values(), strict=True)
    assert len(single) == 8 and max(some) <= 8 and max(every) <= 8 and max(level) == 0


def test_two_reviewers_never_make_a_response_ahead_and_five_see_two_points(single):
    assert single["2", "2"][0] == single["2", "2"][4] == 0
    assert single["2", "2"][3] > 30, "they agree half of the time by chance"
    assert single["3", "5"][4] > 75


def test_in_a_set_of_equal_authors_none_is_ahead_of_some():
    _title, _header, rows = set_leads(RUNS)
    assert len(rows) == 6
    assert all(float(some) <= 10 and float(every) <= 9 for *_design, some, every in rows)
