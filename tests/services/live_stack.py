"""The whole site as real processes on data of its own: for kill -9, for real static files, for two browsers at once."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pytest
from redis import Redis

from tests.services.commands import Commands
from tests.services.migrated import take_database
from tests.services.missing import cannot
from tools.launch import ROOT, Site
from tools.processes import PATIENCE, wait_until
from tools.redis_server import HOW_TO_GET_ONE, RedisServer, find_binary, free_port

SWEEPING = """
import time
from contextlib import suppress
from django.core.management import call_command
while True:
    with suppress(SystemExit):
        call_command("sweep")
    time.sleep({every})
"""
UNFINISHED = "SELECT COUNT(*) FROM workspace_job WHERE state IN ('queued', 'running')"


class LiveStack:
    """Redis, granian and a Celery worker over a fresh, migrated database.

    `url` is the address; `redis`, `web`, `worker` have start(), stop(), kill() and log. The test process has no ORM
    here: act through HTTP or `manage`, look through `rows`.
    """

    def __init__(self, folder: Path, database_url: str, redis: RedisServer) -> None:
        self.folder, self.database_url, self.redis_server = folder, database_url, redis
        self.env = dict(os.environ) | {
            "VAR_DIR": str(folder),
            "DATABASE_URL": database_url,
            "REDIS_URL": redis.url,
            "HOST": "127.0.0.1",
            "PORT": str(free_port()),
            "DJANGO_SETTINGS_MODULE": "evalsite.settings",
        }
        self._site = Site(self.env)
        self._site.env["DJANGO_SETTINGS_MODULE"] = "tests.site_settings"
        self.url = self._site.address
        self.redis, self.web, self.worker = redis.child, self._site.web(), self._site.worker()
        self._commands = Commands(self.env | {"DJANGO_SETTINGS_MODULE": "tests.stage_settings"})

    def start(self) -> None:
        """Start web and worker, and wait for the first page."""
        self.worker.start()
        self.start_web()

    def start_web(self) -> None:
        """Start the web server and wait for the first page."""
        self.web.start()
        wait_until(lambda: self._site.answers() or not self.web.is_running())
        assert self._site.answers(), self.web.last_lines(40)

    def empty(self, migrated_database: str) -> None:
        """Back to the start: a migrated, empty database, no messages in Redis, all servers running."""
        if not self.redis.is_running():
            self.start_redis()
        if not wait_until(lambda: self.rows(UNFINISHED) == [(0,)], 5, every=0.1):
            self.worker.kill()
        with closing(Redis.from_url(self.redis_server.url)) as redis:
            redis.flushall()
        if self.database_url.startswith("sqlite"):
            with (
                closing(sqlite3.connect(migrated_database)) as source,
                closing(sqlite3.connect(self.folder / "evalsite.sqlite3", timeout=PATIENCE)) as target,
            ):
                source.backup(target)
        else:
            name = self.database_url.rpartition("/")[2]
            drop_database(self.database_url, name)
            create_database(self.database_url, name, template=migrated_database)
        # Only now: the worker keeps the heads of the database that it finds.
        shutil.rmtree(self.folder / "audit", ignore_errors=True)
        if not self.worker.is_running():
            self.worker.start()
        if not self.web.is_running():
            self.start_web()

    def start_redis(self) -> None:
        """Start Redis again after a kill, with the data it had."""
        self.redis_server.start()

    def manage(self, *arguments: str) -> str:
        """Run one manage.py command on this stack's data, which must succeed; what it printed."""
        done = self._commands.run(*arguments)
        assert done.returncode == 0, f"{' '.join(arguments)}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    @contextmanager
    def sweeping(self, every: float) -> Iterator[None]:
        """What every worker has done now and then, this often: ring again for jobs that wait or were dropped."""
        sweep = self._commands.start("shell", "-v", "0", "-c", SWEEPING.format(every=every))
        try:
            yield
        finally:
            os.kill(sweep, signal.SIGKILL)

    def script(self, code: str) -> str:
        """Run Python code in this stack's Django, for setting up through real actions; what it printed."""
        return self.manage("shell", "-v", "0", "-c", code)

    def rows(self, query: str) -> list[tuple]:
        """What the database holds now, seen from outside Django."""
        if self.database_url.startswith("sqlite"):
            connection = sqlite3.connect(self.database_url.removeprefix("sqlite:///"), timeout=PATIENCE)
            try:
                return connection.execute(query).fetchall()
            finally:
                connection.close()
        with psycopg.connect(self.database_url) as connection:
            return connection.execute(query).fetchall()

    def wait_for(self, query: str, expected: object, seconds: float = PATIENCE) -> None:
        """Until the query's only value is the expected one."""
        wait_until(lambda: self.rows(query)[0][0] == expected, seconds, every=0.1)
        found = self.rows(query)[0][0]
        assert found == expected, f"{query}: {found!r} after {seconds} s\n{self.worker.last_lines(40)}"

    def stop(self) -> None:
        """End everything at once."""
        self._commands.stop()
        for child in (self.web, self.worker, self.redis):
            child.kill()


@pytest.fixture(scope="session")
def static_files(tmp_path_factory) -> Path:
    """The collected, hashed and compressed static files; `make test` collects them once for all processes."""
    if collected := os.environ.get("TEST_STATIC_FILES"):
        return Path(collected)
    folder = tmp_path_factory.mktemp("collected")
    env = dict(os.environ) | {
        "VAR_DIR": str(folder),
        "DATABASE_URL": "",
        "DJANGO_SETTINGS_MODULE": "evalsite.settings",
    }
    command = [sys.executable, str(ROOT / "manage.py"), "collectstatic", "--noinput", "-v", "0"]
    subprocess.run(command, env=env, cwd=ROOT, check=True, timeout=PATIENCE)
    return folder / "static"


@pytest.fixture(scope="session")
def migrated_database(tmp_path_factory):
    """A migrated, empty database to copy from: the path of a SQLite file, or the name of a PostgreSQL database."""
    if server := os.environ.get("TEST_DATABASE_URL", ""):
        return server.rpartition("/")[2]
    folder = tmp_path_factory.mktemp("migrated")
    name = str(folder / "evalsite.sqlite3")
    if not take_database(name):
        env = dict(os.environ) | {
            "VAR_DIR": str(folder),
            "DATABASE_URL": f"sqlite:///{name}",
            "DJANGO_SETTINGS_MODULE": "evalsite.settings",
        }
        command = [sys.executable, str(ROOT / "manage.py"), "migrate", "--noinput", "-v", "0"]
        subprocess.run(command, env=env, cwd=ROOT, check=True, timeout=PATIENCE)
    return name


@pytest.fixture(scope="session")
def started_stack(tmp_path_factory, static_files, migrated_database):
    """One running site for all tests of a process: starting its servers takes longer than most of them."""
    with stack_in(tmp_path_factory.mktemp("stack"), static_files, migrated_database) as stack:
        yield stack


@pytest.fixture
def live_stack(started_stack, migrated_database) -> LiveStack:
    """The running site, empty; on PostgreSQL when TEST_DATABASE_URL names a server. What a test killed runs again."""
    started_stack.empty(migrated_database)
    return started_stack


@contextmanager
def stack_in(
    folder: Path, static_files: Path, migrated_database: str, *, has_worker: bool = True
) -> Iterator[LiveStack]:
    """A started stack on data of its own in that folder, ended afterwards; without a worker there is only the web."""
    server = os.environ.get("TEST_DATABASE_URL", "")
    name = f"live_{uuid.uuid4().hex[:12]}" if server else str(folder / "evalsite.sqlite3")
    if server:
        address = create_database(server, name, template=migrated_database)
    else:
        shutil.copy(migrated_database, name)
        address = f"sqlite:///{name}"
    try:
        with stack_on(address, folder, static_files, has_worker=has_worker) as stack:
            yield stack
    finally:
        if server:
            drop_database(server, name)


@contextmanager
def stack_on(
    address: str, folder: Path, static_files: Path, *, has_worker: bool = True
) -> Iterator[LiveStack]:
    """A started stack on that database, which is migrated; its other data in that folder."""
    binary = find_binary()
    if binary is None:
        cannot("Redis", HOW_TO_GET_ONE)
    shutil.copytree(static_files, folder / "static", copy_function=os.link)
    redis = RedisServer(binary, folder / "redis", folder / "log" / "redis.log", dict(os.environ))
    stack = LiveStack(folder, address, redis)
    try:
        redis.start()
        if has_worker:
            stack.worker.start()
        stack.start_web()
        yield stack
    finally:
        stack.stop()


def create_database(server: str, name: str, template: str) -> str:
    """Make a copy of a database on a server, which the address of another one names; its address."""
    with _beside(server) as connection:
        connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
    return server.rpartition("/")[0] + "/" + name


def drop_database(server: str, name: str) -> None:
    """Drop a database of that server, whoever uses it."""
    with _beside(server) as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


def _beside(server: str) -> psycopg.Connection:
    """A connection that does not hold the database from which others are copied."""
    return psycopg.connect(server.rpartition("/")[0] + "/postgres", autocommit=True)
