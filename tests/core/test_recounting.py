"""Arithmetic on stored measurements: every subject, every label, thresholds on whole numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discussions.core.metrics import figure_value, measure_game, passes, recount, score_of, without_deliberate
from discussions.core.records import Measurement, Score
from tests.core.builders import game, measured, rubric

PARAMETERS = rubric().parameters
GAME = game(
    messages=[
        ("Alpha", "Earlier you voted for me. Hello, hello all of you.", 2),
        ("Bravo", "I am mafia. As I said before.", 2),
        ("Charlie", "I think it was you in round 1.", 2),
        ("Alpha", "Hello all of you, slow down", 2),
    ],
    roles={"Alpha": "Villager", "Bravo": "Mafia", "Charlie": None},
)
ALL = measure_game(GAME, rubric())


def test_memory_is_pending_until_every_counted_reference_has_a_label() -> None:
    memory = ALL["memory_accuracy"]
    assert recount(memory, {}, PARAMETERS).missing == ["1.1", "3.1"]
    half = recount(memory, {"1.1": "accurate"}, PARAMETERS)
    assert (half.is_pending, figure_value(half), half.missing, passes(half, 80)) == (
        True,
        None,
        ["3.1"],
        None,
    )
    done = recount(memory, {"1.1": "accurate", "3.1": "vague"}, PARAMETERS)
    assert (done.is_pending, figure_value(done), done.missing) == (False, 50.0, [])
    assert done.counts == {"accurate": 1, "inaccurate": 0, "vague": 1, "not_a_reference": 0}


def test_memory_counts_accepted_and_missed_references_and_drops_what_is_none() -> None:
    labels = {"1.1": "accurate", "3.1": "not_a_reference", "2.2": "inaccurate", "4.1": "accurate"}
    score = recount(ALL["memory_accuracy"], labels, PARAMETERS)
    assert (score.numerator, score.denominator) == (2, 3)
    waiting = recount(
        ALL["memory_accuracy"], {"1.1": "accurate", "3.1": "accurate"}, PARAMETERS, added={"2.2"}
    )
    assert (waiting.is_pending, waiting.missing) == (True, ["2.2"])


def test_memory_without_any_reference_left_passes_by_rule() -> None:
    score = recount(ALL["memory_accuracy"], {"1.1": "not_a_reference", "3.1": "not_a_reference"}, PARAMETERS)
    assert (score.is_applicable, figure_value(score), passes(score, 80)) == (False, 100.0, True)


def test_memory_without_the_deliberate_lies() -> None:
    labels = {"1.1": "accurate", "3.1": "inaccurate"}
    score = without_deliberate(ALL["memory_accuracy"], labels, {"3.1"})
    assert (score.numerator, score.denominator, figure_value(score)) == (1, 1, 100.0)


def test_overrides_go_both_ways() -> None:
    depth = ALL["strategic_depth"]
    assert (depth.counted, depth.numerator) == ([1, 3], 2)
    assert recount(depth, {"1": "no", "4": "yes", "2": "yes"}, PARAMETERS).numerator == 3
    late = {**PARAMETERS, "coherence_denominator": "after_first"}
    assert recount(ALL["coherence"], {"1": "yes", "2": "yes"}, PARAMETERS).denominator == 4
    score = recount(ALL["coherence"], {"1": "yes", "2": "yes", "3": "no", "4": "no"}, late)
    assert (score.numerator, score.denominator) == (1, 3)


def test_roles_wait_for_suspects_and_the_sample() -> None:
    roles = ALL["role_consistency"]
    assert [finding.rule for finding in roles.messages] == [
        "gives_reason", "confesses", "unknown_side", "deflects_without_reason",
    ]  # fmt: skip
    assert recount(roles, {}, PARAMETERS).missing == ["2", "4"]
    assert recount(roles, {}, PARAMETERS, sample={"1", "2"}).missing == ["1", "2", "4"]
    labels = {"1": "not_assessable", "2": "consistent", "4": "inconsistent"}
    score = recount(roles, labels, PARAMETERS, sample={"1", "2"})
    assert (score.is_pending, score.numerator, score.denominator) == (False, 1, 4)


def test_an_acceptable_phrase_is_not_repeated() -> None:
    repetition = measured(
        "anti_repetition", game(messages=[("Al", "one two three"), ("Al", "one two three")])
    )
    score = recount(
        repetition, {"1|one two three": "acceptable", "2|one two three": "acceptable"}, PARAMETERS
    )
    assert (score.numerator, score.denominator) == (2, 2)


def test_unique_players_stay_as_measured() -> None:
    assert recount(ALL["personality_diversity"], {"1": "no"}, PARAMETERS) == score_of(
        ALL["personality_diversity"]
    )


@pytest.mark.parametrize(
    ("numerator", "denominator", "threshold", "expected"),
    [
        (1999, 2500, 80.0, False),
        (4, 5, 80.0, True),
        (7996, 10000, 80, False),
        (9, 10, 90.0, True),
        (2, 3, 66.7, False),
    ],
)
def test_thresholds_are_compared_unrounded(
    numerator: int, denominator: int, threshold: float, *, expected: bool
) -> None:
    assert passes(Score("coherence", numerator, denominator), threshold) is expected


def test_nothing_to_divide_by_neither_passes_nor_fails() -> None:
    assert passes(Score("coherence", 0, 0), 70) is None


def said(measurement: Measurement) -> dict[str, str]:
    """The machine's own value for every message."""
    words = ("consistent", "inconsistent") if measurement.metric == "role_consistency" else ("yes", "no")
    return {str(finding.message): words[0 if finding.counts else 1] for finding in measurement.messages}


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["Alpha", "Bravo"]), st.sampled_from(["I think so", "Alpha lies", "calm down"])
        ),
        max_size=8,
    )
)
def test_overriding_to_what_the_machine_said_changes_nothing(messages: list[tuple[str, str]]) -> None:
    found = measure_game(game(messages=messages, roles={"Alpha": "Mafia"}), rubric())
    for key in ("strategic_depth", "coherence", "role_consistency"):
        score = recount(found[key], said(found[key]), PARAMETERS)
        assert (score.numerator, score.denominator) == (found[key].numerator, found[key].denominator)
        assert not score.is_pending


def test_roles_wait_also_when_the_rules_object_to_nothing() -> None:
    found = measure_game(
        game(
            messages=[("Alpha", "Why did you vote for Bravo?", 1)],
            roles={"Alpha": "Villager", "Bravo": "Mafia"},
        ),
        rubric(),
    )
    roles = found["role_consistency"]
    assert [finding.counts for finding in roles.messages] == [True]
    assert recount(roles, {}, PARAMETERS).is_pending
    assert not recount(roles, {"1": "consistent"}, PARAMETERS).is_pending
