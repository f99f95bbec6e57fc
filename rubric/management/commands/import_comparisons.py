"""Brings comparisons and reviews into a set from the command line."""

import argparse
from pathlib import Path
from typing import Any

from django.utils import timezone
from msgspec import to_builtins

from rubric.comparisons.actions import ImportSummary, import_lines, open_set
from rubric.comparisons.core.lines import Lines, read_comparison_lines
from rubric.models import ComparisonSet, RubricVersion
from rubric.models.comparisons import MODES, default_mode
from workspace.management.command import DIFFERS, DONE, BadInput, SiteCommand, find_person, find_project
from workspace.models import Person


class Command(SiteCommand):
    """Uploads files as a team lead would."""

    help = (
        "Adds comparisons and reviews to a set, one JSON object a line (docs/comparisons.md). A file comes in whole, "
        "or every fault of it is listed and nothing of it does; what the set has already is passed over.\n"
        "Exit codes: 0 all imported, 1 a file was refused, 2 the command could not start.\n"
        "Example: manage.py import_comparisons soup.jsonl reviews.jsonl --project mafia --new Soup --mode both "
        "--by lead@example.org"
    )
    requires_migrations_checks = True

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "files", nargs="+", metavar="FILE", help="comparisons, reviews, or both, as JSONL"
        )
        parser.add_argument("--project", required=True, metavar="SLUG", help="the project's short name")
        into = parser.add_mutually_exclusive_group(required=True)
        into.add_argument("--set", type=int, metavar="NUMBER", help="the set's number in the project")
        into.add_argument("--new", metavar="NAME", help="opens a new set of that name")
        parser.add_argument(
            "--rubric", default="response", metavar="KEY", help="of a new set; default: response"
        )
        parser.add_argument("--mode", choices=[mode for mode, _says in MODES], help="of a new set")
        parser.add_argument("--by", required=True, metavar="EMAIL", help="in whose name: a lead or an admin")
        parser.add_argument("--json", action="store_true", help="answer as JSON")

    def handle(self, *_: Any, **options: Any) -> None:
        """Import the files one by one, in order: a later file may hold reviews of an earlier file's comparisons."""
        person = find_person(options["by"])
        files = [(Path(name), read_comparison_lines(_bytes(Path(name)))) for name in options["files"]]
        into = _set(options, person, [lines for _path, lines in files])
        reports = []
        for path, lines in files:
            brought = ImportSummary(faults=lines.faults)
            if into is not None:
                brought = import_lines(comparison_set=into, lines=lines, by=person, now=timezone.now())
            reports.append(_report(path, brought))
        self._say(into, reports)
        raise SystemExit(DIFFERS if any(report["faults"] for report in reports) else DONE)

    def _say(self, into: ComparisonSet | None, reports: list[dict[str, Any]]) -> None:
        lines = [f"Set {into.number}: {into.name}"] if into else []
        for report in reports:
            lines.append(f"{report['file']}: {_outcome(report)}")
            lines += [
                f"  line {fault['line']} {fault['pointer']}: {fault['message']}" for fault in report["faults"]
            ]
        self.answer({"set": into.number if into else None, "files": reports}, lines)


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadInput(
            f'The file "{path}" cannot be read: {error.strerror}. Check its name and its rights.'
        ) from None


def _set(options: dict[str, Any], person: Person, files: list[Lines]) -> ComparisonSet | None:
    """The named set, or a new one; None if a new one would stay empty because every file has faults."""
    project = find_project(options["project"], advice="Open it first, or correct --project.")
    if options["new"] is None:
        rows = ComparisonSet.objects.select_related("project", "rubric_version__rubric")
        found = rows.filter(project=project, number=options["set"]).first()
        if found is None:
            raise BadInput(
                f"The project has no comparison set {options['set']}. Correct --set, or give --new."
            )
        return found
    versions = {version.rubric.key: version for version in RubricVersion.objects.newest_of_each("response")}
    if options["rubric"] not in versions:
        known = ", ".join(sorted(versions))
        raise BadInput(f'No response rubric "{options["rubric"]}" is published. There is: {known}.')
    if all(lines.faults for lines in files):
        return None
    return open_set(
        project=project,
        name=options["new"],
        version=versions[options["rubric"]],
        mode=options["mode"] or default_mode(),
        by=person,
        now=timezone.now(),
    )


def _report(path: Path, brought: ImportSummary) -> dict[str, Any]:
    return {
        "file": path.name,
        "comparisons": brought.comparisons,
        "reviews": brought.reviews,
        "known": brought.known,
        "faults": [to_builtins(fault) for fault in brought.faults],
    }


def _outcome(report: dict[str, Any]) -> str:
    if report["faults"]:
        return "refused, nothing of it was added"
    named = (("comparisons", "comparison"), ("reviews", "review"))
    added = " and ".join(f"{report[key]} {text if report[key] == 1 else key}" for key, text in named)
    known = "1 line was" if report["known"] == 1 else f"{report['known']} lines were"
    return f"{added} added" + (f", {known} there already" if report["known"] else "")
