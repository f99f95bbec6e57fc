"""Averages and comparisons of games that entered the queue with different chances."""

import msgspec
import pytest
from msgspec.structs import replace

from benchmarks.statistics.intake import try_rules
from discussions.comparison.core.comparison import compare
from discussions.core.outcome import MEMORY
from discussions.iterations.core.averages import compute_averages
from discussions.iterations.core.figures import find_weights, list_weights, mean_score
from tests.factories.iteration_figures import GATED, game


def drawn(*rows):
    """Games as (score of memory, chance); None is a score that is not known."""
    return [
        game(number, memory_accuracy=score, chance=chance) for number, (score, chance) in enumerate(rows, 1)
    ]


def test_with_one_chance_every_figure_is_that_without_weights_to_the_byte():
    before = drawn((70.0, None), (90.0, None), (50.0, None), (None, None))
    after = [replace(each, chance=0.2) for each in before]
    encoded = [msgspec.json.encode(compute_averages(games, GATED)) for games in (before, after)]
    assert encoded[0] == encoded[1]
    assert (find_weights(after, MEMORY), list_weights(after, MEMORY)) == ({}, [])
    found = [compare(games, games[::-1], GATED, target=MEMORY) for games in (before, after)]
    assert msgspec.json.encode(found[0]) == msgspec.json.encode(found[1])
    assert b"chance" not in msgspec.json.encode(before)


def test_a_game_stands_for_those_that_were_not_drawn_and_for_those_that_are_not_judged_yet():
    games = drawn((60.0, 1.0), (60.0, 1.0), (90.0, 0.5), (80.0, 0.5), (None, 0.5), (None, 0.5), (0.0, 0.0))
    assert mean_score(games, MEMORY) == (2 * 60 + 8 * 85) / 10
    line = compute_averages(games, GATED).line(MEMORY)
    assert (line.value, line.pending, line.of_count) == (80.0, [5, 6], 5)
    assert compute_averages(games, GATED).headline.endswith("weighted")


def test_what_a_lead_chose_alone_is_a_plain_mean():
    assert mean_score(drawn((60.0, 0.0), (90.0, 0.0)), MEMORY) == 75
    assert mean_score(drawn((60.0, 0.0), (90.0, 1.0)), MEMORY) == 90


def test_a_comparison_weighs_its_games_and_says_so():
    control = drawn((50.0, 1.0), (52.0, 1.0), (90.0, 0.2), (91.0, 0.2))
    change = drawn((51.0, 1.0), (90.0, 1.0), (92.0, 1.0), (91.0, 1.0))
    found = compare(control, change, GATED, target=MEMORY)
    metric = found.metric(MEMORY)
    assert metric.difference.control_mean == pytest.approx((50 + 52 + 5 * 181) / 12)
    assert metric.verdict_means[0] == metric.difference.control_mean
    assert metric.difference.error.df < 6 and metric.difference.pair_count == 0
    assert "different probabilities" in found.batches


def test_weights_take_the_bias_away_and_intervals_hold():
    entered, bias, plain, held, _width = try_rules(120, 20.0, 300)
    assert (35 < entered < 55, abs(bias) < 0.4, plain < -2.5, 92 < held < 99) == (True, True, True, True)
