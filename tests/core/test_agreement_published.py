"""Statistics of agreement come to what was printed, to the decimals printed; the tables name their sources."""

from time import process_time

import numpy as np
import pytest

from rubric.core.agreement.alpha import coincidence_matrix, krippendorff_alpha
from rubric.core.agreement.chance import (
    brennan_prediger,
    cohen_kappa,
    conger_kappa,
    fleiss_kappa,
    gwet_ac,
    observed_agreement,
    weight_matrix,
)
from rubric.core.agreement.icc import icc
from rubric.core.agreement.ratings import codes_of
from tests.core.agreement_tables import (
    FLEISS_COUNTS,
    GWET_FIVE_RATERS,
    GWET_FOUR_RATERS,
    GWET_TABLE,
    HAYES_KRIPPENDORFF,
    KRIPPENDORFF_A,
    KRIPPENDORFF_B,
    KRIPPENDORFF_C,
    WIKIPEDIA_ALPHA,
    WIKIPEDIA_FLEISS,
    of_counts,
    of_table,
)

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


def test_alpha_of_labels():
    labels = [["true" if one == 1.0 else "false" for one in row] for row in KRIPPENDORFF_A]
    assert to_three(krippendorff_alpha(codes_of(labels), level="nominal")) == 0.095


@pytest.mark.parametrize(("weights", "alpha"), [("quadratic", 0.849), ("ordinal", 0.834)])
def test_ordinal_weights_are_not_the_ordinal_metric_of_alpha(weights, alpha):
    """irrCAC's alpha of cac.raw4raters: quadratic weights are the interval metric, ordinal ones are not the ordinal."""
    categories, rows = coincidence_matrix(GWET_FOUR_RATERS)
    coincidences, apart = np.array(rows), 1 - np.array(weight_matrix(categories, weights))
    each = coincidences.sum(axis=1)
    expected = (np.outer(each, each) * apart).sum() / (each.sum() - 1)
    assert round(1 - (coincidences * apart).sum() / expected, 3) == alpha


def test_fleiss_1971():
    assert to_three(fleiss_kappa(FLEISS)) == 0.430
    assert to_three(observed_agreement(FLEISS)) == 0.556
    assert to_three(gwet_ac(FLEISS)) == 0.448
    assert to_three(brennan_prediger(FLEISS)) == 0.444
    each = [
        to_three(fleiss_kappa([[float(given == category) for given in patient] for patient in FLEISS]))
        for category in range(1, 6)
    ]
    assert each == [0.245, 0.245, 0.520, 0.471, 0.566]


def test_fleiss_of_wikipedia():
    assert to_three(fleiss_kappa(of_counts(WIKIPEDIA_FLEISS))) == 0.210


def test_irrcac_distrib_6raters():
    """README of the R package irrCAC, the first 15 patients of Fleiss (1971)."""
    found = [statistic(FLEISS[:15]) for statistic in (fleiss_kappa, gwet_ac, brennan_prediger)]
    assert [to_three(one) for one in found] == [0.414, 0.445, 0.439]


def test_irrcac_cac_raw4raters():
    """README of the R package irrCAC, and its unit tests for AC2."""
    statistics = (gwet_ac, fleiss_kappa, brennan_prediger, conger_kappa, observed_agreement)
    found = [to_three(statistic(GWET_FOUR_RATERS)) for statistic in statistics]
    assert found == [0.775, 0.761, 0.773, 0.763, 0.818]
    weighted = [gwet_ac(GWET_FOUR_RATERS, weights=weights) for weights in ("linear", "quadratic", "ordinal")]
    assert [to_three(one) for one in weighted] == [0.859, 0.914, 0.899]


def test_irrcac_five_raters():
    weighted = [
        gwet_ac(GWET_FIVE_RATERS, weights=weights) for weights in ("identity", "ordinal", "quadratic")
    ]
    assert [to_three(one) for one in weighted] == [0.497, 0.785, 0.830]


def test_irrcac_two_raters():
    """README of the R package irrCAC, the table of two raters."""
    statistics = (cohen_kappa, fleiss_kappa, gwet_ac, brennan_prediger)
    assert [to_three(statistic(GWET_TABLE)) for statistic in statistics] == [0.796, 0.796, 0.849, 0.835]


def test_the_paradox_of_prevalence():
    """The kind of table in K. L. Gwet (2008): agreement is high, one category is rare."""
    ratings = of_table([[118, 5], [2, 0]])
    statistics = (observed_agreement, cohen_kappa, gwet_ac, brennan_prediger)
    assert [to_three(statistic(ratings)) for statistic in statistics] == [0.944, -0.023, 0.941, 0.888]
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
def test_a_thousand_items_by_five_raters_with_the_interval_take_under_a_tenth_of_a_second(level):
    source = np.random.default_rng(1)
    ratings = np.clip(source.normal(6, 1.5, (1000, 1)) + source.normal(0, 1, (1000, 5)), 1, 10).round()
    ratings[source.random(ratings.shape) < 0.1] = np.nan
    spent = []
    for _ in range(3):
        began = process_time()
        found = krippendorff_alpha(ratings, level=level)
        spent.append(process_time() - began)
    assert found.interval[0] < found.value < found.interval[1]
    assert min(spent) < 0.1
