"""Worlds that many tests begin with: the real actions make each once in a process, later tests get the same rows.

A factory under `@replayed` runs as it is the first time. What it did is kept: its SQL statements, its uploads and what
it returned. Where another test calls it with the same arguments on the same rows, the statements are run again, which
is ten times as fast. Ids and hashes are then the same, too.

"The same rows" is checked: a test's database is known as long as it holds what migrations left, what replayed
factories wrote in this test, and who signed in. SQLite counts every row that is written; when anything else wrote one,
or a savepoint ended, the rows are unknown until the test ends, and factories run as they are. They also do on
PostgreSQL, in tests that commit, in modules that share rows, and where a test changed settings or patched code. A test
that patched plain values alone, such as numbers of a module, gets the worlds of tests that patched the same.
"""

import pickle
import sys
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import wraps
from itertools import count
from types import ModuleType
from typing import Any, ParamSpec, TypeVar

from django.conf import UserSettingsHolder, settings
from django.db import connection
from django.db.models import Model

from discussions.models import Transcript
from workspace.blob_store import load_bytes, store_bytes

P = ParamSpec("P")
R = TypeVar("R")
# So many recordings are kept: most tests of a file come one after the other, and a recording may take a megabyte.
KEPT = 600
WRITES = ("INSERT", "UPDATE", "DELETE")
READS = ("SELECT", "SAVEPOINT", "RELEASE")
# What a test set, as pytest keeps it: attributes as (object, name, value before), and items of mappings.
Patches = tuple[list[tuple[Any, str, Any]], list[Any]]
PLAIN = (str, bytes, int, float, Decimal, Fraction, date, timedelta, type(None))
# Where uploads go says nothing about rows.
PLACES = {"MEDIA_ROOT", "VAR_DIR"}


class Unknown(Exception):
    """It is not known which rows there are, or which arguments these are."""


@dataclass(frozen=True)
class Recording:
    """What a factory did. `number` names the state of the database after it, which no other has."""

    number: int
    statements: list[tuple[str, Any, bool]]
    rows: int
    uploads: list[bytes]
    returned: bytes


class Replays:
    """The recordings of this process, and what is known of the running test's database."""

    def __init__(self) -> None:
        self.kept: OrderedDict[Hashable, Recording] = OrderedDict()
        self.numbers = count(1)
        self.sign_ins: dict[Hashable, int] = {}
        self.migrated: list[tuple[str, int]] | None = None
        self.state: Hashable = None  # MIGRATED, or how the last factory left the database; None: unknown
        self.began = 0
        self.list_patches: Callable[[], Patches] = lambda: ([], [])

    def note_migrated(self) -> None:
        """Every test begins with the rows that are there now."""
        self.migrated = _sequences() if connection.vendor == "sqlite" else None

    def begin(self, *, list_patches: Callable[[], Patches]) -> None:
        """A test begins. `list_patches` says what it has patched by then."""
        self.state, self.list_patches = MIGRATED, list_patches
        # Where there is no connection yet, the rows that its first use writes make this one test's rows unknown.
        self.began = _count_rows() if connection.connection and connection.vendor == "sqlite" else 0

    def end(self) -> None:
        """A test ended, or does what a replay would not show."""
        self.state = None

    def sign_in(self, pk: int, write: Callable[[], None]) -> None:
        """Write that a person signed in: no factory reads the session's key and moment, so the rows stay known."""
        try:
            came_after = self._find_state()
        except Unknown:
            write()
        else:
            write()
            number = self.sign_ins.setdefault((came_after, pk), next(self.numbers))
            self.state = (number, *_place())

    def call(self, factory: Callable[..., Any], given: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """What the factory returns, with its rows in the database."""
        try:
            called = (factory.__module__, factory.__qualname__, _key(given), _key(named))
            key = (self._find_state(), _find_patched(*self.list_patches()), *called)
        except Unknown:
            return factory(*given, **named)
        if recording := self.kept.get(key):
            _write_again(recording)
            returned = pickle.loads(recording.returned)
        else:
            returned, recording = self._record(factory, given, named)
            if recording is None:
                self.end()
                return returned
            self.kept[key] = recording
            if len(self.kept) > KEPT:
                self.kept.popitem(last=False)
        self.kept.move_to_end(key)
        self.state = (recording.number, *_place())
        return returned

    def _find_state(self) -> Hashable:
        """The number of the recording that led to what is in the database, 0 for none. Raises Unknown."""
        if self.state is None or self.migrated is None or not connection.in_atomic_block:
            raise Unknown
        if _changed_settings() - PLACES:
            raise Unknown
        if self.state == MIGRATED:
            if _count_rows() != self.began or _sequences() != self.migrated:
                self.end()
                raise Unknown
            return 0
        number, *place = self.state
        if tuple(place) != _place():
            raise Unknown
        return number

    def _record(
        self, factory: Callable[..., Any], given: tuple[Any, ...], named: dict[str, Any]
    ) -> tuple[Any, Recording | None]:
        """What the factory returned, and its recording; None where it did what cannot be written again."""
        statements: list[tuple[str, Any, bool]] = []
        is_whole = True

        def listen(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
            nonlocal is_whole
            word = sql.split(None, 1)[0].upper()
            if word in WRITES:
                params = list(params) if many else params
                statements.append((sys.intern(sql), params, many))
            elif word not in READS:
                is_whole = False
            return execute(sql, params, many, context)

        last = _find_newest_upload()
        began = _count_rows()
        with connection.execute_wrapper(listen):
            returned = factory(*given, **named)
        if not is_whole:
            return returned, None
        newer = Transcript.objects.filter(pk__gt=last).order_by("pk") if _find_newest_upload() > last else []
        uploads = [load_bytes(upload.sha256) for upload in newer]
        rows = _count_rows() - began
        kept = pickle.dumps(returned)
        return returned, Recording(next(self.numbers), statements, rows, uploads, kept)


MIGRATED = "migrated"
replays = Replays()


def replayed(factory: Callable[P, R]) -> Callable[P, R]:
    """This factory, made once for tests that call it alike on the same rows.

    It depends on nothing else, and changes no object that it is given: only what it returns and stores comes again.
    """

    @wraps(factory)
    def call(*given: P.args, **named: P.kwargs) -> R:
        return replays.call(factory, given, named)

    return call


def _key(value: Any) -> Hashable:
    """Equal for equal arguments. Raises Unknown for what may be equal and mean something else."""
    if isinstance(value, Model) and value.pk:
        return (value._meta.label, value.pk)
    if isinstance(value, PLAIN):
        return (type(value), value)
    if isinstance(value, list | tuple):
        return (type(value), tuple(map(_key, value)))
    if isinstance(value, dict):
        return (dict, tuple((_key(name), _key(item)) for name, item in value.items()))
    raise Unknown


def _find_patched(attributes: list[tuple[Any, str, Any]], items: list[Any]) -> Hashable:
    """Equal where modules and classes were given the same plain values. Raises Unknown for any other patch."""
    if items or not all(isinstance(owner, ModuleType | type) for owner, _name, _before in attributes):
        raise Unknown
    return frozenset(
        (getattr(owner, "__module__", ""), owner.__name__, name, _key(getattr(owner, name, Unknown)))
        for owner, name, _before in attributes
    )


def _write_again(recording: Recording) -> None:
    began = _count_rows()
    for data in recording.uploads:
        store_bytes(data)
    with connection.cursor() as cursor:
        for sql, params, many in recording.statements:
            (cursor.executemany if many else cursor.execute)(sql, params)
            if cursor.description:
                cursor.fetchall()
    assert _count_rows() - began == recording.rows, "the factory wrote other rows when it was recorded"


def _place() -> tuple[Hashable, ...]:
    """What is another after any write, and after the end of a savepoint."""
    return (_count_rows(), tuple(connection.savepoint_ids))


def _count_rows() -> int:
    """How many rows were written since the connection was opened; nothing makes it smaller, no rollback either."""
    rows: int = connection.connection.total_changes
    return rows


def _find_newest_upload() -> int:
    """Its key, 0 without one: asked before and after each recording, so without the queryset."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT COALESCE(MAX(id), 0) FROM {Transcript._meta.db_table}")
        newest: int = cursor.fetchone()[0]
    return newest


def _changed_settings() -> set[str]:
    """The settings that the test changed."""
    names: set[str] = set()
    held = settings._wrapped
    while isinstance(held, UserSettingsHolder):
        names |= {*vars(held), *held._deleted} - {"default_settings", "_deleted"}
        held = held.default_settings
    return names


def _sequences() -> list[tuple[str, int]]:
    """The last id of every table."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT name, seq FROM sqlite_sequence ORDER BY name")
        found: list[tuple[str, int]] = cursor.fetchall()
    return found
