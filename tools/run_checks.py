"""`make check`: every check, all failures at once. `make fix`: what can be fixed automatically.

A check that ends with SKIPPED cannot run here; its output says why.
"""

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = ROOT / ".venv" / "bin"
PYTHON = sys.executable
SKIPPED = 77
SAID = {0: "ok", SKIPPED: "skipped"}
PRODUCTION = {
    "DJANGO_SETTINGS_MODULE": "evalsite.settings",
    "EVALSITE_MODE": "production",
    "DEMO": "false",
    "DEBUG": "false",
    "SECRET_KEY": "Kq7-zR2_vLx9mTn4wYp8sBd3hFj6gCe1aUi5oXr0QkMlPzNyGb5vTs7w",
    "AUDIT_KEY": "w8Tq3-nVx7_Lm2Rk9sPd4zHf6jYb1cGe5aUo0iXtZrMl",
    "ALLOWED_HOSTS": "evalsite.example.org",
    "CSRF_TRUSTED_ORIGINS": "https://evalsite.example.org",
    "DATABASE_URL": "postgres://evalsite:secret@127.0.0.1:5432/evalsite",
    "REDIS_URL": "redis://127.0.0.1:6379/0",
}
TESTING = {"DJANGO_SETTINGS_MODULE": "tests.settings"}
TEMPLATE_FORMAT = [
    str(BIN / "djangofmt"),
    "-q",
    "--profile",
    "jinja",
    "--line-length",
    "120",
    "--indent-width",
    "2",
]
Check = tuple[str, list[str], dict[str, str]]


def checks() -> list[Check]:
    """Name, command, environment of each check; first the one that waits for others, then the slowest first."""
    return [
        ("known vulnerabilities of dependencies (pip-audit)", [PYTHON, "-m", "tools.audit"], {}),
        ("types (mypy)", [str(BIN / "mypy")], TESTING),
        ("guards of the architecture", [PYTHON, "-m", "pytest", "-q", "-n0", "tests/guards"], {}),
        ("lint (ruff)", [str(BIN / "ruff"), "check", "."], {}),
        ("format (ruff format)", [str(BIN / "ruff"), "format", "--check", "--diff", "."], {}),
        ("templates (djangofmt)", [*TEMPLATE_FORMAT, "--check", "templates"], {}),
        (
            "production settings (check --deploy)",
            [PYTHON, "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
            PRODUCTION,
        ),
    ]


def main(arguments: list[str]) -> int:
    """Run the checks (or the repairs, with --fix); 1 when any failed."""
    if "--fix" in arguments:
        return fix()
    # Two at once, plus the one that waits for the network.
    with ThreadPoolExecutor(3) as pool:
        results = list(pool.map(run, checks()))
    failed = [result for result in results if result[1] not in (0, SKIPPED)]
    for name, _, output, _ in failed:
        print(f"\n=== FAILED: {name}\n{output.strip()}")
    print()
    for name, code, output, seconds in results:
        print(f"  {SAID.get(code, 'FAILED '):7}  {name} ({seconds:.1f} s)")
        if code == SKIPPED:
            print(f"           {output.strip()}")
    if failed:
        print(
            f"\n{len(failed)} of {len(results)} checks failed. `make fix` puts right what can be put right by itself."
        )
    return 1 if failed else 0


def run(check: Check) -> tuple[str, int, str, float]:
    """One check: its name, exit code, output and duration."""
    name, command, extra = check
    began = time.monotonic()
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=dict(os.environ) | extra,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return name, done.returncode, done.stdout, time.monotonic() - began


def fix() -> int:
    """Run the linter's own fixes and the two formatters; write the tables of docs/exports.md and docs/llms.txt."""
    commands = [
        [str(BIN / "ruff"), "check", "--fix", "."],
        [str(BIN / "ruff"), "format", "."],
        [*TEMPLATE_FORMAT, "templates"],
        [PYTHON, "-m", "tools.export_tables"],
        [PYTHON, "-m", "tools.llms"],
    ]
    for command in commands:
        subprocess.run(command, cwd=ROOT, check=False)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
