"""Reading many tables as they were at one moment, while others go on writing; transactions that compute for long."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from django.db import connection

# Django begins SQLite's transactions as IMMEDIATE ones, which would keep everybody from saving until the end.
BEGIN = {"postgresql": "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", "sqlite": "BEGIN DEFERRED"}


@contextmanager
def snapshot() -> Iterator[None]:
    """All reading inside sees one moment; nothing can be written. Inside a transaction that one is what is seen."""
    if connection.in_atomic_block:
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute(BEGIN[connection.vendor])
    try:
        allow_long_pauses()
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("ROLLBACK")


def allow_long_pauses() -> None:
    """Let the present transaction compute between two statements for as long as it takes.

    PostgreSQL ends others after 30 s without a statement: whoever holds rows for so long may have stopped.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")


Write = Callable[[Callable[[], None]], None]


@contextmanager
def snapshot_and_writes() -> Iterator[Write]:
    """A snapshot, and a function that runs a write meanwhile: by a connection of its own, in a thread of its own."""
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
    # `connection` is another one in each thread, so it is looked up in the thread that calls.
    connection.close()
