"""`make figures`: how large the code is, counted from its syntax trees; `--packages` says it for each package.

`--write-budgets` lowers tests/guards/budgets.txt to what is there now. A path counts another checkout.
"""

import ast
import sys
from collections import Counter
from pathlib import Path

from tools import budgets
from tools.definitions import TOPS, Code, count_code, is_handler

ROOT = Path(__file__).resolve().parent.parent
BUDGETS = "tests/guards/budgets.txt"
# How many modules may have a private top-level name of their own.
SHARED_BY = 5


def modules_by_name(code: Code, prefix: str = "", kind: type = ast.AST) -> dict[str, int]:
    """In how many modules a top-level name is defined."""
    names = {
        (name.rpartition(".")[2], module.name)
        for name, (module, node) in code.definitions.items()
        if isinstance(node, kind)
    }
    return Counter(name for name, _ in names if name.startswith(prefix) and not name.startswith("__"))


def is_prepared(called: str, place: str) -> bool:
    """Whether this call prepares a query, outside the module that offers it."""
    if place.startswith("workspace.database."):
        return False
    return called.rpartition(".")[2] in ("Prepared", "prepared")


def count_budgets(code: Code) -> dict[budgets.Key, int]:
    """What tests/guards/budgets.txt limits, as it is now. Packages are named by app and folder."""
    now: Counter[budgets.Key] = Counter()
    for module in code.modules.values():
        now["lines", module.package] += len(module.lines)
    for name in code.records():
        now["records", code.definitions[name][0].package] += 1
    for name in code.needless():
        now["needless", f"{name.split('.')[0]}.{name.rpartition('.')[2]}"] += 1
    for called, place in code.calls:
        if is_prepared(called, place):
            now["prepared", code.module_of(place)] += 1
    for name, count in modules_by_name(code, "_").items():
        if count > SHARED_BY:
            now["private", name] = count
    return {key: count for key, count in now.items() if count}


def count_figures(code: Code) -> dict[str, int]:
    """The table."""
    records = code.records()
    lines = sum(count_code(module) for module in code.modules.values())
    handlers = sum(is_handler(node) for _, node in code.definitions.values())
    built = [name for name in code.built_once(records) if code.definitions[name][0].floor != "core"]
    docs = [path.read_text(encoding="utf-8") for path in (code.root / "docs").rglob("*.md")]
    return {
        "Python lines without tests and migrations": sum(
            len(module.lines) for module in code.modules.values()
        ),
        "code lines (no blank, comment, docstring)": lines,
        "record classes": len(records),
        "- built at one place, outside cores": len(built),
        "- and hide nothing, feed one output (pages, views, api)": len(code.needless()),
        "prepared queries": sum(is_prepared(*call) for call in code.calls),
        "class names in several modules": sum(
            count > 1 for count in modules_by_name(code, kind=ast.ClassDef).values()
        ),
        "private names in more than five modules": sum(
            count > SHARED_BY for count in modules_by_name(code, "_").values()
        ),
        "handlers (views and operations)": handlers,
        "code lines a handler": round(lines / max(1, handlers)),
        "words in docs/": sum(len(text.split()) for text in docs),
        "migrations": sum(len([*(code.root / top).rglob("migrations/0*.py")]) for top in TOPS),
    }


def main(arguments: list[str]) -> int:
    """Print the table, or rewrite the budgets; 1 when something is above its budget then."""
    roots = [Path(argument) for argument in arguments if not argument.startswith("--")]
    code = Code(roots[0] if roots else ROOT)
    if "--write-budgets" in arguments:
        path, now = code.root / BUDGETS, count_budgets(code)
        text = budgets.rewrite(path.read_text(encoding="utf-8") if path.exists() else "", now)
        path.write_text(text, encoding="utf-8")
        left = budgets.faults(text, now)
        print("\n".join(left) or f"{BUDGETS} is what is there now.")
        return 1 if left else 0
    figures = count_figures(code)
    if "--packages" in arguments:
        print(f"{'package':34}{'lines':>9}{'records':>9}")
        now = count_budgets(code)
        for kind, name in sorted(now):
            if kind == "lines":
                print(f"{name:34}{now[kind, name]:9,}{now.get(('records', name), 0):9,}")
    for name, figure in figures.items():
        print(f"{name:56}{figure:9,}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
