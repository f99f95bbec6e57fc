"""Many new rows of one table without an object for each: COPY on PostgreSQL, one prepared statement on SQLite.

Building a model object and its part of an INSERT takes several times as long as the database needs for the row.
"""

from collections.abc import Sequence
from typing import Any

from django.db import connection
from django.db.models import DateField, DecimalField, Field, Model

# Types that SQLite lacks, with those of moments: Django converts them.
_WRITTEN_BY_DJANGO = (DateField, DecimalField)


def reserve_keys(model: type[Model], count: int) -> list[int]:
    """Reserve that many new keys of the table; ascending. Must run in the transaction that inserts the rows."""
    if not connection.in_atomic_block:
        raise RuntimeError(
            f"Keys of {model.__name__} were reserved outside of a transaction; open one around them and the rows."
        )
    table, column = model._meta.db_table, model._meta.pk.column
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            sequence = "SELECT nextval(pg_get_serial_sequence(%s, %s)) FROM generate_series(1, %s)"
            cursor.execute(sequence, [table, column, count])
            return [key for (key,) in cursor.fetchall()]
        # Transactions are IMMEDIATE: nobody else writes before this one ends.
        cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [table])
        found = cursor.fetchone()
    last = found[0] if found else 0
    return list(range(last + 1, last + count + 1))


def insert_rows(model: type[Model], names: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Insert rows with these columns (`attname` of fields); the others get their defaults.

    If the key is not among the names, the database assigns it.
    """
    if not rows:
        return
    concrete = {field.attname: field for field in model._meta.concrete_fields}
    named = [concrete[name] for name in names]
    others = [field for field in concrete.values() if field not in named and not _is_automatic(field)]
    fields = [*named, *others]
    defaults = [field.get_default() for field in others]
    table = connection.ops.quote_name(model._meta.db_table)
    columns = ", ".join(connection.ops.quote_name(str(field.column)) for field in fields)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f"COPY {table} ({columns}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row([*row, *defaults])
            return
        holders = ", ".join(["%s"] * len(fields))
        values = _written([[*row, *defaults] for row in rows], fields)
        # Only names of the model, quoted by Django.
        cursor.executemany(f"INSERT INTO {table} ({columns}) VALUES ({holders})", values)  # noqa: S608


def _is_automatic(field: "Field[Any, Any]") -> bool:
    return bool(field.primary_key and not field.is_relation)


def _written(rows: list[list[Any]], fields: "Sequence[Field[Any, Any]]") -> list[list[Any]]:
    for place, field in enumerate(fields):
        if isinstance(field, _WRITTEN_BY_DJANGO):
            for row in rows:
                row[place] = field.get_db_prep_save(row[place], connection)
    return rows
