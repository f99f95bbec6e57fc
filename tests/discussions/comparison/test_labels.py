"""How comparisons are worded."""

import re

import pytest
from msgspec.structs import replace

from discussions.comparison.core.comparison import compare
from discussions.comparison.labels import describe_verdict, say_how_often
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


def told(control, change, key=DEPTH, span=100.0):
    """The first line for games with these scores."""
    sides = [
        [game(number, **{key: value}) for number, value in enumerate(batch, start)]
        for batch, start in ((control, 1), (change, 11))
    ]
    return describe_verdict(compare(*sides, GATED, target=key).metric(key), span)


@pytest.mark.parametrize(
    ("control", "change", "says"),
    [
        (
            (31, 37, 43),
            (68, 74, 80),
            "Better, almost certainly: strategic depth 74 against 37, by 23 to 51 points.",
        ),
        (
            (68, 74, 80),
            (31, 37, 43),
            "Worse, almost certainly: strategic depth 37 against 74, by 23 to 51 points.",
        ),
        (
            (60, 68, 76),
            (82, 90, 98),
            "Better, very likely: strategic depth 90 against 68, by 4 to 40 points.",
        ),
        (
            (60, 68, 76),
            (80, 88, 96),
            "Perhaps better, too early to say: strategic depth 88 against 68, by 2 to 38 points as played.",
        ),
        (
            (60, 68, 76),
            (59, 67, 75),
            "Can't tell yet: strategic depth 67 against 68, anything from 19 points worse to 17 points better fits",
        ),
        ((70,), (80,), "Can't tell yet: strategic depth 80 against 70. No batch has two games"),
        ((70, 70), (70, 70), "No difference that matters: strategic depth 70 against 70."),
        ((), (70, 71), "Can't tell yet: One of the two has no game with this figure."),
    ],
)
def test_the_first_line(control, change, says):
    assert told(control, change).startswith(says)


def test_an_interval_without_the_rebound_is_not_told_as_the_difference_of_the_means():
    sides = [
        [game(start + place, strategic_depth=value) for place, value in enumerate(batch)]
        for batch, start in (((31, 37, 43), 1), ((68, 74, 80), 11))
    ]
    found = compare(*sides, GATED, target=DEPTH).metric(DEPTH)
    picked = replace(found, difference=replace(found.difference, rebound=2.0))
    assert describe_verdict(picked, 100.0) == (
        "Better, almost certainly: strategic depth 74 against 37, "
        "by 23 to 51 points without regression to the mean."
    )


def test_means_that_differ_never_show_as_the_same():
    says = told((70.0, 70.01, 70.02), (70.3, 70.31, 70.32))
    assert says.startswith(
        "Better, almost certainly: strategic depth 70.3 against 70.0, by 0.28 to 0.32 points."
    )
