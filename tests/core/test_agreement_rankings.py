"""Intraclass correlations, W and tau as printed, and tau as scipy has it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from rubric.core.agreement.icc import icc
from rubric.core.agreement.rankings import kendall_tau, kendall_w
from tests.core.agreement_tables import IRR_ANXIETY, SHROUT_FLEISS, SIEGEL_CASTELLAN


def test_shrout_and_fleiss_tables_3_and_4():
    forms = ("1,1", "2,1", "3,1", "1,k", "2,k", "3,k")
    found = [round(icc(SHROUT_FLEISS, form=form).value, 3) for form in forms]
    assert found == [0.166, 0.290, 0.715, 0.443, 0.620, 0.909]


def test_w_of_irr_anxiety():
    """Help page of kendall() in the R package irr: W .54."""
    found = kendall_w(IRR_ANXIETY)
    assert round(found.value, 3) == 0.540
    assert (found.items, found.raters, found.pairs) == (20, 3, 3)
    assert round(icc(IRR_ANXIETY, form="2,1").value, 3) == 0.198


def test_w_of_siegel_and_castellan():
    assert round(kendall_w(SIEGEL_CASTELLAN).value, 3) == 0.162


def test_tau_b_of_the_documentation_of_scipy():
    ratings = list(zip([12, 2, 1, 12, 2], [1, 4, 7, 1, 0], strict=True))
    found = kendall_tau(ratings, variant="b")
    assert (round(found.value, 4), found.items, found.pairs) == (-0.4714, 5, 1)
    # 2 concordant and 6 discordant pairs of 10, 2 tied.
    assert kendall_tau(ratings, variant="a").value == pytest.approx(-0.4)


rows = st.lists(st.tuples(st.integers(1, 6), st.integers(1, 6)), min_size=2, max_size=12)


@given(rows)
@settings(max_examples=60)
def test_two_raters_as_scipy_has_them(ratings):
    first, second = np.array(ratings).T
    if len(set(first)) == 1 or len(set(second)) == 1:
        return
    assert kendall_tau(ratings, variant="b").value == pytest.approx(stats.kendalltau(first, second).statistic)


def test_a_rater_who_ties_everything_is_left_out_of_tau():
    ratings = [[1, 5, 2], [2, 5, 4], [3, 5, 3], [4, 5, 5]]
    for variant in ("a", "b"):
        found = kendall_tau(ratings, variant=variant)
        assert (found.pairs, found.value) == (1, pytest.approx(2 / 3))
    flat = [[5, 5], [5, 5]]
    assert kendall_tau(flat, variant="b").value is None
    assert kendall_w(flat).reason == "Every rater ties all items, so there is no ranking to compare."
