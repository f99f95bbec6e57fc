"""Tables as CSV (RFC 4180, UTF-8): text that a spreadsheet would take for a formula is neutralised."""

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal

Cell = str | int | float | Decimal | bool | None

# Characters that begin a formula in spreadsheets, in ASCII and in full width; tab and return may hide before one.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠", "|", "%")
_QUOTED = re.compile('[",\r\n]')


def csv_bytes(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> bytes:
    """The table with its heading: CRLF after every line, fields quoted where they must be, no byte-order mark.

    Text gets an apostrophe in front where a spreadsheet would compute it; numbers stay numbers, also negative ones.
    None is an empty field. Raises ValueError for a row that is not as long as the heading.
    """
    lines = [csv_line(columns)]
    for row in rows:
        if len(row) != len(columns):
            raise ValueError(f"A row has {len(row)} fields, the heading {len(columns)}.")
        lines.append(csv_line(row))
    return "".join(lines).encode()


def neutral(text: str) -> str:
    """The text, with an apostrophe in front where a spreadsheet would take it for a formula; no NUL."""
    clean = text.replace("\x00", "")
    is_formula = clean.startswith(_FORMULA) or clean.lstrip().startswith(_FORMULA)
    return f"'{clean}" if is_formula else clean


def csv_line(row: Sequence[Cell]) -> str:
    return ",".join(_field(cell) for cell in row) + "\r\n"


def _field(cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if not isinstance(cell, str):
        return repr(cell) if isinstance(cell, float) else str(cell)
    text = neutral(cell)
    return '"' + text.replace('"', '""') + '"' if _QUOTED.search(text) else text
