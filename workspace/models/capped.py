"""Counts that stop: a page says "100 or more" instead of counting everything, however much there is."""

from typing import Any

from django.db.models import IntegerField, QuerySet, Subquery

MOST_COUNTED = 100


class CappedCount(Subquery):
    """How many rows a query gives, as a column of another query; at most as many as counted."""

    template = "(SELECT COUNT(*) FROM (%(subquery)s) AS capped)"
    output_field = IntegerField()

    def __init__(self, rows: "QuerySet[Any, Any]", most: int = MOST_COUNTED, **extra: Any) -> None:
        super().__init__(rows[:most], **extra)


def capped_count(rows: "QuerySet[Any, Any]", most: int = MOST_COUNTED) -> int:
    """How many rows a query gives, at most as many as counted."""
    return rows[:most].count()
