"""A damaged SQLite database ends every start with a sentence that says what to do, and stays as it is."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest
from django.db import connection

from tools.launch import ROOT
from tools.processes import PATIENCE
from workspace.database import damage
from workspace.database.damage import find_damage

PAGE = 4096


def cut(body: bytes) -> bytes:
    """The second half is gone."""
    return body[: len(body) // 2]


def overwrite_beginning(body: bytes) -> bytes:
    """Something else was written over the header."""
    return b"\xff" * PAGE + body[PAGE:]


def overwrite_middle(body: bytes) -> bytes:
    """Something else was written over rows; header and schema are whole."""
    middle = len(body) // PAGE // 2 * PAGE
    return body[:middle] + b"\xff" * PAGE + body[middle + PAGE :]


DAMAGES = (cut, overwrite_beginning, overwrite_middle)


@pytest.fixture
def file(tmp_path):
    """A whole database of 100 pages or more, closed in order."""
    path = tmp_path / "evalsite.sqlite3"
    with closing(sqlite3.connect(path)) as made:
        made.execute("PRAGMA journal_mode=WAL")
        made.execute("CREATE TABLE thing (id INTEGER PRIMARY KEY, words TEXT)")
        made.executemany("INSERT INTO thing (words) VALUES (?)", [("x" * 2000,)] * 300)
        made.commit()
    return path


@pytest.fixture
def opened(file):
    """A connection as the site has it, to that file."""
    if connection.vendor != "sqlite":
        pytest.skip("SQLite alone")
    one = connection.copy()
    one.settings_dict["NAME"] = str(file)
    yield one
    one.close()


def test_a_whole_database_has_no_damage(opened, django_db_blocker):
    with django_db_blocker.unblock():
        assert find_damage(opened) == ""


@pytest.mark.parametrize("harm", DAMAGES)
def test_each_damage_is_found_and_the_file_stays_as_it_is(opened, file, harm, django_db_blocker):
    file.write_bytes(harm(file.read_bytes()))
    before = file.read_bytes()
    with django_db_blocker.unblock():
        said = find_damage(opened)
        opened.close()
    assert said.startswith(f"The database {file} is damaged (")
    assert "restore the newest backup" in said
    assert file.read_bytes() == before


def test_a_large_database_is_opened_but_not_read_whole(opened, file, monkeypatch, django_db_blocker):
    monkeypatch.setattr(damage, "READ_WHOLE", 10 * PAGE)
    whole = file.read_bytes()
    with django_db_blocker.unblock():
        file.write_bytes(overwrite_middle(whole))
        assert find_damage(opened) == ""
        opened.close()
        file.write_bytes(cut(whole))
        assert "is damaged" in find_damage(opened)


STARTS = {
    "prepare": ("-m", "tools.prepare"),
    "migrate": ("manage.py", "migrate", "--noinput"),
    "web": ("-c", "import evalsite.rsgi"),
    "worker": ("-m", "celery", "-A", "evalsite", "worker", "--pool", "solo"),
    "verify": ("manage.py", "verify"),
}


def run_start(start, folder):
    """Exit code and output of a process that wants to work with the database of that folder."""
    env = dict(os.environ) | {
        "VAR_DIR": str(folder),
        "DATABASE_URL": "",
        "REDIS_URL": "redis://127.0.0.1:1/0",
        "DJANGO_SETTINGS_MODULE": "evalsite.settings",
    }
    ended = subprocess.run(
        [sys.executable, *STARTS[start]],
        check=False,
        env=env,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    return ended.returncode, ended.stdout + ended.stderr


# Each is a process; that of the web server is started at each commit, the others by `make faults`.
OTHER_STARTS = [(start, cut) for start in STARTS if start != "web"] + [("migrate", overwrite_middle)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("start", "harm"),
    [("web", cut), *(pytest.param(*given, marks=pytest.mark.long) for given in OTHER_STARTS)],
)
def test_every_start_ends_with_the_sentence(file, start, harm):
    file.write_bytes(harm(file.read_bytes()))
    code, said = run_start(start, file.parent)
    assert code == 1, said
    assert f"The database {file} is damaged (" in said
    assert "Traceback" not in said


@pytest.mark.slow
@pytest.mark.parametrize("start", ["web", pytest.param("worker", marks=pytest.mark.long)])
def test_nothing_works_on_a_database_behind_the_code(tmp_path, start):
    code, said = run_start(start, tmp_path)
    assert code == 1, said
    assert "Run `manage.py migrate` first" in said
    assert "Traceback" not in said
