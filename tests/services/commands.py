"""Commands of manage.py on a stack's data, each in a fork of one process that has the site loaded.

Loading the site takes more than a second of CPU; most commands of tests take a tenth of that.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from tools.launch import ROOT
from tools.processes import PATIENCE, die_with_parent

LONGEST = 120


class Said(NamedTuple):
    """How a command ended (as subprocess has it: below 0 is the signal that killed it) and what it printed."""

    returncode: int
    stdout: str
    stderr: str


class Commands:
    """Runs commands with that environment; the process behind it starts with the first one and ends with this one."""

    def __init__(self, env: dict[str, str]) -> None:
        self.env = env
        self._process: subprocess.Popen[str] | None = None

    def start(self, *arguments: str) -> int:
        """Start one that goes on until it is killed or this one ends: its process id."""
        return self._ask({"arguments": arguments})

    def run(self, *arguments: str) -> Said:
        """Run one to its end; it is killed after two minutes."""
        with tempfile.TemporaryDirectory(prefix="evalsite-command-") as folder:
            code = self._ask({"arguments": arguments, "output": folder})
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
                [sys.executable, "-m", "tests.services.commands"],
                env=self.env,
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())


def main() -> None:
    """Answer each order with a number: how a command ended or, where no output is wanted, its process id."""
    import django

    django.setup()
    # What most scripts import; each fork would do it for itself.
    import django.core.management.commands.shell
    import django.test

    import tests.factories.people
    import tests.factories.rating
    import tests.factories.transcripts  # noqa: F401

    for line in sys.stdin:
        order = json.loads(line)
        starter, child = os.getpid(), os.fork()
        if child == 0:
            die_with_parent(parent=starter)
            work(**order)
        found = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) if "output" in order else child
        sys.stdout.write(f"{found}\n")
        sys.stdout.flush()


def work(arguments: list[str], output: str = "") -> NoReturn:
    """Be the command: in a process that ends with it."""
    from django.core.management import execute_from_command_line

    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number, name in ((1, "stdout"), (2, "stderr")):
        path = f"{output}/{name}" if output else os.devnull
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), number)
    if output:
        signal.alarm(LONGEST)
    code = 1
    try:
        execute_from_command_line(["manage.py", *arguments])
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(bool(ended.code))
    except BaseException:  # noqa: BLE001  printed as Python would
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    main()
