"""The exact permutation test: arithmetic by hand, and every arrangement counted anew."""

from decimal import Decimal
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rubric.core.permutation import permutation_test


@pytest.mark.parametrize(
    ("size", "one_sided", "two_sided"), [(3, 0.05, 0.10), (4, 0.0143, 0.0286), (5, 0.0040, 0.0079)]
)
def test_groups_that_do_not_overlap(size, one_sided, two_sided):
    """1 of 20, 70 and 252 arrangements, and twice that."""
    found = permutation_test(
        [60 + 2 * place for place in range(size)], [70 + 2 * place for place in range(size)]
    )
    assert (round(found.second_higher, 4), round(found.either, 4), found.second_lower) == (
        one_sided,
        two_sided,
        1.0,
    )


def test_decimals_tie_as_they_print():
    found = permutation_test([0.1, 0.2], [0.3, Decimal("0.0")])
    assert (found.second_higher, found.second_lower, found.either) == (4 / 6, 4 / 6, 1.0)


scores = st.lists(st.integers(0, 6), min_size=1, max_size=4)


@given(scores, scores)
def test_every_arrangement_counted(first, second):
    every = first + second
    observed, centre = sum(second), sum(every) * len(second) / len(every)
    sums = [sum(chosen) for chosen in combinations(every, len(second))]
    found = permutation_test(first, second)
    assert found.arrangements == len(sums)
    assert found.second_higher == sum(one >= observed for one in sums) / len(sums)
    assert found.second_lower == sum(one <= observed for one in sums) / len(sums)
    near = 1e-9
    assert found.either == sum(abs(one - centre) >= abs(observed - centre) - near for one in sums) / len(sums)


def test_as_scipy_has_it():
    first, second = [68.0, 71.5, 70.0, 66.5], [72.5, 69.0, 74.0, 75.5]
    found = permutation_test(first, second)
    expected = stats.permutation_test(
        (second, first), lambda a, b, axis: a.mean(axis) - b.mean(axis), alternative="greater"
    )
    assert found.second_higher == pytest.approx(expected.pvalue)


@given(st.integers(1, 3), st.integers(1, 60), st.randoms(use_true_random=False))
def test_few_against_many_either_way_round(few, many, random):
    first, second = ([random.randint(0, 40) for _ in range(size)] for size in (few, many))
    one, other = permutation_test(first, second), permutation_test(second, first)
    assert (one.second_higher, one.either) == (other.second_lower, other.either)
    assert one.arrangements == other.arrangements


def test_nine_against_nine_whose_sums_are_all_different():
    """Shares of messages in games of different lengths; mirrored groups lie symmetrically."""
    first = [Fraction(100 * place, 41 + 2 * place) for place in range(1, 10)]
    second = [Fraction(100) - score for score in first]
    found = permutation_test(first, second)
    assert found.arrangements == 48_620
    assert found.second_higher + found.second_lower >= 1
    assert found.either == pytest.approx(2 * min(found.second_higher, found.second_lower))


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        ([], [1.0], "no score"),
        ([1.0] * 13, [2.0] * 13, "too many"),
        ([float("nan")], [1.0], "not a finite number"),
        ([float("inf")], [1.0], "not a finite number"),
    ],
)
def test_without_a_p_there_is_a_reason(first, second, reason):
    found = permutation_test(first, second)
    assert found.either is None
    assert reason in found.reason
