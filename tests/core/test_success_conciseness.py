"""Length against conciseness: within comparisons and pooled, sample sizes, the rater who only counts words."""

import pytest
from scipy import stats

from rubric.core.success.conciseness import bonett_wright, length_report, responses_needed
from rubric.core.success.rows import Row
from tests.core.scored import WEIGHTS, panel_of

ONE = {"conciseness": 1}


def responses(*given):
    """(comparison, response, words, score) by one reviewer."""
    return [
        Row(comparison, response, "ann", {"conciseness": float(score)}, words=words)
        for comparison, response, words, score in given
    ]


@pytest.mark.parametrize(("rho", "count"), [(-0.2, 157), (-0.3, 71), (-0.4, 41), (-0.5, 27), (-0.7, 14)])
def test_responses_needed(rho, count):
    """From the variance of Bonett and Wright, Psychometrika 65 (2000), one-sided at 5 % with 80 % power."""
    assert responses_needed(rho) == count


def test_the_interval_in_closed_form():
    assert bonett_wright(-0.3, 30) == pytest.approx((-0.60, 0.08), abs=0.01)
    assert bonett_wright(1.0, 30) is None
    assert bonett_wright(0.5, 3) is None


def test_one_comparison_is_plain_spearman():
    given = [("q1", f"r{at}", words, score) for at, (words, score) in enumerate(
        [(120, 7), (80, 9), (200, 3), (150, 7), (90, 6), (60, 8), (170, 5), (300, 4), (40, 9), (220, 6)]
    )]  # fmt: skip
    found = length_report(responses(*given), ONE)
    expected = stats.spearmanr([each[2] for each in given], [each[3] for each in given]).statistic
    assert found.within["conciseness"].value == pytest.approx(expected)
    assert found.literal.value == pytest.approx(expected)
    assert found.within["conciseness"].interval == pytest.approx(bonett_wright(expected, 10))


def test_questions_that_need_longer_answers_hide_it_when_pooled():
    """In each comparison the longer response scores lower; the comparison with long ones scores higher on the whole."""
    rows = responses(
        *(("q1", f"r{at}", 10 + at, 4 - at) for at in range(3)),
        *(("q2", f"r{at}", 100 + at, 9 - at) for at in range(3)),
    )
    found = length_report(rows, ONE)
    assert found.within["conciseness"].value == -1
    assert found.literal.value > 0
    assert found.conclusion.code == "cannot_tell"
    assert found.conclusion.needed == 24


def test_a_response_counts_once_however_many_reviewers_it_has():
    one = [row for row in panel_of(25, 4, 3) if row.reviewer == "p0"]
    copies = [Row(row.comparison, row.response, name, row.scores, row.holistic, words=row.words)
              for row in one for name in ("a", "b", "c")]  # fmt: skip
    first, second = length_report(one, WEIGHTS), length_report(copies, WEIGHTS)
    assert first.within["conciseness"].interval == second.within["conciseness"].interval
    assert (first.overall.responses, first.overall.rows, second.overall.rows) == (100, 100, 300)


def test_simulated_responses_whose_length_follows_conciseness():
    found = length_report(panel_of(30, 4, 3), WEIGHTS)
    assert found.conclusion.code == found.literal_conclusion.code == "holds"
    assert abs(found.within["clarity"].value) < 0.3
    assert found.overall_given_accuracy.value is not None


def test_length_that_is_rewarded_shows_beside_it():
    """Overall rises with length at equal accuracy."""
    rows = [
        Row(f"q{number}", f"r{at}", "ann", {"accuracy": float(4 + (at * 3) % 4), "clarity": 2.0 + 2 * at},
            words=50 * (at + 1))
        for number in range(20) for at in range(4)
    ]  # fmt: skip
    found = length_report(rows, {"accuracy": 0.2, "clarity": 0.8})
    assert found.overall_given_accuracy.value > 0.5
    assert found.conclusion.code == "cannot_tell"
    assert 'no criterion "conciseness"' in found.conclusion.reason


def test_two_responses_or_one_length_are_not_enough():
    two = length_report(responses(("q1", "a", 5, 5), ("q1", "b", 6, 4)), ONE)
    assert "3 responses" in two.conclusion.reason
    equal = length_report(responses(*(("q1", name, 5, at) for at, name in enumerate("abc", 1))), ONE)
    assert "do not differ" in equal.conclusion.reason
