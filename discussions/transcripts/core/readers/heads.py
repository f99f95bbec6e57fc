"""Preview of a file of rows, for people who map its columns: only the beginning of a long file is read."""

from collections import Counter
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from discussions.core.records import Fault, GameRecord, PrivateEntry
from discussions.transcripts.core.archives import gunzip_start
from discussions.transcripts.core.decoding import UTF_8, Decoded, decode_text, propose_encodings, recode
from discussions.transcripts.core.formats import FORMATS, read_converted, recognise
from discussions.transcripts.core.native_parts import RoleMap
from discussions.transcripts.core.notes import Limits, Notes
from discussions.transcripts.core.readers.columns import (
    ENCODING,
    Columns,
    MappingRecord,
    find_mapping,
    has_needed,
)
from discussions.transcripts.core.readers.csv_rows import read_csv
from discussions.transcripts.core.readers.csv_rows import recognises_text as is_csv
from discussions.transcripts.core.readers.inner_parts import list_inner_games
from discussions.transcripts.core.readers.json_rows import read_first_rows
from discussions.transcripts.core.readers.json_rows import recognises_text as is_json
from discussions.transcripts.core.readers.json_turns import recognises as is_turns
from discussions.transcripts.core.readers.json_turns import table_of_game
from discussions.transcripts.core.readers.lists import (
    count_rows,
    cut_lists,
    find_lists,
    read_values,
    table_at,
)
from discussions.transcripts.core.readers.profiles import propose_mapping
from discussions.transcripts.core.readers.rows import games_of_rows
from discussions.transcripts.core.readers.tables import Table

HEAD_BYTES = 256 * 1024
# A game that is one JSON object is read whole.
MOST_BYTES = 4 * 1024 * 1024
JSONL, CSV = "jsonl", "csv"


class FirstGame(Struct, frozen=True):
    """The first game of the rows under a mapping. Without a `record`, the faults say why."""

    record: GameRecord | None = None
    faults: list[Fault] = []
    warnings: list[Fault] = []
    game_count: int = 0
    private: list[PrivateEntry] = []

    @property
    def spoken(self) -> dict[int, int]:
        """The number of messages of each player."""
        return Counter(message.player for message in self.record.messages) if self.record else {}

    @property
    def apart(self) -> dict[str, int]:
        """The number of texts of each kind that not everybody could hear."""
        return Counter(entry.kind for entry in self.private)


def read_head(
    data: bytes, *, is_part: bool, format_name: str = "", encoding: str = "", path: str = ""
) -> Table | None:
    """The rows at the beginning of a file, which may be packed by gzip; None when it holds no rows with columns.

    `is_part` says that `data` is cut off; an incomplete row is left out. A file that was read as `format_name` may have
    rows that would not be recognised as such, since a person named the format. Bytes that are not UTF-8 are read in the
    `encoding`, else in the most plausible one; a value with several lists by that at `path`, else by the one that looks
    most like messages. Never raises.
    """
    text, is_whole = gunzip_start(data, HEAD_BYTES)
    is_part = is_part or not is_whole
    plain = _decode(text, "", is_part=is_part)
    guesses = [] if plain is not None and plain.encoding == UTF_8 else propose_encodings(text)
    if guesses and plain is None:
        encoding = encoding or guesses[0][0]
    decoded = _decode(text, encoding, is_part=is_part) if encoding else plain
    if decoded is None:
        return None
    if not path and (format_name == JSONL or is_json(decoded.text)):
        table = read_first_rows(decoded.text)
    elif format_name == CSV or is_csv(decoded.text):
        table = read_csv(decoded, is_part=is_part)
    else:
        value = None if is_part else read_values(decoded.data)
        brief = cut_lists(value)
        found = (
            table_of_game(value)
            if is_turns(brief)
            else None
            if _is_known(brief)
            else _find_rows(value, brief, path)
        )
        if found is None:
            return None
        table = found
    if guesses:
        table = replace(table, encoding=encoding, encodings=guesses)
    return replace(table, is_part=is_part) if table.columns else None


def _decode(text: bytes, encoding: str, *, is_part: bool) -> Decoded | None:
    recoded = recode(text, encoding, is_part=is_part) or b""
    return decode_text(recoded[: recoded.rfind(b"\n") + 1] if is_part and b"\n" in recoded else recoded)


def _is_known(value: Any) -> bool:
    """Whether a value is a game in a known format, a list of them, or holds some."""
    heads = [value, *value[:1]] if type(value) is list else [value]
    return any(map(recognise, heads)) or bool(list_inner_games(value, FORMATS))


def _find_rows(value: Any, brief: Any, path: str) -> Table | None:
    """The rows of the list at the path, else of that with most rows among those that look like messages in `brief`."""

    def rank(path: str) -> tuple[bool, int]:
        table = table_at(brief, path)
        is_talk = table is not None and has_needed(propose_mapping(table).fields)
        return is_talk, count_rows(value, path)

    path = path or max(find_lists(value), key=rank, default="")
    return table_at(value, path) if path else None


def find_encoding(data: bytes, columns: Columns) -> str:
    """The encoding of a recipe that fits bytes that are not UTF-8; "" without one."""
    named = [mapping for mapping in columns if ENCODING in mapping.settings]
    decoded = decode_text(data) if named else None
    for mapping in () if decoded and decoded.encoding == UTF_8 else named:
        table = read_head(
            data[:HEAD_BYTES], is_part=len(data) > HEAD_BYTES, encoding=mapping.settings[ENCODING]
        )
        if table is not None and find_mapping(table.columns, [mapping]):
            return mapping.settings[ENCODING]
    return ""


def read_first_game(
    table: Table, mapping: MappingRecord, name: str, source: str, role_map: RoleMap
) -> FirstGame:
    """The first game of the rows by this mapping, and how many games begin in them. Never raises."""
    games = list(games_of_rows(table, mapping, lambda: Notes(name, "", Limits(), source=source)))
    faults = [Fault(place=name, code=code, message=says) for code, _place, says in table.faults.first]
    if not games:
        return FirstGame(faults=faults)
    value, notes = games[0]
    record = read_converted(value, notes, role_map)
    return FirstGame(
        record=record,
        faults=[*faults, *notes.faults],
        warnings=notes.warnings(),
        game_count=len(games),
        private=notes.private,
    )
