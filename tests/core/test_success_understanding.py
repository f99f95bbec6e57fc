"""The survey: shares, Newcombe's intervals, sample sizes, and when nothing can be said."""

import pytest

from rubric.core.intervals import newcombe
from rubric.core.success.understanding import Surveyed, answers_needed, understanding_report

# Counts large, small and extreme. The intervals were recomputed and taken from no printed table: Newcombe's method 10
# with the ends of each score interval as the roots of n (p - x)^2 = z^2 x (1 - x), in 50 digits with mpmath; with
# scipy.stats.binomtest(...).proportion_ci(method="wilson") they come out the same.
RECOMPUTED = {
    (56, 70, 48, 80): (0.0524314724, 0.333872654),
    (9, 10, 3, 10): (0.1705227239, 0.8090179735),
    (6, 7, 2, 7): (0.0582279275, 0.8062496375),
    (5, 56, 0, 29): (-0.0381371479, 0.1925600139),
    (0, 10, 0, 20): (-0.1611251581, 0.2775327999),
    (0, 10, 0, 10): (-0.2775327999, 0.2775327999),
    (10, 10, 0, 20): (0.6790860371, 1.0),
    (10, 10, 0, 10): (0.6075093504, 1.0),
}


@pytest.mark.parametrize(("shares", "interval"), RECOMPUTED.items())
def test_newcombe_method_10_recomputed(shares, interval):
    assert newcombe(*shares) == pytest.approx(interval, abs=1e-9)


def test_nothing_to_compare():
    assert newcombe(1, 0, 1, 2) is None


def surveys(shown, hidden, *, right=(0, 0)):
    """(top, answers) of each arm; the first `right` of each arm named the right criterion."""
    return [
        Surveyed("q1", f"{arm}{at}", arm, 5 if at < top else 2, at < named)
        for arm, (top, count), named in (("with", shown, right[0]), ("without", hidden, right[1]))
        for at in range(count)
    ]


def test_shares_of_both_arms():
    found = understanding_report(surveys((56, 70), (48, 80), right=(40, 40)))
    assert (found.reported.with_breakdown.value, found.reported.without.value) == (0.8, 0.6)
    assert found.reported.difference.interval == pytest.approx((0.0524, 0.3339), abs=5e-5)
    assert found.reported.difference.rows == 150
    assert (found.conclusion.code, found.conclusion.count, found.conclusion.unit) == (
        "holds", 70, "answers in each arm",
    )  # fmt: skip


def test_saying_so_is_not_enough():
    found = understanding_report(surveys((56, 70), (48, 80), right=(20, 60)))
    assert found.reported.conclusion.code == "holds"
    assert found.conclusion.code == "cannot_tell"
    assert "fewer name the right criterion" in found.conclusion.reason


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([], "Nobody in the arm with"),
        (surveys((9, 9), (0, 9)), "at least 10 answers"),
        (surveys((6, 12), (6, 12)), "holds 0"),
    ],
)
def test_cannot_tell_yet(given, said):
    found = understanding_report(given)
    assert found.conclusion.code == "cannot_tell"
    assert said in found.conclusion.reason
    assert found.conclusion.needed > 0


def test_the_breakdown_can_do_harm():
    assert understanding_report(surveys((5, 40), (35, 40))).conclusion.code == "fails"


def test_answers_needed():
    """Fleiss (1981), table A.3 without the continuity correction: 0.5 against 0.7 takes 93, 0.4 against 0.6 97."""
    assert (answers_needed(0.5), answers_needed(0.4)) == (93, 97)
