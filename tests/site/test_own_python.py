"""The start of an environment that was made for another Python, or that the user may not read."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from evalsite.own_python import find_foreign
from tools import setup
from tools.launch import ROOT

CONFIG = "home = /opt/python/bin\ninclude-system-site-packages = false\nversion = {}\n"


@pytest.mark.parametrize(
    ("made_for", "running", "is_told"),
    [
        ("3.11.7", "3.11.7", False),
        ("3.11.2", "3.11.7", False),  # an update of the system's Python
        ("3.11.7", "3.11.2", True),
        ("3.11.9", "3.11.10", False),
        ("3.11.7", "3.12.7", True),
        ("3.14.0rc1", "3.14.0", False),
    ],
)
def test_an_environment_is_for_its_release_and_later_patches(made_for, running, is_told, tmp_path):
    config = tmp_path / "pyvenv.cfg"
    config.write_text(CONFIG.format(made_for))
    said = find_foreign(config, running)
    assert bool(said) is is_told
    if is_told:
        assert f"was made for Python {made_for} of /opt/python/bin, but Python {running} runs it" in said
        assert "make setup PYTHON=/usr/bin/python3" in said
    assert find_foreign(tmp_path / "none.cfg", running) == ""


@pytest.mark.parametrize("command", [["manage.py", "check"], ["-m", "evalsite.server"]])
def test_a_python_without_packages_is_told_in_a_sentence(command):
    bare = [sys.executable, "-S", *command]
    done = subprocess.run(
        bare, cwd=ROOT, capture_output=True, text=True, check=False, env={"PATH": os.environ["PATH"]}
    )
    assert done.returncode == 1
    assert "finds no packages in" in done.stderr and "make setup PYTHON=" in done.stderr
    assert "Traceback" not in done.stderr


def test_setup_names_the_folder_that_keeps_a_service_out():
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        python = Path(folder) / "private" / "bin" / "python3"
        python.parent.mkdir(parents=True)
        assert setup.find_private(python) == folder
        Path(folder).chmod(0o755)
        python.parent.parent.chmod(0o750)
        assert setup.find_private(python) == str(python.parent.parent)
        python.parent.parent.chmod(0o755)
        python.parent.chmod(0o755)
        assert setup.find_private(python) == ""
