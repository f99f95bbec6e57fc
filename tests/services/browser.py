"""The browser of pytest-playwright: the machine's Chromium, quiet and sealed from the network."""

import os

import pytest

from tests.services.missing import cannot
from tools import chromium

QUIET = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--no-first-run",
    "--disable-dev-shm-usage",
    "--disable-gpu",  # none is there: what draws in its place takes longer than plain drawing
    "--in-process-gpu",  # nor is a process for it needed
)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    """How Chromium is started; root has to do without its sandbox."""
    found = chromium.find()
    if found is None:
        cannot("Chromium", "there is none on the PATH or under var/; make test gets one by itself")
    as_root = ["--no-sandbox"] if os.getuid() == 0 else []
    return browser_type_launch_args | {"executable_path": found, "args": [*QUIET, *as_root]}


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args):
    """A laptop's window, a fixed language and time zone, no animations."""
    return browser_context_args | {
        "viewport": {"width": 1366, "height": 768},
        "locale": "en-GB",
        "timezone_id": "UTC",
        "reduced_motion": "reduce",
    }
