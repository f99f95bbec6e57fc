"""Child processes that end with their parent."""

import contextlib
import ctypes
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

PR_SET_PDEATHSIG, PR_SET_NAME = 1, 15
STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# Seconds to wait for what comes in its time, also on a machine ten times slower than usual.
PATIENCE = 240.0
_LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def die_with_parent(number: int = signal.SIGKILL, *, parent: int | None = None) -> None:
    """Ask the kernel to send this process a signal when its parent ends, however it ends (Linux; elsewhere nothing).

    If the parent ended before this call, the process ends at once, if it was told which process that was.
    """
    if _LIBC is not None:
        _LIBC.prctl(PR_SET_PDEATHSIG, int(number), 0, 0, 0)
    if parent is not None and os.getppid() != parent:
        os._exit(1)


class Child:
    """One process in a group of its own, its output in a file, killed by the kernel when its starter dies."""

    def __init__(
        self, name: str, command: list[str], env: dict[str, str], log: Path, cwd: Path, **popen
    ) -> None:
        self.name, self.command, self.env, self.log, self.cwd = name, command, env, log, cwd
        self._popen = popen
        self.process: subprocess.Popen[bytes] | None = None
        self._is_over = False

    def start(self, stdin: bytes | None = None) -> None:
        """Start it; `stdin` is written to it and closed."""
        self.log.parent.mkdir(parents=True, exist_ok=True)
        starter = os.getpid()

        def before_exec() -> None:
            die_with_parent(parent=starter)
            signal.pthread_sigmask(signal.SIG_SETMASK, [])

        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                self.command,
                env=self.env,
                cwd=self.cwd,
                stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=before_exec,
                **self._popen,
            )
        self._is_over = False
        if stdin is not None:
            with contextlib.suppress(BrokenPipeError), self.process.stdin as pipe:
                pipe.write(stdin)

    @property
    def pid(self) -> int:
        """Its process id."""
        return self.process.pid

    def is_running(self) -> bool:
        """Whether it is still running."""
        return self.process is not None and self.process.poll() is None

    def stop(self, seconds: float = 10.0, number: int = signal.SIGTERM) -> None:
        """Ask it to end, wait, then kill what is left of its group."""
        if self.is_running():
            with contextlib.suppress(ProcessLookupError):
                self.process.send_signal(number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(seconds)
        self.kill()

    def kill(self) -> None:
        """kill -9 of it and of everything it started; only once, since the number of a dead group is reused."""
        if self.process is None or self._is_over:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self._is_over = True

    def last_lines(self, count: int = 15) -> str:
        """The end of what it wrote."""
        text = self.log.read_text(errors="replace") if self.log.exists() else ""
        return "\n".join(text.splitlines()[-count:])


class Fork(Child):
    """A child that is a fork of this process, so that it shares what is loaded here; its standard streams are files."""

    def __init__(self, name: str, run: Callable[[], object], log: Path) -> None:
        self.name, self.log, self._run = name, log, run
        self.process: subprocess.Popen[bytes] | None = None
        self._is_over = False

    def start(self, stdin: bytes | None = None) -> None:
        """Start it; what it runs ends with its exit status, or by an exception with 1."""
        self.log.parent.mkdir(parents=True, exist_ok=True)
        sys.stdout.flush()
        fork = multiprocessing.get_context("fork").Process(target=self._be, args=(os.getpid(),))
        # Python only reports what a handler raises within the hooks of a fork: a request to stop would be lost.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)
        try:
            self.process = Forked(fork)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        self._is_over = False

    def _be(self, starter: int) -> None:
        os.setsid()
        die_with_parent(parent=starter)
        for number in STOPPING:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)
        if _LIBC is not None:  # what `top` shows, else all of them would have the starter's name
            _LIBC.prctl(PR_SET_NAME, f"evalsite {self.name.split()[0]}".encode(), 0, 0, 0)
        with self.log.open("ab") as output, open(os.devnull, "rb") as nothing:
            os.dup2(nothing.fileno(), 0)
            os.dup2(output.fileno(), 1)
            os.dup2(output.fileno(), 2)
        self._run()


class Forked:
    """A fork with the parts of `subprocess.Popen` that `Child` needs."""

    def __init__(self, fork: "multiprocessing.context.ForkProcess") -> None:
        fork.start()
        self._fork, self.pid = fork, fork.pid

    @property
    def returncode(self) -> int | None:
        """Its exit code, negative for a signal; None while it runs."""
        return self._fork.exitcode

    poll = returncode.fget

    def wait(self, timeout: float | None = None) -> int | None:
        """Wait until it ended. Raises subprocess.TimeoutExpired."""
        self._fork.join(timeout)
        if self.returncode is None:
            raise subprocess.TimeoutExpired(self._fork.name, timeout)
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send it a signal."""
        os.kill(self.pid, number)


def wait_until(condition, seconds: float = PATIENCE, every: float = 0.05) -> bool:
    """Poll until the condition holds or the time is over."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(every)
    return True


def read_dotenv(path: Path) -> dict[str, str]:
    """The variables of a `.env` file, as far as the tools need them: NAME=value lines, quotes removed."""
    found: dict[str, str] = {}
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    for line in lines:
        name, equals, value = line.strip().partition("=")
        if equals and not name.startswith("#"):
            found[name.removeprefix("export ").strip()] = value.strip().strip("'\"")
    return found
