"""Two iterations side by side: target, what to do, falls and gains, the rubric's own rule, all metrics at once."""

from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from discussions.comparison.core.comparison import (
    apply_rubric_rule,
    compare,
    get_material_difference,
    holm,
    look_refusal,
)
from discussions.comparison.core.difference import IMPROVED, SAME, UNCLEAR, WORSE, compute_answer_chances
from discussions.comparison.core.sentences import (
    DROP,
    PLAY_MORE,
    PLAY_REFERENCE,
    SWITCH,
    WAIT,
    say_chance,
    say_how_often,
)
from discussions.core.iteration_states import INCONCLUSIVE, KEEP, REVERT
from discussions.iterations.core.figures import GameFigures
from discussions.iterations.core.next_target import next_target
from tests.factories.iteration_figures import GATED, METRICS, game, scores, without_memory

ROLE = "role_consistency"
COHERENCE = "coherence"
# Games of which three against three say nothing: an SD of 8.
WIDE = (60, 68, 76)


def games(*values, key=ROLE, start=1, **more):
    """Games that differ in one metric."""
    return [game(number, **{key: value}, **more) for number, value in enumerate(values, start)]


def both(control, change, **more):
    """Two sides whose target and coherence differ: pairs of scores, the target's first."""
    return [
        [
            game(number, **{ROLE: role, COHERENCE: coherence}, **more)
            for number, (role, coherence) in enumerate(side, start)
        ]
        for side, start in ((control, 1), (change, 11))
    ]


# -- what to do ----------------------------------------------------------------------------------------------------


def test_a_target_that_improved_is_kept():
    found = compare(games(60, 62, 64), games(80, 82, 84), GATED, target=ROLE)
    assert (found.answer, found.proposal, found.act) == (IMPROVED, KEEP, KEEP)
    assert (found.action, found.reason, found.chance) == ("Keep the change.", "", 0.0)
    assert found.says.startswith("Role consistency is 1") and found.says.endswith(
        " points better: 82 against 62."
    )
    assert found.metric(ROLE).rule.says == "the rule says KEEP: 82.0 > 62.0"
    assert (found.look, found.checks, found.gains, found.next_target) == (1, [], [], "")


def test_a_target_that_fell_is_reverted():
    found = compare(games(80, 82, 84), games(60, 62, 64), GATED, target=ROLE)
    assert (found.answer, found.proposal, found.act) == (WORSE, REVERT, REVERT)
    assert (found.action, found.reason) == ("Revert the change.", "")
    assert found.metric(ROLE).rule.says == "the rule says REVERT: 62.0 < 82.0"


def test_a_target_that_did_not_move_is_reverted():
    found = compare(games(67, 68, 69), games(67, 68.5, 70), GATED, target=ROLE)
    assert (found.answer, found.proposal, found.act) == (SAME, REVERT, REVERT)
    assert found.says == "Role consistency differs by less than 5 points: 69 against 68."


def test_more_games_are_proposed_with_the_chance_that_they_give_an_answer():
    found = compare(games(*WIDE), games(74, 82, 90), GATED, target=ROLE)
    assert (found.answer, found.proposal, found.act) == (UNCLEAR, INCONCLUSIVE, PLAY_MORE)
    assert found.action == "Play 3 more games on each side."
    assert found.chance == compute_answer_chances(found.metric(ROLE).difference, 2).total > 0.2
    says = f"{say_chance(found.chance)} of an answer within 2 looks (9 games a side)".capitalize()
    assert found.reason == f"{says}; if there is one, most likely “better”."
    found = compare(games(*WIDE), games(74, 82, 90), GATED, target=ROLE, look=2)
    assert "of an answer at the next look (6 games a side)" in found.reason


def test_what_two_more_looks_would_hardly_answer_is_dropped_at_once():
    """Equal means and an SD of 8: t(.95, 16) 8 √(2/9) = 6.6 is wider than 5 points even with nine games a side."""
    assert stats.t.ppf(0.95, 16) * 8 * sqrt(2 / 9) > 5
    found = compare(games(*WIDE), games(*WIDE), GATED, target=ROLE)
    assert compute_answer_chances(found.metric(ROLE).difference, 2).total < 0.2
    assert (found.answer, found.proposal, found.act, found.chance) == (UNCLEAR, INCONCLUSIVE, DROP, 0.0)
    assert found.action == "Drop the change."
    assert found.reason == "Even 9 games a side would hardly give an answer: games differ by 8 points."


def test_the_last_look_drops_what_it_does_not_answer():
    found = compare(games(*WIDE), games(74, 82, 90), GATED, target=ROLE, look=3)
    assert (found.act, found.reason) == (DROP, "Three looks gave no answer.")


def test_one_game_a_side_asks_for_more():
    found = compare(games(60), games(70), GATED, target=ROLE)
    assert (found.act, found.reason) == (
        PLAY_MORE,
        "No batch has two games, so nobody knows how much games differ by chance.",
    )
    assert compare(games(60), games(70), GATED, target=ROLE, look=3).act == DROP


def test_a_control_that_was_kept_by_these_games_calls_nothing_worse_and_is_played_again():
    for change in (games(40, 42, 44), games(*WIDE), games(61, 62, 63)):
        found = compare(games(60, 62, 64), change, GATED, target=ROLE, flattered=[ROLE])
        assert (found.answer, found.proposal, found.act) == (UNCLEAR, INCONCLUSIVE, PLAY_REFERENCE)
        assert found.action == "Play 3 more games of the reference."
        assert found.reason.endswith("was kept because of these games; fresh games have no such luck.")
        assert "worse" not in found.says
    better = compare(games(60, 62, 64), games(80, 82, 84), GATED, target=ROLE, flattered=[ROLE])
    assert (better.answer, better.act) == (IMPROVED, KEEP)


def test_a_metric_that_is_flattered_is_not_checked_and_the_others_are():
    control, change = both(((60, 90), (62, 91), (64, 92)), ((80, 64), (82, 65), (84, 66)))
    plain = compare(control, change, GATED, target=ROLE)
    assert (plain.act, [metric.key for metric in plain.metrics if metric.is_harmed]) == (KEEP, [COHERENCE])
    found = compare(control, change, GATED, target=ROLE, flattered=[COHERENCE])
    assert (found.act, found.checks, found.metric(COHERENCE).answer) == (KEEP, [], UNCLEAR)


def test_a_fourth_look_is_refused():
    assert [look_refusal(look) for look in (1, 2, 3)] == ["", "", ""]
    assert "compared 3 times already" in look_refusal(4)
    with pytest.raises(ValueError, match="3 looks are the most"):
        compare(games(60), games(70), GATED, look=4)


def test_a_target_that_the_rubric_lacks_is_refused():
    with pytest.raises(ValueError, match="no metric 'wit'"):
        compare(games(60), games(70), GATED, target="wit")


# -- the rubric's rule ---------------------------------------------------------------------------------------------


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
    found = apply_rubric_rule("Coherence", *scores(control, change))
    assert (found.keeps, found.says) == (keeps, says)


def test_the_rule_says_nothing_of_what_is_not_known():
    assert apply_rubric_rule("Coherence", None, scores(70)[0]).keeps is None


# -- falls and gains -----------------------------------------------------------------------------------------------


def test_a_fall_that_chance_hardly_shows_is_checked_with_its_lowest_game():
    """SD 1, a fall of 25."""
    control, change = both(((60, 90), (62, 91), (64, 92)), ((80, 66), (82, 64), (84, 65)))
    found = compare(control, change, GATED, target=ROLE)
    assert found.answer == IMPROVED
    assert [metric.key for metric in found.metrics if metric.is_harmed] == [COHERENCE]
    assert found.checks == ["Coherence is 26 points lower (by chance: hardly ever). Look at game 12."]


def test_a_fall_that_chance_shows_more_often_than_one_time_in_five_is_no_check():
    """SD 8, 3 against 3: P(t(4) > 6 / 6.53) = .205 for a fall of 6, P(t(4) > 7 / 6.53) = .172 for one of 7."""
    control = games(72, 80, 88, key=COHERENCE)
    six = compare(control, games(66, 74, 82, key=COHERENCE, start=11), GATED, target=ROLE)
    seven = compare(control, games(65, 73, 81, key=COHERENCE, start=11), GATED, target=ROLE)
    assert [stats.t.sf(fall / (8 * sqrt(2 / 3)), 4) > 0.2 for fall in (6, 7)] == [True, False]
    assert (six.checks, six.metric(COHERENCE).is_harmed, six.metric(COHERENCE).lowest) == ([], False, None)
    often = say_how_often(stats.t.sf(7 / (8 * sqrt(2 / 3)), 4))
    assert seven.checks == [f"Coherence is 7 points lower (by chance: {often}). Look at game 11."]
    assert seven.metric(COHERENCE).answer == UNCLEAR


def test_the_target_is_no_check():
    found = compare(games(89, 90, 91), games(64, 65, 66), GATED, target=ROLE)
    assert (found.answer, found.checks) == (WORSE, [])


def test_engagement_below_three_is_said_whatever_improved():
    change = [game(n, rating=rating, **{ROLE: 79.0 + n}) for n, rating in enumerate((2.5, 3.0, 3.0), 11)]
    found = compare(games(60, 62, 64), change, GATED, target=ROLE)
    assert found.act == KEEP
    assert found.checks == [
        "Engagement is 0.7 points lower (by chance: hardly ever). Look at game 11.",
        "Engagement is 2.8 on average, below 3.0: by the rubric the iteration fails.",
    ]


def test_another_metric_that_improved_is_a_gain_and_the_next_target():
    """Both vary; Holm's correction multiplies the smallest p of the six others by 6."""
    control, change = both(((60, 60), (68, 61), (76, 62)), ((62, 90), (70, 91), (78, 92)))
    found = compare(control, change, GATED, target=ROLE)
    gained = found.metric(COHERENCE)
    assert 6 * stats.t.sf(30 / sqrt(2 / 3), 4) < gained.difference.level[0]
    assert (found.answer, gained.answer, found.next_target) == (UNCLEAR, IMPROVED, COHERENCE)
    assert (found.act, found.action) == (SWITCH, "Play 3 more games for another target.")
    (says,) = found.gains
    assert says.startswith("Not the target, but improved: Coherence is 2")
    assert says.endswith(" points better: 91 against 61.")


def test_a_gain_beside_an_improved_target_is_no_next_target():
    control, change = both(((60, 60), (62, 61), (64, 62)), ((80, 90), (82, 91), (84, 92)))
    found = compare(control, change, GATED, target=ROLE)
    assert (found.act, len(found.gains), found.next_target) == (KEEP, 1, "")


def test_without_a_target_nothing_is_a_gain_besides_it():
    found = compare(games(60, 61, 62), games(90, 91, 92), GATED)
    assert (found.answer, found.gains, found.next_target) == (IMPROVED, [], "")


# -- what is compared ----------------------------------------------------------------------------------------------


def test_games_to_which_the_target_does_not_apply_are_left_out_and_named():
    """The rubric's rule counts them 100; the answer rests on the two games that have references."""
    control = [game(1, memory_accuracy=60.0), game(2, memory_accuracy=62.0), without_memory(3)]
    change = [game(4, memory_accuracy=70.0), game(5, memory_accuracy=72.0), game(6, memory_accuracy=74.0)]
    found = compare(control, change, GATED, target="memory_accuracy").metric("memory_accuracy")
    assert (found.difference.control_count, found.difference.control_mean, found.left_out) == (2, 61, 1)
    assert found.rule.says == "the rule says REVERT: 72.0 < 74.0"
    assert found.verdict_means == (74, 72)


def estimated(people, verdicts, start, **more):
    """Games with a score of the verdict and people's estimate of it, None for no estimate."""
    return [
        game(number, **{ROLE: verdict}, people={} if share is None else {ROLE: share}, **more)
        for number, (share, verdict) in enumerate(zip(people, verdicts, strict=True), start)
    ]


def test_peoples_estimates_are_compared_where_every_game_has_one():
    control, change = estimated((60, 62, 64), (90, 92, 94), 1), estimated((80, 82, 84), (90, 92, 94), 11)
    metric = compare(control, change, GATED, target=ROLE).metric(ROLE)
    assert (metric.by_people, metric.answer, metric.verdict_means) == (True, IMPROVED, (92, 92))
    assert (metric.difference.control_mean, metric.difference.change_mean) == (62, 82)
    assert metric.rule.says == "the rule says REVERT: 92.0 = 92.0, which is not improved", (
        "verdicts, as recorded"
    )
    says = compare(control, change, GATED, target=ROLE).says
    assert says.startswith("Role consistency by people's estimate is ") and says.endswith("82 against 62.")


def test_one_game_without_an_estimate_leaves_all_to_the_verdicts():
    control, change = estimated((60, 62, None), (90, 92, 94), 1), estimated((80, 82, 84), (90, 92, 94), 11)
    metric = compare(control, change, GATED, target=ROLE).metric(ROLE)
    assert (metric.by_people, metric.answer, metric.difference.raw) == (False, SAME, 0)
    assert "people's estimate" not in compare(control, change, GATED, target=ROLE).says


def test_a_game_to_which_the_metric_does_not_apply_needs_no_estimate():
    control = [*estimated((60, 62, 64), (90, 92, 94), 1), game(4, not_applicable=[ROLE])]
    metric = compare(control, estimated((80, 82, 84), (90, 92, 94), 11), GATED, target=ROLE).metric(ROLE)
    assert (metric.by_people, metric.left_out, metric.difference.control_count) == (True, 1, 3)


def test_estimates_of_earlier_games_alone_lend_their_spread():
    """The earlier batch has one estimate of two, so it has none to lend: 4 df of the pair alone."""
    earlier = [estimated((50, None), (60, 90), 21), estimated((50, 70), (60, 60), 31)]
    sides = estimated((60, 62, 64), (90, 92, 94), 1), estimated((80, 82, 84), (90, 92, 94), 11)
    found = compare(*sides, GATED, target=ROLE, earlier=earlier).metric(ROLE).difference
    assert (found.spread.df, found.spread.variance) == (5, pytest.approx((8 + 8 + 200) / 5))


def pairs_of(control, change):
    """Games that were played in pairs, in another order on the other side; None for no pair."""
    first = [game(n, **{ROLE: score}, pair=pair) for n, (pair, score) in enumerate(control, 1)]
    return first, [game(n, **{ROLE: score}, pair=pair) for n, (pair, score) in enumerate(change, 11)]


def test_games_of_one_pair_are_compared_with_each_other():
    """9, 10 and 11 points more in each pair; the fourth game of the control has no other half."""
    sides = pairs_of([("a", 40), ("b", 60), ("c", 80), ("d", 10)], [("c", 91), ("a", 49), ("b", 70)])
    found = compare(*sides, GATED, target=ROLE).metric(ROLE)
    assert (found.difference.pair_count, found.difference.raw, found.answer) == (3, 10, IMPROVED)
    assert found.difference.better == pytest.approx(
        stats.ttest_1samp((9, 10, 11), 0, alternative="greater").pvalue
    )


@pytest.mark.parametrize(
    ("control", "change"),
    [
        # Two pairs are too few, three of four do not cover the smaller side, and a game has no pair.
        ([("a", 40), ("b", 60)], [("a", 50), ("b", 71)]),
        (
            [("a", 40), ("b", 60), ("c", 80), ("d", 10)],
            [("a", 49), ("b", 70), ("c", 91), ("e", 20)],
        ),
        ([("", 40), ("", 60), ("", 80)], [("", 49), ("", 70), ("", 91)]),
    ],
)
def test_few_pairs_are_compared_as_games_without(control, change):
    found = compare(*pairs_of(control, change), GATED, target=ROLE).metric(ROLE)
    assert (found.difference.pair_count, found.difference.change_count) == (0, len(change))


def test_what_picked_the_target_is_taken_off_as_it_was_announced():
    """Two of the four games of the control picked it: half of the rise that was announced by those two."""
    picked = [game(n, **{ROLE: 60.0 + 4 * n, COHERENCE: 90.0 - 4 * n}) for n in (1, 2)]
    earlier = [[game(n, **{ROLE: 70.0 + 9 * n, COHERENCE: 90.0 - 9 * n}) for n in (1, 2, 3)], games(60, 80)]
    announced = next_target(picked, GATED, earlier=earlier[:1])
    assert announced.target.key == ROLE and announced.rebound > 0
    control = [*picked, *games(70, 78, start=5)]
    given = {"earlier": earlier, "picked": picked, "earlier_count": 1, "target": ROLE}
    found = compare(control, games(80, 90, start=11), GATED, **given).metric(ROLE).difference
    assert found.rebound == pytest.approx(announced.rebound / 2, abs=1e-4)
    assert (found.picked_share, found.judged) == (0.5, pytest.approx(found.raw - found.rebound))
    later = compare(control, games(60, 70, 99, start=11), GATED, **given).metric(ROLE).difference
    assert later.rebound == found.rebound, "fixed since the target was named"
    other = compare(control, games(80, 90, start=11), GATED, **(given | {"target": COHERENCE}))
    assert [metric.difference.rebound for metric in other.metrics] == [0.0] * 7


def test_earlier_batches_lend_their_spread():
    earlier = [games(50, 60, 70), games(40, 50, 60)]
    found = compare(games(60, 62, 64), games(80, 82, 84), GATED, target=ROLE, earlier=earlier)
    assert found.metric(ROLE).difference.spread.df == 8


def test_material_differences():
    assert (get_material_difference(COHERENCE), get_material_difference("engagement")) == (5.0, 0.3)
    assert get_material_difference(COHERENCE, {COHERENCE: 2.0}) == 2.0
    found = compare(games(67, 68, 69), games(67, 68.5, 70), GATED, target=ROLE, material={ROLE: 0.5})
    assert (found.answer, found.metric(ROLE).difference.material) == (UNCLEAR, 0.5)


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
    """What is enough for a named target is not enough for one of seven: 7 p is not below the level."""
    sides = games(60, 62, 64), games(71, 73, 75)
    found = compare(*sides, GATED).metric(ROLE)
    assert stats.t.sf(11 / sqrt(8 / 3), 4) < found.difference.level[0] < 7 * stats.t.sf(11 / sqrt(8 / 3), 4)
    assert compare(*sides, GATED, target=ROLE).answer == IMPROVED
    assert (
        found.difference.interval[0]
        < 0
        < compare(*sides, GATED, target=ROLE).metric(ROLE).difference.interval[0]
    )
    assert (found.answer, compare(*sides, GATED).answer) == (UNCLEAR, UNCLEAR)
    says = compare(*sides, GATED).says
    assert says == "No target was named, so all 7 metrics answer together: cannot tell yet."


def test_without_a_target_a_clear_improvement_shows():
    found = compare(games(66, 67, 68, 69), games(89, 90, 91, 92), GATED)
    assert (found.answer, found.proposal, found.act) == (IMPROVED, KEEP, KEEP)
    assert found.says == (
        "No target was named, so all 7 metrics answer together: improved (role consistency improved)."
    )


def test_without_a_target_better_and_worse_together_cannot_tell():
    control = [game(n, **{ROLE: 66.0 + n, COHERENCE: 88.0 + n}) for n in range(4)]
    change = [game(n, **{ROLE: 89.0 + n, COHERENCE: 66.0 + n}) for n in range(11, 15)]
    found = compare(control, change, GATED)
    assert (found.answer, found.proposal) == (UNCLEAR, INCONCLUSIVE)
    assert "coherence worse, role consistency improved" in found.says
    assert len(found.checks) == 1 and found.checks[0].startswith("Coherence is 11 points lower")


def test_without_a_target_all_alike_is_no_material_difference():
    assert compare(games(90, 90), games(90, 90), GATED).answer == SAME


def test_what_is_no_target_is_corrected_too():
    sides = games(60, 62, 64), games(71, 73, 75)
    assert compare(*sides, GATED, target=COHERENCE).metric(ROLE).answer == UNCLEAR
    assert compare(*sides, GATED, target=ROLE).answer == IMPROVED
    assert compare(*sides, GATED, target=ROLE, is_switched=True).answer == UNCLEAR


def test_a_metric_that_got_better_and_one_that_got_worse_are_not_decided_by_more_games():
    control, change = both(((60, 90), (62, 91), (64, 92)), ((90, 60), (92, 61), (94, 62)))
    found = compare(control, change, GATED)
    assert (found.answer, found.act) == (UNCLEAR, DROP)
    assert found.reason == "Role consistency improved and coherence got worse."


def test_the_other_games_are_rated_first():
    change = [*games(*WIDE), GameFigures(20, dict.fromkeys(METRICS))]
    found = compare(games(60, 68, 76), change, GATED, target=ROLE)
    assert (found.act, found.action, found.reason) == (WAIT, "Rate the other games first.", "")


def test_the_rebound_is_taken_off_for_games_that_picked_alone():
    """The picked games are in no pair: nothing is taken off. Half of them in the pairs: half of it."""
    picked = [game(n, **{ROLE: value, COHERENCE: 90 + n}) for n, value in enumerate((40, 44, 48), 1)]
    again = [game(n, pair=f"p{n}", **{ROLE: value}) for n, value in enumerate((50, 54, 58), 11)]
    change = [game(n + 10, pair=f"p{n}", **{ROLE: value}) for n, value in enumerate((52, 57, 59), 11)]
    free = compare([*picked, *again], change, GATED, target=ROLE, picked=picked).metric(ROLE).difference
    assert (free.pair_count, free.rebound, free.picked_share) == (3, 0.0, 0.0)
    alone = compare([*picked, *again], games(52, 57, 59), GATED, target=ROLE, picked=picked)
    assert alone.metric(ROLE).difference.picked_share == 0.5


def test_iterations_without_games_are_compared_without_a_word_too_much():
    found = compare([], [], GATED, target=ROLE)
    assert (found.answer, found.proposal, found.act) == (UNCLEAR, INCONCLUSIVE, PLAY_MORE)
    assert found.says == "Role consistency: One of the two has no game with this figure."


seven = st.fixed_dictionaries({key: st.integers(0, 20).map(lambda n: 5.0 * n) for key in METRICS})


batches = st.lists(seven, min_size=1, max_size=4)


@given(batches, batches, st.sampled_from([None, ROLE]))
def test_the_other_way_round_is_the_opposite(control, change, target):
    first = [game(n, **values) for n, values in enumerate(control, 1)]
    second = [game(n, **values) for n, values in enumerate(change, 1)]
    left, other = compare(first, second, GATED, target=target), compare(second, first, GATED, target=target)
    opposite = {IMPROVED: WORSE, WORSE: IMPROVED}
    assert other.answer == opposite.get(left.answer, left.answer)
    for key in METRICS:
        mine, theirs = left.metric(key), other.metric(key)
        assert theirs.answer == opposite.get(mine.answer, mine.answer)
        assert not (mine.rule.keeps and theirs.rule.keeps)
        # What is corrected is never bolder than what is not.
        assert mine.answer in (mine.difference.answer, UNCLEAR, SAME)
