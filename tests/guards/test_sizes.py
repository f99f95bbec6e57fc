"""Nothing in the house is larger than a person takes in at one look. A decision record can raise a limit, here.

These limits are a backstop: the size of a package is limited by test_budgets.py.
"""

import ast
from pathlib import Path

from tests.guards.layout import (
    ROOT,
    functions_of,
    length_of,
    module_name,
    place_of,
    python_files,
    short,
    templates,
)

# Regions that are longer than a region may be; none is added.
STILL_LONG = (
    "discussions/adjudication/_thing", "discussions/games/_metric", "discussions/games/game",
    "discussions/history/_chart", "discussions/queue/_holds", "discussions/rating/_item_macros",
    "discussions/reliability/_agreement_figures",
    "discussions/transcripts/_report", "rubric/model_reviewers/_list",
)  # fmt: skip
FILE, FUNCTION, VIEW, TASK, PAGE, REGION, TEST_FILE, SCRIPT = 500, 40, 30, 15, 300, 120, 600, 900


def lines_of(path: Path) -> int:
    """How many lines a file has."""
    return len(path.read_text(encoding="utf-8").splitlines())


def limit_of(function: ast.FunctionDef | ast.AsyncFunctionDef, layer: str) -> int:
    """How long a function of a layer may be."""
    arguments = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    if layer == "views" and arguments[:1] == ["request"]:
        return VIEW
    if layer == "tasks" and function.decorator_list:
        return TASK
    return FUNCTION


def long_functions(name: str, source: str, layer: str) -> list[str]:
    """Functions over their limit."""
    return [
        f"{name}:{function.lineno} {function.name} has {length_of(function)} lines, may have {limit}"
        for function in functions_of(source)
        if length_of(function) > (limit := limit_of(function, layer))
    ]


def long_files(files: dict[str, int], limit: int) -> list[str]:
    """Files over the limit."""
    return [f"{name} has {lines} lines, may have {limit}" for name, lines in files.items() if lines > limit]


def counted(*paths: Path) -> dict[str, int]:
    """Lines of each file, by its name."""
    return {short(path): lines_of(path) for path in paths}


def test_files_are_short():
    static = [path for path in (ROOT / "static").rglob("*") if path.suffix in (".js", ".css")]
    faults = long_files(counted(*python_files(), *(ROOT / "tools").glob("*.py"), *static), FILE)
    assert not faults, "\n".join(faults)


def test_test_files_are_short():
    faults = long_files(counted(*(ROOT / "tests").rglob("*.py")), TEST_FILE)
    assert not faults, "\n".join(faults)


def test_functions_are_short():
    faults = []
    for path in (*python_files(), *(ROOT / "tools").glob("*.py")):
        place = place_of(module_name(path))
        faults += long_functions(short(path), path.read_text(), place.layer if place else "")
    assert not faults, "\n".join(faults)


def test_templates_are_short():
    regions = [path for path in templates() if path.name.startswith("_")]
    pages = [path for path in templates() if not path.name.startswith("_")]
    faults = long_files(counted(*pages), PAGE) + long_files(counted(*regions), REGION)
    faults = [fault for fault in faults if not any(f"/{name}.html " in fault for name in STILL_LONG)]
    assert not faults, "\n".join(faults)


def test_own_script_is_small():
    scripts = counted(*(ROOT / "static").rglob("*.js"))
    assert sum(scripts.values()) <= SCRIPT, (
        f"{scripts}: {sum(scripts.values())} lines, may have {SCRIPT} in all"
    )


def test_the_size_guard_can_fail():
    body = "\n".join(f"    x{number} = {number}" for number in range(FUNCTION))
    assert long_functions("a.py", f"def f():\n{body}\n", "actions")
    assert not long_functions(
        "a.py", f'def f():\n    """One.\n\n    Two."""\n{body[: body.rindex(chr(10))]}\n', "actions"
    )
    view = "\n".join("    x = 1" for _ in range(VIEW))
    assert long_functions("a.py", f"def f(request, pk):\n{view}\n", "views")
    assert not long_functions("a.py", f"def f(form):\n{view}\n", "views")
    task = "\n".join("    x = 1" for _ in range(TASK))
    assert long_functions("a.py", f"@shared_task\ndef f(pk):\n{task}\n", "tasks")
    assert long_files({"a.py": FILE + 1, "b.py": FILE}, FILE) == ["a.py has 501 lines, may have 500"]
