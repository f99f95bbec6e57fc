"""Stability of rankings: resamples counted by hand, taus against the agreement statistics, ties and their trap."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubric.core.agreement.rankings import kendall_tau
from rubric.core.success.resampling import mean_tau, means_of, resamples, taus_with, winner_kept
from rubric.core.success.stability import stability_report
from tests.core.scored import WEIGHTS, panel_of, rows_of

tables = st.integers(2, 4).flatmap(
    lambda raters: st.lists(
        st.lists(st.one_of(st.none(), st.integers(1, 5)), min_size=raters, max_size=raters),
        min_size=2,
        max_size=5,
    )
)


@given(tables, st.sampled_from(["a", "b"]))
def test_the_mean_tau_is_that_of_the_agreement_statistics(table, variant):
    values = np.array(table, dtype=float)
    expected = kendall_tau(table, variant=variant, with_interval=False).value
    found = mean_tau(values, variant=variant)
    assert np.isnan(found) if expected is None else found == pytest.approx(expected)


@pytest.mark.parametrize("reviewers", [1, 2, 3, 4])
def test_all_resamples_with_their_probabilities(reviewers):
    """Against every ordered draw: 27 of three reviewers, 256 of four."""
    counts, shares = resamples(reviewers, seed=0)
    drawn = {}
    for draw in product(range(reviewers), repeat=reviewers):
        key = tuple(np.bincount(draw, minlength=reviewers))
        drawn[key] = drawn.get(key, 0) + 1 / reviewers**reviewers
    assert {
        tuple(row): share for row, share in zip(counts.astype(int), shares, strict=True)
    } == pytest.approx(drawn)


def test_a_winner_that_hangs_on_one_reviewer():
    """x: 9, 5, 5; y: 6, 6, 6: x leads by 19/3 to 6 until ann, or a resample with more of the others, goes."""
    values = np.array([[9.0, 5, 5], [6, 6, 6]])
    full = means_of(values, np.ones((1, 3)))[0]
    assert list(winner_kept(full, means_of(values, 1 - np.eye(3)))) == [0, 1, 1]
    rows = rows_of({"ann": {"x": 9, "y": 6}, "bob": {"x": 5, "y": 6}, "cid": {"x": 5, "y": 6}})
    found = stability_report(rows, {"accuracy": 1})
    assert found.overall.left_out_winner.value == 0.0
    assert found.overall.same_winner.value == pytest.approx(1 - 8 / 27)
    assert found.overall.tau_b.value is None
    assert "three responses" in found.overall.tau_b.reason


def test_everybody_alike_is_as_stable_as_can_be():
    sheet = {"x": 9, "y": 6, "z": 3}
    found = stability_report(rows_of({"ann": sheet, "bob": sheet}), {"accuracy": 1}).overall
    assert (found.tau_b.value, found.tau_a.value, found.w.value) == pytest.approx((1, 1, 1))
    assert (found.resampled_tau.value, found.same_winner.value, found.left_out_winner.value) == (1, 1, 1)
    assert (found.tau_b.comparisons, found.tau_b.responses, found.tau_b.rows) == (1, 3, 6)


def test_taus_leave_out_what_is_missing():
    full, others = np.array([3.0, 2, 1]), np.array([[1.0, 2, np.nan], [5, 5, 5], [9, 8, 7]])
    assert np.array_equal(taus_with(full, others), [-1, np.nan, 1], equal_nan=True)


def test_the_grid_follows_the_holistic_scores():
    assert stability_report(panel_of(3, 3, 2), WEIGHTS).grid_places == 0
    assert stability_report(panel_of(3, 3, 2, decimals=1), WEIGHTS).grid_places == 1
    assert stability_report(panel_of(3, 3, 2, decimals=6), WEIGHTS).grid_places == 2


def test_conclusions_take_twenty_comparisons_and_both_taus():
    few = stability_report(panel_of(19, 4, 3, holistic_noise=2.5), WEIGHTS)
    assert few.conclusion.code == "cannot_tell"
    assert "there are 19" in few.conclusion.reason
    many = stability_report(panel_of(40, 4, 3, noise=0.7, holistic_noise=2.5), WEIGHTS)
    assert (many.conclusion.code, many.conclusion.count) == ("holds", 40)
    assert many.conclusion.needed >= 20
    worse = stability_report(panel_of(40, 4, 3, noise=3.0, holistic_noise=0.4), WEIGHTS)
    assert worse.conclusion.code == "fails"


def test_random_resamples_are_seeded():
    rows = panel_of(2, 3, 7)
    assert stability_report(rows, WEIGHTS, seed=5) == stability_report(rows, WEIGHTS, seed=5)
    counts, shares = resamples(7, seed=1)
    assert counts.shape == (1000, 7)
    assert shares.sum() == pytest.approx(1)
