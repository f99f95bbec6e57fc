"""Checks that all stored data is consistent; exits with 1 when anything is not."""

from argparse import ArgumentParser
from typing import Any

import msgspec
from django.db import connection
from django.utils import timezone

from discussions.checks.actions import CHECKS as OF_DISCUSSIONS
from rubric.checks.actions import CHECKS as OF_RUBRIC
from workspace.checks.actions import CHECKS as OF_WORKSPACE
from workspace.checks.actions import verify
from workspace.checks.core import Checked
from workspace.database.startup_checks import missing_migrations
from workspace.management.command import BAD_INPUT, DIFFERS, SiteCommand
from workspace.people.actions.people import system_person

CHECKS = (*OF_WORKSPACE, *OF_RUBRIC, *OF_DISCUSSIONS)


class Command(SiteCommand):
    help = (
        "Checks the invariants of the stored data: audit log, jobs, revisions, reviews, verdicts, measurements,\n"
        "database. Writes nothing but the day's file of audit heads. A note is no breach: it says what is to be done.\n"
        "Exit codes: 0 all hold, 1 there is a breach, 2 the database is not migrated.\n"
        "Example: manage.py verify --only I7 --only I12"
    )
    requires_system_checks: list[str] = []
    requires_migrations_checks = True

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print what was found as JSON")
        parser.add_argument(
            "--only", action="append", choices=[check.code for check in CHECKS], metavar="CODE"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        if missing := missing_migrations(connection):
            sentence = (
                f"There is nothing to check yet: the database lacks {missing} migrations. Run `manage.py migrate` "
                "first, or name the right database by DATABASE_URL or VAR_DIR."
            )
            self.end(BAD_INPUT, sentence)
        now = timezone.now()
        chosen = [check for check in CHECKS if not options["only"] or check.code in options["only"]]
        checked = verify(checks=chosen, by=system_person(now=now), now=now)
        if self.as_json:
            self.stdout.write(msgspec.json.format(msgspec.json.encode(checked), indent=1).decode())
        else:
            self._say(checked)
        if any(check.breach_count for check in checked):
            raise SystemExit(DIFFERS)

    def _say(self, checked: list[Checked]) -> None:
        for check in checked:
            state = "ok    " if not check.breach_count else "BROKEN"
            self.stdout.write(f"{state} {check.code:4} {check.says}")
            for breach in check.breaches:
                self.stdout.write(f"            {breach}")
            if check.breach_count > len(check.breaches):
                self.stdout.write(f"            and {check.breach_count - len(check.breaches)} more")
            for note in check.notes:
                self.stdout.write(f"       note {note}")
            if check.note_count > len(check.notes):
                self.stdout.write(f"       note and {check.note_count - len(check.notes)} more")
        broken = sum(1 for check in checked if check.breach_count)
        self.stdout.write(
            f"{len(checked)} checks, {broken} broken." if broken else f"{len(checked)} checks, all hold."
        )
