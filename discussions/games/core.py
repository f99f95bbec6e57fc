"""The parts in which the page of a game shows a long transcript."""

MESSAGES_A_PAGE = 200
# A link to a message of a long game shows this many messages before it.
MESSAGES_BEFORE = 10


def find_start(position: int) -> int:
    """The first message of the page that a link to this message opens; 0 for the beginning of the game."""
    return max(1, position - MESSAGES_BEFORE) if position > MESSAGES_A_PAGE else 0
