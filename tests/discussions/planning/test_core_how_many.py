"""How many games? The chance to find a gain of one standard deviation, from the project's games or the usual spread."""

import pytest

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
    # The published row of the answers: about one time in ten at 3 against 3, one in two at 9 against 9.
    assert [size for size, _chance in found[DEPTH].sizes] == [3, 9]
    assert [chance for _size, chance in found[DEPTH].sizes] == pytest.approx([0.105, 0.519], abs=0.001)


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
        "3 against 3 finds a gain of 7 points in strategic depth one time in ten; 9 against 9 one in two."
    )
    assert found["source"] == "By so much, 7 points, games of this project under one prompt usually differ."
    assert found["sizes"] == ["3 against 3", "9 against 9"]
    bare = describe_how_many(GATED, [], "engagement", 5)
    assert bare["says"] == (
        "5 against 5 finds a gain of 0.6 points in engagement one time in four; 15 against 15 four in five."
    )
    assert bare["source"].startswith("This project has too few games to know")


def test_without_a_target_the_first_metric_is_told():
    found = describe_how_many(GATED, [], "", 3)
    assert f"in {GATED.criteria[0].label.lower()} one time in ten" in found["says"]
    assert len(found["lines"]) == len(GATED.criteria)


@pytest.mark.parametrize(
    ("typed", "size"),
    [(4, 4), ("6", 6), (" 7 ", 7), ("", 3), (None, 3), ("x", 3), ("-2", 3), ("0", 3), ("99999", 3), ("²", 3)],
)
def test_what_is_no_number_of_games_is_the_usual_one(typed, size):
    assert read_size(typed) == size
