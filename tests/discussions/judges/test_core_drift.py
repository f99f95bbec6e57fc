"""Evidence that a judge agrees with people less than when it was tried."""

from itertools import product

import numpy as np
import pytest

from discussions.judges.core.drift import STEP, Baseline, watch_drift

TRIED = Baseline(9, 10)
RUNS = 100


def test_the_evidence_as_by_hand():
    """Before, 9.5 of 11 are expected to agree; a fall leaves a rate between half and all of that less .05."""
    expected, top = 9.5 / 11, 9.5 / 11 - 0.05
    same = 0.5 + 0.5 * (0.75 * top) / expected
    other = 0.5 + 0.5 * (1 - 0.75 * top) / (1 - expected)
    assert watch_drift(TRIED, [1]).evidence == [pytest.approx(same)]
    assert watch_drift(TRIED, [0]).evidence == [pytest.approx(other)]


def test_the_evidence_is_expected_to_stay_at_one():
    """Over all sequences of answers of a steady judge, by their probability from the baseline: a fair bet."""
    total = 0.0
    for answers in product((0, 1), repeat=8):
        chance, yes, no = 1.0, 9.5, 1.5
        for answer in answers:
            chance *= (yes if answer else no) / (yes + no)
            yes, no = yes + answer, no + 1 - answer
        total += chance * watch_drift(TRIED, answers).evidence[-1]
    assert total == pytest.approx(1)


def test_the_past_does_not_change_with_later_answers():
    answers = (np.random.default_rng(1).random(3 * STEP) < 0.8).astype(float).tolist()
    whole = watch_drift(TRIED, answers).evidence
    assert watch_drift(TRIED, answers[: STEP + 7]).evidence == pytest.approx(whole[: STEP + 7])


def test_a_judge_that_falls_is_suspended_at_an_answer():
    found = watch_drift(Baseline(90, 100), [1] * 100 + [0] * 30)
    assert 100 < found.suspended_at < 120
    assert found.agreement == pytest.approx(100 / 130)
    assert found.evidence[found.suspended_at - 1] >= 20 > found.evidence[found.suspended_at - 2]


def test_answers_that_depend_on_each_other_count_less():
    fallen = [1, 0, 0] * 30
    alone, together = (watch_drift(Baseline(90, 100, effect), fallen) for effect in (1.0, 3.0))
    assert alone.suspended_at < together.suspended_at
    # Three answers that are always the same tell as much as one.
    thrice = watch_drift(Baseline(27, 30, 3.0), [1, 1, 1, 0, 0, 0]).evidence
    assert thrice[2::3] == pytest.approx(watch_drift(TRIED, [1, 0]).evidence)


def test_nothing_is_known_without_answers_and_little_without_a_baseline():
    assert (watch_drift(TRIED, []).agreement, watch_drift(TRIED, []).suspended_at) == (None, None)
    assert watch_drift(Baseline(0, 0), [1, 0, 1, 1, 0] * 100).suspended_at is None


def test_steady_judges_stay_and_fallen_ones_go():
    """docs/judges.md has 1,000 of each."""
    random = np.random.default_rng(2)
    at = {
        now: [
            watch_drift(
                Baseline(float(random.binomial(100, 0.9)), 100),
                (random.random(count) < now).astype(float).tolist(),
            ).suspended_at
            for _run in range(RUNS)
        ]
        for now, count in ((0.9, 1000), (0.7, 150))
    }
    assert sum(number is not None for number in at[0.9]) <= 0.08 * RUNS
    assert sum(number is not None for number in at[0.7]) >= 0.75 * RUNS
