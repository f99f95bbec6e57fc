"""Which two responses a survey asks about, and on which criterion they lie furthest apart."""

from fractions import Fraction

from rubric.results.core.surveys import find_separation
from rubric.reviews.core.score_rows import ReviewRow
from tests.factories.comparisons import RECORD_SCORES
from tests.factories.scores import WEIGHTS

SHARES = {key: Fraction(str(weight)) for key, weight in WEIGHTS.items()}


def rows(scores, reviewer="ann", **more):
    return [
        ReviewRow("1", str(number), reviewer, {key: float(score) for key, score in value.items()}, **more)
        for number, value in scores.items()
    ]


def test_the_decision_record():
    """A at 8.15 stands over B at 8.10; accuracy and conciseness both lie 2 points apart, completeness 1."""
    found = find_separation(rows(RECORD_SCORES), SHARES)
    assert (found.first, found.second) == ("1", "2")
    assert found.overalls == (Fraction("8.15"), Fraction("8.10"))
    assert found.most == ["accuracy", "conciseness"]
    assert found.means["completeness"] == (8, 9)


def test_means_are_over_reviewers_and_own_or_incomplete_rows_do_not_count():
    other = {number: {**record_score, "accuracy": 5} for number, record_score in RECORD_SCORES.items()}
    given = rows(RECORD_SCORES) + rows(other, "bob")
    plain = find_separation(given, SHARES)
    assert plain.means["accuracy"] == (6, 7)
    assert (plain.first, plain.second, plain.most) == ("2", "1", ["conciseness"])
    own = rows({3: dict.fromkeys(WEIGHTS, 10)}, "cid", is_own=True)
    half = rows({3: {"accuracy": 10}}, "dan")
    assert find_separation([*reversed(given), *own, *half], SHARES) == plain


def test_ties_at_the_top_ask_about_the_next_below():
    tied = {1: RECORD_SCORES[1], 2: RECORD_SCORES[1], 3: RECORD_SCORES[3]}
    found = find_separation(rows(tied), SHARES)
    assert (found.first, found.second, found.most) == ("1", "3", ["accuracy"])


def test_nothing_to_ask_about():
    assert find_separation([], SHARES) is None
    assert find_separation(rows({1: RECORD_SCORES[1]}), SHARES) is None
    assert find_separation(rows({1: RECORD_SCORES[1], 2: RECORD_SCORES[1]}), SHARES) is None
