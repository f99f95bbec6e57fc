"""Two iterations side by side: target, guardrails, the rubric's own rule, all metrics at once, looks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discussions.core.compare import compare, holm, look_refusal, material_of
from discussions.core.compared import INCONCLUSIVE, KEEP, REVERT, rule_of
from discussions.core.difference import IMPROVED, SAME, UNCLEAR, WORSE
from tests.core.iteration_games import GATED, METRICS, game, scores, without_memory

ROLE = "role_consistency"


def games(*values, key=ROLE, **more):
    """Games that differ in one metric."""
    return [game(number, **{key: value}, **more) for number, value in enumerate(values, 1)]


def test_a_target_that_improved_is_kept():
    found = compare(games(66, 68, 70), games(74, 78, 82), GATED, target=ROLE)
    assert (found.answer, found.proposal, found.action) == (IMPROVED, KEEP, "Keep the change.")
    assert found.says == "Role consistency: improved. 78.0 against 68.0, +10.0, +4.2 after shrinking."
    assert found.metric(ROLE).rule.says == "the rule says KEEP: 78.0 > 68.0"
    assert (found.look, found.looks_left, found.checks) == (1, 2, [])


def test_a_target_that_fell_is_reverted():
    found = compare(games(74, 78, 82), games(66, 68, 70), GATED, target=ROLE)
    assert (found.answer, found.proposal, found.action) == (WORSE, REVERT, "Revert the change.")
    assert found.metric(ROLE).rule.says == "the rule says REVERT: 68.0 < 78.0"


def test_a_target_that_did_not_move_is_reverted():
    found = compare(games(66, 68, 70), games(67, 68, 70), GATED, target=ROLE)
    assert (found.answer, found.proposal) == (SAME, REVERT)
    assert found.action == "Revert the change: what it does is too small to matter."


def test_cannot_tell_yet_keeps_the_earlier_prompt_or_collects_and_calls_nothing_worse():
    """s^2 = (128 + 194) / 4, 2.485^2 * 2 * 80.5 / 25 = 39.8, so 40 of each side, 37 more than there are."""
    found = compare(games(60, 68, 76), games(59, 64, 78), GATED, target=ROLE)
    assert found.metric(ROLE).difference.spread.variance == pytest.approx(80.5)
    assert (found.answer, found.proposal) == (UNCLEAR, INCONCLUSIVE)
    assert found.metric(ROLE).rule.keeps is False
    assert found.action == (
        "Stay with the earlier prompt for now, or collect games. About 37 more games on each side would show a "
        "difference of 5 points in role consistency; with 3 more each the interval would be ± 11.5. "
        "That does not call the change worse."
    )


def test_the_last_look_keeps_the_earlier_prompt():
    found = compare(games(60, 68, 76), games(59, 64, 78), GATED, target=ROLE, look=3)
    assert found.looks_left == 0
    assert found.action == (
        "Stay with the earlier prompt: this was the last of 3 looks. That does not call the change worse."
    )


def test_a_fourth_look_is_refused():
    assert [look_refusal(look) for look in (1, 2, 3)] == ["", "", ""]
    assert "compared 3 times already" in look_refusal(4)
    with pytest.raises(ValueError, match="3 looks are the most"):
        compare(games(60), games(70), GATED, look=4)


def test_a_target_that_the_rubric_lacks_is_refused():
    with pytest.raises(ValueError, match="no metric 'wit'"):
        compare(games(60), games(70), GATED, target="wit")


@pytest.mark.parametrize(
    ("control", "change", "keeps", "says"),
    [
        (68.0, 71.2, True, "the rule says KEEP: 71.2 > 68.0"),
        (68.0, 66.0, False, "the rule says REVERT: 66.0 < 68.0"),
        (68.0, 68.04, True, "the rule says KEEP: 68.04 > 68.00"),
        (68.0, 68.0, False, "the rule says REVERT: 68.0 = 68.0, which is not improved"),
    ],
)
def test_the_rule_in_the_words_of_the_rubric(control, change, keeps, says):
    found = rule_of("Coherence", *scores(control, change))
    assert (found.keeps, found.says) == (keeps, says)


def test_the_rule_says_nothing_of_what_is_not_known():
    assert rule_of("Coherence", None, scores(70)[0]).keeps is None


def test_a_guardrail_that_probably_fell():
    control = [game(n, **{ROLE: 66.0 + n, "coherence": 89.0 + n}) for n in (1, 2, 3)]
    change = [game(n, **{ROLE: 76.0 + n, "coherence": 64.0 + n}) for n in (1, 2, 3)]
    found = compare(control, change, GATED, target=ROLE)
    assert found.answer == IMPROVED
    assert [each.key for each in found.metrics if each.is_harmed] == ["coherence"]
    assert found.checks == ["Check coherence: it probably fell by more than 5."]
    assert found.action == "Keep the change, after a look at what is to be checked."


def test_the_target_is_no_guardrail():
    found = compare(games(89, 90, 91), games(64, 65, 66), GATED, target=ROLE)
    assert (found.answer, found.checks) == (WORSE, [])


def test_engagement_below_three_is_said_whatever_improved():
    change = [game(n, rating=rating, **{ROLE: 76.0 + n}) for n, rating in enumerate((2.5, 3.0, 3.0), 1)]
    found = compare(games(66, 68, 70), change, GATED, target=ROLE)
    assert found.checks == [
        "Engagement is 2.8 on average, below 3.0: by the rubric the iteration fails, whatever else improved."
    ]


def test_games_to_which_the_target_does_not_apply_are_left_out_and_named():
    """The rubric's rule counts them 100; the answer rests on the two games that have references."""
    control = [game(1, memory_accuracy=60.0), game(2, memory_accuracy=62.0), without_memory(3)]
    change = [game(4, memory_accuracy=70.0), game(5, memory_accuracy=72.0), game(6, memory_accuracy=74.0)]
    found = compare(control, change, GATED, target="memory_accuracy").metric("memory_accuracy")
    assert (found.difference.control_count, found.difference.control_mean, found.left_out) == (2, 61, 1)
    assert found.rule.says == "the rule says REVERT: 72.0 < 74.0"
    assert found.notes == [
        "SD from only 3 df: the spread between games rests on 5 games.",
        "Left out: 1 game to which the metric does not apply.",
        "Exact permutation p 0.10, two-sided; with 3 against 2 games it cannot be below 0.10.",
    ]


def test_three_against_three_cannot_be_significant_by_the_exact_test():
    found = compare(games(1, 2, 3), games(97, 98, 99), GATED, target=ROLE).metric(ROLE)
    assert found.notes == [
        "Exact permutation p 0.10, two-sided; with 3 against 3 games it cannot be below 0.10."
    ]
    assert found.answer == IMPROVED


def test_earlier_batches_lend_their_spread():
    earlier = [games(50, 60, 70), games(40, 50, 60)]
    found = compare(games(66, 68, 70), games(74, 78, 82), GATED, target=ROLE, earlier=earlier)
    assert found.metric(ROLE).difference.spread.df == 8
    assert found.answer == UNCLEAR


def test_material_differences():
    assert (material_of("coherence"), material_of("engagement")) == (5.0, 0.3)
    assert material_of("coherence", {"coherence": 2.0}) == 2.0
    found = compare(games(66, 68, 70), games(67, 68, 70), GATED, target=ROLE, material={ROLE: 0.5})
    assert found.answer == UNCLEAR
    assert "of 0.5 points in role consistency" in found.action


# -- all metrics at once -------------------------------------------------------------------------------------------


def test_holm_by_hand():
    """0.01 * 3, then 0.02 * 2 and 0.04 * 1, where none falls below the one before."""
    assert holm([0.04, 0.01, 0.02]) == pytest.approx([0.04, 0.03, 0.04])
    assert holm([0.5, 0.6]) == [1.0, 1.0]
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9))
def test_holm_rejects_as_the_step_down_test_does(tails):
    rejected = set()
    for rank, place in enumerate(sorted(range(len(tails)), key=tails.__getitem__)):
        if tails[place] * (len(tails) - rank) >= 0.05:
            break
        rejected.add(place)
    assert {place for place, p in enumerate(holm(tails)) if p < 0.05} == rejected


def test_without_a_target_one_of_seven_needs_more_to_be_called_improved():
    """What was enough for a named target, P = .967, is not enough for one of seven: (1 - .967) * 7 > .05."""
    found = compare(games(66, 68, 70), games(74, 78, 82), GATED)
    assert found.metric(ROLE).difference.answer == IMPROVED
    assert (found.metric(ROLE).answer, found.answer) == (UNCLEAR, UNCLEAR)
    assert found.says == "No target was named, so all 7 metrics answer together: cannot tell yet."


def test_without_a_target_a_clear_improvement_shows():
    found = compare(games(66, 67, 68, 69), games(89, 90, 91, 92), GATED)
    assert (found.answer, found.proposal) == (IMPROVED, KEEP)
    assert found.says == (
        "No target was named, so all 7 metrics answer together: improved (role consistency improved)."
    )


def test_without_a_target_better_and_worse_together_cannot_tell():
    control = [game(n, **{ROLE: 66.0 + n, "coherence": 88.0 + n}) for n in range(4)]
    change = [game(n, **{ROLE: 89.0 + n, "coherence": 66.0 + n}) for n in range(4)]
    found = compare(control, change, GATED)
    assert (found.answer, found.proposal) == (UNCLEAR, INCONCLUSIVE)
    assert "coherence worse, role consistency improved" in found.says
    assert found.checks == ["Check coherence: it probably fell by more than 5."]


def test_without_a_target_all_alike_is_no_material_difference():
    assert compare(games(90, 90), games(90, 90), GATED).answer == SAME


def test_what_is_no_target_is_corrected_too():
    found = compare(games(66, 68, 70), games(74, 78, 82), GATED, target="coherence")
    assert found.metric(ROLE).answer == UNCLEAR


def test_iterations_without_games_are_compared_without_a_word_too_much():
    found = compare([], [], GATED, target=ROLE)
    assert (found.answer, found.proposal) == (UNCLEAR, INCONCLUSIVE)
    assert found.says == "Role consistency: cannot tell yet. One of the two has no game with this figure."
    assert "How many are needed shows once games of one batch differ." in found.action


seven = st.fixed_dictionaries({key: st.integers(0, 20).map(lambda n: 5.0 * n) for key in METRICS})
batches = st.lists(seven, min_size=1, max_size=4)


@given(batches, batches, st.sampled_from([None, ROLE]))
def test_the_other_way_round_is_the_opposite(control, change, target):
    first = [game(n, **values) for n, values in enumerate(control, 1)]
    second = [game(n, **values) for n, values in enumerate(change, 1)]
    one, other = compare(first, second, GATED, target=target), compare(second, first, GATED, target=target)
    opposite = {IMPROVED: WORSE, WORSE: IMPROVED}
    assert other.answer == opposite.get(one.answer, one.answer)
    for key in METRICS:
        mine, theirs = one.metric(key), other.metric(key)
        assert theirs.answer == opposite.get(mine.answer, mine.answer)
        assert not (mine.rule.keeps and theirs.rule.keeps)
        # What is corrected is never bolder than what is not.
        assert mine.answer in (mine.difference.answer, UNCLEAR, SAME)
