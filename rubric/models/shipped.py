"""The rubric versions that the app is shipped with, read from the files beside the wing."""

from msgspec import Struct

from rubric.core.reading_versions import read_version
from rubric.core.records import RubricRecord
from rubric.shelf import FIRST_VERSIONS, first_version_bytes
from workspace.core.canonical import bytes_hash, canonical_bytes


class Shipped(Struct, frozen=True):
    """One shipped version: the rubric's key, and the row as it is stored. `body` is canonical JSON."""

    key: str
    kind: str
    name: str
    number: str
    body: str
    sha256: str


def shipped_versions() -> list[Shipped]:
    """Every shipped version, in the order of their files' names; ValueError when a file was damaged."""
    return [_read(path.stem) for path in sorted(FIRST_VERSIONS.glob("*.json"))]


def _read(name: str) -> Shipped:
    record = read_version(first_version_bytes(name))
    if not isinstance(record, RubricRecord):
        raise ValueError("\n".join(f"{problem.place}: {problem.message}" for problem in record))
    body = canonical_bytes(record)
    return Shipped(
        key=record.kind,
        kind=record.kind,
        name=record.name,
        number=record.version,
        body=body.decode(),
        sha256=bytes_hash(body),
    )
