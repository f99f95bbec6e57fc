"""The code as its syntax trees say it: top-level definitions, who names them, what they call, and records."""

import ast
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

TOPS = ("evalsite", "workspace", "rubric", "discussions")
FLOORS = ("core", "labels", "models", "queries", "permissions", "actions", "pages", "forms", "views", "api")
# A record of these layers hides something, is stored, feeds two outputs, or is built at several places.
OUTER = {"pages", "views", "api"}
# What writes files from records: outputs, as handlers are.
FILES = {"exports", "archives", "management", "tasks"}
RECORDS = {"msgspec.Struct", "typing.NamedTuple"}
CALLERS, TESTS = ("map", "partial", "starmap"), ("isinstance", "issubclass", "cast")


class Module(NamedTuple):
    """One file. Its package is its app and its folder there; `imports` has the full name of what it imports."""

    name: str
    package: str
    lines: list[str]
    tree: ast.Module
    imports: dict[str, str]

    @property
    def floor(self) -> str:
        return next((part for part in self.name.split(".")[1:] if part in FLOORS), "")


class Code:
    """The Python files below a folder, without migrations, and what their top-level definitions name and call.

    `users`: by definition, those that name it. `calls`: what is called, and where. `given`: what calls take, among it
    the types that decoders read. All by full names.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.modules = {module.name: module for module in read_modules(root)}
        self.definitions = {
            f"{module.name}.{name}": (module, node)
            for module in self.modules.values()
            for node in module.tree.body
            for name in defined_names(node)
        }
        self.users: dict[str, set[str]] = defaultdict(set)
        self.calls: list[tuple[str, str]] = []
        self.given: set[str] = set()
        for module in self.modules.values():
            for statement in module.tree.body:
                self._read(module, statement)

    def _read(self, module: Module, statement: ast.stmt) -> None:
        owners = [f"{module.name}.{name}" for name in defined_names(statement)] or [module.name]
        for node in ast.walk(statement):
            if isinstance(node, ast.FunctionDef):  # a decorator calls, too
                self.calls += [(self.name_of(module, name), owners[0]) for name in node.decorator_list]
            if isinstance(node, ast.Name | ast.Attribute):
                self.users[self.name_of(module, node)].update(owners)
            elif isinstance(node, ast.Call):
                called = dotted_name(node.func)
                self.calls.append((self.name_of(module, node.func), owners[0]))
                taken = [*node.args, *(keyword.value for keyword in node.keywords)]
                if called in CALLERS and taken:
                    self.calls.append((self.name_of(module, taken[0]), owners[0]))
                elif called not in TESTS:
                    types = [item.slice if isinstance(item, ast.Subscript) else item for item in taken]
                    self.given |= {self.name_of(module, item) for item in types}

    def module_of(self, place: str) -> str:
        """The module of a definition, or of a statement that defines nothing, whose place is its module."""
        return self.definitions[place][0].name if place in self.definitions else place

    def name_of(self, module: Module, node: ast.expr) -> str:
        """The full name of what an expression names, through re-exports; "" for other expressions."""
        name = dotted_name(node)
        while name and not name.startswith("."):
            head, _, rest = name.partition(".")
            if head not in module.imports:
                return f"{module.name}.{name}"
            name = ".".join(filter(None, (module.imports[head], rest)))
            place, _, last = name.rpartition(".")
            if name in self.definitions or place not in self.modules:
                return name
            module, name = self.modules[place], last
        return ""

    def records(self) -> set[str]:
        """Struct, NamedTuple, dataclass, and what inherits from them."""
        bases = {
            name: {self.name_of(module, base) for base in node.bases}
            | {"typing.NamedTuple" for each in node.decorator_list if "dataclass" in ast.unparse(each)}
            for name, (module, node) in self.definitions.items()
            if isinstance(node, ast.ClassDef)
        }
        found: set[str] = set()
        while more := {name for name, above in bases.items() if above & (found | RECORDS)} - found:
            found |= more
        return found

    def built_once(self, records: set[str]) -> dict[str, str]:
        """The records that are built at exactly one place, and the definition that builds each."""
        built = Counter(called for called, _ in self.calls)
        return {called: place for called, place in self.calls if called in records and built[called] == 1}

    def stored(self, records: set[str]) -> set[str]:
        """The records that a decoder reads, alone or within others."""
        found: set[str] = set()
        types = {name for name, (_, node) in self.definitions.items() if not hasattr(node, "args")}
        more = self.given & types
        while more:
            found |= more
            more = {name for name in types - found if self.users[name] & found}
        return found & records

    def outputs(self, place: str) -> set[str]:
        """The layers of packages that answer somebody with what a definition makes."""
        found, seen, waiting = set(), {place}, [place]
        while waiting:
            name = waiting.pop()
            module, node = self.definitions.get(name) or (self.modules[name], ast.Pass())
            is_file = bool(FILES & set(module.name.split(".")))
            if module.floor == "api" or is_file or is_handler(node):
                found.add(f"{module.package} {'' if is_file else module.floor}")
            else:
                more = self.users[name] - seen
                seen |= more
                waiting += more
        return found

    def needless(self) -> list[str]:
        """Records of the outer layers that are built once, hide nothing, are not stored and feed one output."""
        records = self.records()
        stored = self.stored(records)
        return sorted(
            name
            for name, place in self.built_once(records).items()
            if self.definitions[name][0].floor in OUTER
            and name not in stored
            and not hides(*self.definitions[name])
            and len(self.outputs(place)) < 2
        )


@cache
def tree_of(source: str) -> ast.Module:
    """The tree of a source: what looks through all files parses each once."""
    return ast.parse(source)


def read_modules(root: Path) -> Iterator[Module]:
    """Every Python file of the apps and of evalsite/, without migrations."""
    for path in sorted(path for top in TOPS for path in (root / top).rglob("*.py")):
        if "migrations" not in path.parts:
            parts = path.relative_to(root).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            text = path.read_text(encoding="utf-8")
            tree = tree_of(text)
            yield Module(name, ".".join(parts[:-1][:2]), text.splitlines(), tree, imports_of(tree))


def statements_of(tree: ast.AST) -> Iterator[ast.stmt]:
    """Every statement below a node, nested ones too. Expressions, which are most of a tree, hold none."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.stmt):
            yield node
        for part in ("handlers", "cases", "body", "orelse", "finalbody"):
            inner = getattr(node, part, ())
            waiting += inner if isinstance(inner, list) else ()


def imports_of(tree: ast.Module) -> dict[str, str]:
    found = {}
    for node in statements_of(tree):
        if isinstance(node, ast.ImportFrom):
            found |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            names = [(alias.asname or alias.name.split(".")[0], alias) for alias in node.names]
            found |= {name: alias.name if alias.asname else name for name, alias in names}
    return found


def defined_names(node: ast.stmt) -> list[str]:
    """What a top-level statement defines."""
    if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    names = [item for target in targets for item in getattr(target, "elts", [target])]
    return [item.id for item in names if isinstance(item, ast.Name)]


def dotted_name(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return f"{dotted_name(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def hides(module: Module, node: ast.AST) -> bool:
    """Whether the docstring of a record, or of its module, has a line that begins with "Hides"."""
    texts = [ast.get_docstring(item) or "" for item in (module.tree, node)]
    return any(line.startswith("Hides ") for text in texts for line in text.splitlines())


def is_handler(node: ast.AST) -> bool:
    """Whether this is a view: public, decorated, and it takes the request first."""
    takes = [argument.arg for argument in node.args.args[:1]] if isinstance(node, ast.FunctionDef) else []
    return takes == ["request"] and bool(node.decorator_list) and not node.name.startswith("_")


def count_code(module: Module) -> int:
    """Lines that are neither blank nor comment nor docstring."""
    documented = {
        line
        for node in ast.walk(module.tree)
        if hasattr(node, "body") and isinstance(node.body, list) and node.body
        for first in node.body[:1]
        if isinstance(first, ast.Expr) and isinstance(getattr(first.value, "value", None), str)
        for line in range(first.lineno, (first.end_lineno or 0) + 1)
    }
    return sum(
        number not in documented and line.strip() != "" and not line.lstrip().startswith("#")
        for number, line in enumerate(module.lines, 1)
    )
