"""Counts that stop: a page says "100 or more" instead of counting everything, however much there is."""

from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import F, IntegerField, QuerySet, Subquery, TextField
from django.db.models.sql.compiler import SQLCompiler

MOST_COUNTED = 100


class CappedCount(Subquery):
    """How many rows a query gives, as a column of another query; at most as many as counted."""

    template = "(SELECT COUNT(*) FROM (%(subquery)s) AS capped)"
    output_field = IntegerField()

    def __init__(self, rows: "QuerySet[Any, Any]", most: int = MOST_COUNTED, **extra: Any) -> None:
        super().__init__(rows[:most], **extra)


class CappedNumbers(Subquery):
    """The first numbers of a column of a query, as a column of another query; at most as many as counted.

    It comes as text, which `numbers_in` reads: lists of their own for each row of the other query, yet one query.
    """

    template = "(SELECT GROUP_CONCAT(capped.listed) FROM (%(subquery)s) AS capped)"
    output_field = TextField()

    def __init__(
        self, rows: "QuerySet[Any, Any]", column: str, most: int = MOST_COUNTED, **extra: Any
    ) -> None:
        super().__init__(rows.values(listed=F(column))[:most], **extra)

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> Any:
        """The same; PostgreSQL has another name for it, and joins texts alone."""
        joined = "(SELECT STRING_AGG(CAST(capped.listed AS text), ',') FROM (%(subquery)s) AS capped)"
        return self.as_sql(compiler, connection, template=joined)


def numbers_in(text: str | None) -> list[int]:
    """What `CappedNumbers` found, in ascending order."""
    return sorted(int(number) for number in text.split(",")) if text else []


def capped_count(rows: "QuerySet[Any, Any]", most: int = MOST_COUNTED) -> int:
    """How many rows a query gives, at most as many as counted."""
    return rows[:most].count()
