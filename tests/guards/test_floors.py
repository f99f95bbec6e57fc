"""The staircase: imports go down only, actions and pages never meet, wings never look back, cores stay pure."""

import ast
import re

import pytest

from tests.guards.house import (
    FLOORS,
    WINGS,
    imports_of,
    module_name,
    place_of,
    python_files,
    room_files,
    short,
)

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
CLOCK_CALLS = ("now", "utcnow", "today", "uuid1", "uuid4", "urandom")


def climbs(module: str, source: str) -> list[str]:
    """Imports that go up the stairs, through the wall between actions and pages, or back to a later wing."""
    here = place_of(module)
    found = []
    for line, name in imports_of(source):
        there = place_of(name)
        if name.split(".", 1)[0] == "evalsite" and module.split(".", 1)[0] in WINGS:
            found.append(f"{module}:{line} imports {name}: the roof is above everybody")
        if here is None or there is None:
            continue
        if there.floor > here.floor:
            found.append(f"{module}:{line} imports {name}: {there.room} is above {here.room}")
        elif {here.room, there.room} == {"actions", "pages"}:
            found.append(f"{module}:{line} imports {name}: there is a wall between actions and pages")
        if WINGS.index(there.wing) > WINGS.index(here.wing):
            found.append(f"{module}:{line} imports {name}: {here.wing} may not know {there.wing}")
    return found


def impurities(module: str, source: str) -> list[str]:
    """What a core does that only the floors above may do."""
    found = []
    for line, name in imports_of(source):
        reason = CORE_BANNED.get(name.split(".")[0])
        if reason:
            found.append(f"{module}:{line} imports {name}: {reason}")
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        called = ast.unparse(node.func)
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


def test_imports_go_down_only():
    faults = [fault for path in python_files() for fault in climbs(module_name(path), path.read_text())]
    assert not faults, "\n".join(faults)


def test_cores_are_pure():
    faults = [
        fault for path in room_files("core") for fault in impurities(module_name(path), path.read_text())
    ]
    assert not faults, "\n".join(faults)


def test_every_module_has_a_floor():
    homeless = [
        short(path)
        for path in python_files()
        if path.name != "__init__.py"
        and module_name(path).split(".")[0] in WINGS
        and place_of(module_name(path)) is None
    ]
    assert not homeless, f"{homeless}: a wing has only these rooms: {', '.join(FLOORS)}"


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("rubric.core.scoring", "from rubric.models import Rubric"),
        ("rubric.models.rubrics", "import rubric.actions.publishing"),
        ("discussions.actions.rating", "from discussions.pages import rating"),
        ("discussions.pages.rating", "from discussions.actions.rating import label_claim"),
        ("discussions.actions.rating", "from discussions import tasks"),
        ("workspace.actions.jobs", "from rubric.core import records"),
        ("rubric.views.rubrics", "def f():\n    from discussions.models import Game"),
        ("workspace.actions.jobs", "from evalsite.celery import app"),
    ],
)
def test_the_staircase_guard_can_fail(module, source):
    assert climbs(module, source)


def test_the_staircase_guard_lets_people_walk_down():
    source = "from rubric.core import records\nfrom workspace.actions.jobs import enqueue\nimport discussions.models"
    assert not climbs("discussions.actions.rating", source)


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
def test_the_purity_guard_can_fail(source):
    assert impurities("rubric.core.records", source)


def test_the_purity_guard_lets_seeded_randomness_through():
    assert not impurities("rubric.core.panel", "import random\nx = random.Random(7).random()")
