"""The names of the members of a project archive, and its manifest."""

from datetime import datetime
from typing import Annotated, Literal

from msgspec import Meta, Struct

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
