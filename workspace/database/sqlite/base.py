"""The connection: like Django's own, except that a transaction waits for its turn before it begins.

SQLite has one writer. A writer that finds the file locked asks again after a pause that grows to 100 ms, and one that
comes meanwhile goes first: with eight clients that save, one waited for 2.5 to 3.5 s. Here they wait for one another
before they ask SQLite, the threads of a process by a lock, processes by locks on two small files beside the database
(docs/adr/0026). Turns only order who asks: they neither allow nor prevent a write.
"""

import fcntl
import os
import threading
import time
from contextlib import suppress
from functools import lru_cache
from typing import Any

from django.db import OperationalError
from django.db.backends.sqlite3 import base
from django.db.backends.sqlite3.features import DatabaseFeatures
from django.utils.functional import cached_property

# Ten times as long as anybody waited with eight clients that save (docs/adr/0026).
LONGEST_TURN = 2.0
PAUSE = 0.0005
# Longer statements are bulk inserts, which do not repeat.
LONGEST_KEPT = 4000


class Turns:
    """The turns of one database file in this process; each `take` that succeeds is followed by one `give_back`."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.thread = threading.Lock()
        self._files: tuple[int, int] | None = None

    def take(self, seconds: float) -> bool:
        """Wait for a turn, at most that long; return whether it came."""
        end = time.monotonic() + seconds
        if not self.thread.acquire(timeout=seconds):
            return False
        came = False
        try:
            came = self._wait(end)
        finally:
            if not came:
                self.thread.release()
        return came

    def _wait(self, end: float) -> bool:
        try:
            first_in_line, writer = self._open()
        except OSError:
            # A disk that is full or read-only: SQLite reports it itself, in words that pages recognise.
            return True
        # The first in line writes next: a process that just wrote queues behind it.
        try:
            return _lock(first_in_line, end) and _lock(writer, end)
        finally:
            fcntl.flock(first_in_line, fcntl.LOCK_UN)

    def give_back(self) -> None:
        if self._files is not None:
            fcntl.flock(self._files[1], fcntl.LOCK_UN)
        self.thread.release()

    def _open(self) -> tuple[int, int]:
        if self._files is None:
            names = (f"{self.path}-line", f"{self.path}-turn")
            first_in_line, writer = (os.open(name, os.O_RDWR | os.O_CREAT, 0o600) for name in names)
            self._files = first_in_line, writer
        return self._files

    def close(self) -> None:
        """Close the files, which releases this process's locks on them."""
        for file in self._files or ():
            with suppress(OSError):
                os.close(file)
        self._files = None


def _lock(file: int, end: float) -> bool:
    """Lock the file before that moment; return whether it was free in time."""
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > end:
                return False
            time.sleep(PAUSE)  # noqa: TID251  nothing tells when a file is free, within a time
        else:
            return True


_turns: dict[str, Turns] = {}


def get_turns(path: str) -> Turns:
    """The turns of that database file, the same for all threads of this process."""
    return _turns.setdefault(path, Turns(path))


def _forget() -> None:
    """A fork shares the files of its parent, and with them its locks; it opens its own."""
    for turns in _turns.values():
        turns.close()
    _turns.clear()


os.register_at_fork(after_in_child=_forget)


class Cursor(base.SQLiteCursorWrapper):
    """Like Django's, but it converts each statement for SQLite only once: pages run the same statements all day."""

    def convert_query(self, query: str, *, param_names: list[str] | None = None) -> str:
        if param_names is not None or len(query) > LONGEST_KEPT:
            return super().convert_query(query, param_names=param_names)
        return _convert(query)


@lru_cache(maxsize=512)
def _convert(query: str) -> str:
    return base.FORMAT_QMARK_REGEX.sub("?", query).replace("%%", "%")


class Features(DatabaseFeatures):
    """Like Django's, but nobody is waited for: a transaction would wait for the demo that fills the database."""

    @cached_property
    def supports_json_field(self) -> bool:  # type: ignore[override]
        try:
            with self.connection.cursor() as cursor:
                cursor.execute("SELECT JSON('{}')")
        except OperationalError:
            return False
        return True


class DatabaseWrapper(base.DatabaseWrapper):
    """Transactions of a file begin in turn, and give the turn back when they end, however they end.

    A transaction that waits longer than LONGEST_TURN begins without a turn: a process that was stopped may hold it, and
    SQLite's own lock decides who writes.
    """

    features_class = Features

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._turn: Turns | None = None

    def create_cursor(self, name: str | None = None) -> Any:
        return self.connection.cursor(factory=Cursor)

    def _start_transaction_under_autocommit(self) -> None:
        if self._turn is None and not self.is_in_memory_db():
            turns = get_turns(os.fspath(self.settings_dict["NAME"]))
            self._turn = turns if turns.take(LONGEST_TURN) else None
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]
        except BaseException:
            self._give_back()
            raise

    def _commit(self) -> None:
        super()._commit()  # type: ignore[misc]
        self._give_back()

    def _rollback(self) -> None:
        try:
            super()._rollback()  # type: ignore[misc]
        finally:
            self._give_back()

    def _close(self) -> None:
        try:
            super()._close()  # type: ignore[misc]
        finally:
            self._give_back()

    def _give_back(self) -> None:
        if self._turn is not None:
            turn, self._turn = self._turn, None
            turn.give_back()
