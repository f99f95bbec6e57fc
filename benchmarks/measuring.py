"""How `make bench` measures: figures kept with the state of the machine, CPU time of acts, several clients at once.

Any server can be measured: the site, the bare site of `benchmarks.floor`, and those of `benchmarks.peers`.
"""

import re
import sys
import time
from collections.abc import Callable, Sequence
from html import unescape
from itertools import cycle, islice
from statistics import mean

from benchmarks.bench_import import native
from benchmarks.calibration import QUIET_MS, loop_ms
from benchmarks.driver import Answer, Browser, ProcessTree, in_parallel

CLIENTS = 8
EVALUATORS = 17  # together with two leads, the most that may sign in from one address within a minute
VISITS, SAVES, SAVES_OF_ALL = 60, 100, 1_600
WARM_UP, CROWDED = 5, 30.0
SETTLED, LONGEST_WAIT = 15.0, 300.0
# Seconds between two requests: code and data have left the caches of the processor by then, as when a person reads.
PAUSE = 0.2
IDLE = 30.0
Act = Callable[[], object]
NAMED = re.compile(r'<(?:script\b[^>]*?\ssrc|link\b[^>]*?\shref)="(/[^"]+)"')


class Notes:
    """The measured figures, each with how much slower the calibration loop was than on a quiet core."""

    def __init__(self) -> None:
        self.values: dict[str, tuple[float, float]] = {}

    def add(self, key: str, value: float, slowness: float = 1.0) -> None:
        """Keep a figure and print it."""
        self.values[key] = (value, slowness)
        print(f"  {key}: {value:.4g} (calibration {slowness:.2f})", file=sys.stderr, flush=True)

    def loops(self, key: str, measure: Callable[[], float]) -> None:
        """Keep the result of `measure`, with the loop run before and after it."""
        before = slowness()
        value = measure()
        self.add(key, value, mean([before, slowness()]))


def slowness() -> float:
    """How much slower the calibration loop is now than on a quiet core."""
    return mean(loop_ms() for _ in range(3)) / QUIET_MS


def idle_cpu(notes: Notes, tree: ProcessTree) -> float:
    """Note the CPU time that all processes take in a second without requests, milliseconds; return it."""
    began = tree.cpu()
    time.sleep(IDLE)
    idle = 1000 * (tree.cpu() - began) / IDLE
    notes.add("idle_cpu", idle)
    return idle


def cpu_of(tree: ProcessTree, acts: Sequence[Act], times: int, *, idle: float) -> float:
    """CPU time of all processes for one act, milliseconds, beyond what they take when idle.

    The acts take turns, with a pause before each, as people's requests come. The first ones count, too.
    """
    began, cpu = time.perf_counter(), tree.cpu()
    for act in islice(cycle(acts), times):
        time.sleep(PAUSE)
        act()
    return (1000 * (tree.cpu() - cpu) - idle * (time.perf_counter() - began)) / times


def checked(answer: Answer, *statuses: int) -> Answer:
    """The answer. Raises RuntimeError unless it has one of the statuses, 200 when none is given."""
    if answer.status not in (statuses or (200,)):
        raise RuntimeError(f"a request was answered by {answer.status}: {answer.text[:300]}")
    return answer


def visit(browser: Browser, path: str) -> Act:
    """An act that loads a page on a new connection. Raises RuntimeError unless it loads."""

    def act() -> None:
        browser.close()
        checked(browser.get(path))

    return act


def first_visit_kb(browser: Browser, *paths: str) -> float:
    """KB on the wire of these paths, and of the scripts, styles and other files that they name in their head."""
    answers = [checked(browser.get(path)) for path in paths]
    named = {name for answer in answers for name in NAMED.findall(answer.text)}
    return sum(answer.wire for answer in [*answers, *(browser.get(unescape(name)) for name in named)]) / 1000


def made_games(first: int, end: int) -> list[dict[str, object]]:
    """Games in the native format, the same ones for every server."""
    return [native(1_000_000 + number) for number in range(first, end)]


def crowd(notes: Notes, saves: list[Act]) -> None:
    """Several clients save at once, for about half a minute where saves are slow. Raises the exception of a client."""
    before = slowness()
    ahead = in_parallel(saves, times=WARM_UP)
    times = max(WARM_UP, int(CROWDED * WARM_UP / ahead.lasted))
    load = in_parallel(saves, times=min(times, SAVES_OF_ALL // len(saves)))
    for error in ahead.errors + load.errors:
        raise error
    after = mean([before, slowness()])
    notes.add("saves", load.per_second, after)
    notes.add("longest", 1000 * max(load.seconds), after)


def wait_until_idle(tree: ProcessTree) -> None:
    """Until all processes together take less than a tenth of a core for three seconds."""
    until, before = time.perf_counter() + LONGEST_WAIT, tree.cpu()
    while time.perf_counter() < until:
        time.sleep(3)
        if tree.cpu() - before < 0.3:
            return
        before = tree.cpu()
    print("  the background work did not end: pages are measured beside it", file=sys.stderr)
