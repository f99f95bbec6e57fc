"""docs/exports.md lists every table and column as the code has them."""

from difflib import ndiff
from typing import Any

import pytest

from discussions.exports.queries.tables import OWN_TABLES, TABLES
from tests.factories.adjudication import list_evaluations, make_shared_game, submit_as
from tests.factories.exports import read_lines, write_export
from tests.factories.people import make_lead
from tests.factories.verdicts import fresh, record
from tools.export_tables import DOCS, write_tables
from workspace.exports.core.choices import FILES


def test_the_docs_list_every_table_and_column():
    text = DOCS.read_text(encoding="utf-8")
    changes = [line for line in ndiff(text.splitlines(), write_tables(text).splitlines()) if line[0] in "+-"]
    assert not changes, "\n".join(
        ["python -m tools.export_tables writes these into docs/exports.md:", *changes]
    )


@pytest.mark.django_db
def test_a_verdict_is_checked_from_its_export_as_the_docs_say():
    game = make_shared_game()
    for evaluation, answer in zip(list_evaluations(game), ("no", "no", "yes"), strict=True):
        submit_as(evaluation, values={("strategic_depth", "3"): answer, ("coherence", "4"): answer})
    lead = make_lead(project=game.project)
    record(fresh(game), by=lead)
    (line,) = read_lines(write_export(game.project, lead), "game")
    verdict, measured = line["verdicts"][0], line["measurements"][-1]
    basis = verdict["basis"]
    text = DOCS.read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    exec(text.split("```python\n")[1].split("```")[0], names)
    assert names["hash_basis"](basis) == verdict["basis_sha256"]
    assert measured["findings_sha256"] == basis["measured"]["findings_sha256"]
    for key in ("strategic_depth", "coherence"):
        counted, total = set(measured["findings"][key]["counted"]), len(line["record"]["messages"])
        for message in range(1, total + 1):
            said = [
                row["value"]
                for row in basis["judgements"]
                if (row["kind"], row["subject"]) == (key, str(message))
            ]
            if said:
                (counted.add if 2 * said.count("yes") > len(said) else counted.discard)(message)
        (found,) = (row for row in verdict["outcome"]["lines"] if row["key"] == key)
        assert (found["numerator"], found["denominator"]) == (len(counted), total)


def test_the_docs_name_every_format():
    text = DOCS.read_text(encoding="utf-8")
    assert all(f"| `{name}` |" in text for name in FILES)


def test_columns_and_tables_have_one_name_each():
    for tables in (TABLES, OWN_TABLES):
        assert len({table.name for table in tables}) == len(tables)
        for table in tables:
            assert len({column.name for column in table.columns}) == len(table.columns)
