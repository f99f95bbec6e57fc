"""Queries whose SQL is made once: for sign-ins, saves of judgements and what these read, and dealing the next game.

Django builds the SQL of a query for every request, which takes ten times as long as SQLite takes to answer it. A save
asks a dozen queries, so this is most of its time. Everything else uses plain querysets.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, TypeVar

from django.db import connection
from django.db.models import Field, Model, QuerySet

M = TypeVar("M", bound=Model)

# A prepared query hands numbers to the database as they are, and this is the largest that it takes.
LARGEST_KEY = 2**63 - 1
_INT_MARK, _TEXT_MARK = 2_147_480_000, "\x01prepared {}\x01"


class Prepared:
    """A `values_list` query with placeholders, built and compiled at its first use.

    `build` is called once for each kind of database with stand-ins of the given `kinds` (int or str) and returns the
    queryset; `rows` runs it with real values in their place.
    """

    def __init__(self, build: Callable[..., "QuerySet[Any, Any]"], *kinds: type[int] | type[str]) -> None:
        self.build, self.kinds = build, kinds
        self.compiled: dict[str, tuple[str, list[Any], list[int | None], dict[int, Any]]] = {}

    def rows(self, *values: int | str) -> list[tuple[Any, ...]]:
        """What the query gives for these values."""
        known = self.compiled.get(connection.vendor)
        if known is None:
            known = self.compiled[connection.vendor] = self._compile()
        sql, constants, places, converters = known
        params = [
            constant if place is None else values[place]
            for constant, place in zip(constants, places, strict=True)
        ]
        with connection.cursor() as cursor:
            cursor.execute(sql, params)
            found = cursor.fetchall()
        return [_converted(row, converters) for row in found] if converters else found

    def _compile(self) -> tuple[str, list[Any], list[int | None], dict[int, Any]]:
        marks = [
            _INT_MARK + number if kind is int else _TEXT_MARK.format(number)
            for number, kind in enumerate(self.kinds)
        ]
        compiler = self.build(*marks).query.get_compiler(connection=connection)
        sql, params = compiler.as_sql()
        constants = list(params)
        places = [marks.index(param) if param in marks else None for param in constants]
        selected = [column[0] for column in compiler.select[0 : compiler.col_count]]
        return sql, constants, places, compiler.get_converters(selected)


def _converted(row: Sequence[Any], converters: dict[int, Any]) -> tuple[Any, ...]:
    values = list(row)
    for at, (functions, expression) in converters.items():
        for function in functions:
            values[at] = function(values[at], expression, connection)
    return tuple(values)


def build_part(model: type[M], columns: tuple[str, ...], row: Sequence[object], prefix: str) -> M:
    """The part of a row that is this model's: of `columns`, as `values_list` names them, those that begin with prefix.

    What was not asked for is fetched when it is read.
    """
    names, places = _own_columns(model, columns, prefix)
    return model.from_db("default", names, [row[place] for place in places])


@lru_cache(maxsize=32)
def _own_columns(model: type[Model], columns: tuple[str, ...], prefix: str) -> tuple[list[str], list[int]]:
    """The model's columns among these, in the order of its fields, and where they stand."""
    key = prefix.removesuffix("__") or "id"
    places = {name.removeprefix(prefix): at for at, name in enumerate(columns) if name.startswith(prefix)}
    places["id"] = columns.index(key)
    fields = [field for field in model._meta.concrete_fields if field.name in places]
    return [field.attname for field in fields], [places[field.name] for field in fields]


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
    """Set numbers and texts of the row with that key if it still is as `where` says; whether it was."""
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
    field = model._meta.pk if name == "pk" else model._meta.get_field(name)
    assert isinstance(field, Field)
    assert field.column is not None
    return field.column
