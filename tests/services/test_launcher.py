"""`make run`: what it starts, that nothing outlives it, and what it says when something is in the way."""

import os
import signal
import socket
import sqlite3
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from evalsite import start
from evalsite.server import count_cores
from tools.launch import ROOT, Site
from tools.processes import PATIENCE, wait_until
from tools.redis_server import find_binary, free_port

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_binary() is None, reason="the launcher needs a Redis"),
]


class Launched:
    """One launcher on a data folder of its own, its output in a file."""

    def __init__(self, folder: Path, port: int | None = None) -> None:
        self.port = port or free_port()
        self.folder = folder
        self.env = dict(os.environ) | {
            "VAR_DIR": str(folder),
            "PORT": str(self.port),
            "HOST": "127.0.0.1",
            "DATABASE_URL": "",
            "REDIS_URL": "",
            "DEMO": "false",
        }
        self.output = folder / f"said-{len(list(folder.glob('said-*')))}.txt"
        with self.output.open("ab") as output:
            command = [sys.executable, "-m", "tools.launch"]
            self.process = subprocess.Popen(
                command, env=self.env, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT
            )

    def said(self) -> str:
        """Everything printed so far."""
        return self.output.read_text()

    def is_up(self) -> bool:
        """Whether it has greeted."""
        return "Ctrl+C ends everything" in self.said()

    def wait(self) -> None:
        """Until it greets."""
        wait_until(lambda: self.is_up() or self.process.poll() is not None)
        logs = "\n".join(path.read_text()[-2000:] for path in self.folder.glob("log/*.log"))
        assert self.is_up(), f"{self.said()}\n{logs}"

    def page(self) -> int:
        """Status of the first page; 0 when nobody answers."""
        try:
            return urllib.request.urlopen(f"http://127.0.0.1:{self.port}/", timeout=PATIENCE).status
        except urllib.error.HTTPError as answer:
            return answer.code
        except OSError:
            return 0

    def processes(self) -> dict[int, str]:
        """Every living process that was started with this data folder, the launcher left out."""
        marker = f"VAR_DIR={self.folder}".encode()
        found = {}
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                command += (entry / "comm").read_text()  # forks of the launcher have its command line
                at_home = (
                    (entry / "cwd").resolve().is_relative_to(self.folder)
                )  # Redis overwrites its environment
                if command and (at_home or marker in (entry / "environ").read_bytes().split(b"\0")):
                    found[int(entry.name)] = command
            except OSError:
                continue
        found.pop(self.process.pid, None)
        return found

    def find(self, word: str) -> int:
        """The first process whose command has the word."""
        return min(pid for pid, command in self.processes().items() if word in command)

    def web_workers(self) -> list[int]:
        """What the web server forked."""
        web = self.find("evalsite web")
        return [int(pid) for pid in Path(f"/proc/{web}/task/{web}/children").read_text().split()]

    def end(self, number: int = signal.SIGKILL) -> int:
        """Send a signal and wait; the exit code."""
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)


@contextmanager
def launch(folder: Path) -> Iterator[Launched]:
    """A launcher on that data that has greeted, ended in the end."""
    site = Launched(folder)
    try:
        site.wait()
        yield site
    finally:
        site.end()


@pytest.fixture(scope="module")
def launched(tmp_path_factory):
    """A launcher on fresh data, for all tests but the last, which ends it."""
    folder = tmp_path_factory.mktemp("data")
    folder.chmod(0o755)
    with launch(folder) as site:
        yield site


def test_a_second_one_on_the_same_data_or_port_is_refused_with_a_sentence(launched, tmp_path_factory):
    second = Launched(launched.folder)
    assert second.process.wait(PATIENCE) == 1
    assert "already running" in second.said()
    elsewhere = Launched(tmp_path_factory.mktemp("elsewhere"), port=launched.port)
    assert elsewhere.process.wait(PATIENCE) == 1
    assert f"Port {launched.port} of 127.0.0.1 cannot be used" in elsewhere.said()
    assert 200 <= launched.page() < 500


def ticks(pid: int) -> int:
    """The CPU time that a process took, in ticks."""
    return sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]))


def test_every_web_worker_answers_and_one_that_falls_comes_back(launched):
    def all_answer() -> bool:
        before = {worker: ticks(worker) for worker in launched.web_workers()}
        return wait_until(
            lambda: (
                200 <= launched.page() < 500
                and all(ticks(worker) > tick + 2 for worker, tick in before.items())
            ),
            every=0,
        )

    workers = launched.web_workers()
    assert len(workers) == count_cores()
    assert all_answer()
    os.kill(workers[0], signal.SIGKILL)
    assert wait_until(lambda: len(set(launched.web_workers()) - {workers[0]}) == len(workers))
    assert all_answer()
    assert set(workers[1:]) < set(launched.web_workers())
    assert "The web server ended" not in launched.said()


def test_no_other_account_reads_its_data(launched):
    kept = [launched.folder, *launched.folder.rglob("*")]
    assert {path.name for path in kept} >= {"evalsite.sqlite3", "web-server.log", "redis", "run.lock"}
    ours = [path for path in kept if not path.name.startswith("said-") and "static" not in path.parts]
    assert {path.name: oct(path.stat().st_mode) for path in ours if path.stat().st_mode & 0o077} == {}


def test_what_falls_is_started_launch(launched):
    for word, name in (
        ("evalsite web", "web server"),
        ("redis-server", "Redis"),
        ("evalsite worker", "worker"),
    ):
        fallen = launched.find(word)
        os.kill(fallen, signal.SIGKILL)
        assert wait_until(lambda said=name: f"The {said} ended by itself" in launched.said())
        assert wait_until(lambda: 200 <= launched.page() < 500)
    assert launched.process.poll() is None


@pytest.mark.long
def test_every_signal_ends_everything_and_the_next_start_keeps_the_data(launched):
    assert 200 <= launched.page() < 500
    assert all(launched.find(word) for word in ("evalsite web", "redis-server", "evalsite worker"))
    assert launched.end(signal.SIGTERM) == 0
    assert launched.processes() == {}
    with launch(launched.folder) as second:
        assert "Bringing the database up to date" not in second.said()
        assert "Preparing the static files" not in second.said()
        assert 200 <= second.page() < 500
        assert second.end(signal.SIGINT) == 0
        assert second.processes() == {}
    with launch(launched.folder) as third:
        wait_until(lambda: sum("evalsite worker" in command for command in third.processes().values()) == 3)
        third.end(signal.SIGKILL)
        assert wait_until(lambda: third.processes() == {}), third.processes()


def test_a_database_that_lost_a_guard_is_not_served(launched):
    launched.end()
    assert wait_until(lambda: launched.processes() == {})
    with closing(sqlite3.connect(launched.folder / "evalsite.sqlite3")) as database:
        database.execute("DROP TRIGGER workspace_event_frozen_update")
    second = Launched(launched.folder)
    assert second.process.wait(PATIENCE) == 1
    assert "workspace_event_frozen_update" in second.said()
    assert "The site is not running" in second.said()


def test_what_is_started_again_is_checked_again(tmp_path, monkeypatch):
    monkeypatch.setattr(start, "_is_ready", True)
    checked = []
    worker = SimpleNamespace(
        name="worker",
        process=SimpleNamespace(returncode=1),
        log=tmp_path / "worker.log",
        kill=list,
        start=lambda: checked.append(not start._is_ready),
    )
    Site({"VAR_DIR": str(tmp_path)}).restart(worker)
    assert checked == [True]


@pytest.mark.parametrize("port", ["eighty", "0", "70000"])
def test_a_port_that_is_none_is_refused_with_a_sentence(tmp_path, port):
    site = Launched(tmp_path, port=port)
    assert site.process.wait(PATIENCE) == 1
    assert f'PORT is "{port}"; write a number from 1 to 65535' in site.said()


def test_a_busy_port_is_refused_before_anything_starts(tmp_path):
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        site = Launched(tmp_path, port=busy.getsockname()[1])
        assert site.process.wait(PATIENCE) == 1
    assert "choose another port: make run PORT=" in site.said()
    assert not (tmp_path / "redis").exists()


def test_a_second_signal_does_not_interrupt_the_end():
    code = """
import os, signal
from tools.launch import STOPPING, Stop, raise_stop
for number in STOPPING:
    signal.signal(number, raise_stop)
try:
    os.kill(os.getpid(), signal.SIGHUP)
except Stop:
    os.kill(os.getpid(), signal.SIGTERM)
    print("ended in order")
"""
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert (ended.returncode, ended.stdout) == (0, "ended in order\n"), ended.stderr


def test_a_request_to_stop_while_a_process_is_forked_is_not_lost(tmp_path):
    code = """
import os, pathlib, signal, sys
from tools.launch import STOPPING, Stop, raise_stop
from tools.processes import Fork
for number in STOPPING:
    signal.signal(number, raise_stop)
os.register_at_fork(after_in_parent=lambda: os.kill(os.getpid(), signal.SIGTERM))
child = Fork("child", lambda: signal.pause(), pathlib.Path(sys.argv[1]))
try:
    child.start()
except Stop:
    child.stop()
    print("ended in order", child.process.returncode)
"""
    ended = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "child.log")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (0, "ended in order -15\n"), ended.stderr
