"""Queries that Django has no word for: unions of several kinds of rows, and counts that stop."""

from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import F, IntegerField, QuerySet, Subquery, TextField, Value
from django.db.models.expressions import Combinable
from django.db.models.sql.compiler import SQLCompiler


def select_part(part: int, rows: "QuerySet[Any]", *columns: str | Combinable) -> "QuerySet[Any, Any]":
    """The rows as tuples: the number of the part, then the columns. All parts have the same kinds of columns."""
    values = (Value(part), *(F(column) if isinstance(column, str) else column for column in columns))
    named = {f"column{number}": value for number, value in enumerate(values)}
    selected: QuerySet[Any, Any] = rows.order_by().annotate(**named).values_list(*named)
    return selected


MOST_COUNTED = 100


class CappedCount(Subquery):
    """How many rows a query gives, as a column of another query, up to a limit."""

    template = "(SELECT COUNT(*) FROM (%(subquery)s) AS capped)"
    output_field = IntegerField()

    def __init__(self, rows: "QuerySet[Any, Any]", most: int = MOST_COUNTED, **extra: Any) -> None:
        super().__init__(rows[:most], **extra)


class CappedNumbers(Subquery):
    """The first numbers of a column of a query, as a column of another query, up to a limit.

    It comes as text, which `numbers_in` reads: so each row of the other query gets its own list, in one query.
    """

    template = "(SELECT GROUP_CONCAT(capped.listed) FROM (%(subquery)s) AS capped)"
    output_field = TextField()

    def __init__(
        self, rows: "QuerySet[Any, Any]", column: str, most: int = MOST_COUNTED, **extra: Any
    ) -> None:
        super().__init__(rows.values(listed=F(column))[:most], **extra)

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> Any:
        """The SQL for PostgreSQL, which has another name for the function and joins only texts."""
        joined = "(SELECT STRING_AGG(CAST(capped.listed AS text), ',') FROM (%(subquery)s) AS capped)"
        return self.as_sql(compiler, connection, template=joined)


def numbers_in(text: str | None) -> list[int]:
    """The numbers that `CappedNumbers` found, in ascending order."""
    return sorted(int(number) for number in text.split(",")) if text else []


def capped_count(rows: "QuerySet[Any, Any]", most: int = MOST_COUNTED) -> int:
    """How many rows a query gives, up to a limit."""
    return rows[:most].count()
