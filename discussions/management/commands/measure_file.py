"""Measures one transcript without touching the database: for people's own continuous integration."""

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any, NoReturn

from django.core.management.base import BaseCommand

from discussions.core.records import Fault
from discussions.metrics.core.registry import METRICS
from discussions.transcripts.core.measured_file import measured_file
from discussions.transcripts.core.notes import ReadGame
from discussions.transcripts.core.oddities import ODDITY_CODES
from discussions.transcripts.core.reader import read_transcripts
from rubric.core.records import DISCUSSION, RubricRecord
from rubric.versions.core.version_json import is_number, read_version
from rubric.versions.queries import DISCUSSION_NUMBERS, discussion_version

REFUSED = 2


class Command(BaseCommand):
    """`measure_file FILE [--rubric NUMBER|FILE] [--json]`: exit 0 when measured, 2 when a file is refused.

    Warnings, and what looks odd, go to stderr; with `--json` they are in the object.
    """

    help = (
        "Measures one transcript by the measured metrics and prints the result; the database is not used. "
        "Example: manage.py measure_file game.json --json"
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The transcript, a rubric version other than the newest, and the form of the output."""
        parser.add_argument("file", type=Path, help="a transcript in any format that can be imported")
        numbers = ", ".join(DISCUSSION_NUMBERS)
        says = f"a version that comes with the site ({numbers}), or the JSON of one; the newest unless given"
        parser.add_argument("--rubric", default=DISCUSSION_NUMBERS[-1], help=says)
        parser.add_argument("--json", action="store_true", dest="as_json", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """Reads, measures, prints."""
        as_json = options["as_json"]
        rubric = self._rubric(options["rubric"], as_json=as_json)
        read = self._game(options["file"], rubric, as_json=as_json)
        result = measured_file(read.record, rubric, read.warnings)
        if as_json:
            self.stdout.write(json.dumps(result, ensure_ascii=False, allow_nan=False))
            return
        for key, metric in result["metrics"].items():
            self.stdout.write(_line(key, metric))
        for warning in read.warnings:
            kind = "looks odd" if warning.code in ODDITY_CODES else "warning"
            self.stderr.write(f"{kind}: {warning.place}: {warning.message}")

    def _game(self, path: Path, rubric: RubricRecord, *, as_json: bool) -> ReadGame:
        """The one game of the file."""
        data = self._bytes(path, as_json=as_json)
        read = read_transcripts(data, path.name, role_map=rubric.lists["role_map"])
        if read.faults:
            self._refuse(read.faults, as_json=as_json)
        if len(read.games) != 1:
            ids = ", ".join(game.record.game_id for game in read.games) or "none"
            said = (
                f"The file holds {len(read.games)} games ({ids}); this command measures one. Split the file."
            )
            self._refuse([Fault(path.name, "not_one_game", said)], as_json=as_json)
        return read.games[0]

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
        """Says what is wrong on stderr and ends with exit code 2."""
        if as_json:
            rows = [{"place": fault.place, "code": fault.code, "message": fault.message} for fault in faults]
            self.stderr.write(json.dumps({"faults": rows}, ensure_ascii=False), lambda text: text)
        else:
            for fault in faults:
                self.stderr.write(f"{fault.place}: {fault.message}")
        sys.exit(REFUSED)


def _line(key: str, metric: dict[str, Any]) -> str:
    """One metric for people: name, score, counts, threshold, outcome."""
    symbol = METRICS[key].scale.symbol
    score = "pending" if metric["score"] is None else f"{metric['score']:.2f}{symbol}"
    outcome = {True: "PASS", False: "FAIL", None: "open"}[metric["passes"]]
    counts = f"{metric['numerator']}/{metric['denominator']}"
    if not metric["applicable"]:
        outcome += " by rule"
    return f"{key:22} {score:>10} {counts:>12}   threshold {metric['threshold']:g}{symbol}   {outcome}"
