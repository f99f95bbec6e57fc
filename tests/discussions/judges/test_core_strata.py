"""Strata by the rule and a judge, and how often people's estimate by them holds."""

from math import exp

import numpy as np
import pytest

from benchmarks.statistics.judges import WORLDS, be_right, estimate, say_yes
from discussions.verdicts.core.people_estimate import build_strata
from workspace.statistics.proportions import JudgedStratum, log_evidence, predict_share

RUNS = 150
# The rule counts eight of twelve messages, the judge six of these and one of the others; people are with the judge.
MACHINE = {str(at): "yes" if at <= 8 else "no" for at in range(1, 13)}
JUDGE = {str(at): "yes" if at <= 6 or at == 12 else "no" for at in range(1, 13)}
SAMPLED = {"1", "2", "3", "7", "8", "9", "12"}
VALUES = {subject: JUDGE[subject] for subject in SAMPLED}


def build(judge, values=VALUES, sampled=SAMPLED):
    return build_strata("strategic_depth", MACHINE, values, sampled, judge)


def test_a_judge_divides_what_the_rule_counts_and_what_it_does_not():
    assert build(JUDGE) == [
        JudgedStratum(judged=3, positive=3, sampled=3, sampled_positive=3, unjudged=3),
        JudgedStratum(judged=2, positive=0, sampled=2, sampled_positive=0, unjudged=0),
        JudgedStratum(judged=1, positive=1, sampled=1, sampled_positive=1, unjudged=0),
        JudgedStratum(judged=1, positive=0, sampled=1, sampled_positive=0, unjudged=2),
    ]


def test_a_half_without_a_sampled_message_stays_with_the_other():
    sampled = SAMPLED - {"12"}
    found = build(JUDGE, {subject: VALUES[subject] for subject in sampled}, sampled)
    assert [(stratum.sampled, stratum.unjudged) for stratum in found] == [(3, 3), (2, 0), (1, 3)]


@pytest.mark.parametrize("judge", [None, MACHINE, {}, dict.fromkeys(MACHINE, "yes")])
def test_a_judge_that_says_nothing_new_leaves_the_strata_of_the_rule(judge):
    assert build(judge) == build(None)
    assert len(build(None)) == 2


def test_a_sample_that_speaks_against_the_judge_leaves_the_strata_of_the_rule():
    """Of both halves of what the rule counts, people count half."""
    values = {"1": "yes", "2": "no", "7": "yes", "8": "no"}
    judge = {**MACHINE, "7": "no", "8": "no"}
    assert build(judge, values, set(values)) == build(None, values, set(values))


def test_no_message_is_lost_or_counted_twice():
    random = np.random.default_rng(3)
    for _case in range(50):
        judge = {subject: str(random.choice(["yes", "no", "cannot tell"])) for subject in MACHINE}
        found = build({subject: value for subject, value in judge.items() if value != "cannot tell"})
        assert sum(stratum.judged + stratum.unjudged for stratum in found) == len(MACHINE)
        assert sum(stratum.positive for stratum in found) == list(VALUES.values()).count("yes")


def test_the_evidence_is_the_probability_of_the_sample():
    """Of one answer 1/2, of two that are the same 3/8, of two different ones 1/8."""
    samples = [(1, 1, 1 / 2), (2, 2, 3 / 8), (2, 1, 1 / 8), (0, 0, 1.0)]
    for sampled, positive, chance in samples:
        assert exp(log_evidence([JudgedStratum(sampled, positive, sampled, positive, 5)])) == pytest.approx(
            chance
        )
    strata = [
        JudgedStratum(sampled, positive, sampled, positive, 5) for sampled, positive, _chance in samples
    ]
    assert exp(log_evidence(strata)) == pytest.approx(1 / 2 * 3 / 8 * 1 / 8)


@pytest.mark.parametrize(("judge", "most"), [(say_yes(0.5), 1.02), (be_right(0.9), 0.85)])
def test_a_good_judge_narrows_the_interval_and_a_useless_one_costs_nothing(judge, most):
    """docs/judges.md has 2,000 of each."""
    random = np.random.default_rng(4)
    found = np.array([estimate(random, world, judge, 60, 20) for world in WORLDS for _run in range(RUNS)])
    held, width, alone = found.mean(axis=0)
    assert 0.92 <= held <= 0.99
    assert width / alone <= most


def test_the_interval_narrows_with_the_judge_of_the_example():
    (low, high), (first, last) = (predict_share(build(judge))[1:] for judge in (JUDGE, None))
    assert 0 < high - low < last - first
