"""Keeping uploaded bytes under their SHA-256, through Django's storage, so that they are whole or not there."""

import os
import tempfile
from datetime import datetime
from pathlib import Path

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from workspace.core.canonical import bytes_hash

FOLDER = "transcripts"
INCOMING = "incoming"


class BytesLost(Exception):
    """The bytes under a hash are gone, or are no longer what they were."""


def store_bytes(data: bytes) -> str:
    """Keep the bytes; their SHA-256, by which they are found again. Keeping the same bytes again changes nothing."""
    sha256 = bytes_hash(data)
    try:
        load_bytes(sha256)
    except BytesLost:
        _write(_name(sha256), data)
    return sha256


def load_bytes(sha256: str) -> bytes:
    """The bytes kept under a hash. Raises BytesLost when they are not there or do not match it."""
    try:
        with default_storage.open(_name(sha256), "rb") as file:
            data: bytes = file.read()
    except FileNotFoundError as reason:
        raise BytesLost(f"the bytes {sha256} are gone") from reason
    if bytes_hash(data) != sha256:
        raise BytesLost(f"the bytes {sha256} have changed")
    return data


def load_start(sha256: str, count: int) -> bytes:
    """The first `count` bytes of those kept under a hash, unchecked: for a look. Raises BytesLost."""
    try:
        with default_storage.open(_name(sha256), "rb") as file:
            data: bytes = file.read(count)
    except FileNotFoundError as reason:
        raise BytesLost(f"the bytes {sha256} are gone") from reason
    return data


def drop_parts(*, before: datetime) -> int:
    """Delete what uploads that were killed before that moment left behind; how many files it was."""
    incoming = _local(INCOMING)
    parts = list(incoming.glob("*")) if incoming is not None else []
    left = [part for part in parts if part.stat().st_mtime < before.timestamp()]
    for part in left:
        part.unlink(missing_ok=True)
    return len(left)


def _name(sha256: str) -> str:
    return f"{FOLDER}/{sha256[:2]}/{sha256}"


def _local(name: str) -> Path | None:
    """Where on this machine a name is kept; None when the storage is not its file system."""
    try:
        return Path(default_storage.path(name))
    except NotImplementedError:
        return None


def _write(name: str, data: bytes) -> None:
    where, incoming = _local(name), _local(INCOMING)
    if where is None or incoming is None:
        default_storage.delete(name)
        default_storage.save(name, ContentFile(data))
        return
    # Renamed into place when complete and on disk: a kill leaves a part file, never half a transcript.
    for folder in (incoming, where.parent):
        folder.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=incoming, delete=False) as part:
        part.write(data)
        part.flush()
        os.fsync(part.fileno())
    Path(part.name).replace(where)
