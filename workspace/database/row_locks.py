"""Transactions that do not wait for ever for a row that another transaction holds."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.db import OperationalError, connection, transaction

LOCK_NOT_AVAILABLE, DEADLOCK = "55P03", "40P01"


class RowLocked(Exception):
    """Another transaction held a row for longer than this one waits."""


@contextmanager
def waiting_at_most(limit: timedelta) -> Iterator[None]:
    """A transaction in which PostgreSQL waits that long for a lock, then rolls back and raises RowLocked.

    PostgreSQL ends a transaction that is idle for long, but no COPY that waits for its rows: a process that is frozen
    within one holds its locks for as long as it is frozen. SQLite waits for its one writer as always.
    """
    try:
        with transaction.atomic():
            if connection.vendor == "postgresql":
                with connection.cursor() as cursor:
                    milliseconds = f"{limit / timedelta(milliseconds=1):.0f}ms"
                    cursor.execute("SELECT set_config('lock_timeout', %s, true)", [milliseconds])
            yield
    except OperationalError as error:
        if getattr(error.__cause__, "sqlstate", "") == LOCK_NOT_AVAILABLE:
            raise RowLocked from error
        raise
