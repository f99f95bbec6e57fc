"""What `make run` lets Celery work on: the site's app, whose pool processes cannot outlive the worker."""

import os
import warnings

from celery.platforms import SecurityWarning
from celery.signals import worker_process_init

from evalsite.celery import app
from tools.processes import die_with_parent

__all__ = ["app"]
_WORKER = os.getpid()  # what its pool processes are forked from

# Root in a container of one's own is no news; in production the worker has a user of its own (deploy/).
warnings.filterwarnings("ignore", category=SecurityWarning)


@worker_process_init.connect
def _tie_to_worker(**_: object) -> None:
    is_forked = os.getpid() != _WORKER
    die_with_parent(parent=_WORKER if is_forked else None)
