"""Rank correlations within groups: printed values, what centring and leaving out do, and when there is nothing."""

import pytest

from workspace.statistics.estimates import Agreement
from workspace.statistics.within_groups import correlate_within, disattenuate

# The lightness of canned tuna and a panel's mark: M. Hollander, D. A. Wolfe, Nonparametric Statistical Methods (1973),
# table 8.1, the example of cor.test in R: tau .444.
LIGHTNESS = (44.4, 45.9, 41.9, 53.3, 44.7, 44.1, 50.7, 45.2, 60.1)
MARK = (2.6, 3.1, 2.5, 5.0, 3.6, 4.0, 5.2, 2.8, 3.8)
# The example of scipy.stats.kendalltau, with ties: tau-b -.4714.
TIED, OTHER = (12, 2, 1, 12, 2), (1, 4, 7, 1, 0)
# Two rankings of ten with ties: 33 more concordant pairs than discordant ones, 41 and 36 pairs that are not tied.
RANKS, OTHER_RANKS = (1, 2.5, 2.5, 4.5, 4.5, 6.5, 6.5, 8, 9.5, 9.5), (1, 2, 4.5, 4.5, 4.5, 4.5, 8, 8, 8, 10)
# IQ and hours of television: the worked example of Wikipedia's page on Spearman's coefficient, rho -29/165.
IQ, HOURS = (106, 100, 86, 101, 99, 103, 97, 113, 112, 110), (7, 27, 2, 50, 28, 29, 20, 12, 6, 17)


def together(first, second):
    return correlate_within([("one", *pair) for pair in zip(first, second, strict=True)])


@pytest.mark.parametrize(
    ("first", "second", "tau"),
    [(LIGHTNESS, MARK, 4 / 9), (TIED, OTHER, -0.47140452), (RANKS, OTHER_RANKS, 33 / (41 * 36) ** 0.5)],
)
def test_tau_b_is_the_printed_one(first, second, tau):
    assert together(first, second).tau.value == pytest.approx(tau)


def test_rho_is_the_printed_one():
    assert together(IQ, HOURS).rho.value == pytest.approx(-29 / 165)


@pytest.mark.parametrize("name", ["tau", "rho"])
def test_the_interval_is_that_of_the_values_without_each_item(name):
    """One group: its mean moves no rank, so leaving an item out by hand gives the same."""
    whole = getattr(together(LIGHTNESS, MARK), name)
    values = []
    for left in range(len(MARK)):
        rest = [at for at in range(len(MARK)) if at != left]
        found = together([LIGHTNESS[at] for at in rest], [MARK[at] for at in rest])
        values.append(getattr(found, name).value)
    mean = sum(values) / 9
    error = (8 / 9 * sum((value - mean) ** 2 for value in values)) ** 0.5
    assert whole.interval == pytest.approx(
        (whole.value - 2.306004 * error, min(1, whole.value + 2.306004 * error)), abs=1e-6
    )


def test_what_differs_between_groups_alone_shows_nothing():
    rows = [
        (group, 10 * group + one, 5 * group + other) for group in range(5) for one, other in ((0, 1), (1, 0))
    ]
    found = correlate_within(rows)
    assert (found.items, found.groups, found.slope) == (10, 5, -1)
    assert (found.tau.value, found.rho.value) == (-1, pytest.approx(-1))
    assert found.p == pytest.approx(2 / 2**5, abs=0.01)


def test_groups_of_one_are_left_out():
    rows = [("a", 1, 1), ("a", 2, 3), ("a", 3, 2), ("b", 99, 5), ("c", 5, 99)]
    found = correlate_within(rows)
    assert (found.items, found.groups) == (3, 1)
    assert found.tau.value == pytest.approx(1 / 3)
    assert correlate_within(rows[3:]).tau.reason


def test_without_variation_within_groups_there_is_a_reason():
    found = correlate_within([("a", 1, 2), ("a", 1, 3), ("b", 4, 2), ("b", 4, 5)])
    assert (found.items, found.tau.value, found.p, found.slope) == (4, None, None, 0)
    assert "All ratings are the same" in found.rho.reason


def test_a_correlation_is_larger_over_a_rating_without_error():
    found = Agreement(0.36, (-0.12, 0.9))
    corrected = disattenuate(found, 0.36)
    assert (corrected.value, corrected.interval) == (pytest.approx(0.6), (pytest.approx(-0.2), 1.0))
    assert disattenuate(found, None) is disattenuate(found, 0.0) is disattenuate(Agreement(None), 0.5) is None
