"""Imports transcripts from the command line."""

import argparse
import threading
from collections.abc import Iterator
from itertools import chain
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from msgspec.structs import replace

from discussions.imports.actions.columns import map_columns
from discussions.management import transcript_files
from discussions.models import ColumnMapping, Game, Iteration, Transcript
from discussions.queries import MEASURE
from discussions.transcripts.actions import IMPORT_PRIVATE, Imported, Received, Upload, import_files
from discussions.transcripts.core.layouts import ReadOptions
from discussions.transcripts.core.readers.columns import ENCODING, MappingRecord, find_mapping, fits_columns
from discussions.transcripts.core.readers.heads import HEAD_BYTES, read_head
from discussions.transcripts.queries import load_mappings, mapping_record
from workspace.core.canonical import bytes_hash
from workspace.core.words import decode_stored
from workspace.database.transactions import database_now
from workspace.jobs.actions import run_job
from workspace.management.command import DIFFERS, DONE, BadInput, SiteCommand, find_person, find_project
from workspace.models import Job, Project
from workspace.models.jobs import QUEUED, RUNNING


class Command(SiteCommand):
    """Uploads files as a person would; with --wait also does the work."""

    help = (
        "Imports transcripts into a project. Games without faults are imported; every fault of the others is listed.\n"
        "Exit codes: 0 all imported, 1 something was refused or failed, 2 the command could not start.\n"
        "Example: manage.py import_transcripts games/*.json --project mafia --by lead@example.org --wait\n"
        "Example: unzip -p all.zip one.json | manage.py import_transcripts - --project mafia --by lead@example.org\n"
        "--map and --recipe keep how files of rows are read for the project, as the page does.\n"
        "Example: manage.py import_transcripts a.csv --map player=Who,text=What --project mafia --by lead@example.org"
    )
    requires_migrations_checks = True

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "paths", nargs="+", metavar="PATH", help="a file (a zip, too), a folder, or - for stdin"
        )
        parser.add_argument("--project", required=True, metavar="SLUG", help="the project's short name")
        parser.add_argument(
            "--by", required=True, metavar="EMAIL", help="whose import it is: a lead or an admin"
        )
        transcript_files.add_reading(parser)
        parser.add_argument("--iteration", type=int, metavar="NUMBER", help="instead of the unsorted one")
        parser.add_argument(
            "--wait", action="store_true", help="read and measure here and now, without a worker"
        )
        parser.add_argument("--json", action="store_true", help="answer as JSON")

    def handle(self, *_: Any, **options: Any) -> None:
        """Exit code 2 before anything is stored, 1 when a file or game was refused."""
        received = self._import(options)
        if options["wait"]:
            # They lead to measuring, which a worker may do beside.
            transcripts = [upload.transcript for upload in received.imported]
            see_through(Job.objects.filter(pk__in=[transcript.job_id for transcript in transcripts]))
            files = [f"transcript:{transcript.pk}" for transcript in transcripts]
            see_through(Job.objects.filter(kind=IMPORT_PRIVATE, subject__in=files))
            subjects = {f"iteration:{transcript.iteration_id}" for transcript in transcripts}
            see_through(Job.objects.filter(kind=MEASURE, subject__in=subjects))
        reports = [_report(upload, is_waited=options["wait"]) for upload in received.imported]
        refused = [why.sentence for why in received.refused]
        self.answer({"imports": reports, "refused": refused}, chain(refused, *map(_write_report, reports)))
        is_refused = received.refused or any(report["is_refused"] for report in reports)
        raise SystemExit(DIFFERS if is_refused else DONE)

    def _import(self, options: dict[str, Any]) -> Received:
        project = find_project(options["project"], advice="Open it first, or correct --project.")
        person = find_person(options["by"])
        named = transcript_files.named_format(options["format"])
        mappings = [("", mapping) for mapping in transcript_files.mapped_columns(options["map"])]
        mappings += _recipes(project, options["recipe"])
        files = transcript_files.read_paths(options["paths"], ReadOptions(named=named))
        kept = load_mappings(project)
        heads = {
            bytes_hash(file.data): (name, _head(file, mapping, options, kept))
            for name, mapping in mappings
            for file in files
        }
        received = import_files(
            project=project,
            files=files,
            by=person,
            now=timezone.now(),
            iteration=_iteration(project, options["iteration"]),
            format_name=options["format"],
            encoding=options["encoding"],
        )
        for upload in received.imported:
            name, head = heads.get(upload.transcript.sha256, ("", None))
            if head is not None:
                map_columns(
                    transcript=upload.transcript, mapping=head, by=person, now=timezone.now(), name=name
                )
        return received


def _head(
    file: Upload, mapping: MappingRecord, options: dict[str, Any], kept: list[MappingRecord]
) -> MappingRecord | None:
    """The recipe for the columns of this file; None when it has no columns, or is read so anyway.

    Raises BadInput when it lacks a column.
    """
    table = read_head(
        file.data[:HEAD_BYTES],
        is_part=len(file.data) > HEAD_BYTES,
        format_name=options["format"],
        settings=mapping.settings | ({ENCODING: options["encoding"]} if options["encoding"] else {}),
    )
    if table is None:
        return None
    missing = fits_columns(mapping.fields, table.columns)
    if missing:
        known = ", ".join(f'"{column[:60]}"' for column in table.columns[:20])
        raise BadInput(f'"{file.name}" has no column "{missing}"; it has {known}. Correct --map or --recipe.')
    if find_mapping(table.columns, kept) == find_mapping(table.columns, [mapping]):
        return None
    return replace(mapping, columns=table.columns)


def _recipes(project: Project, given: str) -> list[tuple[str, MappingRecord]]:
    """The recipe in a file, else that of the project with this name. Raises BadInput."""
    row = ColumnMapping.objects.filter(project=project, name=given, removed_at=None).first()
    recipe = transcript_files.recipe_of_file(given) or ((row.name, mapping_record(row)) if row else None)
    if given and recipe is None:
        raise BadInput(f'There is no file and no recipe "{given}". Correct --recipe.')
    return [recipe] if recipe else []


def _iteration(project: Project, number: int | None) -> Iteration | None:
    if number is None:
        return None
    found = Iteration.objects.filter(project=project, number=number).first()
    if found is None:
        raise BadInput(f"The project has no iteration {number}. Correct --iteration.")
    return found


def see_through(jobs: QuerySet[Job]) -> None:
    """Do these jobs here, until none of them waits or runs; a worker may do some of them beside."""
    pause = threading.Event()
    while keys := list(jobs.filter(state__in=(QUEUED, RUNNING)).order_by("pk").values_list("pk", flat=True)):
        if sum(run_job(job=key, clock=database_now) for key in keys) == 0:
            pause.wait(0.2)


def _write_report(report: dict[str, Any]) -> Iterator[str]:
    many = "game" if report["games"] == 1 else "games"
    games = "" if report["games"] is None else f", {report['games']} {many} in"
    state = "waits for an answer (or --map)" if report["waits_for_columns"] else report["state"]
    yield f"{report['file']}: {report['outcome']}, {state}{games}"
    for fault in report["faults"]:
        yield f"  {fault['place']}: {fault['message']}"
    if report["error"]:
        yield f"  {report['error']}"


def _report(made: Imported, *, is_waited: bool) -> dict[str, Any]:
    transcript = Transcript.objects.select_related("job").get(pk=made.transcript.pk)
    job = transcript.job
    state = job.state if job else "done"
    is_over = is_waited or state not in ("queued", "running")
    return {
        "file": transcript.name,
        "sha256": transcript.sha256,
        "outcome": {"new": "taken in", "resumed": "resumed", "already": "already imported"}[made.outcome],
        "state": state,
        "waits_for_columns": is_over and transcript.waits_for_columns,
        "games": Game.objects.filter(transcript=transcript).count() if is_over else None,
        "faults": decode_stored(transcript.faults, list[dict[str, Any]]),
        "fault_count": transcript.fault_count,
        "error": job.error if job else "",
        "is_refused": transcript.fault_count > 0 or state == "failed",
    }
