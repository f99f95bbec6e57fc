"""Writes a backup of the whole installation."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import msgspec
from django.db import DatabaseError, connection
from django.utils import timezone

from workspace.backups.actions import Damaged, delete_old_backups, keep_erasures, make_backup, note_made
from workspace.backups.core import Unusable
from workspace.blob_store import BytesLost
from workspace.database.dumps import DumpFailed
from workspace.database.startup_checks import missing_migrations
from workspace.management.command import BAD_INPUT, DIFFERS, SiteCommand, sentence_of
from workspace.people.actions.people import system_person


class Command(SiteCommand):
    help = (
        "Writes a backup of the installation into a folder, as one file: database, uploads and audit heads, while\n"
        "people work. It is read through before it gets its name. The secrets (.env) are not in it:\n"
        "keep AUDIT_KEY at another place (docs/backup.md).\n"
        "Exit codes: 0 written and checked, 1 it failed, 2 the command could not start.\n"
        "Example: manage.py backup /var/backups/evalsite --keep 14"
    )
    requires_system_checks: list[str] = []
    requires_migrations_checks = True

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, help="a folder that is there; one for each installation")
        parser.add_argument(
            "--keep",
            type=int,
            metavar="NUMBER",
            help="afterwards delete this site's backups in the folder but the newest so many",
        )
        parser.add_argument("--json", action="store_true", help="answer as JSON")

    def handle(self, *_: Any, **options: Any) -> None:
        keep = options["keep"]
        if keep is not None and keep < 1:
            self.end(BAD_INPUT, f"--keep is {keep}; write 1 or more.")
        folder, now = options["folder"], timezone.now()
        try:
            path, manifest = make_backup(folder, now)
            size = path.stat().st_size
            # A backup by newer code, made before the migrations run: the table to record it in may not exist yet.
            if not missing_migrations(connection):
                note_made(manifest=manifest, by=system_person(now=now), now=now)
                keep_erasures(folder)
            deleted = [] if keep is None else delete_old_backups(folder, keep)
        except Unusable as reason:
            self.end(BAD_INPUT, str(reason))
        except (Damaged, DumpFailed, BytesLost, DatabaseError, OSError) as fault:
            sentence = f"Something failed: {sentence_of(fault)} Correct it and run this again."
            self.end(DIFFERS, sentence, code="failed")
        facts: dict[str, object] = {"file": str(path), "byte_count": size, "deleted": deleted}
        facts["manifest"] = msgspec.to_builtins(manifest)
        says = (
            f"{path}: {size:,} bytes, read through. {sum(manifest.rows.values()):,} rows of {manifest.server}, "
            f"{len(manifest.parts) - 1:,} files."
        )
        self.answer(facts, [says, *(f"Deleted {name}." for name in deleted)])
