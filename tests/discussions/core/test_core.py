"""The moves of an iteration: every one that is not in the table is refused."""

import itertools

from discussions.core.iteration_states import (
    ALWAYS_OPEN,
    DECIDED,
    DECISIONS,
    IMPORTING,
    KEEP,
    MOVES,
    RATING,
    REVERT,
    STATES_WITH_SLOTS,
    TAKES_GAMES,
    get_decision_move,
    state_after,
    states_before,
    why_frozen,
)

STATES = (ALWAYS_OPEN, IMPORTING, RATING, DECIDED)


def test_only_the_moves_of_the_table_are_allowed():
    moves = {move for _state, move in MOVES}
    allowed = {pair for pair in itertools.product(STATES, moves) if state_after(*pair)}
    assert allowed == set(MOVES)
    assert state_after(RATING, "open_for_rating") is None
    assert states_before("decide") == (RATING, DECIDED)


def test_the_waiting_room_never_moves():
    assert all(state != ALWAYS_OPEN for state, _move in MOVES)


def test_games_come_in_or_are_rated_never_both_but_in_the_waiting_room():
    assert set(TAKES_GAMES) & set(STATES_WITH_SLOTS) == {ALWAYS_OPEN}
    assert set(TAKES_GAMES) | set(STATES_WITH_SLOTS) == set(STATES)


def test_a_frozen_list_says_why():
    assert [bool(why_frozen(state)) for state in STATES] == [False, False, True, True]


def test_what_nobody_rated_can_be_dropped_and_not_kept():
    moves = {choice: state_after(IMPORTING, get_decision_move(IMPORTING, choice)) for choice in DECISIONS}
    assert moves[KEEP] is None
    assert moves[REVERT] == DECIDED
    assert all(state_after(RATING, get_decision_move(RATING, choice)) == DECIDED for choice in DECISIONS)
