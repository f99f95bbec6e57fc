"""Tests say the same on every machine: none measures a clock. They count, or compare with a loop (`fits`)."""

import ast
from collections.abc import Iterator

from tests.guards.house import ROOT, dotted_name, functions_of, imports_of, short

CLOCKS = {"time", "monotonic", "perf_counter", "process_time", "thread_time"}
# Moments of tokens, and for how long to go on; files of tests/faults show how long a fault lasted, and assert nothing.
MAY_ASK = {
    "tests/fuzz/test_team.py",
    "tests/services/oidc_server.py",
    "tests/workspace/authentication/test_web_oidc.py",
}


def clocks_in(node: ast.AST, names: set[str]) -> list[int]:
    """Lines on which a clock is asked, or one of these names is."""
    return [
        part.lineno
        for part in ast.walk(node)
        if (isinstance(part, ast.Attribute | ast.Name) and dotted_name(part) in names)
    ]


def clock_names(source: str) -> set[str]:
    """What a clock is called in that source, `time.monotonic` or `monotonic`."""
    asked = {name for _line, name in imports_of(source) if name.startswith("time.")}
    names = {f"time.{clock}{unit}" for clock in CLOCKS for unit in ("", "_ns")}
    return names | {name.removeprefix("time.") for name in asked & names}


def asserted_clocks(source: str) -> Iterator[int]:
    """Lines of asserts on a clock, or on what a function computed from one."""
    for function in functions_of(source):
        names = clock_names(source)
        for part in ast.walk(function):
            if isinstance(part, ast.Assign) and clocks_in(part.value, names):
                names |= {
                    name.id for name in ast.walk(part) if isinstance(name, ast.Name) and is_target(name)
                }
        for part in ast.walk(function):
            if isinstance(part, ast.Assert) and clocks_in(part.test, names):
                yield part.lineno


def is_target(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def test_no_test_measures_a_clock():
    faults = []
    for path in sorted((ROOT / "tests").rglob("*.py")):
        source, name = path.read_text(encoding="utf-8"), short(path)
        if name.startswith("tests/faults/"):
            faults += [f"{name}:{line}" for line in asserted_clocks(source)]
        elif name not in MAY_ASK:
            faults += [f"{name}:{line}" for line in clocks_in(ast.parse(source), clock_names(source))]
    assert not faults, "\n".join(faults)


def test_the_guard_of_clocks_can_fail():
    timed = "import time\ndef test():\n    began = time.monotonic()\n    took = time.monotonic() - began\n"
    assert list(asserted_clocks(f"{timed}    assert took < 2\n")) == [5]
    assert list(asserted_clocks("import time\ndef test():\n    assert time.time() < 2\n")) == [3]
    assert list(asserted_clocks(f"{timed}    show(took)\n")) == []
    assert clocks_in(ast.parse(timed), clock_names(timed)) == [3, 4]
    taken = "from time import process_time\nbegan = process_time()\n"
    assert clocks_in(ast.parse(taken), clock_names(taken)) == [2]
