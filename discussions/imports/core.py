"""A file cut into parts that several workers read, and which of its games are new to a project."""

from collections.abc import Iterator
from typing import Any
from zlib import crc32

from msgspec import Struct

from discussions.core.records import Fault
from discussions.transcripts.core.formats import find_format
from discussions.transcripts.core.layouts import LINES, LIST, VALUES, Begin, ReadOptions, Unit
from discussions.transcripts.core.reader import ReadPlan, ReadTally
from workspace.core.json_items import BOM, PartPlaces, Parts, find_items, find_lines, find_values, split_items
from workspace.core.words import mark, say

# The games of a project: id -> content hash -> (number, transcript).
KnownGames = dict[str, dict[str, tuple[int, int]]]

_TWICE = mark('The game "{id}" is in this file twice, word for word; it was taken once.')
_HERE = mark('The game "{id}" is already here as game {number}, word for word; it was not taken again.')
_TAKEN = mark(
    'The id "{id}" already belongs to {where}, whose content is another. Nothing was overwritten. Give this game an id '
    "of its own, or import it as a separate game."
)

# A part is stored in one transaction, during which people who save on SQLite wait.
PART_GAMES, PART_BYTES = 100, 2_000_000


class FilePart(Struct, frozen=True, array_like=True):
    """Bytes `start` to before `end` of a file, with so many items or lines; `checksum` covers these bytes."""

    start: int
    end: int
    count: int
    checksum: int
    begin: Begin


def cut(plan: ReadPlan, data: bytes) -> tuple[dict[str, Any], list[FilePart]] | None:
    """The parts of a file that is one list or several values; None of other files, and where one part is enough.

    With them comes what each of them has of the whole file: fields of its `Unit`.
    """
    unit = plan.units[0]
    # Parts are read again from the stored bytes `data`, so these must be what is read.
    if plan.archive is not None or not isinstance(unit, Unit) or unit.data is not data:
        return None
    if unit.kind not in (LIST, LINES, VALUES) or unit.parts is None:
        return None
    if len(unit.parts) <= PART_GAMES and len(data) <= PART_BYTES:
        return None
    parts = list(_cut_parts(data, unit.parts))
    whole = {"kind": unit.kind, "format": unit.format.name, "had_bom": data.startswith(BOM)}
    return (whole | {"name": unit.name, "source": unit.source}, parts) if len(parts) > 1 else None


def _cut_parts(data: bytes, items: Parts) -> Iterator[FilePart]:
    places = PartPlaces(data)
    begin, start, end, count = Begin(), 0, 0, 0
    for index, (item_start, item_end) in enumerate(items):
        if count == PART_GAMES or (count and item_end - start > PART_BYTES):
            yield FilePart(start, end, count, crc32(memoryview(data)[start:end]), begin)
            count = 0
        if not count:
            start, begin = item_start, Begin(index, *places.line_and_column(item_start))
        end, count = item_end, count + 1
    yield FilePart(start, end, count, crc32(memoryview(data)[start:end]), begin)


def plan_part(data: bytes, part: FilePart, whole: dict[str, Any], options: ReadOptions) -> ReadPlan:
    """How the bytes of one part are read: as the whole file would be, with its places in the file."""
    known = find_format(whole["format"])
    assert known is not None, whole
    if whole["kind"] == LIST:
        listed = b"[" + data + b"]"
        items, items_at = split_items(listed) or find_items(listed, max_depth=options.limits.depth), 1
    else:
        items, items_at = (find_lines if whole["kind"] == LINES else find_values)(data), 0
    assert items is not None and len(items) == part.count, "the bytes were looked through when they were cut"
    own = {"format": known, "data": data, "parts": items.moved(-items_at), "begin": part.begin}
    return ReadPlan(units=[Unit(**whole | own)], options=options)


class Intake:
    """Decides for each game of a transcript, in the order of the file, whether to store it.

    The same file gives the same result.
    """

    def __init__(self, *, transcript: int, is_separate: bool) -> None:
        self.transcript = transcript
        self.is_separate = is_separate
        self._seen: dict[str, set[str]] = {}

    def know(self, game_id: str, sha256: str) -> None:
        self._seen.setdefault(game_id, set()).add(sha256)

    def takes(self, tally: ReadTally, known: KnownGames, game_id: str, sha256: str, place: str) -> bool:
        """Whether to store the game, which the tally counts; if not, it is stored already, or the tally says why."""
        seen = self._seen.setdefault(game_id, set())
        here = known.get(game_id, {})
        if sha256 in seen:
            tally.refuse(Fault(place, "already_imported", say(_TWICE, id=game_id), is_warning=True))
            return False
        if sha256 in here:
            seen.add(sha256)
            number, transcript = here[sha256]
            if transcript == self.transcript:
                tally.taken_count += 1
            else:
                sentence = say(_HERE, id=game_id, number=number)
                tally.refuse(Fault(place, "already_imported", sentence, is_warning=True))
            return False
        others = [number for number, transcript in here.values() if transcript != self.transcript]
        if (others or seen) and not self.is_separate:
            where = say("game {number}", number=min(others)) if others else say("another game of this file")
            tally.refuse(Fault(place, "game_exists", say(_TAKEN, id=game_id, where=where)))
            return False
        seen.add(sha256)
        tally.taken_count += 1
        return True
