"""How fast this machine is at this moment: the cost of a fixed loop, to interpret the figures of a benchmark.

Other processes on the same cores also raise CPU time. So every benchmark of requests runs this loop in between and
prints its cost; a figure times QUIET_MS over that cost is about what a quiet core would show. Tests of what cannot be
counted, such as a search by a pattern, compare with it by `fits`.
"""

import time
from collections.abc import Callable
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


def fits(act: Callable[[], object], quiet_ms: float, tries: int = 5) -> bool:
    """Whether the act takes at most so much CPU time on a quiet core, at least in one of these tries.

    Other processes cool the caches, which the loop does not feel.
    """
    for _ in range(tries):
        cost = cost_ms(act)
        if cost <= quiet_ms or cost * QUIET_MS <= quiet_ms * loop_ms():
            return True
    return False


def cost_ms(act: Callable[[], object]) -> float:
    """CPU time of the act."""
    began = time.process_time()
    act()
    return 1000 * (time.process_time() - began)


def loop_ms() -> float:
    """CPU time of the loop."""
    began, total = time.process_time(), 0
    for number in range(TURNS):
        total += number * number % 7
    return 1000 * (time.process_time() - began)
