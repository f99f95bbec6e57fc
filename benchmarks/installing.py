"""Fresh Python environments for `make bench`: how long installing takes, and what is on disk then."""

import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple


class Installed(NamedTuple):
    """Seconds with every package freshly downloaded, MB on disk without compiled bytecode, and how many packages."""

    seconds: float
    mb: float
    packages: int


def install(what: list[str], where: Path, trim: Callable[[Path], object] = lambda _where: None) -> Installed:
    """Make an environment by `uv pip install` with these arguments; `trim` it. Raises RuntimeError with the reason."""
    uv = shutil.which("uv", path=str(Path(sys.executable).parent)) or shutil.which("uv")
    if uv is None:
        raise RuntimeError("there is no uv to install packages with; make setup-dev brings it")
    began = time.perf_counter()
    python = ["--python", str(where / "bin" / "python")]
    for command in (
        ["venv", "--quiet", "--python", sys.executable, str(where)],
        ["pip", "install", "--quiet", "--no-cache", *python, *what],
    ):
        done = subprocess.run([uv, *command], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            said = " ".join(done.stderr.split())[-300:]
            raise RuntimeError(f"the packages cannot be installed: {said}")
    trim(where)
    return Installed(time.perf_counter() - began, *measure(where))


def measure(where: Path) -> tuple[float, int]:
    """MB on disk of an environment, and how many packages are in it."""
    files = [path.lstat() for path in where.rglob("*") if not path.is_symlink()]
    packages = len(list(where.glob("lib/python3*/site-packages/*.dist-info")))
    return sum(file.st_blocks * 512 for file in files) / 2**20, packages
