"""docs/exports.md lists every table and column as the code has them."""

from difflib import ndiff

from discussions.exports.core.own_tables import OWN_TABLES
from discussions.exports.core.tables import TABLES
from tests.guards.house import ROOT
from workspace.exports.core.choices import FILES
from workspace.exports.core.tables import describe_tables

OWN_HEADING = "\n## Tables of an evaluator's export\n\n"


def test_the_docs_list_every_table_and_column():
    text = (ROOT / "docs" / "exports.md").read_text(encoding="utf-8")
    expected = (describe_tables(TABLES) + OWN_HEADING + describe_tables(OWN_TABLES)).splitlines()
    lines = text.splitlines()
    found = lines[lines.index(expected[0]) :]
    changes = [line for line in ndiff(found, expected) if line[0] in "+-"]
    assert not changes, "\n".join(["the tables at the end of docs/exports.md need these changes:", *changes])


def test_the_docs_name_every_format():
    text = (ROOT / "docs" / "exports.md").read_text(encoding="utf-8")
    assert all(f"| `{name}` |" in text for name in FILES)


def test_columns_and_tables_have_one_name_each():
    for tables in (TABLES, OWN_TABLES):
        assert len({table.name for table in tables}) == len(tables)
        for table in tables:
            assert len({column.name for column in table.columns}) == len(table.columns)
