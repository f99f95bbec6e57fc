"""Keeping uploaded bytes under their SHA-256, through Django's storage, so that they are whole or not there."""

import os
from pathlib import Path

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from workspace.core.canonical import bytes_hash

FOLDER = "transcripts"


class BytesLost(Exception):
    """The bytes under a hash are gone, or are no longer what they were."""


def keep_bytes(data: bytes) -> str:
    """Keep the bytes; their SHA-256, by which they are found again. Keeping the same bytes again changes nothing."""
    sha256 = bytes_hash(data)
    name = _name(sha256)
    if default_storage.exists(name):
        if default_storage.size(name) == len(data):
            return sha256
        default_storage.delete(name)
    try:
        where = Path(default_storage.path(name))
    except NotImplementedError:
        default_storage.save(name, ContentFile(data))
    else:
        _write_whole(where, data)
    return sha256


def kept_bytes(sha256: str) -> bytes:
    """The bytes kept under a hash. Raises BytesLost when they are not there or do not match it."""
    try:
        with default_storage.open(_name(sha256), "rb") as file:
            data: bytes = file.read()
    except FileNotFoundError as reason:
        raise BytesLost(f"the bytes {sha256} are gone") from reason
    if bytes_hash(data) != sha256:
        raise BytesLost(f"the bytes {sha256} have changed")
    return data


def _name(sha256: str) -> str:
    return f"{FOLDER}/{sha256[:2]}/{sha256}"


def _write_whole(where: Path, data: bytes) -> None:
    # Renamed into place when complete and on disk: a kill leaves a part file, never half a transcript.
    where.parent.mkdir(parents=True, exist_ok=True)
    part = where.with_name(f"{where.name}.{os.getpid()}.part")
    with part.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    part.replace(where)
