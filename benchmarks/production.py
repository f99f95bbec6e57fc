"""The site as in production, for loads: PostgreSQL, Redis, several web servers and workers by the shipped commands."""

import os
import secrets
import subprocess
import sys
from pathlib import Path

import psycopg

from benchmarks.driver import ROOT, Browser
from tools.postgres_server import PostgresServer
from tools.processes import Child, wait_until
from tools.redis_server import HOW_TO_GET_ONE, RedisServer, find_binary, free_port

WEB_SERVERS, WORKERS = 2, 2


class ProductionSite:
    """`addresses` of the web servers; `webs`, `workers`, `postgres`, `redis` can be killed and started again."""

    def __init__(self, folder: Path) -> None:
        folder.chmod(0o755)  # for the account of PostgreSQL
        self.postgres = PostgresServer(folder / "postgres", is_durable=True)
        self.postgres.folder.mkdir()
        binary = find_binary()
        if binary is None:
            raise SystemExit(HOW_TO_GET_ONE)
        self.redis = RedisServer(binary, folder / "redis", folder / "redis.log", dict(os.environ))
        ports = [free_port() for _ in range(WEB_SERVERS)]
        self.addresses = [f"http://127.0.0.1:{port}" for port in ports]
        self.env = os.environ | {
            "DJANGO_SETTINGS_MODULE": "evalsite.settings",
            "EVALSITE_MODE": "production",
            "DEMO": "false",
            "SECRET_KEY": secrets.token_urlsafe(60),
            "AUDIT_KEY": secrets.token_urlsafe(60),
            "ALLOWED_HOSTS": "127.0.0.1",
            "BEHIND_PROXY": "true",
            "REQUIRE_TOTP": "false",
            "LOG_LEVEL": "WARNING",
            "DATABASE_URL": self.postgres.url("evalsite"),
            "REDIS_URL": self.redis.url,
            "VAR_DIR": str(folder / "var"),
        }
        logs = folder / "log"
        self.webs = [
            self._child(logs, f"web-{port}", "evalsite.server", "--port", str(port)) for port in ports
        ]
        worker = ("celery", "-A", "evalsite", "worker", "--concurrency", "2", "--loglevel", "WARNING")
        self.workers = [
            self._child(logs, f"worker-{number}", *worker, "-n", f"worker-{number}")
            for number in range(WORKERS)
        ]

    def _child(self, logs: Path, name: str, module: str, *arguments: str) -> Child:
        command = [sys.executable, "-m", module, *arguments]
        return Child(name, command, dict(self.env), logs / f"{name}.log", ROOT)

    def __enter__(self) -> "ProductionSite":
        self.postgres.start()
        self.postgres.create("evalsite")
        self.redis.start()
        for command in ("migrate", "collectstatic"):
            self.manage(command, "--noinput", "-v", "0")
        for child in (*self.webs, *self.workers):
            child.start()
        for web, address in zip(self.webs, self.addresses, strict=True):
            wait_until(lambda web=web, address=address: answers(address) or not web.is_running(), 60)
            if not answers(address):
                self.__exit__()
                raise RuntimeError(web.last_lines(40))
        return self

    def __exit__(self, *_: object) -> None:
        for child in (*self.webs, *self.workers):
            child.stop()
        self.redis.child.stop()
        if self.postgres.child:
            self.postgres.child.stop(number=2)

    def kill_and_restart(self) -> str:
        """kill -9 one web server and one worker with all their processes; restart them as systemd would."""
        for child in (self.webs[0], self.workers[0]):
            child.kill()
        for child in (self.webs[0], self.workers[0]):
            child.start()
        return "one of two web servers and one of two workers killed"

    def manage(self, *arguments: str) -> str:
        """Run a command of manage.py; return its output. Raises CalledProcessError."""
        return manage(self.env, *arguments)

    def rows(self, query: str) -> list[tuple]:
        """What the database holds now."""
        with psycopg.connect(self.env["DATABASE_URL"]) as connection:
            return connection.execute(query).fetchall()


def answers(address: str) -> bool:
    """Whether the sign-in page loads."""
    browser = Browser(address, timeout=5, behind="10.0.0.1")
    try:
        return browser.get("/sign-in/").status == 200
    except OSError:
        return False
    finally:
        browser.close()


def manage(env: dict[str, str], *arguments: str) -> str:
    """Run a command of manage.py in that environment; return its output. Raises CalledProcessError."""
    command = [sys.executable, "manage.py", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=env, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        print(done.stdout, done.stderr, sep="\n", file=sys.stderr)
        done.check_returncode()
    return done.stdout
