"""`make lock`: write the locks of all requirements*.txt, keeping the locked versions."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
COMPILE = (
    "uv", "pip", "compile", "--quiet", "--universal", "--generate-hashes", "--python-version", "3.11",
    "--no-annotate", "--no-header", "--no-emit-index-url", "--no-emit-find-links",
)  # fmt: skip


class Locked(NamedTuple):
    """One package of a lock: the hashes of its files ("sha256:..."), and where it is installed ("" is everywhere)."""

    name: str
    version: str
    hashes: list[str]
    marker: str


def read_lock(path: Path) -> Iterator[Locked]:
    """The packages of a lock, those of other systems, too."""
    from pip_requirements_parser import RequirementsFile

    for line in RequirementsFile.from_file(str(path)).requirements:
        yield Locked(
            line.name, line.get_pinned_version, line.hash_options, str(line.marker) if line.marker else ""
        )


def main() -> int:
    """Compile the locks; `--upgrade` takes the newest versions that the pins allow."""
    for sources, lock in (
        (["requirements.txt"], "requirements.lock"),
        ([f"requirements{of}.txt" for of in ("", "-redis", "-mcp", "-s3", "-dev")], "requirements-dev.lock"),
        (["requirements-redis.txt"], "requirements-redis.lock"),
        (["requirements.txt", "requirements-mcp.txt"], "requirements-mcp.lock"),
        (["requirements.txt", "requirements-s3.txt"], "requirements-s3.lock"),
        (["requirements-fuzz.txt"], "requirements-fuzz.lock"),
    ):
        program = [str(ROOT / ".venv" / "bin" / COMPILE[0]), *COMPILE[1:]]
        done = subprocess.run([*program, *sources, "-o", lock, *sys.argv[1:]], cwd=ROOT, check=False)
        if done.returncode != 0:
            return done.returncode
    return 0


if __name__ == "__main__":
    sys.exit(main())
