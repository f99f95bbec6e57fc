"""One query for several kinds of rows: a union of parts, each row with the number of its part."""

from typing import Any

from django.db.models import F, QuerySet, Value
from django.db.models.expressions import Combinable


def select_part(part: int, rows: "QuerySet[Any]", *columns: str | Combinable) -> "QuerySet[Any, Any]":
    """The rows as tuples: the number of the part, then the columns. All parts have the same kinds of columns."""
    values = (Value(part), *(F(column) if isinstance(column, str) else column for column in columns))
    named = {f"column{number}": value for number, value in enumerate(values)}
    selected: QuerySet[Any, Any] = rows.order_by().annotate(**named).values_list(*named)
    return selected
