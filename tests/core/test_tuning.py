"""Tuning: true weights are recovered, shrinkage helps with little, and what is too little is refused."""

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from rubric.core.fitting import logistic
from rubric.core.success.rows import Row
from rubric.core.tuning import Preference, in_decimals, tuned_to_holistic, tuned_to_preferences
from tests.core.scored import WEIGHTS

TRUE = {"accuracy": 0.10, "completeness": 0.50, "conciseness": 0.30, "clarity": 0.10}


def rated(comparisons, responses, *, seed=0, noise=0.5, true=TRUE):
    """Rows whose holistic scores, and preferences whose odds, follow the true weights."""
    rng = np.random.default_rng(seed)
    rows, preferences = [], []
    for comparison in range(comparisons):
        name = f"q{comparison:03}"
        table = np.clip(rng.normal(6, 1.5, (responses, 4)), 1, 10)
        worth = table @ list(true.values())
        rows += [
            Row(name, f"r{at}", "ann", dict(zip(WEIGHTS, map(float, table[at]), strict=True)),
                holistic=float(np.clip(worth[at] + rng.normal(0, noise), 1, 10)))
            for at in range(responses)
        ]  # fmt: skip
        for first in range(responses):
            for second in range(first):
                is_first = rng.random() < 1 / (1 + np.exp(2 * (worth[second] - worth[first])))
                better, worse = (first, second) if is_first else (second, first)
                preferences.append(Preference(name, f"r{better}", f"r{worse}"))
    return rows, preferences


def distance(found):
    """The mean absolute error of the fitted weights."""
    return sum(abs(float(found.weights[key]) - TRUE[key]) for key in TRUE) / len(TRUE)


def test_weights_fitted_to_holistic_scores_approach_the_true_ones():
    errors = [
        sum(distance(tuned_to_holistic(rated(size, 5, seed=seed)[0], WEIGHTS, draws=2)) for seed in range(4))
        / 4
        for size in (12, 60, 400)
    ]
    assert errors[2] < errors[1] < errors[0] < 0.04
    assert errors[2] < 0.01


def test_weights_fitted_to_preferences_approach_the_true_ones():
    errors = [distance(tuned_to_preferences(*rated(size, 4), WEIGHTS, draws=10)) for size in (20, 200)]
    assert errors[1] < 0.03
    assert errors[1] < errors[0] < 0.1


def test_the_evidence_is_there():
    found = tuned_to_holistic(rated(40, 4)[0], WEIGHTS, draws=100)
    assert sum(found.weights.values()) == Decimal(1)
    assert list(found.weights) == list(WEIGHTS)
    assert found.default == pytest.approx(WEIGHTS)
    assert (found.units, found.responses, found.comparisons) == (160, 160, 40)
    assert found.gain == pytest.approx(found.default_error - found.fitted_error)
    assert found.gain > found.gain_error > 0
    assert found.fitted_error == pytest.approx(0.25, abs=0.06)
    assert all(low <= float(found.weights[key]) <= high for key, (low, high) in found.intervals.items())
    assert found.intervals["accuracy"][1] < 0.35
    assert (found.is_worth_adopting, found.reason, found.caution) == (True, "", "")


def test_where_the_default_is_right_nothing_is_to_be_adopted():
    found = tuned_to_holistic(rated(15, 4, true=WEIGHTS, noise=1.5)[0], WEIGHTS, draws=20)
    assert not found.is_worth_adopting
    assert "default" in found.reason
    assert "Below 100" not in found.reason
    assert "100 responses" in found.caution


def test_shrinkage_keeps_noise_near_the_default():
    """Holistic scores that have nothing to do with the criteria."""
    rng = np.random.default_rng(3)
    rows = [
        Row(row.comparison, row.response, "ann", row.scores, float(rng.integers(1, 11)))
        for row in rated(15, 4)[0]
    ]
    found = tuned_to_holistic(rows, WEIGHTS, draws=20)
    assert found.shrinkage >= 1
    assert max(abs(float(found.weights[key]) - WEIGHTS[key]) for key in WEIGHTS) < 0.2
    assert not found.is_worth_adopting


def test_refused_below_50_responses():
    rows, preferences = rated(12, 4)
    for found in (
        tuned_to_holistic(rows, WEIGHTS),
        tuned_to_preferences(rows, preferences, WEIGHTS),
    ):
        assert found.weights is None
        assert found.reason.startswith("Tuning needs at least 50 responses")
        assert found.reason.endswith("there are 48.")
    few = [Row("q1", f"r{at}", "ann", row.scores, row.holistic) for at, row in enumerate(rated(15, 4)[0])]
    assert "at least 5 comparisons" in tuned_to_holistic(few, WEIGHTS).reason


def test_no_intervals_below_twenty_comparisons():
    found = tuned_to_holistic(rated(12, 5)[0], WEIGHTS)
    assert found.weights is not None
    assert (found.intervals, found.is_worth_adopting) == ({}, False)
    assert "20 comparisons" in found.interval_reason


def test_scores_that_are_all_alike_or_preferred_against_have_no_weights():
    rows, preferences = rated(20, 4)
    alike = [Row(row.comparison, row.response, "ann", dict.fromkeys(WEIGHTS, 5.0), 5.0) for row in rows]
    assert "do not differ" in tuned_to_holistic(alike, WEIGHTS).reason
    assert "do not differ" in tuned_to_preferences(alike, preferences, WEIGHTS).reason
    downhill = [
        Row(row.comparison, row.response, "ann", dict.fromkeys(WEIGHTS, 1.0 + int(row.response[1])))
        for row in rows
    ]
    lower = [Preference(f"q{at:03}", "r0", f"r{other}") for at in range(20) for other in (1, 2, 3)]
    assert "do not follow" in tuned_to_preferences(downhill, lower, WEIGHTS, draws=5).reason


@settings(max_examples=4, deadline=None)
@given(st.permutations(range(60)), st.permutations(list(WEIGHTS)))
def test_order_changes_nothing(order, keys):
    rows, _ = rated(12, 5, seed=7)
    one = tuned_to_holistic(rows, WEIGHTS)
    other = tuned_to_holistic([rows[at] for at in order], {key: WEIGHTS[key] for key in keys})
    assert one == other


def test_the_order_of_preferences_changes_nothing():
    rows, preferences = rated(15, 4)
    one = tuned_to_preferences(rows, preferences, WEIGHTS, draws=5)
    assert one == tuned_to_preferences(rows[::-1], preferences[::-1], WEIGHTS, draws=5)


def test_the_logistic_fit_as_scipy_has_it():
    rng = np.random.default_rng(5)
    for _ in range(20):
        rows = rng.normal(size=(60, 4)) + rng.normal(0, 0.6, 4)
        penalty = 0.01 * np.eye(4)

        def loss(u, rows=rows, penalty=penalty):
            return np.logaddexp(0, -(rows @ u)).mean() + u @ penalty @ u / 2

        other = minimize(loss, np.full(4, 0.1), bounds=[(0, None)] * 4, options={"ftol": 1e-13, "gtol": 1e-9})
        assert loss(logistic(rows, penalty)) <= other.fun + 1e-7


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12).filter(lambda each: sum(each) > 0.01))
def test_rounded_weights_sum_to_exactly_one(weights):
    found = in_decimals(np.array(weights))
    assert sum(found) == 1
    assert min(found) >= 0
    assert all(
        abs(float(each) - weight / sum(weights)) <= 1e-4 for each, weight in zip(found, weights, strict=True)
    )
