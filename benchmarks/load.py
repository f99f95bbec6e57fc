"""`make load`: people save for LOAD_MINUTES while other work runs; acknowledged saves are compared with stored ones.

    LOAD_MINUTES=10 python -m benchmarks.load [sqlite] [postgresql]

SQLite as `make run` starts it: 10 evaluators, 2 saves a second, bursts of 10 a second. PostgreSQL and Redis with two
web servers and two workers, by the commands of production: 50 evaluators, 5 a second, bursts of 25. Meanwhile, over and
over, a file of 20 MB is imported and measured, `manage.py verify` measures everything again, and everything is
exported; a lead pages through lists; half-way a web server and a worker are killed. Ends with 1 when anything was lost,
altered or doubled, at a server error, when `verify` finds a breach, or when the p95 of saves is over its budget.
"""

import json
import os
import signal
import sqlite3
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from random import Random
from typing import NamedTuple, Protocol

from benchmarks.bench_import import native
from benchmarks.clients import (
    SAVE,
    Evaluator,
    Log,
    Plan,
    Reader,
    build_table,
    differences,
    insist,
)
from benchmarks.driver import Answer, Browser, LocalSite, Team, make_team, quantile
from benchmarks.production import ProductionSite, manage
from tools.postgres_server import why_not
from tools.processes import wait_until
from tools.redis_server import free_port

REVISIONS = "SELECT key, version, value FROM discussions_revision"
UNFINISHED = "SELECT COUNT(*) FROM workspace_job WHERE state IN ('queued', 'running')"
GAMES = "SELECT COUNT(*) FROM discussions_game"
MEASURED = "SELECT COUNT(*) FROM discussions_measured"
LARGE_FILE = 20 * 1024 * 1024
LISTS = (
    "games/",
    "games/?sort=worst",
    "games/?sort=costliest&state=waiting",
    "queue/",
    "",
    "imports/",
    "exports/",
)


class Site(Protocol):
    """What a load needs of a running site."""

    addresses: list[str]

    def kill_and_restart(self) -> str:
        """kill -9 a web and a worker process, which are restarted; return what was killed."""

    def rows(self, query: str) -> list[tuple]:
        """What the database holds now."""

    def manage(self, *arguments: str) -> str:
        """Run a command of manage.py; return its output. Raises CalledProcessError."""


class LaptopSite(LocalSite):
    """The site as `make run` starts it, on SQLite, without the demo."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, free_port())
        self.env |= {"DEMO": "false", "DATABASE_URL": "", "REDIS_URL": ""}
        self.addresses = [self.address]

    def kill_and_restart(self) -> str:
        """kill -9 one web process and the worker, which their supervisor restarts."""
        os.kill(self._named("evalsite web")[-1], signal.SIGKILL)
        os.kill(self._named("evalsite worker")[0], signal.SIGKILL)
        return "one of two web processes and the worker killed"

    def _named(self, name: str) -> list[int]:
        """The processes of that name, oldest first."""
        return [pid for pid in self.tree.pids() if Path(f"/proc/{pid}/comm").read_text().startswith(name)]

    def rows(self, query: str) -> list[tuple]:
        """What the database holds now."""
        with closing(sqlite3.connect(self.folder / "evalsite.sqlite3", timeout=20)) as connection:
            return connection.execute(query).fetchall()

    def manage(self, *arguments: str) -> str:
        """Run a command of manage.py; return its output. Raises CalledProcessError."""
        return manage(self.env, *arguments)


def hold(
    site: Site, evaluators: list[Evaluator], plan: Plan, meanwhile: list[Callable[[], None]]
) -> list[str]:
    """Let them save by the plan while the rest goes on, and kill half-way; return the exceptions of all threads."""
    moments, faults = plan.moments(Random(7)), []
    began = time.monotonic()

    def watched(act: Callable[[], None]) -> None:
        try:
            act()
        except Exception as fault:  # noqa: BLE001  what a client met is part of the result
            faults.append(f"{type(fault).__name__}: {fault}")

    acts = [
        partial(person.work, moments[place :: len(evaluators)], began)
        for place, person in enumerate(evaluators)
    ]
    threads = [threading.Thread(target=watched, args=(act,)) for act in [*acts, *meanwhile]]
    for thread in threads:
        thread.start()
    time.sleep(max(0.0, began + plan.seconds / 2 - time.monotonic()))
    watched(lambda: print(f"  after {plan.seconds / 2:.0f} s: {site.kill_and_restart()}", flush=True))
    for thread in threads:
        thread.join()
    return faults


class Lead:
    """A lead who imports, exports and has everything measured again, over and over, as long as others save."""

    def __init__(self, site: Site, browser: Browser, project: str, log: Log) -> None:
        self.site, self.browser, self.project, self.log = site, browser, project, log
        self.imported, self.rounds, self.lines = 0, 0, []
        games = [native(number) for number in range(200)]
        size = len(json.dumps(games)) / len(games)
        self.games = [games[number % 200] for number in range(int(LARGE_FILE / size) + 1)]

    def work(self, until: float, *, at_least: int = 1) -> None:
        """Work in rounds until that moment (monotonic), and for at least `at_least` rounds."""
        while self.rounds < at_least or time.monotonic() < until:
            self.rounds += 1
            for act in (self.bring_in, self.measure_again, self.export):
                began = time.monotonic()
                said = act()
                self.lines.append(f"{said}: {time.monotonic() - began:.0f} s")

    def bring_in(self) -> str:
        """Upload a file of 20 MB and wait until its games are stored and measured."""
        games = [game | {"gameId": f"r{self.rounds}-{place}"} for place, game in enumerate(self.games)]
        data = json.dumps(games).encode()
        self.ask("form of imports", lambda: self.browser.get(f"{self.project}imports/"))
        path, name = f"{self.project}imports/upload/", f"round-{self.rounds}.json"
        self.ask("upload", lambda: self.browser.upload(path, "transcripts", name, data))
        self.imported += len(games)
        self.wait("import and measuring")
        return f"import of {len(data) / 1024**2:.0f} MB, {len(games)} games, until measured"

    def measure_again(self) -> str:
        """`verify`: every measurement once more, compared byte by byte; raises CalledProcessError at a breach."""
        return f"verify ({self.site.manage('verify').strip().splitlines()[-1]})"

    def export(self) -> str:
        """Export everything of the project as JSON Lines, and wait for the file."""
        path = f"{self.project}exports/new/"
        self.ask("form of exports", lambda: self.browser.get(path))
        self.ask("export asked for", lambda: self.browser.post(path, {"of": "", "format": "jsonl"}))
        self.wait("export")
        ((number, size),) = self.site.rows(
            "SELECT id, byte_count FROM workspace_export ORDER BY id DESC LIMIT 1"
        )
        file = f"{self.project}exports/{number}/file/"
        answer = self.ask("export's file", lambda: self.browser.post(file, {}))
        if len(answer.body) != size:
            self.log.surprises.append(f"the export has {len(answer.body)} bytes, not {size}")
        return f"export of {size / 1024**2:.0f} MB"

    def ask(self, what: str, act: Callable[[], Answer]) -> Answer:
        """Repeat the request until the answer is as expected."""
        answer = insist(self.browser, self.site.addresses, self.log, what, act)
        self.log.expect(what, answer, 200, 302, 303)
        return answer

    def wait(self, what: str, seconds: float = 900) -> None:
        """Wait until no job waits or runs."""
        if not wait_until(lambda: self.site.rows(UNFINISHED) == [(0,)], seconds, every=0.5):
            raise RuntimeError(f"{what}: jobs are unfinished after {seconds} s")


class Shape(NamedTuple):
    """How many evaluators, at what rate, and the p95 of their saves that is allowed (ms)."""

    evaluators: int
    plan: Plan
    budget: float


def shape_of(database: str, minutes: float) -> Shape:
    """Spec 6.3."""
    if database == "sqlite":
        return Shape(10, Plan(60 * minutes, 2, 10, 10), 300)
    return Shape(50, Plan(60 * minutes, 5, 25, 30), 500)


def seat(team: Team, site: Site, log: Log, *, is_proxied: bool) -> list[Evaluator]:
    """Every evaluator signed in, with a game open, at one of the addresses."""
    found = []
    for place, email in enumerate(team.evaluators):
        address = site.addresses[place % len(site.addresses)]
        browser = Browser(address, behind=f"10.0.1.{place + 1}" if is_proxied else "")
        found.append(Evaluator(team.judge(browser, email), site.addresses, log, seed=place))
    return found


def run(database: str, minutes: float) -> bool:
    """Run the load on that database; return whether everything held."""
    shape = shape_of(database, minutes)
    print(f"\n{database}: {shape.evaluators} evaluators, {shape.plan.rate} saves a second, "
          f"bursts of {shape.plan.burst_rate}, {minutes:g} minutes", flush=True)  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="evalsite-load-") as folder:
        kind = LaptopSite if database == "sqlite" else ProductionSite
        with kind(Path(folder)) as site:
            log, is_proxied = Log(), database != "sqlite"
            team = make_team(site.env, shape.evaluators, shape.evaluators + 20)
            evaluators = seat(team, site, log, is_proxied=is_proxied)
            readers = []
            for _ in range(2):
                browser = Browser(site.addresses[-1], behind="10.0.2.1" if is_proxied else "")
                browser.sign_in(team.lead, team.password)
                readers.append(browser)
            lead = Lead(site, readers[0], team.project, log)
            reader = Reader(readers[1], site.addresses, log, [f"{team.project}{page}" for page in LISTS])
            is_over, until = threading.Event(), time.monotonic() + shape.plan.seconds
            threading.Timer(shape.plan.seconds, is_over.set).start()
            faults = hold(
                site, evaluators, shape.plan, [lambda: reader.work(is_over), lambda: lead.work(until)]
            )
            return report(site, log, lead, faults, shape)


def report(site: Site, log: Log, lead: Lead, faults: list[str], shape: Shape) -> bool:
    """Print the table and everything that did not hold; return whether everything held."""
    lost = differences(log.told, site.rows(REVISIONS))
    games = shape.evaluators + 20 + lead.imported
    stored = (site.rows(GAMES)[0][0], site.rows(MEASURED)[0][0])
    verified = site.manage("verify").strip().splitlines()[-1]
    took = [1000 * sample.seconds for sample in log.samples if sample.what == SAVE]
    p95 = quantile(took, 0.95)
    wrong = [*faults, *log.surprises, *log.server_errors, *lost]
    if stored != (games, games):
        wrong.append(f"{games} games were uploaded, {stored[0]} are stored and {stored[1]} measured")
    if p95 > shape.budget:
        wrong.append(f"p95 of saves is {p95:.0f} ms, the budget {shape.budget:.0f} ms")
    print("  " + "\n  ".join([*lead.lines, *build_table(log)]))
    print(f"  {len(log.told)} acts acknowledged; {len(lost)} differ from what is stored; {log.cuts} connections cut, "
          f"{len(log.server_errors)} server errors; verify: {verified}")  # fmt: skip
    print("\n".join(f"  DOES NOT HOLD: {sentence}" for sentence in wrong[:20]))
    return not wrong


def main() -> int:
    """Both databases, or those that are named."""
    minutes = float(os.environ.get("LOAD_MINUTES") or 10)
    chosen = sys.argv[1:] or ["sqlite", "postgresql"]
    if "postgresql" in chosen and (reason := why_not()):
        print(f"not on PostgreSQL: {reason}")
        chosen.remove("postgresql")
    held = [run(database, minutes) for database in chosen]
    return int(not all(held))


if __name__ == "__main__":
    sys.exit(main())
