"""Imports a project archive that another installation made."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.utils import timezone

from discussions.archives.actions.imports import import_archive
from discussions.archives.actions.loader import Loader
from discussions.management.commands.verify import CHECKS
from workspace.core.refusals import Refusal
from workspace.management.command import BAD_INPUT, SiteCommand
from workspace.people.actions.people import system_person

# These depend on the present installation: its workers, its database, who is signed in.
NOT_OF_DATA = ("I8", "I12", "I14")


class Command(SiteCommand):
    help = (
        "Imports a project archive (docs/archive.md): everything or nothing. The archive is read with suspicion, and\n"
        "what it holds is checked as `manage.py verify` does before anything is kept. Missing accounts are created,\n"
        "deactivated and without a password. People who have an account here get no role in the project, unless\n"
        "--keep-roles is given; the answer lists them. Import only archives of people whom you trust: an archive\n"
        "says who judged what.\n"
        "Exit codes: 0 imported, 2 the archive was refused and nothing was changed.\n"
        "Example: manage.py import_archive mafia.archive.zip"
    )
    requires_migrations_checks = True

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE")
        parser.add_argument("--slug", default="", help="another short name for the project")
        parser.add_argument(
            "--keep-roles",
            action="store_true",
            help="people who have an account here keep their roles in the project",
        )
        parser.add_argument("--json", action="store_true", help="answer as JSON")

    def handle(self, *_: Any, **options: Any) -> None:
        """Exit code 2 when nothing was imported."""
        now = timezone.now()
        checks = [check for check in CHECKS if check.code not in NOT_OF_DATA]
        try:
            with Path(options["file"]).open("rb") as file:
                done = import_archive(
                    file=file,
                    slug=options["slug"],
                    keeps_roles=options["keep_roles"],
                    checks=checks,
                    by=system_person(now=now),
                    now=now,
                )
        except OSError as error:
            said = f'"{options["file"]}" could not be read: {error.strerror or error}. Correct the path.'
            self.end(BAD_INPUT, said, code="cannot_read", place=options["file"])
        except Refusal as refusal:
            said, code = f"Nothing was imported. {refusal.sentence}", refusal.code
            self.end(BAD_INPUT, said, code=code, place=options["file"])
        summary = {
            "project": done.project.slug,
            "lines": done.counts,
            "uploads": done.upload_count,
            "new_people": done.new_people,
            "new_rubric_versions": done.new_versions,
            "known_members": [{"email": email, "role": role} for email, role in done.known_members],
            "keeps_roles": done.keeps_roles,
            "seals_hold": done.seals_hold,
        }
        self.answer(summary, _describe(done))


def _describe(done: Loader) -> Iterator[str]:
    count = sum(done.counts.values())
    yield f"Imported project {done.project.slug}: {count:,} rows and {done.upload_count:,} uploaded files."
    if done.new_people:
        yield f"New accounts, deactivated and without a password: {', '.join(done.new_people)}."
    if done.new_versions:
        yield (
            f"New rubric versions, which new work does not use: {', '.join(done.new_versions)}. An admin offers one "
            "for new work on its page."
        )
    if done.known_members:
        people = ", ".join(f"{email} ({role})" for email, role in done.known_members)
        yield (
            f"People who had an account here and are members now: {people}."
            if done.keeps_roles
            else f"People who had an account here; their memberships were ended by the import: {people}. Add them on "
            "the page of the project's people to give them a role."
        )
    yield (
        "The audit log was first sealed with this installation's key, and the first seals hold."
        if done.seals_hold
        else "The first seals of the audit log do not fit this installation's AUDIT_KEY: they were made with another "
        "key, or lines were changed. They are kept and marked as not checked."
    )
