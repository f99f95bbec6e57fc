"""The rubric versions that the app is shipped with, read from the files beside the wing."""

from pathlib import Path

import msgspec
from msgspec import Struct

from rubric.core.records import RubricRecord
from workspace.core.canonical import bytes_hash, canonical_bytes

FOLDER = Path(__file__).resolve().parents[1] / "first_versions"


class Shipped(Struct, frozen=True):
    """One shipped version: the rubric's key, and the row as it is stored. `body` is canonical JSON."""

    key: str
    kind: str
    name: str
    number: str
    body: str
    sha256: str


def shipped_versions() -> list[Shipped]:
    """Every shipped version, in the order of their files' names."""
    return [_read(path) for path in sorted(FOLDER.glob("*.json"))]


def _read(path: Path) -> Shipped:
    record = msgspec.json.decode(path.read_bytes(), type=RubricRecord)
    body = canonical_bytes(record)
    return Shipped(
        key=record.kind,
        kind=record.kind,
        name=record.name,
        number=record.version,
        body=body.decode(),
        sha256=bytes_hash(body),
    )
