"""Least squares over weights that are not negative, and sum to 1 where asked for, by the active-set method."""

import numpy as np

from workspace.statistics.ratings import Matrix

_CLOSE = 1e-11
_ROUNDS = 50
Chosen = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]


def minimise(curvature: Matrix, pull: Matrix, *, sums_to_one: bool) -> Matrix:
    """The w >= 0 (sum 1 if asked for) that minimises w' curvature w / 2 - pull' w.

    `curvature` (d x d) is symmetric and positive definite. Weights at 0 are freed one at a time, the one that lowers
    the objective most first, and fixed at 0 again when a step would take them below 0. Source: C. L. Lawson and R. J.
    Hanson, Solving Least Squares Problems (1974), chapter 23; with the sum, J. Nocedal and S. J. Wright, Numerical
    Optimization, 2nd edition (2006), section 16.5.
    """
    size = len(pull)
    scale = max(float(np.abs(np.diag(curvature)).max()), 1e-300)
    curvature, pull = curvature / scale, pull / scale
    # Start at the corner of the simplex where the objective is lowest.
    weights = np.zeros(size)
    if sums_to_one:
        weights[int(np.argmin(np.diag(curvature) / 2 - pull))] = 1.0
    free = weights > 0
    tolerance = _CLOSE * (1 + float(np.abs(pull).max()))
    for _ in range(_ROUNDS * size):
        weights, free, price = _bounded_optimum(curvature, pull, weights, free, sums_to_one=sums_to_one)
        slopes = np.where(free, np.inf, curvature @ weights - pull + price)
        if free.all() or slopes.min() >= -tolerance:
            break
        free = free.copy()
        free[int(slopes.argmin())] = True
    return weights / weights.sum() if sums_to_one else weights


def _bounded_optimum(
    curvature: Matrix, pull: Matrix, weights: Matrix, free: Chosen, *, sums_to_one: bool
) -> tuple[Matrix, Chosen, float]:
    """The optimum over the free weights that do not hit 0, which weights stay free, and the multiplier of the sum."""
    price = 0.0
    while free.any():
        wanted, price = _optimum(curvature, pull, free, sums_to_one=sums_to_one)
        below = free & (wanted <= 0)
        if not below.any():
            return wanted, free, price
        apart = np.where(below, weights - wanted, 1.0)
        shares = np.where(below, weights / np.where(apart > 0, apart, 1.0), np.inf)
        step = float(min(1.0, shares.min()))
        weights = weights + step * (wanted - weights)
        free = free & ~(below & (shares <= step))
        weights = np.where(free, np.maximum(weights, 0.0), 0.0)
    return weights, free, price


def _optimum(curvature: Matrix, pull: Matrix, free: Chosen, *, sums_to_one: bool) -> tuple[Matrix, float]:
    """The optimum over the free weights, whatever their sign, with the others at 0; and the multiplier of the sum."""
    wanted = np.zeros(len(pull))
    block = curvature[np.ix_(free, free)]
    if not sums_to_one:
        wanted[free] = np.linalg.solve(block, pull[free])
        return wanted, 0.0
    solved = np.linalg.solve(block, np.stack([pull[free], np.ones(len(block))], axis=1))
    price = float((solved[:, 0].sum() - 1) / solved[:, 1].sum())
    wanted[free] = solved[:, 0] - price * solved[:, 1]
    return wanted, price
