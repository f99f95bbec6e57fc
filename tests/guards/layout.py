"""The code as the guards see it: apps, their packages in order, the layers of a package, and the files of each."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tools import definitions

ROOT = Path(__file__).resolve().parents[2]

# An app imports earlier apps, a package earlier packages of its app. docs/architecture.md says what each is for.
ORDER = {
    "workspace": (
        "core",
        "display",
        "markup",
        "statistics",
        "database",
        "models",
        "access",
        "web",
        "audit",
        "blob_store",
        "jobs",
        "stored_statistics",
        "exports",
        "outbox",
        "authentication",
        "people",
        "tokens",
        "checks",
        "design",
        "backups",
    ),
    "rubric": (
        "core",
        "models",
        "versions",
        "reviews",
        "calibration",
        "reviewer_statistics",
        "comparisons",
        "model_reviewers",
        "human_reviewers",
        "events",
        "results",
        "preview",
        "exports",
        "checks",
    ),
    "discussions": (
        "core",
        "models",
        "queries",
        "slots",
        "metrics",
        "transcripts",
        "imports",
        "adjudication",
        "verdicts",
        "rating",
        "calibration",
        "queue",
        "preview",
        "iterations",
        "games",
        "search",
        "events",
        "comparison",
        "planning",
        "history",
        "reliability",
        "judges",
        "agents",
        "archives",
        "exports",
        "home",
        "checks",
        "demo",
    ),
}
APPS = tuple(ORDER)

# Inside a package, and across packages, imports go down. `actions` and `pages` never meet.
LAYERS = {
    "core": 0,
    "labels": 1,
    "models": 2,
    "queries": 3,
    "permissions": 4,
    "actions": 5,
    "pages": 5,
    "forms": 6,
    "views": 7,
    "api": 8,
}
# Modules and packages whose name is no layer, and the layer that they count as.
COUNTS_AS = {
    "discussions.checks": "actions",
    "workspace.authentication.adapter": "views",
    "workspace.authentication.oidc": "views",
    "workspace.audit.files": "queries",
    "workspace.blob_store": "actions",
    "workspace.checks.metrics": "pages",
    "workspace.checks.readiness": "pages",
    "workspace.database": "models",
    "workspace.markup": "labels",
    "workspace.people.password_reset": "views",
    "workspace.statistics": "core",
    "workspace.statistics.labels": "labels",
    "workspace.web": "views",
    "workspace.web.forms": "forms",
}
# Django looks for these at the top of an app; they may use every package.
TOP = ("management", "apps", "tasks", "urls")
EXEMPT = ("migrations",)


class Place(NamedTuple):
    """Where a module is: its app, its package, its layer (`top` above all packages)."""

    app: str
    package: str
    layer: str


def place_of(module: str) -> Place | None:
    """The place of a dotted name, of a module or of a definition in one; None when it is in no app."""
    app, _, rest = module.partition(".")
    if app not in APPS or not rest:
        return None
    package, *inner = rest.split(".")
    if package in TOP:
        return Place(app, package, "top")
    if package not in ORDER[app]:
        return None
    for depth in (2, 1):
        name = ".".join([app, package, *inner[: depth - 1]])
        if name in COUNTS_AS:
            return Place(app, package, COUNTS_AS[name])
    if package in LAYERS:
        return Place(app, package, package)
    return Place(app, package, inner[0]) if inner and inner[0] in LAYERS else None


def module_name(path: Path) -> str:
    """discussions/rating/core/visibility.py -> discussions.rating.core.visibility"""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def python_files() -> tuple[Path, ...]:
    """Every Python file of the apps and of evalsite/, migrations left out."""
    found = [path for top in (*APPS, "evalsite") for path in (ROOT / top).rglob("*.py")]
    return tuple(sorted(path for path in found if not set(path.parts) & set(EXEMPT)))


def layer_files(layer: str) -> list[Path]:
    """Every Python file of one layer, in all apps."""
    return [
        path for path in python_files() if (place := place_of(module_name(path))) and place.layer == layer
    ]


@cache
def templates() -> tuple[Path, ...]:
    """Every template."""
    return tuple(sorted((ROOT / "templates").rglob("*.html")))


@cache
def nodes_of(source: str) -> list[ast.AST]:
    """Every node of a source, the whole first: most guards look through the same files."""
    return [*ast.walk(definitions.tree_of(source))]


def statements_of(source: str) -> Iterator[ast.stmt]:
    """Every statement of a source, nested ones too."""
    return definitions.statements_of(definitions.tree_of(source))


def dotted_name(node: ast.expr) -> str:
    """`a.b` of the expression a.b; what is no name is left out, so that f().b gives `.b`. Faster than ast.unparse."""
    if isinstance(node, ast.Attribute):
        return f"{dotted_name(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


@cache
def imports_of(source: str, *, at_start: bool = False) -> list[tuple[int, str]]:
    """Line and dotted name of everything a source imports, or imports `at_start`; `from a import b` gives a.b."""
    found = []
    for node in definitions.tree_of(source).body if at_start else statements_of(source):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found += [(node.lineno, f"{node.module}.{alias.name}") for alias in node.names]
    return found


def functions_of(source: str) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function and method of a source, nested ones too."""
    return [
        node for node in statements_of(source) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def length_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines from `def` to the end, the docstring left out."""
    lines = function.end_lineno - function.lineno + 1
    first = function.body[0]
    if ast.get_docstring(function, clean=False) is not None:
        lines -= first.end_lineno - first.lineno + 1
    return lines


def short(path: Path) -> str:
    """The path from the top of the repository."""
    return str(path.relative_to(ROOT))
