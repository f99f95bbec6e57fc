"""Prints what pages cost: the list of games and the dashboard at two sizes, a game, its verdict, an evaluator's page.

    python -m benchmarks.bench_pages [SMALL LARGE ...]

On a SQLite file with the real pragmas, through all middleware, the test client's own work included; wall time and CPU
time of this process. A third of the games has a verdict. The list must cost the same at both sizes. Budgets hold for
a quiet core, see `calibration`.
"""

import sys
import time
from datetime import timedelta
from statistics import median, quantiles
from typing import Any

from benchmarks.calibration import Calibration
from benchmarks.copies import (
    copy,
    copy_evaluations,
    copy_findings,
    copy_games,
    copy_judgements,
    copy_measured,
)
from benchmarks.preparing import prepare

LIST_P50_MS, LIST_P95_MS, RATE_P50_MS, DASHBOARD_MS = 12.0, 15.0, 12.0, 20.0
REPEATS = 200
SPREAD = 1.5  # noise of a busy machine; the figures to keep are printed


def fill(count: int) -> Any:
    """A project with that many measured games, rows copied from one that went through every step."""
    from tests.factories.verdicts import recorded_verdict

    return fill_games(recorded_verdict(message_count=60), count)


def fill_games(verdict: Any, count: int, ready: int = 0) -> Any:
    """Copies of the game of a verdict, so that its project has that many; one in three has a verdict, of last year.

    `ready` more are submitted and wait for theirs. Returns the first game.
    """
    from django.db import transaction
    from django.utils import timezone

    from discussions.models import Verdict

    now = timezone.now()
    first, measured, evaluation = verdict.game, verdict.measured, verdict.game.evaluations.get()
    with transaction.atomic():
        games = copy_games(
            first,
            [
                {
                    "number": first.number + 10_000 + at,
                    "source_id": f"g{at}",
                    "content_sha256": f"{at:064x}",
                    "search_text": first.search_text.replace(first.source_id.casefold(), f"g{at}"),
                    "message_count": first.message_count + at % 50,
                }
                for at in range(count - 1)
            ],
            with_texts=False,
        )
        pairs = list(enumerate(zip(games, copy_measured(measured, games, with_findings=False), strict=True)))
        waiting = [pair for at, pair in pairs if at % 3][:ready]
        third = [pair for at, pair in pairs if at % 3 == 0]
        evaluations = copy_evaluations(evaluation, *zip(*third, *waiting, strict=True))
        Verdict.objects.bulk_create(
            [copy(verdict, game=game, measured=row, composite=verdict.composite + game.pk % 97 / 10,
                  created_at=now - timedelta(days=game.pk % 365))
             for game, row in third],
            batch_size=200,
        )  # fmt: skip
        copy_findings(measured, [row for _game, row in waiting])
        copy_judgements(evaluation, evaluations[len(third) :])
    project = first.project
    project.__class__.objects.filter(pk=project.pk).update(next_game_number=first.number + 10_000 + count)
    return first


def timed(client: Any, what: str, address: str) -> tuple[float, float]:
    """Print wall and CPU time of a page; the median and the 95th percentile of CPU time as on a quiet core (ms)."""
    walls, costs, calibration = [], [], Calibration()
    size = 0
    for at in range(REPEATS + 20):
        calibration.tick(at)
        wall, cost = time.perf_counter(), time.process_time()
        answer = client.get(address)
        if at >= 20:
            walls.append(1000 * (time.perf_counter() - wall))
            costs.append(1000 * (time.process_time() - cost))
        assert answer.status_code == 200, answer.content[:500]
        size = len(answer.content)
    p50, p95, cpu = median(walls), quantiles(walls, n=20)[-1], median(costs)
    print(f"{what}: p50 {p50:.1f} ms, p95 {p95:.1f} ms, CPU {cpu:.1f} ms, {size:,} bytes")
    quiet, tail = calibration.quiet(cpu), calibration.quiet(quantiles(costs, n=20)[-1])
    print(f"  {calibration}: CPU {quiet:.1f} ms, p95 {tail:.1f} ms on a quiet core")
    return quiet, tail


def main() -> int:
    """Run and print; 1 when over the budget."""
    sizes = [int(size) for size in sys.argv[1:]] or [1_000, 10_000]
    prepare()
    from django.test import Client
    from django.urls import reverse

    from tests.factories.people import make_admin
    from tests.factories.rating import start

    client = Client()
    client.force_login(make_admin())
    over = False
    lists = []
    for size in sizes:
        game = fill(size)
        slug, number = game.project.slug, game.number
        evaluator = game.evaluations.get().evaluator_id
        base = reverse("games", args=[slug])
        for what, address in (
            ("newest", base),
            ("by composite", f"{base}?sort=best"),
            ("passed", f"{base}?state=pass"),
            ("found by id", f"{base}?q=g{size // 2}"),
            ("found by nothing", f"{base}?q=nowhere"),
            ("by length", f"{base}?sort=longest"),
            ("filtered", f"{base}?state=waiting&since=2001-01-01&q=g7"),
            ("not applicable", f"{base}?weak=na&verdict=pass"),
            ("of a person", f"{base}?evaluator={evaluator}&flag=yes"),
            ("evaluators differ", f"{base}?agreement=unresolved"),
        ):
            quiet, tail = timed(client, f"list of games, {what}, of {size:,}", address)
            over |= tail > LIST_P95_MS
            if what == "newest":
                lists.append(quiet)
                over |= quiet > LIST_P50_MS
        quiet, _tail = timed(client, f"dashboard of {size:,} games", reverse("project", args=[slug]))
        over |= quiet > DASHBOARD_MS
    for name in ("game", "verdict", "report"):
        timed(client, f"{name} of 60 messages", reverse(name, args=[slug, number]))
    evaluation = start(message_count=60)
    client.force_login(evaluation.evaluator)
    quiet, _tail = timed(client, "evaluator's page of 60 messages", reverse("rate", args=[evaluation.pk]))
    over |= quiet > RATE_P50_MS
    print(f"budget of the evaluator's page: p50 {RATE_P50_MS} ms")
    growth = lists[-1] / lists[0]
    print(f"budget of the list: p50 {LIST_P50_MS} ms, p95 {LIST_P95_MS} ms")
    print(f"growth of the list from {sizes[0]:,} to {sizes[-1]:,} games: {growth:.2f}")
    return int(over or growth > SPREAD)


if __name__ == "__main__":
    sys.exit(main())
