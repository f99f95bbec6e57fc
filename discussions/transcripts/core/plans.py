"""What an uploaded file holds: one file, or an archive of files and folders.

The whole file is checked before any game is read, since nothing may be imported from a file that is refused as a whole.
"""

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from discussions.core.records import Fault
from discussions.transcripts.core import archives
from discussions.transcripts.core.audience import is_private_file
from discussions.transcripts.core.decoding import describe_proposals, recode
from discussions.transcripts.core.file_names import shown_name, source_name
from discussions.transcripts.core.formats import Format
from discussions.transcripts.core.layouts import FOLDER, ReadOptions, Unit, lay_out
from discussions.transcripts.core.notes import MIB, ReadOutcome, refused
from discussions.transcripts.core.readers.heads import find_encoding
from workspace.core.words import mark, say

_TAR = archives.RefusedFile(
    "archive", mark("The file is a tar archive. Put the transcripts into a zip archive instead.")
)
_TOO_MUCH = mark(
    "The archive unpacks to more than {most:,.0f} MiB, the most that is read. Split it into several archives."
)
_LARGE_GAME = mark(
    "The files of this folder have more than {most:,.0f} MiB together, the most that is read of one game."
)
_PRIVATE_FILE = mark(
    'The name "{name}" says that not everybody could hear what is in the file, so it is no game of its own and was not '
    "read. If everybody could, give it another name."
)
_NOT_SO = mark("The file is not text in the encoding {name}. Name another one, or none where it is UTF-8.")
_LEFT_OUT = mark(
    "Files of the archive that are plainly no transcripts (such as licences) were left out: {count:,}."
)


class ReadPlan(Struct, frozen=True):
    """What an uploaded file holds, or why nothing of a part is read. `remarks` are warnings that belong to no game."""

    units: list[Unit | ReadOutcome]
    options: ReadOptions
    archive: archives.Archive | None = None
    remarks: list[Fault] = []

    @property
    def game_count(self) -> int:
        """How many games there may be, the refused ones included."""
        return sum(unit.game_count for unit in self.units if isinstance(unit, Unit))


def plan_reading(data: bytes, name: str, options: ReadOptions) -> ReadPlan:
    """Check the whole file: what it holds, and what must be refused. Never raises."""
    name = shown_name(name)
    found: bytes | archives.RefusedFile = data
    if len(data) <= options.limits.file_bytes and archives.is_archive(data):
        if data.startswith(archives.ZIP_STARTS):
            return _plan_archive(data, name, options)
        found = archives.gunzip(data, options.limits) if data.startswith(archives.GZIP_START) else _TAR
    if isinstance(found, bytes):
        found = _recoded(found, options)
    return ReadPlan(units=[_plan_file(name, source_name(name), found, options)], options=options)


def _plan_file(
    name: str, source: str, data: bytes | archives.RefusedFile, options: ReadOptions
) -> Unit | ReadOutcome:
    if isinstance(data, archives.RefusedFile):
        return refused(name, data.code, say(data.message))
    return lay_out(data, name, source, options)


def _recoded(data: bytes, options: ReadOptions) -> bytes | archives.RefusedFile:
    """The bytes in UTF-8, where somebody named their encoding or they begin with the mark of UTF-16."""
    encoding = options.encoding or find_encoding(data, options.columns)
    recoded = recode(data, encoding)
    if recoded is not None:
        return recoded
    sentence = say(_NOT_SO, name=encoding or "utf-16") + describe_proposals(data)
    return archives.RefusedFile("encoding", sentence)


def unpack_unit(
    archive: archives.Archive, members: list[archives.Member], options: ReadOptions, budget: archives.Budget
) -> dict[str, bytes] | archives.RefusedFile:
    """The bytes of one file or of the files of one folder, by name. Raises OverBudget."""
    files: dict[str, bytes] = {}
    limits = options.limits
    is_tree = len({member.folder for member in members}) > 1
    for member in members:
        data = archives.unpack(archive, member, limits, budget)
        if isinstance(data, bytes) and not archives.is_archive(data):
            data = _recoded(data, options)
        if isinstance(data, archives.RefusedFile):
            return data if len(members) == 1 else replace(data, message=f"{member.name}: {data.message}")
        files[member.path if is_tree else member.name] = data
    if sum(map(len, files.values())) > limits.file_bytes:
        return archives.RefusedFile("too_large", say(_LARGE_GAME, most=limits.file_bytes / MIB))
    return files


def _plan_archive(data: bytes, name: str, options: ReadOptions) -> ReadPlan:
    """The units of a zip archive. It is refused as a whole when it holds or unpacks to more than the limits."""
    archive = archives.open_zip(data, options.limits)
    units: list[Unit | ReadOutcome] = []
    try:
        if isinstance(archive, archives.Archive):
            units = list(_plan_members(name, archive, options))
    except archives.OverBudget:
        archive = archives.RefusedFile("too_large", say(_TOO_MUCH, most=options.limits.unpacked_bytes / MIB))
    if isinstance(archive, archives.RefusedFile):
        return ReadPlan(units=[_plan_file(name, source_name(name), archive, options)], options=options)
    remarks = []
    if archive.left_out:
        sentence = say(_LEFT_OUT, count=archive.left_out)
        remarks = [Fault(place=name, code="left_out", message=sentence, is_warning=True)]
    return ReadPlan(units=units, options=options, archive=archive, remarks=remarks)


def _groups(
    archive: archives.Archive, options: ReadOptions
) -> Iterator[tuple[Format | None, list[archives.Member]]]:
    """The folders that form a game of some format, and every other file on its own, in the order of the archive."""
    folders: dict[str, list[archives.Member]] = {}
    for member in archive.members:
        folders.setdefault(member.folder, []).append(member)
    found = {
        folder: folder_format([member.name for member in members], options)
        for folder, members in folders.items()
    }
    for top in [folder for folder, known in found.items() if known is not None and known.has_folders]:
        within = f"{top}/" if top else ""
        for folder in [folder for folder in found if folder.startswith(within) and folder != top]:
            folders[top] += folders.pop(folder)
            found[folder], folders[folder] = found[top], folders[top]
    for member in archive.members:
        known, members = found[member.folder], folders[member.folder]
        if known is None or member is members[0]:
            yield known, [member] if known is None else members


def _plan_members(
    upload: str, archive: archives.Archive, options: ReadOptions
) -> Iterator[Unit | ReadOutcome]:
    """The content of each file, and of each folder that is a game. Raises OverBudget."""
    budget = archives.Budget(options.limits.unpacked_bytes)
    for known, members in _groups(archive, options):
        first = members[0]
        path, source = first.path, source_name(first.name)
        if known is not None:
            path = source = first.path.rpartition("/")[0] or source_name(upload)
        name = f"{upload}: {path}"
        files = unpack_unit(archive, members, options, budget)
        if known is not None and not isinstance(files, archives.RefusedFile):
            yield Unit(FOLDER, known, name, source, members=members)
            continue
        data = files if isinstance(files, archives.RefusedFile) else files[first.name]
        if isinstance(data, bytes) and archives.is_archive(data):
            inside = archives.open_zip(data, options.limits)
            data = archives.OFFICE if inside is archives.OFFICE else archives.NESTED
        unit = _plan_file(name, source, data, options)
        if isinstance(unit, Unit) and len(archive.members) > 1 and is_private_file(source):
            unit = refused(name, "private_file", say(_PRIVATE_FILE, name=first.name))
        # It is unpacked again when it is read, so that memory holds one file at a time.
        yield replace(unit, document=None, data=b"", members=members) if isinstance(unit, Unit) else unit


def folder_format(names: list[str], options: ReadOptions) -> Format | None:
    """The format in which files of these names, in one folder, are a game."""
    folders = (known for known in options.known if known.recognises_files and known.recognises_files(names))
    return next(folders, None)
