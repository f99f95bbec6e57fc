"""What the rows depend on: effective SQLite settings, triggers that guard evidence, time limits that fit together.

Registered as system checks (`workspace.apps`), so that `manage.py check`, `migrate` and the start of every process run
the same ones. The checks ask the database itself instead of trusting the settings.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from django.apps import apps
from django.conf import settings
from django.core.checks import WARNING, CheckMessage, Error
from django.db import DatabaseError, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from workspace.database.append_only import missing_triggers
from workspace.database.damage import find_damage
from workspace.database.squashed import OLDER, REPLACED, has_all_replaced, is_before_squash

WAL, FULL, ON, WAIT_MS = "wal", 2, 1, 5000


def check_databases(databases: Sequence[str] | None = None, **_given: Any) -> list[CheckMessage]:
    """Faults of the named databases (database checks run only when one is named)."""
    found: list[CheckMessage] = []
    for alias in databases or ():
        connection = connections[alias]
        try:
            if damage := find_damage(connection):
                found.append(Error(damage, id="evalsite.E005"))
                continue
            if missing_migrations(connection):
                if older := describe_older(connection):
                    found.append(Error(older, id="evalsite.E006"))
                continue
            found += pragma_faults(connection) + trigger_faults(connection)
            if newer := describe_newer(connection):
                found.append(CheckMessage(WARNING, newer, id="evalsite.W001"))
        except DatabaseError as fault:
            found.append(Error(f"The database does not answer: {fault}", id="evalsite.E001"))
    return found


def missing_migrations(connection: BaseDatabaseWrapper) -> int:
    """How many migrations the database is behind the code; all of them when it has no tables. Costs one query."""
    return compare_migrations(connection)[0]


def compare_migrations(connection: BaseDatabaseWrapper) -> tuple[int, dict[str, datetime]]:
    """How many migrations are missing; and those that newer code has applied and this code does not know, with when."""
    known, installed = known_migrations(), {app.label for app in apps.get_app_configs()}
    applied = MigrationRecorder(connection).applied_migrations()
    missing = _find_migrations() - applied.keys() - has_all_replaced(applied.keys())
    # Apps that were removed leave rows behind.
    newer = {key: row for key, row in applied.items() if key[0] in installed and key not in known}
    return len(missing), {".".join(key): newer[key].applied for key in sorted(newer)}


def describe_older(connection: BaseDatabaseWrapper) -> str:
    """Say that the database is of before the squash of the migrations, and what to do; "" if it is not."""
    return OLDER if is_before_squash(MigrationRecorder(connection).applied_migrations().keys()) else ""


def describe_newer(connection: BaseDatabaseWrapper) -> str:
    """Say that the code is older than the database, and what to do; "" if it is not."""
    _missing, newer = compare_migrations(connection)
    if not newer:
        return ""
    return (
        f"The code is older than the database: it does not know {len(newer)} of the applied migrations, such as "
        f"{next(iter(newer))}. What it saves may lack what the newer code relies on. Install the newer version again, "
        "or restore the backup that was made before the update: migrations are not undone."
    )


def known_migrations() -> frozenset[tuple[str, str]]:
    """Those of the files, and those that they replace."""
    return _find_migrations() | REPLACED


@cache
def _find_migrations() -> frozenset[tuple[str, str]]:
    """Found by file names: Django's loader imports them, which takes a second and stays in memory."""
    return frozenset((app.label, name) for app in apps.get_app_configs() for name in _names(app.label))


def _names(label: str) -> Iterator[str]:
    with suppress(ModuleNotFoundError):  # an app without migrations
        package = import_module(str(MigrationLoader.migrations_module(label)[0]))
        names = (module.name for module in iter_modules(package.__path__) if not module.ispkg)
        yield from (name for name in names if name[0] not in "_~")


def pragma_faults(connection: BaseDatabaseWrapper) -> list[CheckMessage]:
    """What is wrong with SQLite's settings on this connection; nothing for other databases."""
    if connection.vendor != "sqlite":
        return []
    wanted = {"journal_mode": WAL, "synchronous": FULL, "foreign_keys": ON}
    found: list[CheckMessage] = []
    with connection.cursor() as cursor:
        for name, value in wanted.items():
            cursor.execute(f"PRAGMA {name}")
            is_so = cursor.fetchone()[0]
            if is_so != value:
                found.append(_pragma(name, is_so, str(value)))
        cursor.execute("PRAGMA busy_timeout")
        waits = cursor.fetchone()[0]
        if waits < WAIT_MS:
            found.append(_pragma("busy_timeout", waits, f"{WAIT_MS} or more"))
    if getattr(connection, "transaction_mode", None) != "IMMEDIATE":
        found.append(_pragma("transaction mode", getattr(connection, "transaction_mode", None), "IMMEDIATE"))
    return found


def trigger_faults(connection: BaseDatabaseWrapper) -> list[CheckMessage]:
    """Missing triggers on tables where evidence must not change."""
    missing = missing_triggers(connection)
    if not missing:
        return []
    return [
        Error(
            f"The database lost triggers that keep evidence from being changed: {', '.join(missing)}.",
            hint="Repeat the ForbidChange of the table in a new migration; see workspace/database/append_only.py.",
            id="evalsite.E003",
        )
    ]


def check_time_limits(**_given: Any) -> list[CheckMessage]:
    """A task must end long before its message is delivered to another worker."""
    limit = settings.CELERY_TASK_TIME_LIMIT
    visible = settings.CELERY_BROKER_TRANSPORT_OPTIONS["visibility_timeout"]
    if limit * 2 < visible:
        return []
    said = f"Tasks may run {limit} s, but messages come back after {visible} s: work could run twice at once."
    return [Error(said, hint="Keep the time limit below half of the visibility timeout.", id="evalsite.E004")]


def _pragma(name: str, value: object, wanted: str) -> CheckMessage:
    said = f"SQLite runs with {name} {value}; saves are only safe with {wanted}."
    return Error(said, hint="Take what sets it out of DATABASE_URL and settings.", id="evalsite.E002")
