"""Zip and gzip: the bytes of their files, within limits that are counted; nothing that it says of itself counts."""

import gzip
import struct
import zipfile
import zlib
from io import BytesIO
from typing import IO

import zstandard
from msgspec import Struct

from discussions.transcripts.core import file_names
from discussions.transcripts.core.notes import MIB, Limits
from workspace.core.words import mark, say

OFFICE = "office_document"
# Such documents are zip archives that hold one of these.
_OFFICE_MEMBERS = {"[Content_Types].xml", "META-INF/manifest.xml", "content.xml"}
ZIP_STARTS = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
GZIP_START = b"\x1f\x8b"
# Transcripts shrink to a tenth or a thirtieth. A file that shrinks more than this was made to fill the memory.
MOST_RATIO = 500
_CHUNK = 256 * 1024
# The number of Zstandard in zip archives; newer versions of Inspect AI compress their logs with it.
ZSTD = 93
_LARGEST_WINDOW = 64 * MIB
_LOCAL_HEADER = struct.Struct("<4s5H3L2H")
_SYMLINK = 0xA000
_BROKEN = (
    *(zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError, OverflowError, OSError, IndexError),
    struct.error,
    zstandard.ZstdError,
)


_SENTENCES = {
    "archive": mark("The file is a tar archive. Put the transcripts into a zip archive instead."),
    "damaged": mark("The archive is damaged or was cut off. Make it again, or upload its files."),
    "nested_archive": mark("This is an archive inside an archive. Put its files into the outer one."),
    "encrypted": mark("This file is locked with a password. Make the archive again without a password."),
    "link": mark("This is a link and no file; links are not followed. Put the file itself in its place."),
    "compression": mark("This file is compressed by a method that is not read. Use the usual one (deflate)."),
    "ratio": mark("This file unpacks to more than 500 times its size. Look at what it holds."),
    "duplicate_name": mark("The archive holds another file of this name. Rename one of them."),
    OFFICE: mark("This is a document of Excel, Word or the like. Save it there as CSV or text in UTF-8."),
    "no_games": mark("The archive holds no files that may be transcripts."),
}
_TOO_MANY = mark("The archive holds more than {archive_files:,} files. Split it into several archives.")
_TOO_LARGE = mark("It unpacks to more than {most:,.0f} MiB, the most that is read of one file. Split it.")
_DAMAGED_FILE = mark("This file of the archive is damaged, so it was not read. Make the archive again.")


class RefusedFile(Exception):
    """Why a file is not read: a code, and a sentence that says what to do."""

    def __init__(self, code: str, sentence: str = "") -> None:
        super().__init__(code)
        self.code = code
        self.sentence = sentence or _SENTENCES[code]


class OverBudget(Exception):
    """An archive unpacks to more than the limit."""


class Budget:
    """How many bytes of an archive may still be unpacked; bytes of refused files count, too."""

    def __init__(self, left: int) -> None:
        self._left = left

    def take(self, count: int) -> None:
        self._left -= count
        if self._left < 0:
            raise OverBudget


class Member(Struct, frozen=True):
    """A file of an archive. `name` and `path` (with the last folder) are for people; `folder` is only compared."""

    name: str
    path: str
    folder: str
    info: zipfile.ZipInfo
    is_twice: bool = False


class Archive(Struct, frozen=True):
    """An opened archive: its files, and how many files were left out because they clearly are not transcripts."""

    members: list[Member]
    left_out: int
    file: zipfile.ZipFile
    data: bytes


def open_zip(data: bytes, limits: Limits) -> Archive:
    """The files of a zip archive in the order of its directory. Raises RefusedFile."""
    # Each entry of the directory begins with this signature: entries are counted before a list of them is built.
    if data.count(b"PK\x01\x02") > (most := limits.archive_files):
        raise RefusedFile("too_many_files", say(_TOO_MANY, archive_files=most))
    try:
        file = zipfile.ZipFile(BytesIO(data))
        infos = [info for info in file.infolist() if not info.is_dir()]
    except _BROKEN:
        raise RefusedFile("damaged") from None
    if not _OFFICE_MEMBERS.isdisjoint(info.filename for info in infos):
        raise RefusedFile(OFFICE)
    members: list[Member] = []
    seen: set[tuple[str, str]] = set()
    for info in infos:
        if file_names.is_plainly_no_transcript(info.filename):
            continue
        name, folder = file_names.shown_name(info.filename), file_names.folder_of(info.filename)
        is_twice = (folder, name) in seen
        seen.add((folder, name))
        members.append(Member(name, file_names.shown_path(info.filename), folder, info, is_twice=is_twice))
    if not members:
        raise RefusedFile("no_games")
    return Archive(members=members, left_out=len(infos) - len(members), file=file, data=data)


def unpack(archive: Archive, member: Member, limits: Limits, budget: Budget) -> bytes:
    """The bytes of one file, up to the size limit of a file. Raises RefusedFile and OverBudget."""
    info = member.info
    refusals = {
        "duplicate_name": member.is_twice,
        "link": info.external_attr >> 16 & 0xF000 == _SYMLINK,
        "encrypted": info.flag_bits & 1,
        "compression": info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, ZSTD),
    }
    for code, is_refused in refusals.items():
        if is_refused:
            raise RefusedFile(code)
    try:
        if info.compress_type == ZSTD:
            return _unpack_zstd(archive.data, info, limits, budget)
        with archive.file.open(info) as stream:
            return _gathered(stream, info.compress_size, limits, budget)
    except _BROKEN:
        raise RefusedFile("damaged", _DAMAGED_FILE) from None


def _unpack_zstd(data: bytes, info: zipfile.ZipInfo, limits: Limits, budget: Budget) -> bytes:
    """The bytes of a file that `zipfile` does not unpack. Raises as `unpack`, and what is in `_BROKEN`."""
    start = info.header_offset + _LOCAL_HEADER.size
    *head, name_length, extra_length = _LOCAL_HEADER.unpack(data[info.header_offset : start])
    start += name_length + extra_length
    packed = data[start : start + info.compress_size]
    unpacker = zstandard.ZstdDecompressor(max_window_size=_LARGEST_WINDOW)
    with unpacker.stream_reader(packed, read_across_frames=True) as stream:
        found = _gathered(stream, info.compress_size, limits, budget)
    if head[0] != b"PK\x03\x04" or zlib.crc32(found) != info.CRC:
        raise zipfile.BadZipFile
    return found


def gunzip(data: bytes, limits: Limits) -> bytes:
    """The bytes of the one file that a gzip archive holds. Raises RefusedFile."""
    # The limit of one file comes first, so the budget is never used up.
    try:
        with gzip.GzipFile(fileobj=BytesIO(data)) as stream:
            found = _gathered(stream, len(data), limits, Budget(2 * limits.file_bytes))
    except _BROKEN:
        raise RefusedFile("damaged") from None
    if is_archive(found):
        raise RefusedFile("nested_archive")
    return found


def gunzip_start(data: bytes, most: int) -> tuple[bytes, bool]:
    """At most `most` bytes of what `data` holds, if it is gzip; whether it ends there. Never raises."""
    if not data.startswith(GZIP_START):
        return data, True
    unpacker = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
    try:
        return unpacker.decompress(data, most), unpacker.eof
    except zlib.error:
        return b"", True


def is_archive(data: bytes) -> bool:
    return data.startswith((*ZIP_STARTS, GZIP_START)) or data[257:262] == b"ustar"


def _gathered(stream: IO[bytes] | gzip.GzipFile, packed: int, limits: Limits, budget: Budget) -> bytes:
    """All bytes of the stream; nothing beyond a limit is read. Raises RefusedFile and OverBudget."""
    gathered: list[bytes] = []
    size = 0
    while chunk := stream.read(_CHUNK):
        size += len(chunk)
        budget.take(len(chunk))
        if size > limits.file_bytes:
            raise RefusedFile("too_large", say(_TOO_LARGE, most=limits.file_bytes / MIB))
        if size > MIB and size > MOST_RATIO * max(1, packed):
            raise RefusedFile("ratio")
        gathered.append(chunk)
    return b"".join(gathered)
