"""When to try again to send something to another computer that did not arrive."""

from datetime import timedelta

# A message is tried 11 times: after 10 s, 30 s, 90 s, ... and at last every 6 hours, together about 21 hours.
MOST_ATTEMPTS = 11
FIRST_WAIT, LONGEST_WAIT = timedelta(seconds=10), timedelta(hours=6)


def compute_wait(attempt: int, share: float) -> timedelta:
    """The time until the attempt after this one; `share`, from 0 to 1, spreads it by a quarter either way."""
    wait: timedelta = min(FIRST_WAIT * 3 ** min(attempt - 1, MOST_ATTEMPTS), LONGEST_WAIT)
    return wait * (0.75 + share / 2)
