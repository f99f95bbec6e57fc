"""A file cut into parts that several workers read, and the summed outcomes of its games."""

from collections.abc import Iterator
from zlib import crc32

from msgspec import Struct

from discussions.core.records import Fault
from discussions.transcripts.core.formats import find_format
from discussions.transcripts.core.intake import Intake
from discussions.transcripts.core.layouts import LINES, LIST, VALUES, Begin, File, Layout, ReadOptions
from discussions.transcripts.core.plans import ReadPlan, Unit
from discussions.transcripts.core.reader import MIXED, ReadTally
from workspace.core.json_items import BOM, PartPlaces, Parts, find_items, find_lines, find_values, split_items

# A part is stored in one transaction, during which people who save on SQLite wait.
PART_GAMES, PART_BYTES = 100, 2_000_000


class FilePart(Struct, frozen=True, array_like=True):
    """Bytes `start` to before `end` of a file, with so many items or lines; `checksum` covers these bytes."""

    start: int
    end: int
    count: int
    checksum: int
    begin: Begin


class CutLayout(Struct, frozen=True):
    """How a file that was cut holds its games; `format` is a name."""

    kind: str
    format: str
    had_bom: bool
    name: str
    source: str


class PartClaim(Struct, frozen=True, array_like=True):
    """The job that reads a part, and its fence."""

    job: int
    fence: int


class Sums(Struct):
    """The outcomes of the games read so far: counts, the first faults of reading and of importing, and formats."""

    game_count: int = 0
    refused_count: int = 0
    faults: list[Fault] = []
    fault_count: int = 0
    formats: list[str] = []
    taken_count: int = 0
    not_taken: list[Fault] = []
    not_taken_count: int = 0

    def add(self, tally: ReadTally, intake: Intake, most: int) -> None:
        """Add the outcomes of more games; at most a limited number of faults is kept."""
        self.game_count += tally.game_count
        self.refused_count += tally.refused_count
        self.faults += tally.faults[: most - len(self.faults)]
        self.fault_count += tally.fault_count
        self.formats = sorted({*self.formats, *tally.formats})
        self.taken_count += intake.game_count
        self.not_taken += intake.faults[: most - len(self.not_taken)]
        self.not_taken_count += intake.refused_count

    @property
    def read_count(self) -> int:
        """How many games were read, those that were refused included."""
        return self.game_count + self.refused_count

    @property
    def format(self) -> str:
        """The one format, "mixed" of several, "" of none."""
        return MIXED if len(self.formats) > 1 else "".join(self.formats)


def cut(plan: ReadPlan, data: bytes) -> tuple[CutLayout, list[FilePart]] | None:
    """The parts of a file that is one list or several values; None of other files, and where one part is enough."""
    # Parts are read again from the stored bytes `data`, so these must be what is read.
    if plan.archive is not None or len(plan.units) != 1 or plan.units[0].file.data is not data:
        return None
    file, layout = plan.units[0].file, plan.units[0].found
    if not isinstance(layout, Layout) or layout.kind not in (LIST, LINES, VALUES) or layout.parts is None:
        return None
    if len(layout.parts) <= PART_GAMES and len(file.data) <= PART_BYTES:
        return None
    had_bom = file.data.startswith(BOM)
    cut_layout = CutLayout(layout.kind, layout.format.name, had_bom, file.name, file.source)
    parts = list(_cut_parts(file.data, layout.parts))
    return (cut_layout, parts) if len(parts) > 1 else None


def _cut_parts(data: bytes, items: Parts) -> Iterator[FilePart]:
    places = PartPlaces(data)
    first = count = start = last = 0
    for index, (item_start, item_end) in enumerate(items):
        if count and (count == PART_GAMES or item_end - start > PART_BYTES):
            yield _part(data, start, last, count, Begin(first, *places.line_and_column(start)))
            count = 0
        if not count:
            first, start = index, item_start
        count += 1
        last = item_end
    yield _part(data, start, last, count, Begin(first, *places.line_and_column(start)))


def _part(data: bytes, start: int, end: int, count: int, begin: Begin) -> FilePart:
    return FilePart(start, end, count, crc32(memoryview(data)[start:end]), begin)


def plan_part(data: bytes, part: FilePart, layout: CutLayout, options: ReadOptions) -> ReadPlan:
    """How the bytes of one part are read: as the whole file would be, with its places in the file."""
    found = find_format(layout.format)
    assert found is not None, layout.format
    if layout.kind == LIST:
        listed = b"[" + data + b"]"
        items, items_at = split_items(listed) or find_items(listed, max_depth=options.limits.depth), 1
    else:
        items, items_at = (find_lines if layout.kind == LINES else find_values)(data), 0
    assert items is not None and len(items) == part.count, "the bytes were looked through when they were cut"
    own = Layout(layout.kind, found, items.moved(-items_at), part.begin, layout.had_bom)
    return ReadPlan(units=[Unit(File(layout.name, layout.source, data), own)], options=options)
