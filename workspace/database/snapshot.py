"""Reads many tables as they were at one moment, while others go on writing; and lets transactions compute for long."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from django.db import connection

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
