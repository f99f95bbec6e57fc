"""`make faults`: run tests/faults and other files with long tests on SQLite and on PostgreSQL; print two tables.

One has a row for each survived fault, the other for each file what it tried and how many of its tests passed. Tests
write both as JSON into the folder that the variable FAULT_TABLE names.
"""

import json
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tools import run_tests

FOLDER = "FAULT_TABLE"
ROWS, TRIED = ".rows.jsonl", ".tried.jsonl"


class Row(NamedTuple):
    """A fault at a moment: acts acknowledged and lost, seconds until served again, what `verify` said, what held."""

    fault: str
    moment: str
    database: str
    acknowledged: int | None
    lost: int
    back: float | None
    verify: str
    held: str


class Tried(NamedTuple):
    """How one test ended ("passed", "failed" or "skipped"), of the file that is about this, on this database."""

    about: str
    database: str
    outcome: str


def print_tried(tests: list[Tried]) -> None:
    """Print for each file and database how many tests passed."""
    counted = Counter(tests)
    lines = [
        (
            about,
            database,
            *(str(counted[Tried(about, database, outcome)]) for outcome in ("passed", "failed", "skipped")),
        )
        for about, database in sorted({(test.about, test.database) for test in tests})
    ]
    print_columns([("what was tried", "database", "held", "failed", "skipped"), *lines])


def print_table(rows: list[Row]) -> None:
    """Print a line for each fault."""
    head = ("fault", "moment", "database", "acknowledged", "lost", "back after", "verify", "what held")
    cells = [
        (
            *row[:3],
            "" if row.acknowledged is None else str(row.acknowledged),
            str(row.lost),
            "" if row.back is None else f"{row.back:.1f} s",
            *row[6:],
        )
        for row in sorted(rows, key=lambda row: row[:3])
    ]
    print_columns([head, *cells])


def print_columns(lines: Sequence[Sequence[str]]) -> None:
    """Print the lines with their cells one below the other."""
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    for line in lines:
        print("  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True)).rstrip())


def main() -> int:
    """Run them; 1 when a test fails."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="evalsite-faults-") as folder:
        os.environ |= {FOLDER: folder, run_tests.LONG: "1", run_tests.ALL: "1"}
        sys.argv[1:] = sys.argv[1:] or run_tests.files("tests/faults/", "mark.long", "is_long")
        code = run_tests.main()
        rows = [Row(*line) for line in read_lines(folder, ROWS)]
        tests = [Tried(*line) for line in read_lines(folder, TRIED)]
    print(f"\nFaults survived, in {time.monotonic() - began:.0f} s:\n")
    print_table(rows)
    print("\nAll tests of faults:\n")
    print_tried(tests)
    return code


def read_lines(folder: str, ending: str) -> list[list[Any]]:
    """The lines that all test processes wrote into files with that ending."""
    files = Path(folder).glob(f"*{ending}")
    return [json.loads(line) for path in files for line in path.read_text().splitlines()]


if __name__ == "__main__":
    sys.exit(main())
