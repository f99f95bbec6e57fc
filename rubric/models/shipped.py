"""The rubric versions that the app is shipped with, read from the files beside the wing."""

from django.conf import settings
from msgspec import Struct

from rubric.core.records import RubricRecord
from rubric.shelf import first_discussion_version, first_response_version
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
    """The first version of each kind, the response rubric's with the weights of the settings.

    Raises ValueError when a file was damaged.
    """
    return [_row(first_discussion_version()), _row(first_response_version(settings.RESPONSE_WEIGHTS))]


def _row(record: RubricRecord) -> Shipped:
    body = canonical_bytes(record)
    return Shipped(
        key=record.kind,
        kind=record.kind,
        name=record.name,
        number=record.version,
        body=body.decode(),
        sha256=bytes_hash(body),
    )
