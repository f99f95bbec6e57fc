"""Intraclass correlations with missing ratings: as ICC(2,.) on full tables, as least squares elsewhere, unbiased."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rubric.core.agreement.components import components_of, icc_of_components
from rubric.core.agreement.icc import icc
from tests.core.agreement_tables import HAYES_KRIPPENDORFF, IRR_ANXIETY, SHROUT_FLEISS

scores = st.integers(1, 5).map(float)


@pytest.mark.parametrize("form", ["2,1", "2,k"])
@pytest.mark.parametrize("ratings", [SHROUT_FLEISS, IRR_ANXIETY])
def test_a_full_table_gives_the_icc(ratings, form):
    found, expected = icc_of_components(ratings, form=form), icc(ratings, form=form)
    assert found.value == pytest.approx(expected.value)
    assert found.interval == pytest.approx(expected.interval)


def test_sums_of_squares_are_those_of_least_squares():
    values = np.array(HAYES_KRIPPENDORFF, dtype=float)
    rows, columns = np.nonzero(~np.isnan(values))
    given_ratings = values[rows, columns]
    of_item, of_rater = np.eye(len(values))[rows], np.eye(values.shape[1])[columns]

    def left(design):
        fitted = design @ np.linalg.lstsq(design, given_ratings, rcond=None)[0]
        return np.square(given_ratings - fitted).sum()

    residual = left(np.hstack([of_item, of_rater]))
    found = components_of(values)
    count, (items, raters) = len(given_ratings), values.shape
    error = residual / (count - items - raters + 1)
    assert found.error == pytest.approx(error)
    assert found.items == pytest.approx((left(of_rater) - residual - (items - 1) * error) / (count - raters))
    assert found.raters == pytest.approx((left(of_item) - residual - (raters - 1) * error) / (count - items))


def test_missing_at_random_does_not_shift_the_components():
    source = np.random.default_rng(7)
    values = source.normal(0, 2, (4000, 1)) + np.array([-1.0, 0.0, 0.5, 0.5]) + source.normal(0, 1, (4000, 4))
    values[source.random(values.shape) < 0.4] = np.nan
    found = components_of(values[(~np.isnan(values)).sum(axis=1) >= 2])
    assert [found.items, found.raters, found.error] == pytest.approx([4.0, 0.5, 1.0], rel=0.06)


@given(st.lists(st.lists(st.none() | scores, min_size=3, max_size=3), max_size=8))
@settings(max_examples=80, deadline=None)
def test_never_an_exception(ratings):
    found = icc_of_components(ratings, form="2,1")
    assert found.reason.endswith(".") if found.value is None else found.value <= 1 + 1e-9


def test_raters_without_an_item_in_common():
    found = icc_of_components(
        [[1, 2, None, None], [2, 4, None, None], [None, None, 3, 4], [None, None, 5, 1]] * 2, form="2,1"
    )
    assert "without an item in common" in found.reason
