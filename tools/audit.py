"""A check of `make check`: looks for known vulnerabilities of locked packages, with pip-audit and the database OSV.

pip-audit also succeeds when it learned nothing. So a version with known vulnerabilities is queried first: only a
database that names them counts as reached, and then it must answer for every package. Arguments are passed on to
pip-audit.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.lock import ROOT, read_lock
from tools.run_checks import BIN, SKIPPED

LOCKS = (*(f"requirements-{of}.lock" for of in ("dev", "redis", "mcp", "s3", "fuzz")), "tools/uv.lock")
# CVE-2025-48432 and others, says Django's list of security issues.
KNOWN_AS_VULNERABLE = "django==5.2.1"
# Seconds for the first query and for all others.
REACHED_WITHIN, ANSWERED_WITHIN = 8, 180
# Vulnerabilities that do not concern us, with the reason: {"PYSEC-...": "why"}.
ACCEPTED: dict[str, str] = {}
NOT_REACHED = "not audited: the database of vulnerabilities (OSV) cannot be reached from here"


def main(options: list[str]) -> int:
    """0 without known vulnerabilities, SKIPPED without an answer, else 1 with the vulnerabilities and their fixes."""
    control = ask([KNOWN_AS_VULNERABLE], options, REACHED_WITHIN)
    if not control or not any(package.get("vulns") for package in control.values()):
        print(NOT_REACHED)
        return SKIPPED
    locked = {f"{package.name}=={package.version}" for lock in LOCKS for package in read_lock(ROOT / lock)}
    answers = ask(sorted(locked), options, ANSWERED_WITHIN) or {}
    faults = [
        f"{name}: {vulnerability['id']}, fixed in {', '.join(vulnerability['fix_versions']) or 'no version yet'}"
        for name, package in answers.items()
        for vulnerability in package.get("vulns", [])
        if not {vulnerability["id"], *vulnerability["aliases"]} & ACCEPTED.keys()
    ]
    faults += [f"{name}: the database gave no answer" for name in sorted(locked - answers.keys())]
    print("\n".join(faults) or f"{len(locked)} packages, none with a known vulnerability")
    return 1 if faults else 0


def ask(pins: list[str], options: list[str], seconds: float) -> dict[str, dict] | None:
    """The known vulnerabilities of each pin with an answer; None when there was no answer in time."""
    with tempfile.TemporaryDirectory() as folder:
        asked, answer = Path(folder, "asked.txt"), Path(folder, "answer.json")
        asked.write_text("\n".join(pins))
        command = [
            str(BIN / "pip-audit"), "--requirement", str(asked), "--no-deps", "--disable-pip",
            "--vulnerability-service", "osv", "--timeout", "5", "--cache-dir", str(ROOT / "var" / "cache" / "audit"),
            "--format", "json", "--output", str(answer), "--progress-spinner", "off", *options,
        ]  # fmt: skip
        try:
            subprocess.run(command, cwd=ROOT, capture_output=True, check=False, timeout=seconds)
            found = json.loads(answer.read_text())["dependencies"]
        except (OSError, ValueError, subprocess.TimeoutExpired):
            return None
    return {
        f"{package['name']}=={package['version']}": package
        for package in found
        if "skip_reason" not in package
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
