"""`make demo` destroys nothing, and listening to others names this machine."""

import os
import subprocess
import sys

import pytest

from tools.demo import put_aside
from tools.launch import ROOT, names_of_this_machine
from tools.redis_server import find_binary


def test_what_was_there_is_moved_not_deleted(tmp_path):
    (tmp_path / "evalsite.sqlite3").write_text("rows")
    (tmp_path / "uploads").mkdir()
    (tmp_path / "static").mkdir()
    aside = put_aside(tmp_path)
    assert (aside / "evalsite.sqlite3").read_text() == "rows"
    assert (aside / "uploads").is_dir()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([aside.name, "static"])


def test_an_empty_folder_stays_empty(tmp_path):
    assert put_aside(tmp_path) is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.skipif(find_binary() is None, reason="the launcher needs a Redis")
def test_a_new_demo_takes_the_place_of_what_was_there(tmp_path):
    (tmp_path / "evalsite.sqlite3").write_text("rows")
    env = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    env |= {"VAR_DIR": str(tmp_path), "DATABASE_URL": "", "REDIS_URL": ""}
    command = [sys.executable, "-m", "tools.demo"]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "evalsite.sqlite3").stat().st_size > 100_000
    assert [path.read_text() for path in tmp_path.glob("before-demo-*/evalsite.sqlite3")] == ["rows"]
    assert "lead@example.org" in done.stdout
    assert done.stdout.endswith("make run starts the site.\n")


def test_a_site_open_to_others_answers_to_its_own_names():
    names = names_of_this_machine("192.0.2.7")
    assert "192.0.2.7" in names
    assert "127.0.0.1" in names
