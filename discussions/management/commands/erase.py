"""Erases games, uploads and people's names permanently, or shows what would go."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.files.storage import FileSystemStorage
from django.utils import timezone

from discussions.archives.actions.erasures import ask_to_erase, replay_erasure
from discussions.archives.queries.erasures import Erasable, list_erasures, preview_erasure
from discussions.models import Game, Transcript
from workspace.backups.actions import load_erasures
from workspace.backups.core import ERASURES, KeptErasure, Unusable
from workspace.blob_store import audit_heads
from workspace.database.transactions import database_now
from workspace.jobs.actions import run_job
from workspace.management.command import DIFFERS, BadInput, SiteCommand, find_person, find_project
from workspace.models import Person


class Command(SiteCommand):
    help = (
        "Permanently erases a game, an uploaded file with its games, a project, or a person's name. Without\n"
        "--reason it only says what would go.\n"
        "Figures of recorded verdicts stay in averages, decisions and gates.\n"
        "Exit codes: 0 done, or shown, 1 a job works on it, so the workers erase it later, 2 it could not start.\n"
        "Example: manage.py erase --project mafia --game 7 --reason 'Holds real names' --by admin@example.org"
    )
    requires_migrations_checks = True

    def add_arguments(self, parser: ArgumentParser) -> None:
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--game", type=int, metavar="NUMBER", help="a game of --project")
        what.add_argument(
            "--upload", type=int, metavar="NUMBER", help="an upload of --project, with its games"
        )
        what.add_argument("--whole", action="store_true", help="all of --project, with its audit log")
        what.add_argument("--person", metavar="EMAIL", help="name and address; what was judged stays")
        what.add_argument("--list", action="store_true", help="what was erased, and why")
        what.add_argument(
            "--replay", type=Path, nargs="+", metavar="FILE", help="what `restore` does at its end"
        )
        parser.add_argument("--project", metavar="SLUG")
        parser.add_argument("--reason", help="goes into the audit log: do not name what is erased")
        parser.add_argument("--by", metavar="EMAIL", help="who erases: an admin")
        parser.add_argument("--json", action="store_true", help="answer as JSON")

    def handle(self, *_: Any, **options: Any) -> None:
        if options["list"]:
            for row, name in list_erasures():
                state = f"erased {row.done_at:%F %T}" if row.done_at else "waits"
                self.stdout.write(f"{name}: {state}, by {row.created_by.email}: {row.reason}")
            return
        if options["replay"] is not None:
            self._replay(options["replay"])
            return
        thing = self._find(options)
        counts, notes = preview_erasure(thing)
        if not options["reason"]:
            self._say(counts, notes, "would be erased")
            return
        if not options["by"]:
            raise BadInput("Say who erases: --by EMAIL of an admin.")
        by = find_person(options["by"])
        erasure = ask_to_erase(thing=thing, reason=options["reason"], by=by, now=timezone.now())
        if erasure.job_id:
            run_job(job=erasure.job_id, clock=database_now)
        erasure.refresh_from_db()
        self._say(counts, notes, "erased" if erasure.done_at else "queued")
        if not erasure.done_at:
            raise SystemExit(DIFFERS)

    def _replay(self, places: list[Path]) -> None:
        """Erase again what lists of erasures name, oldest first, and say what was not there."""
        kept: dict[tuple[str, int, str], KeptErasure] = {}
        done = 0
        for storage, name in [
            (audit_heads(), ERASURES),
            *((FileSystemStorage(place.parent), place.name) for place in places),
        ]:
            try:
                kept |= {(one.kind, one.row, one.stamp): one for one in load_erasures(storage, name)}
            except Unusable as reason:
                self.stdout.write(f"Nothing of the list {name} was erased again: {reason}")
        for one in sorted(kept.values(), key=lambda one: one.at):
            erasure = replay_erasure(one, now=timezone.now())
            if erasure is not None and erasure.job_id:
                run_job(job=erasure.job_id, clock=database_now)
                erasure.refresh_from_db()
            done += erasure is not None and erasure.done_at is not None
            if erasure is not None and not erasure.done_at:
                self.stdout.write(f"{one.kind} {one.row} could not be erased again: its job says why.")
        left = len(kept) - done
        says = f"Erased again {done} of {len(kept)} erasures; {left} were erased already, or are not in this backup."
        self.stdout.write(says if kept else "No list of erasures was found, so nothing was erased again.")

    def _find(self, options: dict[str, Any]) -> Erasable:
        if email := options["person"]:
            person = Person.objects.filter(email=email.strip().lower()).first()
            if person is None:
                raise BadInput(f"There is no account of {email}. Correct --person.")
            return person
        project = find_project(options["project"] or "")
        if options["whole"]:
            return project
        name = "game" if options["game"] is not None else "upload"
        rows: Any = Game.objects.filter(number=options["game"])
        if name == "upload":
            rows = Transcript.objects.filter(pk=options["upload"])
        found: Game | Transcript | None = rows.filter(project=project).select_related("project").first()
        if found is None:
            raise BadInput(f"There is no {name} {options[name]} in {project.slug}. Correct --{name}.")
        return found

    def _say(self, counts: dict[str, int], notes: list[str], state: str) -> None:
        lines = [f"{count:>12,} {words} {state}" for words, count in counts.items()]
        self.answer({"state": state, "counts": counts, "notes": notes}, [*lines, *notes])
