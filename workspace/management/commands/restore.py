"""Restores a backup into an empty installation, and verifies the result."""

import io
import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import msgspec
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection
from django.utils import timezone

from workspace.backups.actions import (
    Damaged,
    check_restorable,
    choose_backup,
    note_restored,
    open_backup,
    put_back,
)
from workspace.backups.core import ERASURES, Manifest, Unusable
from workspace.database.dumps import DumpFailed
from workspace.database.startup_checks import missing_migrations
from workspace.management.command import BAD_INPUT, DIFFERS, DONE, SiteCommand, sentence_of
from workspace.people.actions.people import system_person

AGAIN = (
    "Correct that, then run it again. If the database has tables now, make a new, empty one for that and name it in "
    "DATABASE_URL, or move the file away."
)


class Command(SiteCommand):
    help = (
        "Restores a backup into an empty database and an empty VAR_DIR, brings an older one up to date, and runs\n"
        "verify. Everything in the file is checked before anything is written.\n"
        "Exit codes: 0 restored and all checks hold, 1 it failed or a check found something, 2 nothing was started.\n"
        "Example: manage.py restore /var/backups/evalsite/evalsite-20260131T023000Z.zip"
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("source", type=Path, help="a backup, or a folder: its newest backup")
        parser.add_argument(
            "--unsealed",
            action="store_true",
            help="also a backup whose seal does not fit AUDIT_KEY; only one that nobody else could write",
        )
        parser.add_argument(
            "--erasures",
            type=Path,
            nargs="+",
            default=[],
            metavar="FILE",
            help=f"more lists of what to erase again ({ERASURES}), besides that beside the backup",
        )
        parser.add_argument("--json", action="store_true", help="answer as JSON")

    def handle(self, *_: Any, **options: Any) -> None:
        again = io.StringIO()
        try:
            path = choose_backup(options["source"])
            with open_backup(path, is_sealed=not options["unsealed"]) as (archive, manifest):
                check_restorable(archive, manifest, path.name)
                self._started(manifest, path)
                put_back(archive, manifest)
            steps = missing_migrations(connection)
            if steps:
                call_command("migrate", interactive=False, verbosity=0)
            now = timezone.now()
            ended = note_restored(manifest=manifest, by=system_person(now=now), now=now)
            call_command("erase", replay=[path.parent / ERASURES, *options["erasures"]], stdout=again)
        except Unusable as reason:
            self.end(BAD_INPUT, str(reason))
        except (Damaged, DumpFailed, CommandError, DatabaseError, OSError) as fault:
            sentence = f"Restoring failed: {sentence_of(fault)} {AGAIN}"
            self.end(DIFFERS, sentence, code="failed")
        self._say(path, manifest, steps, ended, again.getvalue().splitlines())

    def _started(self, manifest: Manifest, path: Path) -> None:
        if not self.as_json:
            self.stdout.write(
                f"{path.name} of {manifest.made_at:%Y-%m-%d %H:%M} UTC, version {manifest.version}: every digest fits. "
                "Writing ..."
            )

    def _say(
        self, path: Path, manifest: Manifest, steps: int, ended: tuple[int, int], erased: list[str]
    ) -> None:
        answer, code = io.StringIO(), DONE
        try:
            call_command("verify", json=self.as_json, stdout=answer)
        except SystemExit as end:
            code = int(end.code or 0)
        files = len(manifest.parts) - 1
        if self.as_json:
            summary = {
                "file": str(path),
                "made_at": manifest.made_at.isoformat(),
                "version": manifest.version,
                "rows": sum(manifest.rows.values()),
                "files": files,
                "migrations_applied": steps,
                "sign_ins_ended": ended[0],
                "deliveries_ended": ended[1],
                "erased_again": erased,
                "verify": msgspec.json.decode(answer.getvalue()),
            }
            self.stdout.write(json.dumps(summary, ensure_ascii=False))
        else:
            more = f", brought up to date by {steps} migrations" if steps else ""
            self.stdout.write(f"Restored {sum(manifest.rows.values()):,} rows and {files:,} files{more}.")
            self.stdout.write(
                f"Ended {ended[0]:,} sign-ins, and {ended[1]:,} messages of webhooks that waited are not sent."
            )
            for line in erased:
                self.stdout.write(line)
            self.stdout.write(answer.getvalue().rstrip())
        raise SystemExit(code)
