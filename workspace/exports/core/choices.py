"""What can be chosen of an export: the formats, and what an export is of."""

from msgspec import Struct

JSONL, CSV, MARKDOWN, HUGGING_FACE, PARQUET = "jsonl", "csv", "markdown", "huggingface", "parquet"
ARCHIVE = "archive"

# Format -> how its file ends, and its content type.
FILES = {
    JSONL: ("jsonl", "application/x-ndjson"),
    CSV: ("csv.zip", "application/zip"),
    MARKDOWN: ("md", "text/markdown; charset=utf-8"),
    HUGGING_FACE: ("huggingface.zip", "application/zip"),
    PARQUET: ("parquet.zip", "application/zip"),
    ARCHIVE: ("archive.zip", "application/zip"),
}
# The optional package without which there is no Parquet, and the file that installs it.
PARQUET_PACKAGE, PARQUET_REQUIREMENTS = "pyarrow", "requirements-parquet.txt"

PROJECT, STAGE, ITERATION, GAME, SET = "project", "stage", "iteration", "game", "set"
_NUMBERED = (STAGE, ITERATION, GAME, SET)
_MOST_DIGITS = 9


class Subject(Struct, frozen=True):
    """What an export is of: the whole project, or the thing of that kind with this number in it."""

    kind: str
    number: int = 0

    def __str__(self) -> str:
        return f"{self.kind}:{self.number}" if self.number else self.kind


def parse_subject(text: str) -> Subject | None:
    """The subject that "game:7" stands for, "" for the project; None for anything else."""
    if text in ("", PROJECT):
        return Subject(PROJECT)
    kind, _, number = text.partition(":")
    if kind not in _NUMBERED or not (number.isascii() and number.isdigit() and len(number) <= _MOST_DIGITS):
        return None
    return Subject(kind, int(number)) if int(number) else None


def get_file_name(slug: str, subject: str, format_name: str) -> str:
    """The name under which a file is downloaded: "mafia-game-7.jsonl"."""
    parts = [slug, *([] if subject == PROJECT else [subject.replace(":", "-")])]
    return f"{'-'.join(parts)}.{FILES[format_name][0]}"
