"""`make test`: the unit tests on SQLite, and the main journeys with a real browser, and on PostgreSQL and Redis.

With ALL=1 everything: also crawls of all pages, every test with a browser, and every one marked `slow` or `services`.
Never the guards, which are a check of `make check`.

The servers and the browser are fetched, the static files collected, and PostgreSQL is migrated, while the plain tests
run, which need none of them. Beside them run the tests on the servers, and those on SQLite with a browser, which spend
much of their time waiting. Five processes keep two cores busy: those with a browser are two, which pytest-xdist
shares the tests out to. Where there are more cores, the plain runs are two processes each, too, which take a fifth
more of the processors: each reads all files, makes the worlds of its tests, and tells another one of each test.

Exits with 1 when a test fails, or when something is missing and ALLOW_MISSING=1 is not set.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.services.migrated import keep_database, kept_database
from tools import chromium, postgres_server, redis_server

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests"
NO_TESTS = 5
# Set for everything; otherwise of the tests with servers or a browser only these run: where people rate, import and
# record, and where databases differ (migrations, locks, queue, jobs).
ALL = "ALL"
JOURNEYS = (
    "browser/test_last_game.py",
    "browser/test_rating_by_keyboard.py",
    "browser/test_upload.py",
    "browser/test_verdict_pages.py",
    "discussions/queue/",
    "discussions/slots/",
    "discussions/transcripts/test_actions",
    "discussions/verdicts/test_actions",
    "workspace/database/",
    "workspace/jobs/",
)
# Nor do these run: what asks every page as everybody, draws data, starts processes, or breaks files and rows.
LONG_UNITS = (
    "faults",
    "fuzz",
    "rubric/results/test_core_simulated.py",
    "rubric/reviewer_statistics/test_core_simulated.py",
    "services",
    "site/test_every_page.py",
    "site/test_hidden_characters.py",
    "site/test_memory.py",
    "site/test_rights_matrix.py",
    "site/test_statistics_tables.py",
)
# Set to report which lines of the product the plain tests run: they take two thirds longer.
COVERAGE = "COVERAGE"
# Set by `make faults`: run the tests marked `long`, too.
LONG = "LONG_TESTS"
# The tests' settings have all apps, also those for OpenID Connect.
TEST_SETTINGS = {"DJANGO_SETTINGS_MODULE": "tests.settings"}
# Tests share rows, servers and a browser within a file. Files are handed out in the order of tests/conftest.py, the
# longest first, and not by how many tests they have. To hand out takes as long as many plain tests do.
SHARED = ("-n", "2", "--dist", "loadfile", "--no-loadscope-reorder")
ALONE = ("-n", "0")
FEW_CORES = 2
# The handle of a pytest run: shows its output, waits for its end, and returns its exit code and last line.
Finish = Callable[[], tuple[int, str]]


def main() -> int:
    """Run everything; print the result of each part at the end."""
    env = dict(os.environ) | {"PYTHONUNBUFFERED": "1"}
    # Some machines disable bytecode files; here hundreds of processes would compile the same modules again.
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    is_covered = env.get(COVERAGE) == "1"
    covered = ("-p", "tests.line_coverage") if is_covered else ()
    with tempfile.TemporaryDirectory(prefix="evalsite-prepared-") as folder, ExitStack() as stack:
        migrate(env, folder)
        plain = [
            stack.enter_context(running(name, env, "-m", "not browser and not slow", *given, *covered))
            for name, given in plain_runs().items()
        ]
        missing = find_missing(env)
        for sentence in missing:
            print(f"MISSING: {sentence}", flush=True)
        if missing and os.environ.get("ALLOW_MISSING") != "1":
            print("Run with ALLOW_MISSING=1 to skip the tests that need it.")
            return 1
        manage(env, "collectstatic", VAR_DIR=folder, DATABASE_URL="")
        env["TEST_STATIC_FILES"] = f"{folder}/static"
        with servers(env) as there:
            results = run_with_servers(env, there, plain)
    if is_covered:
        for command in ("combine -q", "html -q", "report"):
            subprocess.run([sys.executable, "-m", "coverage", *command.split()], cwd=ROOT, check=True)
    print("\n" + "\n".join(line for _, line in results))
    return max(code for code, _ in results)


def run_with_servers(
    env: dict[str, str], there: dict[str, str] | None, plain: list[Finish]
) -> list[tuple[int, str]]:
    """The tests marked `services` on the servers, where there are any, then the browser and slow tests on SQLite."""
    # `make faults` measures how long a site is unavailable: there no more tests run at once than there are cores.
    is_timed = bool(os.environ.get(LONG))
    results, started = [], [*plain]
    if is_timed:
        results, started = [finish() for finish in plain], []
    with ExitStack() as stack:
        if there is not None:
            marked = ("-m", "services", *files("mark.services"))
            run = running("PostgreSQL and Redis", env | there, *ALONE, *marked)
            started.append(stack.enter_context(run))
        chosen = ("-m", "browser or slow", *files("mark.slow", "tests/browser/"))
        run = running("SQLite: browser and slow tests", env, *SHARED, *chosen)
        started.append(stack.enter_context(run))
        return results + [finish() for finish in started]


def migrate(env: dict[str, str], folder: str) -> None:
    """Migrate a database, unless one is kept: otherwise each test process would do it itself."""
    if not kept_database().exists():
        database = f"{folder}/evalsite.sqlite3"
        manage(env, "migrate", **TEST_SETTINGS, TEST_DATABASE_URL=f"sqlite:///{database}")
        keep_database(database)


def plain_runs() -> Mapping[str, Sequence[str]]:
    """What the runs of plain tests are given: their files, or those that were named.

    Two runs, each of which reads its own files alone and makes the worlds that its tests share: tests of one package
    are in one of them. Not the guards, which are part of `make check`, and not the tests with a browser.
    """
    if sys.argv[1:]:
        return {"SQLite": SHARED}
    left_out = ("browser/", "guards/", *(() if os.environ.get(ALL) == "1" else LONG_UNITS))
    paths = sorted(str(path.relative_to(TESTS)) for path in TESTS.rglob("test_*.py"))
    chosen = [path for path in paths if not path.startswith(left_out)]
    half, other = "SQLite: discussions", "SQLite: everything else"
    runs = {half: [*find_spread()], other: [*find_spread()]}
    for path in chosen:
        runs[half if path.startswith("discussions/") else other].append(f"tests/{path}")
    return runs


def find_spread() -> Sequence[str]:
    """How many processes a run has: one where there are few cores and nothing was named."""
    return ALONE if (os.cpu_count() or 1) <= FEW_CORES and not sys.argv[1:] else SHARED


@contextmanager
def running(name: str, env: dict[str, str], *arguments: str) -> Iterator[Finish]:
    """Start a run of pytest, with this program's arguments. It ends when the context does."""
    command = [sys.executable, "-m", "pytest", "-q", *arguments, *sys.argv[1:]]
    if not os.environ.get(LONG):
        place = command.index("-m", 3) + 1
        command[place] = f"({command[place]}) and not long"
    began = time.monotonic()
    with subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True) as process:

        def finish() -> tuple[int, str]:
            print(f"\n=== {name}", flush=True)
            return report(name, began, process)

        try:
            yield finish
        finally:
            process.terminate()


def find_missing(env: dict[str, str]) -> list[str]:
    """Install what is possible; return sentences for what is missing. Adds to `env` what the tests need to find it."""
    missing = []
    if redis_server.find_binary() is None:
        missing.append(redis_server.HOW_TO_GET_ONE)
    if reason := postgres_server.why_not():
        missing.append(f"PostgreSQL: {reason}.")
    try:
        env["CHROMIUM"] = chromium.ensure()
    except chromium.CannotBeHad as reason:
        missing.append(f"Chromium: {reason}.")
    libraries = chromium.node_libraries()
    if libraries:
        env["LD_LIBRARY_PATH"] = ":".join(filter(None, (libraries, env.get("LD_LIBRARY_PATH"))))
    return missing


def files(*signs: str) -> list[str]:
    """Test files with one of these in path or text, so that no process reads all others; none if some were named."""
    if sys.argv[1:]:
        return []
    paths = (path.relative_to(ROOT) for path in sorted(ROOT.glob("tests/**/test_*.py")))
    chosen = [str(path) for path in paths if any(sign in f"{path}\n{path.read_text()}" for sign in signs)]
    is_all = os.environ.get(ALL) == "1"
    return [path for path in chosen if is_all or path.removeprefix("tests/").startswith(JOURNEYS)]


def report(name: str, began: float, process: subprocess.Popen[str]) -> tuple[int, str]:
    """Show the output of a pytest run as it comes; return its exit code (0 when nothing ran) and its last line."""
    last = ""
    for line in process.stdout or ():
        sys.stdout.write(line)
        sys.stdout.flush()
        last = line.strip() or last
    code = process.wait()
    return (0 if code == NO_TESTS else code), f"{name} ({time.monotonic() - began:.0f} s): {last}"


@contextmanager
def servers(env: dict[str, str]) -> Iterator[dict[str, str] | None]:
    """A real PostgreSQL, migrated, and a real Redis: what tests need to find them. None where one is missing."""
    binary = redis_server.find_binary()
    if binary is None or postgres_server.why_not() is not None:
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="evalsite-services-") as folder:
        home = Path(folder)
        postgres = postgres_server.PostgresServer(home / "postgres")
        postgres.folder.mkdir()
        home.chmod(0o755)
        redis = redis_server.RedisServer(binary, home / "redis", home / "redis.log", env)
        try:
            postgres.start()
            redis.start()
            there = {"TEST_DATABASE_URL": postgres.create("evalsite"), "TEST_REDIS_URL": redis.url}
            manage(env | there, "migrate", **TEST_SETTINGS)
            yield there
        finally:
            redis.child.stop()
            if postgres.child:
                postgres.child.stop(number=2)


def manage(env: dict[str, str], command: str, **more: str) -> None:
    """Run one of manage.py's commands; all tests on a kind of database begin with a copy of the migrated one."""
    settings = {"DJANGO_SETTINGS_MODULE": "evalsite.settings"}
    subprocess.run(
        [sys.executable, "manage.py", command, "--noinput", "-v", "0"],
        cwd=ROOT,
        env=env | settings | more,
        check=True,
    )


if __name__ == "__main__":
    sys.exit(main())
