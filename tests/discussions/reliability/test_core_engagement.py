"""What goes with the rating: the words, what is left out, and how often a word is right in drawn games."""

import numpy as np
import pytest

from benchmarks.statistics.validity import (
    KEYS,
    NOTHING,
    PLANTED_ALONE,
    PROMPTS_ALONE,
    UNEQUAL,
    draw_games,
    try_world,
)
from discussions.reliability.core.blind_answers import (
    AGAINST,
    GOES_WITH,
    LEAST_GAMES,
    NO_SIGN,
    TOO_FEW,
    RatedGame,
    compute_engagement,
)


def game(number, prompt, rating, *, is_pass=True, **scores):
    return RatedGame(number, prompt, None, scores, rating, is_pass, 3.0)


def rated(count, *, prompts=2):
    """Games in which memory rises with the rating and coherence falls, whatever the prompt."""
    return [
        game(
            n,
            n % prompts,
            3 + n // prompts / 20,
            memory_accuracy=50.0 + n // prompts,
            coherence=90.0 - n // prompts,
        )
        for n in range(count)
    ]


def words(found):
    return {metric.key: metric.word for metric in found.metrics}


def test_twenty_games_have_a_word_and_fewer_have_none():
    found = words(compute_engagement(rated(LEAST_GAMES), None))
    assert (found["memory_accuracy"], found["coherence"]) == (GOES_WITH, AGAINST)
    assert set(words(compute_engagement(rated(LEAST_GAMES - 2), None)).values()) == {TOO_FEW}
    same = [game(n, 0, 3 + n / 20, memory_accuracy=100.0) for n in range(LEAST_GAMES)]
    assert words(compute_engagement(same, None))["memory_accuracy"] == TOO_FEW


def test_a_metric_that_does_not_apply_leaves_the_game_out_of_that_metric_only():
    games = [*rated(6), game(6, 0, 4.0, coherence=80.0)]
    found = {metric.key: metric for metric in compute_engagement(games, None).metrics}
    assert len(found) == 6
    assert [one.number for one in found["memory_accuracy"].games] == [0, 1, 2, 3, 4, 5]
    assert [one.number for one in found["coherence"].games] == [0, 1, 2, 3, 4, 5, 6]
    assert found["anti_repetition"].games == []


def test_dots_are_distances_from_the_mean_of_the_prompt():
    games = [
        game(1, "a", 2.0, coherence=60.0), game(2, "b", 5.0, coherence=10.0), game(3, "a", 3.0, coherence=70.0),
        game(4, "b", 4.0, coherence=30.0),
    ]  # fmt: skip
    found = next(one for one in compute_engagement(games, None).metrics if one.key == "coherence")
    assert found.points == [(-5, -0.5), (-10, 0.5), (5, 0.5), (10, -0.5)]


def test_games_without_another_of_their_prompt_are_counted_and_left_out():
    games = [
        *rated(4),
        game(9, None, 2.0, coherence=1.0),
        game(10, None, 5.0, coherence=99.0),
        game(11, "x", 3.0),
    ]
    found = compute_engagement(games, 0.5)
    assert (found.games, found.prompts, found.alone, found.reliability) == (4, 2, 3, 0.5)


def test_the_share_of_passing_games_that_are_worth_watching_is_over_all_games():
    games = [game(n, None, 3.0 if n < 7 else 2.5, is_pass=n < 10) for n in range(12)]
    found = compute_engagement(games, None)
    assert (found.passing, found.watchable, found.threshold) == (10, 7, 3.0)
    # Wilson's interval of 7 of 10, as in R's binom.confint.
    assert found.share == pytest.approx((39.6778, 89.2209), abs=1e-3)
    nothing = compute_engagement([], None)
    assert (nothing.games, nothing.passing, nothing.threshold, nothing.share) == (0, 0, None, None)


def test_correlations_over_a_rating_without_error_need_its_reliability():
    plain, corrected = (compute_engagement(rated(8), icc).metrics[0] for icc in (None, 0.64))
    assert plain.rho_corrected is None
    assert corrected.tau_b_corrected.value == min(1, corrected.within.tau.value / 0.8)


@pytest.mark.parametrize(("count", "least"), [(20, 0.5), (40, 0.8), (80, 0.97)])
def test_a_planted_correlation_is_found(count, least):
    """The whole table is in docs/agreement.md; ten games of a prompt, 3 standard errors of this size allowed."""
    runs = 40
    found = try_world(count, 10, PLANTED_ALONE, runs)
    total = runs * len(KEYS)
    assert found[GOES_WITH] / total > least - 3 * (least * (1 - least) / total) ** 0.5
    assert found[AGAINST] == 0


@pytest.mark.parametrize("world", [NOTHING, PROMPTS_ALONE, UNEQUAL])
def test_without_a_relation_within_prompts_there_is_hardly_a_word(world):
    runs = 60
    found = try_world(20, 5, world, runs)
    total = runs * len(KEYS)
    assert (found[GOES_WITH] + found[AGAINST]) / total < 0.05 + 3 * (0.05 * 0.95 / total) ** 0.5
    assert found[NO_SIGN] > total / 2


def test_prompt_effects_alone_would_show_something_if_games_were_not_compared_within_prompts():
    games = draw_games(np.random.default_rng(4), 80, 10, PROMPTS_ALONE)
    pooled = [RatedGame(one.number, 0, None, one.scores, one.rating, True, 3.0) for one in games]
    assert GOES_WITH in words(compute_engagement(pooled, None)).values()
