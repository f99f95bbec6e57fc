"""The programs of PostgreSQL: which are taken, what is said when none is, and that no password is on a command line."""

import json
import os

import pytest
from django.db import connection

from workspace.database import dumps
from workspace.database.dumps import DumpFailed, find_program, write_dump

pytestmark = pytest.mark.services


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """`programs(name, version)` makes a program on a PATH of its own that writes down how it was called."""
    monkeypatch.setattr(dumps, "PLACES", ())
    monkeypatch.setattr(dumps, "find_spec", lambda _name: None)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    def make(name, version):
        path = tmp_path / name
        path.write_text(
            "#!/usr/bin/env python3\n"
            "import json, os, pathlib, sys\n"
            f"if '--version' in sys.argv: sys.exit(print('{name} (PostgreSQL) {version}.1'))\n"
            "said = {'command': sys.argv, 'password': os.environ.get('PGPASSWORD')}\n"
            f"pathlib.Path({str(tmp_path / 'called.json')!r}).write_text(json.dumps(said))\n"
        )
        path.chmod(0o755)
        return str(path)

    return make


def test_a_program_is_as_new_as_the_server(programs):
    path = programs("pg_dump", 17)
    assert find_program("pg_dump", 17) == path
    with pytest.raises(
        DumpFailed, match=r"pg_dump of PostgreSQL 18 or newer is needed. There is only \S+ \(17\)"
    ):
        find_program("pg_dump", 18)


def test_a_program_that_is_missing_is_said_with_what_to_install(programs):
    with pytest.raises(DumpFailed, match=r"There is none on PATH\. Install .* postgresql-client-18"):
        find_program("pg_none", 18)


@pytest.mark.django_db
def test_the_password_goes_by_the_environment(programs, tmp_path, monkeypatch):
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no password")
    programs("pg_dump", 99)
    monkeypatch.setitem(connection.settings_dict, "PASSWORD", "seven-lanterns")
    write_dump(tmp_path / "dump")
    called = json.loads((tmp_path / "called.json").read_text())
    assert called["password"] == "seven-lanterns"
    assert "seven-lanterns" not in str(called["command"])
    assert called["command"][-1] == connection.settings_dict["NAME"]
    assert os.environ.get("PGPASSWORD") is None
