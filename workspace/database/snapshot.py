"""Reading many tables as they were at one moment, while others go on writing."""

from collections.abc import Iterator
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
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("ROLLBACK")
