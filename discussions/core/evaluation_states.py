"""The states of an evaluation and the moves between them; a move that is not in the table is refused."""

from workspace.core.words import mark, say

DRAFT = "draft"
SUBMITTED = "submitted"
RETURNED = "returned"
SKIPPED = "skipped"
LAPSED = "lapsed"
OPEN = (DRAFT, RETURNED)

MOVES: dict[tuple[str, str], str] = {
    (DRAFT, "submit"): SUBMITTED,
    (RETURNED, "submit"): SUBMITTED,
    (DRAFT, "skip"): SKIPPED,
    (RETURNED, "skip"): SKIPPED,
    (SKIPPED, "resume"): DRAFT,
    (SUBMITTED, "return"): RETURNED,
    (SUBMITTED, "reopen"): DRAFT,
    (DRAFT, "lapse"): LAPSED,
    (RETURNED, "lapse"): LAPSED,
    (LAPSED, "resume"): DRAFT,
}

WHY_CLOSED = {
    SUBMITTED: (
        mark(
            "This evaluation was submitted; its judgements count. Under “My evaluations” you can reopen it for a short "
            "time, where the project allows that; a team lead can return it to you."
        )
    ),
    LAPSED: (
        mark(
            "Your time on this game ended and the slot went back. What you judged is kept: resume the game, "
            "if its slot is still free."
        )
    ),
    SKIPPED: mark("You skipped this game. Resume it from your list, if its slot is still free."),
}

RELEASED = mark(
    "A team lead released your slot on this game. What you judged is kept: resume the game, if a slot on it is "
    "still open."
)

# The reason why somebody may no longer judge a game that they have open: their current or former role in its project.
LEADS, LED, LEFT = "leads", "led", "left"

WHY_BARRED = {
    LEADS: (
        mark(
            "You are a team lead or an admin here now and see the roles and figures of every game, so you can rate no "
            "more of this one. What you judged is kept. Skip the game, so that its slot is free for another person."
        )
    ),
    LED: (
        mark(
            "You led this project while this game was in it and could see its roles and figures, so you cannot rate "
            "it. What you judged is kept. Skip the game, so that its slot is free for another person."
        )
    ),
    LEFT: mark(
        "You do not belong to this project any more, so you can rate no more of its games. What you judged is kept."
    ),
}


def state_after(state: str, move: str) -> str | None:
    return MOVES.get((state, move))


def why_closed(state: str, *, is_released: bool = False) -> str:
    """Why nothing can be judged in this state, as a sentence; "" when it can. `is_released` if a lead ended it."""
    return say(RELEASED if is_released and state == LAPSED else WHY_CLOSED.get(state, ""))
