"""The gate to the next stage: everything that keeps it shut is named, and an admin's reason stays to be seen.

How many iterations succeed in a row: the table of named cases, and what must hold for any stage.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from discussions.core.iteration_states import BROKEN, EVERY_GAME, GAME, ITERATION, SUCCESS, UNKNOWN
from discussions.iterations.core.averages import compute_cache_rate
from discussions.iterations.core.gates import (
    BY_THE_RUBRIC,
    Choices,
    Signed,
    compute_gate_status,
    compute_streak,
    describe_odds,
)
from discussions.iterations.core.history import IterationFigures
from tests.factories.iteration_figures import GATED, METRICS, failing, game, iteration, without_memory

STATEMENT = Signed("Lead", "2026-03-01", "They surprise me every round.")


OVERRIDE = Signed("Admin", "2026-03-02", "The budget of stage 1 is spent.")


THREE = [iteration(1), iteration(2), iteration(3)]


def gate(iterations, **signed):
    """The gate after these iterations."""
    return compute_gate_status(compute_streak(iterations, GATED), GATED, **signed)


def test_streak_statement_and_cache_open_it():
    found = gate(THREE, statement=STATEMENT)
    assert (found.is_open, found.missing, found.is_by_override) == (True, [], False)
    assert found.cache.says == (
        "The cache hit rate over games 11 to 13, 21 to 23 and 31 to 33 is 80.0\u00a0%, "
        "each game alike, since no input tokens are known."
    )


def test_everything_that_is_missing_is_named():
    low = [iteration(1, game(11, cache_hit_rate=0.6)), iteration(2, game(21, cache_hit_rate=0.7))]
    found = gate([failing(9), *low])
    assert not found.is_open
    assert found.missing == [
        "2 of 3 successes in a row.",
        "No lead has signed yet that the games are fascinating to watch.",
        (
            "The cache hit rate over games 11 and 21 is 65.0\u00a0%, each game alike, since no input tokens are known. "
            "It must be above 70.0\u00a0%."
        ),
    ]


def test_an_unreported_cost_keeps_it_shut():
    silent = iteration(4, game(41), game(42, cost=None), game(43))
    found = gate([*THREE, silent], statement=STATEMENT)
    assert not found.is_open
    assert "the cost of game 42 is not reported" in found.missing[0]


def test_a_cache_rate_missing_for_one_game_keeps_it_shut():
    third = iteration(3, game(31), game(32, cache_hit_rate=None), game(33))
    found = gate([iteration(1), iteration(2), third], statement=STATEMENT)
    assert not found.is_open
    assert (found.cache.rate, found.cache.passes, found.cache.missing) == (None, None, [32])
    assert found.missing == ["The cache hit rate of game 32 is not reported; enter it with a reason."]


def test_without_a_row_there_is_no_cache_rate():
    found = gate([failing(1)], statement=STATEMENT)
    assert found.missing[1] == "The cache hit rate is not known: no iteration succeeds yet."


def test_games_before_the_row_do_not_count_for_the_cache():
    cold = iteration(1, game(11, cache_hit_rate=0.0), game(12, cache_hit_rate=None))
    assert gate([cold, iteration(2), iteration(3), iteration(4)], statement=STATEMENT).is_open


@pytest.mark.parametrize(
    ("rates", "passes"),
    [((0.70, 0.70), False), ((0.7001, 0.70), True), ((0.69, 0.71), False), ((0.9, 0.6), True)],
)
def test_exactly_seventy_percent_is_not_above_it(rates, passes):
    games = [game(number, cache_hit_rate=rate) for number, rate in enumerate(rates, 1)]
    assert compute_cache_rate(games, GATED).passes is passes


def test_a_rate_just_above_never_looks_like_the_bound():
    found = compute_cache_rate([game(1, cache_hit_rate=0.70001)], GATED)
    assert "is 70.001\u00a0%" in found.says
    assert "must be" not in found.says


def test_the_rate_is_weighted_by_input_tokens():
    """(3000 * .9 + 1000 * .5) / 4000 = .8, where each game alike would give .7."""
    games = [game(1, cache_hit_rate=0.9, input_tokens=3000), game(2, cache_hit_rate=0.5, input_tokens=1000)]
    found = compute_cache_rate(games, GATED)
    assert (found.rate, found.passes, found.unweighted) == (0.8, True, [])
    assert found.says == "The cache hit rate over games 1 and 2 is 80.0\u00a0%, weighted by input tokens."


def test_a_game_without_input_tokens_counts_with_the_mean_of_the_others():
    """(3000 * .9 + 1000 * .5 + 2000 * .2) / 6000 = .6."""
    games = [
        game(1, cache_hit_rate=0.9, input_tokens=3000),
        game(2, cache_hit_rate=0.5, input_tokens=1000),
        game(3, cache_hit_rate=0.2, is_cache_by_hand=True),
    ]
    found = compute_cache_rate(games, GATED)
    assert (found.rate, found.unweighted, found.by_hand) == (0.6, [3], [3])
    assert (
        "weighted by input tokens (of game 3 none are known: the mean of the others stands in)" in found.says
    )


def test_no_input_tokens_at_all_do_not_divide_by_nothing():
    games = [game(1, cache_hit_rate=0.9, input_tokens=0), game(2, cache_hit_rate=0.7, input_tokens=0)]
    assert compute_cache_rate(games, GATED).rate == 0.8


def test_an_admin_opens_it_with_a_reason_and_what_is_missing_stays():
    found = gate([iteration(1)], override=OVERRIDE)
    assert (found.is_open, found.is_by_override, found.override) == (True, True, OVERRIDE)
    assert len(found.missing) == 2
    assert found.missing[0] == "1 of 3 successes in a row."


@pytest.mark.parametrize("reason", ["", "  \n"])
def test_an_admin_without_a_reason_opens_nothing(reason):
    assert not gate([iteration(1)], override=replace(OVERRIDE, says=reason)).is_open


def test_an_override_that_is_not_needed_is_no_override():
    found = gate(THREE, statement=STATEMENT, override=OVERRIDE)
    assert (found.is_open, found.is_by_override) == (True, False)


@pytest.mark.parametrize("says", ["", "   "])
def test_an_empty_statement_is_none(says):
    assert not gate(THREE, statement=replace(STATEMENT, says=says)).is_open


rates = st.lists(st.tuples(st.integers(0, 100), st.none() | st.integers(0, 5000)), min_size=1, max_size=6)


@given(rates)
def test_the_rate_lies_between_the_lowest_and_the_highest(figures):
    games = [
        game(number, cache_hit_rate=rate / 100, input_tokens=tokens)
        for number, (rate, tokens) in enumerate(figures, 1)
    ]
    found = compute_cache_rate(games, GATED)
    every = [rate / 100 for rate, _ in figures]
    assert min(every) - 1e-12 <= found.rate <= max(every) + 1e-12
    assert found.passes == (found.rate > 0.7) or found.rate == pytest.approx(0.7)


@given(st.lists(st.sampled_from("sbu"), max_size=6), st.booleans(), st.booleans())
def test_the_gate_is_open_when_nothing_is_missing_and_only_then(letters, has_statement, has_override):
    makers = {"s": iteration, "b": failing, "u": lambda number: iteration(number, game(number, cost=None))}
    played = [makers[letter](number) for number, letter in enumerate(letters, 1)]
    found = gate(
        played, statement=STATEMENT if has_statement else None, override=OVERRIDE if has_override else None
    )
    is_earned = "".join(letters).endswith("sss") and has_statement
    assert (not found.missing) == is_earned
    assert found.is_open == (is_earned or has_override)


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
    "nothing yet": ([], 0, True, False, "0 of 3 successes in a row."),
    "one pass": ([iteration(1)], 1, True, False, "1 of 3 successes in a row."),
    "three passes": (
        [iteration(1), iteration(2), iteration(3)],
        3, True, True, "3 of 3 successes in a row.",
    ),
    "two passes, then a fail, then three passes": (
        [iteration(1), iteration(2), failing(3), iteration(4), iteration(5), iteration(6)],
        3, True, True, "3 of 3 successes in a row.",
    ),
    "two passes, then a fail, then two passes": (
        [iteration(1), iteration(2), failing(3), iteration(4), iteration(5)],
        2, True, False, "2 of 3 successes in a row.",
    ),
    "three passes, then a fail": (
        [iteration(1), iteration(2), iteration(3), failing(4)],
        0, True, False, ("0 of 3 successes in a row. "
        "Iteration 4 broke the row: 4 of 7 averages pass, 5 are needed."),
    ),
    "a game at exactly 2.00 dollars": (
        [iteration(1), iteration(2), dear(3)],
        0, True, False, ("0 of 3 successes in a row. "
        "Iteration 3 broke the row: game 32 cost 2.00 dollars, success needs less than 2.00."),
    ),
    "a game at 1.9999 dollars": (
        [iteration(1), iteration(2), dear(3, "1.9999")],
        3, True, True, "3 of 3 successes in a row.",
    ),
    "cost unreported at the end": (
        [iteration(1), iteration(2), iteration(3), dear(4, None)],
        3, False, False, ("3 of 3 successes in a row. "
        "Iteration 4: the cost of game 42 is not reported; enter it with a reason."),
    ),
    "cost unreported in the middle": (
        [iteration(1), dear(2, None), iteration(3), iteration(4)],
        3, False, False, ("2 of 3 successes in a row. "
        "Iteration 2: the cost of game 22 is not reported; enter it with a reason."),
    ),
    "cost unreported before three passes": (
        [dear(1, None), iteration(2), iteration(3), iteration(4)],
        3, True, True, "3 of 3 successes in a row.",
    ),
    "cost unreported, and averages that fail": (
        [iteration(1), IterationFigures(2, "", [replace(failing(2).games[0], cost_usd=None)])],
        0, True, False, ("0 of 3 successes in a row. Iteration 2 broke the row: "
        "4 of 7 averages pass, 5 are needed; the cost of game 21 is not reported; enter it with a reason."),
    ),
    "N/A memory accuracy in two of three games": (
        [iteration(1, game(11, memory_accuracy=60.0), without_memory(12), without_memory(13))],
        1, True, False, "1 of 3 successes in a row.",
    ),
    "a reverted fail between": (
        [iteration(1), iteration(2), replace(failing(3), is_reverted=True), iteration(4)],
        3, True, True, "3 of 3 successes in a row.",
    ),
    "a reverted pass counts no more than a reverted fail": (
        [iteration(1), iteration(2), replace(iteration(3), is_reverted=True)],
        2, True, False, "2 of 3 successes in a row.",
    ),
    "engagement below 3.0 on average": (
        [iteration(1), dull(2, 2.0, 3.0, 3.9)],
        0, True, False, ("0 of 3 successes in a row. "
        "Iteration 2 broke the row: engagement 2.97 < 3.0 on average."),
    ),
    "a rating that is still missing": (
        [iteration(1), dull(2, 3.0, None, 4.0)],
        1, False, False, ("1 of 3 successes in a row. "
        "Iteration 2: not known yet: engagement."),
    ),
    "an iteration without games": (
        [iteration(1), IterationFigures(2, "", [], least=3)],
        1, False, False, "1 of 3 successes in a row. Iteration 2: it has no game.",
    ),
    "an iteration that lost a game": (
        [iteration(1), replace(iteration(2, game(21), game(22)), least=3)],
        1, False, False, ("1 of 3 successes in a row. "
        "Iteration 2: only 2 games count, 3 are needed."),
    ),
    "an iteration that lost games and fails by the rest": (
        [iteration(1), replace(iteration(2, dull(2, 2.0).games[0]), least=3)],
        0, True, False, ("0 of 3 successes in a row. Iteration 2 broke the row: "
        "engagement 2.0 < 3.0 on average; only 1 game counts, 3 are needed."),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("iterations", "count", "is_known", "is_reached", "says"), CASES.values(), ids=CASES)
def test_named_cases(iterations, count, is_known, is_reached, says):
    found = compute_streak(iterations, GATED)
    assert (found.count, not found.unknown, found.is_reached) == (count, is_known, is_reached)
    assert found.says == says


@pytest.mark.parametrize(
    ("letters", "certain"), [("sus", 1), ("suusu", 1), ("ssu", 2), ("uss", 2), ("susbss", 2), ("susss", 3)]
)
def test_only_successes_with_nothing_uncertain_between_them_are_counted(letters, certain):
    makers = {state[0]: maker for state, maker in MAKERS.items()}
    found = compute_streak([makers[letter](number) for number, letter in enumerate(letters, 1)], GATED)
    assert found.says.startswith(f"{certain} of 3 successes in a row.")
    assert found.certain_count == certain


@pytest.mark.parametrize("unit", [ITERATION, GAME])
@pytest.mark.parametrize(
    ("scores", "open_keys", "state"),
    [
        ({}, ["coherence"], "unknown"),
        ({"coherence": 10.0}, ["coherence"], "unknown"),
        ({"coherence": 10.0, "strategic_depth": 10.0, "anti_repetition": 10.0}, ["coherence"], "unknown"),
        (
            {"coherence": 10.0, "strategic_depth": 10.0, "anti_repetition": 10.0},
            ["memory_accuracy"],
            "broken",
        ),
        ({"rating": 2.0}, ["coherence"], "broken"),
    ],
)
def test_an_open_metric_neither_passes_nor_fails(unit, scores, open_keys, state):
    (step,) = compute_streak(
        [iteration(1, game(1, open=open_keys, **scores))], GATED, Choices(unit=unit)
    ).steps
    assert step.state == state
    assert (step.reasons == [f"open, more messages decide: {open_keys[0].replace('_', ' ')}"]) == (
        state == "unknown"
    )


def test_an_iteration_that_nobody_rated_is_said_in_short():
    bare = game(21, rating=None, **dict.fromkeys(METRICS))
    assert compute_streak([iteration(1), iteration(2, bare)], GATED).says == (
        "1 of 3 successes in a row. Iteration 2: not rated in full yet."
    )


def test_the_odds_are_said_for_the_settings_that_were_simulated():
    says = "A prompt exactly at all thresholds gets through within 8 iterations of 3 games 1 time in 8."
    streak = compute_streak([iteration(1)], GATED)
    assert (
        describe_odds(streak, BY_THE_RUBRIC)
        == describe_odds(compute_streak([], GATED), BY_THE_RUBRIC)
        == says
    )
    assert describe_odds(streak, Choices(unit=GAME)) == describe_odds(streak, EACH_ENGAGES) == ""
    assert describe_odds(compute_streak([iteration(1, game())], GATED), BY_THE_RUBRIC) == ""
    four = replace(GATED, parameters=GATED.parameters | {"successes_in_a_row": 4})
    assert describe_odds(compute_streak([iteration(1)], four), BY_THE_RUBRIC) == ""


def test_a_success_whose_prompt_was_not_kept_counts_and_is_named():
    played = [
        iteration(1),
        replace(iteration(2), is_kept=False),
        replace(iteration(3), is_kept=False),
        iteration(4),
    ]
    found = compute_streak(played, GATED)
    assert found.is_reached
    assert found.says == (
        "3 of 3 successes in a row. Counted although the prompt was not kept: iterations 2 and 3."
    )


def test_engagement_of_every_game_is_a_choice():
    played = [iteration(1), dull(2, 2.9, 3.5, 4.0)]
    assert compute_streak(played, GATED).count == 2
    found = compute_streak(played, GATED, EACH_ENGAGES)
    assert found.count == 0
    assert found.broken_by.reasons == ["game 21 is rated 2.9, below 3.0"]


def test_the_game_as_unit_is_a_choice():
    """Three games of one iteration in a row are enough then; the averages of the first iteration do not matter."""
    first = iteration(1, game(1), game(2, coherence=0.0, strategic_depth=0.0, anti_repetition=0.0), game(3))
    found = compute_streak([first, iteration(2, game(4), game(5))], GATED, BY_GAME)
    assert [step.state for step in found.steps] == [SUCCESS, BROKEN, SUCCESS, SUCCESS, SUCCESS]
    assert (found.count, found.is_reached) == (3, True)
    assert found.broken_by.reasons == ["4 of 7 metrics pass, 5 are needed"]
    assert found.says == "3 of 3 successes in a row."
    assert [game_figures.number for game_figures in found.games] == [3, 4, 5]


def test_games_as_unit_are_judged_as_their_verdicts_have_them():
    by_hand = game(1, personality_diversity=10.0, coherence=0.0, strategic_depth=0.0,
                   passes={"personality_diversity": True})  # fmt: skip
    assert compute_streak([iteration(1, by_hand)], GATED, BY_GAME).count == 1


def test_a_dull_game_breaks_the_row_of_games():
    found = compute_streak([dull(1, 3.0, 2.9)], GATED, BY_GAME)
    assert (found.count, found.broken_by.game) == (0, 12)
    assert found.says.endswith("Game 12 broke the row: engagement fails, which must pass.")


def test_a_game_as_unit_that_is_not_rated_is_unknown():
    found = compute_streak([dull(1, 3.0, None)], GATED, BY_GAME)
    assert [step.state for step in found.steps] == [SUCCESS, UNKNOWN]
    assert found.says.endswith("Game 12: not known yet: engagement.")


def test_reverted_iterations_are_named():
    found = compute_streak([iteration(1), replace(failing(2), is_reverted=True)], GATED)
    assert (found.reverted, [step.iteration for step in found.steps]) == ([2], [1])


def test_the_games_of_a_row_are_those_of_its_latest_successes():
    found = compute_streak([iteration(1), iteration(2), iteration(3), iteration(4)], GATED)
    assert found.count == 4
    assert [game_figures.number for game_figures in found.games] == [21, 22, 23, 31, 32, 33, 41, 42, 43]


def test_how_many_in_a_row_are_needed_is_the_rubrics():
    two = replace(GATED, parameters=GATED.parameters | {"successes_in_a_row": 2})
    assert compute_streak([iteration(1), iteration(2)], two).is_reached


def test_an_iteration_can_be_judged_by_another_version_of_the_rubric():
    lenient = replace(GATED, parameters=GATED.parameters | {"pass_count": 4})
    played = replace(failing(1), rubric=lenient)
    assert compute_streak([failing(1)], GATED).count == 0
    assert compute_streak([played], GATED).count == 1


MAKERS = {SUCCESS: iteration, BROKEN: failing, UNKNOWN: lambda number: dear(number, None)}


states = st.lists(st.sampled_from([SUCCESS, BROKEN, UNKNOWN]), max_size=8)


@given(states)
def test_a_streak_by_its_letters(wanted):
    found = compute_streak([MAKERS[state](number) for number, state in enumerate(wanted, 1)], GATED)
    assert [step.state for step in found.steps] == wanted
    row = "".join(state[0] for state in wanted).rpartition("b")[2]
    assert found.count == row.count("s")
    assert found.is_reached == row.endswith("sss")
    assert (not found.unknown) == (row.endswith("sss") or "u" not in row)


@given(states, st.integers(0, 8), st.sampled_from([SUCCESS, BROKEN, UNKNOWN]))
def test_a_reverted_iteration_changes_nothing(wanted, place, state):
    played = [MAKERS[kind](number) for number, kind in enumerate(wanted, 1)]
    more = [*played[:place], replace(MAKERS[state](9), is_reverted=True), *played[place:]]
    assert compute_streak(more, GATED).says == compute_streak(played, GATED).says
    assert compute_streak(more, GATED).steps == compute_streak(played, GATED).steps
