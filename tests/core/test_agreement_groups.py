"""Intervals over groups of items, agreement on one answer, and how many raters would do; by hand and computed anew."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rubric.core.agreement.alpha import krippendorff_alpha
from rubric.core.agreement.chance import gwet_ac, observed_agreement
from rubric.core.agreement.components import icc_of_components
from rubric.core.agreement.estimates import Agreement, jackknife_over_groups, jackknife_t
from rubric.core.agreement.planning import raters_needed, strength_of
from rubric.core.agreement.specific import specific_agreement
from tests.core.agreement_tables import of_table

GROUPED = {
    "alpha": partial(krippendorff_alpha, level="nominal"),
    "alpha ratio": partial(krippendorff_alpha, level="ratio"),
    "AC1": partial(gwet_ac, scale=[0, 1, 2]),
    "AC2": partial(gwet_ac, weights="quadratic", scale=[0, 1, 2]),
    "agreement": partial(observed_agreement, scale=[0, 1, 2]),
    "specific": partial(specific_agreement, category=1.0),
}
some = settings(max_examples=60, deadline=None)
cell = st.one_of(st.none(), st.integers(0, 2).map(float))
tables = st.integers(2, 4).flatmap(
    lambda raters: st.lists(
        st.tuples(st.integers(0, 4), st.lists(cell, min_size=raters, max_size=raters)),
        min_size=2,
        max_size=14,
    )
)


@given(tables)
@some
def test_the_interval_over_groups_is_that_of_leaving_each_group_out(table):
    # Items of one rating say something of chance alone, so groups of nothing else are left out by nobody.
    table = [(group, row) for group, row in table if len(row) - row.count(None) > 1]
    groups, ratings = [group for group, _row in table], [row for _group, row in table]
    for name, statistic in GROUPED.items():

        def anew(kept, statistic=statistic):
            return statistic([ratings[at] for at in kept], with_interval=False).value

        found = statistic(ratings, groups=groups)
        expected, _reason = jackknife_over_groups(groups, anew)
        assert found.value == statistic(ratings).value, name
        if expected is not None:
            assert found.interval == pytest.approx(expected, abs=1e-9), name


@given(tables)
@some
def test_groups_of_one_item_are_items(table):
    ratings = [row for _group, row in table]
    for name, statistic in GROUPED.items():
        one_each = statistic(ratings, groups=range(len(ratings)))
        alone = statistic(ratings)
        assert one_each.value == alone.value, name
        assert one_each.interval == (alone.interval and pytest.approx(alone.interval, abs=1e-12)), name


def test_ordinal_alpha_has_no_closed_form_over_groups():
    with pytest.raises(ValueError, match="jackknife_over_groups"):
        krippendorff_alpha([[1, 2], [2, 2]], level="ordinal", groups=[1, 1])


def test_what_is_left_out_is_named():
    two = krippendorff_alpha([[1, 1], [1, 2], [2, 2]], level="nominal", groups="aab")
    assert two.interval_reason == "An interval needs at least 3 groups; there are 2."


def _without(values: np.ndarray, form: str) -> list[float]:
    rest = [np.delete(values, item, axis=0) for item in range(len(values))]
    found = [icc_of_components(each, form=form, with_interval=False).value for each in rest]
    return [np.nan if value is None else value for value in found]


@pytest.mark.parametrize("form", ["2,1", "2,k"])
@given(
    ratings=st.integers(2, 4).flatmap(
        lambda raters: st.lists(
            st.lists(
                st.one_of(st.none(), st.integers(1, 9).map(float)), min_size=raters, max_size=raters
            ).filter(lambda row: len(row) - row.count(None) > 1),
            min_size=4,
            max_size=9,
        )
    )
)
@some
def test_components_without_each_item_are_those_computed_anew(ratings, form):
    found = icc_of_components(ratings, form=form)
    if found.value is None:
        return
    values = np.array(ratings, dtype=float)
    expected, reason = jackknife_t(found.value, np.array(_without(values, form)))
    assert found.interval == (expected and pytest.approx(expected, abs=1e-6)), reason
    assert found.interval_reason == reason


def test_agreement_on_one_answer_by_hand():
    """Both yes 40, one of them yes 15, both no 45: yes 80 of 95 answers beside yes, no 90 of 105."""
    table = of_table([[40, 9], [6, 45]])
    assert specific_agreement(table, 1).value == pytest.approx(80 / 95)
    assert specific_agreement(table, 2).value == pytest.approx(90 / 105)
    paradox = of_table([[118, 5], [2, 0]])
    assert specific_agreement(paradox, 1).value == pytest.approx(236 / 243)
    assert specific_agreement(paradox, 2).value == 0
    three = [[1, 1, 2], [1, None, 2], [2, 2, 2]]
    assert specific_agreement(three, 1).value == pytest.approx(2 / 5)
    assert specific_agreement(three, 3).reason == "Nobody gave this answer."


def test_raters_needed_by_hand():
    """.8 * .5 / (.5 * .2) = 4; the panel of 4 raters of reliability .5 has 4 * .5 / (1 + 3 * .5) = .8."""
    assert raters_needed(0.5) == 4
    assert raters_needed(0.290) == 10
    assert raters_needed(0.8) == raters_needed(0.95) == raters_needed(1.0) == 1
    assert raters_needed(0.79999) == 2
    assert raters_needed(0.5, reliability=0.9) == 9
    assert [raters_needed(value) for value in (None, 0.0, -0.2, 1e-17)] == [None] * 4


@pytest.mark.parametrize(
    ("value", "interval", "word"),
    [
        (0.85, (0.8, 0.9), "firm"),
        (0.7, (0.6, 0.8), "tentative"),
        (0.5, (0.4, 0.6), "low"),
        (0.85, (0.69, 1.0), ""),
        (1.0, (1.0, 1.0), ""),
        (0.85, None, ""),
        (None, None, ""),
    ],
)
def test_no_word_where_the_interval_is_wide(value, interval, word):
    assert strength_of(Agreement(value, interval)) == word
