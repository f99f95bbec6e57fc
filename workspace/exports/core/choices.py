"""The choices of an export: its format, its subject, and what people are called in it."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping

from msgspec import Struct

from workspace.core.canonical import bytes_hash
from workspace.display.core.number_lists import numbers_in, write_numbers

JSONL, CSV, MARKDOWN, HUGGING_FACE, PARQUET = "jsonl", "csv", "markdown", "huggingface", "parquet"
OTLP, TRACES, WIDE, ARCHIVE = "otlp", "traces", "wide", "archive"
# They hold what only leads see, or the whole project.
FOR_LEADS = (OTLP, TRACES, WIDE)

# Format -> how its file ends, and its content type.
FILES = {
    JSONL: ("jsonl", "application/x-ndjson"),
    CSV: ("csv.zip", "application/zip"),
    MARKDOWN: ("md", "text/markdown; charset=utf-8"),
    HUGGING_FACE: ("huggingface.zip", "application/zip"),
    PARQUET: ("parquet.zip", "application/zip"),
    WIDE: ("wide.csv", "text/csv; charset=utf-8"),
    OTLP: ("otlp.jsonl", "application/x-ndjson"),
    TRACES: ("traces.zip", "application/zip"),
    ARCHIVE: ("archive.zip", "application/zip"),
}
# The optional package that Parquet needs, and the file that installs it.
PARQUET_PACKAGE = "pyarrow"

PROJECT, STAGE, ITERATION, GAME, SET = "project", "stage", "iteration", "game", "set"
# Several games, by their numbers.
GAMES = "games"
_NUMBERED = (STAGE, ITERATION, GAME, SET)
_MOST_DIGITS = 9


class ExportSubject(Struct, frozen=True):
    kind: str
    number: int = 0
    numbers: tuple[int, ...] = ()

    def __str__(self) -> str:
        if self.kind == GAMES:
            return f"{GAMES}:{write_numbers(self.numbers)}"
        return f"{self.kind}:{self.number}" if self.number else self.kind


def parse_subject(text: str) -> ExportSubject | None:
    """The subject that "game:7" or "games:3,5-7" stands for, "" for the project; None for anything else."""
    if text in ("", PROJECT):
        return ExportSubject(PROJECT)
    kind, _, number = text.partition(":")
    if kind == GAMES:
        try:
            numbers = tuple(one for one in numbers_in(number) if one)
        except ValueError:
            return None
        return ExportSubject(GAMES, numbers=numbers) if numbers else None
    if kind not in _NUMBERED or not (number.isascii() and number.isdigit() and len(number) <= _MOST_DIGITS):
        return None
    return ExportSubject(kind, int(number)) if int(number) else None


def get_file_name(slug: str, subject: str, format_name: str) -> str:
    """The name under which a file is downloaded: "mafia-game-7.jsonl"."""
    named = GAMES if subject.startswith(f"{GAMES}:") else subject.replace(":", "-")
    parts = [slug, *([] if subject == PROJECT else [named])]
    return f"{'-'.join(parts)}.{FILES[format_name][0]}"


def name_people(people: Iterable[tuple[int, str, str]]) -> dict[int, str]:
    """Key -> name, from (key, name, e-mail address); people who share a name have their address behind it."""
    listed = list(people)
    counts = Counter(name for _key, name, _email in listed)
    return {key: name if counts[name] == 1 else f"{name} ({email})" for key, name, email in listed}


def assign_pseudonyms(groups: Mapping[str, Iterable[Hashable]], seed: str) -> dict[Hashable, str]:
    """Key -> "Evaluator 1", from the word of each group -> its keys. A key of several groups is named by the first.

    The numbers follow the seed alone, so they say nothing of the order in which people joined.
    """
    assigned: dict[Hashable, str] = {}
    for word, keys in groups.items():
        new = {key for key in keys if key not in assigned}
        ordered = sorted(new, key=lambda key: bytes_hash(f"{seed} {word} {key}".encode()))
        assigned |= {key: f"{word} {number}" for number, key in enumerate(ordered, start=1)}
    return assigned
