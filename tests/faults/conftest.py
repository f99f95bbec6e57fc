"""The tables of faults that `make faults` prints: a row of each test that survived one, and what each file tried."""

import json
import os
from pathlib import Path

import pytest
from django.db import connection

from tests.faults.bare_system import machine  # noqa: F401
from tests.faults.crowd import breaches
from tools.run_faults import FOLDER, ROWS, TRIED, Row, Tried, print_table

KEPT = pytest.StashKey[list[Row]]()


@pytest.fixture
def fault_table(request):
    """`fault_table(moment, fault, held, acknowledged=, lost=, back=)` adds a row, after `verify` was found clean.

    `acknowledged` and `lost` are counts of acts, `back` the seconds until people were served again. `stack` is the
    site that `verify` is asked of: by default the live stack, or the tests' own database where there is none.
    """
    rows = request.config.stash.setdefault(KEPT, [])

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
            with Path(folder, f"{os.getpid()}{ROWS}").open("a") as file:
                file.write(json.dumps(row) + "\n")

    return add


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Note for `make faults` how each test of this folder ended."""
    report = yield
    folder = os.environ.get(FOLDER)
    if folder and (report.when == "call" or (report.when == "setup" and not report.passed)):
        about = " ".join(item.module.__doc__.split("\n\n")[0].split())
        line = Tried(about, connection.vendor, report.outcome)
        with Path(folder, f"{os.getpid()}{TRIED}").open("a") as file:
            file.write(json.dumps(line) + "\n")
    return report


def pytest_terminal_summary(terminalreporter, config):
    """Print the rows when this process ran the tests itself; `make faults` gathers them of all processes."""
    rows = config.stash.get(KEPT, [])
    if rows and FOLDER not in os.environ:
        terminalreporter.section("faults survived")
        print_table(rows)
