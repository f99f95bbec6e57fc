"""Writes an export from the command line."""

import argparse
import json
import sys
from pathlib import Path
from typing import IO, Any

from django.utils import timezone

from discussions.exports.actions import write_export_at_once
from workspace.exports.core.choices import FILES, GAME, GAMES, ITERATION, PROJECT, SET, STAGE
from workspace.management.command import DIFFERS, SiteCommand, find_person, find_project


class Command(SiteCommand):
    """Exports as the pages do, at once, with the rights of the person named by --by."""

    help = (
        "Exports a project or a part of it: everything for leads and admins, their own work for evaluators.\n"
        "Formats: docs/exports.md. With - the export goes to standard output.\n"
        "Exit codes: 0 written, 1 writing failed, 2 the command could not start.\n"
        "Example: manage.py export --project mafia --game 7 --format jsonl --by lead@example.org --out game-7.jsonl"
    )
    requires_migrations_checks = True

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--project", required=True, metavar="SLUG", help="the project's short name")
        part = parser.add_mutually_exclusive_group()
        for kind in (STAGE, ITERATION, GAME, SET):
            part.add_argument(
                f"--{kind}", type=int, metavar="NUMBER", help=f"this {kind} of the project only"
            )
        part.add_argument("--games", metavar="NUMBERS", help='these games only, as in "3,5-7"')
        parser.add_argument("--format", required=True, choices=list(FILES))
        parser.add_argument(
            "--by", required=True, metavar="EMAIL", help="with whose rights, and in whose name"
        )
        parser.add_argument("--out", required=True, metavar="FILE", help="the file to write, or -")
        parser.add_argument("--pseudonyms", action="store_true", help="pseudonyms instead of names")
        parser.add_argument("--bom", action="store_true", help="a byte order mark in CSV files, for Excel")
        parser.add_argument(
            "--json", action="store_true", help="answer as JSON (on standard error with --out -)"
        )

    def handle(self, *_: Any, **options: Any) -> None:
        """Exit code 2 before anything is written, 1 when writing failed."""
        try:
            lines = self._export(options)
        except OSError as error:
            sentence = f'"{options["out"]}" could not be written: {error.strerror or error}.'
            sentence = f"{sentence} Check the place and the free space."
            self.end(DIFFERS, sentence, code="cannot_write")
        else:
            self._say(lines, options)

    def _export(self, options: dict[str, Any]) -> dict[str, int]:
        kinds = (STAGE, ITERATION, GAME, SET, GAMES)
        given: dict[str, Any] = {
            "project": find_project(options["project"]),
            "of": next((f"{kind}:{options[kind]}" for kind in kinds if options[kind] is not None), PROJECT),
            "format": options["format"],
            "pseudonyms": options["pseudonyms"],
            "byte_order_mark": options["bom"],
            "by": find_person(options["by"]),
            "now": timezone.now(),
        }
        if options["out"] == "-":
            return write_export_at_once(out=sys.stdout.buffer, **given)
        with _PartFile(Path(options["out"])) as out:
            return write_export_at_once(out=out, **given)

    def _say(self, lines: dict[str, int], options: dict[str, Any]) -> None:
        answer = self.stderr if options["out"] == "-" else self.stdout
        if self.as_json:
            summary = {"file": options["out"], "format": options["format"], "lines": lines}
            answer.write(json.dumps(summary, ensure_ascii=False), lambda text: text)
            return
        counts = ", ".join(f"{count} {kind}" for kind, count in lines.items() if kind != "export")
        answer.write(f"{options['out']}: {counts or 'nothing to export'}", lambda text: text)


class _PartFile:
    """A file that gets its name when it is complete, so that a name never stands for half an export."""

    def __init__(self, path: Path) -> None:
        self.path, self.part = path, path.with_name(f"{path.name}.part")

    def __enter__(self) -> IO[bytes]:
        self.file = self.part.open("wb")
        return self.file

    def __exit__(self, kind: object, *_rest: object) -> None:
        self.file.close()
        if kind is None:
            self.part.replace(self.path)
        else:
            self.part.unlink(missing_ok=True)
