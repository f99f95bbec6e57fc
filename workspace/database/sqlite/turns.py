"""Whose turn it is to write: threads and processes that share an SQLite file write one after the other.

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

PAUSE = 0.0005


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
