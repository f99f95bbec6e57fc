"""Transactions: one moment for many reads, acts that fail alone, locks that end, and one clock for all workers."""

import logging
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Concatenate, ParamSpec, TypeVar

from celery.exceptions import SoftTimeLimitExceeded
from django.db import Error, OperationalError, connection, transaction
from django.utils import timezone

# Django begins SQLite's transactions as IMMEDIATE, which would keep everybody else from saving until the end.
BEGIN = {"postgresql": "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", "sqlite": "BEGIN DEFERRED"}


@contextmanager
def snapshot() -> Iterator[None]:
    """All reads inside see one moment; nothing can be written. Inside a transaction, reads see that transaction."""
    if connection.in_atomic_block:
        yield
        return
    # In one transaction the cursors of the server last, behind a pooler, too: all rows need not be in memory at once.
    options = connection.settings_dict
    is_pooled = options.get("DISABLE_SERVER_SIDE_CURSORS", False)
    with connection.cursor() as cursor:
        cursor.execute(BEGIN[connection.vendor])
    try:
        options["DISABLE_SERVER_SIDE_CURSORS"] = False
        allow_long_pauses()
        yield
    finally:
        options["DISABLE_SERVER_SIDE_CURSORS"] = is_pooled
        with connection.cursor() as cursor:
            cursor.execute("ROLLBACK")


def allow_long_pauses() -> None:
    """Let the present transaction compute between two statements for as long as it takes.

    PostgreSQL ends other transactions after 30 s without a statement: a process that locks rows for so long may have
    hung.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")


Write = Callable[[Callable[[], None]], None]


@contextmanager
def snapshot_and_writes() -> Iterator[Write]:
    """A snapshot, and a function that runs a write meanwhile, in its own thread with its own connection."""
    if connection.in_atomic_block:
        yield lambda act: act()
        return
    with ThreadPoolExecutor(1) as thread:
        try:
            with snapshot():
                yield lambda act: thread.submit(act).result()
        finally:
            thread.submit(_close).result()


def _close() -> None:
    # Each thread has its own `connection`, so it is looked up in the calling thread.
    connection.close()


logger = logging.getLogger("evalsite.acts")
Item = TypeVar("Item")
Given = ParamSpec("Given")


def do_each(
    act: Callable[Concatenate[Item, Given], int],
    items: Iterable[Item],
    *given: Given.args,
    **named: Given.kwargs,
) -> int:
    """Do the act for each of the items, with what else is given; return the sum of what it returns.

    An item that fails is logged with its traceback, and the others are done; after the last one, the first failure is
    raised. If the database is away or the time is over, no further item is tried.
    """
    total, failures = 0, []
    for item in items:
        try:
            total += act(item, *given, **named)
        except SoftTimeLimitExceeded:
            raise
        except Exception as fault:
            if isinstance(fault, Error) and (connection.connection is None or not connection.is_usable()):
                raise
            logger.exception("%s failed for %r; the others are done", act.__name__, item)
            failures.append(fault)
    if failures:
        raise failures[0]
    return total


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


def database_now() -> datetime:
    """The present moment by the database's clock; with SQLite, which runs on this machine, by the machine's clock."""
    if connection.vendor != "postgresql":
        return timezone.now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        moment: datetime = cursor.fetchone()[0]
    return moment
