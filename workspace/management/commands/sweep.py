"""Sends messages again for waiting or dropped jobs, and does the work that is due by time alone."""

import argparse
import threading
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import OperationalError, close_old_connections
from django.utils.module_loading import import_string
from kombu.exceptions import OperationalError as BrokerAway

from workspace.blob_store import drop_parts
from workspace.checks.actions import run_daily_maintenance
from workspace.database.clock import database_now
from workspace.jobs.actions import NOTIFY_AGAIN, send, sweep_jobs
from workspace.people.actions import system_person
from workspace.tasks import BEAT

PARTS_STAY = timedelta(hours=24)


class Command(BaseCommand):
    """One sweep, or one every so many seconds until it is stopped."""

    help = (
        "Rings again for jobs that nobody took and for those whose worker fell silent, and gives places on games back\n"
        "whose lease has ended.\n"
        "Example: manage.py sweep --every 10"
    )

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> Any:
        """Keep the line break of the example."""
        return super().create_parser(
            prog_name, subcommand, formatter_class=argparse.RawDescriptionHelpFormatter, **kwargs
        )

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """--every"""
        parser.add_argument("--every", type=float, metavar="SECONDS", help="sweep again and again")

    def handle(self, *_: Any, **options: Any) -> None:
        """The first sweep rings for everything that waits: what was rung before the start may be lost."""
        stopped = threading.Event()
        ring_again = timedelta(0)
        while True:
            self._sweep(ring_again)
            ring_again = NOTIFY_AGAIN
            if not options["every"] or stopped.wait(options["every"]):
                return
            close_old_connections()

    def _sweep(self, ring_again: timedelta) -> None:
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
            self.stderr.write(f"The sweep could not do its round and will try again: {reason}")
            return
        if rung:
            self.stdout.write(f"Rang again for {rung} jobs.")
