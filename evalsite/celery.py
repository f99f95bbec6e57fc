"""The Celery application: settings from Django, tasks from the apps. A message only says "look at job N"."""

import ctypes
import os
import resource
import signal
from contextlib import suppress
from functools import cache
from time import process_time
from typing import Any

from celery import Celery, platforms
from celery.beat import EmbeddedService
from celery.bootsteps import StartStopStep
from celery.signals import task_postrun, task_prerun, worker_init, worker_process_init
from kombu.exceptions import OperationalError

from evalsite.environment import read_settings
from evalsite.memory import give_memory_back, spare_the_collector, trim_memory

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalsite.settings")
os.environ.setdefault("CELERY_SKIP_CHECKS", "true")  # a worker makes sure by itself, below

_trimmed_at = [0.0]  # processor time of this process
PR_SET_PDEATHSIG = 1


def end_with_worker(name: str) -> None:
    """Ask Linux to send this process the signal when the worker ends; do nothing on other systems.

    It replaces billiard's function, for which cffi parses a declaration in C: 2 MB in each process of a pool.
    """
    libc = ctypes.CDLL(None)
    if hasattr(libc, "prctl"):
        libc.prctl(PR_SET_PDEATHSIG, int(getattr(signal, name)), 0, 0, 0)


platforms.set_pdeathsig = end_with_worker
app = Celery("evalsite")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


class Beat(StartStopStep):
    """Celery's beat in every worker: it sends what `CELERY_BEAT_SCHEDULE` holds, the first time at once.

    A thread, since the process that `celery worker --beat` forks may end without anybody noticing, and takes memory.
    It begins when the pool's processes are forked.
    """

    requires = ("celery.worker.components:Pool",)

    def start(self, worker: Any) -> None:
        for entry in app.conf.beat_schedule.values():
            # Without a broker there is nothing to take; the next one comes soon.
            with suppress(OperationalError):
                app.send_task(entry["task"], kwargs={"is_first": True}, retry=False)
        self.beat = EmbeddedService(worker.app, thread=True, scheduler_cls="celery.beat:Scheduler")
        self.beat.start()

    def stop(self, worker: Any) -> None:
        """Send no more; do not wait for a broker that is away."""
        self.beat.service.stop(wait=False)


app.steps["worker"].add(Beat)


@app.on_configure.connect
def _read_settings(**_given: object) -> None:
    read_settings()


@worker_init.connect
def _check_startup(**_given: object) -> None:
    from evalsite.start import end_unless_ready

    give_memory_back()
    end_unless_ready()
    load_actions()
    spare_the_collector()


def load_actions() -> None:
    """Load what jobs and sweeps call, before the worker forks: its pool's processes then share that memory.

    It also compiles the patterns of the newest rubric version, which takes as long as measuring 30 games.
    """
    from django.conf import settings
    from django.utils.module_loading import import_string

    from discussions.metrics.core.parameters import get_parameters
    from rubric.versions.queries import discussion_version

    for action in (*settings.JOB_ACTIONS.values(), *settings.SWEEP_ACTIONS, *settings.FAILED_JOB_ACTIONS):
        import_string(action)
    get_parameters(discussion_version())


@task_prerun.connect
def _check_connections(task: Any, **_given: object) -> None:
    """As Django does before a request, stop using a connection that is old or broken. Callers keep their own."""
    from django.db import close_old_connections

    if not task.request.is_eager:
        close_old_connections()


@task_postrun.connect
def _trim_memory(task: Any, **_given: object) -> None:
    """Trim memory after a quarter second of work: it takes some 5 ms, which would slow down many small jobs.

    A connection to SQLite holds pages of the database. Celery opens another for the next job anyway.
    """
    from django.db import connection

    if process_time() - _trimmed_at[0] < 0.25:
        return
    if connection.vendor == "sqlite" and not task.request.is_eager:
        connection.close()
    trim_memory()
    _trimmed_at[:] = [process_time()]


@worker_process_init.connect
def _limit_memory(**_given: object) -> None:
    """A job that needs more memory than a worker may use fails alone; the machine and other jobs continue.

    The limit counts the process's own data, not files that it maps, nor libraries. Systems without it have no limit.
    """
    from django.conf import settings

    wanted = settings.WORKER_MEMORY_MB * 1024 * 1024
    _soft, most = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(
        resource.RLIMIT_DATA, (wanted if most == resource.RLIM_INFINITY else min(wanted, most), most)
    )


def hurry() -> None:
    """For processes that answer pages: no page waits more than a second (two tries) for a broker that is away or hangs.

    The first page that queues a job does not wait for the needed modules to load, either.
    """
    app.conf.broker_transport_options = app.conf.broker_transport_options | {"socket_timeout": 0.5}
    load_broker()


@cache
def load_broker() -> None:
    """Load what the first message would load; it connects to nothing."""
    with app.connection_for_write() as unopened:
        assert unopened.transport
    assert app.amqp.queues is not None
    assert app.backend is not None  # looks for it among all installed packages
