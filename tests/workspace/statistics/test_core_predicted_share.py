"""The share of a finite population from judged samples of its parts."""

import numpy as np
import pytest
from scipy.stats import betabinom

from workspace.statistics.proportions import JudgedStratum, beta_binomial, predict_share


def stratum(judged, positive, unjudged, sampled=None, sampled_positive=None):
    return JudgedStratum(
        judged=judged,
        positive=positive,
        sampled=judged if sampled is None else sampled,
        sampled_positive=positive if sampled_positive is None else sampled_positive,
        unjudged=unjudged,
    )


def test_what_was_judged_counts_as_judged():
    assert predict_share([stratum(8, 6, 0), stratum(2, 0, 0)]) == (60, 60, 60)


def test_the_rest_has_the_share_of_its_stratum():
    share, low, high = predict_share([stratum(10, 8, 40), stratum(10, 1, 40)])
    assert share == pytest.approx(45.0)
    assert 30 < low < share < high < 60


def test_what_was_judged_outside_the_sample_tells_nothing_of_the_rest():
    share, _low, _high = predict_share([stratum(12, 2, 10, sampled=2, sampled_positive=1)])
    assert share == pytest.approx(100 * (2 + 5) / 22)


def test_a_population_without_items_has_no_share():
    with pytest.raises(ValueError, match="at least one item"):
        predict_share([])


@pytest.mark.parametrize(("count", "first", "second"), [(0, 0.5, 0.5), (7, 0.5, 3.5), (300, 8.5, 2.5)])
def test_the_distribution_is_that_of_scipy(count, first, second):
    expected = betabinom.pmf(np.arange(count + 1), count, first, second)
    assert beta_binomial(count, first, second) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("messages", "flagged", "agrees", "objects", "drawn"),
    [(60, 0.6, 0.7, 0.3, 6), (60, 0.6, 0.7, 0.3, 12), (100, 0.5, 0.8, 0.2, 10), (50, 0.6, 0.6, 0.4, 15)],
)
def test_the_interval_covers_what_people_would_say(messages, flagged, agrees, objects, drawn):
    """95 % intervals of 2,000 games by chance. Counts are whole, so the interval is a little wider than it must be."""
    random = np.random.default_rng(20261122)
    covered = 0
    for _game in range(2000):
        rule = random.random(messages) < flagged
        people = np.where(rule, random.random(messages) < agrees, random.random(messages) < objects)
        is_judged = np.zeros(messages, dtype=bool)
        is_judged[random.choice(messages, drawn, replace=False)] = True
        parts = [rule == counts for counts in (True, False)]
        strata = [
            stratum(
                judged=int((part & is_judged).sum()),
                positive=int((part & is_judged & people).sum()),
                unjudged=int((part & ~is_judged).sum()),
            )
            for part in parts
        ]
        _share, low, high = predict_share(strata)
        covered += low <= 100 * people.mean() + 1e-9 and 100 * people.mean() <= high + 1e-9
    assert 0.93 <= covered / 2000 <= 0.975, covered / 2000
