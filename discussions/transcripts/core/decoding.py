"""Bytes of a text file to text: UTF-8 or, from older programs, Windows-1252."""

import codecs
import re

from msgspec import Struct

BOM = b"\xef\xbb\xbf"
UTF_8, WINDOWS = "utf-8", "windows_1252"
_NO_TEXT = re.compile("[\x01-\x08\x0b\x0e-\x1f]")
# How many bytes are decoded at once where no more is needed.
_PIECE = 1024 * 1024


class Decoded(Struct, frozen=True):
    """The bytes of a text from `begin` on and how they are decoded; `warnings` maps codes to counts.

    A reader decodes a large text part by part, so the whole is never in memory a second time.
    """

    data: bytes
    encoding: str = UTF_8
    begin: int = 0
    warnings: list[tuple[str, int]] = []

    @property
    def is_plain(self) -> bool:
        """Whether the bytes are the text as it is read, but for a byte order mark."""
        return all(code == "byte_order_mark" for code, _count in self.warnings)

    def part(self, start: int, end: int) -> str:
        """The text between two offsets, as both databases can store it."""
        return self.data[start:end].decode(self.encoding).replace("\0", "\u2400")

    def head(self, characters: int) -> str:
        """The first `characters` characters."""
        start = self.data[self.begin : self.begin + 4 * characters]
        return start.decode(self.encoding, "ignore")[:characters].replace("\0", "\u2400")

    @property
    def text(self) -> str:
        """The whole text."""
        return self.part(self.begin, len(self.data))


def decode_text(data: bytes) -> Decoded | None:
    """The text of a file; None when the bytes are not text in either encoding. Never raises."""
    begin = len(BOM) if data.startswith(BOM) else 0
    warnings = [("byte_order_mark", 1)] if begin else []
    for encoding, codes in ((UTF_8, []), ("cp1252", [(WINDOWS, 1)])):
        nul = _count_nul(data, begin, encoding)
        if nul is None:
            continue
        if nul < 0:
            return None
        replaced = [("replaced_nul", nul)] if nul else []
        return Decoded(data, encoding, begin, [*warnings, *codes, *replaced])
    return None


def _count_nul(data: bytes, begin: int, encoding: str) -> int | None:
    """How many NUL characters the text has; None in another encoding, -1 if it has characters that no text has."""
    decoder = codecs.getincrementaldecoder(encoding)()
    nul, is_text = 0, True
    for start in range(begin, len(data), _PIECE):
        try:
            piece = decoder.decode(data[start : start + _PIECE], final=start + _PIECE >= len(data))
        except UnicodeDecodeError:
            return None
        nul += piece.count("\0")
        is_text = is_text and not _NO_TEXT.search(piece)
    return nul if is_text else -1
