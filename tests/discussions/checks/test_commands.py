"""`manage.py verify` on a database that was never migrated ends with a sentence, not with a traceback."""

import os
import subprocess
import sys

from tests.guards.layout import ROOT
from tools.processes import PATIENCE


def test_a_database_without_tables_is_named_and_what_to_do(tmp_path):
    given = {"VAR_DIR": str(tmp_path), "DATABASE_URL": f"sqlite:///{tmp_path / 'empty.sqlite3'}"}
    found = subprocess.run(
        [sys.executable, "manage.py", "verify"],
        cwd=ROOT,
        env=os.environ | given,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert found.returncode == 2
    assert "There is nothing to check yet: the database lacks" in found.stderr
    assert "manage.py migrate" in found.stderr
    assert "Traceback" not in found.stderr
