"""The connection: like Django's own, except that a transaction waits for its turn before it begins."""

import os
from functools import lru_cache
from typing import Any

from django.db import OperationalError
from django.db.backends.sqlite3 import base
from django.db.backends.sqlite3.features import DatabaseFeatures
from django.utils.functional import cached_property

from workspace.database.sqlite.turns import Turns, get_turns

# Ten times as long as anybody waited with eight clients that save (docs/adr/0026).
LONGEST_TURN = 2.0


# Longer statements are bulk inserts, which do not repeat.
LONGEST_KEPT = 4000


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
