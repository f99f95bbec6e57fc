"""Sentences for people go through gettext, also those of rare cases, which no page of the tests' world shows."""

import ast
import re

import pytest

from tests.guards.layout import ROOT, nodes_of

APPS = ("workspace", "rubric", "discussions")
TRANSLATE = {"_", "_now", "_lazy", "gettext", "ngettext", "say", "say_many", "mark", "mark_many"}
REFUSALS = {"Malformed", "Unacceptable", "NotAllowed", "Conflict", "Unavailable", "TooOften", "TooLarge"}
WORD = re.compile(r"(?:^|\s)[A-Za-z]{3,}(?=[\s.,;]|$)")
# Texts of cores that stay as they are written (docs/architecture.md, Texts).
EVIDENCE = (
    "discussions/archives/core.py",
    "discussions/comparison/core/decision_basis.py",
    "discussions/judges/core/prompts.py",
    "discussions/metrics/core/",
    "discussions/exports/core.py",
    "workspace/exports/core/",
    "rubric/model_reviewers/core.py",
    "rubric/reviews/core/",
    "workspace/core/audit_chain.py",
    "workspace/core/markdown.py",
    "workspace/core/causes.py",
    "workspace/checks/core.py",
    "workspace/backups/core.py",
)
# Where a text names something by the same word in every language.
NAMES = {"PASS", "FAIL", "Response", "UTC"}
# Where a fault stands in a file: a name that programs read, too.
PLACES = ("discussions/transcripts/core/",)


def files():
    """Each file, and the nodes of its tree."""
    for app in APPS:
        for path in sorted((ROOT / app).rglob("*.py")):
            yield path.relative_to(ROOT).as_posix(), nodes_of(path.read_text())


def name_of(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


def plain_words(text: ast.expr) -> list[str]:
    """The words that a text or f-string has outside of its values."""
    parts = text.values if isinstance(text, ast.JoinedStr) else [text]
    literal = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return [word.strip() for part in literal for word in WORD.findall(part) if word.strip() not in NAMES]


def list_joined(node: ast.AST):
    """The f-strings below a node that no translating call and no `raise` stands around."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Raise) or (isinstance(child, ast.Call) and name_of(child) in TRANSLATE):
            continue
        if isinstance(child, ast.JoinedStr):
            yield child
        else:
            yield from list_joined(child)


def find_refusals(nodes: list[ast.AST]) -> list[int]:
    calls = [node for node in nodes if isinstance(node, ast.Call) and name_of(node) in REFUSALS]
    return [call.lineno for call in calls if call.args and plain_words(call.args[0])]


def find_sentences(tree: ast.AST) -> list[int]:
    return [text.lineno for text in list_joined(tree) if plain_words(text)]


def is_core(path: str) -> bool:
    is_floor = "/core/" in path or path.endswith("/core.py") or path.startswith("workspace/statistics/")
    return is_floor and not path.startswith((*EVIDENCE, *PLACES))


def test_no_refusal_is_plain_english():
    faults = [f"{path}:{line}" for path, nodes in files() for line in find_refusals(nodes)]
    assert not faults, f"Give these sentences to gettext: {', '.join(faults)}"


def test_no_core_puts_words_around_values_without_say():
    looked = [(path, nodes[0]) for path, nodes in files() if is_core(path)]
    assert len(looked) > 100
    faults = [f"{path}:{line}" for path, tree in looked for line in find_sentences(tree)]
    assert not faults, f"Use say() of workspace/core/words.py: {', '.join(faults)}"


@pytest.mark.parametrize(
    ("code", "is_found"),
    [
        ('Conflict("This is over.")', True),
        ('NotAllowed(f"Game {number} is over.")', True),
        ('NotAllowed(_("This is over."), code="is_over")', False),
        ('Malformed(says % {"n": 1})', False),
    ],
)
def test_a_plain_refusal_is_found(code, is_found):
    assert bool(find_refusals(nodes_of(code))) == is_found


@pytest.mark.parametrize(
    ("code", "is_found"),
    [
        ('f"{n} more"', True),
        ('[f"{n:.1f} {unit}"]', False),
        ('say("{n} more", n=f"{n} more")', False),
        ('f"{n} PASS"', False),
        ('f"game:{n}"', False),
    ],
)
def test_words_around_a_value_are_found(code, is_found):
    assert bool(find_sentences(ast.parse(code))) == is_found
