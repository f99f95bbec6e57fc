"""Converts bytes of any known transcript format to game records and faults, game by game. Never raises.

The whole file is checked before any game is read, since nothing may be imported from a file that is refused as a whole.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import count
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from discussions.core.records import Fault, GameRecord
from discussions.transcripts.core import archives
from discussions.transcripts.core.archives import Archive, Budget, Member, RefusedFile
from discussions.transcripts.core.decoding import Decoded, decode_text, describe_proposals, recode
from discussions.transcripts.core.fields import read_value, snake_to_camel
from discussions.transcripts.core.file_names import DOCUMENT_ENDINGS, is_private_file, shown_name, source_name
from discussions.transcripts.core.formats import INSIDE, NATIVE, Format, find_format, read_converted
from discussions.transcripts.core.layouts import (
    FOLDER,
    LIST,
    TEXT,
    ReadOptions,
    Unit,
    format_of,
    games_inside,
    json_faults,
    lay_out,
)
from discussions.transcripts.core.native import read_game
from discussions.transcripts.core.notes import MIB, Limits, NativeGame, Notes, ReadGame, ReadOutcome, refused
from discussions.transcripts.core.oddities import ONE_ROUND, oddity_warnings
from discussions.transcripts.core.readers.heads import find_encoding
from discussions.transcripts.core.readers.inner_parts import join_pieces
from workspace.core.json_faults import Problem
from workspace.core.json_items import BOM, PartPlaces
from workspace.core.strict_json import Document, NotFinite, read_json, sum_replaced
from workspace.core.words import mark, say

MIXED = "mixed"
# How many games of a file wait to be compared with those behind them.
MOST_WAITING = 4
_TOO_MUCH = mark(
    "The archive unpacks to more than {most:,.0f} MiB, the most that is read. Split it into several archives."
)
_LARGE_GAME = mark("The files of this folder have over {most:,.0f} MiB, the most that is read of a game.")
_PRIVATE_FILE = mark(
    'The name "{name}" says that not everybody could hear what is in the file, so it is no game of its own and was not '
    "read. If everybody could, give it another name."
)
_NOT_SO = mark("The file is not text in the encoding {name}. Name another one, or none where it is UTF-8.")
_LEFT_OUT = mark("Files of the archive that are no transcripts (such as licences) were left out: {count:,}.")


class ReadPlan(Struct, frozen=True):
    """What an uploaded file holds, or why nothing of a part is read. `remarks` are warnings that belong to no game."""

    units: list[Unit | ReadOutcome]
    options: ReadOptions
    archive: Archive | None = None
    remarks: list[Fault] = []

    @property
    def game_count(self) -> int:
        """How many games there may be, the refused ones included."""
        return sum(unit.game_count for unit in self.units if isinstance(unit, Unit))


def plan_reading(data: bytes, name: str, options: ReadOptions) -> ReadPlan:
    """Check the whole file: what it holds, and what must be refused. Never raises."""
    name = shown_name(name)
    unit: Unit | ReadOutcome
    try:
        if len(data) <= options.limits.file_bytes and archives.is_archive(data):
            if data.startswith(archives.ZIP_STARTS):
                return _plan_archive(data, name, options)
            if not data.startswith(archives.GZIP_START):
                raise RefusedFile("archive")
            data = archives.gunzip(data, options.limits)
        unit = lay_out(_recoded(data, options), name, source_name(name), options)
    except RefusedFile as why:
        unit = refused(name, why.code, say(why.sentence))
    return ReadPlan(units=[unit], options=options)


def _recoded(data: bytes, options: ReadOptions) -> bytes:
    """The bytes in UTF-8, where somebody named their encoding or UTF-16 has its mark. Raises RefusedFile."""
    encoding = options.encoding or find_encoding(data, options.columns)
    recoded = recode(data, encoding)
    if recoded is None:
        sentence = say(_NOT_SO, name=encoding or "utf-16") + describe_proposals(data)
        raise RefusedFile("encoding", sentence)
    return join_pieces(recoded)


def unpack_unit(
    archive: Archive, members: list[Member], options: ReadOptions, budget: Budget
) -> dict[str, bytes]:
    """The bytes of one file or of the files of one folder, by name. Raises RefusedFile and OverBudget."""
    files: dict[str, bytes] = {}
    is_tree = len({member.folder for member in members}) > 1
    for member in members:
        try:
            data = archives.unpack(archive, member, options.limits, budget)
            data = data if archives.is_archive(data) else _recoded(data, options)
        except RefusedFile as why:
            if len(members) == 1:
                raise
            raise RefusedFile(why.code, f"{member.name}: {why.sentence}") from None
        files[member.path if is_tree else member.name] = data
    if sum(map(len, files.values())) > (most := options.limits.file_bytes):
        raise RefusedFile("too_large", say(_LARGE_GAME, most=most / MIB))
    return files


def _plan_archive(data: bytes, name: str, options: ReadOptions) -> ReadPlan:
    """The units of a zip archive. Raises RefusedFile when it holds or unpacks to more than the limits."""
    # What a person says of a file is said of none inside an archive.
    options = replace(options, own=())
    archive = archives.open_zip(data, options.limits)
    try:
        units = list(_plan_members(name, archive, options))
    except archives.OverBudget:
        sentence = say(_TOO_MUCH, most=options.limits.unpacked_bytes / MIB)
        raise RefusedFile("too_large", sentence) from None
    says = say(_LEFT_OUT, count=archive.left_out)
    remarks = [Fault(name, "left_out", says, is_warning=True)] if archive.left_out else []
    return ReadPlan(units=units, options=options, archive=archive, remarks=remarks)


def _groups(archive: Archive, options: ReadOptions) -> Iterator[tuple[Format | None, list[Member]]]:
    """The folders that form a game of some format, and every other file on its own, in the order of the archive."""
    folders: dict[str, list[Member]] = {}
    for member in archive.members:
        folders.setdefault(member.folder, []).append(member)
    found = {folder: folder_format([one.name for one in own], options) for folder, own in folders.items()}
    for top in [folder for folder, known in found.items() if known is not None and known.has_folders]:
        within = f"{top}/" if top else ""
        for folder in [folder for folder in found if folder.startswith(within) and folder != top]:
            folders[top] += folders.pop(folder)
            found[folder], folders[folder] = found[top], folders[top]
    for member in archive.members:
        known, members = found[member.folder], folders[member.folder]
        if known is None or member is members[0]:
            yield known, [member] if known is None else members


def _plan_members(upload: str, archive: Archive, options: ReadOptions) -> Iterator[Unit | ReadOutcome]:
    """The content of each file, and of each folder that is a game. Raises OverBudget."""
    budget = Budget(options.limits.unpacked_bytes)
    for known, members in _groups(archive, options):
        first = members[0]
        path, source = first.path, source_name(first.name)
        if known is not None:
            path = source = first.path.rpartition("/")[0] or source_name(upload)
        name = f"{upload}: {path}"
        unit: Unit | ReadOutcome
        try:
            files = unpack_unit(archive, members, options, budget)
            if known is not None:
                unit = Unit(FOLDER, known, name, source)
            else:
                _check_nested(data := files[first.name], options.limits)
                unit = lay_out(data, name, source, options)
                if isinstance(unit, Unit) and len(archive.members) > 1 and is_private_file(source):
                    raise RefusedFile("private_file", say(_PRIVATE_FILE, name=first.name))
        except RefusedFile as why:
            unit = refused(name, why.code, say(why.sentence))
        # Notes beside games are no reason to correct anything.
        are_notes = [one.name.lower().endswith(DOCUMENT_ENDINGS) for one in (first, *archive.members)]
        if not isinstance(unit, Unit) and are_notes[0] and not all(are_notes):
            faults = [replace(fault, is_warning=True) for fault in unit.faults]
            unit = replace(unit, faults=faults, fault_count=0)
        # It is unpacked again when it is read, so that memory holds one file at a time.
        yield replace(unit, document=None, data=b"", members=members) if isinstance(unit, Unit) else unit


def _check_nested(data: bytes, limits: Limits) -> None:
    """Raises RefusedFile for an archive or a document of an office program."""
    if archives.is_archive(data):
        try:
            archives.open_zip(data, limits)
        except RefusedFile as why:
            if why.code == archives.OFFICE:
                raise
        raise RefusedFile("nested_archive")


def folder_format(names: list[str], options: ReadOptions) -> Format | None:
    """The format in which files of these names, in one folder, are a game."""
    folders = (known for known in options.known if known.recognises_files and known.recognises_files(names))
    return next(folders, None)


class ReadTally(Struct):
    """Totals of the games read so far; where they are stored, also of those taken, and the faults of the others."""

    most: int = Limits().faults
    game_count: int = 0
    refused_count: int = 0
    faults: list[Fault] = []
    fault_count: int = 0
    formats: set[str] = set()
    taken_count: int = 0
    not_taken: list[Fault] = []
    not_taken_count: int = 0

    @classmethod
    def of(cls, plan: ReadPlan) -> "ReadTally":
        return cls(plan.options.limits.faults, faults=[*plan.remarks])

    def add(self, outcome: ReadOutcome) -> None:
        self.faults += outcome.faults[: max(0, self.most - len(self.faults))]
        self.fault_count += outcome.fault_count
        self.game_count += outcome.game is not None
        self.refused_count += outcome.game is None and outcome.format != ""
        self.formats |= {outcome.format} - {""}

    def refuse(self, fault: Fault) -> None:
        """Count why a game was not taken; a warning is about one that is stored already."""
        self.not_taken += [fault] if len(self.not_taken) < self.most else []
        self.not_taken_count += not fault.is_warning

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
    sentence = say("The game has one round, but most games of the file have several. Look at its rounds.")
    fault = Fault(place=game.place, code=ONE_ROUND, message=sentence, is_warning=True)
    return replace(outcome, game=replace(game, warnings=[*game.warnings, fault]))


def _read_games(plan: ReadPlan) -> Iterator[ReadOutcome]:
    options = plan.options
    budget = Budget(options.limits.unpacked_bytes)
    for unit in plan.units:
        if isinstance(unit, ReadOutcome):
            yield unit
            continue
        files = {"": unit.data}
        if plan.archive is not None:
            # What is refused, or beyond the budget, is no unit of the plan.
            files = unpack_unit(plan.archive, unit.members, options, budget)
        if unit.kind == FOLDER:
            yield from _read_folder(unit, files, options)
        else:
            (data,) = files.values()
            read = _read_text if unit.kind == TEXT else _read_values
            yield from read(replace(unit, data=data), options)


def _read_folder(unit: Unit, files: Mapping[str, bytes], options: ReadOptions) -> Iterator[ReadOutcome]:
    new_notes, known = partial(_notes, unit, count(1), options), unit.format
    games: Iterable[tuple[NativeGame, Notes]] = ()
    if known.read_files:
        games = known.read_files(files, new_notes, options.columns)
    elif known.to_native_files:
        games = [(known.to_native_files(files, notes := new_notes()), notes)]
    return _read_converted(games, unit, options)


def _read_text(unit: Unit, options: ReadOptions) -> Iterator[ReadOutcome]:
    decoded = decode_text(unit.data) or Decoded(b"")
    new_notes = partial(_notes, unit, count(1), options, decoded.warnings)
    read = unit.format.to_native_text
    own = [] if unit.members else options.own
    return _read_converted(read(decoded, new_notes, [*own, *options.columns]) if read else (), unit, options)


def _read_converted(
    games: Iterable[tuple[NativeGame, Notes]], unit: Unit, options: ReadOptions
) -> Iterator[ReadOutcome]:
    """The games of a text or a folder, or a fault if there are none."""
    known, is_empty = unit.format, True
    for value, notes in games:
        is_empty = False
        yield _outcome(read_converted(value, notes, options.role_map), notes, known)
    if is_empty:
        sentence = say("No game was found in the format {name}. Name another one.", name=known.name)
        yield refused(unit.name, "no_games", sentence)


def _notes(
    unit: Unit, numbers: Iterator[int], options: ReadOptions, warnings: Iterable[tuple[str, int]] = ()
) -> Notes:
    """The notes of the next game of a unit; `warnings` are those of its file, with their counts."""
    number = next(numbers)
    source = unit.source if number == 1 else f"{unit.source}-{number}"
    notes = Notes(unit.name, "", options.limits, source=source, columns=options.columns)
    for code, times in warnings:
        notes.warn(code, count=times)
    return notes


def _read_values(unit: Unit, options: ReadOptions) -> Iterator[ReadOutcome]:
    """The games of the JSON values of a file, one value after the other."""
    begin, after, key, around = unit.inner or (0, len(unit.data), "", {})
    is_list, is_whole = unit.kind == LIST, unit.parts is None
    parts = [(begin, after)] if unit.parts is None else unit.parts
    places = PartPlaces(unit.data, unit.begin.line, unit.begin.column)
    had_bom = unit.had_bom or unit.data.startswith(BOM)
    for index, (start, end) in enumerate(parts, unit.begin.index):
        data = unit.data[start:end]
        document = unit.document or read_value(data, options.limits, is_item=is_list)
        file = unit.name if is_list or is_whole else f"{unit.name} line {places.line(start)}"
        pointer = f"/{index}" if is_list else f"/{key}" if key else ""
        located = partial(_locate, places, start, pointer, unit.name)
        faults = located(document.problems)
        left = document.problem_count - len(document.problems)
        if not document.is_readable:
            yield ReadOutcome(faults=faults, fault_count=len(faults) + left, format=unit.format.name)
            continue
        value = around | {key: document.value} if key else document.value
        value = games_inside(value, options) if unit.format is INSIDE and unit.document is None else value
        known = unit.format if is_whole else format_of(value, options) or unit.format
        source = unit.source if is_whole else f"{unit.source}-{index + 1}"
        notes = Notes(file, "" if key else pointer, options.limits, source=source, columns=options.columns)
        odd_places = _odd_places(data, document, located)
        for outcome in _read_value(replace(document, value=value, had_bom=had_bom), known, notes, options):
            if odd_places:
                outcome = replace(outcome, faults=[_with_line(fault, odd_places) for fault in outcome.faults])
            # A JSON fault of the value is reported with its first game and refuses all its games.
            if document.problems:
                more = len(faults) + left + outcome.fault_count
                outcome = ReadOutcome(faults=faults + outcome.faults, fault_count=more, format=known.name)
                faults, left = [], 0
            yield outcome


def _locate(places: PartPlaces, start: int, pointer: str, name: str, problems: list[Problem]) -> list[Fault]:
    """The problems of a value that begins there, as faults of the file."""
    return json_faults(name, [places.place(problem, start, pointer) for problem in problems])


def _odd_places(
    data: bytes, document: Document, located: Callable[[list[Problem]], list[Fault]]
) -> dict[str, str]:
    """Where what is not finite is: the last key -> the first place, with line and column."""
    found: dict[str, str] = {}
    is_odd = any(replaced.not_finite for replaced in document.replaced.values())
    for problem in read_json(data).problems if is_odd else ():
        if problem.code == "not_finite":
            (fault,) = located([problem])
            found.setdefault(_last_key(fault.place), fault.place)
    return found


def _with_line(fault: Fault, odd_places: dict[str, str]) -> Fault:
    place = odd_places.get(_last_key(fault.place)) if fault.code == "not_finite" else None
    return fault if place is None else replace(fault, place=place)


def _last_key(place: str) -> str:
    return snake_to_camel(place.rpartition("/")[2]).lower()


def _read_value(
    document: Document, known: Format, notes: Notes, options: ReadOptions
) -> Iterator[ReadOutcome]:
    """The game of the value, or its games if the format puts several into one; `notes` are those of a lone one."""
    parts = _parts(document.value, known, options)
    replaced = sum_replaced(document.replaced.values())
    odd = [list(_not_finite(part)) if replaced.not_finite else [] for _pointer, part, _own in parts]
    beside = replaced.not_finite - sum(map(len, odd))
    for index, (pointer, part, own) in enumerate(parts):
        own_notes = notes.apart(pointer, f"{notes.source}-{index + 1}" if len(parts) > 1 else notes.source)
        if document.had_bom:
            own_notes.warn("byte_order_mark")
        if document.replaced:
            times, first = len(odd[index]) + (0 if index else beside), (*odd[index], replaced.first)[0]
            own_notes.warn_replaced([replace(replaced, not_finite=times, first=first)])
        if own is NATIVE or own.to_native is None:
            record = read_game(part, own_notes, options.role_map)
        else:
            record = read_converted(own.to_native(part, own_notes), own_notes, options.role_map)
        yield _outcome(record, own_notes, own)


def _parts(value: Any, known: Format, options: ReadOptions) -> list[tuple[str, Any, Format]]:
    """The games of a value, or those inside it, each with its pointer and its format, which may hold several."""
    found = [("", value, known)]
    if known is INSIDE:
        usual = {list: find_format("json_turns")}
        found = [(at, one, format_of(one, options) or usual.get(type(one)) or NATIVE) for at, one in value]
    return [
        (f"{pointer}{inner}", game, own)
        for pointer, part, own in found
        for inner, game in (
            own.parts(part) if own.parts and own.recognises and own.recognises(part) else [("", part)]
        )
    ]


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
    game = ReadGame(record=record, warnings=warnings, place=place, private=notes.private)
    return ReadOutcome(game=game, format=known.name)
