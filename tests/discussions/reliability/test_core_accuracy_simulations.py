"""Simulated teams whose truth is known: the audit sample finds it, overrides alone do not."""

import random

import pytest

from discussions.adjudication.core.judgeable import audit_sample
from discussions.reliability.core.accuracy import compute_accuracy
from tests.discussions.reliability.test_core_accuracy import DEPTH, evaluated

pytestmark = pytest.mark.slow


SENSITIVITY, SPECIFICITY, PREVALENCE = 0.8, 0.7, 0.4


PRECISION = 100 * 0.32 / (0.32 + 0.18)


RECALL = 100 * SENSITIVITY


# How often a person who reads on comes upon a wrong yes of the machine, and upon a wrong no.
NOTICED = {"yes": 0.5, "no": 0.15}


def game(rng, number, *, prevalence=PREVALENCE):
    """What is true of each message, and what the machine says of it."""
    count = rng.choice((20, 40, 80, 160))
    true, machine = {}, {}
    for position in range(1, count + 1):
        true[position] = rng.random() < prevalence
        right = rng.random() < (SENSITIVITY if true[position] else SPECIFICITY)
        machine[DEPTH, str(position)] = "yes" if true[position] == right else "no"
    sample = audit_sample(f"{number}", DEPTH, count)
    said = [(DEPTH, str(position), "yes" if true[position] else "no") for position in sample]
    return true, evaluated(
        game=number, evaluation=number, said=said, sample=sample, values=machine, message_count=count
    )


def overridden(rng, true, evaluation):
    """(yes that stand, yes, people's yes) as whoever looks at overrides alone would count them."""
    stands = yes = people = 0
    for (_metric, subject), machine in evaluation.automatic.values.items():
        is_true = true[int(subject)]
        is_noticed = (machine == "yes") != is_true and rng.random() < NOTICED[machine]
        after = ("no" if machine == "yes" else "yes") if is_noticed else machine
        stands += machine == after == "yes"
        yes += machine == "yes"
        people += after == "yes"
    return stands, yes, people


def test_samples_are_unbiased_and_overrides_are_not():
    precision, recall, by_overrides = [], [], []
    for seed in range(200):
        rng = random.Random(seed)
        games = [game(rng, 1000 * seed + number) for number in range(1, 13)]
        (version,) = compute_accuracy(evaluation for _true, evaluation in games).versions
        precision.append(version.table(DEPTH).rate("precision").value)
        recall.append(version.table(DEPTH).rate("recall").value)
        counted = [overridden(rng, true, evaluation) for true, evaluation in games]
        stands, yes, people = (sum(column) for column in zip(*counted, strict=True))
        by_overrides.append((100 * stands / yes, 100 * stands / people))
    # The spread of one estimate is 6 points, that of the mean of 200 below half a point.
    assert sum(precision) / 200 == pytest.approx(PRECISION, abs=1.2)
    assert sum(recall) / 200 == pytest.approx(RECALL, abs=1.2)
    assert sum(evaluation for evaluation, _two in by_overrides) / 200 > PRECISION + 10
    assert sum(two for _one, two in by_overrides) / 200 > RECALL + 8


def test_where_games_differ_the_interval_over_games_holds_the_truth_and_wilsons_does_not():
    """The share of yes differs between games (0.1 to 0.9, mean 0.5): eight games, 400 times."""
    held = {"wilson": 0, "games": 0}
    for seed in range(400):
        rng = random.Random(seed)
        games = [
            game(rng, 1000 * seed + number, prevalence=rng.uniform(0.1, 0.9))[1] for number in range(1, 9)
        ]
        rate = compute_accuracy(games).versions[0].table(DEPTH).rate("by_people")
        held["wilson"] += rate.interval[0] <= 50 <= rate.interval[1]
        held["games"] += rate.over_games[0] <= 50 <= rate.over_games[1]
    assert held["games"] / 400 > 0.92
    assert held["wilson"] / 400 < 0.85
