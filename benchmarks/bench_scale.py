"""Prints what pages and acts cost with 1,000 to 1,000,000 games on a PostgreSQL of its own, as a table of Markdown.

    python -m benchmarks.bench_scale [SIZE ...]

Through all middleware, the test client's own work included. Each cell is the 95th percentile of the wall time in
milliseconds, and the blocks (8 KB) that PostgreSQL looked at for one request, which a busy machine does not change.
A third of the games has a verdict; games have 12 messages. Exports, backups and migrations are done once.
"""

import io
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import quantiles
from typing import Any, NamedTuple

from benchmarks.preparing import on_postgresql, prepare

SIZES = (1_000, 10_000, 100_000, 1_000_000)
WARM_UP, REPEATS, MOST_SECONDS = 5, 40, 60.0
# The most that these may grow from 10,000 games to the largest size.
FLAT, GROWTH = ("list of games, newest", "list, by composite", "next game"), 2.0
BLOCKS = "SELECT SUM(hits) + SUM(reads) FROM pg_stat_get_backend_io(pg_backend_pid())"
UNDO = (
    "ALTER TABLE discussions_game DROP COLUMN mood",
    "ALTER TABLE discussions_slot DROP COLUMN mood",
    "DELETE FROM django_migrations WHERE name LIKE '099%'",
)
Act = Callable[[], object]


class Cost(NamedTuple):
    """Milliseconds at the 95th percentile, and blocks a request."""

    p95: float
    blocks: float


def measure(act: Act) -> Cost:
    """Do it a few times, then often, at most for a minute."""
    for _ in range(WARM_UP):
        act()
    before, times, began = count_blocks(), [], time.monotonic()
    while len(times) < REPEATS and (len(times) < 4 or time.monotonic() - began < MOST_SECONDS):
        started = time.perf_counter()
        act()
        times.append(1000 * (time.perf_counter() - started))
    return Cost(quantiles(times, n=20)[-1], (count_blocks() - before) / len(times))


def count_blocks() -> int:
    """The blocks that PostgreSQL has looked at for this connection so far."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute(BLOCKS)
        return int(cursor.fetchone()[0])


def pages(verdict: Any) -> dict[str, Act]:
    """What is measured, by name."""
    from django.test import Client
    from django.urls import reverse
    from django.utils import timezone

    from benchmarks.bench_history import fill as make_history
    from benchmarks.bench_queue import take
    from tests.factories.people import make_admin, make_member
    from tests.factories.rating import say, start

    client, project = Client(), verdict.game.project
    client.force_login(make_admin())
    games = reverse("games", args=[project.slug])
    stage = make_history(20)
    people = [make_member(project=project) for _ in range(40)]
    turn = iter(range(10**9))
    evaluation, saved = start(message_count=12), iter(range(10**9))

    def get(address: str) -> Act:
        def ask() -> None:
            answer = client.get(address)
            assert answer.status_code == 200, answer.content[:300]

        return ask

    return {
        "list of games, newest": get(games),
        "list, by composite": get(f"{games}?sort=best"),
        "list, passed": get(f"{games}?state=pass"),
        "search by id": get(f"{games}?q=g10500"),
        "search, nothing found": get(f"{games}?q=nowhere"),
        "list, evaluators differ": get(f"{games}?agreement=unresolved"),
        "dashboard": get(reverse("project", args=[project.slug])),
        "history of 20 iterations": get(reverse("stage", args=[stage.project.slug, stage.number])),
        "next game": lambda: take(project, people[next(turn) % len(people)]),
        "save": lambda: say(evaluation, "rating", "", ("3.0", "3.5")[next(saved) % 2], now=timezone.now()),
    }


def once(project: Any) -> dict[str, str]:
    """What is done once: an export of all games, a backup, and an update with a column, an index and its values."""
    from django.conf import settings
    from django.core.management import call_command
    from django.db import connection

    from workspace.models import Person

    admin = Person.objects.filter(is_admin=True, is_system=False).earliest("pk").email
    done, quiet = {}, io.StringIO()
    with tempfile.TemporaryDirectory(prefix="evalsite-scale-") as folder:
        path = Path(folder) / "export.jsonl"
        given = ("--project", project.slug, "--format", "jsonl", "--by", admin, "--out", str(path))
        seconds = timed(lambda: call_command("export", *given, stdout=quiet))
        done["export as JSON lines"] = f"{seconds:,.0f} s, {path.stat().st_size / 2**20:,.0f} MB"
        path.unlink()
        seconds = timed(lambda: call_command("backup", folder, stdout=quiet))
        (path,) = Path(folder).glob("*.zip")
        done["backup"] = f"{seconds:,.0f} s, {path.stat().st_size / 2**20:,.0f} MB"
    settings.MIGRATION_MODULES = {"discussions": "tests.faults.later.migrations"}
    seconds = timed(lambda: call_command("migrate", verbosity=0))
    settings.MIGRATION_MODULES = {}
    done["migration: a column, its index, its values"] = f"{seconds:,.0f} s"
    with connection.cursor() as cursor:
        for sql in UNDO:
            cursor.execute(sql)
    return done


def timed(act: Act) -> float:
    """The seconds that it takes."""
    began = time.monotonic()
    act()
    return time.monotonic() - began


def measure_here(sizes: list[int]) -> int:
    """Run on the PostgreSQL of TEST_DATABASE_URL, and print; 1 when something flat grew."""
    prepare()
    from django.db import connection

    with connection.cursor() as cursor:
        # What helpers of a query look at is not counted with its connection.
        cursor.execute("SET max_parallel_workers_per_gather = 0")
    from benchmarks.games_by_copy import add_games
    from discussions.models import Slot
    from tests.factories.verdicts import recorded_verdict

    verdict = recorded_verdict(message_count=12)
    acts, stored = pages(verdict), 1
    table: dict[str, list[str]] = {}
    costs: dict[str, list[Cost]] = {}
    for size in sizes:
        filled = timed(lambda size=size, stored=stored: add_games(verdict.game, size - stored))
        stored = size
        # What earlier sizes left waiting for a verdict would be compared by the queue.
        Slot.objects.exclude(awaiting_since=None).update(awaiting_since=None)
        for name, act in acts.items():
            cost = measure(act)
            costs.setdefault(name, []).append(cost)
            table.setdefault(name, []).append(f"{cost.p95:,.1f} ms, {cost.blocks:,.0f}")
            print(f"  {size:,} games, {name}: {table[name][-1]}", file=sys.stderr, flush=True)
        for name, said in once(verdict.game.project).items():
            table.setdefault(name, []).append(said)
            print(f"  {size:,} games, {name}: {said}", file=sys.stderr, flush=True)
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_database_size(current_database())")
            kept = cursor.fetchone()[0] / 2**20
        table.setdefault("database", []).append(f"{kept:,.0f} MB")
        table.setdefault("COPY of the games", []).append(f"{filled:,.0f} s")
    print("| | " + " | ".join(f"{size:,} games" for size in sizes) + " |")
    print("|---|" + "---|" * len(sizes))
    for name, cells in table.items():
        print(f"| {name} | " + " | ".join(cells) + " |")
    base = sizes.index(10_000) if 10_000 in sizes else 0
    grown = {name: costs[name][-1].blocks / costs[name][base].blocks for name in FLAT}
    print("growth of blocks: " + ", ".join(f"{name} {growth:.2f}" for name, growth in grown.items()))
    return int(max(grown.values()) > GROWTH)


def main() -> int:
    """Start a server, and run there in a process of its own."""
    if sys.argv[1:2] == ["here"]:
        return measure_here([int(size) for size in sys.argv[2:]])
    code = on_postgresql("benchmarks.bench_scale", sys.argv[1:] or [str(size) for size in SIZES])
    return 1 if code is None else code


if __name__ == "__main__":
    sys.exit(main())
