"""Whether the Python that runs is the one for which `make setup` made the environment, with packages it can read."""

import os
import platform
import pwd
import re
import sys
from importlib.util import find_spec
from pathlib import Path

MAKE_ANEW = (
    "Delete .venv and run `make setup PYTHON=/usr/bin/python3` with a Python that the site's user may read."
)


def end_if_foreign() -> None:
    """End the process with a sentence when the environment is another Python's, or its packages cannot be read.

    An older patch release lacks packages that it would need: the locks leave them out for the newer one.
    """
    if says := find_foreign(Path(sys.prefix) / "pyvenv.cfg", platform.python_version()):
        sys.exit(says)
    if find_spec("django") is None:
        user = pwd.getpwuid(os.geteuid()).pw_name
        sys.exit(
            f"The site does not start: {sys.executable} finds no packages in {sys.prefix}, or the user {user} may not "
            f"read them. {MAKE_ANEW}"
        )


def find_foreign(config: Path, running: str) -> str:
    """A sentence when the environment with this configuration is not for the running version, else ""."""
    try:
        lines = config.read_text(encoding="utf-8").splitlines()
    except OSError:  # no environment, or one that nobody may read: then there are no packages, either
        return ""
    said = dict(line.split(" = ", 1) for line in lines if " = " in line)
    made_for = said.get("version") or said.get("version_info", "")
    if not made_for or is_same(made_for, running):
        return ""
    return (
        f"The site does not start: its environment {config.parent} was made for Python {made_for} of "
        f"{said.get('home', 'another folder')}, but Python {running} runs it. {MAKE_ANEW}"
    )


def is_same(made_for: str, running: str) -> bool:
    """Whether packages chosen for one version do for the other: the same release, at the same patch or a later one."""
    made, runs = (
        [int(number) for number in re.findall(r"(?:^|\.)(\d+)", text)] for text in (made_for, running)
    )
    return runs[:2] == made[:2] and runs >= made
