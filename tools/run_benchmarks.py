"""Run benchmarks/bench_*.py in turn; each prints its figures and fails when over its budget.

python -m tools.run_benchmarks [WORD ...]
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main(names: list[str]) -> int:
    """Run all, or those whose name contains one of the words given; 1 when any went over its budget."""
    scripts = sorted((ROOT / "benchmarks").glob("bench_*.py"))
    chosen = [script for script in scripts if not names or any(name in script.name for name in names)]
    if not chosen:
        print(
            "There is no such benchmark; benchmarks/ holds: " + ", ".join(script.name for script in scripts)
        )
        return 1
    failed = []
    for script in chosen:
        print(f"\n=== {script.name}", flush=True)
        module = f"benchmarks.{script.stem}"
        if subprocess.run([sys.executable, "-m", module], cwd=ROOT, check=False).returncode != 0:
            failed.append(script.name)
    if failed:
        print(f"\nOver budget: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
