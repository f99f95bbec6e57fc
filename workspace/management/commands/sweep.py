"""Sends messages again for waiting or dropped jobs, and does the work that is due by time alone."""

import argparse
import threading
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import OperationalError, close_old_connections
from django.utils.module_loading import import_string
from kombu.exceptions import OperationalError as BrokerAway

from workspace.blob_store import drop_parts
from workspace.checks.actions import run_daily_maintenance
from workspace.database.clock import database_now
from workspace.jobs.actions import NOTIFY_AGAIN, send, sweep_jobs
from workspace.management.command import DIFFERS, SiteCommand
from workspace.people.actions import system_person
from workspace.tasks import BEAT

PARTS_STAY = timedelta(hours=24)


class Command(SiteCommand):
    """One sweep, or one every so many seconds until it is stopped."""

    help = (
        "Rings again for jobs that nobody took and for those whose worker fell silent, and gives places on games back\n"
        "whose lease has ended.\n"
        "Exit codes: 0 done, 1 the database or the broker did not answer (with --every it tries again), 2 bad input.\n"
        "Example: manage.py sweep --every 10"
    )

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """--every"""
        parser.add_argument("--every", type=_seconds, metavar="SECONDS", help="sweep again and again")

    def handle(self, *_: Any, **options: Any) -> None:
        """The first sweep rings for everything that waits: what was rung before the start may be lost."""
        stopped = threading.Event()
        ring_again = timedelta(0)
        while True:
            is_done = self._sweep(ring_again)
            ring_again = NOTIFY_AGAIN
            if not options["every"]:
                if not is_done:
                    raise SystemExit(DIFFERS)
                return
            if stopped.wait(options["every"]):
                return
            close_old_connections()

    def _sweep(self, ring_again: timedelta) -> bool:
        try:
            now = database_now()
            by = system_person(now=now)
            rung = sweep_jobs(by=by, now=now, ring_again=ring_again)
            for action in settings.SWEEP_ACTIONS:
                import_string(action)(by=by, now=now)
            run_daily_maintenance(by=by, now=now)
            send(BEAT, expires=30)
            drop_parts(before=now - PARTS_STAY)
        except (OperationalError, BrokerAway) as reason:
            self.stderr.write(f"The sweep could not do its round: {reason}")
            return False
        if rung:
            self.stdout.write(f"Rang again for {rung} jobs.")
        return True


def _seconds(text: str) -> float:
    """The pause between two sweeps: a tenth of a second to an hour. Raises ValueError."""
    if not 0.1 <= (value := float(text)) <= 3600:
        raise ValueError
    return value
