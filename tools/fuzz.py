"""`make fuzz`: each target of tests/fuzz under the coverage-guided fuzzer atheris, FUZZ_SECONDS (60) each.

Corpus, log and findings stay under var/fuzz/<target>/; earlier findings are tried first. It prints one line per target,
and exits with 1 after a finding. `python -m tools.fuzz TARGET` runs one, `python -m tools.fuzz TARGET FILE` repeats a
finding without the fuzzer.
"""

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from tools import setup

ROOT = Path(__file__).resolve().parent.parent
HOME = ROOT / "var" / "fuzz"
SECONDS = 60
FLAGS = ("-max_len=32768", "-timeout=60", "-rss_limit_mb=2048", "-print_final_stats=1")
NO_FUZZER = (
    "The fuzzer atheris cannot be had here: it is installed from the package registry and has wheels for Python 3.11 "
    "to 3.13 on Linux alone."
)


class Run(NamedTuple):
    """The result of one run, from its log; `finding` is the file of the input that broke something, or ""."""

    runs: int
    seconds: int
    before: int
    after: int
    finding: str
    said: str
    is_over: bool


def main(arguments: list[str]) -> int:
    """Run all targets, or the one named, or repeat the file given; 1 with a finding or a sentence."""
    from tests.fuzz.targets import TARGETS

    names = arguments[:1] or list(TARGETS)
    if names[0] not in TARGETS:
        print(f'There is no target "{names[0]}"; there are {", ".join(TARGETS)}.')
        return 1
    if arguments[1:]:
        TARGETS[names[0]].run(Path(arguments[1]).read_bytes())
        print("This input breaks nothing now.")
        return 0
    seconds = os.environ.get("FUZZ_SECONDS", "").strip() or str(SECONDS)
    if not seconds.isdecimal() or not int(seconds):
        print(f'FUZZ_SECONDS is "{seconds}"; write a whole number of seconds, such as 60.')
        return 1
    if not setup.add("fuzz"):
        print(f"MISSING: {NO_FUZZER}")
        return 0 if os.environ.get("ALLOW_MISSING") == "1" else 1
    found = [fuzz(name, TARGETS[name].seeds(), int(seconds)) for name in names]
    return 0 if all(run.is_over and not run.finding for run in found) else 1


def fuzz(name: str, seeds: list[bytes], seconds: int) -> Run:
    """Fuzz one target for that long, starting from these inputs, its corpus, and earlier findings."""
    home = HOME / name
    folders = [home / part for part in ("corpus", "seeds", "findings")]
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
    for seed in seeds:
        (folders[1] / hashlib.sha256(seed).hexdigest()[:16]).write_bytes(seed)
    command = [sys.executable, "-m", "tests.fuzz.run", name, *map(str, folders), *FLAGS]
    command += [f"-max_total_time={seconds}", f"-artifact_prefix={folders[2]}/"]
    log = home / "log.txt"
    with log.open("wb") as file:
        subprocess.run(command, cwd=ROOT, stdout=file, stderr=file, check=False)
    found = read_log(log.read_text(errors="replace"))
    for line in describe_run(name, found):
        print(line, flush=True)
    return found


def read_log(text: str) -> Run:
    """The result of the run, from the fuzzer's log."""
    numbers = {
        key: int(found[1]) if (found := re.search(pattern, text, re.MULTILINE)) else 0
        for key, pattern in (
            ("runs", r"^stat::number_of_executed_units: (\d+)"),
            ("seconds", r"^Done \d+ runs in (\d+) second"),
            ("before", r"INITED cov: (\d+)"),
        )
    }
    covered = re.findall(r"\bcov: (\d+)", text)
    finding = re.search(r"Test unit written to (\S+)", text)
    said = re.search(r"=== Uncaught Python exception: ===\n(.*)", text) or re.search(
        r"ERROR: libFuzzer: (.*)", text
    )
    return Run(
        **numbers,
        after=int(covered[-1]) if covered else 0,
        finding=finding[1] if finding else "",
        said=said[1].strip() if said else " ".join(text.split("\n")[-4:]).strip(),
        is_over=re.search(r"^Done \d+ runs in", text, re.MULTILINE) is not None,
    )


def describe_run(name: str, run: Run) -> list[str]:
    """One line for people; three with a finding."""
    figures = f"{run.runs:,} runs in {run.seconds} s, coverage {run.before:,} -> {run.after:,}"
    if run.finding:
        file = os.path.relpath(run.finding, ROOT)
        repeat = f".venv/bin/python -m tools.fuzz {name} {file}"
        return [
            f"  {name:12} {figures}, FINDING: {file}",
            f"      {run.said[:160]}",
            f"      repeat it: {repeat}",
        ]
    if not run.is_over:
        return [f"  {name:12} did not run: {run.said} (var/fuzz/{name}/log.txt)"]
    return [f"  {name:12} {figures}, no finding"]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
