"""Reviewers' manners: thresholds of the binomial test, by hand, and simulated reviewers who do what is looked for."""

import numpy as np
import pytest
from msgspec import structs
from scipy import stats

from rubric.core.manners.criteria import binomial_tail, flat_rows, residual_halo
from rubric.core.manners.position import position_effects
from rubric.core.manners.residuals import residuals
from rubric.core.manners.severity import self_preference, severity
from rubric.core.success.rows import Row, ordered
from tests.core.scored import WEIGHTS, panel_of, rows_of

ONE = {"accuracy": 1}


def flagged(found):
    """Reviewers with a flag."""
    return [each.reviewer for each in found if each.is_flagged]


@pytest.mark.parametrize(("count", "least"), [(8, 4), (10, 5), (15, 6), (20, 7), (30, 8)])
def test_how_many_flat_rows_are_too_many(count, least):
    assert binomial_tail(least, count, 0.1) < 0.01 <= binomial_tail(least - 1, count, 0.1)
    assert binomial_tail(least, count, 0.1) == pytest.approx(
        stats.binomtest(least, count, 0.1, alternative="greater").pvalue
    )


def flats(reviewer, flat, count):
    """So many responses, the first of which flat."""
    return [Row("q1", f"r{at}", reviewer, {"a": 5.0, "b": 5.0 if at < flat else 6.0}) for at in range(count)]


def test_flat_rows_are_held_against_the_other_reviewers():
    found = flat_rows([*flats("ann", 4, 8), *flats("bob", 0, 8)], ["a", "b"])
    assert [(each.reviewer, each.value, each.rows) for each in found] == [("ann", 0.5, 8), ("bob", 0.0, 8)]
    assert flagged(found) == ["ann"]
    assert found[0].p == pytest.approx(0.00502, abs=1e-5)
    assert found[0].interval == pytest.approx((0.215, 0.785), abs=1e-3)
    assert flagged(flat_rows([*flats("ann", 4, 8), *flats("bob", 4, 8)], ["a", "b"])) == []
    assert flagged(flat_rows([*flats("ann", 7, 7), *flats("bob", 0, 8)], ["a", "b"])) == []


def test_residuals_by_hand():
    rows = ordered(rows_of({"ann": {"x": 9, "y": 4}, "bob": {"x": 5}, "cid": {"x": 6}}))
    found = residuals(rows, lambda row: row.scores["accuracy"])
    assert [(each.row.reviewer, each.value) for each in found] == [("ann", 3.5), ("bob", -2.5), ("cid", -1.0)]


def test_a_halo_stands_out_and_honest_reviewers_do_not():
    found = residual_halo(panel_of(12, 4, 4, halo=(1,)), list(WEIGHTS))
    assert flagged(found) == ["p1"]
    assert found[1].value > 0.3
    assert all(abs(each.value) < 0.25 for each in found if each.reviewer != "p1")
    assert found[0].rows == 48


def test_halo_is_a_mean_of_correlations():
    rows = ordered(panel_of(5, 4, 3, seed=2))
    columns = [
        [
            each.value
            for each in residuals(rows, lambda row, key=key: row.scores[key])
            if each.row.reviewer == "p0"
        ]
        for key in WEIGHTS
    ]
    expected = np.corrcoef(columns)[np.triu_indices(4, 1)].mean()
    assert residual_halo(rows, list(WEIGHTS))[0].value == pytest.approx(expected)


def test_honest_reviewers_are_seldom_flagged():
    """At a level of 1 % a few of 90 are too many."""
    found = [
        each for seed in range(30) for each in residual_halo(panel_of(5, 4, 3, seed=seed), list(WEIGHTS))
    ]
    assert len(flagged(found)) <= 5


def test_flat_reviewers_are_found_in_a_panel():
    assert flagged(flat_rows(panel_of(6, 4, 4, flat=(2,)), list(WEIGHTS))) == ["p2"]


def test_severity_by_hand():
    """Residuals of ann: 1 in q1 (mean of 2 and 0), 3 in q2, 2 in q3."""
    rows = [
        *rows_of({"ann": {"x": 7, "y": 4}, "bob": {"x": 5, "y": 4}}, comparison="q1"),
        *rows_of({"ann": {"x": 8}, "bob": {"x": 5}}, comparison="q2"),
        *rows_of({"ann": {"x": 4}, "bob": {"x": 2}}, comparison="q3"),
    ]
    ann, bob = severity(rows, ONE)
    assert (ann.value, ann.rows, ann.comparisons, bob.value) == (2.0, 4, 3, -2.0)
    expected = stats.ttest_1samp([1, 3, 2], 0)
    assert ann.p == pytest.approx(expected.pvalue)
    assert ann.interval == pytest.approx(tuple(expected.confidence_interval()))


def test_harsh_and_generous_reviewers():
    shifted = {"p0": -2.0, "p1": 1.5}
    rows = [
        structs.replace(
            row,
            scores={
                key: min(10, max(1, value + shifted.get(row.reviewer, 0)))
                for key, value in row.scores.items()
            },
        )
        for row in panel_of(15, 3, 5)
    ]
    found = {each.reviewer: each for each in severity(rows, WEIGHTS)}
    assert found["p0"].is_flagged and found["p0"].interval[1] < 0
    assert found["p1"].is_flagged and found["p1"].interval[0] > 0
    assert flagged(severity(panel_of(15, 3, 5, seed=3), WEIGHTS)) == []


def moved(rows, points):
    """The rows with so many points per position."""
    return [
        structs.replace(
            row,
            scores={key: min(10, max(1, value + points * row.position)) for key, value in row.scores.items()},
        )
        for row in rows
    ]


def test_a_position_effect_is_found_with_its_size():
    together, *each = position_effects(moved(panel_of(20, 4, 3, noise=0.7), -0.5), WEIGHTS)
    assert together.slope.value == pytest.approx(-0.5, abs=0.15)
    assert together.slope.is_flagged
    assert together.first_less_last.interval[0] > 0.8
    assert (together.sheets, together.slope.rows, len(each)) == (60, 240, 3)
    none = position_effects(panel_of(20, 4, 3), WEIGHTS)[0]
    assert not none.slope.is_flagged


def test_sheets_needed_for_a_position_effect():
    """About 31 sheets of 4 responses for 0.2 points per position at a residual SD of 1."""
    rng = np.random.default_rng(1)
    rows = []
    for number in range(400):
        places = rng.permutation(4) + 1
        for at, place in enumerate(places):
            score = {"accuracy": 5.5 + float(rng.normal())}
            rows.append(Row(f"q{number}", f"r{at}", "ann", score, position=int(place)))
            rows.append(Row(f"q{number}", f"r{at}", "bob", {"accuracy": 5.5}, position=at + 1))
    assert position_effects(rows, ONE)[1].needed == pytest.approx(31, abs=3)


def test_one_order_for_everybody_tells_nothing():
    rows = [structs.replace(row, position=int(row.response[1]) + 1) for row in panel_of(5, 3, 3)]
    found = position_effects(rows, WEIGHTS)
    assert {each.slope.value for each in found} == {None}
    assert "same order" in found[0].slope.reason


def own_rows(bonus):
    """p0 wrote r0 of every comparison and gives it so much more."""
    return [
        structs.replace(
            row,
            is_own=row.reviewer == "p0" and row.response == "r0",
            scores={
                key: min(10, value + (bonus if row.reviewer == "p0" and row.response == "r0" else 0))
                for key, value in row.scores.items()
            },
        )
        for row in panel_of(12, 3, 3, noise=0.7)
    ]


def test_self_preference_with_its_size():
    (found,) = self_preference(own_rows(2), WEIGHTS)
    assert found.value == pytest.approx(2, abs=0.5)
    assert (found.reviewer, found.is_flagged, found.rows) == ("p0", True, 36)
    (none,) = self_preference(own_rows(0), WEIGHTS)
    assert not none.is_flagged


def test_self_preference_takes_five_own_and_twenty_others():
    few = [row for row in own_rows(2) if row.comparison < "q004"]
    (found,) = self_preference(few, WEIGHTS)
    assert found.value is None
    assert "4 own and 8 other" in found.reason
    assert self_preference(panel_of(5, 3, 3), WEIGHTS) == []


def test_own_responses_count_nowhere_else():
    rows = own_rows(4)
    without = [row for row in rows if not row.is_own]
    assert severity(rows, WEIGHTS) == severity(without, WEIGHTS)
    assert residual_halo(rows, list(WEIGHTS)) == residual_halo(without, list(WEIGHTS))
