"""Wilson's interval on the rubric's own example, and at the ends.

The exact permutation test: arithmetic by hand, and every arrangement counted anew.

Least squares over weights against scipy's own solvers and the conditions of an optimum, on many random cases.
"""

from decimal import Decimal
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import minimize, nnls

from workspace.statistics.permutation import permutation_test
from workspace.statistics.proportions import wilson
from workspace.statistics.simplex import minimise


@pytest.mark.parametrize(
    ("numerator", "denominator", "low", "high"),
    [
        (17, 20, 64.0, 94.8),
        (34, 50, 54.2, 79.2),
        (37, 50, 60.4, 84.1),
        (38, 50, 62.6, 85.7),
        (6, 10, 31.3, 83.2),
    ],
)
def test_the_appendix_of_the_rubric(numerator: int, denominator: int, low: float, high: float) -> None:
    found = wilson(numerator, denominator)
    assert found is not None
    assert [round(end, 1) for end in found] == [low, high]


def test_the_ends_stay_in_the_scale() -> None:
    assert wilson(0, 0) is None
    none, every = wilson(0, 10), wilson(10, 10)
    assert none is not None
    assert every is not None
    assert none[0] == 0.0
    assert every[1] == pytest.approx(100)


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
    assert found.second_higher == sum(total >= observed for total in sums) / len(sums)
    assert found.second_lower == sum(total <= observed for total in sums) / len(sums)
    near = 1e-9
    assert found.either == sum(abs(total - centre) >= abs(observed - centre) - near for total in sums) / len(
        sums
    )


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
    left, other = permutation_test(first, second), permutation_test(second, first)
    assert (left.second_higher, left.either) == (other.second_lower, other.either)
    assert left.arrangements == other.arrangements


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


def problem(seed):
    """A random design and target; every third design has two equal columns, held apart by a little ridge."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 9))
    rows = rng.normal(size=(size + int(rng.integers(1, 20)), size))
    if seed % 3 == 0:
        rows[:, -1] = rows[:, 0]
    target = rng.normal(size=len(rows)) * rng.choice([0.1, 1, 10])
    ridge = float(rng.choice([1e-4, 0.01, 1]))
    return rows, target, ridge


def normal_equations(seed):
    rows, target, ridge = problem(seed)
    return rows.T @ rows + ridge * np.eye(rows.shape[1]), rows.T @ target


def test_the_conditions_of_the_optimum_hold_in_1000_cases():
    """No weight that is used could be lowered by moving it to another one (Karush, Kuhn and Tucker)."""
    for seed in range(1000):
        curvature, pull = normal_equations(seed)
        weights = minimise(curvature, pull, sums_to_one=True)
        slopes = curvature @ weights - pull
        assert weights.min() >= 0
        assert weights.sum() == pytest.approx(1, abs=1e-12)
        assert slopes @ weights - slopes.min() < 1e-9 * (1 + np.abs(pull).max())


def test_as_scipy_minimises_over_the_simplex():
    for seed in range(150):
        curvature, pull = normal_equations(seed)
        size = len(pull)
        found = minimise(curvature, pull, sums_to_one=True)
        other = minimize(
            lambda w, curvature=curvature, pull=pull: w @ curvature @ w / 2 - pull @ w,
            np.full(size, 1 / size),
            jac=lambda w, curvature=curvature, pull=pull: curvature @ w - pull,
            bounds=[(0, 1)] * size,
            constraints={"type": "eq", "fun": lambda w: w.sum() - 1, "jac": lambda w: np.ones(len(w))},
            method="SLSQP",
            options={"ftol": 1e-14, "maxiter": 500},
        )
        value = found @ curvature @ found / 2 - pull @ found
        assert value <= other.fun + 1e-7 * (1 + abs(other.fun))
        if seed % 3:
            assert found == pytest.approx(other.x, abs=1e-3)


def test_without_the_sum_as_scipy_has_it():
    for seed in range(300):
        rows, target, ridge = problem(seed)
        size = rows.shape[1]
        expected, _ = nnls(
            np.vstack([rows, np.sqrt(ridge) * np.eye(size)]), np.append(target, np.zeros(size))
        )
        found = minimise(rows.T @ rows + ridge * np.eye(size), rows.T @ target, sums_to_one=False)
        assert found == pytest.approx(expected, abs=1e-6)


def test_a_corner_and_the_middle():
    assert list(minimise(np.eye(3), np.array([5.0, 0, 0]), sums_to_one=True)) == [1, 0, 0]
    assert minimise(np.eye(4), np.zeros(4), sums_to_one=True) == pytest.approx(np.full(4, 0.25))
    assert list(minimise(np.eye(2), np.array([-1.0, -2]), sums_to_one=False)) == [0, 0]
