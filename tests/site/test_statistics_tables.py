"""`make bench-statistics`: every module gives tables that the docs have a place for."""

from functools import cache
from importlib import import_module

import pytest

from benchmarks.statistics.__main__ import NAMES, PAGES, format_table, main, make_markers, write_tables


@cache
def tables_of(name):
    """The tables of a module, from a thousandth of the runs; drawn once for all tests."""
    return [*import_module(f"benchmarks.statistics.{name}").tables(0.001)]


@pytest.mark.parametrize("name", NAMES)
def test_every_module_gives_tables_with_the_same_figures_each_time(name, capsys):
    first = tables_of(name)
    assert len(first) > 0
    for title, header, rows in first:
        assert (bool(title), len(rows) > 0) == (True, True)
        assert {len(row) for row in rows} == {len(header)}
        assert all(isinstance(cell, str) for row in rows for cell in row)
    assert main(["--runs", "0.001", name]) == 0
    assert capsys.readouterr().out == "\n\n".join(format_table(*table) for table in first) + "\n\n"


def test_what_a_page_holds_between_markers_is_a_table_of_a_module():
    found = []
    for name, page in ((name, page.read_text()) for name in NAMES for page in PAGES.glob("*.md")):
        start, end = make_markers(name)
        if start in page:
            between, last, _after = page.partition(start)[2].partition(end)
            heads = [format_table(*table[:2], []) for table in tables_of(name)]
            assert ([head for head in heads if head not in between], last) == ([], end)
            found.append(name)
    assert len(found) == len(set(found)) >= 2
    texts = "".join(page.read_text() for page in PAGES.glob("*.md"))
    assert texts.count("<!-- measured by make bench-statistics") == len(found)


def test_tables_go_between_the_markers_and_nowhere_else(tmp_path):
    start, end = make_markers("validity")
    page = tmp_path / "page.md"
    page.write_text(f"before\n{start}\nold\n{end}\nafter\n")
    (tmp_path / "other.md").write_text("other\n")
    text = format_table("Title", ["a", "b"], [["1", "2"]])
    assert write_tables("validity", text, tmp_path) == page
    table = "Title:\n\n|a|b|\n|---|---|\n|1|2|"
    assert page.read_text() == f"before\n{start}\n\n{table}\n\n{end}\nafter\n"
    assert write_tables("nothing", text, tmp_path) is None


def test_a_module_that_is_not_there_is_named(capsys):
    with pytest.raises(SystemExit):
        main(["nothing"])
    assert "there is no module nothing" in capsys.readouterr().err
