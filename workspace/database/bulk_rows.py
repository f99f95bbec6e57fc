"""Many new rows of one table without an object for each: COPY on PostgreSQL, one prepared statement on SQLite.

Building a model object and its part of an INSERT takes several times as long as the database needs for the row.
"""

from collections.abc import Iterator, Sequence
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
            with connection.wrap_database_errors, cursor.copy(f"COPY {table} ({columns}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row([*row, *defaults])
            return
        holders = ", ".join(["%s"] * len(fields))
        values = _written([[*row, *defaults] for row in rows], fields)
        # Only names of the model, quoted by Django.
        cursor.executemany(f"INSERT INTO {table} ({columns}) VALUES ({holders})", values)  # noqa: S608


class NewRows:
    """Rows that are inserted together at the end of an action; each has its key when it is added.

    At most `most` of each table. All of it must run in one transaction.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._keys: dict[type[Model], Iterator[int]] = {}
        self._rows: dict[type[Model], dict[int, Model]] = {}

    def add(self, row: Model) -> None:
        model = type(row)
        if model not in self._keys:
            self._keys[model], self._rows[model] = iter(reserve_keys(model, self._most)), {}
        row.pk = next(self._keys[model])
        self._rows[model][row.pk] = row

    def change(self, model: type[Model], key: int, changes: dict[str, Any]) -> bool:
        """Change a row that is to be inserted; return whether there is one with that key."""
        row = self._rows.get(model, {}).get(key)
        for name, value in changes.items() if row else ():
            setattr(row, name, value)
        return row is not None

    def insert(self) -> None:
        for model, rows in self._rows.items():
            names = [field.attname for field in model._meta.concrete_fields]
            insert_rows(model, names, [[getattr(row, name) for name in names] for row in rows.values()])


def _is_automatic(field: "Field[Any, Any]") -> bool:
    return bool(field.primary_key and not field.is_relation)


def _written(rows: list[list[Any]], fields: "Sequence[Field[Any, Any]]") -> list[list[Any]]:
    for place, field in enumerate(fields):
        if isinstance(field, _WRITTEN_BY_DJANGO):
            for row in rows:
                row[place] = field.get_db_prep_save(row[place], connection)
    return rows
