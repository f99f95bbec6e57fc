"""`make run`: start everything, print its address, restart what fails, end all of it in order.

Redis, web server and Celery worker are children in their own process groups; the kernel kills them when this process is
killed. The site is loaded here once, and web server, worker and preparations are forks that share its memory; this
process itself never queries the database for stored data.
"""

import collections
import contextlib
import fcntl
import http.client
import os
import shutil
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from tools.processes import STOPPING, Child, Fork, die_with_parent, read_dotenv, wait_until
from tools.redis_server import HOW_TO_GET_ONE, RedisServer, get_binary

ROOT = Path(__file__).resolve().parent.parent
RESTARTS, WITHIN = 5, 60.0
LARGEST_LOG = 5_000_000
WORKER = (
    "worker", "--concurrency", "2", "--loglevel", "WARNING", "--without-gossip", "--without-mingle"
)  # fmt: skip
# Each worker and its queues, where there are models to call. Otherwise the first serves all.
WORKERS = {"worker": "measure,deliver", "models": "models"}


class Stop(Exception):
    """A request to stop (Ctrl+C, SIGTERM, the terminal closing)."""


class GiveUp(Exception):
    """Something does not work; the sentence says what and what to do."""


def main(arguments: list[str]) -> int:
    """Run the site until it is told to stop; 0 after an orderly end, 1 with a sentence when it could not continue."""
    if "--tied" in arguments:
        die_with_parent(signal.SIGTERM)
    os.umask(0o077)
    for number in STOPPING:
        signal.signal(number, raise_stop)
    env = read_dotenv(ROOT / ".env") | os.environ
    site = Site(env)
    try:
        site.run()
    except Stop:
        return 0
    except GiveUp as reason:
        print(f"\n{reason}", flush=True)
        return 1
    finally:
        ignore_stops()
        site.stop()
    return 0


def raise_stop(number: int, frame: object) -> None:
    """The signal handler. Only the first signal counts: `make` and the terminal may each send one at the same time."""
    ignore_stops()
    raise Stop


def ignore_stops() -> None:
    """From now on no signal interrupts the end."""
    for number in STOPPING:
        signal.signal(number, signal.SIG_IGN)


class Site:
    """All processes of one running site."""

    def __init__(self, env: dict[str, str]) -> None:
        self.host = env.get("HOST", "").strip() or "127.0.0.1"
        self.port = read_port(env.get("PORT", ""))
        self.var = Path(env.get("VAR_DIR", "").strip() or ROOT / "var").resolve()
        self.env = env | {"PYTHONUNBUFFERED": "1", "DJANGO_SETTINGS_MODULE": "evalsite.settings"}
        self.open_to_others = self.host.strip("[]") not in ("127.0.0.1", "localhost", "::1")
        if self.open_to_others and not env.get("ALLOWED_HOSTS", "").strip():
            self.env["ALLOWED_HOSTS"] = ",".join(names_of_this_machine(self.host))
        self.sign_ins = self.var / "demo-sign-ins.txt"
        self.redis: RedisServer | None = None
        self.children: list[Child] = []
        self.deaths: dict[str, collections.deque[float]] = collections.defaultdict(collections.deque)
        self._lock = None

    @property
    def address(self) -> str:
        """The address of the site on this machine."""
        host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(self.host, self.host)
        return f"http://{f'[{host}]' if ':' in host and not host.startswith('[') else host}:{self.port}"

    def run(self) -> None:
        """Start, print the address, and watch until stopped."""
        self.take_lock()
        check_port_is_free(self.host, self.port)
        self.start_redis()
        self.load()
        with self.prepared():
            workers = [self.fork(name, partial(work, *place)) for name, place in self.workers().items()]
            web = self.fork("web server", self.serve)
            self.children += [*workers, web]
            web.start()
            self.wait_for_page()
            self.greet()
        for worker in workers:
            worker.start()
        self.watch()

    def take_lock(self) -> None:
        """One running site per data folder: two would share one Redis folder, and take turns on one port."""
        self.var.mkdir(parents=True, exist_ok=True)
        # Older data may be readable by other accounts.
        with contextlib.suppress(PermissionError):
            self.var.chmod(0o700)
        self._lock = (self.var / "run.lock").open("a+")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._lock.seek(0)
            raise GiveUp(
                f"The site of this folder is already running ({self._lock.read().strip() or 'just starting'}). "
                "Stop that one first (Ctrl+C where it runs), or use other data here: make run VAR_DIR=/else/where"
            ) from None
        self._lock.truncate(0)
        self._lock.write(f"process {os.getpid()}, {self.address}")
        self._lock.flush()

    def start_redis(self) -> None:
        """Use the Redis that REDIS_URL names, else start one."""
        if self.env.get("REDIS_URL", "").strip():
            return
        binary = get_binary()
        if binary is None:
            raise GiveUp(HOW_TO_GET_ONE)
        self.redis = RedisServer(binary, self.var / "redis", self.log("redis"), self.env)
        self.children.append(self.redis.child)
        self.redis.start()
        self.env["REDIS_URL"] = self.redis.url
        # Commands that run beside the site find its Redis here. If it is gone, they just send no messages.
        address = self.var / "redis.url"
        address.touch(mode=0o600)
        address.write_text(self.redis.url)

    def load(self) -> None:
        """Load settings and models. Ends with a sentence when a setting is wrong."""
        os.environ.update(self.env)
        from evalsite.preload import set_up

        set_up()

    @contextlib.contextmanager
    def prepared(self) -> Iterator[None]:
        """Prepare what the web server needs, and meanwhile load what all forks need on the core that this leaves.

        An empty database is filled with the demo while pages are served: whoever signs in waits for it.
        """
        from tools.prepare import prepare_database, seed_demo

        with self.preparing("database", lambda: sys.exit(prepare_database())):
            load_apps()
        with self.preparing("demo", seed_demo) as demo:
            with self.preparing("site", finish):
                load_servers()
                load_pages()
            load_handler()
            take_as_ready(True)
            wait_until(lambda: self.sign_ins.is_file() or not demo.is_running())
            yield

    @contextlib.contextmanager
    def preparing(self, name: str, run: Callable[[], object]) -> Iterator[Child]:
        """A process that is over when the context is, so that its memory is freed; what it says is shown."""
        child = self.fork(name, run)
        child.log.unlink(missing_ok=True)
        self.children.append(child)
        child.start()
        yield child
        shown = 0
        while child.is_running():
            time.sleep(0.05)
            shown = show_new(child.log, shown)
        show_new(child.log, shown)
        self.children.remove(child)
        if child.process.returncode != 0:
            raise GiveUp(f"Preparing the {name} failed; the lines above say why. The site is not running.")

    def web(self) -> Child:
        """The web server as a separate program: a process of four threads for each core."""
        return self.python(
            "web server", "-m", "evalsite.server", "--host", self.host, "--port", str(self.port)
        )

    def workers(self) -> dict[str, tuple[str, str]]:
        """By name the first part of each worker's node name, and its queues."""
        if self.env.get("REVIEW_MODELS_URL", "").strip():
            return {name: (name, queues) for name, queues in WORKERS.items()}
        return {"worker": ("celery", ",".join(WORKERS.values()))}

    def worker(self, name: str = "worker") -> Child:
        """A Celery worker as a separate program: two pool processes, and what is due by time."""
        node, queues = self.workers()[name]
        place = ("-n", f"{node}@%h", "-Q", queues)
        return self.python(name, "-m", "celery", "-A", "tools.worker", *WORKER, *place)

    def serve(self) -> None:
        """Run as the web server."""
        from evalsite.server import count_cores, serve

        serve(self.host, self.port, count_cores())

    def fork(self, name: str, run: Callable[[], object]) -> Child:
        """A child that shares what is loaded here; only this process keeps the lock of the data folder."""

        def be() -> None:
            self._lock.close()
            run()

        return Fork(name, be, self.log(name.replace(" ", "-")))

    def python(self, name: str, *command: str) -> Child:
        """A child that runs in the virtual environment's Python."""
        return Child(name, [sys.executable, *command], self.env, self.log(name.replace(" ", "-")), ROOT)

    def log(self, name: str) -> Path:
        """The log file of a child."""
        return self.var / "log" / f"{name}.log"

    def wait_for_page(self) -> None:
        """Until the first page answers."""
        web = self.children[-1]
        wait_until(lambda: self.answers() or not web.is_running())
        if not self.answers():
            raise GiveUp(
                f"The web server did not answer at {self.address}. Its last words:\n{web.last_lines()}"
            )

    def answers(self) -> bool:
        """Whether the first page comes without a server error."""
        host, _, port = self.address.removeprefix("http://").rpartition(":")
        connection = http.client.HTTPConnection(host.strip("[]"), int(port), timeout=30)
        try:
            connection.request("GET", "/")
            return connection.getresponse().status < 500
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def greet(self) -> None:
        """The address and the demo sign-ins."""
        print(f"\nevalsite is at {self.address}", flush=True)
        if self.env.get("DEMO", "").lower() == "true" and self.sign_ins.is_file():
            print("\n" + self.sign_ins.read_text(encoding="utf-8").strip())
        if self.open_to_others:
            print(f"\nOthers on the network reach it too, as: {self.env['ALLOWED_HOSTS'].replace(',', ', ')}")
        print(f"\nData and logs: {self.var}. Ctrl+C ends everything.", flush=True)

    def watch(self) -> None:
        """Restart what fails and rotate large logs, until a signal or until something fails too often."""
        while True:
            time.sleep(0.3)
            for child in self.children:
                put_aside(child.log)
                if not child.is_running():
                    self.restart(child)

    def restart(self, child: Child) -> None:
        """Restart a failed child, a few times."""
        status = child.process.returncode
        child.kill()
        take_as_ready(False)
        deaths = self.deaths[child.name]
        deaths.append(time.monotonic())
        while deaths[0] < time.monotonic() - WITHIN:
            deaths.popleft()
        if len(deaths) > RESTARTS:
            raise GiveUp(
                f"The {child.name} fell {len(deaths)} times within a minute, so everything is stopped. "
                f"Its last words ({child.log}):\n{child.last_lines()}"
            )
        print(
            f"The {child.name} ended by itself (status {status}); starting it again. Log: {child.log}",
            flush=True,
        )
        if self.redis and child is self.redis.child:
            self.redis.start()
        else:
            child.start()

    def stop(self) -> None:
        """Web first, so that nothing new comes in; then the worker; Redis last."""
        if any(child.is_running() for child in self.children):
            print("\nStopping ...", flush=True)
        for child in reversed(self.children):
            child.stop(12)


def load_apps() -> None:
    """Load what pages and jobs do, which the demo needs, too."""
    from evalsite.preload import load_apps as load

    load()


def load_servers() -> None:
    """Load the servers around it; none connects to anything yet."""
    from evalsite.preload import load_servers as load

    load()
    import evalsite.server  # noqa: F401
    import tools.worker  # noqa: F401


def load_pages() -> None:
    """Load what the main pages need."""
    from evalsite.preload import load_pages as load

    load()


def load_handler() -> None:
    """Load the request handler, once the static files exist."""
    from evalsite.memory import fill_gaps, spare_the_collector
    from evalsite.preload import make_handler

    make_handler()
    spare_the_collector()
    fill_gaps()


def take_as_ready(is_ready: bool) -> None:
    """Whether web server and worker are forked without their own checks, as right after the preparation."""
    from evalsite.start import take_as_ready as take

    take(is_ready)


def finish() -> None:
    """Prepare the static files, and check that web server and worker can begin."""
    from evalsite.start import end_unless_ready
    from tools.prepare import collect_static

    collect_static()
    end_unless_ready()


def work(node: str, queues: str) -> None:
    """Run as the worker of that name, which serves these queues."""
    from tools.worker import app

    # Quiet: nobody reads its banner, which takes 2 MB to build.
    given = {"without_gossip": True, "without_mingle": True, "quiet": True}
    worker = app.Worker(hostname=f"{node}@", queues=queues, concurrency=2, loglevel="WARNING", **given)
    worker.start()
    sys.exit(worker.exitcode)


def read_port(text: str) -> int:
    """The port as a number, or a sentence."""
    text = text.strip() or "8000"
    if not text.isdecimal() or not 0 < int(text) < 65536:
        raise SystemExit(f'PORT is "{text}"; write a number from 1 to 65535, such as PORT=8001.')
    return int(text)


def names_of_this_machine(host: str) -> list[str]:
    """The names and addresses under which others may ask for the site when it listens on `host`."""
    names = {"127.0.0.1", "localhost", "[::1]", socket.gethostname()}
    if host in ("0.0.0.0", "::"):
        with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            # This sends nothing: it only determines which of our addresses would be used.
            probe.connect(("192.0.2.1", 9))
            names.add(probe.getsockname()[0])
    else:
        names.add(host)
    return sorted(names)


def check_port_is_free(host: str, port: int) -> None:
    """Refuse when another program listens there already: granian would silently share the port with it."""
    bare = host.strip("[]")
    try:
        family, kind, protocol, _, where = socket.getaddrinfo(bare, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(where)
    except socket.gaierror:
        raise GiveUp(
            f'HOST is "{host}", which is no address of this machine; write 127.0.0.1 or 0.0.0.0.'
        ) from None
    except OSError as fault:
        raise GiveUp(
            f"Port {port} of {host} cannot be used ({fault.strerror}): most often another program is there. "
            f"Stop it, or choose another port: make run PORT={port + 1 if port < 65535 else 8001}"
        ) from None


def put_aside(log: Path) -> None:
    """Restart a large log, keeping one copy; its writer has it open, so the file is not moved."""
    if log.is_file() and log.stat().st_size > LARGEST_LOG:
        shutil.copyfile(log, log.with_suffix(".old.log"))
        os.truncate(log, 0)


def show_new(log: Path, shown: int) -> int:
    """Print what was added to a log since `shown` bytes; the new count."""
    if not log.is_file():
        return shown
    with log.open("rb") as file:
        file.seek(shown)
        added = file.read()
    if added:
        sys.stdout.write(added.decode(errors="replace"))
        sys.stdout.flush()
    return shown + len(added)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
