"""Text with a sign between who spoke and what was said, other than that of a chat: "Ann | Good morning."

Which sign it is, a person confirms. A line without it continues the text before.
"""

import re
from collections import Counter
from collections.abc import Iterator

from msgspec.structs import replace

from discussions.transcripts.core.decoding import Decoded
from discussions.transcripts.core.notes import NativeGame, NewNotes, Notes
from discussions.transcripts.core.readers.chat_lines import TIME
from discussions.transcripts.core.readers.columns import SEPARATOR, Columns, MappingRecord, find_mapping
from discussions.transcripts.core.readers.json_rows import table_of_objects
from discussions.transcripts.core.readers.rows import read_table
from discussions.transcripts.core.readers.tables import Table

SEPARATORS = (*"| :: >> => -> » › > ~ = ;".split(), "\t", " - ", " – ", " — ")
# The most text that is looked at, the fewest lines of it, and how a separator is shown.
SAMPLE, LEAST_LINES, SHOWN = 64 * 1024, 4, 60
WHO = r"[^\W_][\w .'’-]{0,39}?"


def separated_name(separator: str) -> tuple[str, str]:
    """The columns of name and text, which belong to files with this separator alone."""
    shown = "⇥" if separator == "\t" else separator.strip()
    return f"name {shown}", f"text {shown}"


def find_separators(text: str) -> list[tuple[str, str]]:
    """The signs that may stand between name and text, the likeliest first, each with a line that has it."""
    lines = [line for line in text[:SAMPLE].splitlines() if line.strip()]
    found = []
    for separator in SEPARATORS:
        matches = [match for line in lines if (match := _shape(separator).fullmatch(line.strip()))]
        names = Counter(match["name"] for match in matches)
        often = sum(count for count in names.values() if count > 1)
        is_talk = len(names) > 1 and often >= LEAST_LINES and 2 * often > len(lines)
        if is_talk and 2 * len(names) <= often + 1:
            found.append((often, separator, matches[0][0][:SHOWN]))
    # Of signs in equally many lines the longer one counts, which the order says.
    return [(separator, sample) for _often, separator, sample in sorted(found, key=lambda one: -one[0])]


def read_separated(decoded: Decoded, separator: str) -> Table | None:
    """The lines of a text as rows; None if it has no line with this separator. Never raises."""
    shape, (name, said) = _shape(separator), separated_name(separator)
    rows: list[tuple[int, dict[str, str]]] = []
    for number, line in enumerate(decoded.text.splitlines(), start=1):
        match = shape.fullmatch(line.strip())
        if match:
            timed = {"time": match["time"]} if match["time"] else {}
            rows.append((number, timed | {name: match["name"].strip(), said: match["text"]}))
        elif rows and line.strip():
            rows[-1][1][said] += f"\n{line.strip()}"
    separators = find_separators(decoded.text)
    if not rows or separator not in dict(separators):
        return None
    table = table_of_objects(rows, "line {}".format)
    return replace(table, separator=separator, separators=separators)


def recognises_recipe(decoded: Decoded, columns: Columns) -> bool:
    """Whether a recipe says how the lines are read."""
    return _by_recipe(decoded, columns) is not None


def _by_recipe(decoded: Decoded, columns: Columns) -> tuple[Table, MappingRecord] | None:
    for mapping in columns:
        separator = mapping.settings.get(SEPARATOR)
        table = read_separated(decoded, separator) if separator else None
        if table is not None and find_mapping(table.columns, [mapping]):
            return table, mapping
    return None


def to_native_text(
    decoded: Decoded, new_notes: NewNotes, columns: Columns
) -> Iterator[tuple[NativeGame, Notes]]:
    """The games of the lines, by the recipe that fits. Never raises."""
    found = _by_recipe(decoded, columns)
    return read_table(found[0], new_notes, [found[1]]) if found else iter(())


def _shape(separator: str) -> "re.Pattern[str]":
    time = rf"(?:[\[(]?(?P<time>{TIME})[\])]?[ ,|-]{{0,3}})?"
    return re.compile(rf"{time}(?P<name>{WHO})[ ]{{0,3}}{re.escape(separator)}[ ]{{0,3}}(?P<text>\S.*)")
