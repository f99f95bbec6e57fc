"""Wilson's interval on the rubric's own example, and at the ends.

Least squares over weights against scipy's own solvers and the conditions of an optimum, on many random cases.
"""

import numpy as np
import pytest
from scipy.optimize import minimize, nnls

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
