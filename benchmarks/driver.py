"""Drives a running site from outside: signs in, loads pages and saves judgements over HTTP, and measures the cost.

`Browser` is one client on one kept-alive connection; it sends forms as the pages have them. `in_parallel` runs several.
`ProcessTree` reads CPU time and memory of a server and all its children from /proc (Linux). `Server` starts and ends a
server, `LocalSite` the site as `make run` does, in its own folder. This module imports nothing of the site, so it can
drive any server.
"""

import gzip
import http.client
import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from html import unescape
from http.cookies import SimpleCookie
from itertools import cycle
from math import ceil
from pathlib import Path
from typing import NamedTuple, Self
from urllib.parse import urlencode, urlsplit

ROOT = Path(__file__).resolve().parent.parent
TICKS = os.sysconf("SC_CLK_TCK")
FORM, BOUNDARY = "application/x-www-form-urlencoded", "one-file-after-another"
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
NONCE = re.compile(r'name="nonce" value="([^"]+)"')
JUDGED = (
    "reference",
    "strategic_depth",
    "coherence",
    "question",
    "rating",
)  # kinds that can be saved again and again
ACT = re.compile(r'name="act" value="([^"~]+)~([^"~]*)~(\d+)~([^"~]*)"')


class Answer(NamedTuple):
    """The response: its decompressed body, the bytes of the body on the wire, and the seconds until its last byte."""

    status: int
    headers: dict[str, str]
    body: bytes
    wire: int
    seconds: float

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode()


class Browser:
    """One client: a kept-alive connection, cookies, and the token of forms. Redirects are not followed.

    With `behind`, the client's address, requests look as if passed on by an https proxy.
    """

    def __init__(self, address: str, timeout: float = 60, behind: str = "") -> None:
        self.cookies: dict[str, str] = {}
        self.token, self._timeout = "", timeout
        self.proxied = {"X-Forwarded-For": behind, "X-Forwarded-Proto": "https"} if behind else {}
        self._open(address)

    def turn_to(self, address: str) -> None:
        """Send requests to that address from now on, on a new connection."""
        self.close()
        self._open(address)

    def _open(self, address: str) -> None:
        self.where = urlsplit(address)
        self._connection = http.client.HTTPConnection(
            self.where.hostname, self.where.port, timeout=self._timeout
        )

    def get(self, path: str, **headers: str) -> Answer:
        """Load a page; keep the CSRF token of its forms for the next post."""
        answer = self._ask("GET", path, None, headers)
        if found := TOKEN.search(answer.body.decode(errors="replace")):
            self.token = found[1]
        return answer

    def post(self, path: str, fields: dict[str, object], *, by_script: bool = False) -> Answer:
        """Send a form with the token of the last page; `by_script` sends it as htmx does."""
        body = urlencode(fields | {"csrfmiddlewaretoken": self.token}).encode()
        headers = {"HX-Request": "true"} if by_script else {}
        return self._ask("POST", path, body, headers | {"Content-Type": FORM, "Referer": self._referer})

    def upload(self, path: str, field: str, name: str, data: bytes) -> Answer:
        """Send a form with one JSON file and the token of the last page."""
        part = f"--{BOUNDARY}\r\nContent-Disposition: form-data; name="
        head = (
            f'{part}"csrfmiddlewaretoken"\r\n\r\n{self.token}\r\n'
            f'{part}"{field}"; filename="{name}"\r\nContent-Type: application/json\r\n\r\n'
        )
        body = head.encode() + data + f"\r\n--{BOUNDARY}--\r\n".encode()
        kind = f"multipart/form-data; boundary={BOUNDARY}"
        return self._ask("POST", path, body, {"Content-Type": kind, "Referer": self._referer})

    def send(self, path: str, body: bytes, content_type: str, **headers: str) -> Answer:
        """Send a body as it is."""
        always = {"Content-Type": content_type, "Referer": self._referer}
        return self._ask("POST", path, body, always | headers)

    def sign_in(self, email: str, password: str) -> None:
        """Sign in with the form of the page. Raises RuntimeError when that fails."""
        self.get("/sign-in/")
        answer = self.post("/sign-in/", {"login": email, "password": password, "next": "/"})
        if answer.status != 302:
            raise RuntimeError(f"{email} could not sign in: status {answer.status}")

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    @property
    def _referer(self) -> str:
        scheme = "https" if self.proxied else self.where.scheme
        return f"{scheme}://{self.where.netloc}/"

    def _connect(self) -> None:
        """Connect, unless there is a connection that the server left open: it ends those idle for 30 seconds."""
        if self._connection.sock is not None and select.select([self._connection.sock], [], [], 0)[0]:
            self._connection.close()
        if self._connection.sock is None:
            self._connection.connect()

    def _ask(self, verb: str, path: str, body: bytes | None, headers: dict[str, str]) -> Answer:
        began = time.perf_counter()
        self._connect()
        # Without this a server that sends head and body in two segments waits for the delayed acknowledgement.
        self._connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        always = {"Accept-Encoding": "gzip", "Cookie": cookies} | self.proxied
        try:
            self._connection.request(verb, path, body, always | headers)
            response = self._connection.getresponse()
            raw = response.read()
        except (OSError, http.client.HTTPException):
            self._connection.close()  # else all later requests fail with CannotSendRequest, which hides this
            raise
        seconds = time.perf_counter() - began
        for line in response.headers.get_all("Set-Cookie", []):
            self.cookies |= {name: cookie.value for name, cookie in SimpleCookie(line).items()}
        packed = response.headers.get("Content-Encoding") == "gzip"
        head = {name.lower(): value for name, value in response.headers.items()}
        return Answer(response.status, head, gzip.decompress(raw) if packed else raw, len(raw), seconds)


class Judge:
    """An evaluator with a game open: saves one judgement after the other, as the buttons of the page do."""

    def __init__(self, browser: Browser, page: str) -> None:
        """`page` is the path of the evaluator's page."""
        self.browser, self.page = browser, page
        text = unescape(browser.get(page).text)
        self.nonce = NONCE.search(text)[1]
        buttons = [button for button in ACT.findall(text) if button[0] in JUDGED and button[3]]
        self.versions = {(kind, subject): int(version) for kind, subject, version, _ in buttons}
        self._acts = cycle((kind, subject, value) for kind, subject, _, value in buttons)

    def next_act(self) -> "JudgedAct":
        """The next judgement, based on the version that was saved last."""
        kind, subject, value = next(self._acts)
        version = self.versions[kind, subject]
        return JudgedAct(kind, subject, version, value, f"{self.nonce}:{kind}:{subject}:{version}")

    def send(self, act: "JudgedAct", browser: Browser | None = None) -> Answer:
        """Post it, from another window of the same person if one is given; its version increases when it was saved."""
        fields = {"act": "~".join(map(str, act[:4])), "nonce": self.nonce, "key": act.key}
        answer = (browser or self.browser).post(f"{self.page}judge/", fields, by_script=True)
        if answer.status == 200:
            self.versions[act.kind, act.subject] = act.version + 1
        return answer

    def save(self) -> Answer:
        """Save the next judgement. Raises RuntimeError unless the answer shows it stored."""
        answer = self.send(self.next_act())
        if answer.status != 200:
            raise RuntimeError(f"a save was answered by {answer.status}: {answer.text[:300]}")
        return answer


class JudgedAct(NamedTuple):
    """One judgement as a button posts it, based on the version that the page showed."""

    kind: str
    subject: str
    version: int
    value: str
    key: str


class Load(NamedTuple):
    """The record of several clients: the seconds of every act, of all together, and the exceptions."""

    seconds: list[float]
    lasted: float
    errors: list[Exception]

    @property
    def per_second(self) -> float:
        """Acts a second."""
        return len(self.seconds) / self.lasted


def in_parallel(acts: list[Callable[[], object]], *, times: int) -> Load:
    """Run every act that many times, each in its own thread; all begin together."""
    gate, errors = threading.Barrier(len(acts) + 1), []
    took: list[list[float]] = [[] for _ in acts]

    def run(act: Callable[[], object], mine: list[float]) -> None:
        gate.wait()
        try:
            for _ in range(times):
                began = time.perf_counter()
                act()
                mine.append(time.perf_counter() - began)
        except Exception as raised:  # noqa: BLE001  what a client met is part of the result
            errors.append(raised)

    threads = [threading.Thread(target=run, args=(act, mine)) for act, mine in zip(acts, took, strict=True)]
    for thread in threads:
        thread.start()
    gate.wait()
    began = time.perf_counter()
    for thread in threads:
        thread.join()
    return Load([second for mine in took for second in mine], time.perf_counter() - began, errors)


def quantile(values: list[float], share: float) -> float:
    """The smallest value that at least this share of the values does not exceed."""
    return sorted(values)[max(0, ceil(share * len(values)) - 1)]


class Process(NamedTuple):
    """One process: number, command line, CPU time so far in seconds, proportional set size in MB."""

    pid: int
    command: str
    cpu: float
    pss: float


class ProcessTree:
    """A process and all its descendants."""

    def __init__(self, pid: int) -> None:
        self.pid = pid

    def cpu(self) -> float:
        """CPU seconds of all of them so far, including children that ended."""
        return sum(_cpu_of(pid) for pid in self.pids())

    def pss(self) -> float:
        """Proportional set size of all of them, MB (2**20 bytes)."""
        return sum(process.pss for process in self.processes())

    def processes(self) -> list[Process]:
        """Each of them."""
        return [Process(pid, _command_of(pid), _cpu_of(pid), _pss_of(pid)) for pid in self.pids()]

    def pids(self) -> list[int]:
        """Their numbers, the starter first."""
        found = [self.pid]
        for pid in found:
            for children in Path(f"/proc/{pid}/task").glob("*/children"):
                found += [int(child) for child in _read(children).split()]
        return found


def _read(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:  # the process ended meanwhile
        return ""


def _cpu_of(pid: int) -> float:
    fields = _read(Path(f"/proc/{pid}/stat")).rpartition(")")[2].split()
    return sum(int(ticks) for ticks in fields[11:15]) / TICKS


def _pss_of(pid: int) -> float:
    found = re.search(r"^Pss:\s+(\d+) kB", _read(Path(f"/proc/{pid}/smaps_rollup")), re.MULTILINE)
    return int(found[1]) / 1024 if found else 0.0


def _command_of(pid: int) -> str:
    return _read(Path(f"/proc/{pid}/cmdline")).replace("\0", " ").strip()


class Server:
    """A server that runs `command`, with its data in `folder`; it is up when the page at `path` loads."""

    def __init__(
        self, folder: Path, port: int, command: list[str], env: dict[str, str], *, path: str, cwd: Path
    ) -> None:
        self.folder, self.port, self.env = folder, port, env
        self.address = f"http://127.0.0.1:{port}"
        self._command, self._path, self._cwd = command, path, cwd
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, timeout: float = 300) -> float:
        """Start it; the seconds until the first page answers. Raises RuntimeError with the log when none does."""
        self.folder.mkdir(parents=True, exist_ok=True)
        began = time.perf_counter()
        with (self.folder / "bench.log").open("wb") as log:
            self._process = subprocess.Popen(
                self._command, cwd=self._cwd, env=self.env, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        while not self.answers():
            if self._process.poll() is not None or time.perf_counter() - began > timeout:
                self.stop()
                raise RuntimeError((self.folder / "bench.log").read_text(errors="replace"))
            time.sleep(0.02)
        return time.perf_counter() - began

    def answers(self) -> bool:
        """Whether the first page loads."""
        browser = Browser(self.address, timeout=5)
        try:
            return browser.get(self._path).status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            browser.close()

    @property
    def tree(self) -> ProcessTree:
        """All its processes."""
        return ProcessTree(self._process.pid)

    def stop(self) -> None:
        """End it as a service manager does, and wait; after a minute it is killed with all that it started.

        A process that a shell starts in the background never gets Ctrl+C.
        """
        if self._process is None or self._process.poll() is not None:
            return
        pids = self.tree.pids()
        self._process.terminate()
        try:
            self._process.wait(60)
        except subprocess.TimeoutExpired:
            for pid in pids:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self._process.wait()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


class LocalSite(Server):
    """The site as `make run` starts it, with its data in `folder`; a folder without data gets the demo.

    `home` is the checkout that it runs from, `python` the interpreter.
    """

    def __init__(self, folder: Path, port: int, python: str = sys.executable, home: Path = ROOT) -> None:
        env = os.environ | {"VAR_DIR": str(folder), "PORT": str(port), "HOST": "127.0.0.1"}
        # As in normal use: otherwise each start spends a second compiling the site.
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        command = [python, "-m", "tools.launch", "--tied"]
        super().__init__(folder, port, command, env, path="/sign-in/", cwd=home)

    def start_first(self) -> float:
        """`make run` in a fresh clone, which installs everything; the seconds until the first page answers."""
        usual, self._command = self._command, ["make", "run"]
        try:
            return self.start()
        finally:
            self._command = usual

    def make_team(self, evaluators: int, games: int) -> "Team":
        """Make a project with that many evaluators and measured games in this site's database."""
        return make_team(self.env, evaluators, games, python=self._command[0], home=self._cwd)


class Team(NamedTuple):
    """A project's path, the e-mails of a lead and of evaluators, everyone's password, an access token of the lead."""

    project: str
    lead: str
    evaluators: list[str]
    password: str
    token: str

    def judge(self, browser: Browser, email: str) -> Judge:
        """One evaluator, signed in and with a game open."""
        return self.take_game(self.arrive(browser, email))

    def arrive(self, browser: Browser, email: str) -> Browser:
        """A signed-in person; evaluators have seen the guideline, which newcomers are shown instead of a game."""
        browser.sign_in(email, self.password)
        browser.get(self.project)
        if email != self.lead:
            browser.get(urlsplit(browser.post(f"{self.project}next/", {}).headers["location"]).path)
        return browser

    def take_game(self, browser: Browser) -> Judge:
        """The next game and its page."""
        answer = browser.post(f"{self.project}next/", {})
        page = urlsplit(answer.headers.get("location", "")).path
        if not page.startswith("/rate/"):
            raise RuntimeError(f"an evaluator got no game: status {answer.status}, {page}")
        return Judge(browser, page)


def make_team(
    env: dict[str, str], evaluators: int, games: int, *, python: str = sys.executable, home: Path = ROOT
) -> Team:
    """Make a project with that many evaluators and measured games in the database of that environment."""
    said = subprocess.run(
        [python, "-m", "benchmarks.team", str(evaluators), str(games)],
        cwd=home, env=env, check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    return Team(**json.loads(said.splitlines()[-1]))
