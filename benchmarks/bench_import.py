"""Prints how fast the workers of `make run` import games over HTTP until they are listed and measured.

    python -m benchmarks.bench_import [GAMES] [--postgres[=FOLDER]]

The site starts as `make run` does, with its worker of two processes, on SQLite or on a PostgreSQL server of its own
(which does not wait for the disk). That is the one of the tests, or the one in FOLDER, such as /usr/lib/postgresql/17:
unlike the first, it compresses with LZ4. A lead uploads the games as files of at most 50 MB. Wall time is from the
first byte of the upload until the last game is measured; CPU that of all processes of the site and of the database's,
also scaled to a quiet core by the calibration loop. Then the lead opens games: the time until their diagnostics are
there, looked for without a pause. Memory is the proportional set size of all processes of the site.
"""

import json
import os
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from statistics import median

import psycopg

from benchmarks.calibration import QUIET_MS, loop_ms
from benchmarks.driver import Browser, LocalSite, ProcessTree
from tools.postgres_server import PostgresServer
from tools.redis_server import free_port

TARGETS = {"SQLite": 900, "PostgreSQL": 1_200}
# CPU ms of a game on a quiet core above which this benchmark fails; the targets are printed beside the results.
BUDGET = 7.0
MESSAGES, PLAYERS = 50, 10
TEAM_GAMES, FILE_GAMES = 20, 3_000
OPENED, OPENED_WITHIN = 15, 30
UNFINISHED = "SELECT COUNT(*) FROM workspace_job WHERE state IN ('queued', 'running')"
MEASURED = "SELECT COUNT(*) FROM discussions_measured"


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


class Bench:
    """A running site, its database, and what they cost."""

    def __init__(self, site: LocalSite, database: str, server: ProcessTree | None) -> None:
        self.site, self.database, self.server = site, database, server
        self._connection: psycopg.Connection | None = None

    def cpu(self) -> float:
        """CPU seconds of all processes so far."""
        return self.site.tree.cpu() + self.server_cpu()

    def server_cpu(self) -> float:
        """The CPU seconds of PostgreSQL."""
        return self.server.cpu() if self.server else 0

    def count(self, query: str) -> int:
        """Query a count from the database."""
        if self.server is None:
            with closing(sqlite3.connect(self.database)) as database:
                return int(database.execute(query).fetchone()[0])
        if self._connection is None:  # one for all queries: a new one costs the server some milliseconds
            self._connection = psycopg.connect(self.database, autocommit=True)
        return int(self._connection.execute(query).fetchone()[0])

    def wait(self, is_done: Callable[[], bool]) -> list[float]:
        """Wait; return the costs of the calibration loop meanwhile."""
        loops = [loop_ms()]
        while not is_done():
            loops.append(loop_ms())
            time.sleep(0.4)
        return loops

    def show_memory(self, when: str) -> None:
        """The proportional set size of every process of the site."""
        processes = self.site.tree.processes()
        sizes = ", ".join(f"{process.pss:.0f}" for process in processes)
        print(f"memory {when}: {sum(process.pss for process in processes):.0f} MB ({sizes})", flush=True)


def files(count: int) -> Iterator[bytes]:
    """The games in files."""
    last = TEAM_GAMES + count
    for first in range(TEAM_GAMES, last, FILE_GAMES):
        games = [native(number) for number in range(first, min(first + FILE_GAMES, last))]
        yield json.dumps(games).encode()


def upload(browser: Browser, project: str, data: bytes, name: str) -> None:
    """Send a file as the form of the page does."""
    browser.get(f"{project}imports/")
    answer = browser.upload(f"{project}imports/upload/", "transcripts", name, data)
    if answer.status != 303:
        raise RuntimeError(f"the upload was answered with {answer.status}: {answer.text[:500]}")


def bench(at: Bench, kind: str, count: int) -> float:
    """Import and print; CPU ms a game on a quiet core."""
    team = at.site.make_team(1, TEAM_GAMES)
    at.wait(lambda: at.count(UNFINISHED) == 0)
    browser = Browser(at.site.address, timeout=300)
    browser.sign_in(team.lead, team.password)
    data = list(files(count))
    at.show_memory("idle")
    goal, size = at.count(MEASURED) + count, sum(map(len, data)) / 1e6
    print(
        f"{count:,} games of {MESSAGES} messages, {size:.1f} MB, {kind}, {os.cpu_count()} cores", flush=True
    )
    wall, cpu, server = time.perf_counter(), at.cpu(), at.server_cpu()
    for number, file in enumerate(data):
        upload(browser, team.project, file, f"bench-{number}.json")
    loops = at.wait(lambda: at.count(MEASURED) >= goal)
    wall, cpu = time.perf_counter() - wall, 1000 * (at.cpu() - cpu) / count
    server = 1000 * (at.server_cpu() - server) / count
    quiet = cpu * QUIET_MS / median(loops)
    print(
        f"until measured {wall:.1f} s: {count / wall:.0f} games/s (target {TARGETS[kind]}); CPU {cpu:.2f} ms a game "
        f"(PostgreSQL {server:.2f}), {quiet:.2f} on a quiet core, where {os.cpu_count()} cores would do "
        f"{os.cpu_count() * 1000 / quiet:.0f}/s",
        flush=True,
    )
    at.show_memory("after it")
    at.wait(lambda: at.count(UNFINISHED) == 0)
    time.sleep(10)
    at.show_memory("10 s after it")
    seconds = [open_game(browser, f"{team.project}games/{1 + number}/") for number in range(OPENED)]
    print(
        f"diagnostics {1000 * median(seconds):.0f} ms after a game is opened, at most {1000 * max(seconds):.0f}"
    )
    return quiet


def open_game(browser: Browser, address: str) -> float:
    """Open the page of a game for the first time; seconds until it has the diagnostics."""
    since = time.perf_counter()
    browser.get(address)
    browser.post(f"{address}diagnostics/", {}, by_script=True)
    while ">Diagnostics</h" not in browser.get(f"{address}diagnostics/", **{"HX-Request": "true"}).text:
        if time.perf_counter() - since > OPENED_WITHIN:
            raise RuntimeError(f"no diagnostics on {address} within {OPENED_WITHIN} s")
    return time.perf_counter() - since


def main(arguments: list[str]) -> int:
    """1 when a game costs more than the budget allows."""
    numbers = [int(argument) for argument in arguments if argument.isdecimal()]
    chosen = [argument for argument in arguments if argument.startswith("--postgres")]
    kind = "PostgreSQL" if chosen else "SQLite"
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="evalsite-bench-")))
        site = LocalSite(folder / "site", int(os.environ.get("PORT") or free_port()))
        site.env["DEMO"] = "false"
        database, server = str(folder / "site" / "evalsite.sqlite3"), None
        if kind == "PostgreSQL":
            folder.chmod(0o755)
            home = chosen[0].partition("=")[2]
            postgres = PostgresServer(folder / "postgres", home=Path(home) if home else None)
            postgres.folder.mkdir()
            postgres.start()
            stack.callback(lambda: postgres.child.stop(number=2))
            database, server = postgres.create("bench"), ProcessTree(postgres.child.pid)
            site.env["DATABASE_URL"] = database
        stack.enter_context(site)
        return int(bench(Bench(site, database, server), kind, numbers[0] if numbers else 10_000) > BUDGET)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
