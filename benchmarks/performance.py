"""`make bench`: the table of docs/performance.md from fresh measurements, over HTTP, beside a bare Django site.

    python -m benchmarks.performance [--games GAMES] [--peers] [--write]

Starts the site as `make run` does in its own folder, drives it from outside, and reads CPU time and memory of its
processes. The calibration loop runs before and after each measurement. --peers does the same with Label Studio and
Potato (`benchmarks.peers`). --write puts the table into docs/performance.md.
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
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from statistics import mean

from benchmarks import floor
from benchmarks.bench_import import MESSAGES
from benchmarks.driver import ROOT, Browser, LocalSite, ProcessTree, Team
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


def measure_site(notes: Notes, folder: Path, games: int, python: str) -> None:
    """Start, memory, saves, pages and import of the site, which that interpreter runs."""
    site = LocalSite(folder, int(os.environ.get("PORT") or free_port()), python)
    site.env["DEMO"] = "true"
    try:
        notes.loops("start_empty", site.start)
        team = site.make_team(EVALUATORS, EVALUATORS)
        site.stop()
        notes.loops("start_existing", site.start)
        time.sleep(SETTLED)
        notes.add("idle", site.tree.pss())
        measure_import(notes, site, team, games)
        wait_until_idle(site.tree)
        measure_people(notes, site, team)
        measure_pages(notes, site, team)
    finally:
        site.stop()


def measure_people(notes: Notes, site: LocalSite, team: Team) -> None:
    """Taking games, saving alone and in a crowd."""
    browsers = [team.arrive(Browser(site.address), email) for email in team.evaluators]
    waiting, judges = iter(browsers), []

    def take() -> None:
        judges.append(team.take_game(next(waiting)))

    notes.loops("next", lambda: cpu_of(site.tree, take, EVALUATORS - 1))
    first, *others = judges
    home, page = visit(first.browser, "/"), visit(first.browser, first.page)
    notes.loops("home_evaluator", lambda: cpu_of(site.tree, home, VISITS))
    notes.add("first_visit", first_visit_kb(first.browser, first.page))
    notes.loops("evaluator", lambda: cpu_of(site.tree, page, VISITS))
    notes.loops("save", lambda: cpu_of(site.tree, first.save, SAVES))
    crowd(notes, [judge.save for judge in others[:CLIENTS]])


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


def measure_pages(notes: Notes, site: LocalSite, team: Team) -> None:
    """Pages of a lead; the verdict is one of the demo."""
    lead = team.arrive(Browser(site.address), team.lead)
    demo = Browser(site.address)
    demo.sign_in(*demo_lead(site.folder))
    base = f"{team.project}games/"
    game = first_game(lead, base)
    verdict = first_game(demo, "/projects/demo/games/", "?state=pass") + "verdict/"
    for key, browser, path in (
        ("list", lead, base),
        ("home_lead", demo, "/"),
        ("game", lead, game),
        ("verdict", demo, verdict),
    ):
        act = visit(browser, path)
        notes.loops(key, lambda act=act: cpu_of(site.tree, act, VISITS))


def first_game(browser: Browser, base: str, query: str = "") -> str:
    """The path of the first game in a list, whose links are relative."""
    return base + re.search(r'<th scope="row"[^>]*><a href="(\d+/)', browser.get(base + query).text)[1]


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
        notes.loops("list", lambda: cpu_of(tree, visit(browsers[0], "/list/"), VISITS))
        notes.loops("evaluator", lambda: cpu_of(tree, visit(browsers[0], "/game/1/"), VISITS))
        saves = [lambda browser=browser: save_on_floor(browser) for browser in browsers]
        notes.loops("save", lambda: cpu_of(tree, saves[0], SAVES))
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


def measure_installing(notes: Notes, where: Path) -> str:
    """A fresh environment with what requirements.lock pins, as `make setup` leaves it; its interpreter.

    Its bytecode is compiled, as it is from the second start on. This environment's interpreter where nothing can be
    installed.
    """
    lock = ["--require-hashes", "--only-binary", ":all:", "-r", str(ROOT / "requirements.lock")]
    try:
        installed = install(lock, where, setup.trim)
    except RuntimeError as error:
        print(f"  installing is not measured: {error}", file=sys.stderr)
        return sys.executable
    notes.add("install", installed.seconds)
    notes.add("installed", installed.mb)
    notes.add("packages", installed.packages)
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(where / "lib")], check=False)
    return str(where / "bin" / "python")


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
        python = measure_installing(site, Path(folder) / "venv")
        measure_site(site, Path(folder) / "site", given.games, python)
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
