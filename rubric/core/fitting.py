"""Fits of weights that tuning compares: to holistic scores by least squares, to preferences by logistic regression.

Both keep weights at 0 or more and shrink them towards the default weights; neither sees more than the units given to
it.
"""

from typing import Protocol

import numpy as np

from rubric.core.agreement.ratings import Matrix
from rubric.core.simplex import minimise

Indexes = np.ndarray[tuple[int, ...], np.dtype[np.int64]]

_STEPS = 60
_HALVINGS = 30
_RIDGE = 1e-4
_LEAST = 1e-9


class Fit(Protocol):
    """Units (responses or pairs) in groups (comparisons), and what can be fitted to some of them.

    Parameters are weights and whatever else the fit needs; `scale` makes shrinkage independent of the spread of scores.
    """

    groups: Indexes

    def fitted(self, units: Indexes, shrinkage: float) -> Matrix:
        """Parameters fitted to these units."""

    def default(self, units: Indexes) -> Matrix:
        """Parameters with the default weights, all else fitted to these units."""

    def losses(self, parameters: Matrix, units: Indexes) -> Matrix:
        """The loss of each of these units."""

    def weights(self, parameters: Matrix) -> Matrix:
        """The weights, sum 1; NaN where the parameters imply none."""


class HolisticFit:
    """Squared error of holistic scores, an intercept free: |h - c - X w|^2 / n + shrinkage x scale x |w - w0|^2."""

    def __init__(self, scores: Matrix, targets: Matrix, default: Matrix, groups: Indexes) -> None:
        self.scores, self.targets, self.start, self.groups = scores, targets, default, groups
        self.scale = float(scores.var(axis=0).mean())

    def fitted(self, units: Indexes, shrinkage: float) -> Matrix:
        """Ridge towards the default weights on the simplex (A. E. Hoerl and R. W. Kennard, Technometrics 12, 1970)."""
        scores, targets = self.scores[units], self.targets[units]
        centred = scores - scores.mean(axis=0)
        pull = centred.T @ (targets - targets.mean()) / len(units)
        force = max(shrinkage, _LEAST) * self.scale
        curvature = centred.T @ centred / len(units) + force * np.eye(len(self.start))
        return self._with_intercept(minimise(curvature, pull + force * self.start, sums_to_one=True), units)

    def default(self, units: Indexes) -> Matrix:
        """The default weights, with the intercept that suits these units."""
        return self._with_intercept(self.start, units)

    def losses(self, parameters: Matrix, units: Indexes) -> Matrix:
        """Squared points."""
        return np.asarray(
            np.square(self.targets[units] - self.scores[units] @ parameters[:-1] - parameters[-1])
        )

    def weights(self, parameters: Matrix) -> Matrix:
        """The weights without the intercept."""
        return parameters[:-1]

    def _with_intercept(self, weights: Matrix, units: Indexes) -> Matrix:
        rest = float((self.targets[units] - self.scores[units] @ weights).mean())
        return np.append(weights, rest)


class PreferenceFit:
    """Logistic loss of preferences, P(first is preferred) = 1 / (1 + exp(-u.d)) with u = steepness x weights >= 0.

    Shrunken by shrinkage x scale x |u - (sum u) w0|^2, which is convex and leaves the steepness free. Source: R. A.
    Bradley and M. E. Terry, Biometrika 39 (1952), 324-345, with strengths that are weighted sums of scores.
    """

    def __init__(self, differences: Matrix, default: Matrix, groups: Indexes) -> None:
        self.differences, self.start, self.groups = differences, default, groups
        self.scale = float(np.square(differences).mean())

    def fitted(self, units: Indexes, shrinkage: float) -> Matrix:
        """Steepness times weights."""
        size = len(self.start)
        apart = np.eye(size) - np.outer(self.start, np.ones(size))
        penalty = self.scale * (shrinkage * apart.T @ apart + _RIDGE * np.eye(size))
        return logistic(self.differences[units], penalty)

    def default(self, units: Indexes) -> Matrix:
        """The default weights, with the steepness that suits these units."""
        along = (self.differences[units] @ self.start)[:, None]
        steepness = logistic(along, np.full((1, 1), _RIDGE * self.scale))
        return np.asarray(steepness[0] * self.start)

    def losses(self, parameters: Matrix, units: Indexes) -> Matrix:
        """Minus the logarithm of the probability given to the preference."""
        return np.asarray(np.logaddexp(0, -(self.differences[units] @ parameters)))

    def weights(self, parameters: Matrix) -> Matrix:
        """The weights without their steepness; NaN when it is 0."""
        total = parameters.sum()
        return np.asarray(parameters / total if total > 0 else np.full(len(parameters), np.nan))


def logistic(rows: Matrix, penalty: Matrix) -> Matrix:
    """The u >= 0 with the least mean log(1 + exp(-row.u)) + u' penalty u / 2, by Newton steps that keep u >= 0.

    `penalty` is positive definite. Source: D. P. Bertsekas, SIAM Journal on Control and Optimization 20 (1982),
    221-246.
    """
    chosen = np.zeros(rows.shape[1])
    value = _objective(rows, penalty, chosen)
    for _ in range(_STEPS):
        wrong = 1 / (1 + np.exp(np.clip(rows @ chosen, -500, 500)))
        slope = -(rows.T @ wrong) / len(rows) + penalty @ chosen
        curvature = (rows * (wrong * (1 - wrong))[:, None]).T @ rows / len(rows) + penalty
        step = minimise(curvature, curvature @ chosen - slope, sums_to_one=False) - chosen
        share, before = 1.0, value
        for _ in range(_HALVINGS):
            value = _objective(rows, penalty, chosen + share * step)
            if value <= before:
                break
            share /= 2
        else:
            break
        chosen = chosen + share * step
        if before - value <= 1e-12 * (1 + abs(value)):
            break
    return np.maximum(chosen, 0)


def _objective(rows: Matrix, penalty: Matrix, chosen: Matrix) -> float:
    return float(np.logaddexp(0, -(rows @ chosen)).mean() + chosen @ penalty @ chosen / 2)
