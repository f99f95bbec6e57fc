"""Finds a damaged SQLite database before work begins, and describes the damage in a sentence."""

import sqlite3
from pathlib import Path

from django.db import DatabaseError
from django.db.backends.base.base import BaseDatabaseWrapper

# A database of this size is read whole in about a quarter of a second. `verify` and each backup read larger ones.
READ_WHOLE = 256 * 1024 * 1024
DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def find_damage(connection: BaseDatabaseWrapper) -> str:
    """What is damaged and what to do; "" when nothing is found, and for databases other than SQLite.

    Opening it and reading its schema detects a file that is truncated or not of SQLite. A file of up to `READ_WHOLE`
    bytes is read whole.
    """
    if connection.vendor != "sqlite":
        return ""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT COUNT(*) FROM sqlite_master")
            cursor.execute("SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()")
            if cursor.fetchone()[0] > READ_WHOLE:
                return ""
            cursor.execute("PRAGMA quick_check(1)")
            found = cursor.fetchone()[0]
    except DatabaseError as fault:
        if is_damage(fault):
            return describe_damage(connection, str(fault))
        raise
    return "" if found == "ok" else describe_damage(connection, found)


def is_damage(fault: BaseException) -> bool:
    """Whether this error of SQLite means that the file is damaged or not a database."""
    code = getattr(fault.__cause__, "sqlite_errorcode", None)
    return code is not None and code & 0xFF in DAMAGED


def describe_damage(connection: BaseDatabaseWrapper, found: str) -> str:
    """The sentence, with SQLite's message on one line."""
    file = Path(connection.settings_dict["NAME"]).absolute()
    said = " ".join(found.split()).rstrip(".")
    return (
        f"The database {file} is damaged ({said}). No row was changed. Stop the site, move this file and those "
        "beside it that end in -wal and -shm into a folder of their own, and restore the newest backup: "
        "manage.py restore. docs/operations.md says what to do without one."
    )
