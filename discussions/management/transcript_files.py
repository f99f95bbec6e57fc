"""The files given to a command: paths of files and folders, or standard input."""

import sys
import zipfile
from argparse import ArgumentParser
from io import BytesIO
from pathlib import Path

from discussions.transcripts.actions import Upload
from discussions.transcripts.core.decoding import ENCODINGS
from discussions.transcripts.core.file_names import ENDINGS, is_plainly_no_transcript
from discussions.transcripts.core.formats import FORMATS, Format, find_format
from discussions.transcripts.core.layouts import ReadOptions
from discussions.transcripts.core.reader import folder_format
from discussions.transcripts.core.readers.columns import (
    FIELDS,
    SEPARATOR,
    MappingRecord,
    parse_mapping,
    read_recipe,
)
from discussions.transcripts.core.readers.line_templates import find_fault
from workspace.management.command import BadInput

STANDARD_INPUT = "-"
FORMAT_NAMES = ", ".join(known.name for known in FORMATS)
_SAME_DATE = (1980, 1, 1, 0, 0, 0)
MAP_HELP = (
    f"what columns of CSV or JSONL files are: player=Speaker,text=Content; fields: {', '.join(FIELDS)}; what rows of a "
    "type are: is.VALUE=KIND; other names: also.MARI=Marisol; where rounds begin: rounds=votes (or none); games=one (or"
    " several); the list of rows: list=PATH; how the lines of a text are written: separator=[{time}] {player}: {text}"
)


def named_format(name: str) -> Format | None:
    known = find_format(name)
    if name and known is None:
        raise BadInput(f'There is no format "{name}"; there are {FORMAT_NAMES}. Correct --format.')
    return known


def add_reading(parser: ArgumentParser) -> None:
    """The arguments that say how files are read."""
    parser.add_argument("--format", default="", metavar="NAME", help=f"instead of finding it: {FORMAT_NAMES}")
    parser.add_argument(
        "--encoding",
        default="",
        choices=("", *ENCODINGS),
        metavar="NAME",
        help=f"of texts: {', '.join(ENCODINGS)}",
    )
    parser.add_argument("--map", action="append", default=[], metavar="FIELD=COLUMN,...", help=MAP_HELP)
    parser.add_argument(
        "--recipe", default="", metavar="FILE|NAME", help="how files of rows are read; see --map"
    )


def mapped_columns(given: list[str]) -> list[MappingRecord]:
    """The mapping of --map, for any file that has its columns; none without one. Raises BadInput."""
    try:
        mapping = parse_mapping(given) if given else None
    except ValueError as reason:
        raise BadInput(f"{reason} Correct --map.") from None
    if mapping and (fault := find_fault(mapping.settings.get(SEPARATOR, ""))):
        raise BadInput(f"{fault} Correct --map.")
    return [mapping] if mapping else []


def recipe_of_file(given: str) -> tuple[str, MappingRecord] | None:
    """The name and the recipe in a file; None if there is no such file. Raises BadInput."""
    path = Path(given)
    if not given or not path.is_file():
        return None
    try:
        return read_recipe(file_bytes(path))
    except ValueError as reason:
        raise BadInput(f"{reason} Correct --recipe.") from None


def read_paths(paths: list[str], options: ReadOptions) -> list[Upload]:
    """The files at these paths. A folder gives its files; one that is itself a game comes as a zip archive.

    The same folder gives the same bytes. Raises BadInput.
    """
    files = [file for path in paths for file in _read_path(path, options)]
    if not files:
        raise BadInput("These folders hold no transcripts. Name files, or other folders.")
    return files


def _read_path(given: str, options: ReadOptions) -> list[Upload]:
    if given == STANDARD_INPUT:
        return [Upload("standard-input", sys.stdin.buffer.read())]
    path = Path(given)
    if not path.is_dir():
        return [Upload(path.name, file_bytes(path))]
    if _is_game(path, options):
        return [_pack(path)]
    parts = [part for part in sorted(path.iterdir()) if not is_plainly_no_transcript(part.name)]
    folders = [_pack(part) for part in parts if part.is_dir() and _is_game(part, options)]
    files = [part for part in parts if part.is_file() and part.suffix.lower() in ENDINGS]
    return [*folders, *(Upload(part.name, file_bytes(part)) for part in files)]


def _is_game(folder: Path, options: ReadOptions) -> bool:
    return folder_format([part.name for part in folder.iterdir() if part.is_file()], options) is not None


def _pack(folder: Path) -> Upload:
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for part in filter(Path.is_file, sorted(folder.iterdir())):
            info = zipfile.ZipInfo(f"{folder.resolve().name}/{part.name}", _SAME_DATE)
            archive.writestr(info, file_bytes(part), zipfile.ZIP_DEFLATED)
    return Upload(f"{folder.resolve().name}.zip", packed.getvalue())


def file_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        sentence = f'The file "{path}" cannot be read: {error.strerror}. Check its name and its rights.'
        raise BadInput(sentence) from None
