"""How fast this machine is at this moment: the cost of a fixed loop, to interpret the figures of a benchmark.

Other processes on the same cores also raise CPU time. So every benchmark of requests runs this loop in between and
prints its cost; a figure times QUIET_MS over that cost is about what a quiet core would show.
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
        """Run the loop once per that many requests."""
        if number % EVERY == 0:
            self.costs.append(loop_ms())

    def quiet(self, cost: float) -> float:
        """The approximate cost on a quiet core."""
        return cost * QUIET_MS / median(self.costs)

    def __str__(self) -> str:
        return f"calibration loop {median(self.costs):.1f} ms ({QUIET_MS} on a quiet core)"


def loop_ms() -> float:
    """CPU time of the loop."""
    began, total = time.process_time(), 0
    for number in range(TURNS):
        total += number * number % 7
    return 1000 * (time.process_time() - began)
