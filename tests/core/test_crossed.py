"""Crossed random effects: the balanced case against the analysis of variance, sparse panels, and what is refused."""

import numpy as np
import pytest

from rubric.core.calibration import Rating
from rubric.core.crossed import Crossed, crossed_effects


def table(values):
    """Ratings of a full table, one row for each item."""
    return [
        Rating(f"r{at}", f"i{row:02}", float(v))
        for row, line in enumerate(values)
        for at, v in enumerate(line)
    ]


def simulated(random, items=40, reviewers=8, each=3):
    quality, severity = random.normal(6, 1, items), random.normal(0, 1, reviewers)
    ratings = [
        Rating(
            f"r{at}",
            f"i{item:02}",
            float(np.clip(round(quality[item] + severity[at] + random.normal(0, 0.8)), 1, 10)),
        )
        for item in range(items)
        for at in random.choice(reviewers, each, replace=False)
    ]
    return ratings, quality, severity


def test_a_full_table_has_the_variances_of_its_analysis_of_variance():
    random = np.random.default_rng(5)
    values = (
        6 + random.normal(0, 1.2, (30, 1)) + random.normal(0, 0.8, (1, 12)) + random.normal(0, 0.6, (30, 12))
    )
    found = crossed_effects(table(values))
    assert isinstance(found, Crossed)
    rows, columns = values.mean(axis=1), values.mean(axis=0)
    noise = ((values - rows[:, None] - columns[None] + values.mean()) ** 2).sum() / (29 * 11)
    assert found.noise_variance == pytest.approx(noise, rel=0.01)
    assert found.item_variance == pytest.approx(rows.var(ddof=1) - noise / 12, rel=0.05)
    assert found.reviewer_variance == pytest.approx(columns.var(ddof=1) - noise / 30, rel=0.05)
    assert list(np.argsort(list(found.items.values()))) == list(np.argsort(rows))


def test_severity_is_found_and_quality_is_seen_better_than_by_means():
    random = np.random.default_rng(11)
    gains = []
    for _ in range(8):
        ratings, quality, severity = simulated(random)
        found = crossed_effects(ratings)
        means = [np.mean([each.value for each in ratings if each.item == item]) for item in found.items]
        gains.append(
            np.corrcoef(list(found.items.values()), quality)[0, 1] - np.corrcoef(means, quality)[0, 1]
        )
        assert np.corrcoef(list(found.reviewers.values()), severity)[0, 1] > 0.85
    assert np.mean(gains) > 0.02


def test_the_order_of_ratings_changes_nothing():
    ratings, _quality, _severity = simulated(np.random.default_rng(2), items=8)
    assert crossed_effects(ratings) == crossed_effects(ratings[::-1])


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ([[5, 6]], "Two responses"),
        ([[5], [6]], "Two responses"),
        ([[5, 5], [5, 5]], "All overalls are equal"),
    ],
)
def test_what_cannot_be_told_apart_is_refused_in_a_sentence(values, says):
    assert says in crossed_effects(table(values))
    few = [Rating("a", "x", 1), Rating("b", "y", 2), Rating("a", "y", 3)]
    assert "too few" in crossed_effects(few)
