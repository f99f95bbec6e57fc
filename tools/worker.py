"""The Celery app of `make run`: the site's app, with pool processes that cannot outlive the worker."""

import os
import warnings

from celery.platforms import SecurityWarning
from celery.signals import worker_init, worker_process_init

from evalsite.celery import app
from tools.processes import die_with_parent

__all__ = ["app"]
WORKER = "EVALSITE_WORKER"  # id of the process that forks the pool processes

# Running as root in a container needs no warning; in production the worker has its own user (deploy/).
warnings.filterwarnings("ignore", category=SecurityWarning)


@worker_init.connect
def _remember_worker(**_: object) -> None:
    os.environ[WORKER] = str(os.getpid())


@worker_process_init.connect
def _tie_to_worker(**_: object) -> None:
    worker = int(os.environ[WORKER])
    die_with_parent(parent=None if worker == os.getpid() else worker)
