"""Measures the games of files without touching the database: for people's own continuous integration."""

import json
import sys
from argparse import ArgumentParser
from decimal import Decimal
from itertools import chain, islice
from pathlib import Path
from typing import Any, NoReturn

from msgspec.structs import replace

from discussions.core.records import Fault, Score
from discussions.management import transcript_files
from discussions.management.measured_base import FELL, compare_with_base, describe_comparison
from discussions.management.measured_file import find_shortfalls, measured_file, parse_limits
from discussions.metrics.core.registry import METRICS, measured_keys
from discussions.metrics.labels import LABELS
from discussions.transcripts.core.file_names import shown_name
from discussions.transcripts.core.layouts import ReadOptions
from discussions.transcripts.core.notes import ReadGame, ReadOutcome
from discussions.transcripts.core.oddities import ODDITY_CODES
from discussions.transcripts.core.reader import ReadPlan, plan_reading, read_games
from discussions.transcripts.core.readers.columns import UNKNOWN_COLUMNS, WAITING, MappingRecord
from discussions.verdicts.core.rule import find_automatic_failure
from rubric.core.records import DISCUSSION, RubricRecord
from rubric.versions.core.version_json import is_number, read_version
from rubric.versions.queries import DISCUSSION_NUMBERS, discussion_version
from workspace.display.pages import render_markdown
from workspace.management.command import BAD_INPUT, DIFFERS, BadInput, SiteCommand


class Command(SiteCommand):
    """Prints each game as soon as it is measured, so that memory holds few of them.

    Faults, warnings and what looks odd go to stderr; with `--json` the warnings are in the objects.
    """

    help = (
        "Measures the games of files by the measured metrics and prints the result; neither the database nor .env is\n"
        "needed. With --json each game is one JSON object on a line of its own. --markdown also writes a summary.\n"
        "A verdict needs people. It is FAIL on automatic values when it fails even if people judge all that is open\n"
        "in the game's favour. They may still override automatic values, so it is no verdict yet.\n"
        "Exit codes: 0 all were measured and accepted, 1 some were refused or below what --fail-under and\n"
        "--fail-on-verdict ask for, or a metric fell against --base, 2 the command is wrong or no file holds a game\n"
        "in a known format.\n"
        "Example: manage.py measure_file game.json --json\n"
        "Example: cat games.jsonl | manage.py measure_file - --json\n"
        "Example: manage.py measure_file chat.csv --map player=Speaker,text=Content\n"
        "Example: manage.py measure_file log.jsonl --recipe ours.recipe.json\n"
        "Example: manage.py measure_file games/ --markdown summary.md --fail-under coherence=70 --fail-on-verdict\n"
        "Example: manage.py measure_file games/ --base ../main/games"
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        says = "a file as it can be imported (a zip, too), a folder, or - for stdin"
        parser.add_argument("files", nargs="+", metavar="FILE", help=says)
        transcript_files.add_reading(parser)
        numbers = ", ".join(DISCUSSION_NUMBERS)
        says = f"a version that comes with the site ({numbers}), or the JSON of one; the newest unless given"
        parser.add_argument("--rubric", default=DISCUSSION_NUMBERS[-1], help=says)
        parser.add_argument("--json", action="store_true", help="print one JSON object for each game")
        parser.add_argument("--markdown", metavar="FILE", help="write a summary with a table of all games")
        says = "fail when the automatic score of a game is lower; can be given for several metrics"
        parser.add_argument("--fail-under", action="append", default=[], metavar="METRIC=VALUE", help=says)
        says = "games to compare with: each metric rose, fell, has no material difference, or too few games"
        parser.add_argument("--base", metavar="PATH", help=says)
        parser.add_argument(
            "--fail-on-verdict",
            action="store_true",
            help="fail when the verdict of a game is FAIL on automatic values",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        rubric = self._rubric(options["rubric"])
        limits = self._limits(options["fail_under"], rubric)
        base = self._base(options, rubric)
        plans = self._plans(options["files"], options, rubric)
        outcomes = chain.from_iterable(map(read_games, plans))
        # Look one game ahead: how many there are in a table is known only when it ends.
        begun = list(islice(outcomes, 2))
        has_many = len(begun) > 1
        refused: list[Fault] = []
        measured: list[dict[str, Any]] = []
        results: list[dict[str, Any]] = []
        has_games = False
        for outcome in chain(begun, outcomes):
            refused += outcome.faults
            has_games |= _has_game(outcome)
            if outcome.game is not None:
                result = measured_file(outcome.game.record, rubric, outcome.game.warnings)
                self._print(outcome.game, result, has_many=has_many)
                results += [result] if base else []
                asked = options["fail_on_verdict"]
                measured.append(_summarise(outcome.game, result, rubric, limits, is_verdict_asked=asked))
        failed = [Fault(game["name"], "failed", failure) for game in measured for failure in game["failures"]]
        compared = self._compare(base, results) if base else {}
        lines = describe_comparison(compared) if compared else []
        if compared.get("answer") == FELL:
            fallen = ", ".join(key for key, one in compared["metrics"].items() if one["answer"] == FELL)
            failed.append(Fault(options["base"], "fell", f"Lower than in the games of the base: {fallen}."))
        if refused or failed:
            self._say(refused + failed)
        if options["markdown"]:
            self._write_summary(Path(options["markdown"]), measured, refused, rubric, lines)
        if refused or failed or not has_games:
            sys.exit(DIFFERS if has_games else BAD_INPUT)

    def _limits(self, given: list[str], rubric: RubricRecord) -> dict[str, Decimal]:
        try:
            return parse_limits(given, rubric)
        except ValueError as reason:
            self._refuse([Fault("--fail-under", "unknown_limit", f"{reason} Correct it.")])

    def _base(self, options: dict[str, Any], rubric: RubricRecord) -> list[dict[str, Any]]:
        """What is measured of the games of --base; all of them must be readable."""
        if not options["base"]:
            return []
        outcomes = list(chain.from_iterable(map(read_games, self._plans([options["base"]], options, rubric))))
        faults = [fault for outcome in outcomes for fault in outcome.faults]
        games = [outcome.game.record for outcome in outcomes if outcome.game]
        if faults or not games:
            self._refuse(faults or [Fault(options["base"], "no_games", "It holds no game. Correct --base.")])
        return [measured_file(game, rubric, ()) for game in games]

    def _compare(self, base: list[dict[str, Any]], games: list[dict[str, Any]]) -> dict[str, Any]:
        compared = compare_with_base(base, games)
        lines = describe_comparison(compared)
        self.stdout.write(json.dumps({"compared": compared}) if self.as_json else "\n".join(lines))
        return compared

    def _plans(self, paths: list[str], options: dict[str, Any], rubric: RubricRecord) -> list[ReadPlan]:
        try:
            mappings = [*transcript_files.mapped_columns(options["map"]), *_recipes(options["recipe"])]
            how = ReadOptions(
                role_map=rubric.lists["role_map"],
                named=transcript_files.named_format(options["format"]),
                columns=mappings,
                own=[replace(mapping, is_own=True) for mapping in mappings],
                encoding=options["encoding"],
            )
            uploads = transcript_files.read_paths(paths, how)
        except BadInput as reason:
            fault = Fault(shown_name(paths[0]), "cannot_read", str(reason))
            self._refuse([fault])
        how = how if len(uploads) == 1 else replace(how, own=())
        return [plan_reading(upload.data, upload.name, how) for upload in uploads]

    def _print(self, read: ReadGame, result: dict[str, Any], has_many: bool) -> None:
        """One game: a line of JSON, or a line for each metric, under its id where there are several."""
        if self.as_json:
            self.stdout.write(json.dumps(result, ensure_ascii=False, allow_nan=False))
            return
        if has_many:
            self.stdout.write(f"{read.record.game_id}:")
        for key, metric in result["metrics"].items():
            self.stdout.write(_format_metric(key, metric))
        for warning in read.warnings:
            kind = "looks odd" if warning.code in ODDITY_CODES else "warning"
            self.stderr.write(f"{kind}: {warning.place}: {warning.message}")

    def _write_summary(
        self,
        path: Path,
        games: list[dict[str, Any]],
        refused: list[Fault],
        rubric: RubricRecord,
        compared: list[str],
    ) -> None:
        columns = [str(LABELS[key].column) for key in measured_keys(rubric)]
        given = {"games": games, "refused": refused, "columns": columns, "version": rubric.version}
        try:
            path.write_text(
                render_markdown("discussions/transcripts/measured.md", **given, compared=compared),
                encoding="utf-8",
            )
        except OSError as error:
            sentence = f"The summary cannot be written: {error.strerror}. Correct --markdown."
            self._say([Fault(str(path), "cannot_write", sentence)])
            sys.exit(DIFFERS)

    def _rubric(self, given: str) -> RubricRecord:
        if given in DISCUSSION_NUMBERS:
            return discussion_version(given)
        path = Path(given)
        if is_number(given) and not path.exists():
            known = ", ".join(DISCUSSION_NUMBERS)
            sentence = (
                f'"{given}" is no version that comes with the site ({known}), and no file. Give one of these.'
            )
            self._refuse([Fault(given, "unknown_version", sentence)])
        found = read_version(self._bytes(path))
        if not isinstance(found, RubricRecord):
            faults = [Fault(f"{path.name} {item.pointer}".strip(), item.code, item.message) for item in found]
            self._refuse(faults)
        elif found.kind != DISCUSSION:
            sentence = f'The rubric\'s kind is "{found.kind}"; a transcript needs one of kind "{DISCUSSION}".'
            self._refuse([Fault(f"{path.name} /kind", "wrong_kind", sentence)])
        return found

    def _bytes(self, path: Path) -> bytes:
        try:
            return transcript_files.file_bytes(path)
        except BadInput as reason:
            self._refuse([Fault(path.name, "cannot_read", str(reason))])

    def _refuse(self, faults: list[Fault]) -> NoReturn:
        self._say(faults)
        sys.exit(BAD_INPUT)

    def _say(self, faults: list[Fault]) -> None:
        hints = dict.fromkeys(WAITING, " Or say it with --map, see --help.")
        self.say_faults([(one.place, one.code, one.message + hints.get(one.code, "")) for one in faults])


def _recipes(given: str) -> list[MappingRecord]:
    recipe = transcript_files.recipe_of_file(given)
    if given and recipe is None:
        raise BadInput(
            f'There is no file "{given}"; names of recipes are those of a project. Correct --recipe.'
        )
    return [recipe[1]] if recipe else []


def _has_game(outcome: ReadOutcome) -> bool:
    """Whether a game was found, even a refused one. A table is bad input if --map does not name its columns."""
    return outcome.format != "" and UNKNOWN_COLUMNS not in {fault.code for fault in outcome.faults}


def _summarise(
    read: ReadGame,
    result: dict[str, Any],
    rubric: RubricRecord,
    limits: dict[str, Decimal],
    *,
    is_verdict_asked: bool,
) -> dict[str, Any]:
    """The game in the summary: a cell for each metric, and why it was not accepted.

    Its verdict is FAIL on automatic values, or open.
    """
    scores = {
        key: Score(
            metric=key,
            numerator=metric["numerator"],
            denominator=metric["denominator"],
            is_applicable=metric["applicable"],
            is_pending=metric["pending"],
        )
        for key, metric in result["metrics"].items()
    }
    reason = find_automatic_failure(scores, read.record.cost.total_usd, rubric)
    failures = find_shortfalls(result["metrics"], limits)
    if reason and is_verdict_asked:
        failures.append(f"The verdict is FAIL on automatic values: {reason}.")
    return {
        "name": read.record.game_id,
        "cells": [" ".join(_cell(key, metric)) for key, metric in result["metrics"].items()],
        "verdict": "FAIL" if reason else "open",
        "failures": failures,
        "warning_count": len(read.warnings),
    }


def _cell(key: str, metric: dict[str, Any]) -> tuple[str, str]:
    score = "pending" if metric["score"] is None else f"{metric['score']:.2f}{METRICS[key].scale.symbol}"
    outcome = {True: "PASS", False: "FAIL", None: "open"}[metric["passes"]]
    return score, outcome if metric["applicable"] else f"{outcome} by rule"


def _format_metric(key: str, metric: dict[str, Any]) -> str:
    symbol = METRICS[key].scale.symbol
    score, outcome = _cell(key, metric)
    counts = f"{metric['numerator']}/{metric['denominator']}"
    return f"{key:22} {score:>10} {counts:>12}   threshold {metric['threshold']:g}{symbol}   {outcome}"
