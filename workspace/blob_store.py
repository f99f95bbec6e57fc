"""Stores uploaded bytes under their SHA-256, and files under names, so that they are complete or absent.

On this machine's disk, or in an S3 bucket where STORAGE_URL names one; what is being written is always on this disk.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import IO, Any
from zlib import crc32

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import FileSystemStorage, Storage, default_storage, storages

from workspace.core.canonical import bytes_hash
from workspace.database.transactions import do_each

FOLDER = "transcripts"
INCOMING = "incoming"


class BytesLost(Exception):
    pass


class AuditFolder(FileSystemStorage):
    """Where the daily heads of the audit log are kept when STORAGE_URL names no bucket."""

    @property
    def location(self) -> str:
        return str(Path(settings.VAR_DIR) / "audit")


def audit_heads() -> Storage:
    return storages["audit"]


def store_bytes(data: bytes) -> str:
    """Store the bytes; return their SHA-256, the key to load them. Storing the same bytes again changes nothing."""
    sha256 = bytes_hash(data)
    try:
        load_bytes(sha256)
    except BytesLost:
        with new_file() as part:
            part.write(data)
            keep_file(part, _path_of(sha256))
    return sha256


def load_bytes(sha256: str) -> bytes:
    """The bytes stored under a hash. Raises BytesLost when they are missing or do not match it."""
    data = _read(sha256)
    if bytes_hash(data) != sha256:
        raise BytesLost(f"the bytes {sha256} have changed")
    return data


def drop_bytes(sha256: str) -> None:
    """Delete the bytes stored under a hash; only for bytes that nothing refers to."""
    default_storage.delete(_path_of(sha256))


def load_start(sha256: str, count: int) -> bytes:
    """The first `count` bytes stored under a hash, unchecked: for a preview. Raises BytesLost."""
    return _read(sha256, 0, count)


def load_range(sha256: str, start: int, end: int, checksum: int) -> bytes:
    """The bytes from `start` to before `end` of those stored under a hash; `checksum` is their zlib.crc32.

    Raises BytesLost when they are missing or differ.
    """
    data = _read(sha256, start, end - start)
    if crc32(data) != checksum:
        raise BytesLost(f"the bytes {sha256} have changed")
    return data


def _read(sha256: str, start: int = 0, count: int = -1) -> bytes:
    try:
        if not is_local():
            bucket: Any = default_storage
            return bytes(bucket.read_range(_path_of(sha256), start, count))
        with default_storage.open(_path_of(sha256), "rb") as file:
            file.seek(start)
            data: bytes = file.read(count)
    except FileNotFoundError as reason:
        raise BytesLost(f"the bytes {sha256} are gone") from reason
    return data


@contextmanager
def new_file(storage: Storage = default_storage) -> Iterator[IO[bytes]]:
    """A file to write, deleted afterwards unless `keep_file` stored it there; a kill leaves a part (`drop_parts`)."""
    with tempfile.NamedTemporaryFile(dir=_incoming(storage), delete=False) as part:
        try:
            yield part
        finally:
            Path(part.name).unlink(missing_ok=True)


def open_spool() -> IO[bytes]:
    """A file without a name: gone when it is closed, or when the process ends."""
    return tempfile.TemporaryFile(dir=_incoming())


def keep_file(part: IO[bytes], name: str, storage: Storage = default_storage) -> None:
    """Store what was written into a new file under a name, complete and on disk, instead of what has that name."""
    part.flush()
    os.fsync(part.fileno())
    if is_local():
        _put_in_place(Path(part.name), Path(storage.path(name)))
    else:
        part.seek(0)
        storage.save(name, File(part))


def open_file(name: str) -> IO[bytes]:
    """The file stored under that name. Raises BytesLost when it is missing."""
    try:
        file: IO[bytes] = default_storage.open(name, "rb")
    except FileNotFoundError as reason:
        raise BytesLost(f"the file {name} is gone") from reason
    return file


def list_files(folder: str = "") -> Iterator[str]:
    """The names of all stored files, in order, without those that are still being written."""
    try:
        folders, files = default_storage.listdir(folder)
    except FileNotFoundError:
        return
    within = f"{folder}/" if folder else ""
    yield from (f"{within}{name}" for name in sorted(files))
    for name in sorted(folders):
        if within or name != INCOMING:
            yield from list_files(f"{within}{name}")


def drop_file(name: str) -> None:
    default_storage.delete(name)


def drop_parts(*, before: datetime) -> int:
    """Delete what uploads that were killed before that moment left behind; return how many files."""
    return do_each(_drop_part, list(_incoming().glob("*")), before)


def _drop_part(part: Path, before: datetime) -> int:
    try:
        if part.stat().st_mtime >= before.timestamp():
            return 0
        part.unlink()
    except FileNotFoundError:  # an upload ended at this moment, or another sweep was here
        return 0
    return 1


def _path_of(sha256: str) -> str:
    return f"{FOLDER}/{sha256[:2]}/{sha256}"


def _incoming(storage: Storage = default_storage) -> Path:
    """The folder for files that are being written, on this machine; on the same disk as where they are stored."""
    incoming = Path(storage.path(INCOMING) if is_local() else settings.MEDIA_ROOT / INCOMING)
    incoming.mkdir(parents=True, exist_ok=True)
    return incoming


def is_local() -> bool:
    """Whether files are stored on this machine's disk."""
    return not settings.STORAGE


def _put_in_place(part: Path, where: Path) -> None:
    """Rename a file that is complete and on disk: a kill leaves a part file, never half a transcript.

    A name is on disk only when its folder is, and a new folder only when the one above is: without that, a power cut
    could lose a file that a committed row already names.
    """
    fresh = [folder for folder in where.parents if not folder.exists()]
    where.parent.mkdir(parents=True, exist_ok=True)
    part.replace(where)
    for folder in (where.parent, *(folder.parent for folder in fresh)):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
