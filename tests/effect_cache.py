"""`cached_effect`: a builder of test states does its work once in a process; later its effect is put back.

Most tests begin with a few states that cost a hundred times what the test itself costs. The first call of a builder
runs the real actions, and the rows and files that it wrote are stored with its result. A later call with equal
arguments on a database of equal content writes those rows again and returns a copy of the result. So every test may
change all that it got.

Calls run as usual where the effect could differ: on PostgreSQL, outside a transaction, and in tests that patch code
or change settings.
"""

import pickle
import sqlite3
from collections import OrderedDict
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import wraps
from hashlib import blake2b
from io import BytesIO
from marshal import dumps, loads
from typing import Any, NamedTuple, TypeVar

from django.conf import UserSettingsHolder, settings
from django.db import connection
from django.db.models import Model, QuerySet

from tests.numbers import numbers
from workspace.actions.keeping import BytesLost, keep_bytes, kept_bytes

Build = TypeVar("Build", bound=Callable[..., Any])
Row = tuple[Any, ...]
Tables = dict[str, list[Row]]

MOST_EFFECTS = 1500
# Settings that say where files go: uploads are put back there.
FOLDERS = {"MEDIA_ROOT", "VAR_DIR"}
UPLOADS = "discussions_transcript"
SEQUENCES = "sqlite_sequence"
UNPICKLABLE = (pickle.PicklingError, TypeError, AttributeError, ValueError, RecursionError)


class Effect(NamedTuple):
    """What a call wrote, what was so after it, and its result with the arguments as it left them.

    Kept as bytes: a million live objects would slow down every garbage collection.
    """

    statements: bytes
    uploads: list[bytes]
    after: bytes
    last_number: int
    outcome: bytes


class Mark(NamedTuple):
    """The database had this digest after so many changes by the connection, within these savepoints."""

    digest: bytes
    changes: int
    savepoints: tuple[str | None, ...]
    tables: Tables | None


class _State:
    is_allowed = False
    mark: Mark | None = None
    effects: "OrderedDict[bytes, Effect]" = OrderedDict()
    columns: dict[str, list[str]] = {}


def allow_effects(is_allowed: bool) -> None:
    """Begin or end a test; whether builders called from now on may put effects back."""
    _State.is_allowed, _State.mark = is_allowed, None


def cached_effect(build: Build) -> Build:
    """Decorate a builder: what it returns and writes must follow from its arguments and the database alone."""

    @wraps(build)
    def call(*args: Any, **given: Any) -> Any:
        if not _can_cache() or _is_real(given.get("now")):
            return build(*args, **given)
        request = _pickled((build.__module__, build.__qualname__, args, given, numbers.last))
        if request is None:
            return build(*args, **given)
        mark = _mark()
        key = blake2b(mark.digest + request, digest_size=16).digest()
        if effect := _State.effects.get(key):
            _State.effects.move_to_end(key)
            return _put_back(effect, args, given)
        before = mark.tables or _read_tables()
        result = build(*args, **given)
        _store(key, before, result, args, given)
        return result

    return call  # type: ignore[return-value]


def _is_real(moment: datetime | None) -> bool:
    """Whether this was read from the clock: then it never comes again. Moments that tests choose are whole minutes."""
    return moment is not None and moment.microsecond != 0


def _can_cache() -> bool:
    return (
        _State.is_allowed
        and connection.vendor == "sqlite"
        and connection.in_atomic_block
        and not connection.needs_rollback
        and _changed_settings() <= FOLDERS
    )


def _changed_settings() -> set[str]:
    """The settings that differ from those of the process."""
    names: set[str] = set()
    layer = settings._wrapped
    while isinstance(layer, UserSettingsHolder):
        names |= vars(layer).keys() - {"default_settings", "_deleted"}
        layer = layer.default_settings
    return names


class _KeyPickler(pickle.Pickler):
    """Equal values give equal bytes, whichever of them are the same object."""

    def __init__(self, buffer: BytesIO) -> None:
        super().__init__(buffer, protocol=5)
        self.fast = True
        self.known: set[int] = set()

    def reducer_override(self, value: object) -> Any:
        """Rows by their fields and the rows cached in them, once each: they know each other."""
        if isinstance(value, QuerySet):
            return list, (list(value),)
        if not isinstance(value, Model):
            return NotImplemented
        label, state = value._meta.label, {}
        if id(value) not in self.known:
            self.known.add(id(value))
            state = value.__dict__ | value._state.fields_cache
            del state["_state"]
        return dict, (label, value.pk, sorted(state.items()))


def _pickled(value: object) -> bytes | None:
    """Bytes to compare values by; None for what has none."""
    buffer = BytesIO()
    try:
        _KeyPickler(buffer).dump(value)
    except UNPICKLABLE:
        return None
    return buffer.getvalue()


def _mark() -> Mark:
    """The database as it is; read anew only when something was written or rolled back since the last mark."""
    mark = _State.mark
    if mark is None or mark.changes != _changes() or _savepoints()[: len(mark.savepoints)] != mark.savepoints:
        tables = _read_tables()
        mark = _State.mark = Mark(_digest(tables), _changes(), _savepoints(), tables)
    return mark


def _changes() -> int:
    connection.ensure_connection()
    return connection.connection.total_changes


def _savepoints() -> tuple[str | None, ...]:
    return tuple(connection.savepoint_ids)


def _read_tables() -> Tables:
    """The rows of every table, as the file has them: a plus keeps the connection from making dates of texts."""
    return {
        name: _raw()
        .execute(f'SELECT rowid, {", ".join(f"+{column}" for column in columns)} FROM "{name}"')
        .fetchall()
        for name, columns in _columns().items()
    }


def _columns() -> dict[str, list[str]]:
    """The quoted columns of every table."""
    if not _State.columns:
        names = _raw().execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
        for (name,) in names:
            found = _raw().execute(f'PRAGMA table_info("{name}")').fetchall()
            _State.columns[name] = [f'"{column[1]}"' for column in found]
    return _State.columns


def _raw() -> sqlite3.Connection:
    """The connection below Django's: no query of the cache is counted as one of the test's."""
    return connection.connection


def _digest(tables: Tables) -> bytes:
    # Version 2 of the format does not depend on which values are the same object.
    return blake2b(dumps(list(tables.items()), 2), digest_size=16).digest()


def _store(key: bytes, before: Tables, result: object, args: tuple[Any, ...], given: dict[str, Any]) -> None:
    """Keep the effect of a call that was just made, if it can be put back."""
    after = _read_tables()
    digest = _digest(after)
    _State.mark = Mark(digest, _changes(), _savepoints(), after)
    if isinstance(result, QuerySet | Iterator):
        return
    try:
        outcome = pickle.dumps((result, args, given), protocol=5)
        uploads = [kept_bytes(sha256) for sha256 in _uploaded(before, after)]
    except (*UNPICKLABLE, BytesLost):
        return
    _State.effects[key] = Effect(
        dumps(list(_statements(before, after))), uploads, digest, numbers.last, outcome
    )
    if len(_State.effects) > MOST_EFFECTS:
        _State.effects.popitem(last=False)


def _uploaded(before: Tables, after: Tables) -> list[str]:
    """The hashes of uploads that the call brought."""
    place = _columns()[UPLOADS].index('"sha256"') + 1
    known = {row[0] for row in before[UPLOADS]}
    return [row[place] for row in after[UPLOADS] if row[0] not in known]


def _statements(before: Tables, after: Tables) -> Iterator[tuple[str, list[Row]]]:
    """SQL that makes the first content the second; the sequences come last, since every insertion advances them."""
    for name in sorted(after, key=lambda name: name == SEQUENCES):
        if before[name] == after[name]:
            continue
        columns = _columns()[name]
        marks = ", ".join("?" * (len(columns) + 1))
        insert = f'INSERT INTO "{name}" (rowid, {", ".join(columns)}) VALUES ({marks})'
        if name == SEQUENCES:
            yield f"DELETE FROM {SEQUENCES} WHERE rowid > ?", [(0,)]
            yield insert, after[name]
            continue
        old, new = ({row[0]: row for row in tables[name]} for tables in (before, after))
        sets = ", ".join(f"{column} = ?" for column in columns)
        yield f'DELETE FROM "{name}" WHERE rowid = ?', [(key,) for key in old if key not in new]
        yield (
            f'UPDATE "{name}" SET {sets} WHERE rowid = ?',
            [(*row[1:], key) for key, row in new.items() if key in old and old[key] != row],
        )
        yield insert, [row for key, row in new.items() if key not in old]


def _put_back(effect: Effect, args: tuple[Any, ...], given: dict[str, Any]) -> object:
    """Write the rows and files of an effect; a copy of what the call returned."""
    for statement, rows in loads(effect.statements):
        if rows:
            _raw().executemany(statement, rows)
    for data in effect.uploads:
        keep_bytes(data)
    numbers.last = effect.last_number
    _State.mark = Mark(effect.after, _changes(), _savepoints(), None)
    result, args_after, given_after = pickle.loads(effect.outcome)
    for argument, after in zip((*args, *given.values()), (*args_after, *given_after.values()), strict=True):
        if isinstance(argument, Model):
            argument.__dict__.update({key: value for key, value in after.__dict__.items() if key[0] != "_"})
    return result
