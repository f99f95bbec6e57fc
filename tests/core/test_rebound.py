"""The next target, and how far it comes back by itself: published constants, the formula, a simulation."""

from math import pi, sqrt

import numpy as np
import pytest
from msgspec.structs import replace

from discussions.core.rebound import expected_maximum, expected_rebound, next_target
from tests.core.iteration_games import GATED, METRICS, game
from tests.core.verdict_examples import THRESHOLDS


@pytest.mark.parametrize(
    ("count", "value"),
    [(2, 0.5642), (3, 0.8463), (4, 1.0294), (5, 1.1630), (6, 1.2672), (7, 1.3522), (10, 1.5388)],
)
def test_expected_maximum_of_normals(count, value):
    """The expected largest of a normal sample. Source: H. L. Harter, Biometrika 48 (1961), 151-165, table 1."""
    assert round(expected_maximum(count), 4) == value


def test_expected_maximum_in_closed_form():
    assert expected_maximum(1) == pytest.approx(0, abs=1e-12)
    assert expected_maximum(2) == pytest.approx(1 / sqrt(pi))
    assert expected_maximum(3) == pytest.approx(1.5 / sqrt(pi))


@pytest.mark.parametrize(("tau", "rebound"), [(0, 0.78), (0.5, 0.59), (1, 0.39), (2, 0.22)])
def test_rebound_of_the_lowest_of_seven_after_three_games(tau, rebound):
    assert round(expected_rebound(7, 3, tau**2), 2) == rebound


@pytest.mark.parametrize(("tau", "rebound"), [(0, 0.77), (0.5, 0.59), (1, 0.38), (2, 0.21)])
def test_rebound_as_it_happens(tau, rebound):
    """Seven metrics, three games, the lowest played again unchanged: its mean rises by as much as is expected."""
    random = np.random.default_rng(5)
    true = random.normal(0, tau, (60_000, 7)) if tau else np.zeros((60_000, 7))
    noise = sqrt(1 / 3)
    first, second = (true + random.normal(0, noise, true.shape) for _ in range(2))
    lowest = first.argmin(1)
    rows = np.arange(len(true))
    assert (second - first)[rows, lowest].mean() == pytest.approx(rebound, abs=0.02)


def spread_around(numbers, distance, **levels):
    """Three games whose scores lie `distance` around levels, which are thresholds plus 10 unless said."""
    base = {key: THRESHOLDS[key] + 5.0 for key in METRICS} | levels
    return [
        game(number, rating=3.5 + 0.4 * step, **{key: level + distance * step for key, level in base.items()})
        for number, step in zip(numbers, (-1, 0, 1), strict=True)
    ]


def test_the_lowest_by_margin_is_not_the_lowest_number():
    """Role consistency 76 of 80 lies 4 / 4 = 1 SD below; diversity 55 of 50 lies above and is the lowest number."""
    found = next_target(spread_around((1, 2, 3), 4.0, role_consistency=76.0), GATED)
    assert (found.target.key, found.target.sds, found.target.points) == ("role_consistency", -1.0, -4.0)
    assert found.literal == "personality_diversity"
    assert found.target.advice == ["work on role consistency"]
    assert found.says.startswith(
        "Next target: role consistency, 76.0 against 80.0 (-1.0 SD from its threshold). "
        "As a plain number personality diversity is the lowest. Chosen because it was lowest: expected rebound +"
    )
    assert [margin.sds for margin in found.margins] == sorted(margin.sds for margin in found.margins)


def test_the_expected_rebound_in_points():
    """Six margins of +1.25 and one of -1: variance 2.25^2 / 7 = .723, less 1/3 is tau^2 = .390; SD 4 points."""
    found = next_target(spread_around((1, 2, 3), 4.0, role_consistency=76.0), GATED)
    assert found.candidate_count == 7
    expected = 1.3522 * (1 / 3) / sqrt(1 / 3 + (2.25**2 / 7 - 1 / 3))
    assert found.rebound_sds == pytest.approx(expected, rel=1e-3)
    assert found.rebound == pytest.approx(4 * expected, rel=1e-3)
    assert f"expected rebound +{found.rebound:.1f} without any change" in found.says


def test_engagement_is_compared_as_a_rating_and_as_a_share_of_five():
    games = [replace(each, rating=each.rating - 1.1) for each in spread_around((1, 2, 3), 4.0)]
    found = next_target(games, GATED)
    assert (found.target.key, found.literal) == ("engagement", "engagement")
    assert (found.target.sds, found.target.share) == (pytest.approx(-1.5), pytest.approx(48))
    assert "engagement, 2.4 against 3.0" in found.says


def test_a_metric_that_always_fails_alike_stands_first():
    games = [game(n, coherence=40.0, role_consistency=79.0 + n / 10) for n in (1, 2, 3)]
    found = next_target(games, GATED)
    assert (found.target.key, found.target.sds, found.rebound) == ("coherence", None, None)
    assert "(no spread is known)" in found.says


def test_one_game_alone_is_ranked_by_the_scale():
    found = next_target([game(1, coherence=60.0, role_consistency=75.0)], GATED)
    assert (found.target.key, found.rebound, found.candidate_count) == ("coherence", None, 0)
    assert found.margins[1].key == "role_consistency"


def test_earlier_batches_lend_their_spread():
    earlier = [spread_around((4, 5, 6), 4.0)]
    found = next_target([game(1, role_consistency=70.0)], GATED, earlier=earlier)
    assert (found.target.key, found.target.sds, found.target.game_count) == ("role_consistency", -2.5, 1)
    assert found.rebound is not None


def test_games_to_which_a_metric_does_not_apply_do_not_lift_its_margin():
    games = spread_around((1, 2, 3), 4.0, memory_accuracy=70.0)
    games.append(game(4, memory_accuracy=100.0, not_applicable=["memory_accuracy"]))
    found = next_target(games, GATED)
    assert (found.target.key, found.target.sds, found.target.game_count) == ("memory_accuracy", -2.5, 3)
    assert (found.target.value, found.target.judged) == (77.5, 70.0)
    assert "77.5 against 80.0, 70.0 without the games to which it does not apply (-2.5 SD" in found.says


def test_without_games_nothing_is_proposed():
    found = next_target([], GATED)
    assert (found.target, found.literal, found.rebound) == (None, None, None)
    assert found.says == "No metric is known yet, so none is proposed."
