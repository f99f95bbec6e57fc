"""Calibrated overalls: when they are offered, the formula by hand, and that they help where they are offered.

Crossed random effects: the balanced case against the analysis of variance, sparse panels, and what is refused.
"""

import math

import numpy as np
import pytest

from rubric.results.core.rater_scales import (
    LEAST_RATINGS,
    Rating,
    calibrate,
    crossed_effects,
    design_problem,
)


def ratings(**sheets):
    """Ratings of reviewers: `ann=[(0, 8), (1, 7)]` are (item, value)."""
    return [Rating(name, f"i{item}", float(value)) for name, sheet in sheets.items() for item, value in sheet]


def numbered(first, count):
    return [(item, 5 + item % 3) for item in range(first, first + count)]


def test_it_is_offered_where_the_design_allows_it():
    assert design_problem(ratings(ann=numbered(0, 12), bob=numbered(6, 12))) == ""


@pytest.mark.parametrize(
    ("sheets", "says"),
    [
        ({}, "fewer than two reviewers"),
        ({"ann": numbered(0, 20)}, "fewer than two reviewers"),
        ({"ann": numbered(0, 12), "bob": numbered(0, 12)}, "Every reviewer scored every response"),
        ({"ann": numbered(0, 12), "bob": numbered(6, LEAST_RATINGS - 1)}, "bob scored 9 responses"),
        ({"ann": numbered(0, 12), "bob": numbered(12, 12)}, "fall into 2 groups"),
    ],
)
def test_otherwise_one_sentence_says_why_not(sheets, says):
    said = design_problem(ratings(**sheets))
    assert says in said
    assert said.endswith(".")


def test_the_formula_by_hand():
    found = calibrate(ratings(ann=[(0, 4), (1, 6)], bob=[(1, 7), (2, 9)]))
    # g 6.5; p 2 within; means 5 and 8, variance 4.5, less p/2 for chance gives b 3.5; k = 4/7
    ann, bob = ((2 * mean + 4 / 7 * 6.5) / (2 + 4 / 7) for mean in (5, 8))
    # Both SDs are that of the panel: (1 x 2 + 5 x 2) / 6 = 2.
    assert found["i0"] == pytest.approx(6.5 + 4 - ann)
    assert found["i1"] == pytest.approx(6.5 + (6 - ann + 7 - bob) / 2)


def test_the_spread_of_a_reviewer_is_shrunk_to_the_panels():
    found = calibrate(ratings(ann=[(0, 4), (1, 6)], bob=[(0, 1), (1, 9)]))
    # p (2 + 32) / 2 = 17, and both means are 5, so g replaces them; bob's SD is ((32 + 5 x 17) / 6) ** 0.5.
    stretches = [math.sqrt(17 / ((own + 5 * 17) / 6)) for own in (2, 32)]
    assert found["i0"] == pytest.approx(5 + (stretches[0] * -1 + stretches[1] * -4) / 2)


def test_reviewers_without_spread_are_calibrated_by_the_panels():
    found = calibrate(ratings(ann=[(0, 7), (1, 7)], bob=[(0, 3), (1, 9)], cid=[(1, 4)]))
    assert found and all(math.isfinite(value) for value in found.values())
    flat = calibrate(ratings(ann=[(0, 7), (1, 7)], bob=[(1, 5)]))
    assert flat and all(math.isfinite(value) for value in flat.values())


def test_the_order_of_ratings_changes_no_item():
    given = ratings(ann=numbered(0, 12), bob=numbered(6, 12))
    first, other = calibrate(given), calibrate(given[::-1])
    assert first == pytest.approx(other, abs=1e-12)


def test_it_helps_where_everybody_saw_other_items():
    random = np.random.default_rng(3)
    gains = []
    for _ in range(25):
        quality, severity = random.normal(6, 1, 40), random.normal(0, 1, 8)
        given = []
        for item in range(40):
            for reviewer in random.choice(8, 3, replace=False):
                value = np.clip(round(quality[item] + severity[reviewer] + random.normal(0, 0.8)), 1, 10)
                given.append(Rating(f"r{reviewer}", f"{item:02}", float(value)))
        if design_problem(given):
            continue
        raw = [
            np.mean([rating.value for rating in given if rating.item == f"{item:02}"]) for item in range(40)
        ]
        better = calibrate(given)
        gains.append(
            np.corrcoef([better[f"{item:02}"] for item in range(40)], quality)[0, 1]
            - np.corrcoef(raw, quality)[0, 1]
        )
    assert len(gains) > 15
    assert np.mean(gains) > 0.02


def table(values):
    """Ratings of a full table, one row for each item."""
    return [
        Rating(f"r{at}", f"i{row:02}", float(v))
        for row, line in enumerate(values)
        for at, v in enumerate(line)
    ]


def simulated(random, items=40, reviewers=8, entry=3):
    quality, severity = random.normal(6, 1, items), random.normal(0, 1, reviewers)
    ratings = [
        Rating(
            f"r{at}",
            f"i{item:02}",
            float(np.clip(round(quality[item] + severity[at] + random.normal(0, 0.8)), 1, 10)),
        )
        for item in range(items)
        for at in random.choice(reviewers, entry, replace=False)
    ]
    return ratings, quality, severity


def test_a_full_table_has_the_variances_of_its_analysis_of_variance():
    random = np.random.default_rng(5)
    values = (
        6 + random.normal(0, 1.2, (30, 1)) + random.normal(0, 0.8, (1, 12)) + random.normal(0, 0.6, (30, 12))
    )
    items, _reviewers, variances = crossed_effects(table(values))
    rows, columns = values.mean(axis=1), values.mean(axis=0)
    noise = ((values - rows[:, None] - columns[None] + values.mean()) ** 2).sum() / (29 * 11)
    assert variances[0] == pytest.approx(rows.var(ddof=1) - noise / 12, rel=0.05)
    assert variances[1] == pytest.approx(columns.var(ddof=1) - noise / 30, rel=0.05)
    assert variances[2] == pytest.approx(noise, rel=0.01)
    assert list(np.argsort(list(items.values()))) == list(np.argsort(rows))


def test_severity_is_found_and_quality_is_seen_better_than_by_means():
    random = np.random.default_rng(11)
    gains = []
    for _ in range(8):
        ratings, quality, severity = simulated(random)
        items, reviewers, _variances = crossed_effects(ratings)
        means = [np.mean([rating.value for rating in ratings if rating.item == item]) for item in items]
        gains.append(np.corrcoef(list(items.values()), quality)[0, 1] - np.corrcoef(means, quality)[0, 1])
        assert np.corrcoef(list(reviewers.values()), severity)[0, 1] > 0.85
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
