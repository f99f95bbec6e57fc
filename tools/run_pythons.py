"""`make pythons`: whether measurements have the same bytes on every supported Python that can be had here.

Looks on PATH, in /usr/bin and in pyenv's folder, then asks uv for what is missing. Each Python gets an environment of
its own, with the locked packages, in var/pythons. Ends with 1 if a Python gives other bytes or cannot be tried, or if
there is only one.
"""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
UV = ROOT / ".venv" / "bin" / "uv"
FOLDER = ROOT / "var" / "pythons"
# 3.11.0 to 3.11.4 match possessive quantifiers in another way; Debian 12 has 3.11.2.
WANTED = ("3.11.2", "3.11", "3.12", "3.13", "3.14")
ASK = "import sys; print('%d.%d.%d' % sys.version_info[:3])"
PLACES = (
    Path("/usr/bin").glob("python3*"),
    Path("/usr/local/bin").glob("python3*"),
    Path.home().glob(".pyenv/versions/*/bin/python3"),
)


def main() -> int:
    """Try each Python, and say for each what came out."""
    found, bad = find_pythons(), 0
    for version, python in sorted(found.items(), key=lambda one: [int(part) for part in one[0].split(".")]):
        said = check(version, python)
        bad += bool(said)
        print(f"Python {version}: {said or 'the same bytes'}", flush=True)
    missing = [wanted for wanted in WANTED if not any(fits(wanted, version) for version in found)]
    if missing:
        print(f"Not tried, because they cannot be had here: Python {', '.join(missing)}.")
    if len(found) < 2:
        print("There is only one Python here. Install another, for example by pyenv.")
    return 1 if bad or len(found) < 2 else 0


def find_pythons() -> dict[str, str]:
    """Version -> a program of it, for all that are supported: what is installed, and what uv can provide."""
    named = [shutil.which(f"python{name}") for name in ("3", *dict.fromkeys(WANTED))]
    programs = [path for path in named if path] + [str(path) for place in PLACES for path in place]
    found: dict[str, str] = {}
    for program in programs:
        add(found, program)
    for wanted in WANTED:
        if not any(fits(wanted, version) for version in found):
            run(UV, "python", "install", wanted)
            add(found, run(UV, "python", "find", "--managed-python", wanted).stdout.strip())
    return found


def add(found: dict[str, str], program: str) -> None:
    """Add a program to those found if it runs, is supported, and no other is of its version."""
    if not program or program.endswith("-config"):
        return
    version = run(program, "-c", ASK).stdout.strip()
    if any(fits(wanted, version) for wanted in WANTED):
        found.setdefault(version, program)


def fits(wanted: str, version: str) -> bool:
    """Whether a version is the wanted one, or of the wanted minor version."""
    return f"{version}.".startswith(f"{wanted}.")


def check(version: str, python: str) -> str:
    """What differs on that Python, or why it could not be tried; "" if nothing differs."""
    venv = FOLDER / version
    own = venv / "bin" / "python"
    made = run(UV, "venv", "--quiet", "--allow-existing", "--python", python, venv)
    if not made.returncode:
        lock = ("--require-hashes", "-r", "requirements.lock")
        made = run(UV, "pip", "install", "--quiet", "--python", own, *lock)
    if made.returncode:
        return f"no environment: {' '.join(made.stderr.split())[-400:]}"
    done = run(own, "-m", "tests.discussions.metrics.golden", "--check")
    return " ".join(done.stderr.split())[-2000:] if done.returncode else ""


def run(*command: object) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; what does not start has ended with 127."""
    try:
        return subprocess.run(
            [str(word) for word in command], cwd=ROOT, capture_output=True, text=True, check=False
        )
    except OSError as fault:
        return subprocess.CompletedProcess(command, 127, "", str(fault))


if __name__ == "__main__":
    sys.exit(main())
