"""Project archives: their members, and their zips, of which nothing is trusted before it is counted and hashed.

Names of members are only compared with those that an archive can have; nothing is written anywhere.
"""

import hashlib
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import IO, Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from workspace.core.canonical import canonical_bytes
from workspace.core.identifiers import is_slug
from workspace.core.refusals import Unacceptable
from workspace.core.words import say
from workspace.exports.core.tables import Item, get_kind

# Raised whenever a table, a field, or what a field means changes. Format 1, of 0.2.0, lacks tables and is read, too.
FORMAT = 2

MANIFEST = "manifest.json"
BYTES, ROWS = "bytes", "rows"

Count = Annotated[int, Meta(ge=0, le=2**53)]
Sha256 = Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z")]


class ArchivedBytes(Struct, frozen=True, tag_field="kind", tag="bytes"):
    sha256: str
    data: bytes


# What a line of the audit log has of its row as it is.
OF_EVENTS = ("seq", "at", "role", "verb", "object_kind", "detail")


class FirstSealed(Struct, frozen=True, forbid_unknown_fields=True):
    """What the first seal of an audit line covers besides the line: keys of the first installation, and the seal."""

    chain: Count
    by: Count
    object_id: Annotated[str, Meta(max_length=40)]
    mac: Sha256


class ArchivedEvent(
    Struct, frozen=True, forbid_unknown_fields=True, tag_field="table", tag="workspace.event"
):
    """One line of the project's audit log. `object` names the row that it is about, null where no line holds it.

    `detail` is canonical JSON as it was sealed; its keys come from the installation that wrote the line.
    """

    seq: Count
    at: datetime
    by: str
    role: Literal["", "admin", "lead", "evaluator", "system"]
    verb: Annotated[str, Meta(max_length=60, pattern=r"\A[a-z0-9_:.-]+\Z")]
    object_kind: Annotated[str, Meta(max_length=40)]
    object: int | str | None
    detail: str
    first: FirstSealed


class MemberFacts(Struct, frozen=True, forbid_unknown_fields=True):
    name: Annotated[str, Meta(max_length=100)]
    sha256: Sha256
    byte_count: Count
    line_count: Count


class ArchiveHead(Struct, frozen=True, forbid_unknown_fields=True):
    """The number and the first seal of the last audit line in the archive; (0, "") without any."""

    seq: Count
    mac: Annotated[str, Meta(max_length=64)]


class ArchiveManifest(Struct, frozen=True, forbid_unknown_fields=True):
    """The last member of an archive: its description, and every other member in the order of writing."""

    format: int
    product_version: Annotated[str, Meta(max_length=40)]
    project: Annotated[str, Meta(max_length=60)]
    audit_head: ArchiveHead
    members: list[MemberFacts]


def name_rows(kind: str) -> str:
    """The member that holds the rows of a model: "rows/discussions.game.jsonl"."""
    return f"{ROWS}/{kind}.jsonl"


def replace_keys(value: Any, path: str, swap: Callable[[Any], Any]) -> Any:
    """The plain value with the keys at the path replaced; None stays, and paths that do not exist are ignored.

    A path is names joined by dots; "*" is every item of a list: "evaluations.*.id".
    """
    if not path:
        return swap(value)
    name, _, rest = path.partition(".")
    if name == "*":
        return [replace_keys(part, rest, swap) for part in value] if isinstance(value, list) else value
    if isinstance(value, dict) and value.get(name) is not None:
        return value | {name: replace_keys(value[name], rest, swap)}
    return value


_CHUNK = 1024 * 1024
_MANIFEST_BYTES = 64 * _CHUNK
# Lines of an archive compress to a tenth. A file that compresses more than this was made to fill memory or disk.
_MOST_RATIO, _SMALL = 500, 64 * _CHUNK
_ENCRYPTED = 0x1
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_UPLOAD = re.compile(rf"{BYTES}/[0-9a-f]{{64}}")
_BROKEN = (
    *(zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError, OverflowError, OSError, IndexError),
    *(struct.error, NotImplementedError),
)


class ArchiveLimits(Struct, frozen=True):
    """How large an archive may be: what it unpacks to, its members, one line of it, and one uploaded file."""

    unpacked_bytes: int
    members: int
    line_bytes: int
    upload_bytes: int


class _Formatted(Struct):
    format: int


class OpenArchive:
    """An archive that has all members of its manifest, each as the manifest describes it."""

    def __init__(self, file: zipfile.ZipFile, manifest: ArchiveManifest, limits: ArchiveLimits) -> None:
        self._file, self.manifest, self._limits = file, manifest, limits
        self._members = {member.name: member for member in manifest.members}

    def read_lines(self, kind: str) -> Iterator[bytes]:
        """The lines of a kind, without line ends; none without such a member. Raises Unacceptable."""
        name = name_rows(kind)
        if name not in self._members:
            return
        line, number = bytearray(), 0
        with _open_member(self._file, name) as read:
            while chunk := read(_CHUNK):
                *ends, rest = chunk.split(b"\n")
                for end in ends:
                    number += 1
                    if not line:
                        yield end
                        continue
                    whole = bytes(line + end)
                    line.clear()
                    yield whole
                    del whole
                line += rest
                if len(line) > self._limits.line_bytes:
                    says = say("it is longer than {most:,} bytes", most=self._limits.line_bytes)
                    raise reject(f"{name}, line {number + 1}", says, "long_line")
        if line:
            raise refuse(
                f"{name}, line {number + 1}",
                say("it does not end. The archive was cut; make it again"),
                "cut",
            )

    def read_uploads(self) -> Iterator[tuple[str, bytes]]:
        """The hash and the bytes of each uploaded file; the hash was compared already. Raises Unacceptable."""
        for name, facts in self._members.items():
            if _UPLOAD.fullmatch(name):
                with _open_member(self._file, name) as read:
                    yield facts.sha256, read(facts.byte_count)


def open_archive(file: IO[bytes], kinds: Collection[str], limits: ArchiveLimits) -> OpenArchive:
    """Open an archive and read all of it once, to compare it with its manifest. Raises Unacceptable.

    `kinds` are the kinds of lines that an archive can have.
    """
    try:
        opened = zipfile.ZipFile(file)
    except _BROKEN:
        says = say("This file is no zip, or it was cut. Give the file of a project archive")
        raise refuse("", says, "no_zip") from None
    _check_members(opened, {name_rows(kind) for kind in kinds}, limits)
    manifest = _read_manifest(opened)
    _check_list(opened, manifest, limits)
    for facts in manifest.members:
        _check_member(opened, facts)
    return OpenArchive(opened, manifest, limits)


def refuse(place: str, says: str, code: str) -> Unacceptable:
    return Unacceptable(f"{place}: {says}." if place else f"{says}.", code=code)


def reject(place: str, fault: str, code: str) -> Unacceptable:
    """The refusal of an archive that the product would not have written."""
    return refuse(place, say("{fault}. Make the archive again", fault=fault), code)


def _check_members(opened: zipfile.ZipFile, rows: Collection[str], limits: ArchiveLimits) -> None:
    infos = opened.infolist()
    if len(infos) > limits.members:
        count, most = len(infos), limits.members
        says = say("The archive has {n:,} members; at most {most:,} are read", n=count, most=most)
        raise refuse("", says, "too_many")
    seen: set[str] = set()
    for info in infos:
        _check_info(info, rows, seen)
        seen.add(info.filename)
    if MANIFEST not in seen:
        says = say("The zip has no {name}, so it is no project archive. Give another file", name=MANIFEST)
        raise refuse("", says, "no_manifest")
    packed, unpacked = (sum(getattr(info, size) for info in infos) for size in ("compress_size", "file_size"))
    if unpacked > limits.unpacked_bytes:
        says = say(
            "The archive unpacks to {n:,} bytes; at most {most:,} are read. An admin raises ARCHIVE_LIMITS in "
            "evalsite/settings.py",
            n=unpacked,
            most=limits.unpacked_bytes,
        )
        raise refuse("", says, "too_large")
    if unpacked > max(_SMALL, packed * _MOST_RATIO):
        raise refuse("", say("The archive unpacks to far more than an archive does. Make it again"), "bomb")


def _check_info(info: zipfile.ZipInfo, rows: Collection[str], seen: Collection[str]) -> None:
    """Check that the entry of a member names something that an archive has, occurs once, and can be unpacked."""
    name = info.filename
    if name != MANIFEST and name not in rows and not _UPLOAD.fullmatch(name):
        says = say(
            "a project archive of this format has no such member. Remove it, or make the archive again"
        )
        raise refuse(repr(name[:80]), says, "unknown_member")
    if name in seen:
        raise reject(name, say("the archive has it twice"), "twice")
    if info.flag_bits & _ENCRYPTED:
        raise refuse(name, say("it is encrypted. Make the archive again without a password"), "encrypted")
    if info.compress_type not in _METHODS:
        raise reject(name, say("it is packed in a way that is not read"), "packing")


def _read_manifest(opened: zipfile.ZipFile) -> ArchiveManifest:
    with _open_member(opened, MANIFEST) as read:
        body = read(_MANIFEST_BYTES + 1)
    if len(body) > _MANIFEST_BYTES:
        raise reject(MANIFEST, say("it is far too long"), "manifest_long")
    try:
        written = msgspec.json.decode(body, type=_Formatted).format
        if not 1 <= written <= FORMAT:
            says = say(
                "The archive has format {written}; this installation reads format {format}. Import it where the "
                "product has the version that made it, or make it again with this version",
                written=written,
                format=FORMAT,
            )
            raise refuse("", says, "format")
        manifest = msgspec.json.decode(body, type=ArchiveManifest)
    except (msgspec.MsgspecError, UnicodeDecodeError) as fault:
        raise reject(MANIFEST, say("it cannot be read ({fault})", fault=fault), "manifest") from None
    if canonical_bytes(manifest) + b"\n" != body:
        raise reject(MANIFEST, say("it is not written as the product writes it"), "manifest")
    if not is_slug(manifest.project) or not manifest.product_version.isprintable():
        says = say("its project is no short name, or its product version does not print")
        raise reject(MANIFEST, says, "manifest")
    return manifest


def _check_list(opened: zipfile.ZipFile, manifest: ArchiveManifest, limits: ArchiveLimits) -> None:
    listed = [member.name for member in manifest.members]
    there = {info.filename for info in opened.infolist()} - {MANIFEST}
    if len(set(listed)) != len(listed):
        raise reject(MANIFEST, say("it lists a member twice"), "listed_twice")
    for name in sorted(there ^ set(listed)):
        unlisted, missing = (
            say("the manifest does not list it"),
            say("the manifest lists it, and it is missing"),
        )
        says = unlisted if name in there else missing
        raise reject(repr(name[:80]), says, "listed")
    for facts in manifest.members:
        if _UPLOAD.fullmatch(facts.name) and facts.byte_count > limits.upload_bytes:
            n, most = facts.byte_count, limits.upload_bytes
            says = say("it has {n:,} bytes; an uploaded file has at most {most:,}", n=n, most=most)
            raise refuse(facts.name, says, "upload_large")


def _check_member(opened: zipfile.ZipFile, facts: MemberFacts) -> None:
    digest, byte_count, line_count, last = hashlib.sha256(), 0, 0, b"\n"
    with _open_member(opened, facts.name) as read:
        while chunk := read(_CHUNK):
            digest.update(chunk)
            byte_count += len(chunk)
            line_count += chunk.count(b"\n")
            last = chunk[-1:]
            if byte_count > facts.byte_count:
                break
    is_upload = bool(_UPLOAD.fullmatch(facts.name))
    counted = (digest.hexdigest(), byte_count, 0 if is_upload else line_count)
    if counted != (facts.sha256, facts.byte_count, facts.line_count):
        says = say("it is not what the manifest says of it: it was changed or cut")
        raise reject(facts.name, says, "changed")
    if is_upload and facts.name != f"{BYTES}/{facts.sha256}":
        says = say("its bytes have another SHA-256 than its name says. Make it again")
        raise refuse(facts.name, says, "misnamed")
    if not is_upload and last != b"\n":
        raise refuse(facts.name, say("its last line does not end. The archive was cut; make it again"), "cut")


@contextmanager
def _open_member(opened: zipfile.ZipFile, name: str) -> Iterator[Callable[[int], bytes]]:
    """What reads so many bytes of the member; damage in it raises a refusal with its name."""
    damaged = reject(name, say("it is damaged"), "damaged")
    try:
        member = opened.open(name)
    except _BROKEN:
        raise damaged from None

    def read(count: int) -> bytes:
        try:
            return member.read(count)
        except _BROKEN:
            raise damaged from None

    with member:
        yield read


_LEVEL = 6


class ArchiveFile:
    """A zip with a member for each model and each uploaded file; lines come in the order of their members.

    Members have no date, so the same lines make the same bytes. An archive lacks the line that ends other exports.
    `read_head` gives the head of the audit log, once its lines were added.
    """

    def __init__(
        self, out: IO[bytes], *, project: str, version: str, read_head: Callable[[], ArchiveHead]
    ) -> None:
        self.zip = zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL)
        self.project, self.version, self.read_head = project, version, read_head
        self.members: list[MemberFacts] = []
        self.name, self.file = "", out

    def add(self, item: Item) -> None:
        if isinstance(item, ArchivedBytes):
            self._write(f"{BYTES}/{item.sha256}", item.data, lines=0)
        elif get_kind(item) != "end":
            self._write(name_rows(get_kind(item)), canonical_bytes(item) + b"\n", lines=1)

    def close(self, tick: Callable[[], None]) -> None:
        self._close_member()
        manifest = ArchiveManifest(FORMAT, self.version, self.project, self.read_head(), self.members)
        with self.zip.open(MANIFEST, "w", force_zip64=True) as member:
            member.write(canonical_bytes(manifest) + b"\n")
        self.zip.close()
        tick()

    def _write(self, name: str, data: bytes, *, lines: int) -> None:
        if self.name != name:
            self._close_member()
            self.name, self.file = name, self.zip.open(name, "w", force_zip64=True)
            self.sha256, self.byte_count, self.line_count = hashlib.sha256(), 0, 0
        self.file.write(data)
        self.sha256.update(data)
        self.byte_count += len(data)
        self.line_count += lines

    def _close_member(self) -> None:
        if self.name:
            self.file.close()
            facts = (self.name, self.sha256.hexdigest(), self.byte_count, self.line_count)
            self.members.append(MemberFacts(*facts))
            self.name = ""
