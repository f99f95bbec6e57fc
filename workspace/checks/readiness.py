"""Whether work can be done: checks each thing that the site needs in turn, each with a sentence for anybody.

Machines ask every few seconds and need not sign in. So an answer is kept for a moment, only one thread of a process
asks at a time, and no sentence holds a name of people, an address or a number; the reasons are in the log.
"""

import logging
import os
import shutil
import time
from collections.abc import Callable
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from threading import Lock
from typing import Any

from django.conf import settings
from django.core.files.storage import default_storage
from django.db import Error, connection
from django.utils.functional import Promise
from msgspec import Struct

from workspace.checks.labels import MAY_WAIT, NEEDS, NO_ANSWER, NOT_KNOWN
from workspace.checks.pages import oldest_queued_at
from workspace.checks.queries import load_acts
from workspace.database.append_only import missing_triggers
from workspace.database.squashed import OLDER
from workspace.database.startup_checks import compare_migrations, describe_older
from workspace.jobs.pages import is_worker_alive

# Seconds. Each address of the broker may take half a second to connect and half a second to answer: one second
# altogether.
BROKER_WITHIN = 0.5
KEPT_FOR, KEPT_AT_MOST = 2.0, 10.0
TAKEN_WITHIN = timedelta(minutes=2)
# A process of the version before may serve for so long after the migrations of an update.
UPDATED_WITHIN = timedelta(minutes=10)
MB = 1024 * 1024
logger = logging.getLogger("evalsite.checks")


class Need(Struct, frozen=True):
    is_met: bool
    says: str | Promise


class _Kept:
    lock = Lock()
    at = float("-inf")
    needs: dict[str, Need] = {}


def find_needs(*, now: datetime) -> dict[str, Need]:
    """What the site needs, by name; an answer is reused for two seconds.

    While another thread checks, the last answer counts for ten seconds; after that, something does not answer.
    """
    age = time.monotonic() - _Kept.at
    if age < KEPT_FOR:
        return _Kept.needs
    if not _Kept.lock.acquire(blocking=False):
        return _Kept.needs if age < KEPT_AT_MOST else {"answer": Need(False, NO_ANSWER)}
    try:
        _Kept.needs = _ask_all(now, before=_Kept.needs)
        _Kept.at = time.monotonic()
        return _Kept.needs
    finally:
        _Kept.lock.release()


def forget_needs() -> None:
    _Kept.at, _Kept.needs = float("-inf"), {}


def _ask_all(now: datetime, before: dict[str, Need]) -> dict[str, Need]:
    needs: dict[str, Need] = {}
    for name, ask in QUESTIONS.items():
        met, unmet = NEEDS[name]
        if name in OF_DATABASE and not needs["database"].is_met:
            needs[name] = Need(False, NOT_KNOWN)
            continue
        try:
            reason = ask(now)
            says = (reason if reason == OLDER else unmet % {"acts": reason}) if reason else met
        except (Error, OSError) as fault:
            reason, says = f"{type(fault).__name__}: {fault}", unmet % {"acts": "?"}
        needs[name] = Need(not reason, says)
        was_met = name not in before or before[name].is_met
        if reason and was_met:
            logger.error("not ready: %s: %s", name, reason)
        elif not reason and not was_met:
            logger.warning("ready again: %s", name)
    return needs


def _ask_database(_now: datetime) -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return ""


def _ask_migrations(now: datetime) -> str:
    missing, newer = compare_migrations(connection)
    if missing:
        return describe_older(connection) or f"{missing} migrations are not applied"
    late = [name for name, at in newer.items() if now - at > UPDATED_WITHIN]
    return f"the code is older than the database: it does not know {', '.join(late)}" if late else ""


def _ask_queue(now: datetime) -> str:
    oldest = oldest_queued_at(*MAY_WAIT)
    return "" if oldest is None or now - oldest <= TAKEN_WITHIN else f"a job waits since {oldest:%F %T}"


def _ask_broker(_now: datetime) -> str:
    # Imports cryptography: only a process that gets this request pays for it.
    import redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    client = redis.Redis.from_url(
        settings.REDIS_URL,
        socket_connect_timeout=BROKER_WITHIN,
        socket_timeout=BROKER_WITHIN,
        retry=Retry(NoBackoff(), 0),
    )
    with closing(client):
        try:
            client.ping()
        except redis.RedisError as fault:
            return f"{type(fault).__name__}: {fault}"
    return ""


def _ask_disk(_now: datetime) -> str:
    folders = [Path(settings.MEDIA_ROOT), Path(settings.VAR_DIR)]
    if connection.vendor == "sqlite":
        folders.append(Path(connection.settings_dict["NAME"]).absolute().parent)
    reasons = []
    for folder in folders:
        # The folder for uploads exists after the first upload.
        there = next(path for path in (folder, *folder.parents) if path.is_dir())
        free = shutil.disk_usage(there).free // MB
        if free < settings.DISK_FREE_MB:
            reasons.append(f"{folder} has {free} MB left")
        if not os.access(there, os.W_OK):
            reasons.append(f"{folder} cannot be written")
    return "; ".join(reasons)


def _ask_storage(_now: datetime) -> str:
    bucket: Any = default_storage
    if settings.STORAGE:
        bucket.check()
    return ""


# Each returns the reason for the log, "" when all is well. The database comes before the checks that query it.
QUESTIONS: dict[str, Callable[[datetime], str]] = {
    "database": _ask_database,
    "migrations": _ask_migrations,
    "triggers": lambda _now: ", ".join(missing_triggers(connection)),
    "worker": lambda now: "" if is_worker_alive(now) else "no worker beats or holds a job",
    "queue": _ask_queue,
    "sweep": lambda now: ", ".join(act.name for act in load_acts() if act.is_late(now)),
    "broker": _ask_broker,
    "disk": _ask_disk,
    "storage": _ask_storage,
}
OF_DATABASE = ("migrations", "triggers", "worker", "queue", "sweep")
