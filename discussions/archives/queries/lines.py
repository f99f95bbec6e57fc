"""One line of an archive, read strictly: a record of its table, or a refusal that names the place."""

import re
from datetime import datetime, timedelta
from typing import Any

import msgspec
from django.db import models
from msgspec import Struct

from discussions.archives.core.zip_reader import refuse, reject
from discussions.archives.queries.tables import ArchivedTable
from workspace.core.canonical import canonical_bytes

# In canonical JSON: a NUL that is escaped itself, not a backslash that is.
_NUL = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")
# Every value of a line takes up to a hundred bytes of memory. A game of 20,000 messages has a million in its findings,
# which are read with their types; the largest other line is the basis of a decision on thousands of games.
MOST_VALUES, MOST_VALUES_OF_TEXTS = 500_000, 2_000_000
# Clocks of two installations differ by no more than this.
CLOCKS_DIFFER = timedelta(minutes=5)
# No installation existed earlier.
EARLIEST_YEAR = 2000


def read_line(line: bytes, line_type: type[Struct], place: str, most_values: int = MOST_VALUES) -> Any:
    """The record in the line. Raises Unacceptable for anything that the product would not have written."""
    # Counted roughly, before any value is built: every value but the first follows one of these.
    if sum(map(line.count, (b",", b"[", b"{"))) > most_values:
        raise reject(place, f"it holds more than {most_values:,} values", "many_values")
    try:
        record = msgspec.json.decode(line, type=line_type)
        is_plain = canonical_bytes(record) == line
    except UnicodeDecodeError:
        raise reject(place, "it is no UTF-8", "bad_line") from None
    except (msgspec.MsgspecError, ValueError, RecursionError) as fault:
        raise reject(place, f"{fault}", "bad_line") from None
    if not is_plain:
        says = (
            "it is not written as the product writes it (order of names, spaces, a name twice). Make it again"
        )
        raise refuse(place, says, "not_canonical")
    if _NUL.search(line):
        raise refuse(place, "a text holds a NUL character, which no database stores. Take it out", "nul")
    return record


def check_moments(record: Any, ahead: dict[str, timedelta], now: datetime, place: str) -> None:
    """Check that every moment of a record is in UTC and has passed, except those of `ahead`. Raises Unacceptable."""
    for name in record.__struct_fields__:
        value = getattr(record, name)
        if not isinstance(value, datetime):
            continue
        if value.utcoffset() != timedelta(0):
            raise reject(place, f"{name}: {value.isoformat()} is not in UTC", "not_utc")
        if value.year < EARLIEST_YEAR or value > now + CLOCKS_DIFFER + ahead.get(name, timedelta(0)):
            says = (
                f"{name}: {value.isoformat()} is not between the year {EARLIEST_YEAR} and now. Set the clocks of both "
                "installations, and make the archive again"
            )
            raise refuse(place, says, "not_now")


def check_decimals(table: ArchivedTable, record: Any, place: str) -> None:
    """Check that every decimal is finite, not negative, and has the places of its field. Raises Unacceptable."""
    for field in table.fields:
        value = getattr(record, field.name)
        if not isinstance(field, models.DecimalField) or value is None:
            continue
        sign, digits, exponent = value.as_tuple()
        if (sign, exponent) != (0, -field.decimal_places) or len(digits) > field.max_digits:
            says = (
                f"{field.name}: {value} is no number from 0 up with {field.decimal_places} decimal places and at most "
                f"{field.max_digits} digits"
            )
            raise reject(place, says, "decimal")


def check_texts(table: ArchivedTable, values: dict[str, Any], place: str) -> None:
    """Check that JSON in text fields has the type that pages decode. Raises Unacceptable."""
    for name, kind in table.texts.items():
        text = values[name]
        if text == "" and table.model._meta.get_field(name).blank:  # type: ignore[union-attr]
            continue
        try:
            msgspec.json.decode(text, type=kind)
        except (msgspec.MsgspecError, ValueError, RecursionError) as fault:
            raise reject(place, f"{name}: {fault}", "bad_text") from None
