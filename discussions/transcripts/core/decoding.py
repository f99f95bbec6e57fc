"""Bytes of a text file to text: UTF-8 or, from older programs, Windows-1252."""

import re

from msgspec import Struct

from workspace.core.strict_json import normalise_text

BOM = b"\xef\xbb\xbf"
WINDOWS = "windows_1252"
_NO_TEXT = re.compile("[\x01-\x08\x0b\x0e-\x1f]")


class Decoded(Struct, frozen=True):
    """A text, and what was done for it: codes of warnings with how often."""

    text: str
    warnings: list[tuple[str, int]] = []


def decode_text(data: bytes) -> Decoded | None:
    """The text of a file; None when the bytes are no text in either encoding. Never raises."""
    warnings = [("byte_order_mark", 1)] if data.startswith(BOM) else []
    body = data.removeprefix(BOM)
    text = _decoded(body, "utf-8")
    if text is None:
        text = _decoded(body, "cp1252")
        warnings.append((WINDOWS, 1))
    if text is None or _NO_TEXT.search(text):
        return None
    text, replaced = normalise_text(text)
    if replaced.nul:
        warnings.append(("replaced_nul", replaced.nul))
    return Decoded(text=text, warnings=warnings)


def _decoded(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None
