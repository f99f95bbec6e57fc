"""The site's settings for a process that kills itself at a named moment: before a COMMIT, or after it.

`FAULT_MOMENT` names a file; while it is there, it holds the moment, and the process that meets it takes it away first.
"""

import contextlib
import os
import signal
from pathlib import Path

from django.db.backends.base.base import BaseDatabaseWrapper

from tests.site_settings import *  # noqa: F403

# The sweep notes what it did: it would meet the moment that is meant for a job. Tests sweep themselves.
CELERY_BEAT_SCHEDULE: dict[str, object] = {}
_real = BaseDatabaseWrapper._commit
_order = Path(os.environ["FAULT_MOMENT"])


def _die_if(moment: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        if _order.read_text() == moment:
            _order.unlink()
            os.kill(os.getpid(), signal.SIGKILL)


def _commit(self: BaseDatabaseWrapper) -> object:
    """As Django does it. What is to be done after the commit, such as ringing for a job, comes later still."""
    _die_if("before COMMIT")
    done = _real(self)
    _die_if("after COMMIT")
    return done


BaseDatabaseWrapper._commit = _commit
