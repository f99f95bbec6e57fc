"""Reads reviewers' answers and prints their scores, without touching the database."""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

from django.conf import settings

from rubric.core.records import RESPONSE, ReviewRecord, RubricRecord
from rubric.core.scores import round_half_up
from rubric.reviews.core.answer_record import read_review
from rubric.reviews.core.review_lines import read_lines, review_output
from rubric.versions.core.version_json import read_version
from rubric.versions.queries import response_version
from workspace.management.command import BAD_INPUT, SiteCommand

STANDARD_INPUT = "-"
Row = tuple[str, str, str]


class Command(SiteCommand):
    help = (
        'Reads reviews, one JSON object a line ({"reviewer", "responses": [labels], "text"}), and prints what they\n'
        "score; the database is not used.\n"
        "Exit codes: 0 scored, 2 a file is refused.\n"
        "Example: manage.py score_reviews reviews.jsonl --json"
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", help='reviews as JSONL; "-" reads the standard input')
        parser.add_argument("--rubric", help="the JSON of a response rubric version")
        parser.add_argument("--json", action="store_true", help="print one JSON object a review")

    def handle(self, *args: Any, **options: Any) -> None:
        """Read, score and print; a file with a faulty line is refused entirely, so that no review is lost unnoticed."""
        rubric = self._rubric(options["rubric"])
        reviews, faults = read_lines(self._bytes(options["file"]))
        if faults:
            name = _place_of(options["file"])
            lines = [
                (f"{name} line {fault.line} {fault.pointer}", fault.code, fault.message) for fault in faults
            ]
            self._refuse(lines)
        for reviewer, labels, text in reviews:
            review = read_review(text, labels, rubric)
            if self.as_json:
                output = review_output(reviewer, review)
                self.stdout.write(json.dumps(output, ensure_ascii=False, allow_nan=False))
            else:
                for line in _review_lines(reviewer, review):
                    self.stdout.write(line)

    def _rubric(self, file: str | None) -> RubricRecord:
        if file is None:
            return response_version(weights=settings.RESPONSE_WEIGHTS)
        found = read_version(self._bytes(file))
        if not isinstance(found, RubricRecord):
            rows = [(f"{_place_of(file)} {item.pointer}", item.code, item.message) for item in found]
            self._refuse(rows)
        elif found.kind != RESPONSE:
            sentence = f'The rubric\'s kind is "{found.kind}"; reviews need one of kind "{RESPONSE}".'
            self._refuse([(f"{_place_of(file)} /kind", "wrong_kind", sentence)])
        return found

    def _bytes(self, file: str) -> bytes:
        if file == STANDARD_INPUT:
            return sys.stdin.buffer.read()
        try:
            return Path(file).read_bytes()
        except OSError as error:
            sentence = f"The file cannot be read: {error.strerror}. Check its name and its rights."
            self._refuse([(_place_of(file), "cannot_read", sentence)])

    def _refuse(self, rows: list[Row]) -> NoReturn:
        self.say_faults((place.strip(), code, message) for place, code, message in rows)
        sys.exit(BAD_INPUT)


def _place_of(file: str) -> str:
    return "standard input" if file == STANDARD_INPUT else Path(file).name


def _review_lines(reviewer: str, review: ReviewRecord) -> Iterator[str]:
    """One review for people: reviewer and mode, each response with its overall, then the flags."""
    yield f"{reviewer}: {review.mode}"
    for response in review.responses:
        value = response.overall if response.overall is not None else response.holistic
        shown = (
            "-"
            if value is None
            else f"{round_half_up(response.overall)}"
            if response.overall is not None
            else f"{value} holistic"
        )
        yield f"  {response.label:20} {shown:>6}{' incomplete' if response.is_incomplete else ''}"
    for flag in review.flags:
        yield f"  {flag.code}: {flag.message}"
