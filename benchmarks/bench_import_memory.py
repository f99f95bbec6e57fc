"""Prints how much memory a worker takes to import one file of 60 MB, as JSON, CSV and JSONL, on SQLite.

    python benchmarks/bench_import_memory.py [GAMES] [SHAPE ...]

GAMES is the number of games as JSON, 2,500 unless it is given; tables have as many bytes, and the rows of the last one
are mixed. The worker is a process of its own that has imported one game before, so that its modules are loaded. The
figure is the growth of its peak resident memory, including the bytes of the file. SQLite does not map its file here:
those pages are the system's, and PostgreSQL has none.
"""

import csv
import io
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

MESSAGES = 74
GAME_BYTES = 24_000
JSON, CSV, JSONL, MIXED = "json", "csv", "jsonl", "mixed"
# How much the worker may grow, in MB.
BUDGETS = {JSON: 100, CSV: 100, JSONL: 100, MIXED: 110}
COLUMNS = ("game", "round", "player", "text", "time")


def games(count: int, shape: str = JSON) -> bytes:
    """A file of that many games of 74 messages; only their ids differ. `mixed` is CSV by rounds."""
    from benchmarks.bench_import import native

    one = native(1)
    messages = one["messages"]
    assert isinstance(messages, list)
    one["messages"] = (messages * 2)[:MESSAGES]
    if shape != JSON:
        said = [
            [message["roundNumber"], message["playerName"], message["message"], message["timestamp"]]
            for message in one["messages"]
        ]
        one_table = rows(said, 1, shape)
        return one_table if count == 1 else rows(said, count * GAME_BYTES // len(one_table), shape)
    return (
        b"["
        + b",\n".join(json.dumps(one | {"gameId": f"game-{number}"}).encode() for number in range(count))
        + b"]"
    )


def rows(said: list[list[object]], count: int, shape: str) -> bytes:
    """The same games as a table."""
    numbers = range(count)
    if shape == MIXED:
        order = [(number, row) for row in range(MESSAGES) for number in numbers]
    else:
        order = [(number, row) for number in numbers for row in range(MESSAGES)]
    table = ([f"game-{number}", *said[row]] for number, row in order)
    if shape == JSONL:
        return b"\n".join(json.dumps(dict(zip(COLUMNS, row, strict=True))).encode() for row in table)
    text = io.StringIO()
    csv.writer(text).writerows([COLUMNS, *table])
    return text.getvalue().encode()


def upload(count: int, shape: str) -> None:
    """Migrate, and leave two imports waiting: one of a single game, one of all."""
    from django.core.management import call_command
    from django.utils import timezone

    from discussions.iterations.actions import open_project
    from discussions.transcripts.actions import Upload, import_files
    from workspace.people.actions.people import system_person

    call_command("migrate", verbosity=0)
    system = system_person(now=timezone.now())
    project = open_project(slug="bench", name="Bench", by=system, now=timezone.now())
    data = games(count, shape)
    files = [Upload("ahead.json", games(1, shape).replace(b"game-0", b"ahead")), Upload("bench.json", data)]
    import_files(project=project, files=files, by=system, now=timezone.now())
    print(f"{shape}: {len(data) / 1e6:.1f} MB")


def work() -> None:
    """Do the waiting imports as a worker does, and print the peak before and after the second one, and the games."""
    from django.db import connection

    from discussions.models import Game
    from workspace.database.transactions import database_now
    from workspace.jobs.actions import run_job
    from workspace.models import Job

    connection.cursor().execute("PRAGMA mmap_size=0")
    first, second = (
        Job.objects.filter(state="queued", kind="import").order_by("total_bytes").values_list("pk", flat=True)
    )
    run_job(job=first, clock=database_now)
    before = peak_mb()
    run_job(job=second, clock=database_now)
    print(before, peak_mb(), Game.objects.count())


def peak_mb() -> float:
    """The most memory that this process has held so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def step(*arguments: str) -> str:
    """The output of a separate process that does one step; a process inherits the peak of the one that started it."""
    command = [sys.executable, "-m", "benchmarks.bench_import_memory", *arguments]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def main(arguments: list[str]) -> int:
    """1 when the worker grows by more than the budget allows."""
    if arguments and arguments[0] in STEPS:
        import django

        django.setup()
        STEPS[arguments[0]](*(int(given) if given.isdecimal() else given for given in arguments[1:]))
        return 0
    count = arguments[0] if arguments else "2500"
    return max([measure(count, shape) for shape in arguments[1:] or BUDGETS])


def measure(count: str, shape: str) -> int:
    """1 when the worker grows by more than the budget allows."""
    with tempfile.TemporaryDirectory(prefix="evalsite-bench-") as folder:
        os.environ |= {
            "EVALSITE_MODE": "local",
            "VAR_DIR": folder,
            "DATABASE_URL": f"sqlite:///{Path(folder) / 'bench.sqlite3'}",
            "SECRET_KEY": "only-for-benchmarks-" + "s" * 50,
            "AUDIT_KEY": "only-for-benchmarks-" + "a" * 50,
            "REDIS_URL": "redis://127.0.0.1:1/0",
            "LOG_LEVEL": "ERROR",
            "DJANGO_SETTINGS_MODULE": "evalsite.settings",
        }
        print(step("upload", count, shape), end="")
        before, after, stored = map(float, step("work").split())
    print(f"{stored:,.0f} games stored; peak memory {before:.0f} MB before, {after:.0f} MB after")
    print(f"grown by {after - before:.0f} MB, the bytes of the file included (budget {BUDGETS[shape]} MB)")
    return int(after - before > BUDGETS[shape])


STEPS: dict[str, Callable[..., None]] = {"upload": upload, "work": work}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
