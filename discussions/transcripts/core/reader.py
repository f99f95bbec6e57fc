"""Bytes of any known transcript format to game records and faults. Never raises, whatever the bytes are.

A format is recognised by what is in the file, not by the file's name.
"""

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from discussions.core.records import Fault
from discussions.transcripts.core.native import is_native, read_game
from discussions.transcripts.core.native_parts import RoleMap
from discussions.transcripts.core.notes import MIB, Limits, Notes, ReadGame, Transcripts
from discussions.transcripts.core.oddities import oddity_warnings
from workspace.core.json_faults import Problem
from workspace.core.strict_json import Document, Replaced, normalise_text, read_json

_FOREIGN = (
    (b"PK\x03\x04", "archive", "The file is a zip archive. Unpack it and upload the transcripts in it."),
    (b"\x1f\x8b", "archive", "The file is a gzip archive. Unpack it and upload the transcript in it."),
    (b"\x89PNG", "not_text", "The file is a picture. Upload the transcript as JSON."),
    (b"\xff\xd8\xff", "not_text", "The file is a picture. Upload the transcript as JSON."),
    (b"%PDF", "not_text", "The file is a PDF document. Upload the transcript as JSON."),
)


class Source(Struct, frozen=True):
    """A file to be read: its name for people, its bytes, and what they are as JSON."""

    name: str
    data: bytes
    document: Document
    limits: Limits
    role_map: RoleMap


class Reader(Struct, frozen=True):
    """One format: what tells it, and how it is read."""

    name: str
    recognises: Callable[[Source], bool]
    read: Callable[[Source], Transcripts]


def read_transcripts(
    data: bytes, name: str, limits: Limits | None = None, *, role_map: RoleMap | None = None
) -> Transcripts:
    """Every game of the file that may come in, and every fault of those that may not. Never raises.

    `name` is used to name places only; `role_map` says which roles belong to a side (the list `role_map` of a
    rubric version); without one no role is reported as unknown.
    """
    limits = limits or Limits()
    name = shown_name(name)
    refusal = _refused_at_sight(data, name, limits)
    if refusal:
        return Transcripts(faults=[refusal], fault_count=1)
    document = read_json(data, max_depth=limits.depth, max_digits=limits.digits, most_problems=limits.faults)
    source = Source(name=name, data=data, document=document, limits=limits, role_map=role_map or {})
    for reader in READERS:
        if reader.recognises(source):
            return reader.read(source)
    return _unrecognised(source)


def shown_name(name: str) -> str:
    """A file name as people may see it: no folders, no control characters, at most 200 characters."""
    last = normalise_text(name)[0].replace("\\", "/").rsplit("/", 1)[-1]
    plain = "".join(character if character.isprintable() else "\ufffd" for character in last).strip()
    if len(plain) > 200:
        plain = f"{plain[:150]}…{plain[-49:]}"
    return plain or "file"


def _refused_at_sight(data: bytes, name: str, limits: Limits) -> Fault | None:
    if len(data) > limits.file_bytes:
        size, most = len(data) / MIB, limits.file_bytes / MIB
        sentence = (
            f"The file has {size:,.1f} MiB; at most {most:,.0f} MiB are read. Split it into several files."
        )
        return Fault(place=name, code="too_large", message=sentence)
    for start, code, sentence in _FOREIGN:
        if data.startswith(start):
            return Fault(place=name, code=code, message=sentence)
    return None


def _unrecognised(source: Source) -> Transcripts:
    document = source.document
    if not document.is_readable:
        faults = [_fault(source.name, problem) for problem in document.problems]
        return Transcripts(faults=faults, fault_count=document.problem_count)
    if document.value == []:
        fault = Fault(
            place=source.name, code="no_games", message="The file is an empty list: it holds no games."
        )
    else:
        sentence = (
            "This is JSON, but no transcript format we know. A native transcript is an object with the keys gameId, "
            "players, messages and votes, or a list of such objects."
        )
        fault = Fault(place=source.name, code="unknown_format", message=sentence)
    return Transcripts(faults=[fault], fault_count=1)


def _fault(file: str, problem: Problem) -> Fault:
    place = f"{file} line {problem.line} column {problem.column} {problem.pointer}".rstrip()
    return Fault(place=place, code=problem.code, message=problem.message)


def _is_native_source(source: Source) -> bool:
    value = source.document.value
    return source.document.is_readable and any(map(is_native, value if type(value) is list else [value]))


def _read_native(source: Source) -> Transcripts:
    """Each object by itself: one with a fault is refused whole, the others come in."""
    document = source.document
    is_list = type(document.value) is list
    values: list[Any] = document.value if is_list else [document.value]
    problems: dict[str, list[Problem]] = {}
    for problem in document.problems:
        item = "/" + problem.pointer.split("/")[1] if is_list and problem.pointer else ""
        problems.setdefault(item, []).append(problem)
    games: list[ReadGame] = []
    faults: list[Fault] = []
    fault_count = document.problem_count
    for index, value in enumerate(values):
        pointer = f"/{index}" if is_list else ""
        game, notes = _read_one(source, value, pointer)
        fault_count += notes.fault_count
        broken = problems.get(pointer, [])
        faults += [_fault(source.name, problem) for problem in broken] + notes.faults
        if game is not None and not broken:
            games.append(game)
    return Transcripts(
        games=games,
        faults=faults[: source.limits.faults],
        fault_count=fault_count,
        refused_count=len(values) - len(games),
        format="native",
    )


def _read_one(source: Source, value: Any, pointer: str) -> tuple[ReadGame | None, Notes]:
    notes = Notes(source.name, pointer, source.limits)
    if source.document.had_bom:
        notes.warn("byte_order_mark")
    replaced = source.document.replaced.get(pointer, Replaced())
    if replaced.nul:
        notes.warn("replaced_nul", count=replaced.nul)
    if replaced.surrogate:
        notes.warn("replaced_surrogate", count=replaced.surrogate)
    record = read_game(value, notes, source.role_map)
    if record is None:
        return None, notes
    place = f"{source.name} {pointer}".rstrip()
    warnings = notes.warnings() + oddity_warnings(record, place)
    return ReadGame(record=record, warnings=warnings, place=place), notes


READERS = (Reader(name="native", recognises=_is_native_source, read=_read_native),)

__all__ = [
    "READERS",
    "Limits",
    "ReadGame",
    "Reader",
    "Source",
    "Transcripts",
    "read_transcripts",
    "shown_name",
]
