"""What would change it: minimal by comparison with trying everything on small cases."""

from fractions import Fraction
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discussions.core.flip import flip_of_phrases, flip_of_references, flip_of_share, flip_of_verdict
from discussions.core.outcome import Facts
from tests.core.verdict_examples import APPENDIX, PASSING, share, verdict, with_failing

thresholds = st.sampled_from(
    [Fraction(50), Fraction(60), Fraction(70), Fraction(80), Fraction(90), Fraction("66.5")]
)


def passes(numerator, denominator, threshold):
    return 100 * numerator >= threshold * denominator


@pytest.mark.parametrize(
    ("numerator", "denominator", "threshold", "distance"),
    [
        (34, 50, 60, 5),
        (30, 50, 60, 1),
        (29, 50, 60, 1),
        (38, 50, 80, 2),
        (0, 50, 60, 30),
        (0, 0, 60, None),
        (3, 3, 0, None),
    ],
)
def test_messages_to_judge_otherwise(numerator, denominator, threshold, distance):
    assert flip_of_share(numerator, denominator, Fraction(threshold)) == distance


@given(st.lists(st.booleans(), min_size=1, max_size=7), thresholds)
def test_messages_brute_force(counts, threshold):
    now = passes(sum(counts), len(counts), threshold)
    found = None
    for size in range(1, len(counts) + 1):
        turned = (
            sum(not value if at in chosen else value for at, value in enumerate(counts))
            for chosen in combinations(range(len(counts)), size)
        )
        if any(passes(count, len(counts), threshold) != now for count in turned):
            found = size
            break
    assert flip_of_share(sum(counts), len(counts), threshold) == found


LABELS = ("accurate", "wrong", "out")


def memory_passes(labels, threshold):
    judged = [label for label in labels if label != "out"]
    return not judged or passes(judged.count("accurate"), len(judged), threshold)


@given(st.lists(st.sampled_from(LABELS), min_size=1, max_size=4), thresholds)
def test_references_brute_force_over_every_relabelling_and_one_missed_sentence_each(labels, threshold):
    """Sentences nobody marked are tried too: as many "out" labels again as there are references."""
    everything = [*labels, "out", "out"]
    now = memory_passes(everything, threshold)
    distances = [
        sum(one != other for one, other in zip(everything, other_labels, strict=True))
        for other_labels in product(LABELS, repeat=len(everything))
        if memory_passes(other_labels, threshold) != now
    ]
    judged = [label for label in labels if label != "out"]
    found = flip_of_references(judged.count("accurate"), len(judged), threshold, has_messages=True)
    assert found == min(distances)


def test_a_game_without_a_sentence_has_no_reference_to_turn():
    assert flip_of_references(0, 0, Fraction(80), has_messages=False) is None
    assert flip_of_references(0, 0, Fraction(80), has_messages=True) == 1


@given(
    st.lists(st.integers(2, 6), max_size=6),
    st.lists(st.integers(2, 6), max_size=4),
    st.integers(1, 30),
    thresholds,
)
def test_phrases_brute_force(repeated, accepted, others, threshold):
    counted = sum(repeated) + sum(accepted) + others
    phrases = [(weight, True) for weight in repeated] + [(weight, False) for weight in accepted]
    now = passes(counted - sum(repeated), counted, threshold)
    found = None
    for size in range(1, len(phrases) + 1):
        standing = (
            sum(weight for at, (weight, stands) in enumerate(phrases) if stands != (at in chosen))
            for chosen in combinations(range(len(phrases)), size)
        )
        if any(passes(counted - rate, counted, threshold) != now for rate in standing):
            found = size
            break
    assert flip_of_phrases(counted, repeated, accepted, threshold) == found


@given(st.lists(st.tuples(st.none() | st.integers(1, 20), st.booleans()), max_size=7), st.integers(1, 7))
def test_verdict_brute_force_over_every_set_of_metrics(every, needed):
    now = sum(stands for _distance, stands in every) >= needed
    totals = []
    for chosen in product([False, True], repeat=len(every)):
        distances = [distance for (distance, _stands), turned in zip(every, chosen, strict=True) if turned]
        count = sum(stands != turned for (_distance, stands), turned in zip(every, chosen, strict=True))
        if None not in distances and (count >= needed) != now:
            totals.append(sum(distances))
    passing = [distance for distance, stands in every if stands]
    failing = [distance for distance, stands in every if not stands]
    found = flip_of_verdict(passing=passing, failing=failing, needed=needed, is_open=True)
    assert found == (min(totals) if totals else None)


def test_the_appendix_turns_with_two_metrics():
    """Six pass, so two must fall: memory 17/20 needs 2, coherence 37/50 needs 3, strategic depth 34/50 needs 5."""
    outcome = verdict(APPENDIX, facts=Facts(repeated=[8]))
    flips = {line.key: line.flip for line in outcome.lines}
    assert flips == {
        "memory_accuracy": 2,
        "strategic_depth": 5,
        "coherence": 3,
        "role_consistency": 2,
        "personality_diversity": None,
        "anti_repetition": None,
        "engagement": None,
    }
    assert outcome.flip_distance == 5


def test_no_judgement_turns_what_the_rating_or_the_cost_decides():
    assert verdict(PASSING, rating="2.5").flip_distance is None
    assert verdict(PASSING, cost="3.40").flip_distance is None


def test_a_fail_turns_with_its_cheapest_metric():
    scores = with_failing("personality_diversity", "strategic_depth", coherence=share(69, 100))
    assert verdict(scores).flip_distance == 1


def test_phrases_turn_whole():
    scores = PASSING | {"anti_repetition": share(80, 100)}
    line = verdict(scores, facts=Facts(repeated=[3, 4, 6, 7])).line("anti_repetition")
    assert line.flip == 2
