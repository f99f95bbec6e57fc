"""A new version comes while people rate: its migrations on a database that the version before filled, old pages."""

import json
import os
import re
import shutil
import subprocess
import sys
import time

import pytest

from tests.faults.saving import Saving
from tests.faults.visitors import SET_UP, Team, Visitor
from tests.services.live_stack import LiveStack
from tests.services.missing import cannot
from tools.launch import ROOT
from tools.processes import Child, wait_until
from tools.redis_server import HOW_TO_GET_ONE, RedisServer, find_binary

pytestmark = [pytest.mark.slow, pytest.mark.long]
APPS = ("discussions/migrations", "rubric/migrations", "workspace/migrations")


def git(*words):
    """What git says about this clone, or "" where there is none."""
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def is_line(commit):
    """Whether that commit has migrations, and no two of an app with one number."""
    names = git("ls-tree", "-r", "--name-only", commit, "--", *APPS).split()
    found = [re.match(r"(.*/migrations/\d{4})_", name) for name in names]
    numbers = [match[1] for match in found if match]
    return len(numbers) == len({*numbers}) > 0


@pytest.fixture
def before(tmp_path):
    """The code as it was before the last change of a migration, at a commit where their order was clear."""
    changes = git("log", "-9", "--format=%H", "--", "*/migrations/*.py").split()
    changed = next((change for change in changes if is_line(f"{change}^")), "")
    if not changed:
        pytest.skip("there is no clone of git with the version before the last migration")
    folder = tmp_path / "before"
    folder.mkdir()
    packed = tmp_path / "before.tar"
    assert git("archive", f"--output={packed}", f"{changed}^") == ""
    shutil.unpack_archive(packed, folder)
    shutil.copy(ROOT / ".env", folder / ".env")
    return folder


@pytest.fixture
def stack(tmp_path):
    """A stack of this version on an empty folder, of which nothing but Redis runs."""
    binary = find_binary()
    if binary is None:
        cannot("Redis", HOW_TO_GET_ONE)
    folder = tmp_path / "var"
    folder.mkdir()
    redis = RedisServer(binary, folder / "redis", folder / "log" / "redis.log", dict(os.environ))
    stack = LiveStack(folder, f"sqlite:///{folder / 'evalsite.sqlite3'}", redis)
    redis.start()
    yield stack
    stack.stop()


def run_old(stack, before, *words):
    """A command of manage.py of the version before, on this stack's data; what it printed."""
    env = stack.env | {"DJANGO_SETTINGS_MODULE": "tests.stage_settings"}
    command = [sys.executable, "manage.py", *words]
    done = subprocess.run(command, cwd=before, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_new_version_comes_in_the_middle_of_rating(stack, before, static_files, fault_table):
    for words in (("migrate", "--noinput", "-v", "0"), ("collectstatic", "--noinput", "-v", "0")):
        run_old(stack, before, *words)
    email, cookies, evaluations = json.loads(
        run_old(stack, before, "shell", "-v", "0", "-c", SET_UP.format(evaluators=2))
    )
    lead, *people = [Visitor(stack.url, cookie) for cookie in cookies]
    team = Team(email, lead, people, evaluations)
    old = Child("old web", stack.web.command, stack.web.env, stack.folder / "log" / "old.log", before)
    old.start()
    try:
        assert wait_until(stack._site.answers), old.last_lines(40)
        with Saving(stack, team) as saving:
            saved_by_old = len(saving.log.told)
            old.stop()
            began = time.monotonic()
            stack.manage("migrate", "--noinput", "-v", "0")
            shutil.rmtree(stack.folder / "static")
            shutil.copytree(static_files, stack.folder / "static")
            stack.start()
            saving.wait_for_more()
            back = time.monotonic() - began
            saving.wait_for_more(20)
    finally:
        old.kill()
    told = saving.check(503)
    assert told >= saved_by_old + 21
    assert lead.get("/projects/ours/games/").status == 200
    fault_table(
        "2 people saving on pages of the version before",
        "a new version with migrations",
        "their pages go on, nothing was typed again",
        acknowledged=told,
        back=back,
        stack=stack,
    )
