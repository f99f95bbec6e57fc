"""Serves the site by granian: `python -m evalsite.server [--host ADDRESS] [--port NUMBER] [--workers NUMBER]`.

The site is loaded before granian forks its workers: they share its memory, and one that fails is replaced at once.
When granian's main process is gone, they finish what they are answering and end (docs/adr/0003).
"""

import argparse
import os
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from tempfile import mkdtemp
from threading import Thread
from typing import Any

from django.conf import settings
from granian import Granian
from granian.constants import HTTPModes, Interfaces
from granian.log import LogLevels

# Granian configures logging in every process. Only its level is set: its messages go where all messages go.
LOGGING = {"version": 1, "incremental": True, "handlers": {}, "loggers": {}}
STOPPING = 5  # seconds that a worker has to finish what it is answering


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m evalsite.server", description="Serves the site.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument(
        "--workers", type=int, default=count_cores(), help="processes; by default one for each core"
    )
    given = parser.parse_args(arguments)
    import evalsite.wsgi  # noqa: F401  the whole site, and its checks, before the workers are forked
    from evalsite.preload import load_pages

    load_pages()
    serve(given.host, given.port, given.workers)


def serve(host: str, port: int, workers: int) -> None:
    """Serve in that many processes until told to stop. They share everything that is loaded by now."""
    import evalsite.wsgi  # noqa: F401  what is missing of it, before the workers are forked

    granian = Granian(
        "evalsite.rsgi:application",
        address=host,
        port=port,
        interface=Interfaces.RSGI,
        http=HTTPModes.http1,
        workers=workers,
        websockets=False,
        respawn_failed_workers=True,
        respawn_interval=0.5,
        workers_kill_timeout=STOPPING,
        log_level=LogLevels.warning,
        log_dictconfig=LOGGING,
    )
    with count_together():
        granian.serve(target_loader=partial(_load, os.pipe()), wrap_loader=False)


@contextmanager
def count_together() -> Iterator[None]:
    """If the site counts for Prometheus, let all processes that are forked within the block count into one folder.

    So each process can report the sums. The folder is this server's own: one on the network would be slow.
    """
    if not settings.METRICS_TOKEN:
        yield
        return
    folder = os.environ["PROMETHEUS_MULTIPROC_DIR"] = mkdtemp(prefix="evalsite-metrics-")
    try:
        yield
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def count_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _load(pipe: tuple[int, int]) -> Any:
    reading, writing = pipe
    os.close(writing)  # so that only the main process has it, and the pipe ends with it
    # Until granian sets its own: the inherited handlers of the main process would only record the request to end.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    Thread(target=_end_after, args=(reading,), name="main process", daemon=True).start()
    from evalsite.rsgi import application  # its threads are the worker's own: a fork has none of its parent's

    return application


def _end_after(pipe: int) -> None:
    """End this worker when the main process is gone, as that would have done; an orphan would continue to serve."""
    os.read(pipe, 1)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(STOPPING)
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main()
