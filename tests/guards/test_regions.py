"""A page includes the regions its view answers with, so that first load and update cannot drift apart."""

import ast
import re
from collections import Counter

from tests.guards.layout import ROOT, dotted_name, layer_files, nodes_of, python_files, short, templates
from tests.guards.test_sizes import PAGE, REGION
from tools.definitions import tree_of

# Parts of one page alone that were split off when a page could have fewer lines; they go back into their pages.
STILL_APART = {
    "discussions/games/_rounds.html", "discussions/home/_stage_line.html",
    "rubric/human_reviewers/_feedback.html",
}  # fmt: skip
INCLUDES = re.compile(r"(?:{%-?\s*(?:include|extends|from|import)\s+|draw_once\(\s*)[\"']([^\"']+)[\"']")


def pairs(source: str) -> list[tuple[int, str, str]]:
    """Line, page and region of every respond(...) of a views module that names both."""
    tree = tree_of(source)
    constants = {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and dotted_name(node.func).rpartition(".")[2] == "respond":
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
        fault for path in layer_files("views") for fault in drifting(short(path), path.read_text(), texts)
    ]
    assert not faults, "\n".join(faults)


def test_the_region_guard_can_fail():
    source = (
        'PAGE = "a/game.html"\ndef f(request):\n    return respond(request, page=PAGE, region="a/_row.html")'
    )
    texts = {
        "a/game.html": '{% extends "base.html" %}{% include "a/_table.html" %}',
        "a/_table.html": "<table></table>",
    }
    assert drifting("views.py", source, texts)
    texts["a/_table.html"] = '{% with row=rows[0] %}{%- include "a/_row.html" %}{% endwith %}'
    assert not drifting("views.py", source, texts)


def template_names() -> set[str]:
    """Every text of the code that names a template."""
    return {
        node.value
        for path in python_files()
        for node in nodes_of(path.read_text())
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.endswith(".html")
    }


def single_use(texts: dict[str, str], named: set[str]) -> list[str]:
    """Partials that no view answers with and one template includes, and would have room for."""
    found = []
    included = {user: Counter(INCLUDES.findall(text)) for user, text in texts.items()}
    for name, text in texts.items():
        users = [user for user, names in included.items() if names[name]]
        uses = sum(included[user][name] for user in users)
        if name in named or not is_region(name) or "{% macro" in text or uses > 1:
            continue
        if not users:
            found.append(f"{name} is not used")
        elif len((texts[users[0]] + text).splitlines()) <= most_lines(users[0]):
            found.append(f"{name} is a part of {users[0]} alone: write it there")
    return found


def is_region(name: str) -> bool:
    """Whether the template is a part of a page."""
    return name.rpartition("/")[2].startswith("_")


def most_lines(name: str) -> int:
    """How long a template may be."""
    return REGION if is_region(name) else PAGE


def own_templates() -> dict[str, str]:
    """Every template, by the name that views use."""
    home = ROOT / "templates"
    return {str(path.relative_to(home)): path.read_text() for path in templates()}


def test_a_part_of_one_page_alone_is_written_there():
    faults = {fault.split()[0]: fault for fault in single_use(own_templates(), template_names())}
    assert not (faults.keys() - STILL_APART), "\n".join(faults.values())
    assert not (done := STILL_APART - faults.keys()), f"{done}: no longer apart, remove them from STILL_APART"


def test_the_guard_of_single_use_can_fail():
    texts = {"a/page.html": '{% include "a/_row.html" %}', "a/_row.html": "<tr></tr>"}
    assert single_use(texts, set())
    assert not single_use(texts, {"a/_row.html"})
    assert not single_use(texts | {"a/other.html": '{% include "a/_row.html" %}'}, set())
    assert not single_use(texts | {"a/_row.html": "<tr></tr>\n" * (PAGE + 1)}, set())
