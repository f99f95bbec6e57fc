"""Agreement of a set put together: worked by hand, empty, one reviewer, any order, and real ratings."""

import json

import numpy as np
import pytest

from rubric.core.agreement_report import agreement_report, within_spread
from rubric.core.success.rows import Row
from tests.core.scored import WEIGHTS, panel_of, rows_of
from tests.core.test_agreement_of_real_ratings import SQUALITY

ONE = {"accuracy": 1.0}


def line_of(report, part, key=""):
    return next(each for each in report.lines if (each.part, each.key) == (part, key))


def test_three_responses_by_two_reviewers_as_by_hand():
    """Within sums of squares 0.5, 0.5, 0; all six scores 5 6 7 8 9 9 have 40 / 3 about their mean of 44 / 6."""
    rows = rows_of({"ann": {"a": 5, "b": 7, "c": 9}, "bob": {"a": 6, "b": 8, "c": 9}})
    found = agreement_report(rows, ONE)
    accuracy = line_of(found, "criterion", "accuracy")
    assert accuracy.alpha.value == pytest.approx(1 - (4 / 6) / (2 * (40 / 3) / 5))
    assert (accuracy.alpha.items, accuracy.alpha.pairs, accuracy.responses) == (3, 3, 3)
    assert accuracy.spread == pytest.approx((2 * 0.5**0.5 + 0) / 3)
    assert accuracy.w.value == 1.0
    assert accuracy.w.comparisons == 1
    assert line_of(found, "overall").alpha == accuracy.alpha
    pair = found.pairs[0]
    assert (pair.first, pair.second, pair.responses) == ("ann", "bob", 3)
    assert (pair.apart, pair.distance, pair.tau.value) == (pytest.approx(-2 / 3), pytest.approx(2 / 3), 1.0)


def test_nothing_and_one_reviewer_have_reasons():
    for rows in ([], rows_of({"ann": {"a": 5, "b": 7}})):
        found = agreement_report(rows, ONE)
        for line in found.lines:
            assert line.alpha.value is line.spread is line.w.value is None
            assert line.alpha.reason.endswith(".")
            assert line.reason == "No response has scores by two reviewers."
            assert line.w.reason.endswith(".")
        assert found.pairs == []


def test_without_criteria_pairs_are_on_the_score_as_a_whole():
    rows = [
        Row("q1", response, reviewer, {}, holistic=score)
        for reviewer, scores in {"ann": (3.0, 5.0), "bob": (4.0, 5.0)}.items()
        for response, score in zip("ab", scores, strict=True)
    ]
    found = agreement_report(rows, WEIGHTS)
    assert found.pairs_on == "holistic"
    assert [pair.responses for pair in found.pairs] == [2]


def test_own_responses_and_the_order_of_the_rows_change_nothing():
    rows = panel_of(5, 3, 3, seed=4)
    own = Row("q000", "r0", "p9", dict.fromkeys(WEIGHTS, 10.0), holistic=10.0, is_own=True)
    assert agreement_report([own, *reversed(rows)], WEIGHTS) == agreement_report(rows, WEIGHTS)


def test_w_is_taken_within_comparisons():
    """Reviewers who agree on which question was answered better, but not on which answer, do not agree here."""
    table = {"ann": [3, 2, 1, 9, 8, 7], "bob": [1, 2, 3, 7, 8, 9]}
    rows = [
        Row(f"q{at // 3}", f"r{at % 3}", reviewer, {"accuracy": float(score)})
        for reviewer, scores in table.items()
        for at, score in enumerate(scores)
    ]
    found = line_of(agreement_report(rows, ONE), "criterion", "accuracy")
    assert found.w.value == 0.0
    assert found.w.comparisons == 2
    assert found.alpha.value > 0.8


def test_within_spread_leaves_single_ratings_out():
    assert within_spread(np.array([[1.0, 3.0], [5.0, np.nan]])) == (pytest.approx(2**0.5), 1)
    assert within_spread(np.array([[np.nan, 3.0]])) == (None, 0)


@pytest.mark.skipif(not SQUALITY.exists(), reason="the reviews of SQuALITY are not here")
def test_squality_on_a_scale_from_1_to_10():
    """Alpha does not mind the scale; the spread times 100 / 9 is that of the scale from 0 to 100."""
    questions = [
        q for line in SQUALITY.read_text().splitlines() for q in json.loads(line)["questions"].values()
    ]
    rows = [
        Row(
            str(number),
            name,
            review["worker_id"],
            {key: 1 + 9 * review[f"{key}-rating"] / 100 for key in ("correctness", "selection")},
            holistic=1 + 9 * review["overall-rating"] / 100,
        )
        for number, question in enumerate(questions)
        for name, response in question.items()
        for review in response["reviews"]
    ]
    found = agreement_report(rows, {"correctness": 0.5, "selection": 0.5})
    lines = [each for each in found.lines if each.part != "overall"]
    assert [round(each.alpha.value, 3) for each in lines] == [0.459, 0.781, 0.798]
    assert [round(each.spread * 100 / 9, 1) for each in lines] == [21.9, 13.5, 12.7]
    assert [(each.alpha.items, each.alpha.pairs) for each in lines] == [(300, 900)] * 3
    assert len(found.pairs) == 6
