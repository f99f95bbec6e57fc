"""Evaluators beside themselves: by hand, pooled over people, and left out where nobody answered twice."""

import pytest

from discussions.core import kinds
from discussions.core.self_agreement import self_agreement_of
from tests.core.test_evaluator_agreement import said


def twice(game, person, kind, subject, first, again):
    return [
        said(game, person, kind, subject, first),
        said(game, person, kind, subject, again, purpose="repeat"),
    ]


def test_two_people_by_hand():
    """One: yes yes, no no, yes no; another: no no. 3 of 4 alike; of 3 yes and 5 no D_e = 30 / 56, D_o = 2 / 8."""
    answers = [
        *twice(1, 1, kinds.COHERENCE, "4", "yes", "yes"),
        *twice(1, 1, kinds.COHERENCE, "9", "no", "no"),
        *twice(2, 1, kinds.COHERENCE, "1", "yes", "no"),
        *twice(1, 2, kinds.COHERENCE, "4", "no", "no"),
        said(2, 2, kinds.COHERENCE, "1", "no"),
    ]
    (line,) = self_agreement_of(answers, 5)
    assert (line.key, line.items, line.games) == ("coherence", 4, 3)
    assert line.share.value == 0.75
    assert line.alpha.value == pytest.approx(1 - (2 / 8) / (30 / 56))
    assert line.alpha.interval is not None
    one, other = line.people
    assert (one.evaluator, one.items, one.share) == (1, 3, pytest.approx(2 / 3))
    assert one.alpha == pytest.approx(1 - (2 / 6) / (2 * 3 * 3 / (6 * 5)))
    assert (other.evaluator, other.items, other.share, other.alpha) == (2, 1, 1.0, None)
    assert other.reason == "Agreement needs at least 2 items that two raters or more have rated; there are 1."


def test_ratings_are_compared_on_their_scale():
    answers = [
        each
        for game, (first, again) in enumerate([("1.0", "1.5"), ("3.0", "3.0"), ("5.0", "4.5")], start=1)
        for each in twice(game, 1, kinds.RATING, "", first, again)
    ]
    (line,) = self_agreement_of(answers, 5)
    assert line.key == "rating"
    assert line.alpha.value > 0.8
    assert line.share.value == pytest.approx(1 / 3)


def test_nothing_answered_twice_is_nothing():
    assert self_agreement_of([], 5) == []
    assert (
        self_agreement_of([said(1, 1, kinds.RATING, "", "2.0"), said(1, 2, kinds.RATING, "", "2.0")], 5) == []
    )
    calibration = said(1, 1, kinds.RATING, "", "2.0", purpose="calibration")
    assert self_agreement_of([said(1, 1, kinds.RATING, "", "2.0"), calibration], 5) == []
