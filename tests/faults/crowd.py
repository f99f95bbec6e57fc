"""Many at the same moment, and what must hold of everything stored when they are done."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

from django.db import connection

from discussions.management.commands.verify import CHECKS
from tests.factories.people import moment
from tools.processes import PATIENCE
from workspace.checks.core import run_check


def crowd_size() -> int:
    """How many begin together: as many as the database is meant for."""
    return 50 if connection.vendor == "postgresql" else 8


def at_once(*acts: Callable[[], Any]) -> list[Any]:
    """What each act gave, in order, or the exception that it raised; all begin together, each on its own connection."""
    gate = Barrier(len(acts))

    def run(act: Callable[[], Any]) -> Any:
        gate.wait(timeout=PATIENCE)
        try:
            return act()
        except Exception as raised:  # noqa: BLE001  what came out of it is what the test asks
            return raised
        finally:
            connection.close()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


def failures(results: list[Any]) -> list[Exception]:
    """What was raised."""
    return [result for result in results if isinstance(result, Exception)]


def breaches(minutes: float = 600) -> dict[str, list[str]]:
    """What `manage.py verify` would say now, by the code of the check; nothing when all holds."""
    found = {check.code: run_check(check, moment(minutes)).breaches for check in CHECKS}
    return {code: said for code, said in found.items() if said}
