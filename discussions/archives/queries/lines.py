"""One line of an archive, read strictly: a record of its table, or a refusal that names the place."""

from typing import Any

import msgspec
from msgspec import Struct

from discussions.archives.core.zip_reader import refuse
from discussions.archives.queries.tables import ArchivedTable
from workspace.core.canonical import canonical_bytes

_NUL = b"\\u0000"


def read_line(line: bytes, line_type: type[Struct], place: str) -> Any:
    """The record that the line is. Raises Unacceptable for anything that the product would not have written."""
    try:
        record = msgspec.json.decode(line, type=line_type)
        is_plain = canonical_bytes(record) == line
    except UnicodeDecodeError:
        raise refuse(place, "it is no UTF-8. Make the archive again", "bad_line") from None
    except (msgspec.MsgspecError, ValueError, RecursionError) as fault:
        raise refuse(place, f"{fault}. Make the archive again", "bad_line") from None
    if not is_plain:
        says = (
            "it is not written as the product writes it (order of names, spaces, a name twice). Make it again"
        )
        raise refuse(place, says, "not_canonical")
    if _NUL in line and has_nul(msgspec.to_builtins(record)):
        raise refuse(place, "a text holds a NUL character, which no database stores. Take it out", "nul")
    return record


def has_nul(value: Any) -> bool:
    """Whether a text in the plain value holds a NUL character."""
    if isinstance(value, str):
        return "\x00" in value
    if isinstance(value, dict):
        return any(has_nul(part) for pair in value.items() for part in pair)
    return isinstance(value, list) and any(has_nul(part) for part in value)


def check_texts(table: ArchivedTable, values: dict[str, Any], place: str) -> None:
    """JSON in text fields is of the type that pages read it as. Raises Unacceptable."""
    for name, kind in table.texts.items():
        text = values[name]
        if text == "" and table.model._meta.get_field(name).blank:  # type: ignore[union-attr]
            continue
        try:
            msgspec.json.decode(text, type=kind)
        except (msgspec.MsgspecError, ValueError, RecursionError) as fault:
            raise refuse(place, f"{name}: {fault}. Make the archive again", "bad_text") from None
