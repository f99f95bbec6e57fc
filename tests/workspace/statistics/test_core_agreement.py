"""Statistics of agreement come to what was printed, to the decimals printed; the tables name their sources.

Intraclass correlations, W and tau as printed, and tau as scipy has it.

Intraclass correlations with missing ratings: as ICC(2,.) on full tables, as least squares elsewhere, unbiased.

Intervals over groups of items, agreement on one answer, and how many raters would do; by hand and computed anew.
"""

from functools import partial
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tests.factories.effort import count_calls
from tests.factories.statistics import (
    FLEISS_COUNTS,
    GWET_FIVE_RATERS,
    GWET_FOUR_RATERS,
    GWET_TABLE,
    HAYES_KRIPPENDORFF,
    IRR_ANXIETY,
    KRIPPENDORFF_A,
    KRIPPENDORFF_B,
    KRIPPENDORFF_C,
    SHROUT_FLEISS,
    SIEGEL_CASTELLAN,
    WIKIPEDIA_ALPHA,
    of_counts,
    of_table,
)
from tests.workspace.statistics.jackknife import jackknife_over_groups
from workspace.statistics import estimates
from workspace.statistics.alpha import krippendorff_alpha
from workspace.statistics.chance_agreement import cohen_kappa, gwet_ac, observed_agreement, specific_agreement
from workspace.statistics.estimates import (
    Agreement,
    classify_strength,
    jackknife_t,
    raters_needed,
)
from workspace.statistics.intraclass import compute_components, compute_icc_from_components, icc
from workspace.statistics.rankings import kendall_tau, kendall_w
from workspace.statistics.ratings import count_rarer, to_matrix

FLEISS = of_counts(FLEISS_COUNTS)


def to_three(found):
    assert found.value is not None, found.reason
    return round(found.value, 3)


@pytest.mark.parametrize(
    ("ratings", "level", "printed"),
    [
        (KRIPPENDORFF_A, "nominal", 0.095),
        (KRIPPENDORFF_B, "nominal", 0.692),
        (KRIPPENDORFF_C, "nominal", 0.743),
        (KRIPPENDORFF_C, "ordinal", 0.815),
        (KRIPPENDORFF_C, "interval", 0.849),
        (KRIPPENDORFF_C, "ratio", 0.797),
        (WIKIPEDIA_ALPHA, "nominal", 0.691),
        (WIKIPEDIA_ALPHA, "ordinal", 0.807),
        (WIKIPEDIA_ALPHA, "interval", 0.811),
        (WIKIPEDIA_ALPHA, "ratio", 0.809),
        (HAYES_KRIPPENDORFF, "nominal", 0.477),
        (HAYES_KRIPPENDORFF, "interval", 0.757),
        (HAYES_KRIPPENDORFF, "ratio", 0.662),
        (FLEISS, "nominal", 0.433),
        (FLEISS[:15], "nominal", 0.420),
        (GWET_FOUR_RATERS, "nominal", 0.743),
        (GWET_FOUR_RATERS, "ordinal", 0.815),
        (GWET_FIVE_RATERS, "nominal", 0.481),
        (GWET_FIVE_RATERS, "ordinal", 0.769),
        (GWET_FIVE_RATERS, "interval", 0.772),
        (GWET_TABLE, "nominal", 0.797),
    ],
)
def test_alpha(ratings, level, printed):
    assert to_three(krippendorff_alpha(ratings, level=level)) == printed


def test_alpha_of_hayes_and_krippendorff_to_four_decimals_with_its_interval():
    found = krippendorff_alpha(HAYES_KRIPPENDORFF, level="ordinal")
    assert round(found.value, 4) == 0.7598
    assert [round(end, 3) for end in found.interval] == [0.651, 0.869]
    assert (found.items, found.raters) == (40, 5)


def test_fleiss_1971():
    assert to_three(observed_agreement(FLEISS)) == 0.556
    assert to_three(gwet_ac(FLEISS)) == 0.448


def test_irrcac_distrib_6raters():
    """README of the R package irrCAC, the first 15 patients of Fleiss (1971)."""
    assert to_three(gwet_ac(FLEISS[:15])) == 0.445


def test_irrcac_cac_raw4raters():
    """README of the R package irrCAC, and its unit tests for AC2."""
    assert to_three(gwet_ac(GWET_FOUR_RATERS)) == 0.775
    assert to_three(observed_agreement(GWET_FOUR_RATERS)) == 0.818
    weighted = [gwet_ac(GWET_FOUR_RATERS, weights=weights) for weights in ("linear", "quadratic", "ordinal")]
    assert [to_three(agreement) for agreement in weighted] == [0.859, 0.914, 0.899]


def test_irrcac_five_raters():
    weighted = [
        gwet_ac(GWET_FIVE_RATERS, weights=weights) for weights in ("identity", "ordinal", "quadratic")
    ]
    assert [to_three(agreement) for agreement in weighted] == [0.497, 0.785, 0.830]


def test_irrcac_two_raters():
    """README of the R package irrCAC, the table of two raters."""
    assert [to_three(statistic(GWET_TABLE)) for statistic in (cohen_kappa, gwet_ac)] == [0.796, 0.849]


def test_the_paradox_of_prevalence():
    """The kind of table in K. L. Gwet (2008): agreement is high, one category is rare."""
    ratings = of_table([[118, 5], [2, 0]])
    statistics = (observed_agreement, cohen_kappa, gwet_ac)
    assert [to_three(statistic(ratings)) for statistic in statistics] == [0.944, -0.023, 0.941]
    assert to_three(krippendorff_alpha(ratings, level="nominal")) == -0.025


@pytest.mark.parametrize(
    ("table", "kappa", "ac1"), [([[40, 9], [6, 45]], 0.700, 0.701), ([[80, 10], [5, 5]], 0.318, 0.808)]
)
def test_equal_agreement_unequal_kappa(table, kappa, ac1):
    """A. R. Feinstein and D. V. Cicchetti, Journal of Clinical Epidemiology 43 (1990), 543-549."""
    ratings = of_table(table)
    assert to_three(observed_agreement(ratings)) == 0.85
    assert (to_three(cohen_kappa(ratings)), to_three(gwet_ac(ratings))) == (kappa, ac1)


def test_cohen_of_wikipedia():
    """Wikipedia, "Cohen's kappa", the first worked example."""
    assert to_three(cohen_kappa(of_table([[20, 5], [10, 15]]))) == 0.400


def test_cohen_with_quadratic_weights_is_near_icc():
    """J. L. Fleiss and J. Cohen, Educational and Psychological Measurement 33 (1973), 613-619: the same for large n."""
    ratings = GWET_TABLE * 20
    weighted, correlation = cohen_kappa(ratings, weights="quadratic"), icc(ratings, form="2,1")
    assert weighted.value == pytest.approx(correlation.value, abs=0.001)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
def test_a_thousand_items_by_five_raters_take_no_more_calls_than_a_hundred(level):
    source = np.random.default_rng(1)
    ratings = np.clip(source.normal(6, 1.5, (1000, 1)) + source.normal(0, 1, (1000, 5)), 1, 10).round()
    ratings[source.random(ratings.shape) < 0.1] = np.nan
    found = krippendorff_alpha(ratings, level=level)
    assert found.interval[0] < found.value < found.interval[1]
    few = count_calls(lambda: krippendorff_alpha(ratings[:100], level=level))
    assert count_calls(lambda: krippendorff_alpha(ratings, level=level)) == few


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


scores = st.integers(1, 5).map(float)


@pytest.mark.parametrize("form", ["2,1", "2,k"])
@pytest.mark.parametrize("ratings", [SHROUT_FLEISS, IRR_ANXIETY])
def test_a_full_table_gives_the_icc(ratings, form):
    found, expected = compute_icc_from_components(ratings, form=form), icc(ratings, form=form)
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
    found = compute_components(values)
    count, (items, raters) = len(given_ratings), values.shape
    error = residual / (count - items - raters + 1)
    of_items = (left(of_rater) - residual - (items - 1) * error) / (count - raters)
    of_raters = (left(of_item) - residual - (raters - 1) * error) / (count - items)
    assert found == pytest.approx((of_items, of_raters, error))


def test_missing_at_random_does_not_shift_the_components():
    source = np.random.default_rng(7)
    values = source.normal(0, 2, (4000, 1)) + np.array([-1.0, 0.0, 0.5, 0.5]) + source.normal(0, 1, (4000, 4))
    values[source.random(values.shape) < 0.4] = np.nan
    found = compute_components(values[(~np.isnan(values)).sum(axis=1) >= 2])
    assert found == pytest.approx((4.0, 0.5, 1.0), rel=0.06)


@given(st.lists(st.lists(st.none() | scores, min_size=3, max_size=3), max_size=8))
def test_never_an_exception(ratings):
    found = compute_icc_from_components(ratings, form="2,1")
    assert found.reason.endswith(".") if found.value is None else found.value <= 1 + 1e-9


def test_raters_without_an_item_in_common():
    found = compute_icc_from_components(
        [[1, 2, None, None], [2, 4, None, None], [None, None, 3, 4], [None, None, 5, 1]] * 2, form="2,1"
    )
    assert "without an item in common" in found.reason


GROUPED = {
    "alpha": partial(krippendorff_alpha, level="nominal"),
    "alpha ratio": partial(krippendorff_alpha, level="ratio"),
    "AC1": partial(gwet_ac, scale=[0, 1, 2]),
    "AC2": partial(gwet_ac, weights="quadratic", scale=[0, 1, 2]),
    "agreement": partial(observed_agreement, scale=[0, 1, 2]),
    "specific": partial(specific_agreement, category=1.0),
}


cell = st.one_of(st.none(), st.integers(0, 2).map(float))


tables = st.integers(2, 4).flatmap(
    lambda raters: st.lists(
        st.tuples(st.integers(0, 4), st.lists(cell, min_size=raters, max_size=raters)),
        min_size=2,
        max_size=14,
    )
)


@given(tables)
def test_the_interval_over_groups_is_that_of_leaving_each_group_out(table):
    # Items of one rating say something of chance alone, so groups of nothing else are left out by nobody.
    table = [(group, row) for group, row in table if len(row) - row.count(None) > 1]
    groups, ratings = [group for group, _row in table], [row for _group, row in table]
    for name, statistic in GROUPED.items():

        def anew(kept, statistic=statistic):
            return statistic([ratings[at] for at in kept]).value

        found = statistic(ratings, groups=groups)
        is_counted = found.value is not None and name not in ("alpha ratio", "AC2")
        units = count_rarer(to_matrix(ratings), groups)[1] if is_counted else None
        expected = jackknife_over_groups(groups, anew, units)
        assert found.value == statistic(ratings).value, name
        if expected is not None:
            with patch.object(estimates, "LEAST_RARER", 0):
                interval = statistic(ratings, groups=groups).interval
            assert interval == pytest.approx(expected, abs=1e-9), name


@given(tables)
def test_groups_of_one_item_are_items(table):
    ratings = [row for _group, row in table]
    for name, statistic in GROUPED.items():
        one_each = statistic(ratings, groups=range(len(ratings)))
        alone = statistic(ratings)
        assert one_each.value == alone.value, name
        assert one_each.interval == (alone.interval and pytest.approx(alone.interval, abs=1e-12)), name


def test_ordinal_alpha_has_no_closed_form_over_groups():
    with pytest.raises(ValueError, match="nominal and ratio alpha only"):
        krippendorff_alpha([[1, 2], [2, 2]], level="ordinal", groups=[1, 1])


def test_what_is_left_out_is_named():
    two = krippendorff_alpha([[1, 1], [1, 2], [2, 2]], level="nominal", groups="aab")
    assert two.interval_reason == "An interval needs at least 3 groups; there are 2."


def _without(values: np.ndarray, form: str) -> list[float]:
    rest = [np.delete(values, item, axis=0) for item in range(len(values))]
    found = [
        compute_icc_from_components(components, form=form, with_interval=False).value for components in rest
    ]
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
def test_components_without_each_item_are_those_computed_anew(ratings, form):
    found = compute_icc_from_components(ratings, form=form)
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
        (0.85, None, ""),
        (None, None, ""),
    ],
)
def test_no_word_where_the_interval_is_wide(value, interval, word):
    assert classify_strength(Agreement(value, interval)) == word


def test_an_interval_needs_ten_of_the_rarer_answer():
    """Five no in four of twelve items; ten in eight of sixteen, which are one of three groups."""
    few, enough = [[0, 1]] * 3 + [[0, 0]] + [[1, 1]] * 8, [[0, 1]] * 6 + [[0, 0]] * 2 + [[1, 1]] * 8
    assert count_rarer(to_matrix(few)) == (5, 4)
    assert count_rarer(to_matrix(enough)) == (10, 8)
    assert count_rarer(to_matrix(enough), ["a"] * 8 + ["b"] * 4 + ["c"] * 4) == (10, 1)
    for statistic in (
        partial(krippendorff_alpha, level="nominal"),
        gwet_ac,
        observed_agreement,
        partial(specific_agreement, category=1.0),
    ):
        found = statistic(few)
        assert found.value is not None and found.interval is None
        assert found.interval_reason == (
            "An interval needs at least 10 answers other than the most frequent one; there are 5."
        )
        assert statistic(enough).interval is not None


def test_a_rare_answer_shown_by_few_items_widens_the_interval():
    """The degrees of freedom are those of the eight items that show it, not of all sixteen."""
    ratings = [[0, 1]] * 6 + [[0, 0]] * 2 + [[1, 1]] * 8
    found = observed_agreement(ratings)
    half = stats.t.ppf(0.975, 7) * np.std([0] * 6 + [1] * 10, ddof=1) / 4
    assert found.interval == pytest.approx((10 / 16 - half, 10 / 16 + half))


def test_an_interval_without_width_is_none():
    found = krippendorff_alpha([[1, 1]] * 12 + [[2, 2]] * 12, level="nominal")
    assert (found.value, found.interval) == (1.0, None)
    assert "no width" in found.interval_reason
