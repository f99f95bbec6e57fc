"""Actions are called by keyword and say who acts; modules have names that say what is in them."""

import ast

import pytest

from tests.guards.layout import ROOT, layer_files, python_files, short
from tools.definitions import tree_of

BANNED_NAMES = (
    "utils",
    "util",
    "helpers",
    "helper",
    "common",
    "services",
    "service",
    "managers",
    "signals",
    "misc",
)
WRITES = ("save", "create", "bulk_create", "update", "bulk_update", "get_or_create", "delete")
NOBODY_ACTS = ("system_person",)  # makes the account that acts when nobody does
BY_POSITION = ("record_event",)  # what happened, to which row: every action calls it
DECLARES = (ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign, ast.Expr)


def is_action(function: ast.FunctionDef) -> bool:
    """Whether a function of an actions module acts: public, and it takes the person, is atomic, or writes at `now`."""
    every = function.args.posonlyargs + function.args.args + function.args.kwonlyargs
    takes = {argument.arg for argument in every}
    atomic = any("atomic" in ast.unparse(decorator) for decorator in function.decorator_list)
    writes = any(node.func.attr in WRITES for node in ast.walk(function) if is_method_call(node))
    acts = "by" in takes or atomic or ("now" in takes and writes)
    return acts and not function.name.startswith("_")


def is_method_call(node: ast.AST) -> bool:
    """Whether the node is something like row.save()."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)


def loose_actions(name: str, source: str) -> list[str]:
    """Actions that take anything by position, or do not say who acts."""
    found = []
    for node in tree_of(source).body:
        if not isinstance(node, ast.FunctionDef) or not is_action(node):
            continue
        positional = node.args.args or node.args.posonlyargs or node.args.vararg
        if positional and node.name not in BY_POSITION:
            found.append(f"{name}:{node.lineno} {node.name} takes arguments by position; begin them with *")
        says = {argument.arg for argument in node.args.kwonlyargs} & {"by", "job"}
        if not says and node.name not in NOBODY_ACTS:
            found.append(
                f"{name}:{node.lineno} {node.name} does not say who acts: by= (or job= when a job acts)"
            )
    return found


def full_inits(name: str, source: str) -> list[str]:
    """Anything in an __init__.py that is more than re-exports and one table."""
    return [
        f"{name}:{node.lineno} an __init__.py only re-exports"
        for node in tree_of(source).body
        if not isinstance(node, DECLARES)
    ]


def test_actions_are_keyword_only_and_say_who_acts():
    faults = [
        fault for path in layer_files("actions") for fault in loose_actions(short(path), path.read_text())
    ]
    assert not faults, "\n".join(faults)


def test_no_module_is_called_something_that_says_nothing():
    faults = [
        short(path)
        for path in python_files()
        if path.stem in BANNED_NAMES or path.parent.name in BANNED_NAMES
    ]
    assert not faults, f"{faults}: name the module after what is in it"


def test_inits_only_export():
    inits = [path for path in python_files() if path.name == "__init__.py"]
    faults = [fault for path in inits for fault in full_inits(short(path), path.read_text())]
    assert not faults, "\n".join(faults)


def test_nothing_is_left_for_later():
    words = ("TODO", "FIXME", "XXX", "coming soon", "not implemented")
    files = [*python_files(), *(ROOT / "templates").rglob("*.html"), *(ROOT / "static").rglob("*.js")]
    faults = [f"{short(path)}: {word}" for path in files for word in words if word in path.read_text()]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(
    "source",
    [
        "def label_claim(claim, *, by, now): ...",
        "def label_claim(*claims, by): ...",
        "def label_claim(*, claim, now):\n    claim.save()",
        "@transaction.atomic\ndef label_claim(*, claim): ...",
    ],
)
def test_the_action_guard_can_fail(source):
    assert loose_actions("rating.py", source)


def test_the_action_guard_lets_good_ones_through():
    acting = "def label_claim(*, claim, by, now): ...\ndef measure(*, job, now): ..."
    others = "def _lock(claim, now): ...\ndef is_late(row, now): ..."
    assert not loose_actions("rating.py", f"{acting}\n{others}")


def test_the_init_guard_can_fail():
    assert full_inits("__init__.py", "def f(): ...")
    assert not full_inits("__init__.py", '"""Rows."""\nfrom x import Y\n__all__ = ["Y"]')
