"""Packages stay within their budgets of lines and records, and habits that end do not spread: budgets.txt."""

from collections import Counter

import pytest

from tests.guards.layout import ROOT
from tools import budgets
from tools.definitions import Code
from tools.figures import BUDGETS, count_budgets, count_figures, main

SHOP = {
    "discussions/shop/core.py": '''
from msgspec import Struct

class Price(Struct):
    """A typed result."""

    cents: int

def price(cents):
    return Price(cents)
''',
    "discussions/shop/pages.py": '''
"""What pages show."""
from typing import NamedTuple

from msgspec import Struct, json

from discussions.shop.core import price

class Line(Struct): ...
class Shared(NamedTuple):
    name: str
class Kept(Struct):
    """A line that is stored."""

    parts: list[Part]
class Part(Struct): ...
class Blind(Struct):
    """A line.

    Hides the price.
    """
class Twice(Line): ...

_KEPT = json.Decoder(list[Kept])

def build(rows):
    # A comment.

    return [Line(row) for row in rows] + [Kept(Part()), Blind(), Twice(), Twice()]

def share():
    return Shared("x")
''',
    "discussions/shop/views.py": '''
from discussions.shop import pages
from workspace.prepared import Prepared

_ROWS = Prepared(1)

@require("see")
def shop(request):
    return pages.build([]), pages.share()
''',
    "discussions/shop/api.py": '''
from discussions.shop.pages import share
from workspace.web import endpoint

@endpoint("GET")
def get(request):
    return share()
''',
    "discussions/shop/migrations/0001_first.py": "class Migration: ...\n",
    "docs/shop.md": "Five words about a shop.\n",
}  # fmt: skip


@pytest.fixture
def shop(tmp_path):
    """A made-up tree, and its parsed code."""
    for name, text in SHOP.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.lstrip("\n"))
    (tmp_path / BUDGETS).parent.mkdir(parents=True)
    return tmp_path


def test_everything_is_within_its_budget():
    faults = budgets.faults((ROOT / BUDGETS).read_text(), count_budgets(Code(ROOT)))
    assert not faults, "\n".join(faults)


def test_figures_of_a_made_up_tree(shop):
    figures = count_figures(Code(shop))
    text = "".join(text.lstrip("\n") for name, text in SHOP.items() if name.count("/") == 2)
    assert list(figures.values()) == [text.count("\n"), 32, 7, 5, 1, 1, 0, 0, 2, 16, 5, 1]


def test_a_record_that_serves_one_page_alone_is_refused(shop):
    """Not one of a core, one that hides, one that is stored, one that is built twice, or one that two outputs use."""
    assert Code(shop).needless() == ["discussions.shop.pages.Line"]
    pages = shop / "discussions/shop/pages.py"
    pages.write_text(
        pages.read_text().replace("Hides the price.", "It has no price.").replace("(list[Kept])", "()")
    )
    names = [name.rpartition(".")[2] for name in Code(shop).needless()]
    assert names == ["Blind", "Kept", "Line", "Part"]


def test_a_private_name_in_many_modules_is_counted(shop):
    for number in range(6):
        (shop / f"discussions/shop/part{number}.py").write_text(
            "def _line(): ...\n_ROW = 1\n" if number else "_ROW = 1"
        )
    assert {key for key in count_budgets(Code(shop)) if key[0] == "private"} == {("private", "_ROW")}


def test_the_command_lowers_budgets_and_raises_none(shop, capsys):
    assert main([str(shop), "--write-budgets"]) == 0
    file, pages = shop / BUDGETS, shop / "discussions/shop/pages.py"
    first = file.read_text()
    assert "records discussions.shop 7\n" in first
    assert "prepared discussions.shop.views 1\n" in first
    pages.write_text(pages.read_text() + "class More(Struct): ...\n")
    assert main([str(shop), "--write-budgets"]) == 1
    assert file.read_text() == first
    assert "records discussions.shop: 8, may be 7" in capsys.readouterr().out
    pages.write_text('"""Nothing."""\n')
    assert main([str(shop), "--write-budgets"]) == 0
    assert "records discussions.shop 1\n" in file.read_text()


def test_a_budget_rises_by_a_line_that_says_what_went():
    key = ("lines", "a.b")
    assert budgets.faults("lines a.b 100\n", {key: 101})
    assert budgets.faults("# +50 lines a.b:\nlines a.b 100\n", {key: 140}), "nothing is said to have gone"
    raised = "# +50 lines a.b: the old reader went\nlines a.b 100\n"
    assert not budgets.faults(raised, {key: 140})
    assert budgets.faults(raised, {key: 151})
    lowered = budgets.rewrite(raised, {key: 120})
    assert "# +50 lines a.b: the old reader went\n" in lowered
    assert "\nlines a.b 70\n" in lowered
    assert not budgets.faults(lowered, {key: 120})
    assert "old reader" not in budgets.rewrite(raised, {key: 40})


def test_a_budget_clearly_above_its_package_is_to_be_lowered():
    said = "lower the budget to 79: python -m tools.figures --write-budgets"
    assert budgets.faults("lines a.b 100\n", {("lines", "a.b"): 79}) == [f"lines a.b: {said}"]
    assert not budgets.faults("lines a.b 100\n", {("lines", "a.b"): 80})
    assert budgets.faults("prepared a.b.queries 3\n", {}), "nothing is left of it"


def test_what_is_gone_leaves_its_budget_to_what_grew():
    merged = {("lines", "a.b"): 150}
    text = "lines a.b 100\nlines a.c 60\n"
    assert not budgets.faults(budgets.rewrite(text, merged), merged)
    assert budgets.faults(budgets.rewrite(text, {("lines", "a.b"): 161}), {("lines", "a.b"): 161})
    grown = {("lines", "a.b"): 100, ("lines", "a.c"): 60, ("records", "a.b"): 9}
    text += "records a.b 5\nrecords a.c 4\n"
    assert budgets.faults(budgets.rewrite(text, grown), grown), "a.c is still there"
    new = Counter({("needless", "a.New"): 1})
    assert budgets.faults(budgets.rewrite("needless a.Old 1\n", new), new), "a list only shrinks"
