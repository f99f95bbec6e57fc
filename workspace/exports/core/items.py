"""The first and the last line of an export. Everything in between is an item of an app, with a `kind` of its own."""

from datetime import datetime
from typing import Any

from msgspec import Struct

FORMAT = 1
Item = Struct | dict[str, Any]


class AuditHead(Struct, frozen=True):
    """The end of the project's audit chain: with it, `verify` detects a log that was cut or changed since."""

    seq: int
    mac: str


class ExportHead(Struct, frozen=True, tag_field="kind", tag="export"):
    """What the file holds: which project and which part of it, made by whom and when, with which version of the site.

    `holds` is "everything" or "own work"; the latter has no audit head, since its owner may not see it.
    """

    format: int
    project: str
    project_name: str
    subject: str
    holds: str
    has_pseudonyms: bool
    made_at: datetime
    made_by: str
    site_version: str
    audit_head: AuditHead | None


class ExportEnd(Struct, frozen=True, tag_field="kind", tag="end"):
    """How many lines of each kind came before. A file without it was cut off."""

    lines: dict[str, int]


def get_kind(item: Item) -> str:
    return str(item["kind"] if isinstance(item, dict) else item.__struct_config__.tag)
