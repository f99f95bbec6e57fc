"""Sends messages again for waiting or dropped jobs, and does the work that is only due by time."""

from datetime import timedelta
from typing import Any

from django.db import OperationalError
from kombu.exceptions import OperationalError as BrokerAway

from workspace.checks.actions import sweep
from workspace.checks.queries import load_acts
from workspace.database.transactions import database_now
from workspace.jobs.actions import send
from workspace.management.command import DIFFERS, SiteCommand
from workspace.people.actions.people import system_person
from workspace.tasks import BEAT


class Command(SiteCommand):
    help = (
        "Sends the message again for jobs that nobody took and for those whose worker stopped, and ends expired\n"
        "leases of slots. Workers do this every ten seconds; the command does it once, at once.\n"
        "Exit codes: 0 done, 1 the database or the broker did not answer, or an act of the sweep failed.\n"
        "Example: manage.py sweep"
    )
    requires_migrations_checks = True

    def handle(self, *_: Any, **options: Any) -> None:
        try:
            now = database_now()
            notified = sweep(by=system_person(now=now), now=now, notify_again=timedelta(0))
            send(BEAT, expires=30)
        except (OperationalError, BrokerAway) as reason:
            self.stderr.write(f"The sweep could not do its round: {reason}")
            raise SystemExit(DIFFERS) from None
        failed = [act for act in load_acts() if act.error]
        for act in failed:
            self.stderr.write(f"The sweep could not do {act.name}: {act.error}")
        if notified:
            self.stdout.write(f"Sent the message again for {notified} jobs.")
        if failed:
            raise SystemExit(DIFFERS)
