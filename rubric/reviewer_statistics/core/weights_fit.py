"""Weights fitted to scores of whole responses (least squares) or to preferences (logistic regression).

Weights stay at 0 or more. With few responses fitted weights are further from the truth than the default ones. So they
are shrunk towards the defaults, tested on comparisons that they were not fitted to, and refused if there is too little
data.
"""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from itertools import groupby
from typing import Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from rubric.core.weights import exact
from rubric.reviews.core.score_rows import Item, ReviewRow, Weights, complete, sort_rows
from workspace.core.words import mark, say
from workspace.statistics.conclusions import SEED, percentile_interval, too_few
from workspace.statistics.estimates import Interval
from workspace.statistics.ratings import Matrix
from workspace.statistics.simplex import minimise

Indexes = np.ndarray[tuple[int, ...], np.dtype[np.int64]]
_STEPS = 60
_HALVINGS = 30
_RIDGE = 1e-4
_LEAST = 1e-9


class HolisticFit:
    """Squared error of holistic scores, with a free intercept: |h - c - X w|^2 / n + shrinkage x scale x |w - w0|^2.

    Units (responses, or pairs of them) are in `groups` (comparisons). `fitted` and `default` give the parameters, which
    are weights and what else the fit needs; `scale` makes shrinkage independent of the spread of scores.
    """

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
        return self._with_intercept(self.start, units)

    def losses(self, parameters: Matrix, units: Indexes) -> Matrix:
        """Squared points."""
        return np.asarray(
            np.square(self.targets[units] - self.scores[units] @ parameters[:-1] - parameters[-1])
        )

    def weights(self, parameters: Matrix) -> Matrix:
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


Fit = HolisticFit | PreferenceFit


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
_CAUTION = {
    "holistic": mark("Below {sure} responses the default is usually better."),
    "preferences": mark("Below {sure} pairs the default is usually better."),
}
Target = Literal["holistic", "preferences"]


class Preference(Struct, frozen=True):
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


def tuned_to_holistic(rows: Sequence[ReviewRow], weights: Weights, *, draws: int = 500) -> Tuning:
    """Weights under which the overall comes nearest to the holistic score, over the responses with both.

    Scores and holistic score of a response are means over the same reviewers. Shrinkage by cross-validation grouped by
    comparison (M. Stone, JRSS B 36 (1974), 111-147), nested for the errors (S. Varma and R. Simon, BMC Bioinformatics 7
    (2006), 91); intervals by percentile bootstrap over comparisons (Efron 1979).
    """
    both = [row for row in complete(sort_rows(rows), weights) if row.holistic is not None]
    items = _by_item(both)
    bare = Tuning("holistic", _default(weights), responses=len(items))
    if len(items) < LEAST_RESPONSES:
        return _refused(bare, say("with all scores and a holistic score"))
    scores = np.array([_means(group, weights) for group in items.values()])
    targets = np.array([sum(row.holistic or 0 for row in group) / len(group) for group in items.values()])
    fit = HolisticFit(scores, targets, _start(bare), _numbered([comparison for comparison, _ in items]))
    return _tuned(bare, fit, draws)


def tuned_to_preferences(
    rows: Sequence[ReviewRow], preferences: Sequence[Preference], weights: Weights, *, draws: int = 500
) -> Tuning:
    """Weights under which the overall best predicts which of two responses people prefer; otherwise as for holistic."""
    items = _by_item(complete(sort_rows(rows), weights))
    means = {item: _means(group, weights) for item, group in items.items()}
    pairs = sorted(
        (told.comparison, told.preferred, told.other, told.person)
        for told in preferences
        if told.preferred != told.other
        and {(told.comparison, told.preferred), (told.comparison, told.other)} <= means.keys()
    )
    responses = {(comparison, name) for comparison, *names, _ in pairs for name in names}
    bare = Tuning("preferences", _default(weights), responses=len(responses))
    if len(responses) < LEAST_RESPONSES:
        return _refused(bare, say("with all scores and a preference"))
    apart = [
        np.subtract(means[comparison, first], means[comparison, other])
        for comparison, first, other, _ in pairs
    ]
    fit = PreferenceFit(np.array(apart), _start(bare), _numbered([comparison for comparison, *_ in pairs]))
    return _tuned(bare, fit, draws)


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


def _tuned(bare: Tuning, fit: Fit, draws: int) -> Tuning:
    everything, comparisons = np.arange(len(fit.groups)), len(np.unique(fit.groups))
    bare = replace(bare, units=len(everything), comparisons=comparisons)
    if comparisons < FOLDS:
        few = say(
            "Tuning needs at least {folds} comparisons; there are {count}.", folds=FOLDS, count=comparisons
        )
        return _without(bare, few)
    if len(bare.default) < 2 or fit.scale < 1e-12:
        return _without(
            bare, say("Responses do not differ in two criteria or more, so no weights can be fitted.")
        )
    shrinkage = _shrinkage(fit, everything, SEED)
    found = fit.weights(fit.fitted(everything, shrinkage))
    if np.isnan(found).any():
        return _without(bare, say("The preferences do not follow the scores on any criterion."))
    errors, defaults = _held_out(fit, everything)
    gain, gain_error = _gain(defaults - errors, fit.groups)
    intervals, lacking = _intervals(bare.default, fit, shrinkage, draws)
    by_key = dict(zip(sorted(bare.default), in_decimals(found), strict=True))
    why_not = _why_not(gain, gain_error, intervals, bare.default, lacking)
    sure = _SURE[bare.target]
    return replace(
        bare,
        weights={key: by_key[key] for key in bare.default},
        intervals=intervals,
        shrinkage=shrinkage,
        default_error=float(defaults.mean()),
        fitted_error=float(errors.mean()),
        gain=gain,
        gain_error=gain_error,
        is_worth_adopting=not why_not,
        reason=why_not,
        interval_reason=lacking,
        caution=say(_CAUTION[bare.target], sure=sure) if len(everything) < sure else "",
    )


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


def _intervals(
    default: dict[str, float], fit: Fit, shrinkage: float, draws: int
) -> tuple[dict[str, Interval], str]:
    comparisons = len(np.unique(fit.groups))
    few = too_few(comparisons)
    if few:
        return {}, few
    members = [np.flatnonzero(fit.groups == at) for at in range(comparisons)]
    rng = np.random.default_rng(SEED)
    drawn = []
    for _ in range(draws):
        units = np.concatenate([members[at] for at in rng.integers(0, comparisons, comparisons)])
        drawn.append(fit.weights(fit.fitted(units, shrinkage)))
    columns = dict(zip(sorted(default), np.array(drawn).T, strict=True))
    ends = {key: percentile_interval(columns[key], comparisons) for key in default}
    found = {key: interval for key, interval in ends.items() if interval is not None}
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
    return replace(bare, reason=reason, interval_reason=reason)


def _refused(bare: Tuning, which: str) -> Tuning:
    reason = say(
        "Tuning needs at least {least_responses} responses {which}; there are {responses}.",
        least_responses=LEAST_RESPONSES,
        which=which,
        responses=bare.responses,
    )
    return _without(bare, reason)


def _default(weights: Weights) -> dict[str, float]:
    """The default weights with a sum of exactly 1; equal weights if all are 0."""
    shares = {key: exact(weight) for key, weight in weights.items()}
    total = sum(shares.values())
    return {key: float(share / total) if total else 1 / len(shares) for key, share in shares.items()}


def _start(bare: Tuning) -> Matrix:
    return np.array([bare.default[key] for key in sorted(bare.default)])


def _by_item(rows: Sequence[ReviewRow]) -> dict[Item, list[ReviewRow]]:
    return {item: list(group) for item, group in groupby(rows, key=lambda row: row.item)}


def _means(rows: Sequence[ReviewRow], keys: Iterable[str]) -> list[float]:
    return [sum(float(row.scores[key]) for row in rows) / len(rows) for key in sorted(keys)]


def _numbered(comparisons: Sequence[str]) -> Indexes:
    return np.unique(comparisons, return_inverse=True)[1]
