"""Prints what one save costs the server: CPU time from the request to the rendered regions, through all middleware.

    python -m benchmarks.bench_saves [SAVES]

A game of 60 messages on a SQLite file with the real pragmas; labels, samples, questions and ratings in turn. The test
client's own time (building the request, parsing the response) is printed as well. The budget holds for a quiet core,
see `calibration`.
"""

import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from statistics import median, quantiles
from typing import Any
from urllib.parse import urlencode

from benchmarks.calibration import Calibration
from benchmarks.preparing import prepare

BUDGET_MS = 5.0
MESSAGES, WARM_UP = 60, 20
FORM = "application/x-www-form-urlencoded"  # as browsers send it


def post_each(
    client: Any, address: str, bodies: Iterable[dict[str, object]]
) -> tuple[list[float], list[float], Any]:
    """CPU and wall time of each post, as htmx sends it, in milliseconds without the first ones; and the calibration."""
    costs, walls, calibration = [], [], Calibration()
    for number, body in enumerate(bodies):
        calibration.tick(number)
        sent = urlencode(body)
        began, wall = time.process_time(), time.perf_counter()
        answer = client.post(address, sent, content_type=FORM, headers={"HX-Request": "true"})
        costs.append(1000 * (time.process_time() - began))
        walls.append(1000 * (time.perf_counter() - wall))
        assert answer.status_code == 200, answer.content
    return costs[WARM_UP:], walls[WARM_UP:], calibration


def acts(evaluation):
    """What an evaluator posts, again and again: (kind, subject, value)."""
    from discussions.rating.queries import load_state as work_of

    work = work_of(evaluation)
    judgeable = work.judgeable
    while True:
        for label in ("accurate", "inaccurate"):
            yield from (("reference", subject, label) for subject in judgeable.counted)
        for metric in ("strategic_depth", "coherence"):
            yield from ((metric, str(position), "yes") for position in work.samples[metric][1:])
        yield from (("question", str(number), "yes") for number in range(1, 6))
        yield from (("rating", "", value) for value in ("3.0", "3.5", "4.0"))


def main() -> int:
    """Run and print; 1 when over the budget."""
    saves = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    prepare()
    from django.test import Client
    from django.urls import reverse

    from tests.factories.rating import start

    evaluation = start(message_count=MESSAGES)
    client = Client()
    client.force_login(evaluation.evaluator)
    versions: Counter[tuple[str, str]] = Counter()

    def bodies() -> Iterator[dict[str, object]]:
        for number, (kind, subject, value) in enumerate(islice(acts(evaluation), saves + WARM_UP)):
            body = {"kind": kind, "subject": subject, "value": value, "key": f"bench:{number}"}
            yield body | {"version": versions[kind, subject]}
            versions[kind, subject] += 1

    costs, walls, calibration = post_each(client, reverse("judge", args=[evaluation.pk]), bodies())
    empty = []
    for _ in range(50):
        began = time.process_time()
        client.get("/healthz")
        empty.append(1000 * (time.process_time() - began))
    p95 = quantiles(costs, n=20)[-1]
    print(f"save, {saves} times, {MESSAGES} messages: CPU p50 {median(costs):.2f} ms, p95 {p95:.2f} ms")
    alone = f"test client and middleware alone {median(empty):.2f} ms"
    quiet = calibration.quiet(median(costs))
    print(f"  {calibration}: p50 {quiet:.2f} ms on a quiet core, budget {BUDGET_MS} ms")
    print(f"  {alone}; wall p50 {median(walls):.2f} ms")
    return 1 if quiet > BUDGET_MS else 0


if __name__ == "__main__":
    sys.exit(main())
