"""Variance against reliability: by hand, and what arithmetic alone does to the literal metric."""

import pytest

from rubric.core.agreement.alpha import krippendorff_alpha
from rubric.core.agreement.components import icc_of_components
from rubric.core.success.rows import Row
from rubric.core.success.variance import variance_report
from tests.core.scored import WEIGHTS, panel_of


def small(*given):
    """Rows of two criteria: (response, reviewer, first, second, holistic)."""
    return [
        Row("q1", response, reviewer, {"a": float(first), "b": float(second)}, holistic=holistic)
        for response, reviewer, first, second, holistic in given
    ]


def test_variances_by_hand():
    """Within x: a 8, 6 (SS 2), b 5, 5 (SS 0), overall 6.5, 5.5 (SS 0.5), holistic 9, 5 (SS 8); within y: all alike."""
    rows = small(("x", "ann", 8, 5, 9), ("x", "bob", 6, 5, 5), ("y", "ann", 3, 4, 2), ("y", "bob", 3, 4, 2))
    found = variance_report(rows, {"a": 0.5, "b": 0.5})
    assert [each.variance.value for each in found.criteria] == [1.0, 0.0]
    assert (found.overall.variance.value, found.holistic.variance.value) == (0.25, 4.0)
    assert [each.ratio.value for each in found.criteria] == [0.25, 0.0]
    assert found.literal.value == 0.125
    assert (found.literal.comparisons, found.literal.responses, found.literal.rows) == (1, 2, 4)
    assert found.literal.interval is None
    assert found.literal_conclusion.code == "cannot_tell"
    assert "20 comparisons; there are 1" in found.literal_conclusion.reason


def test_reliability_is_that_of_the_tables():
    rows = panel_of(6, 4, 3, seed=4)
    table = [
        [row.holistic for row in rows if (row.comparison, row.response) == item]
        for item in sorted({(row.comparison, row.response) for row in rows})
    ]
    found = variance_report(rows, WEIGHTS)
    assert found.holistic.alpha.value == krippendorff_alpha(table, level="interval").value
    assert found.holistic.icc.value == pytest.approx(icc_of_components(table, form="2,1").value)


def test_a_useless_rubric_passes_literally_and_not_by_reliability():
    """Equal reliability of every score: the overall of four varies less by arithmetic, and the report says so."""
    rows = [
        Row(row.comparison, row.response, row.reviewer, dict.fromkeys(WEIGHTS, row.scores["accuracy"]),
            holistic=row.scores["completeness"])
        for row in panel_of(40, 4, 3, seed=1)
    ]  # fmt: skip
    found = variance_report(rows, WEIGHTS)
    assert found.conclusion.code in ("cannot_tell", "not_worse")
    better = variance_report(panel_of(40, 4, 3, seed=1, holistic_noise=2.0), WEIGHTS)
    assert better.overall.ratio.interval[1] < 1
    assert (better.literal_conclusion.code, better.conclusion.code) == ("holds", "holds")
    worse = variance_report(panel_of(40, 4, 3, seed=1, noise=3.0, holistic_noise=0.2), WEIGHTS)
    assert (worse.literal_conclusion.code, worse.conclusion.code) == ("fails", "fails")


def test_what_everybody_scores_10_says_nothing():
    rows = small(
        *((response, who, 10, low, low) for response, low in (("x", 2), ("y", 5)) for who in ("ann", "bob"))
    )
    found = variance_report(rows, {"a": 0.5, "b": 0.5})
    ceiling = found.criteria[0]
    assert (ceiling.variance.value, ceiling.at_ceiling, ceiling.at_floor) == (0.0, 1.0, 0.0)
    assert ceiling.alpha.value is None
    assert "same" in ceiling.alpha.reason
    assert "nothing can be lower" in found.literal.reason


def test_without_rows_that_have_both_nothing_is_compared():
    rows = [
        *small(("x", "ann", 8, 5, None), ("x", "bob", 6, 5, None)),
        Row("q1", "x", "cid", {}, holistic=7.0),
    ]
    found = variance_report(rows, {"a": 0.5, "b": 0.5})
    assert found.criteria[0].variance.value == 2.0
    assert found.difference.value is None
    assert "cannot be compared" in found.conclusion.reason


def test_scores_off_the_scale_and_own_responses_do_not_count():
    rows = small(("x", "ann", 8, 5, 9), ("x", "bob", 6, 5, 5))
    extra = [
        Row("q1", "x", "cid", {"a": 1.0, "b": 1.0}, holistic=1.0, is_own=True),
        Row("q1", "x", "dan", {"a": 95.0, "b": float("nan")}, holistic=float("inf")),
    ]
    weights = {"a": 0.5, "b": 0.5}
    assert variance_report(rows + extra, weights) == variance_report(rows, weights)
