"""`make fix`: write the tables at the end of docs/exports.md from the fields of what is exported."""

import os
from pathlib import Path

import django
from msgspec.structs import replace

DOCS = Path(__file__).resolve().parent.parent / "docs" / "exports.md"
OWN_HEADING = "\n## Tables of an evaluator's export\n\n"


def write_tables(text: str) -> str:
    """The page with its tables as the code has them; those of evaluators describe only what differs from the others."""
    from discussions.exports.queries.tables import OWN_TABLES, TABLES
    from workspace.exports.core.tables import describe_tables

    known = {(table.name, column.name): column.says for table in TABLES for column in table.columns}
    own = []
    for table in OWN_TABLES:
        same = [column for column in table.columns if known.get((table.name, column.name)) == column.says]
        own.append(
            describe_tables([replace(table, columns=tuple(one for one in table.columns if one not in same))])
        )
        if same:
            names = ", ".join(f"`{column.name}`" for column in same)
            own.append(f"As in the table of that name above: {names}.\n")
    head = text[: text.index(f"### {TABLES[0].name}\n")]
    return head + describe_tables(TABLES) + OWN_HEADING + "\n".join(own)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalsite.settings")
    django.setup()
    DOCS.write_text(write_tables(DOCS.read_text(encoding="utf-8")), encoding="utf-8")
