"""A page includes the regions its view answers with, so that first load and update cannot drift apart."""

import ast
import re

from tests.guards.house import ROOT, room_files, short

INCLUDES = re.compile(r"{%\s*(?:include|extends)\s+[\"']([^\"']+)[\"']")


def pairs(source: str) -> list[tuple[int, str, str]]:
    """Line, page and region of every answer(...) of a views module that names both."""
    tree = ast.parse(source)
    constants = {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "answer":
            said = {keyword.arg: text_of(keyword.value, constants) for keyword in node.keywords}
            if said.get("page") and said.get("region"):
                found.append((node.lineno, said["page"], said["region"]))
    return found


def text_of(node: ast.expr, constants: dict[str, object]) -> str | None:
    """The text that an expression stands for: itself, or a constant of its module."""
    value = constants.get(node.id) if isinstance(node, ast.Name) else getattr(node, "value", None)
    return value if isinstance(value, str) else None


def reached_from(page: str, texts: dict[str, str]) -> set[str]:
    """Every template that a page includes or extends, however deep."""
    found: set[str] = set()
    waiting = [page]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += INCLUDES.findall(texts.get(name, ""))
    return found


def drifting(name: str, source: str, texts: dict[str, str]) -> list[str]:
    """Answers whose page does not show the region."""
    return [
        f"{name}:{line} answers with {region}, but {page} does not include it"
        for line, page, region in pairs(source)
        if region not in reached_from(page, texts)
    ]


def test_pages_include_the_regions_their_views_return():
    home = ROOT / "templates"
    texts = {str(path.relative_to(home)): path.read_text() for path in home.rglob("*.html")}
    faults = [
        fault for path in room_files("views") for fault in drifting(short(path), path.read_text(), texts)
    ]
    assert not faults, "\n".join(faults)


def test_the_region_guard_can_fail():
    source = (
        'PAGE = "a/game.html"\ndef f(request):\n    return answer(request, page=PAGE, region="a/_row.html")'
    )
    texts = {
        "a/game.html": '{% extends "base.html" %}{% include "a/_table.html" %}',
        "a/_table.html": "<table></table>",
    }
    assert drifting("views.py", source, texts)
    texts["a/_table.html"] = '{% include "a/_row.html" with row=row %}'
    assert not drifting("views.py", source, texts)
