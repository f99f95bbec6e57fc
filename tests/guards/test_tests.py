"""Tests say the same on every machine, and cannot pass on nothing.

None measures a clock: they count, or compare with a loop (`fits`). None only loops over what may be empty.
"""

import ast
import re
from collections.abc import Iterable, Iterator

from tests.guards.layout import ROOT, dotted_name, functions_of, imports_of, nodes_of, short

CLOCKS = {"time", "monotonic", "perf_counter", "process_time", "thread_time"}
# Moments of tokens, and for how long to go on; files of tests/faults show how long a fault lasted, and assert nothing.
MAY_ASK = {
    "tests/fuzz/test_team.py",
    "tests/services/oidc_server.py",
    "tests/workspace/authentication/test_web_oidc.py",
}
# What has items when it is given some.
KEEPS_ALL = set(
    "enumerate items keys list pairwise product range reversed set sorted split values zip".split()
)


def clocks_in(nodes: Iterable[ast.AST], names: set[str]) -> list[int]:
    """Lines on which a clock is asked, or one of these names is."""
    return [
        part.lineno
        for part in nodes
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
            if isinstance(part, ast.Assign) and clocks_in(ast.walk(part.value), names):
                names |= {
                    name.id for name in ast.walk(part) if isinstance(name, ast.Name) and is_target(name)
                }
        for part in ast.walk(function):
            if isinstance(part, ast.Assert) and clocks_in(ast.walk(part.test), names):
                yield part.lineno


def is_target(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def test_no_test_measures_a_clock():
    faults = []
    for path in sorted((ROOT / "tests").rglob("*.py")):
        source, name = path.read_text(encoding="utf-8"), short(path)
        if name.startswith("tests/faults/"):
            faults += [f"{name}:{line}" for line in asserted_clocks(source)]
        # Each name of a clock has the module's, or is imported from it.
        elif name not in MAY_ASK and re.search(r"\btime\b", source):
            faults += [f"{name}:{line}" for line in clocks_in(nodes_of(source), clock_names(source))]
    assert not faults, "\n".join(faults)


def test_the_guard_of_clocks_can_fail():
    timed = "import time\ndef test():\n    began = time.monotonic()\n    took = time.monotonic() - began\n"
    assert list(asserted_clocks(f"{timed}    assert took < 2\n")) == [5]
    assert list(asserted_clocks("import time\ndef test():\n    assert time.time() < 2\n")) == [3]
    assert list(asserted_clocks(f"{timed}    show(took)\n")) == []
    assert clocks_in(nodes_of(timed), clock_names(timed)) == [3, 4]
    taken = "from time import process_time\nbegan = process_time()\n"
    assert clocks_in(nodes_of(taken), clock_names(taken)) == [2]


def loops_alone(source: str) -> Iterator[str]:
    """Tests whose only asserts stand in loops over what they computed; Hypothesis and parameters give what is there."""
    for function in functions_of(source):
        if function.name.startswith("test_") and not function.decorator_list:
            # Most have a check in plain sight, or outside of all loops: what is written down does not matter then.
            is_checked = (
                any(map(is_check, function.body))
                or any(map(is_check, outside_loops(function, set())))
                or any(map(is_check, outside_loops(function, written_names(function))))
            )
            if not is_checked and any(isinstance(part, ast.Assert) for part in ast.walk(function)):
                yield f"{function.lineno} {function.name}"


def outside_loops(node: ast.AST, written: set[str]) -> Iterator[ast.AST]:
    """Every part that runs for certain: of loops, only those over something written down."""
    for part in ast.iter_child_nodes(node):
        yield part
        if not isinstance(part, ast.For) or is_written(part.iter, written):
            yield from outside_loops(part, written)


def written_names(function: ast.AST) -> set[str]:
    """Names of the function that hold something written down."""
    assigned = [
        part for part in ast.walk(function) if isinstance(part, ast.Assign) and is_written(part.value, set())
    ]
    return {
        name.id
        for part in assigned
        for name in ast.walk(part)
        if isinstance(name, ast.Name) and is_target(name)
    }


def is_written(node: ast.expr, names: set[str]) -> bool:
    """Whether what is iterated is a display with items, a constant, or made from one by what leaves nothing out."""
    if isinstance(node, ast.Call):
        inner = [node.func.value] if isinstance(node.func, ast.Attribute) else node.args
        return dotted_name(node.func).rpartition(".")[2] in KEEPS_ALL and any(
            is_written(part, names) for part in inner
        )
    if isinstance(node, ast.BinOp):
        return is_written(node.left, names) or is_written(node.right, names)
    if isinstance(node, ast.Name):
        return node.id.isupper() or node.id in names
    return isinstance(node, ast.Constant) or bool(getattr(node, "elts", None) or getattr(node, "keys", None))


def is_check(part: ast.AST) -> bool:
    """Whether this can fail: an assert, but that all of something hold; `raises`; a helper that checks or expects."""
    if isinstance(part, ast.Assert):
        test = part.test
        if isinstance(test, ast.Call) and dotted_name(test.func) == "all":
            (over,) = test.args
            return isinstance(over, ast.GeneratorExp) and is_written(over.generators[0].iter, set())
        return True
    called = dotted_name(part.func).rpartition(".")[2] if isinstance(part, ast.Call) else ""
    return called.startswith(("raises", "warns", "check", "expect", "assert"))


def test_no_test_only_loops_over_what_may_be_empty():
    faults = [
        f"{short(path)}:{fault}"
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        for fault in loops_alone(path.read_text(encoding="utf-8"))
    ]
    assert not faults, "\n".join(faults)


def test_the_guard_of_loops_can_fail():
    loop = "def test_a():\n    for row in rows():\n        assert row\n"
    assert list(loops_alone(loop)) == ["1 test_a"]
    assert list(loops_alone("def test_a():\n    found = rows()\n    assert all(row.x for row in found)\n"))
    assert list(loops_alone("def test_a():\n    found = []\n    for row in found:\n        assert row\n"))
    assert not list(loops_alone(f"{loop}    assert len(rows()) == 2\n"))
    assert not list(loops_alone("def test_a():\n    for row in (1, 2):\n        assert row\n"))
    assert not list(loops_alone("def test_a():\n    for row in ROWS:\n        assert row\n"))
