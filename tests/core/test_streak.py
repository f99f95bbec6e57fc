"""How many iterations succeed in a row: the table of named cases, and what must hold for any stage."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from discussions.core.streak import (
    BROKEN,
    EVERY_GAME,
    GAME,
    SUCCESS,
    UNKNOWN,
    Choices,
    IterationFigures,
    streak_of,
)
from tests.core.iteration_games import GATED, failing, game, iteration, without_memory

BY_GAME = Choices(unit=GAME)
EACH_ENGAGES = Choices(engagement=EVERY_GAME)


def dear(number, cost="2.00"):
    """An iteration whose second game costs that much; None is not reported."""
    first = 10 * number
    return iteration(number, game(first + 1), game(first + 2, cost=cost), game(first + 3))


def dull(number, *ratings):
    """An iteration of games with these ratings."""
    return iteration(number, *(game(10 * number + n, rating=rating) for n, rating in enumerate(ratings, 1)))


CASES = {
    "nothing yet": ([], 0, True, False, "No iteration succeeds yet; 3 in a row are needed."),
    "one pass": ([iteration(1)], 1, True, False, "1 iteration succeeds; 3 in a row are needed."),
    "three passes": (
        [iteration(1), iteration(2), iteration(3)],
        3, True, True, "3 iterations in a row succeed; 3 are needed.",
    ),
    "two passes, then a fail, then three passes": (
        [iteration(1), iteration(2), failing(3), iteration(4), iteration(5), iteration(6)],
        3, True, True, "3 iterations in a row succeed; 3 are needed.",
    ),
    "two passes, then a fail, then two passes": (
        [iteration(1), iteration(2), failing(3), iteration(4), iteration(5)],
        2, True, False, ("2 iterations in a row succeed; 3 are needed. "
        "Iteration 3 broke the row: 4 of 7 averages pass, 5 are needed."),
    ),
    "three passes, then a fail": (
        [iteration(1), iteration(2), iteration(3), failing(4)],
        0, True, False, ("No iteration succeeds yet; 3 in a row are needed. "
        "Iteration 4 broke the row: 4 of 7 averages pass, 5 are needed."),
    ),
    "a game at exactly 2.00 dollars": (
        [iteration(1), iteration(2), dear(3)],
        0, True, False, ("No iteration succeeds yet; 3 in a row are needed. "
        "Iteration 3 broke the row: game 32 cost 2.00 dollars, success needs less than 2.00."),
    ),
    "a game at 1.9999 dollars": (
        [iteration(1), iteration(2), dear(3, "1.9999")],
        3, True, True, "3 iterations in a row succeed; 3 are needed.",
    ),
    "cost unreported at the end": (
        [iteration(1), iteration(2), iteration(3), dear(4, None)],
        3, False, False, ("3 iterations in a row succeed; 3 are needed. "
        "Iteration 4 is not certain: the cost of game 42 is not reported; enter it with a reason."),
    ),
    "cost unreported in the middle": (
        [iteration(1), dear(2, None), iteration(3), iteration(4)],
        3, False, False, ("3 iterations in a row succeed; 3 are needed. "
        "Iteration 2 is not certain: the cost of game 22 is not reported; enter it with a reason."),
    ),
    "cost unreported before three passes": (
        [dear(1, None), iteration(2), iteration(3), iteration(4)],
        3, True, True, "3 iterations in a row succeed; 3 are needed.",
    ),
    "cost unreported, and averages that fail": (
        [iteration(1), IterationFigures(2, "", [replace(failing(2).games[0], cost_usd=None)])],
        0, True, False, ("No iteration succeeds yet; 3 in a row are needed. Iteration 2 broke the row: "
        "4 of 7 averages pass, 5 are needed; the cost of game 21 is not reported; enter it with a reason."),
    ),
    "N/A memory accuracy in two of three games": (
        [iteration(1, game(11, memory_accuracy=60.0), without_memory(12), without_memory(13))],
        1, True, False, "1 iteration succeeds; 3 in a row are needed.",
    ),
    "a reverted fail between": (
        [iteration(1), iteration(2), replace(failing(3), is_reverted=True), iteration(4)],
        3, True, True, "3 iterations in a row succeed; 3 are needed.",
    ),
    "a reverted pass counts no more than a reverted fail": (
        [iteration(1), iteration(2), replace(iteration(3), is_reverted=True)],
        2, True, False, "2 iterations in a row succeed; 3 are needed.",
    ),
    "engagement below 3.0 on average": (
        [iteration(1), dull(2, 2.0, 3.0, 3.9)],
        0, True, False, ("No iteration succeeds yet; 3 in a row are needed. "
        "Iteration 2 broke the row: engagement 2.97 < 3.0 on average."),
    ),
    "a rating that is still missing": (
        [iteration(1), dull(2, 3.0, None, 4.0)],
        1, False, False, ("1 iteration succeeds; 3 in a row are needed. "
        "Iteration 2 is not certain: no average yet of engagement."),
    ),
    "an iteration without games": (
        [iteration(1), IterationFigures(2, "", [], least=3)],
        1, False, False, "1 iteration succeeds; 3 in a row are needed. Iteration 2 is not certain: it has no game.",
    ),
    "an iteration that lost a game": (
        [iteration(1), replace(iteration(2, game(21), game(22)), least=3)],
        1, False, False, ("1 iteration succeeds; 3 in a row are needed. "
        "Iteration 2 is not certain: only 2 games count, 3 are needed."),
    ),
    "an iteration that lost games and fails by the rest": (
        [iteration(1), replace(iteration(2, dull(2, 2.0).games[0]), least=3)],
        0, True, False, ("No iteration succeeds yet; 3 in a row are needed. Iteration 2 broke the row: "
        "engagement 2.0 < 3.0 on average; only 1 game counts, 3 are needed."),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("iterations", "count", "is_known", "is_reached", "says"), CASES.values(), ids=CASES)
def test_named_cases(iterations, count, is_known, is_reached, says):
    found = streak_of(iterations, GATED)
    assert (found.count, found.is_known, found.is_reached) == (count, is_known, is_reached)
    assert found.says == says


def test_engagement_of_every_game_is_a_choice():
    played = [iteration(1), dull(2, 2.9, 3.5, 4.0)]
    assert streak_of(played, GATED).count == 2
    found = streak_of(played, GATED, EACH_ENGAGES)
    assert found.count == 0
    assert found.broken_by.reasons == ["game 21 is rated 2.9, below 3.0"]


def test_the_game_as_unit_is_a_choice():
    """Three games of one iteration in a row are enough then; the averages of the first iteration do not matter."""
    first = iteration(1, game(1), game(2, coherence=0.0, strategic_depth=0.0, anti_repetition=0.0), game(3))
    found = streak_of([first, iteration(2, game(4), game(5))], GATED, BY_GAME)
    assert [step.state for step in found.steps] == [SUCCESS, BROKEN, SUCCESS, SUCCESS, SUCCESS]
    assert (found.count, found.is_reached) == (3, True)
    assert found.broken_by.reasons == ["4 of 7 metrics pass, 5 are needed"]
    assert found.says == "3 games in a row succeed; 3 are needed."
    assert [each.number for each in found.games] == [3, 4, 5]


def test_games_as_unit_are_judged_as_their_verdicts_have_them():
    by_hand = game(1, personality_diversity=10.0, coherence=0.0, strategic_depth=0.0,
                   passes={"personality_diversity": True})  # fmt: skip
    assert streak_of([iteration(1, by_hand)], GATED, BY_GAME).count == 1


def test_a_dull_game_breaks_the_row_of_games():
    found = streak_of([dull(1, 3.0, 2.9)], GATED, BY_GAME)
    assert (found.count, found.broken_by.game) == (0, 12)
    assert found.says.endswith("Game 12 broke the row: engagement fails, which must pass.")


def test_a_game_as_unit_that_is_not_rated_is_unknown():
    found = streak_of([dull(1, 3.0, None)], GATED, BY_GAME)
    assert [step.state for step in found.steps] == [SUCCESS, UNKNOWN]
    assert found.says.endswith("Game 12 is not certain: not known yet: engagement.")


def test_reverted_iterations_are_named():
    found = streak_of([iteration(1), replace(failing(2), is_reverted=True)], GATED)
    assert (found.reverted, [step.iteration for step in found.steps]) == ([2], [1])


def test_the_games_of_a_row_are_those_of_its_latest_successes():
    found = streak_of([iteration(1), iteration(2), iteration(3), iteration(4)], GATED)
    assert found.count == 4
    assert [each.number for each in found.games] == [21, 22, 23, 31, 32, 33, 41, 42, 43]


def test_how_many_in_a_row_are_needed_is_the_rubrics():
    two = replace(GATED, parameters=GATED.parameters | {"successes_in_a_row": 2})
    assert streak_of([iteration(1), iteration(2)], two).is_reached


def test_an_iteration_can_be_judged_by_another_version_of_the_rubric():
    lenient = replace(GATED, parameters=GATED.parameters | {"pass_count": 4})
    played = replace(failing(1), rubric=lenient)
    assert streak_of([failing(1)], GATED).count == 0
    assert streak_of([played], GATED).count == 1


MAKERS = {SUCCESS: iteration, BROKEN: failing, UNKNOWN: lambda number: dear(number, None)}
states = st.lists(st.sampled_from([SUCCESS, BROKEN, UNKNOWN]), max_size=8)


@given(states)
def test_a_streak_by_its_letters(wanted):
    found = streak_of([MAKERS[state](number) for number, state in enumerate(wanted, 1)], GATED)
    assert [step.state for step in found.steps] == wanted
    row = "".join(state[0] for state in wanted).rpartition("b")[2]
    assert found.count == row.count("s")
    assert found.is_reached == row.endswith("sss")
    assert found.is_known == (row.endswith("sss") or "u" not in row)


@given(states, st.integers(0, 8), st.sampled_from([SUCCESS, BROKEN, UNKNOWN]))
def test_a_reverted_iteration_changes_nothing(wanted, place, state):
    played = [MAKERS[each](number) for number, each in enumerate(wanted, 1)]
    more = [*played[:place], replace(MAKERS[state](9), is_reverted=True), *played[place:]]
    assert streak_of(more, GATED).says == streak_of(played, GATED).says
    assert streak_of(more, GATED).steps == streak_of(played, GATED).steps
