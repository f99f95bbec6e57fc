"""How comparisons are worded: the interval in the words of its answer, chances, and what was taken off."""

import re
from math import sqrt

import pytest
from scipy import stats

from discussions.comparison.core.comparison import compare
from discussions.comparison.core.difference import MOST_LOOKS, get_level
from discussions.comparison.core.sentences import (
    describe_basis,
    describe_metric,
    material_text,
    say_chance,
    say_how_often,
)
from tests.factories.iteration_figures import GATED, game

DEPTH = "strategic_depth"


@pytest.mark.parametrize(
    ("chance", "says"),
    [
        (0.004, "hardly ever"),
        (0.1, "one time in ten"),
        (0.22, "one time in five"),
        (0.52, "one time in two"),
        (0.68, "two times in three"),
        (0.8, "four times in five"),
        (0.93, "nineteen times in twenty"),
        (0.999, "almost always"),
    ],
)
def test_how_often(chance, says):
    assert say_how_often(chance) == says
    assert say_how_often(chance, is_short=True) == re.sub(" times? ", " ", says)


@pytest.mark.parametrize(
    ("chance", "says"),
    [
        (0.001, "one chance in twenty"),
        (0.5, "one chance in two"),
        (0.41, "two chances in five"),
        (0.999, "nineteen chances in twenty"),
    ],
)
def test_chances(chance, says):
    assert say_chance(chance) == says


def told(control, change, key=DEPTH, **given):
    """What is said of the target for games with these scores."""
    sides = [
        [game(number, **{key: value}) for number, value in enumerate(batch, start)]
        for batch, start in ((control, 1), (change, 11))
    ]
    return describe_metric(compare(*sides, GATED, target=key, **given).metric(key))


def ends(raw, sd, decimals=0):
    """Both ends of the interval of three against three games with 4 df, without signs, the smaller one first."""
    half = stats.t.isf(get_level(3), 4) * sd * sqrt(2 / 3)
    return sorted(f"{abs(raw + side * half):.{decimals}f}" for side in (-1, 1))


def test_an_interval_on_one_side_of_0_says_better_or_worse():
    """20 and more with an SD of 2: t(4) √(8/3)."""
    low, high = ends(20, 2)
    assert (
        told((60, 62, 64), (80, 82, 84))
        == f"Strategic depth is {low} to {high} points better: 82 against 62."
    )
    assert (
        told((80, 82, 84), (60, 62, 64)) == f"Strategic depth is {low} to {high} points worse: 62 against 82."
    )


def test_an_interval_with_0_says_how_far_it_reaches_on_both_sides():
    worse, better = ends(4, 8)
    assert told((60, 68, 76), (64, 72, 80)) == (
        f"Strategic depth: 72 against 68; the true difference may be anything from {worse} points worse to {better} "
        "points better."
    )


def test_too_small_to_matter_names_the_difference_that_matters():
    assert told((69, 70, 71), (69, 70, 71)) == "Strategic depth differs by less than 5 points: 70 against 70."
    assert told((70, 70), (70, 70)) == "Strategic depth: 70 against 70.", (
        "without a spread there is no interval"
    )


def test_without_an_interval_the_reason_stands_beside_the_means():
    assert told((70,), (80,)) == (
        "Strategic depth: 80 against 70. No batch has two games, so nobody knows how much games differ by chance."
    )
    assert told((70, 70), (80, 80)).startswith(
        "Strategic depth: 80 against 70. All games of a batch have the same"
    )
    assert told((), (70, 71)) == "Strategic depth: One of the two has no game with this figure."


def test_means_that_differ_never_show_as_the_same():
    assert "70.3 against 70.0" in told((70.0, 70.01, 70.02), (70.3, 70.31, 70.32))


def test_a_rating_is_told_in_tenths():
    sides = [
        [game(n, rating=rating) for n, rating in enumerate(rated, 1)]
        for rated in ((2.9, 3, 3.1), (4.9, 5, 5))
    ]
    says = describe_metric(compare(*sides, GATED, target="engagement").metric("engagement"))
    assert re.fullmatch(r"Engagement is 1\.\d to 2\.\d points better: 5\.0 against 3\.0\.", says), says


def test_what_was_taken_off_stands_instead_of_the_means():
    """Of two metrics that vary the target was the lowest, so a part of its rise is regression to the mean."""
    control = [
        game(n, strategic_depth=depth, coherence=coherence)
        for n, (depth, coherence) in enumerate(((50, 70), (58, 78), (66, 86)), 1)
    ]
    change = [game(n, strategic_depth=depth) for n, depth in enumerate((90, 92, 94), 11)]
    metric = compare(control, change, GATED, target=DEPTH, picked=control).metric(DEPTH)
    taken, judged = metric.difference.rebound, metric.difference.judged
    assert taken > 1 and judged == pytest.approx(34 - taken)
    assert f"+{judged:.0f} after {taken:.0f} points of regression to the mean" in describe_metric(metric)
    assert "92 against 58" not in describe_metric(metric)


def test_material_differences_have_their_unit():
    assert (material_text(DEPTH, 5.0), material_text("engagement", 1.0)) == ("5 points", "1 point")


def test_the_spread_says_from_how_many_games_it_is_known():
    sides = [
        [game(n, coherence=value) for n, value in enumerate(batch, 1)]
        for batch in ((60, 62, 64), (70, 72, 74))
    ]
    found = compare(*sides, GATED).metric("coherence").difference
    assert describe_basis(found) == (
        "Games under one prompt differ by a standard deviation of 2.0 (4 df from 2 groups of games)."
    )
    bare = compare([game(1)], [game(2)], GATED).metric("coherence").difference
    assert describe_basis(bare) == bare.spread.warning != ""


def test_the_last_look_says_that_it_was_the_last():
    control = [game(n, **{DEPTH: value}) for n, value in enumerate((60, 68, 76), 1)]
    change = [game(n, **{DEPTH: value}) for n, value in enumerate((74, 82, 90), 11)]
    assert (
        compare(control, change, GATED, target=DEPTH, look=MOST_LOOKS).reason == "Three looks gave no answer."
    )
