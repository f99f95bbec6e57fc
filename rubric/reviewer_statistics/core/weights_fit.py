"""Weights fitted to scores of whole responses (least squares) or to preferences (logistic regression).

Weights stay at 0 or more. With few responses fitted weights are further from the truth than the default ones. So they
are shrunk towards the defaults, tested on comparisons that they were not fitted to, and refused if there is too little
data.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import Literal, Protocol

import numpy as np
from msgspec import Struct

from rubric.core.weights import exact
from rubric.reviews.core.score_rows import Item, Row, Weights, complete, sort_rows
from workspace.core.words import say
from workspace.statistics.conclusions import SEED, percentile_interval, too_few
from workspace.statistics.estimates import Interval
from workspace.statistics.ratings import Matrix
from workspace.statistics.simplex import minimise

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
        """Parameters with the default weights, everything else fitted to these units."""

    def losses(self, parameters: Matrix, units: Indexes) -> Matrix:
        """The loss of each of these units."""

    def weights(self, parameters: Matrix) -> Matrix:
        """The weights, sum 1; NaN where the parameters imply none."""


class HolisticFit:
    """Squared error of holistic scores, with a free intercept: |h - c - X w|^2 / n + shrinkage x scale x |w - w0|^2."""

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

    Shrunk by shrinkage x scale x |u - (sum u) w0|^2, which is convex and leaves the steepness free. Source: R. A.
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


LEAST_RESPONSES = 50
FOLDS = 5
SHRINKAGES = (0.0, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 100.0)
PLACES = 4
_SURE = {"holistic": 100, "preferences": 200}
Target = Literal["holistic", "preferences"]


class Preference(Struct, frozen=True):
    """One person's preference between two responses of one comparison."""

    comparison: str
    preferred: str
    other: str
    person: str = ""


class Tuning(Struct, frozen=True):
    """Fitted weights with the evidence for them; `reason` says why there are none, or why not to adopt them.

    `weights` sum to exactly 1, with 4 decimals. Errors are those on comparisons left out of the fit: mean squared
    points for holistic scores, mean negative log probability for preferences; `gain` is by how much fitting reduces the
    error, with its standard error over comparisons. `shrinkage` is in units of the spread of the scores: 0 none, 100
    nearly the default. `units` counts the responses or the pairs fitted to.
    """

    target: Target
    default: dict[str, float]
    weights: dict[str, Decimal] | None = None
    intervals: dict[str, Interval] = {}
    shrinkage: float | None = None
    default_error: float | None = None
    fitted_error: float | None = None
    gain: float | None = None
    gain_error: float | None = None
    units: int = 0
    responses: int = 0
    comparisons: int = 0
    is_worth_adopting: bool = False
    reason: str = ""
    interval_reason: str = ""
    caution: str = ""


class _Task(Struct, frozen=True, eq=False):
    target: Target
    keys: list[str]
    default: dict[str, float]
    fit: Fit
    responses: int
    draws: int


def tuned_to_holistic(rows: Sequence[Row], weights: Weights, *, draws: int = 500) -> Tuning:
    """Weights under which the overall comes nearest to the holistic score, over the responses with both.

    Scores and holistic score of a response are means over the same reviewers. Shrinkage by cross-validation grouped by
    comparison (M. Stone, JRSS B 36 (1974), 111-147), nested for the errors (S. Varma and R. Simon, BMC Bioinformatics 7
    (2006), 91); intervals by percentile bootstrap over comparisons (Efron 1979).
    """
    keys, default = sorted(weights), _default(weights)
    both = [row for row in complete(sort_rows(rows), weights) if row.holistic is not None]
    items = _by_item(both)
    sums = [
        (item, group, sum(row.holistic or 0 for row in group) / len(group)) for item, group in items.items()
    ]
    if not _is_enough(len(sums)):
        return _refused("holistic", default, len(sums), say("with all scores and a holistic score"))
    scores = np.array([_means(group, keys) for _, group, _ in sums])
    groups = _numbered([item[0] for item, _, _ in sums])
    start = np.array([default[key] for key in keys])
    fit = HolisticFit(scores, np.array([value for *_, value in sums]), start, groups)
    return _tuned(_Task("holistic", keys, default, fit, len(sums), draws), fit.scale)


def tuned_to_preferences(
    rows: Sequence[Row],
    preferences: Sequence[Preference],
    weights: Weights,
    *,
    draws: int = 500,
) -> Tuning:
    """Weights under which the overall best predicts which of two responses people prefer; otherwise as for holistic."""
    keys, default = sorted(weights), _default(weights)
    means = {
        item: _means(group, keys) for item, group in _by_item(complete(sort_rows(rows), weights)).items()
    }
    pairs = sorted(
        (preference for preference in preferences
         if {(preference.comparison, preference.preferred), (preference.comparison, preference.other)} <= means.keys()
         and preference.preferred != preference.other),
        key=lambda preference: (preference.comparison, preference.preferred, preference.other, preference.person),
    )  # fmt: skip
    responses = len(
        {
            (preference.comparison, name)
            for preference in pairs
            for name in (preference.preferred, preference.other)
        }
    )
    if not _is_enough(responses):
        return _refused("preferences", default, responses, say("with all scores and a preference"))
    apart = [
        np.subtract(
            means[preference.comparison, preference.preferred], means[preference.comparison, preference.other]
        )
        for preference in pairs
    ]
    groups = _numbered([preference.comparison for preference in pairs])
    fit = PreferenceFit(np.array(apart), np.array([default[key] for key in keys]), groups)
    return _tuned(_Task("preferences", keys, default, fit, responses, draws), fit.scale)


def in_decimals(weights: Matrix) -> list[Decimal]:
    """The weights, rounded to sum to exactly 1: the remainder goes to those that rounding down reduced most."""
    units = weights / weights.sum() * 10**PLACES
    whole = np.floor(units + 1e-9).astype(int)
    short = 10**PLACES - int(whole.sum())
    for at in sorted(range(len(units)), key=lambda number: (float(whole[number] - units[number]), number))[
        :short
    ]:
        whole[at] += 1
    return [Decimal(int(value)).scaleb(-PLACES) for value in whole]


def _tuned(task: _Task, spread: float) -> Tuning:
    fit, everything = task.fit, np.arange(len(task.fit.groups))
    comparisons = len(np.unique(fit.groups))
    bare = Tuning(
        task.target, task.default, units=len(everything), responses=task.responses, comparisons=comparisons
    )
    if comparisons < FOLDS:
        return _without(bare, _too_few_comparisons(comparisons))
    if len(task.keys) < 2 or spread < 1e-12:
        return _without(
            bare, say("Responses do not differ in two criteria or more, so no weights can be fitted.")
        )
    shrinkage = _shrinkage(fit, everything, SEED)
    found = fit.weights(fit.fitted(everything, shrinkage))
    if np.isnan(found).any():
        return _without(bare, say("The preferences do not follow the scores on any criterion."))
    errors, defaults = _held_out(fit, everything)
    gain, gain_error = _gain(defaults - errors, fit.groups)
    intervals, lacking = _intervals(task, shrinkage, comparisons)
    by_key = dict(zip(task.keys, in_decimals(found), strict=True))
    why_not = _why_not(gain, gain_error, intervals, task.default, lacking)
    return Tuning(
        target=task.target,
        default=task.default,
        weights={key: by_key[key] for key in task.default},
        intervals=intervals,
        shrinkage=shrinkage,
        default_error=float(defaults.mean()),
        fitted_error=float(errors.mean()),
        gain=gain,
        gain_error=gain_error,
        units=len(everything),
        responses=task.responses,
        comparisons=comparisons,
        is_worth_adopting=not why_not,
        reason=why_not,
        interval_reason=lacking,
        caution=_caution(task) if len(everything) < _SURE[task.target] else "",
    )


def _too_few_comparisons(count: int) -> str:
    return say("Tuning needs at least {folds} comparisons; there are {count}.", folds=FOLDS, count=count)


def _caution(task: _Task) -> str:
    sure = _SURE[task.target]
    if task.target == "preferences":
        return say("Below {sure} pairs the default is usually better.", sure=sure)
    return say("Below {sure} responses the default is usually better.", sure=sure)


def _folds(fit: Fit, units: Indexes, seed: int) -> list[tuple[Indexes, Indexes]]:
    """Pairs of units to fit to and units left out; each comparison is wholly in one of them."""
    groups = np.unique(fit.groups[units])
    shuffled = np.random.default_rng(seed).permutation(groups)
    parts = [shuffled[at::FOLDS] for at in range(min(FOLDS, len(groups)))]
    masks = [np.isin(fit.groups[units], part) for part in parts]
    return [(units[~mask], units[mask]) for mask in masks if not mask.all()]


def _shrinkage(fit: Fit, units: Indexes, seed: int) -> float:
    """The shrinkage with the least error on comparisons left out; the largest where several are level."""
    folds = _folds(fit, units, seed)
    errors = [
        sum(float(fit.losses(fit.fitted(train, shrinkage), test).sum()) for train, test in folds)
        for shrinkage in SHRINKAGES
    ]
    least = min(errors)
    return max(
        shrinkage for shrinkage, error in zip(SHRINKAGES, errors, strict=True) if error <= least * (1 + 1e-9)
    )


def _held_out(fit: Fit, units: Indexes) -> tuple[Matrix, Matrix]:
    """The loss of every unit when its comparison is left out of the fit, with fitted weights and with default ones."""
    fitted, default = np.zeros(len(units)), np.zeros(len(units))
    for train, test in _folds(fit, units, SEED):
        shrinkage = _shrinkage(fit, train, SEED + 1)
        fitted[test] = fit.losses(fit.fitted(train, shrinkage), test)
        default[test] = fit.losses(fit.default(train), test)
    return fitted, default


def _gain(gains: Matrix, groups: Indexes) -> tuple[float, float]:
    """The mean gain, and its standard error with comparisons as clusters (K.-Y. Liang and S. L. Zeger 1986)."""
    mean = float(gains.mean())
    sums = np.bincount(groups, gains - mean)
    size = len(sums)
    return mean, float(np.sqrt(size / (size - 1) * np.square(sums).sum()) / len(gains))


def _intervals(task: _Task, shrinkage: float, comparisons: int) -> tuple[dict[str, Interval], str]:
    few = too_few(comparisons)
    if few:
        return {}, few
    members = [np.flatnonzero(task.fit.groups == at) for at in range(comparisons)]
    rng = np.random.default_rng(SEED)
    drawn = []
    for _ in range(task.draws):
        units = np.concatenate([members[at] for at in rng.integers(0, comparisons, comparisons)])
        drawn.append(task.fit.weights(task.fit.fitted(units, shrinkage)))
    ends = {
        key: percentile_interval(column, comparisons)
        for key, column in zip(task.keys, np.array(drawn).T, strict=True)
    }
    found = {key: interval for key in task.default if (interval := ends[key]) is not None}
    return found, "" if found else say("Too many resamples gave no weights.")


def _why_not(
    gain: float, error: float, intervals: dict[str, Interval], default: dict[str, float], lacking: str
) -> str:
    """Why the fitted weights should not be adopted; "" when they may be."""
    if gain <= error:
        return say(
            "On comparisons left out the fitted weights are not better than the default by a standard error."
        )
    if lacking:
        return lacking
    if all(low <= default[key] <= high for key, (low, high) in intervals.items()):
        return say("The interval of every weight holds its default.")
    return ""


def _without(bare: Tuning, reason: str) -> Tuning:
    return Tuning(
        bare.target, bare.default, units=bare.units, responses=bare.responses, comparisons=bare.comparisons,
        reason=reason, interval_reason=reason,
    )  # fmt: skip


def _refused(target: Target, default: dict[str, float], responses: int, which: str) -> Tuning:
    reason = say(
        "Tuning needs at least {least_responses} responses {which}; there are {responses}.",
        least_responses=LEAST_RESPONSES,
        which=which,
        responses=responses,
    )
    return _without(Tuning(target, default, responses=responses), reason)


def _is_enough(responses: int) -> bool:
    return responses >= LEAST_RESPONSES


def _default(weights: Weights) -> dict[str, float]:
    """The default weights with a sum of exactly 1; equal weights if all are 0."""
    shares = {key: exact(weight) for key, weight in weights.items()}
    total = sum(shares.values())
    return {key: float(share / total) if total else 1 / len(shares) for key, share in shares.items()}


def _by_item(rows: Sequence[Row]) -> dict[Item, list[Row]]:
    items: dict[Item, list[Row]] = {}
    for row in rows:
        items.setdefault(row.item, []).append(row)
    return items


def _means(rows: Sequence[Row], keys: Sequence[str]) -> list[float]:
    return [sum(float(row.scores[key]) for row in rows) / len(rows) for key in keys]


def _numbered(comparisons: Sequence[str]) -> Indexes:
    number = {name: at for at, name in enumerate(sorted(set(comparisons)))}
    return np.array([number[name] for name in comparisons], dtype=np.int64)
