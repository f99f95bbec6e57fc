"""`make bench`: the table of docs/performance.md from fresh measurements, over HTTP, beside a bare Django site.

    python -m benchmarks.performance [--games GAMES] [--peers] [--write]

Runs `make run` in a fresh clone of the present commit, drives the site from outside at the pace of people, and reads
CPU time and memory of its processes. The calibration loop runs before and after each measurement. --peers does the same
with Label Studio and Potato (`benchmarks.peers`). --write puts the table into docs/performance.md.
"""

import argparse
import json
import os
import platform
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from functools import partial
from html import unescape
from pathlib import Path
from statistics import mean

from benchmarks import floor
from benchmarks.bench_import import MESSAGES
from benchmarks.clients import FURTHER
from benchmarks.driver import ROOT, Browser, Judge, LocalSite, ProcessTree, Team
from benchmarks.installing import install
from benchmarks.measuring import (
    CLIENTS,
    EVALUATORS,
    LONGEST_WAIT,
    SAVES,
    SETTLED,
    VISITS,
    Notes,
    checked,
    cpu_of,
    crowd,
    first_visit_kb,
    idle_cpu,
    made_games,
    slowness,
    visit,
    wait_until_idle,
)
from benchmarks.peers import measure_peers
from benchmarks.table import between_markers, figures_of, table
from tools import setup
from tools.redis_server import free_port

PAGE = ROOT / "docs" / "performance.md"
BYTES = "application/octet-stream"
IN_A_FILE = 3_000  # 64 MiB is the largest file accepted
PAGES = 10


def measure_site(notes: Notes, folder: Path, games: int) -> None:
    """Start, memory, saves, pages and import of the site, installed in a fresh clone as `make run` does it."""
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True)
    port, python = int(os.environ.get("PORT") or free_port()), str(folder / ".venv" / "bin" / "python")
    site = LocalSite(folder / "var", port, python, folder)
    site.env |= {"DEMO": "true", "UV_NO_CACHE": "1", "PIP_NO_CACHE_DIR": "1"}
    try:
        notes.loops("start_empty", site.start_first)
        Browser(site.address).sign_in(*demo_lead(site.folder))  # waits until the demo is filled
        site.stop()
        team = site.make_team(EVALUATORS, EVALUATORS)
        notes.loops("start_existing", site.start)
        time.sleep(SETTLED)
        notes.add("idle", site.tree.pss())
        idle = idle_cpu(notes, site.tree)
        measure_import(notes, site, team, games)
        wait_until_idle(site.tree)
        people = partial(cpu_of, site.tree, idle=idle)
        measure_people(notes, site, team, people)
        measure_pages(notes, site, team, people)
    finally:
        site.stop()


def measure_people(notes: Notes, site: LocalSite, team: Team, cpu: Callable[..., float]) -> None:
    """Taking games, each evaluator another one, loading their pages, saving alone and in a crowd."""
    browsers = [team.arrive(Browser(site.address), email) for email in team.evaluators]
    judges: list[Judge] = []
    takes = [lambda browser=browser: judges.append(team.take_game(browser)) for browser in browsers]
    notes.loops("next", lambda: cpu(takes, EVALUATORS))
    homes = [visit(judge.browser, "/") for judge in judges]
    pages = [visit(judge.browser, judge.page) for judge in judges]
    notes.loops("home_evaluator", lambda: cpu(homes, VISITS))
    notes.add("first_visit", first_visit_kb(judges[0].browser, judges[0].page))
    notes.loops("evaluator", lambda: cpu(pages, VISITS))
    notes.loops("save", lambda: cpu([judge.save for judge in judges[CLIENTS:]], SAVES))
    crowd(notes, [judge.save for judge in judges[:CLIENTS]])


def measure_import(notes: Notes, site: LocalSite, team: Team, games: int) -> None:
    """Upload games over HTTP, and wait until all are listed and measured."""
    files = [
        json.dumps(made_games(first, min(games, first + IN_A_FILE)), separators=(",", ":")).encode()
        for first in range(0, games, IN_A_FILE)
    ]
    program, imports = Browser(site.address, timeout=LONGEST_WAIT), f"/api/v1{team.project}imports/"
    signed = {"Authorization": f"Bearer {team.token}"}
    checked(program.get(imports, **signed))  # the first request to the API loads it
    before, kept, cpu, began = slowness(), stored_kb(site.folder), site.tree.cpu(), time.perf_counter()
    for number, body in enumerate(files):
        answer = program.send(
            f"{imports}?name=bench.json", body, BYTES, **signed, **{"Idempotency-Key": f"{number}"}
        )
        if answer.status != 202:
            raise RuntimeError(f"the upload was answered by {answer.status}: {answer.text[:300]}")
    while not is_imported(json.loads(program.get(imports, **signed).text)["items"][: len(files)], games):
        if time.perf_counter() - began > LONGEST_WAIT:
            raise RuntimeError(f"{games} games were not imported within {LONGEST_WAIT:.0f} s")
        time.sleep(0.15)  # a token may send 600 requests a minute
    lasted, cpu = time.perf_counter() - began, site.tree.cpu() - cpu
    after = mean([before, slowness()])
    notes.add("import", games / lasted, after)
    notes.add("import_cpu", 1000 * cpu / games, after)
    time.sleep(5)
    notes.add("after_import", site.tree.pss())
    notes.add("stored", (stored_kb(site.folder) - kept) / games)


def is_imported(imports: list[dict[str, object]], games: int) -> bool:
    """Whether the imports are done and that many games are measured. Raises RuntimeError when one failed."""
    for found in imports:
        if found["state"] not in ("waiting", "reading", "measuring", "done"):
            raise RuntimeError(f"an import failed: {found}")
    done = all(found["state"] == "done" for found in imports)
    return done and sum(found["measured_count"] for found in imports) == games


def stored_kb(folder: Path) -> float:
    """KB of the database and the uploads; the database's write-ahead log is merged into it by then."""
    with closing(sqlite3.connect(folder / "evalsite.sqlite3", timeout=60)) as database:
        database.execute("PRAGMA wal_checkpoint(PASSIVE)")
    files = [folder / "evalsite.sqlite3", *(folder / "uploads").rglob("*")]
    return sum(file.stat().st_size for file in files if file.is_file()) / 1000


def measure_pages(notes: Notes, site: LocalSite, team: Team, cpu: Callable[..., float]) -> None:
    """Pages of leads: of the games that were imported, and verdicts of the demo."""
    lead, demo = team.arrive(Browser(site.address), team.lead), Browser(site.address)
    demo.sign_in(*demo_lead(site.folder))
    lists, decided = f"{team.project}games/", "/projects/demo/games/"
    for key, visits in (
        ("list", [visit(lead, path) for path in pages_of(lead, lists)]),
        ("home_lead", [visit(lead, "/"), visit(demo, "/")]),
        ("game", [visit(lead, lists + game) for game in games_of(lead, lists)]),
        (
            "verdict",
            [visit(demo, f"{decided}{game}verdict/") for game in games_of(demo, f"{decided}?state=pass")],
        ),
    ):
        notes.loops(key, lambda visits=visits: cpu(visits, VISITS))


def pages_of(browser: Browser, base: str) -> list[str]:
    """Paths of the first pages of a list."""
    paths = [base]
    while len(paths) < PAGES and (further := FURTHER.search(browser.get(paths[-1]).text)):
        paths.append(base + unescape(further[1]))
    return paths


def games_of(browser: Browser, path: str) -> list[str]:
    """The games that a list shows; its links are relative. Raises RuntimeError when there are none."""
    found = re.findall(r'<th scope="row"[^>]*><a href="(\d+/)', browser.get(path).text)
    if not found:
        raise RuntimeError(f"{path} lists no games")
    return found


def demo_lead(folder: Path) -> tuple[str, str]:
    """E-mail and password of the demo's lead."""
    said = (folder / "demo-sign-ins.txt").read_text()
    return re.search(r"^\s+lead\s+(\S+)\s+(\S+)$", said, re.MULTILINE).groups()


@contextmanager
def running_floor(folder: Path, games: int, port: int) -> Iterator[tuple[ProcessTree, float]]:
    """The bare site with its games; its processes, and how many games a second it stored."""
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.floor", str(games), str(port)],
        cwd=ROOT, env=os.environ | {"VAR_DIR": str(folder)}, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        stored = float(process.stdout.readline())
        until = time.perf_counter() + 20
        while time.perf_counter() < until:
            try:
                Browser(f"http://127.0.0.1:{port}").get("/sign-in/")
                break
            except OSError:
                time.sleep(0.05)
        yield ProcessTree(process.pid), stored
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)


def measure_floor(notes: Notes, folder: Path, games: int) -> None:
    """Measure the bare site in the same way."""
    port, before = free_port(), slowness()
    with running_floor(folder, games, port) as (tree, stored):
        notes.add("import", stored, mean([before, slowness()]))
        browsers = [Browser(f"http://127.0.0.1:{port}") for _ in range(CLIENTS)]
        for browser in browsers:
            browser.sign_in(floor.EMAIL, floor.PASSWORD)
            browser.get("/game/1/")
        cpu = partial(cpu_of, tree, idle=idle_cpu(notes, tree))
        for key, path in (("list", "/list/"), ("evaluator", "/game/1/")):
            visits = [visit(browser, path) for browser in browsers]
            notes.loops(key, lambda visits=visits: cpu(visits, VISITS))
        saves = [lambda browser=browser: save_on_floor(browser) for browser in browsers]
        notes.loops("save", lambda: cpu(saves, SAVES))
        crowd(notes, saves)
        notes.add("idle", tree.pss())


def save_on_floor(browser: Browser) -> None:
    """Save one judgement. Raises RuntimeError unless it is stored."""
    checked(browser.post("/game/1/save/", {"act": "reference~3~0~accurate"}))


def measure_alone(notes: Notes) -> None:
    """Measure what needs no server: the handler of a save, and the metrics."""
    handler = r"p50 ([\d.]+) ms on a quiet core"
    notes.add("save_handler", first_figure("benchmarks.bench_saves", handler))
    notes.loops("metrics", lambda: first_figure("benchmarks.bench_metrics", rf"{MESSAGES} x \d+ +([\d.]+)"))


def first_figure(module: str, pattern: str) -> float:
    """The figure that a benchmark prints. Raises RuntimeError with its output when it prints none."""
    said = subprocess.run(
        [sys.executable, "-m", module], cwd=ROOT, capture_output=True, text=True, check=False
    )
    found = re.search(pattern, said.stdout)
    if found is None:
        raise RuntimeError(f"{module} printed no figure: {said.stdout[-500:]}{said.stderr[-500:]}")
    return float(found[1])


def measure_installing(notes: Notes, where: Path) -> None:
    """A fresh environment with what requirements.lock pins, as `make setup` leaves it."""
    lock = ["--require-hashes", "--only-binary", ":all:", "-r", str(ROOT / "requirements.lock")]
    try:
        installed = install(lock, where, setup.trim)
    except RuntimeError as error:
        print(f"  installing is not measured: {error}", file=sys.stderr)
        return
    notes.add("install", installed.seconds)
    notes.add("installed", installed.mb)
    notes.add("packages", installed.packages)


def about(games: int, slow: float) -> str:
    """A paragraph that says when, what and where was measured."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.strip()
    load = ", ".join(f"{figure:.1f}" for figure in os.getloadavg())
    processor = re.search(r"^model name\s*: (.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return (
        f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, commit {commit or 'unknown'}, {games:,} games imported. "
        f"{os.cpu_count()} cores, {processor[1] if processor else platform.processor()}, "
        f"Python {platform.python_version()}, SQLite. At the end the load was {load}; the calibration loop "
        f"cost {slow:.2f} times what it costs on a quiet core."
    )


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(prog="make bench", description="Measures what the site costs.")
    parser.add_argument("--games", type=int, default=1_000, help="how many games are imported")
    parser.add_argument("--peers", action="store_true", help="measure Label Studio and Potato beside it")
    parser.add_argument("--write", action="store_true", help="put the table into docs/performance.md")
    given = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # like Ctrl+C: leaves no server running
    site, bare, peers = Notes(), Notes(), {}
    with tempfile.TemporaryDirectory(prefix="evalsite-bench-") as folder:
        measure_installing(site, Path(folder) / "venv")
        measure_site(site, Path(folder) / "site", given.games)
        (Path(folder) / "floor").mkdir()
        measure_floor(bare, Path(folder) / "floor", given.games)
        if given.peers:
            peers = measure_peers(Path(folder), given.games)
    measure_alone(site)
    measured = [notes.values for notes in (site, bare, *peers.values())]
    slow = mean(slow for values in measured for _value, slow in values.values() if slow != 1.0)
    others = {"bare Django": bare} | peers
    columns = {name: figures_of(notes.values) for name, notes in others.items()}
    text = f"{about(given.games, slow)}\n\n{table(figures_of(site.values), columns)}"
    print(text)
    if given.write:
        PAGE.write_text(between_markers(PAGE.read_text(), text))
    return 0


if __name__ == "__main__":
    sys.exit(main())
