"""Archives made for the tests: proper ones, and such as nobody should be able to do harm with."""

import gzip
import io
import struct
import zipfile
import zlib
from collections.abc import Mapping

from tests.factories.native_games import as_bytes, native_game

GAME = as_bytes(native_game())
MIB = 1024 * 1024


def zipped(files: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip archive of these files."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data, method)
    return packed.getvalue()


def zipped_entry(data: bytes = GAME, name: str = "a.json", **changes: int) -> bytes:
    """A zip archive of one file whose entries say of it what is not so: `flag_bits`, `external_attr`, ..."""
    packed = io.BytesIO()
    info = zipfile.ZipInfo(name)
    for key, value in changes.items():
        setattr(info, key, value)
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(info, data, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def lying_about_size(data: bytes, said: int) -> bytes:
    """A zip archive of one file that says that it unpacks to so many bytes, in both of its places."""
    packed = zipped({"a.json": data})
    for start, at in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        place = packed.index(start) + at
        packed = packed[:place] + struct.pack("<L", said) + packed[place + 4 :]
    return packed


def with_method(data: bytes, packed: bytes, method: int) -> bytes:
    """A zip archive of one file whose packed bytes are given, since `zipfile` does not know the method."""
    archive = zipped({"a.json": packed}, zipfile.ZIP_STORED)
    for start, at in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        place = archive.index(start) + at
        archive = archive[:place] + struct.pack("<H", method) + archive[place + 2 :]
        archive = archive[: place + 6] + struct.pack("<L", zlib.crc32(data)) + archive[place + 10 :]
        archive = archive[: place + 14] + struct.pack("<L", len(data)) + archive[place + 18 :]
    return archive


def twice_named(name: str, first: bytes, second: bytes) -> bytes:
    """A zip archive with two files of one name."""
    packed = zipped({name: first, "~" * len(name): second})
    return packed.replace(b"~" * len(name), name.encode())


def overlapping(count: int) -> bytes:
    """A zip archive whose list names one file many times: each is to be unpacked from the same bytes."""
    packed = zipped({"a.json": b" " * MIB + GAME})
    begin, end = packed.index(b"PK\x01\x02"), packed.index(b"PK\x05\x06")
    entry = packed[begin:end]
    entries = b"".join(entry.replace(b"a.json", b"%06d" % number) for number in range(count))
    close = struct.pack(
        "<4s4H2LH", b"PK\x05\x06", 0, 0, count & 0xFFFF, count & 0xFFFF, len(entries), begin, 0
    )
    return packed[:begin] + entries + close


HOSTILE: dict[str, bytes] = {
    "nothing but the start": b"PK\x03\x04",
    "the start and noise": b"PK\x03\x04" + bytes(range(256)) * 4,
    "an empty archive": zipped({}),
    "cut off": zipped({"a.json": GAME})[:-30],
    "cut off in the middle": zipped({"a.json": GAME})[:200],
    "a part of several": b"PK\x07\x08" + zipped({"a.json": GAME})[:-22],
    "damaged bytes": zipped({"a.json": GAME}).replace(zlib.compress(GAME)[2:40], b"\0" * 38),
    "a wrong checksum": zipped({"a.json": GAME}, zipfile.ZIP_STORED).replace(b"VILLAGER", b"WILLAGER"),
    "an entry far outside": zipped({"a.json": GAME}).replace(
        struct.pack("<L", 0) + b"a.json", struct.pack("<L", 2**31) + b"a.json"
    ),
    "encrypted": zipped_entry(flag_bits=1).replace(b"\x14\x00\x00\x00", b"\x14\x00\x01\x00"),
    "another compression": zipped({"a.json": GAME}, zipfile.ZIP_BZIP2),
    "lzma": zipped({"a.json": GAME}, zipfile.ZIP_LZMA),
    "a link": zipped_entry(b"/etc/passwd", external_attr=0xA1FF << 16),
    "a zip inside": zipped({"inner.zip": zipped({"a.json": GAME})}),
    "a gzip inside": zipped({"inner.json.gz": gzip.compress(GAME)}),
    "a bomb": zipped({"a.json": b"[" + b" " * 3 * MIB + b"]"}),
    "a file over the limit": zipped({"a.json": b"".join(b"%09d" % number for number in range(500_000))}),
    "a bomb that says it is small": lying_about_size(b" " * 2 * MIB, 10),
    "a size that is too small": lying_about_size(GAME, 10),
    "two files of one name": twice_named("a.json", b"[", b"["),
    "one file ninety times": overlapping(90),
    "too many files": zipped({f"{number}.json": b"" for number in range(101)}),
    "a name that is no text": zipped({"a\u00e9.json": b"["}).replace("a\u00e9".encode(), b"a\xff\xfe"),
    "licences alone": zipped(
        {"LICENSE": b"x", "__MACOSX/._a.json": b"x", ".DS_Store": b"x", "docs/README.md": b"x"}
    ),
    "a workbook of Excel": zipped({"[Content_Types].xml": b"<x/>", "xl/workbook.xml": b"<x/>"}),
    "a sheet of LibreOffice": zipped({"mimetype": b"x", "META-INF/manifest.xml": b"<x/>"}),
    "pictures": zipped({"a.png": b"\x89PNG\r\n\x1a\n", "b.pdf": b"%PDF-1.7"}),
    "gzip cut off": gzip.compress(GAME)[:-9],
    "gzip and noise": b"\x1f\x8brest",
    "gzip with a wrong checksum": gzip.compress(GAME)[:-8] + b"\0" * 8,
    "gzip with more behind": gzip.compress(b"[") + b"more",
    "a gzip bomb": gzip.compress(b" " * 40 * MIB),
    "a gzip in a gzip": gzip.compress(gzip.compress(GAME)),
    "a zip in a gzip": gzip.compress(zipped({"a.json": GAME})),
    "a tar archive": b"a.json".ljust(257, b"\0") + b"ustar\0" + b"0" * 300,
}
