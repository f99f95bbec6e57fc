"""Tables of exports: a record for each with its columns, from which CSV, Parquet, data set cards and docs are made."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from operator import itemgetter
from typing import Any

from msgspec import Struct

# A line of an export with its `kind`: what an app makes of its rows, between the first line, "export", and the last,
# "end", without which a file was cut off. In archives, records.
Item = Struct | dict[str, Any]
TEXT, INTEGER, NUMBER, YES_NO, MOMENT = "text", "integer", "number", "yes or no", "moment"
Value = str | int | float | bool | datetime | None


def get_kind(item: Item) -> str:
    return str(item["kind"] if isinstance(item, dict) else item.__struct_config__.tag)


class TableColumn(Struct, frozen=True):
    """One column: what it holds in words, and how its value is read from what a row is made of.

    The kind is that of its values: TEXT str, INTEGER int, NUMBER float, YES_NO bool, MOMENT datetime; None is unknown.
    """

    name: str
    kind: str
    says: str
    read: Callable[[Any], Value]


def column(name: str, kind: str, says: str, read: str | Callable[[Any], Value] = "") -> TableColumn:
    return TableColumn(name, kind, says, read if callable(read) else itemgetter(read or name))


class ExportTable(Struct, frozen=True):
    name: str
    says: str
    columns: tuple[TableColumn, ...]

    def read_row(self, source: Any) -> list[Value]:
        return [column.read(source) for column in self.columns]


# Every row that an item of an export gives, with the name of its table.
RowsOf = Callable[[Any], Iterator[tuple[str, Any]]]


def to_plain(value: Value) -> str | int | float | bool | None:
    return value.isoformat() if isinstance(value, datetime) else value


def describe_tables(tables: Sequence[ExportTable]) -> str:
    """The tables in Markdown, a line for each column; what docs and data set cards say of them."""
    parts = []
    for table in tables:
        lines = [f"| `{column.name}` | {column.kind} | {column.says} |\n" for column in table.columns]
        rows = "\n| column | kind | holds |\n|---|---|---|\n" + "".join(lines) if lines else ""
        parts.append(f"### {table.name}\n\n{table.says}\n" + rows)
    return "\n".join(parts)
