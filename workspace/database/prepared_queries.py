"""Queries whose SQL is built once: those of every request, of a save, of the evaluator's page, the list and the home.

Django builds the SQL of a query for every request, which takes ten times as long as SQLite takes to answer it
(docs/adr/0024). Everything else uses plain querysets.
"""

import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, NamedTuple, ParamSpec, TypeVar, cast, get_origin
from weakref import WeakSet

from django.db import OperationalError, connection
from django.db.models import Field, Model, QuerySet
from django.db.models.query import FlatValuesListIterable, ModelIterable, get_related_populators
from django.db.transaction import TransactionManagementError

M = TypeVar("M", bound=Model)
P = ParamSpec("P")
T = TypeVar("T")

# A prepared query hands numbers to the database as they are, and this is the largest that it takes.
LARGEST_KEY = 2**63 - 1
_INT_MARK, _TEXT_MARK, _YEAR_MARK = 2_147_480_000, "\x01prepared {}\x01", 9000
_PLACEHOLDER = re.compile(r"(?<!%)((?:%%)*)%s")
Kind = type[int] | type[str] | type[datetime] | type[list]


class _Place(NamedTuple):
    """Where a parameter comes from: the value at that place, `constant` where it is -1.

    A text that is searched for stands between the two texts that are its `constant`.
    """

    at: int
    constant: Any = None


class _Compiled(NamedTuple):
    """A query as the database takes it: its SQL, also split at its parameters, and how rows become objects."""

    sql: str
    pieces: list[str]
    places: list[_Place]
    searched: list[tuple[int, tuple[str, str]]]
    converters: list[tuple[int, Callable[[Any], Any]]]
    models: "_Models | None"
    is_flat: bool


class _Models(NamedTuple):
    """How a row becomes an object, as Django's own iteration does it."""

    model: type[Model]
    start: int
    end: int
    names: list[str]
    related: list[Any]
    annotated: dict[str, int]


_prepared: "WeakSet[Prepared]" = WeakSet()


def compile_all() -> None:
    """Build the SQL of all queries that loaded modules prepare, before processes are forked that would each build it.

    Two kinds are left to their first use: those that lock rows, whose SQL Django builds only in a transaction, and on
    PostgreSQL all others while the server is unavailable.
    """
    with suppress(OperationalError):
        for query in list(_prepared):
            with suppress(TransactionManagementError):
                query._get_compiled()


class Prepared:
    """A query with placeholders, built and compiled at its first use.

    `build` is called once for each kind of database with stand-ins for values of the given `kinds` and returns the
    queryset; a call runs it with real values in their place. A value of
    the kind `list` holds whole numbers and belongs in an `__in` that every row must meet: with an empty list nothing is
    found, and no query is sent. The same holds for a number that no row can have. A text may stand in `__contains`. No
    value may be None or the end of a slice. The query may do without the first values, as many as are `optional`.
    """

    def __init__(self, build: Callable[..., Any], *kinds: Kind, optional: int = 0) -> None:
        self.build, self.kinds, self.optional = build, kinds, optional
        self.has_lists, self.has_moments = list in kinds, datetime in kinds
        self.compiled: dict[str, _Compiled] = {}
        _prepared.add(self)

    def __call__(self, *values: Any) -> list[Any]:
        """What the queryset gives for these values, as a list: objects, rows, or values where it is flat."""
        known = self._get_compiled()
        for value in values:
            if value > LARGEST_KEY if isinstance(value, int) else value == []:
                return []
        adapted = [self._adapt(value) for value in values] if self.has_moments else values
        with connection.cursor() as cursor:
            cursor.execute(*self._fill(known, adapted))
            rows = cursor.fetchall()
        if known.converters:
            rows = [_converted(row, known.converters) for row in rows]
        if known.models is not None:
            return list(_build_objects(known.models, rows))
        return [row[0] for row in rows] if known.is_flat else rows

    def first(self, *values: Any) -> Any:
        return next(iter(self(*values)), None)

    def _get_compiled(self) -> _Compiled:
        known = self.compiled.get(connection.vendor)
        if known is None:
            known = self.compiled[connection.vendor] = self._compile()
        return known

    def _fill(self, known: _Compiled, values: Sequence[Any]) -> tuple[str, list[Any]]:
        filled = [constant if at < 0 else values[at] for at, constant in known.places]
        for number, (before, after) in known.searched:
            filled[number] = before + connection.ops.prep_for_like_query(filled[number]) + after
        if not self.has_lists:
            return known.sql, filled
        params: list[Any] = []
        marks = ["%s"] * len(filled)
        for number, value in enumerate(filled):
            if isinstance(value, list):
                marks[number] = ", ".join(["%s"] * len(value))
                params += value
            else:
                params.append(value)
        first, *others = known.pieces
        return first + "".join(map(str.__add__, marks, others)), params

    def _adapt(self, value: Any) -> Any:
        return (
            connection.ops.adapt_datetimefield_value(value)
            if self.has_moments and type(value) is datetime
            else value
        )

    def _compile(self) -> _Compiled:
        marks = [_mark(number, kind) for number, kind in enumerate(self.kinds)]
        queryset = self.build(
            *([mark] if kind is list else mark for mark, kind in zip(marks, self.kinds, strict=True))
        )
        compiler = queryset.query.get_compiler(connection=connection)
        sql, params = compiler.as_sql()
        adapted = [self._adapt(mark) for mark in marks]
        places = [_find_place(param, adapted) for param in params]
        assert {place.at for place in places} >= set(range(self.optional, len(marks))), (
            "a value is no parameter of the query"
        )
        selected = [column[0] for column in compiler.select[0 : compiler.col_count]]
        converters = [
            (at, _bind_converter(function, expression))
            for at, (functions, expression) in compiler.get_converters(selected).items()
            for function in functions
        ]
        models = _read_models(compiler) if queryset._iterable_class is ModelIterable else None
        is_flat = queryset._iterable_class is FlatValuesListIterable
        pieces = _PLACEHOLDER.sub("\\1\0", sql).split("\0")
        searched = [
            (number, place.constant)
            for number, place in enumerate(places)
            if place.at >= 0 and place.constant
        ]
        return _Compiled(sql, pieces, places, searched, converters, models, is_flat)


def prepared(build: Callable[P, "QuerySet[Any, T]"]) -> Callable[P, list[T]]:
    """Make a function that returns a queryset one that returns its result, with the SQL built once.

    The kinds of values are the types with which its parameters are annotated.
    """
    types = [parameter.annotation for parameter in inspect.signature(build).parameters.values()]
    return cast(Callable[P, list[T]], Prepared(build, *(get_origin(kind) or kind for kind in types)))


def _mark(number: int, kind: Kind) -> Any:
    if kind is datetime:
        return datetime(_YEAR_MARK + number, 1, 1, tzinfo=UTC)
    return _TEXT_MARK.format(number) if kind is str else _INT_MARK + number


def _find_place(param: Any, marks: list[Any]) -> _Place:
    for at, mark in enumerate(marks):
        # PostgreSQL is handed subclasses of whole numbers.
        if isinstance(param, type(mark)) and param == mark:
            return _Place(at)
        if isinstance(param, str) and isinstance(mark, str) and mark in param:
            return _Place(at, tuple(param.split(mark)))
    return _Place(-1, param)


def _bind_converter(function: Callable[..., Any], expression: Any) -> Callable[[Any], Any]:
    return lambda value: function(value, expression, connection)


def _converted(row: Sequence[Any], converters: list[tuple[int, Callable[[Any], Any]]]) -> tuple[Any, ...]:
    values = list(row)
    for at, convert in converters:
        values[at] = convert(values[at])
    return tuple(values)


def _read_models(compiler: Any) -> _Models:
    info, select = compiler.klass_info, compiler.select
    start, end = info["select_fields"][0], info["select_fields"][-1] + 1
    return _Models(
        info["model"],
        start,
        end,
        [column[0].target.attname for column in select[start:end]],
        get_related_populators(info, select, "default"),  # type: ignore[call-arg]
        compiler.annotation_col_map or {},
    )


def _build_objects(models: _Models, rows: list[tuple[Any, ...]]) -> Iterator[Model]:
    for row in rows:
        found = models.model.from_db("default", models.names, row[models.start : models.end])
        for populator in models.related:
            populator.populate(row, found)
        for name, at in models.annotated.items():
            setattr(found, name, row[at])
        yield found


def build_part(model: type[M], columns: tuple[str, ...], row: Sequence[object], prefix: str) -> M:
    """The part of a row that is this model's: of `columns`, as `values_list` names them, those that begin with prefix.

    Other fields are fetched when they are read.
    """
    names, places = _own_columns(model, columns, prefix)
    return model.from_db("default", names, [row[place] for place in places])


@lru_cache(maxsize=32)
def _own_columns(
    model: type[Model], columns: tuple[str, ...], prefix: str
) -> tuple[frozenset[str], list[int]]:
    """The model's columns among these, and where they stand, in the order of its fields.

    For every field of every row, Django would only check whether it is among the columns.
    """
    key = prefix.removesuffix("__") or "id"
    places = {name.removeprefix(prefix): at for at, name in enumerate(columns) if name.startswith(prefix)}
    places["id"] = columns.index(key)
    fields = [field for field in model._meta.concrete_fields if field.name in places]
    return frozenset(field.attname for field in fields), [places[field.name] for field in fields]


def select_rows(
    model: type[Model], *columns: str, lock: str = "", **where: int | str | None
) -> list[tuple[Any, ...]]:
    """These columns of the rows of one table that match all of `where`, in no order.

    `lock` is how PostgreSQL locks them until the transaction ends: UPDATE, or NO KEY UPDATE.
    """
    unset = tuple(name for name, value in where.items() if value is None)
    sql, converters = _selection(model, columns, tuple(where), unset, lock, connection.vendor)
    with connection.cursor() as cursor:
        cursor.execute(sql, [value for value in where.values() if value is not None])
        rows = cursor.fetchall()
    return [_converted(row, converters) for row in rows] if converters else rows


@lru_cache(maxsize=32)
def _selection(
    model: type[Model],
    columns: tuple[str, ...],
    held: tuple[str, ...],
    unset: tuple[str, ...],
    lock: str,
    _vendor: str,
) -> tuple[str, list[tuple[int, Callable[[Any], Any]]]]:
    quote = connection.ops.quote_name
    fields = [_field(model, name) for name in columns]
    converters = [
        (at, _bind_converter(convert, field.cached_col))
        for at, field in enumerate(fields)
        for convert in [
            *connection.ops.get_db_converters(field.cached_col),
            *field.get_db_converters(connection),
        ]
    ]
    names = ", ".join(quote(_column(model, name)) for name in columns)
    conditions = " AND ".join(
        f"{quote(_column(model, name))} {'IS NULL' if name in unset else '= %s'}" for name in held
    )
    end = f" FOR {lock}" if lock and connection.features.has_select_for_update else ""
    table = quote(model._meta.db_table)
    return f"SELECT {names} FROM {table} WHERE {conditions}{end}", converters  # noqa: S608  own names only


def insert_row(row: Model) -> None:
    """Insert a new row as `save(force_insert=True)` would, and give it its key. Nothing listens to signals here."""
    sql, fields = _insertion(type(row), connection.vendor)
    params = [field.get_db_prep_save(getattr(row, field.attname), connection) for field in fields]
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        row.pk = cursor.fetchone()[0]
    row._state.adding, row._state.db = False, connection.alias


@lru_cache(maxsize=32)
def _insertion(model: type[Model], _vendor: str) -> tuple[str, tuple["Field[Any, Any]", ...]]:
    quote = connection.ops.quote_name
    fields = tuple(field for field in model._meta.local_concrete_fields if not field.primary_key)
    columns = ", ".join(quote(_column(model, field.name)) for field in fields)
    marks = ", ".join(["%s"] * len(fields))
    table, key = quote(model._meta.db_table), quote(_column(model, "pk"))
    return f"INSERT INTO {table} ({columns}) VALUES ({marks}) RETURNING {key}", fields  # noqa: S608  own names only


def update_row(model: type[Model], key: int, changes: dict[str, Any], **where: int | str) -> bool:
    """Set numbers and texts of the row with that key if it still matches `where`; return whether it did."""
    sql = _update(model, tuple(changes), tuple(where), connection.vendor)
    with connection.cursor() as cursor:
        cursor.execute(sql, [*changes.values(), key, *where.values()])
        return bool(cursor.rowcount == 1)


@lru_cache(maxsize=64)
def _update(model: type[Model], changed: tuple[str, ...], held: tuple[str, ...], _vendor: str) -> str:
    quote = connection.ops.quote_name
    changes = ", ".join(f"{quote(_column(model, name))} = %s" for name in changed)
    conditions = " AND ".join(f"{quote(_column(model, name))} = %s" for name in ("pk", *held))
    return f"UPDATE {quote(model._meta.db_table)} SET {changes} WHERE {conditions}"  # noqa: S608  own names only


def _column(model: type[Model], name: str) -> str:
    column = _field(model, name).column
    assert column is not None
    return column


def _field(model: type[Model], name: str) -> "Field[Any, Any]":
    field = model._meta.pk if name == "pk" else model._meta.get_field(name)
    assert isinstance(field, Field)
    return field
