"""Calibrated overalls: when they are offered, the formula by hand, and that they help where they are offered."""

import math

import numpy as np
import pytest

from rubric.core.calibration import LEAST_RATINGS, Rating, calibrated, design_problem


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
    found = calibrated(ratings(ann=[(0, 4), (1, 6)], bob=[(1, 7), (2, 9)]))
    # g 6.5; p 2 within; means 5 and 8, variance 4.5, less p/2 for chance gives b 3.5; k = 4/7
    ann, bob = found.scales
    assert (ann.mean, ann.sd, bob.mean) == (5, math.sqrt(2), 8)
    assert ann.shrunken_mean == pytest.approx((2 * 5 + 4 / 7 * 6.5) / (2 + 4 / 7))
    assert ann.shrunken_sd == pytest.approx(math.sqrt((1 * 2 + 5 * 2) / 6))
    assert found.items["i0"] == pytest.approx(6.5 + 4 - ann.shrunken_mean)
    assert found.items["i1"] == pytest.approx(6.5 + (6 - ann.shrunken_mean + 7 - bob.shrunken_mean) / 2)
    assert found.without_spread == []


def test_reviewers_without_spread_are_named():
    found = calibrated(ratings(ann=[(0, 7), (1, 7)], bob=[(0, 3), (1, 9)], cid=[(1, 4)]))
    assert found.without_spread == ["ann", "cid"]
    assert all(math.isfinite(value) for value in found.items.values())
    flat = calibrated(ratings(ann=[(0, 7), (1, 7)], bob=[(1, 5)]))
    assert all(math.isfinite(value) for value in flat.items.values())


def test_the_order_of_ratings_changes_nothing():
    given = ratings(ann=numbered(0, 12), bob=numbered(6, 12))
    one, other = calibrated(given), calibrated(given[::-1])
    assert one.scales == other.scales
    assert one.items == pytest.approx(other.items, abs=1e-12)


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
        raw = [np.mean([each.value for each in given if each.item == f"{item:02}"]) for item in range(40)]
        better = calibrated(given).items
        gains.append(
            np.corrcoef([better[f"{item:02}"] for item in range(40)], quality)[0, 1]
            - np.corrcoef(raw, quality)[0, 1]
        )
    assert len(gains) > 15
    assert np.mean(gains) > 0.02
