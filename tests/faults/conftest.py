"""The table of faults that `make faults` prints: each test that survived one adds a row."""

import json
import os
from pathlib import Path

import pytest
from django.db import connection

from tests.faults.crowd import breaches
from tools.run_faults import FOLDER, Row, print_table

ROWS = pytest.StashKey[list[Row]]()


@pytest.fixture
def fault_table(request):
    """`fault_table(moment, fault, held, acknowledged=, lost=, back=)` adds a row, after `verify` was found clean.

    `acknowledged` and `lost` are counts of acts, `back` the seconds until people were served again. `stack` is the
    site that `verify` is asked of: by default the live stack, or the tests' own database where there is none.
    """
    rows = request.config.stash.setdefault(ROWS, [])

    def add(moment, fault, held, *, acknowledged=None, lost=0, back=None, stack=None):
        if stack is None and "live_stack" in request.fixturenames:
            stack = request.getfixturevalue("live_stack")
        if stack is None:
            assert breaches() == {}
            on, said = connection.vendor, "all hold"
        else:
            on = "sqlite" if stack.database_url.startswith("sqlite") else "postgresql"
            said = stack.manage("verify").strip().splitlines()[-1]
            assert "all hold" in said
        row = Row(fault, moment, on, acknowledged, lost, back, said, held)
        rows.append(row)
        if folder := os.environ.get(FOLDER):
            with Path(folder, f"{os.getpid()}.jsonl").open("a") as file:
                file.write(json.dumps(row) + "\n")

    return add


def pytest_terminal_summary(terminalreporter, config):
    """Print the rows when this process ran the tests itself; `make faults` gathers them of all processes."""
    rows = config.stash.get(ROWS, [])
    if rows and FOLDER not in os.environ:
        terminalreporter.section("faults survived")
        print_table(rows)
