"""`make fix`: write the tables at the end of docs/exports.md from the fields of what is exported."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import django
from msgspec.structs import replace

if TYPE_CHECKING:
    from workspace.exports.core.tables import ExportTable

DOCS = Path(__file__).resolve().parent.parent / "docs" / "exports.md"
OWN_HEADING = "\n## Tables of an evaluator's export\n\n"


def write_tables(text: str) -> str:
    """The page with its tables as the code has them; a column that an earlier table describes is only named."""
    from discussions.exports.queries.tables import OWN_TABLES, TABLES

    described: set[tuple[str, str]] = set()
    parts = [[_describe(table, described) for table in tables] for tables in (TABLES, OWN_TABLES)]
    head = text[: text.index(f"### {TABLES[0].name}\n")]
    return head + OWN_HEADING.join(map("\n".join, parts))


def _describe(table: "ExportTable", described: set[tuple[str, str]]) -> str:
    from workspace.exports.core.tables import describe_tables

    same = [column for column in table.columns if (column.name, column.says) in described]
    described |= {(column.name, column.says) for column in table.columns}
    new = tuple(column for column in table.columns if column not in same)
    names = ", ".join(f"`{column.name}`" for column in same)
    lines = describe_tables([replace(table, columns=new)]).splitlines(keepends=True)
    return "".join(map(_name_kind, lines)) + (f"\nAs above: {names}.\n" if same else "")


def _name_kind(line: str) -> str:
    """The line; in a table, the kind of a column stands after its words, and only where it is not text."""
    if not line.startswith("|"):
        return line
    name, kind, says = line.strip("|\n").split("|", 2)
    return (
        f"|{name}|{says}|\n" if kind in (" text ", " kind ", "---") else f"|{name}|{says}({kind[1:-1]}) |\n"
    )


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalsite.settings")
    django.setup()
    DOCS.write_text(write_tables(DOCS.read_text(encoding="utf-8")), encoding="utf-8")
