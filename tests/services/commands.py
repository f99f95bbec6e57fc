"""Commands of manage.py on a stack's data, each in a fork of one process that has the site loaded.

Loading the site takes more than a second of CPU; most commands of tests take a tenth of that. Where the environment is
what is tested, the process has loaded only the libraries, none of which reads the site's settings.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from tools.launch import ROOT
from tools.processes import PATIENCE, die_with_parent

LONGEST = 120
LIBRARIES = (
    "celery",
    "django.contrib.auth.hashers",
    "django.core.management",
    "django.db.backends.postgresql.base",
    "django.template.loader",
    "django.views.generic",
    "environ",
    "jinja2",
    "markdown_it",
    "msgspec",
    "numpy",
    "rapidfuzz",
    "structlog",
)


class Said(NamedTuple):
    """How a command ended (as subprocess has it: below 0 is the signal that killed it) and what it printed."""

    returncode: int
    stdout: str
    stderr: str


class Commands:
    """Runs commands with that environment; the process behind it starts with the first one and ends with this one.

    With `loads` "libraries" nothing of the site is loaded before, and each may change the environment.
    """

    def __init__(self, env: dict[str, str], loads: str = "site") -> None:
        self.env, self.loads = env, loads
        self._process: subprocess.Popen[str] | None = None

    def start(self, *arguments: str) -> int:
        """Start one that goes on until it is killed or this one ends: its process id."""
        return self._ask({"arguments": arguments})

    def run(self, *arguments: str, **changes: str) -> Said:
        """Run one to its end; it is killed after two minutes. As with Python, "-c" stands before a program."""
        with tempfile.TemporaryDirectory(prefix="evalsite-command-") as folder:
            code = self._ask({"arguments": arguments, "output": folder, "changes": changes})
            said = [
                Path(folder, name).read_text(encoding="utf-8", errors="replace")
                for name in ("stdout", "stderr")
            ]
        return Said(code, *said)

    def stop(self) -> None:
        """End the process, and with it what `start` started."""
        if self._process is not None:
            self._process.stdin.close()
            self._process.wait(PATIENCE)
            self._process.stdout.close()
            self._process = None

    def _ask(self, order: dict[str, Any]) -> int:
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.services.commands", self.loads],
                env=self.env,
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())


def load_site() -> None:
    """The site, and what most scripts import."""
    import django

    django.setup()
    import django.core.management.commands.shell
    import django.test

    import tests.factories.people
    import tests.factories.rating
    import tests.factories.transcripts  # noqa: F401


def load_libraries() -> None:
    """Most of what the site imports of others."""
    for name in LIBRARIES:
        import_module(name)


def main() -> None:
    """Answer each order with a number: how a command ended or, where no output is wanted, its process id."""
    {"site": load_site, "libraries": load_libraries}[sys.argv[1]]()
    for line in sys.stdin:
        order = json.loads(line)
        starter, child = os.getpid(), os.fork()
        if child == 0:
            die_with_parent(parent=starter)
            work(**order)
        found = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) if "output" in order else child
        sys.stdout.write(f"{found}\n")
        sys.stdout.flush()


def work(arguments: list[str], output: str = "", changes: Mapping[str, str] | None = None) -> NoReturn:
    """Be the command: in a process that ends with it."""
    from django.core.management import execute_from_command_line

    os.environ.update(changes or {})
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number, name in ((1, "stdout"), (2, "stderr")):
        path = f"{output}/{name}" if output else os.devnull
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), number)
    if output:
        signal.alarm(LONGEST)
    code = 1
    try:
        if arguments[0] == "-c":
            exec(arguments[1], {"__name__": "__main__"})
        else:
            execute_from_command_line(["manage.py", *arguments])
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(bool(ended.code))
        if isinstance(ended.code, str):
            sys.stderr.write(f"{ended.code}\n")
    except BaseException:  # noqa: BLE001  printed as Python would
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    main()
