"""Imports go down: apps, packages and layers in their order, actions and pages apart, cores pure, models rows only.

Views and pages build what is shown and write nothing; actions, which are below views, write.
"""

import ast
import re
from collections import Counter
from graphlib import TopologicalSorter
from itertools import combinations

import pytest

from tests.guards.layout import (
    APPS,
    LAYERS,
    ORDER,
    ROOT,
    dotted_name,
    imports_of,
    layer_files,
    module_name,
    nodes_of,
    place_of,
    python_files,
    short,
)
from tools.definitions import tree_of

CORE_BANNED = {
    "django": "a core knows no Django",
    "celery": "a core knows no Celery",
    "environ": "a core reads no settings",
    "structlog": "a core writes no logs",
    "logging": "a core writes no logs",
    "time": "a core has no clock: take the moment as an argument",
    "os": "a core touches no files and no environment",
    "io": "a core touches no files: take bytes or text",
    "pathlib": "a core touches no files: take bytes or text",
    "tempfile": "a core touches no files",
    "shutil": "a core touches no files",
    "importlib": "a core touches no files: take the data as an argument",
    "socket": "a core talks to nobody",
    "http": "a core talks to nobody",
    "urllib": "a core talks to nobody",
    "subprocess": "a core starts nothing",
    "threading": "a core starts nothing",
    "secrets": "a core has no unseeded randomness",
    "redis": "a core talks to nobody",
    "psycopg": "a core talks to nobody",
}
# A core that remembers what it computed may keep its memory whole where threads share it, and bytes are no file.
CORE_ALLOWED = ("threading.Lock", "io.BytesIO")
# Methods of rows and querysets that write, `bulk_...` ones apart; `update` with keywords: sets and dicts take none.
WRITES = {"save", "create", "delete", "get_or_create", "update_or_create", "update"}
CLOCK_CALLS = ("now", "utcnow", "today", "uuid1", "uuid4", "urandom")
MOST_FILES = 15
# What a row is made of: Django's bases, and abstract rows of workspace.
ROWS = {"Model", "Made", "AbstractBaseUser", "AbstractBaseSession", "StoredStatistics"}
# `-ing` and `-ed` that are nouns of the field.
NOUNS = ()


def climbs(module: str, source: str) -> list[str]:
    """Imports that go up: to a later app, a later package, a higher layer, or between actions and pages."""
    here = place_of(module)
    found = []
    for line, name in imports_of(source):
        there = place_of(name)
        if name.split(".", 1)[0] == "evalsite" and module.split(".", 1)[0] in APPS:
            found.append(f"{module}:{line} imports {name}: evalsite/ is above all apps")
        if here is None or there is None:
            continue
        if fault := climb(here, there):
            found.append(f"{module}:{line} imports {name}: {fault}")
    return found


def climb(here, there) -> str:
    """Why a module at one place may not import one at another; empty when it may."""
    if APPS.index(there.app) > APPS.index(here.app):
        return f"{here.app} may not know {there.app}"
    if here.layer == "top":
        return ""
    if there.layer == "top":
        return f"{there.package} is above all packages"
    packages = ORDER[here.app]
    if here.app == there.app and packages.index(there.package) > packages.index(here.package):
        return f"{there.package} comes after {here.package}"
    if (
        here.layer == "pages"
        and there.layer == "views"
        and (here.app, here.package) != (there.app, there.package)
    ):
        return ""  # packages without pages build them in their views
    if LAYERS[there.layer] > LAYERS[here.layer]:
        return f"{there.layer} is above {here.layer}"
    if {here.layer, there.layer} == {"actions", "pages"}:
        return "actions and pages do not know each other"
    return ""


def impurities(module: str, source: str) -> list[str]:
    """What a core does that only the layers above may do."""
    found = []
    for line, name in imports_of(source):
        reason = CORE_BANNED.get(name.split(".")[0])
        if reason and name not in CORE_ALLOWED:
            found.append(f"{module}:{line} imports {name}: {reason}")
    for node in nodes_of(source):
        if not isinstance(node, ast.Call):
            continue
        called = dotted_name(node.func)
        if called == "open" or called.endswith((".read_text", ".read_bytes", ".write_text", ".write_bytes")):
            found.append(f"{module}:{node.lineno} calls {called}(): a core touches no files")
        if called.rpartition(".")[2] in CLOCK_CALLS and not node.args:
            found.append(
                f"{module}:{node.lineno} calls {called}(): a core has no clock and no unseeded randomness"
            )
        unseeded = called in ("random.Random", "Random") or called.rpartition(".")[2] == "default_rng"
        shared = re.fullmatch(r"(random|np\.random|numpy\.random)\.[a-z]\w+", called) and not unseeded
        if shared or (unseeded and not node.args):
            found.append(f"{module}:{node.lineno} calls {called}(): give random.Random or default_rng a seed")
    return found


def writes(module: str, source: str) -> list[str]:
    """Where a module of views or pages writes rows itself."""
    return [
        f"{module}:{node.lineno} calls .{name}(): views write nothing, call an action"
        for node in nodes_of(source)
        if isinstance(node, ast.Call)
        and (name := getattr(node.func, "attr", ""))
        and (name.removeprefix("a") in WRITES or re.match("a?bulk_", name))
        and (node.keywords or not name.endswith("update"))
    ]


def without_rows(source: str) -> bool:
    """Whether a module of models/ defines no row."""
    classes = [node for node in tree_of(source).body if isinstance(node, ast.ClassDef)]
    bases = {ast.unparse(base).rpartition(".")[2] for row in classes for base in row.bases}
    return not bases & ROWS


def inflections(stems: set[str]) -> list[str]:
    """Pairs of module names that are forms of one verb: settled and settling, but not settle and settlement."""
    root = {stem: re.sub(r"(ings?|ed|s)$", "", stem).rstrip("e") for stem in stems}
    bent = {stem for stem in stems if re.search(r"(ings?|ed)$", stem)}
    pairs = combinations(sorted(stems), 2)
    return [
        f"{first} and {other}"
        for first, other in pairs
        if root[first] == root[other] and {first, other} & bent
    ]


def test_imports_go_down_only():
    faults = [fault for path in python_files() for fault in climbs(module_name(path), path.read_text())]
    assert not faults, "\n".join(faults)


def test_modules_import_no_circle():
    # Such a module can be imported in one order only.
    files = {module_name(path): path.read_text() for path in python_files()}
    names = {name: imports_of(source, at_start=True) for name, source in files.items()}
    graph = {
        name: {
            part
            for _line, imported in found
            for part in (imported, imported.rpartition(".")[0])
            if part in files
        }
        for name, found in names.items()
    }
    TopologicalSorter({name: parts - {name} for name, parts in graph.items()}).prepare()


def test_cores_are_pure():
    faults = [
        fault for path in layer_files("core") for fault in impurities(module_name(path), path.read_text())
    ]
    assert not faults, "\n".join(faults)


def test_views_write_nothing():
    files = [*layer_files("views"), *layer_files("pages")]
    faults = [fault for path in files for fault in writes(module_name(path), path.read_text())]
    assert files and not faults, "\n".join(faults)


def test_every_module_has_a_floor():
    homeless = [
        short(path)
        for path in python_files()
        if path.name != "__init__.py"
        and module_name(path).split(".")[0] in APPS
        and place_of(module_name(path)) is None
    ]
    assert not homeless, f"{homeless}: a package of ORDER has only these layers: {', '.join(LAYERS)}"


def test_models_define_rows():
    modules = [
        path for path in layer_files("models") if path.parent.name == "models" and path.stem != "__init__"
    ]
    rowless = [short(path) for path in modules if without_rows(path.read_text())]
    assert not rowless, f"{rowless}: what reads rows belongs to the queries of a package"


def test_layers_are_not_crowded():
    inside = Counter(
        path.parent for path in python_files() if path.name != "__init__.py" and path.parent.name in LAYERS
    )
    crowded = [f"{short(folder)} has {count} files" for folder, count in inside.items() if count > MOST_FILES]
    assert not crowded, f"{crowded}, may have {MOST_FILES}: move those about one thing into a folder"


@pytest.mark.parametrize("app", APPS)
def test_public_class_names_are_unique(app):
    files = [
        path for path in python_files() if path.is_relative_to(ROOT / app) and "management" not in path.parts
    ]
    where: dict[str, list[str]] = {}
    for path in files:
        for node in nodes_of(path.read_text())[0].body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                where.setdefault(node.name, []).append(short(path))
    # Django finds a database's backend by this name, as it finds commands.
    double = {name: paths for name, paths in where.items() if len(paths) > 1 and name != "DatabaseWrapper"}
    assert not double, f"{double}: one name, one class"


@pytest.mark.parametrize("app", APPS)
def test_no_two_modules_are_forms_of_one_verb(app):
    stems = {path.stem for path in python_files() if path.is_relative_to(ROOT / app)} - set(NOUNS)
    assert not inflections(stems)


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("rubric.versions.core", "from rubric.models import Rubric"),
        ("rubric.versions.queries", "import rubric.versions.actions"),
        ("discussions.rating.actions", "from discussions.rating.pages import evaluation"),
        ("discussions.rating.pages.evaluation", "from discussions.rating.actions import skip_game"),
        ("discussions.verdicts.actions", "from discussions.games.pages import build_figure_cells"),
        ("discussions.rating.actions", "from discussions.queue import actions"),
        ("workspace.jobs.actions", "from rubric.core import records"),
        ("rubric.versions.views", "def f():\n    from discussions.models import Game"),
        ("workspace.jobs.actions", "from evalsite.celery import app"),
        ("workspace.jobs.actions", "from workspace.tasks import look_at_job"),
        ("discussions.games.actions", "from discussions.games.views.flags import flags"),
        ("discussions.games.pages", "from discussions.games.views.flags import flags"),
        ("discussions.games.forms", "from discussions.games.views.flags import flags"),
        ("discussions.games.pages", "from discussions.home.views import overview"),
    ],
)
def test_the_guard_of_imports_can_fail(module, source):
    assert climbs(module, source)


def test_the_guard_of_imports_lets_people_walk_down():
    source = "from rubric.core import records\nfrom workspace.jobs.actions import enqueue\nimport discussions.models"
    assert not climbs("discussions.rating.actions", source)
    assert not climbs(
        "discussions.home.pages.home", "from discussions.games.views.flags import build_threads"
    )


@pytest.mark.parametrize(
    "call",
    [
        "row.save()", "Game.objects.create(number=1)", "Game.objects.filter(pk=1).update(number=2)", "rows.delete()",
        "Game.objects.bulk_create(rows)", "await row.asave()", "Game.objects.get_or_create(number=1)",
        "Game.objects.filter(pk=1).update(**changes)",
    ],
)  # fmt: skip
def test_the_guard_of_writing_views_can_fail(call):
    assert writes("discussions.games.views", f"async def show(request):\n    {call}")


def test_views_may_fill_sets_and_call_actions():
    source = "names.update(more)\nsave_game(game=game, by=request.user)\nform.is_valid()"
    assert not writes("discussions.games.views", source)


@pytest.mark.parametrize(
    "source",
    [
        "from django.db import models",
        "import time",
        "from pathlib import Path",
        "text = open('words.txt').read()",
        "from datetime import datetime\nmoment = datetime.now()",
        "import random\nx = random.random()",
        "import random\nx = random.Random()",
        "import numpy\nx = numpy.random.default_rng()",
        "import uuid\nx = uuid.uuid4()",
    ],
)
def test_the_guard_of_purity_can_fail(source):
    assert impurities("rubric.core.records", source)


def test_the_guard_of_purity_lets_seeded_randomness_through():
    assert not impurities("rubric.core.panel", "import random\nx = random.Random(7).random()")


def test_the_guards_of_models_and_names_can_fail():
    assert without_rows("def rows(): ...")
    assert not without_rows("class Game(models.Model): ...")
    assert inflections({"settled", "settling"})
    assert inflections({"judge", "judging"})
    assert not inflections({"rating", "report", "records", "core"})
