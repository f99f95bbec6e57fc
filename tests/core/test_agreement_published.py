"""Statistics of agreement come to what was printed, to the decimals printed; the tables name their sources."""

from time import process_time

import numpy as np
import pytest

from rubric.core.agreement.alpha import krippendorff_alpha
from rubric.core.agreement.chance import (
    cohen_kappa,
    gwet_ac,
    observed_agreement,
)
from rubric.core.agreement.icc import icc
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
    assert [to_three(one) for one in weighted] == [0.859, 0.914, 0.899]


def test_irrcac_five_raters():
    weighted = [
        gwet_ac(GWET_FIVE_RATERS, weights=weights) for weights in ("identity", "ordinal", "quadratic")
    ]
    assert [to_three(one) for one in weighted] == [0.497, 0.785, 0.830]


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
