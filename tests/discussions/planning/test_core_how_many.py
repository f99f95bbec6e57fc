"""How many games? The chance to find a gain of one standard deviation, from the project's games or the usual spread."""

from math import sqrt

import pytest
from scipy import stats

from discussions.comparison.core.difference import get_level
from discussions.comparison.core.sentences import say_how_often
from discussions.planning.core import list_find_chances
from discussions.planning.views.plan import describe_how_many, read_size
from tests.factories.iteration_figures import GATED, game

DEPTH = "strategic_depth"


def batch(*values):
    """The games of one prompt with these scores of strategic depth."""
    return [game(number, **{DEPTH: value}) for number, value in enumerate(values, 1)]


def chances(batches, least_games=3):
    return {line.key: line for line in list_find_chances(GATED, batches, least_games)}


def test_without_games_the_usual_spread_stands_in():
    found = chances([])
    assert [(line.gain, line.is_own, line.df) for line in found.values()] == [
        (1.2 / 2 if key == "engagement" else 10.0, False, 0) for key in found
    ]
    assert [size for size, _chance in found[DEPTH].sizes] == [3, 9]
    assert [chance for _size, chance in found[DEPTH].sizes] == pytest.approx([find(3, 4), find(9, 16)])


def find(size, df, picked=0.0):
    """The power of a t test at the level of so many games, by the noncentral t, for a gain of one SD."""
    least = stats.t.isf(get_level(size, picked), df)
    return stats.nct.sf(least, df, sqrt(size / 2))


def test_what_is_proposed_as_the_lowest_needs_more_to_be_found():
    """Of 9 games of the control 3 picked it."""
    found = {line.key: line for line in list_find_chances(GATED, [], 3, DEPTH)}
    assert [chance for _size, chance in found[DEPTH].sizes] == pytest.approx(
        [find(3, 4, 1), find(9, 16, 1 / 3)]
    )
    assert [chance for _size, chance in found["coherence"].sizes] == pytest.approx([find(3, 4), find(9, 16)])


def test_the_projects_own_spread_is_taken_from_four_degrees_of_freedom_on():
    """Squares 98 and 98 with 4 df: SD 7; every other metric was the same in all games, so nothing is known of it."""
    found = chances([batch(63, 70, 77), batch(73, 80, 87)])
    assert (found[DEPTH].gain, found[DEPTH].is_own, found[DEPTH].df) == (7.0, True, 4)
    assert not found["coherence"].is_own
    few = chances([batch(63, 70, 77), batch(73, 80)])
    assert not few[DEPTH].is_own


def test_the_sentence_names_the_gain_and_both_sizes():
    found = describe_how_many(GATED, [batch(63, 70, 77), batch(73, 80, 87)], DEPTH, 3)
    assert found["says"] == (
        f"3 against 3 finds a gain of 7 points in strategic depth {say_how_often(find(3, 8))}; 9 against 9 "
        f"{say_how_often(find(9, 20), is_short=True)}."
    )
    assert found["source"] == "By so much, 7 points, games of this project under one prompt usually differ."
    assert found["sizes"] == ["3 against 3", "9 against 9"]
    bare = describe_how_many(GATED, [], "engagement", 5)
    assert bare["says"] == (
        f"5 against 5 finds a gain of 0.6 points in engagement {say_how_often(find(5, 8))}; 15 against 15 "
        f"{say_how_often(find(15, 28), is_short=True)}."
    )
    assert bare["source"].startswith("This project has too few games to know")


def test_without_a_target_the_first_metric_is_told():
    found = describe_how_many(GATED, [], "", 3)
    assert f"in {GATED.criteria[0].label.lower()} {say_how_often(find(3, 4))}" in found["says"]
    assert len(found["lines"]) == len(GATED.criteria)


@pytest.mark.parametrize(
    ("typed", "size"),
    [(4, 4), ("6", 6), (" 7 ", 7), ("", 3), (None, 3), ("x", 3), ("-2", 3), ("0", 3), ("99999", 3), ("²", 3)],
)
def test_what_is_no_number_of_games_is_the_usual_one(typed, size):
    assert read_size(typed) == size
