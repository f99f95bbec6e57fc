"""The house as the guards see it: its files, and the floor and wing each module belongs to."""

import ast
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
WINGS = ("workspace", "rubric", "discussions")

FLOORS = {
    "core": 0,
    "shelf": 1,  # data that comes with the site, read from disk
    "models": 1,
    "permissions": 2,
    "permissions_team": 2,
    "actions": 3,
    "pages": 3,
    "demo": 4,  # projects that a script plays through the actions
    "tasks": 4,
    "management": 4,
    "views": 5,
    "forms": 5,
    "urls": 5,
    "api": 5,
    "admin": 5,
    "middleware": 5,
    "markup": 5,
    "apps": 5,
}
EXEMPT = ("migrations",)


class Place(NamedTuple):
    """Where a module stands. `room` is the name under the wing: core, models, actions ..."""

    wing: str
    room: str

    @property
    def floor(self) -> int:
        """0 is the cellar (core), 5 the web."""
        return FLOORS[self.room]


def place_of(module: str) -> Place | None:
    """The place of a dotted module name; None when it is no room of a wing."""
    parts = module.split(".")
    if parts[0] not in WINGS or len(parts) < 2 or parts[1] not in FLOORS:
        return None
    return Place(parts[0], parts[1])


def module_name(path: Path) -> str:
    """discussions/core/records.py -> discussions.core.records"""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def python_files() -> tuple[Path, ...]:
    """Every Python file of the wings and the roof, migrations left out."""
    found = [path for top in (*WINGS, "evalsite") for path in (ROOT / top).rglob("*.py")]
    return tuple(sorted(path for path in found if not set(path.parts) & set(EXEMPT)))


def room_files(room: str) -> list[Path]:
    """Every Python file of one room, in all wings."""
    return [path for path in python_files() if (place := place_of(module_name(path))) and place.room == room]


@cache
def templates() -> tuple[Path, ...]:
    """Every template."""
    return tuple(sorted((ROOT / "templates").rglob("*.html")))


def imports_of(source: str) -> list[tuple[int, str]]:
    """Line and dotted name of everything a source imports; `from a import b` gives a.b."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found += [(node.lineno, f"{node.module}.{alias.name}") for alias in node.names]
    return found


def functions_of(source: str) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function and method of a source, nested ones too."""
    return [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def length_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines from `def` to the end, the docstring left out."""
    lines = function.end_lineno - function.lineno + 1
    first = function.body[0]
    if ast.get_docstring(function, clean=False) is not None:
        lines -= first.end_lineno - first.lineno + 1
    return lines


def short(path: Path) -> str:
    """The path from the top of the house."""
    return str(path.relative_to(ROOT))
