"""Memory that work needed goes back to the system, so that one large import does not stay for ever."""

import os
import platform
import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest

from evalsite.celery import _trim_memory

PROGRAM = """
import sys
from evalsite.memory import give_memory_back

def held():
    return int(open("/proc/self/statm").read().split()[1]) * 4096 // 2**20

if sys.argv[1] == "given back":
    give_memory_back()
blocks = [b"x" * 2**20 for _ in range(100)]
blocks = None
before = held()
blocks = [b"x" * 2**20 for _ in range(100)]
last = blocks[-1]
blocks = None
print(held() - before)
"""


def grown(how):
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, how], stdout=subprocess.PIPE, text=True, check=True
    )
    return int(ended.stdout)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_large_blocks_go_back_to_the_system_when_one_of_them_stays():
    assert grown("given back") <= 5


@pytest.mark.parametrize(
    ("worked", "is_eager", "done"),
    [(0.2, False, []), (0.3, False, ["closed", "trimmed"]), (0.3, True, ["trimmed"])],
)
def test_after_some_work_a_job_keeps_no_pages_of_sqlite_and_no_free_memory(
    worked, is_eager, done, monkeypatch
):
    acts = []
    held = SimpleNamespace(vendor="sqlite", close=lambda: acts.append("closed"))
    monkeypatch.setattr("django.db.connection", held)
    monkeypatch.setattr("evalsite.celery.trim_memory", lambda: acts.append("trimmed"))
    monkeypatch.setattr("evalsite.celery._trimmed_at", [10.0])
    monkeypatch.setattr("evalsite.celery.process_time", lambda: 10 + worked)
    for _ in range(2):
        _trim_memory(task=SimpleNamespace(request=SimpleNamespace(is_eager=is_eager)))
    assert acts == done


LOADED = """
import ctypes, sys
from evalsite.preload import load

load()
from celery import platforms

platforms.set_pdeathsig("SIGTERM")
asked = ctypes.c_int()
ctypes.CDLL(None).prctl(2, ctypes.byref(asked))  # PR_GET_PDEATHSIG
print(asked.value, *(name for name in ("pycparser", "cffi.cparser") if name in sys.modules))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks Linux")
def test_processes_of_a_pool_end_with_their_worker_without_a_parser_of_c():
    said = subprocess.run([sys.executable, "-c", LOADED], stdout=subprocess.PIPE, text=True, check=True)
    assert said.stdout.split() == [str(int(signal.SIGTERM))]


LOADING = ("a program that asks", "a server that forks", "a worker")
STARTED = """
import os, sys
from evalsite.preload import load, load_pages, make_handler

load(), load_pages(), make_handler()
from django.core.checks import Tags
from django.core.checks.registry import registry
from django.urls import resolve, reverse
from evalsite import start

def loaded():
    return [name for name in ("evalsite.api", "ninja", "pydantic", "django.test") if name in sys.modules]

# The database is empty.
start.missing_migrations = lambda _connection: 0
checks = [check for check in registry.get_checks() if Tags.database not in check.tags]
registry.get_checks = lambda: checks
reverse("home"), resolve("/projects/"), resolve("/api/")
for what in sys.argv[1:]:
    if os.fork():
        assert os.wait()[1] == 0, what
        continue
    print(loaded())
    if what == "a program that asks":
        assert resolve("/api/v1/projects/demo/games/7/").view_name == "api:api_game"
        assert reverse("api:api_game", args=["demo", 7]) == "/api/v1/projects/demo/games/7/"
    elif what == "a server that forks":
        import evalsite.wsgi
    else:
        start.end_unless_ready()
    print(loaded(), flush=True)
    os._exit(0)
"""


@pytest.fixture(scope="module")
def started(tmp_path_factory):
    """What each has loaded, before and after its own: forks of one process that has loaded what all three load."""
    env = os.environ | {"VAR_DIR": str(tmp_path_factory.mktemp("started"))}
    program = [sys.executable, "-c", STARTED, *LOADING]
    ended = subprocess.run(program, env=env, stdout=subprocess.PIPE, text=True, check=True)
    said = ended.stdout.splitlines()
    return dict(zip(LOADING, zip(said[::2], said[1::2], strict=True), strict=True))


@pytest.mark.parametrize("loads", LOADING)
def test_the_api_is_loaded_for_programs_and_by_a_server_that_then_forks(loads, started):
    api = [] if loads == "a worker" else ["evalsite.api", "ninja", "pydantic", "django.test"]
    assert started[loads] == ("[]", str(api))


SAID = """
import logging.config
from django.conf import settings
from evalsite.environment import read_settings
read_settings()
logging.config.dictConfig(settings.LOGGING)
from granian.log import LogLevels, configure_logging, logger
from evalsite.server import LOGGING
configure_logging(LogLevels.warning, LOGGING)
logger.info("unheard"), logger.warning("a worker fell")
"""


def test_what_granian_says_goes_where_everything_goes():
    said = subprocess.run([sys.executable, "-c", SAID], capture_output=True, text=True, check=True)
    assert said.stdout == ""
    assert "a worker fell" in said.stderr
    assert "_granian" in said.stderr
    assert "unheard" not in said.stderr


GAPS = """
import ctypes, sys
from evalsite.memory import fill_gaps

libc, size = ctypes.CDLL(None), 600
libc.malloc.restype, libc.free.argtypes = ctypes.c_size_t, [ctypes.c_size_t]
blocks = [libc.malloc(size) for _ in range(2000)]
for block in blocks[::2]:
    libc.free(block)
if sys.argv[1] == "filled":
    fill_gaps()
print(sum(min(blocks) < libc.malloc(size) < max(blocks) for _ in range(500)))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="asks glibc")
def test_what_a_fork_stores_lies_beyond_what_is_loaded():
    said = {
        how: int(subprocess.run([sys.executable, "-c", GAPS, how], stdout=subprocess.PIPE, check=True).stdout)
        for how in ("as it is", "filled")
    }
    assert said["as it is"] > 400
    assert said["filled"] < 50
