"""The rubric versions that come with the site, read from disk once."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from django.conf import settings
from msgspec import Struct
from msgspec.structs import replace

from rubric.core.records import RESPONSE, RubricRecord
from rubric.versions.core.version_json import next_number
from workspace.core.canonical import bytes_hash, canonical_bytes

if TYPE_CHECKING:  # commands without settings read shipped versions
    from rubric.models import RubricVersion

# Every file is frozen once it is shipped; new projects and sets get the last one.
DISCUSSION_NUMBERS = ("1.0", "1.1", "1.2", "1.3")
RESPONSE_NUMBERS = ("1.0", "1.1", "1.2")
FIRST_VERSIONS = Path(__file__).parent / "first_versions"


@lru_cache
def first_version_bytes(name: str) -> bytes:
    """The JSON of a shipped version, for instance "discussion-1.0"; raises FileNotFoundError for any other name."""
    return (FIRST_VERSIONS / f"{name}.json").read_bytes()


def write_file(record: RubricRecord) -> bytes:
    """The file of a version. Read and written again it has the same bytes."""
    return msgspec.json.format(msgspec.json.encode(record), indent=1) + b"\n"


def first_discussion_version() -> RubricRecord:
    """Version 1.0 of the discussion rubric, as shipped."""
    return _shipped("discussion-1.0")


def discussion_version(number: str = DISCUSSION_NUMBERS[-1]) -> RubricRecord:
    """A version of the discussion rubric as shipped, the newest unless a number is given.

    Raises FileNotFoundError for a number that was not shipped.
    """
    return _shipped(f"discussion-{number}")


def first_response_version() -> RubricRecord:
    """Version 1.0 of the response rubric, as shipped."""
    return _shipped("response-1.0")


def response_version(
    number: str = RESPONSE_NUMBERS[-1], *, weights: Mapping[str, float] | None = None
) -> RubricRecord:
    """A version of the response rubric, with other weights where the installation gives them, keyed by criterion.

    Raises FileNotFoundError for a number that was not shipped, KeyError when a criterion has no weight.
    """
    shipped = _shipped(f"response-{number}")
    if weights is None or all(weights[criterion.key] == criterion.weight for criterion in shipped.criteria):
        return shipped
    criteria = [replace(criterion, weight=float(weights[criterion.key])) for criterion in shipped.criteria]
    return replace(
        shipped, criteria=criteria, source=f"{shipped.source}, with the weights of this installation"
    )


@lru_cache
def _shipped(name: str) -> RubricRecord:
    # Tests look for faults in it, which takes longer than all else of a first migration of this app.
    return msgspec.json.decode(first_version_bytes(name), type=RubricRecord)


class Shipped(Struct, frozen=True):
    """One shipped version: the rubric's key, and the row as it is stored. `body` is canonical JSON."""

    key: str
    kind: str
    name: str
    number: str
    body: str
    sha256: str


def shipped_versions() -> list[Shipped]:
    """The versions of each kind in their order, the response rubric's with the weights of the settings."""
    weights = settings.RESPONSE_WEIGHTS
    discussion = [_row(discussion_version(number)) for number in DISCUSSION_NUMBERS]
    return [*discussion, *(_row(response_version(number, weights=weights)) for number in RESPONSE_NUMBERS)]


def find_shipped_number(version: "RubricVersion") -> str:
    """The number under which a stored version was shipped, "" for one of the installation's own.

    The row may have another number, or other weights than the settings now give; then its content tells.
    """
    shipped = [row for row in shipped_versions() if row.key == version.rubric.key]
    same_hash = [row.number for row in shipped if row.sha256 == version.sha256]
    same_texts = (row.number for row in shipped if _texts(row.body) == _texts(version.body))
    return next(iter(same_hash), "") or next(same_texts, "")


def find_missing(shipped: Shipped, stored: Mapping[str, str]) -> Shipped | None:
    """The row that is missing for a shipped version, None if it is there; `stored` maps numbers to bodies.

    1.0 is always the shipped one. A later number may have been taken by a version of the installation's own: then the
    shipped one gets the next free number, and is recognised by its content. Weights of a response version are ignored
    there: those of the settings may have changed since it was published.
    """
    if shipped.number not in stored:
        return shipped
    said = _texts(shipped.body)
    if shipped.number == "1.0" or any(_texts(body) == said for body in stored.values()):
        return None
    return _row(replace(msgspec.json.decode(shipped.body, type=RubricRecord), version=next_number(stored)))


def _texts(body: str) -> dict[str, Any]:
    """The content of a stored version without its number; response versions also without weights and their source."""
    said: dict[str, Any] = msgspec.json.decode(body, type=dict[str, Any]) | {"version": ""}
    if said.get("kind") != RESPONSE:
        return said
    criteria = [criterion | {"weight": 0} for criterion in said["criteria"]]
    return said | {"source": "", "criteria": criteria}


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
