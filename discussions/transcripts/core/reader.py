"""Converts bytes of any known transcript format to game records and faults, game by game. Never raises."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from discussions.core.records import Fault, GameRecord
from discussions.transcripts.core.archives import Budget, RefusedFile
from discussions.transcripts.core.decoding import Decoded, decode_text
from discussions.transcripts.core.fields import read_value, snake_to_camel
from discussions.transcripts.core.formats import INSIDE, NATIVE, Format, read_converted, recognise
from discussions.transcripts.core.layouts import LIST, TEXT, Layout, ReadOptions, format_of, json_faults
from discussions.transcripts.core.native import read_game
from discussions.transcripts.core.native_parts import RoleMap
from discussions.transcripts.core.notes import Limits, NativeGame, Notes, ReadGame, ReadOutcome, refused
from discussions.transcripts.core.oddities import ONE_ROUND, oddity_warnings
from discussions.transcripts.core.plans import ReadPlan, Unit, unpack_unit
from discussions.transcripts.core.readers.inner_parts import list_inner_games
from discussions.transcripts.core.readers.json_cells import with_objects
from workspace.core.json_faults import Problem
from workspace.core.json_items import BOM, PartPlaces
from workspace.core.strict_json import Document, NotFinite, read_json, sum_replaced
from workspace.core.words import say

MIXED = "mixed"
# How many games of a file wait to be compared with those behind them.
MOST_WAITING = 4


@dataclass(init=False)
class ReadTally:
    """Totals of the games read so far: how many, the first faults in order of place, and the formats.

    Where the games are stored, also how many of them were taken, and the faults of those that were not.
    """

    most: int = Limits().faults
    game_count: int = 0
    refused_count: int = 0
    faults: list[Fault] = field(default_factory=list)
    fault_count: int = 0
    formats: set[str] = field(default_factory=set)
    taken_count: int = 0
    not_taken: list[Fault] = field(default_factory=list)
    not_taken_count: int = 0

    def __init__(self, plan: ReadPlan) -> None:
        self.most = plan.options.limits.faults
        self.faults, self.formats, self.not_taken = list(plan.remarks), set(), []

    def add(self, outcome: ReadOutcome) -> None:
        self.faults += outcome.faults[: max(0, self.most - len(self.faults))]
        self.fault_count += outcome.fault_count
        self.game_count += outcome.game is not None
        self.refused_count += outcome.game is None and outcome.format != ""
        self.formats |= {outcome.format} - {""}

    def counting(self, outcomes: Iterable[ReadOutcome]) -> Iterator[ReadOutcome]:
        """The outcomes, each counted when it is taken."""
        for outcome in outcomes:
            self.add(outcome)
            yield outcome

    @property
    def read_count(self) -> int:
        """How many games were read, those that were refused included."""
        return self.game_count + self.refused_count

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
    odd_places: dict[str, str] = {}

    @property
    def fault_count(self) -> int:
        """The faults, with those that are only counted."""
        return len(self.faults) + self.document.problem_count - len(self.document.problems)


def read_games(plan: ReadPlan) -> Iterator[ReadOutcome]:
    """The outcome of each game of the plan, in the order of the file; every fault is reported once. Never raises."""
    waiting: deque[ReadOutcome] = deque()
    counts = [0, 0]
    for outcome in _read_games(plan):
        waiting.append(outcome)
        if outcome.game is not None:
            counts[_has_rounds(outcome.game)] += 1
        # How most games are is known from some games more.
        if len(waiting) > MOST_WAITING:
            yield _compared(waiting.popleft(), counts)
    while waiting:
        yield _compared(waiting.popleft(), counts)


def _has_rounds(game: ReadGame) -> bool:
    first, *others = game.record.messages
    return any(message.round != first.round for message in others)


def _compared(outcome: ReadOutcome, counts: list[int]) -> ReadOutcome:
    """The outcome; with a warning if its game has one round, and most games that were read have several."""
    game, (few, many) = outcome.game, counts
    if game is None or _has_rounds(game) or many < 2 * few:
        return outcome
    sentence = say(
        "The game has one round, but most games of the file have several. Look at where its rounds are."
    )
    fault = Fault(place=game.place, code=ONE_ROUND, message=sentence, is_warning=True)
    return replace(outcome, game=replace(game, warnings=[*game.warnings, fault]))


def _read_games(plan: ReadPlan) -> Iterator[ReadOutcome]:
    options = plan.options
    budget = Budget(options.limits.unpacked_bytes)
    for unit in plan.units:
        if isinstance(unit.found, ReadOutcome):
            yield unit.found
            continue
        files: dict[str, bytes] | RefusedFile = {"": unit.data}
        if plan.archive is not None:
            files = unpack_unit(plan.archive, unit.members, options, budget)
        if isinstance(files, RefusedFile):
            yield refused(Fault(unit.name, files.code, say(files.message)))
        elif isinstance(unit.found, Format):
            yield from _read_folder(unit, unit.found, files, options)
        else:
            (data,) = files.values()
            layout, unit = unit.found, replace(unit, data=data)
            if layout.kind == TEXT:
                yield from _read_text(unit, layout, options)
                continue
            for value in _values(unit, layout, options):
                yield from _read_value(value, layout, options)


def _read_folder(
    unit: Unit, known: Format, files: Mapping[str, bytes], options: ReadOptions
) -> Iterator[ReadOutcome]:
    new_notes = partial(_notes, unit, count(1), options)
    games: Iterable[tuple[NativeGame, Notes]] = ()
    if known.read_files:
        games = known.read_files(files, new_notes, options.columns)
    elif known.to_native_files:
        games = [(known.to_native_files(files, notes := new_notes()), notes)]
    for value, notes in games:
        yield _outcome(read_converted(value, notes, options.role_map), notes, known)


def _notes(
    unit: Unit, numbers: Iterator[int], options: ReadOptions, warnings: Iterable[tuple[str, int]] = ()
) -> Notes:
    """The notes of the next game of a unit; `warnings` are those of its file, with their counts."""
    number = next(numbers)
    source = unit.source if number == 1 else f"{unit.source}-{number}"
    notes = Notes(unit.name, "", options.limits, source=source)
    notes.columns = options.columns
    for code, times in warnings:
        notes.warn(code, count=times)
    return notes


def _values(unit: Unit, layout: Layout, options: ReadOptions) -> Iterator[Value]:
    """The JSON values of the file that are games or hold some, one after the other."""
    begin, after, key, around = layout.inner or (0, len(unit.data), "", {})
    is_list, is_whole = layout.kind == LIST, layout.parts is None
    parts = [(begin, after)] if layout.parts is None else layout.parts
    places = PartPlaces(unit.data, layout.begin.line, layout.begin.column)
    for index, (start, end) in enumerate(parts, layout.begin.index):
        data = unit.data[start:end]
        document = layout.document or read_value(data, options.limits, is_item=is_list)
        pointer = f"/{index}" if is_list else f"/{key}" if key else ""
        located = partial(_locate, places, start, pointer, unit.name)
        yield Value(
            document=replace(document, value=around | {key: document.value}) if key else document,
            file=unit.name if is_list or is_whole else f"{unit.name} line {places.line(start)}",
            pointer="" if key else pointer,
            source=unit.source if is_whole else f"{unit.source}-{index + 1}",
            faults=located(document.problems),
            had_bom=layout.had_bom or unit.data.startswith(BOM),
            odd_places=_odd_places(data, document, located),
        )


def _locate(places: PartPlaces, start: int, pointer: str, name: str, problems: list[Problem]) -> list[Fault]:
    """The problems of a value that begins there, as faults of the file."""
    return json_faults(name, [places.place(problem, start, pointer) for problem in problems])


def _odd_places(
    data: bytes, document: Document, located: Callable[[list[Problem]], list[Fault]]
) -> dict[str, str]:
    """Where what is not finite is: the last key -> the first place, with line and column."""
    if not any(replaced.not_finite for replaced in document.replaced.values()):
        return {}
    found: dict[str, str] = {}
    for problem in read_json(data).problems:
        if problem.code == "not_finite":
            (fault,) = located([problem])
            found.setdefault(_last_key(fault.place), fault.place)
    return found


def _read_value(value: Value, layout: Layout, options: ReadOptions) -> Iterator[ReadOutcome]:
    """The game of the value, or its games if the format puts several into one value."""
    document = value.document
    if not document.is_readable:
        yield ReadOutcome(faults=value.faults, fault_count=value.fault_count, format=layout.format.name)
        return
    known = layout.format if layout.parts is None else format_of(document.value, options) or layout.format
    parts = [("", document.value)]
    if known is INSIDE:
        whole = with_objects(document.value)
        is_game = recognise(whole, options.formats) is not None
        parts = [("", whole)] if is_game else list_inner_games(whole, options.formats)
    elif known.parts and known.recognises and known.recognises(document.value):
        parts = known.parts(document.value)
    replaced = sum_replaced(document.replaced.values())
    odd = [list(_not_finite(part)) if replaced.not_finite else [] for _pointer, part in parts]
    beside = replaced.not_finite - sum(map(len, odd))
    for index, (pointer, part) in enumerate(parts):
        source = value.source if len(parts) == 1 else f"{value.source}-{index + 1}"
        notes = Notes(value.file, value.pointer + pointer, options.limits, source=source)
        notes.columns = options.columns
        if value.had_bom:
            notes.warn("byte_order_mark")
        if document.replaced:
            count, first = len(odd[index]) + (0 if index else beside), (*odd[index], replaced.first)[0]
            notes.warn_replaced([replace(replaced, not_finite=count, first=first)])
        own = (format_of(part, options) or NATIVE) if known is INSIDE else known
        outcome = _outcome(_read_part(part, own, notes, options.role_map), notes, own)
        if value.odd_places:
            outcome = replace(outcome, faults=[_with_line(fault, value) for fault in outcome.faults])
        # A JSON fault of the value is reported with its first game and refuses all its games.
        if document.problems:
            faults, more = (value.faults, value.fault_count) if index == 0 else ([], 0)
            outcome = ReadOutcome(
                faults=faults + outcome.faults, fault_count=more + outcome.fault_count, format=known.name
            )
        yield outcome


def _read_part(part: Any, known: Format, notes: Notes, role_map: RoleMap) -> GameRecord | None:
    if known is NATIVE or known.to_native is None:
        return read_game(part, notes, role_map)
    return read_converted(known.to_native(part, notes), notes, role_map)


def _read_text(unit: Unit, layout: Layout, options: ReadOptions) -> Iterator[ReadOutcome]:
    """The games of a text, or a fault if there are none."""
    known = layout.format
    decoded = decode_text(unit.data) or Decoded(b"")
    new_notes = partial(_notes, unit, count(1), options, decoded.warnings)
    read = known.to_native_text
    is_empty = True
    for value, notes in read(decoded, new_notes, options.columns) if read else ():
        is_empty = False
        yield _outcome(read_converted(value, notes, options.role_map), notes, known)
    if is_empty:
        sentence = say(
            "No game was found in this text of the format {name}. Look at it, or name another format.",
            name=known.name,
        )
        yield refused(Fault(unit.name, "no_games", sentence))


def _with_line(fault: Fault, value: Value) -> Fault:
    """The fault of a number that is none, with its line."""
    place = value.odd_places.get(_last_key(fault.place)) if fault.code == "not_finite" else None
    return fault if place is None else replace(fault, place=place)


def _last_key(place: str) -> str:
    return snake_to_camel(place.rpartition("/")[2]).lower()


def _not_finite(value: Any) -> Iterator[str]:
    """Everything in a value that is no number although it stands where one may be."""
    inner = value.values() if type(value) is dict else value if type(value) is list else ()
    for part in inner:
        if type(part) is NotFinite:
            yield part
        else:
            yield from _not_finite(part)


def _outcome(record: GameRecord | None, notes: Notes, known: Format) -> ReadOutcome:
    if record is None:
        return ReadOutcome(faults=notes.faults, fault_count=notes.fault_count, format=known.name)
    place = f"{notes.file} {notes.pointer}".rstrip()
    warnings = notes.warnings() + oddity_warnings(record, place)
    return ReadOutcome(
        game=ReadGame(record=record, warnings=warnings, place=place, private=notes.private), format=known.name
    )
