"""The kinds and states of an iteration and the moves between them; a move that is not in the table is refused."""

from workspace.core.words import mark, say

UNSORTED = "unsorted"
BASELINE = "baseline"
CHANGE = "change"
ALWAYS_OPEN = "always_open"
IMPORTING = "importing"
RATING = "rating"
DECIDED = "decided"
DROP = "drop"
KEEP, REVERT, INCONCLUSIVE = "keep", "revert", "inconclusive"
DECISIONS = (KEEP, REVERT, INCONCLUSIVE)

# When evaluators see automatic findings, and how they are asked who said what.
BLIND_FIRST, ALONGSIDE, NEVER = "blind_first", "alongside", "never"
QUESTION, TEST = "question", "test"

# An iteration takes games only in the first states and has slots only in the second. Both hold only for the unsorted
# games: their list is never frozen.
TAKES_GAMES = (ALWAYS_OPEN, IMPORTING)
STATES_WITH_SLOTS = (ALWAYS_OPEN, RATING, DECIDED)

# "drop" is a decision before any game is rated: it ends an iteration that nobody wants to continue.
MOVES: dict[tuple[str, str], str] = {
    (IMPORTING, "open_for_rating"): RATING,
    (IMPORTING, DROP): DECIDED,
    (RATING, "decide"): DECIDED,
    (DECIDED, "decide"): DECIDED,
}

WHY_FROZEN = {
    RATING: mark("was opened for rating, which froze its list of games"),
    DECIDED: mark("is decided, and its list of games is frozen"),
}


def state_after(state: str, move: str) -> str | None:
    return MOVES.get((state, move))


def states_before(move: str) -> tuple[str, ...]:
    return tuple(state for state, known in MOVES if known == move)


def get_decision_move(state: str, decision: str) -> str:
    """The move that a decision makes: an iteration that was never rated cannot be kept, only dropped."""
    return DROP if state == IMPORTING and decision != KEEP else "decide"


def why_frozen(state: str) -> str:
    """Why it takes no more games, as the end of a sentence about the iteration; "" while it takes games."""
    return say(WHY_FROZEN.get(state, ""))


ITERATION, GAME = "iteration", "game"
AVERAGE, EVERY_GAME = "average", "every_game"
SUCCESS, BROKEN, UNKNOWN = "success", "broken", "unknown"
