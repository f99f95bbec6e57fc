"""Measures the games of one file without touching the database: for people's own continuous integration."""

import json
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from itertools import chain
from pathlib import Path
from typing import Any, NoReturn

from django.core.management.base import BaseCommand

from discussions.core.records import Fault
from discussions.management.transcript_files import (
    FORMAT_NAMES,
    MAP_HELP,
    BadInput,
    mapped_columns,
    named_format,
    read_paths,
)
from discussions.metrics.core.registry import METRICS
from discussions.transcripts.core.file_names import shown_name
from discussions.transcripts.core.layouts import ReadOptions
from discussions.transcripts.core.measured_file import measured_file
from discussions.transcripts.core.notes import ReadGame
from discussions.transcripts.core.oddities import ODDITY_CODES
from discussions.transcripts.core.plans import ReadPlan, plan_reading
from discussions.transcripts.core.reader import read_games
from rubric.core.records import DISCUSSION, RubricRecord
from rubric.versions.core.version_json import is_number, read_version
from rubric.versions.queries import DISCUSSION_NUMBERS, discussion_version

DIFFERS, BAD_INPUT = 1, 2


class Command(BaseCommand):
    """Prints each game as soon as it is measured, so that memory holds one of them.

    Faults, warnings and what looks odd go to stderr; with `--json` the warnings are in the objects.
    """

    help = (
        "Measures the games of a file by the measured metrics and prints the result; neither the database nor .env is\n"
        "needed. With --json each game is one JSON object on a line of its own.\n"
        "Exit codes: 0 all were measured, 1 some were refused, 2 nothing could be measured.\n"
        "Example: manage.py measure_file game.json --json\n"
        "Example: cat games.jsonl | manage.py measure_file - --json\n"
        "Example: manage.py measure_file chat.csv --map player=Speaker,text=Content"
    )
    requires_system_checks: list[str] = []

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> Any:
        """Keep the line breaks of the help."""
        return super().create_parser(
            prog_name, subcommand, formatter_class=RawDescriptionHelpFormatter, **kwargs
        )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The transcript, its format, a rubric version other than the newest, and the form of the output."""
        parser.add_argument(
            "file", help="a file as it can be imported (a zip, too), a folder, or - for stdin"
        )
        parser.add_argument(
            "--format", default="", metavar="NAME", help=f"instead of finding it: {FORMAT_NAMES}"
        )
        parser.add_argument("--map", action="append", default=[], metavar="FIELD=COLUMN,...", help=MAP_HELP)
        numbers = ", ".join(DISCUSSION_NUMBERS)
        says = f"a version that comes with the site ({numbers}), or the JSON of one; the newest unless given"
        parser.add_argument("--rubric", default=DISCUSSION_NUMBERS[-1], help=says)
        parser.add_argument("--json", action="store_true", dest="as_json", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """Reads, measures, prints, game by game."""
        as_json = options["as_json"]
        rubric = self._rubric(options["rubric"], as_json=as_json)
        plans = self._plans(options, rubric)
        has_many = sum(plan.game_count for plan in plans) > 1
        refused: list[Fault] = []
        count = 0
        for outcome in chain.from_iterable(map(read_games, plans)):
            refused += outcome.faults
            if outcome.game is not None:
                count += 1
                self._print(outcome.game, rubric, as_json=as_json, has_many=has_many)
        if refused:
            self._say(refused, as_json=as_json)
        if refused or not count:
            sys.exit(DIFFERS if count else BAD_INPUT)

    def _plans(self, options: dict[str, Any], rubric: RubricRecord) -> list[ReadPlan]:
        """What the file holds, or each file of the folder."""
        try:
            how = ReadOptions(
                role_map=rubric.lists["role_map"],
                named=named_format(options["format"]),
                columns=mapped_columns(options["map"]),
            )
            uploads = read_paths([options["file"]], how)
        except BadInput as reason:
            fault = Fault(shown_name(options["file"]), "cannot_read", str(reason))
            self._refuse([fault], as_json=options["as_json"])
        return [plan_reading(upload.data, upload.name, how) for upload in uploads]

    def _print(self, read: ReadGame, rubric: RubricRecord, *, as_json: bool, has_many: bool) -> None:
        """One game: a line of JSON, or a line for each metric, under its id where there are several."""
        result = measured_file(read.record, rubric, read.warnings)
        if as_json:
            self.stdout.write(json.dumps(result, ensure_ascii=False, allow_nan=False))
            return
        if has_many:
            self.stdout.write(f"{read.record.game_id}:")
        for key, metric in result["metrics"].items():
            self.stdout.write(_line(key, metric))
        for warning in read.warnings:
            kind = "looks odd" if warning.code in ODDITY_CODES else "warning"
            self.stderr.write(f"{kind}: {warning.place}: {warning.message}")

    def _rubric(self, given: str, *, as_json: bool) -> RubricRecord:
        """The shipped version of that number, else the version in the file of that name."""
        if given in DISCUSSION_NUMBERS:
            return discussion_version(given)
        path = Path(given)
        if is_number(given) and not path.exists():
            said = f'"{given}" is no version that comes with the site ({", ".join(DISCUSSION_NUMBERS)}), and no file.'
            self._refuse([Fault(given, "unknown_version", f"{said} Give one of these.")], as_json=as_json)
        found = read_version(self._bytes(path, as_json=as_json))
        if not isinstance(found, RubricRecord):
            faults = [Fault(f"{path.name} {item.pointer}".strip(), item.code, item.message) for item in found]
            self._refuse(faults, as_json=as_json)
        elif found.kind != DISCUSSION:
            said = f'The rubric\'s kind is "{found.kind}"; a transcript needs one of kind "{DISCUSSION}".'
            self._refuse([Fault(f"{path.name} /kind", "wrong_kind", said)], as_json=as_json)
        return found

    def _bytes(self, path: Path, *, as_json: bool) -> bytes:
        try:
            return path.read_bytes()
        except OSError as error:
            said = f"The file cannot be read: {error.strerror}. Check its name and its rights."
            self._refuse([Fault(path.name, "cannot_read", said)], as_json=as_json)

    def _refuse(self, faults: list[Fault], *, as_json: bool) -> NoReturn:
        """Says what is wrong and ends with exit code 2."""
        self._say(faults, as_json=as_json)
        sys.exit(BAD_INPUT)

    def _say(self, faults: list[Fault], *, as_json: bool) -> None:
        if as_json:
            rows = [{"place": fault.place, "code": fault.code, "message": fault.message} for fault in faults]
            self.stderr.write(json.dumps({"faults": rows}, ensure_ascii=False), lambda text: text)
            return
        for fault in faults:
            self.stderr.write(f"{fault.place}: {fault.message}")


def _line(key: str, metric: dict[str, Any]) -> str:
    """One metric for people: name, score, counts, threshold, outcome."""
    symbol = METRICS[key].scale.symbol
    score = "pending" if metric["score"] is None else f"{metric['score']:.2f}{symbol}"
    outcome = {True: "PASS", False: "FAIL", None: "open"}[metric["passes"]]
    counts = f"{metric['numerator']}/{metric['denominator']}"
    if not metric["applicable"]:
        outcome += " by rule"
    return f"{key:22} {score:>10} {counts:>12}   threshold {metric['threshold']:g}{symbol}   {outcome}"
