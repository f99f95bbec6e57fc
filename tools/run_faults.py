"""`make faults`: run tests/faults, the long ones too, on SQLite and on PostgreSQL; print one table of all faults.

Each test that survived a fault has written a row as JSON into the folder that the variable FAULT_TABLE names.
"""

import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from tools import run_tests

FOLDER = "FAULT_TABLE"


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


def print_table(rows: list[Row]) -> None:
    """Print the rows in columns."""
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
    widths = [max(len(line[column]) for line in (head, *cells)) for column in range(len(head))]
    for line in (head, *cells):
        print("  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True)).rstrip())


def main() -> int:
    """Run them; 1 when a test fails."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="evalsite-faults-") as folder:
        os.environ |= {FOLDER: folder, run_tests.LONG: "1"}
        sys.argv[1:] = sys.argv[1:] or ["tests/faults"]
        code = run_tests.main()
        lines = [line for path in Path(folder).glob("*.jsonl") for line in path.read_text().splitlines()]
    print(f"\nFaults survived, in {time.monotonic() - began:.0f} s:\n")
    print_table([Row(*json.loads(line)) for line in lines])
    return code


if __name__ == "__main__":
    sys.exit(main())
