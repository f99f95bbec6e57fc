"""Rows that supersede one another: adjudications, verdicts, decisions and manual costs."""

from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter
from typing import Any

from django.db.models import QuerySet


def broken_links(rows: "QuerySet[Any]", *key: str) -> Iterator[Any]:
    """Rows that do not supersede the row before them, or have another number than the next.

    `key` are the attributes that the rows of one chain share; numbers start at 1.
    """
    ordered = rows.order_by(*key, "number").iterator(chunk_size=200)
    for _key, chain in groupby(ordered, key=attrgetter(*key)):
        before = None
        for row in chain:
            expected = (before.pk, before.number + 1) if before else (None, 1)
            if (row.supersedes_id, row.number) != expected:
                yield row
            before = row
