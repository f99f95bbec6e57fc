"""Converts bytes of any known transcript format to game records and faults, game by game. Never raises."""

from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from discussions.core.records import Fault, GameRecord
from discussions.transcripts.core.archives import Budget, RefusedFile
from discussions.transcripts.core.decoding import Decoded, decode_text
from discussions.transcripts.core.formats import NATIVE, Format, read_converted
from discussions.transcripts.core.layouts import (
    LIST,
    TEXT,
    File,
    Layout,
    ReadOptions,
    UnreadableLayout,
    format_of,
    json_fault,
    read_value,
)
from discussions.transcripts.core.native import read_game
from discussions.transcripts.core.native_parts import RoleMap
from discussions.transcripts.core.notes import Limits, Notes, ReadGame, Transcripts
from discussions.transcripts.core.oddities import oddity_warnings
from discussions.transcripts.core.plans import ReadPlan, plan_reading, unpack_unit
from discussions.transcripts.core.readers.columns import Columns
from workspace.core.json_items import BOM, PartPlaces
from workspace.core.strict_json import Document, Replaced
from workspace.core.words import say

MIXED = "mixed"


class ReadOutcome(Struct, frozen=True):
    """The outcome of one game, or of a file in which no game was read (then `format` is empty)."""

    game: ReadGame | None = None
    faults: list[Fault] = []
    fault_count: int = 0
    format: str = ""


class ReadTally:
    """Totals so far: the number of games, the first faults in order of place, and the formats."""

    def __init__(self, plan: ReadPlan) -> None:
        self.faults = list(plan.remarks)
        self.fault_count = self.game_count = self.refused_count = 0
        self._most = plan.options.limits.faults
        self.formats: set[str] = set()

    def add(self, outcome: ReadOutcome) -> None:
        self.faults += outcome.faults[: max(0, self._most - len(self.faults))]
        self.fault_count += outcome.fault_count
        self.game_count += outcome.game is not None
        self.refused_count += outcome.game is None and outcome.format != ""
        self.formats |= {outcome.format} - {""}

    @property
    def format(self) -> str:
        """The format of what was read; "mixed" for several formats, "" for none."""
        return MIXED if len(self.formats) > 1 else "".join(self.formats)


class Value(Struct, frozen=True):
    """A JSON value of a file that is a game, or holds some: where it is, and what is wrong with it as JSON."""

    document: Document
    file: str
    pointer: str
    source: str
    faults: list[Fault]
    had_bom: bool


def read_transcripts(
    data: bytes,
    name: str,
    limits: Limits | None = None,
    *,
    role_map: RoleMap | None = None,
    named: Format | None = None,
    columns: Columns = (),
) -> Transcripts:
    """All importable games of the file, and all faults of the others, at once. Never raises.

    `name` only serves to name places. See `ReadOptions` for the rest.
    """
    options = ReadOptions(limits=limits or Limits(), role_map=role_map or {}, named=named, columns=columns)
    plan = plan_reading(data, name, options)
    tally, games = ReadTally(plan), []
    for outcome in read_games(plan):
        tally.add(outcome)
        games += [outcome.game] if outcome.game else []
    return Transcripts(
        games=games,
        faults=tally.faults,
        fault_count=tally.fault_count,
        refused_count=tally.refused_count,
        format=tally.format,
    )


def read_games(plan: ReadPlan) -> Iterator[ReadOutcome]:
    """The outcome of each game of the plan, in the order of the file; every fault is reported once. Never raises."""
    options = plan.options
    budget = Budget(options.limits.unpacked_bytes)
    for unit in plan.units:
        if isinstance(unit.found, UnreadableLayout):
            yield ReadOutcome(faults=unit.found.faults, fault_count=unit.found.fault_count)
            continue
        files: dict[str, bytes] | RefusedFile = {"": unit.file.data}
        if plan.archive is not None:
            files = unpack_unit(plan.archive, unit.members, options.limits, budget)
        if isinstance(files, RefusedFile):
            yield ReadOutcome(faults=[Fault(unit.file.name, files.code, say(files.message))], fault_count=1)
        elif isinstance(unit.found, Format):
            yield _read_folder(unit.file, unit.found, files, options)
        else:
            (data,) = files.values()
            yield from _read_file(replace(unit.file, data=data), unit.found, options)


def _read_folder(file: File, known: Format, files: Mapping[str, bytes], options: ReadOptions) -> ReadOutcome:
    notes = Notes(file.name, "", options.limits, source=file.source)
    value = known.to_native_files(files, notes) if known.to_native_files else None
    return _outcome(read_converted(value, notes, options.role_map), notes, known)


def _read_file(file: File, layout: Layout, options: ReadOptions) -> Iterator[ReadOutcome]:
    if layout.kind == TEXT:
        yield from _read_text(file, layout.format, options)
        return
    for value in _values(file, layout, options):
        yield from _read_value(value, layout, options)


def _values(file: File, layout: Layout, options: ReadOptions) -> Iterator[Value]:
    """The JSON values of the file that are games or hold some, one after the other."""
    had_bom = layout.had_bom or file.data.startswith(BOM)
    if layout.parts is None:
        document = read_value(file.data, options.limits)
        faults = [json_fault(file.name, problem) for problem in document.problems]
        yield Value(document, file.name, "", file.source, faults, had_bom)
        return
    is_list = layout.kind == LIST
    places = PartPlaces(file.data, layout.begin.line, layout.begin.column)
    for index, (start, end) in enumerate(layout.parts, layout.begin.index):
        document = read_value(file.data[start:end], options.limits, is_item=is_list)
        line = 0 if is_list else places.line(start)
        pointer = f"/{index}" if is_list else ""
        problems = [places.place(problem, start, pointer) for problem in document.problems]
        yield Value(
            document=document,
            file=file.name if is_list else f"{file.name} line {line}",
            pointer=pointer,
            source=f"{file.source}-{index + 1}",
            faults=[json_fault(file.name, problem) for problem in problems],
            had_bom=had_bom,
        )


def _read_value(value: Value, layout: Layout, options: ReadOptions) -> Iterator[ReadOutcome]:
    """The game of the value, or its games if the format puts several into one value."""
    document = value.document
    if not document.is_readable:
        yield ReadOutcome(faults=value.faults, fault_count=document.problem_count, format=layout.format.name)
        return
    known = layout.format if layout.parts is None else format_of(document.value, options) or layout.format
    parts = [("", document.value)]
    if known.parts and known.recognises and known.recognises(document.value):
        parts = known.parts(document.value)
    for index, (pointer, part) in enumerate(parts):
        source = value.source if len(parts) == 1 else f"{value.source}-{index + 1}"
        notes = Notes(value.file, value.pointer + pointer, options.limits, source=source)
        _note_replaced(notes, list(document.replaced.values()), had_bom=value.had_bom)
        outcome = _outcome(_read_part(part, known, notes, options.role_map), notes, known)
        # A JSON fault of the value is reported with its first game and refuses all its games.
        if document.problems:
            faults, more = (value.faults, document.problem_count) if index == 0 else ([], 0)
            outcome = ReadOutcome(
                faults=faults + outcome.faults, fault_count=more + outcome.fault_count, format=known.name
            )
        yield outcome


def _read_part(part: Any, known: Format, notes: Notes, role_map: RoleMap) -> GameRecord | None:
    if known is NATIVE or known.to_native is None:
        return read_game(part, notes, role_map)
    return read_converted(known.to_native(part, notes), notes, role_map)


def _read_text(file: File, known: Format, options: ReadOptions) -> Iterator[ReadOutcome]:
    """The games of a text, or a fault if there are none."""
    decoded = decode_text(file.data) or Decoded(b"")
    numbers = count(1)

    def new_notes() -> Notes:
        number = next(numbers)
        source = file.source if number == 1 else f"{file.source}-{number}"
        notes = Notes(file.name, "", options.limits, source=source)
        for code, times in decoded.warnings:
            notes.warn(code, count=times)
        return notes

    is_empty = True
    for value, notes in (
        known.to_native_text(decoded, new_notes, options.columns) if known.to_native_text else ()
    ):
        is_empty = False
        yield _outcome(read_converted(value, notes, options.role_map), notes, known)
    if is_empty:
        sentence = say(
            "No game was found in this text of the format {name}. Look at it, or name another format.",
            name=known.name,
        )
        yield ReadOutcome(faults=[Fault(file.name, "no_games", sentence)], fault_count=1)


def _note_replaced(notes: Notes, replaced: list[Replaced], *, had_bom: bool) -> None:
    if had_bom:
        notes.warn("byte_order_mark")
    if nul := sum(item.nul for item in replaced):
        notes.warn("replaced_nul", count=nul)
    if surrogate := sum(item.surrogate for item in replaced):
        notes.warn("replaced_surrogate", count=surrogate)


def _outcome(record: GameRecord | None, notes: Notes, known: Format) -> ReadOutcome:
    if record is None:
        return ReadOutcome(faults=notes.faults, fault_count=notes.fault_count, format=known.name)
    place = f"{notes.file} {notes.pointer}".rstrip()
    warnings = notes.warnings() + oddity_warnings(record, place)
    return ReadOutcome(
        game=ReadGame(record=record, warnings=warnings, place=place, private=notes.private), format=known.name
    )
