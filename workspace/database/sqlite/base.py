"""The connection: as Django's own, save that a transaction waits for its turn before it begins."""

import os
from typing import Any

from django.db import OperationalError
from django.db.backends.sqlite3 import base

from workspace.database.sqlite.turns import Turns, get_turns

SECONDS = 5.0  # as sqlite3 waits when no timeout is given


class DatabaseWrapper(base.DatabaseWrapper):
    """Transactions of a file begin in turn, and give the turn back when they end, however they end."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._turn: Turns | None = None

    def _start_transaction_under_autocommit(self) -> None:
        if self._turn is None and not self.is_in_memory_db():
            turns = get_turns(os.fspath(self.settings_dict["NAME"]))
            if not turns.take(self.settings_dict["OPTIONS"].get("timeout", SECONDS)):
                raise OperationalError("database is locked: others wrote all the time")
            self._turn = turns
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
