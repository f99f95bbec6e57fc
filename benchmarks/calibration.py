"""How fast this machine is at this moment: what a fixed loop costs, to read the figures of a benchmark by.

Neighbours on the same cores make CPU time dearer too. So every benchmark of requests runs this loop in between and
prints its cost; times QUIET_MS over that cost, a figure is about what a quiet core would show.
"""

import time
from statistics import median

QUIET_MS = 20.5
EVERY = 10
TURNS = 400_000


class Calibration:
    """Costs of the loop, taken between requests."""

    def __init__(self) -> None:
        self.costs: list[float] = []

    def tick(self, number: int) -> None:
        """Run the loop once in so many requests."""
        if number % EVERY == 0:
            self.costs.append(loop_ms())

    def quiet(self, cost: float) -> float:
        """What a cost would be about on a quiet core."""
        return cost * QUIET_MS / median(self.costs)

    def __str__(self) -> str:
        return f"calibration loop {median(self.costs):.1f} ms ({QUIET_MS} on a quiet core)"


def loop_ms() -> float:
    """CPU time of the loop."""
    began, total = time.process_time(), 0
    for number in range(TURNS):
        total += number * number % 7
    return 1000 * (time.process_time() - began)
