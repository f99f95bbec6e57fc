"""Averages of an iteration: the rubric's and the second look, pass and fail, and the cost."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discussions.core.averages import average_of, averages_of, cost_of_games
from discussions.core.verdict import rules_of
from tests.core.iteration_games import GATED, game, without_memory

MEMORY = GATED.criterion("memory_accuracy")
RULES = rules_of(GATED)


def test_memory_accuracy_that_applies_to_one_of_three_games():
    """(60 + 100 + 100) / 3 = 86.7 passes by the rubric; of the one game that has references 60 does not."""
    found = average_of(MEMORY, [game(1, memory_accuracy=60.0), without_memory(2), without_memory(3)])
    assert (round(found.value, 1), found.passes) == (86.7, True)
    assert (found.second, found.second_passes) == (60.0, False)
    assert (found.of_count, found.second_of_count, found.by_rule_count, found.passed_count) == (3, 1, 2, 2)
    assert found.is_by_rule_only
    assert found.says == "mean of 3 games; 2 by rule as 100, since the metric does not apply; 2 of 3 pass"
    assert found.second_says == "mean of 1 game; left out: 2 to which the metric does not apply"


def test_a_metric_that_never_applies_has_no_second_look():
    found = average_of(MEMORY, [without_memory(1), without_memory(2)])
    assert (found.value, found.passes, found.second, found.second_passes) == (100, True, None, None)
    assert found.is_by_rule_only
    assert found.second_says == "no game yet; left out: 2 to which the metric does not apply"


@pytest.mark.parametrize(
    ("three", "passes"),
    [((70.0, 80.0, 90.0), True), ((70.0, 80.0, 89.99), False), ((700 / 9, 700 / 9, 760 / 9), True)],
)
def test_an_average_on_its_threshold_passes_unrounded(three, passes):
    found = average_of(MEMORY, [game(n, memory_accuracy=score) for n, score in enumerate(three, 1)])
    assert found.passes is passes


def test_thirds_of_ratings_are_exact():
    ratings = (8 / 3, 3.0, 10 / 3)
    found = averages_of([game(n, rating=rating) for n, rating in enumerate(ratings, 1)], GATED)
    assert found.line("engagement").value == 3.0
    assert found.line("engagement").passes is True


def test_a_pending_game_leaves_the_average_open_and_is_named():
    found = averages_of([game(1), game(2, coherence=None)], GATED)
    line = found.line("coherence")
    assert (line.value, line.passes, line.second_passes, line.pending) == (90, None, None, [2])
    assert line.says == "mean of 1 of 2 games; 1 of 1 pass"
    assert (found.passes, found.missing) == (None, ["coherence"])
    assert found.headline == "pending: 1 of 7 averages are not known yet"


def test_without_games_everything_is_missing():
    found = averages_of([], GATED)
    assert (found.passes, len(found.missing), found.cost.says) == (None, 7, "No game, no cost.")
    assert found.line("coherence").says == "no game yet"


def test_five_of_seven_averages_pass():
    found = averages_of([game(1, coherence=10.0, strategic_depth=10.0), game(2)], GATED)
    assert (found.passed_count, found.headline) == (5, "5/7 PASS")


def test_four_of_seven_averages_fail():
    found = averages_of([game(1, coherence=10.0, strategic_depth=10.0, anti_repetition=80.0)], GATED)
    assert found.headline == "4/7 FAIL: 4 of 7 averages pass, 5 are needed"
    assert found.passes is False


def test_engagement_is_mandatory_on_average():
    found = averages_of([game(1, rating=2.0), game(2, rating=3.98)], GATED)
    assert found.headline == "6/7 FAIL: engagement 2.99 < 3.0 on average"


def test_a_pass_that_hangs_on_the_rule_is_named_in_the_headline():
    found = averages_of([game(1, memory_accuracy=50.0), without_memory(2), without_memory(3)], GATED)
    assert found.headline == "7/7 PASS, 1 by rule"


def test_games_that_pass_are_counted_as_their_verdicts_have_them():
    checked = game(1, personality_diversity=20.0, passes={"personality_diversity": True})
    line = averages_of([checked, game(2, personality_diversity=40.0)], GATED).line("personality_diversity")
    assert (line.value, line.passes, line.passed_count) == (30, False, 1)


def test_the_interval_of_an_average_comes_from_how_much_games_differ():
    """70, 80, 90: SD 10, t(.975, 2) = 4.303, 4.303 * 10 / sqrt 3 = 24.84; the upper end is clipped at 100."""
    line = average_of(
        MEMORY, [game(n, memory_accuracy=score) for n, score in enumerate((70.0, 80.0, 90.0), 1)]
    )
    assert [round(end, 1) for end in line.interval] == [55.2, 100.0]
    assert line.could_go_other_way


def test_games_to_which_a_metric_does_not_apply_tell_no_interval():
    line = average_of(MEMORY, [game(1, memory_accuracy=60.0), without_memory(2), without_memory(3)])
    assert (line.interval, line.could_go_other_way) == (None, False)
    assert average_of(MEMORY, [game(1), game(2)]).interval is None


@pytest.mark.parametrize(
    ("costs", "state", "says"),
    [
        (("1.99", "1.00"), "low", "Every game below 2.00 dollars."),
        (("2.00", "1.00"), "amber", "Game 1 from 2.00 to 3.00 dollars, which is no success."),
        (("3.00", "1.00"), "amber", "Game 1 from 2.00 to 3.00 dollars, which is no success."),
        (("3.01", "2.50"), "above",
         "Game 1 above 3.00 dollars, which fails; game 2 from 2.00 to 3.00 dollars, which is no success."),
        ((None, "1.00"), "unreported", "Game 1 without a reported cost."),
        ((None, "2.00"), "amber",
         "Game 2 from 2.00 to 3.00 dollars, which is no success; game 1 without a reported cost."),
        ((None, None), "unreported", "Games 1 and 2 without a reported cost."),
    ],
)  # fmt: skip
def test_cost_of_games(costs, state, says):
    found = cost_of_games([game(n, cost=cost) for n, cost in enumerate(costs, 1)], RULES)
    assert (found.state, found.says) == (state, says)


def test_sums_of_cost_are_of_what_is_reported():
    games = [game(1, cost="1.10", is_cost_by_hand=True), game(2, cost=None), game(3, cost="0.20")]
    found = cost_of_games(games, RULES)
    assert (found.total_usd, found.mean_usd, found.highest_usd) == (
        Decimal("1.30"),
        Decimal("0.65"),
        Decimal("1.10"),
    )
    assert (found.by_hand, found.unreported) == ([1], [2])
    assert cost_of_games([game(1, cost=None)], RULES).total_usd is None


counts = st.lists(st.tuples(st.integers(0, 60), st.booleans()), min_size=1, max_size=8)


@given(counts, st.randoms(use_true_random=False))
def test_an_average_by_hand_in_any_order(judged, random):
    games = [
        game(number, memory_accuracy=100 * count / 60) if applies else without_memory(number)
        for number, (count, applies) in enumerate(judged, 1)
    ]
    random.shuffle(games)
    found = average_of(MEMORY, games)
    shares = [Fraction(100 * count, 60) for count, applies in judged if applies]
    everything = [*shares, *[Fraction(100)] * (len(judged) - len(shares))]
    assert found.passes == (sum(everything) >= 80 * len(judged))
    assert found.second_passes == (sum(shares) >= 80 * len(shares) if shares else None)
    assert found.value == pytest.approx(float(sum(everything)) / len(judged))
