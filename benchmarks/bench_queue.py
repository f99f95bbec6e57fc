"""Prints what "next game" costs while fifty people ask for one, with few and with many games stored, and its pages.

    python -m benchmarks.bench_queue [FEW MANY]

Through the app's own actions: on a PostgreSQL of its own where this machine can have one, with 50 people in threads of
one process, then on SQLite with 8. First as a stream, at the rate of a busy team; then all at the same moment, where
each waits for those before. Every slot must be taken once, and no list may cost more with many games.
"""

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from statistics import median, quantiles
from threading import Barrier

from benchmarks.calibration import Calibration
from benchmarks.preparing import on_postgresql, prepare, run_here

P95_MS, SPREAD = 25.0, 1.5
A_SECOND, SECONDS, ROUNDS, REPEATS = 20, 10, 4, 40
PEOPLE = {"postgresql": 50, "sqlite": 8}


def take(project, person) -> float:
    """Milliseconds to take one game; then, unmeasured, mark it as rated and submitted."""
    from django.utils import timezone

    from discussions.models import Evaluation, Slot
    from discussions.queue.actions import take_next_game

    began = time.perf_counter()
    taken = take_next_game(project=project, by=person, now=timezone.now())
    took = 1000 * (time.perf_counter() - began)
    assert taken is not None
    Evaluation.objects.filter(pk=taken.pk).update(state="submitted")
    Slot.objects.filter(pk=taken.slot_id).update(
        is_closed=True, lease_until=None, awaiting_since=timezone.now()
    )
    return took


def stream(project, people, pool) -> tuple[list[float], float]:
    """The times at a rate of that many requests a second, and the CPU time of one."""
    from django.db import connections

    began, cpu, waiting = time.perf_counter(), time.process_time(), []

    def one(person):
        try:
            return take(project, person)
        finally:
            connections.close_all() if connections["default"].vendor == "sqlite" else None

    for number in range(A_SECOND * SECONDS):
        time.sleep(max(0.0, began + number / A_SECOND - time.perf_counter()))
        waiting.append(pool.submit(one, people[number % len(people)]))
    times = [future.result() for future in waiting]
    return times, 1000 * (time.process_time() - cpu) / len(times)


def at_once(project, people, pool) -> list[float]:
    """The times when all ask at the same moment."""
    times = []
    for _round in range(ROUNDS):
        gate = Barrier(len(people))

        def one(person, gate=gate):
            gate.wait()
            return take(project, person)

        times += list(pool.map(one, people))
    return times


def page_ms(person, address: str) -> float:
    """CPU time of a page."""
    from django.test import Client

    client, costs = Client(), []
    client.force_login(person)
    for _ in range(REPEATS):
        began = time.process_time()
        assert client.get(address).status_code == 200
        costs.append(1000 * (time.process_time() - began))
    return median(costs)


def said(times: list[float]) -> str:
    """Median and 95th percentile."""
    return f"p50 {median(times):.1f} ms, p95 {quantiles(times, n=20)[-1]:.1f} ms"


def measure(sizes: list[int]) -> int:
    """Run and print on the database that the environment names; 1 when over the budget."""
    prepare()
    from django.db import connection, connections
    from django.urls import reverse

    from benchmarks.games_by_copy import add_games
    from discussions.models import Slot
    from tests.factories.people import make_lead, make_member
    from tests.factories.rating import make_game, make_rating_project

    project, calibration, stored = make_rating_project(evaluator_count=2), Calibration(), 0
    people = [make_member(project=project) for _ in range(PEOPLE[connection.vendor])]
    lead, game = make_lead(project=project), make_game(project=project, message_count=6)
    pages: dict[str, list[float]] = {}
    quiet = 0.0
    for size in sizes:
        add_games(game, size - stored)
        stored = size
        with ThreadPoolExecutor(len(people)) as pool:
            # Connections are open and queries compiled then.
            list(pool.map(lambda person: take(project, person), people))
            calibration.tick(0)
            times, cpu = stream(project, people, pool)
            calibration.tick(0)
            crowd = at_once(project, people, pool)
            list(pool.map(lambda _: connections.close_all(), people))
        quiet = calibration.quiet(quantiles(times, n=20)[-1])
        print(f"{connection.vendor}, {size:,} games, {len(people)} people")
        print(
            f"  next game, {A_SECOND} a second: {said(times)}, CPU {cpu:.1f} ms; p95 {quiet:.1f} ms on a quiet core"
        )
        print(f"  next game, all at the same moment: {said(crowd)}")
        for what, person, address in (
            ("evaluator's home", people[0], reverse("home")),
            ("lead's home", lead, reverse("home")),
            ("queue", people[0], reverse("queue", args=[project.slug])),
        ):
            pages.setdefault(what, []).append(page_ms(person, address))
            print(f"  {what}: CPU {pages[what][-1]:.1f} ms")
    assert not Slot.objects.filter(is_closed=True, evaluator=None).exists()
    print(f"  {calibration}; budget of next game: p95 {P95_MS} ms")
    growth = max(costs[-1] / costs[0] for what, costs in pages.items())
    print(f"  growth of the pages: at most {growth:.2f}")
    return int(quiet > P95_MS or growth > SPREAD)


def main() -> int:
    """Run on PostgreSQL, then on SQLite, each in its own process."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["here"]:
        return measure([int(size) for size in arguments[1:]] or [1_000, 100_000])
    on_server = on_postgresql("benchmarks.bench_queue", arguments) or 0
    return max(on_server, run_here("benchmarks.bench_queue", arguments))


if __name__ == "__main__":
    sys.exit(main())
