"""Prints how long 1,000 games of 50 messages take from upload until measured, on SQLite with one worker.

    python benchmarks/bench_import.py [GAMES]

One process does one after the other what the two processes of a worker do side by side, with the real pragmas on a file
of its own; wall time and CPU time. One game goes ahead, since a worker has its modules loaded.
"""

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

BUDGET = 5.0
MESSAGES, PLAYERS = 50, 10


def native(number: int) -> dict[str, object]:
    """One made-up game in the native format."""
    import random

    from benchmarks.bench_metrics import sentence

    source = random.Random(number)
    names = [
        f"Agent-{letter}"
        for letter in "Alpha Bravo Charlie Delta Echo Foxtrot Golf Hotel India Juliet".split()
    ]
    messages = [
        {
            "turn": position,
            "roundNumber": position // 17 + 1,
            "playerName": source.choice(names),
            "message": " ".join(sentence(source, source.randint(5, 16)) for _ in range(2)),
            "timestamp": f"2026-01-01T10:{position:02}:00Z",
            "inReplyToId": None,
            "inReplyToPlayer": None,
        }
        for position in range(MESSAGES)
    ]
    votes = [
        {"roundNumber": 1, "voterName": name, "targetName": names[0], "justification": "", "timestamp": None}
        for name in names
    ]
    players = [
        {
            "name": name,
            "role": "MAFIA" if at < 3 else "VILLAGER",
            "personality": "social",
            "isAlive": True,
            "position": at,
        }
        for at, name in enumerate(names)
    ]
    return {
        "gameId": f"game-{number}",
        "metadata": {"cost": {"totalUsd": 1.5, "cacheHitRate": 0.7}},
        "players": players,
        "messages": messages,
        "votes": votes,
    }


def timed(what: str, act: Callable[[], object]) -> float:
    """Do it and print how long it took; the wall time in seconds."""
    wall, cpu = time.perf_counter(), time.process_time()
    act()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print(f"{what:<42} {wall:6.2f} s   CPU {cpu:6.2f} s")
    return wall


def run_jobs(kind: str) -> None:
    """Do what waits of that kind, as the worker does."""
    from workspace.database.clock import database_now
    from workspace.jobs.actions import run_job
    from workspace.models import Job

    while job := Job.objects.filter(state="queued", kind=kind).order_by("pk").first():
        run_job(job=job.pk, clock=database_now)


def bench(count: int) -> float:
    """Seconds from upload until everything is listed and measured."""
    from django.core.management import call_command
    from django.utils import timezone

    from discussions.iterations.actions import open_project
    from discussions.models import Companions, Measured
    from discussions.transcripts.actions import Upload, import_transcripts
    from workspace.people.actions import system_person

    call_command("migrate", verbosity=0)
    system = system_person(now=timezone.now())
    project = open_project(slug="bench", name="Bench", by=system, now=timezone.now())
    ahead = [Upload("ahead.json", json.dumps(native(count)).encode())]
    import_transcripts(project=project, files=ahead, by=system, now=timezone.now())
    for kind in ("import", "measure", "companions"):
        run_jobs(kind)
    data = json.dumps([native(number) for number in range(count)]).encode()
    files = [Upload("bench.json", data)]
    print(f"{count:,} games of {MESSAGES} messages, {len(data) / 1e6:.1f} MB")
    total = timed(
        "upload", lambda: import_transcripts(project=project, files=files, by=system, now=timezone.now())
    )
    total += timed("import", lambda: run_jobs("import"))
    total += timed("measure", lambda: run_jobs("measure"))
    assert Measured.objects.count() == count + 1
    print(f"{'until measured':<42} {total:6.2f} s   {count / total:,.0f} games/s")
    timed("companions (they follow)", lambda: run_jobs("companions"))
    assert Companions.objects.count() == count + 1
    return total


def main(arguments: list[str]) -> int:
    """1 when a thousand games take longer than the budget allows."""
    count = int(arguments[0]) if arguments else 1_000
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
        import django

        django.setup()
        seconds = bench(count)
    return int(seconds > BUDGET * count / 1_000)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
