"""Writes a project archive: a zip file. Its bytes depend only on its content."""

import hashlib
import zipfile
from collections.abc import Callable
from typing import IO

from discussions.archives.core import members
from workspace.core.canonical import canonical_bytes
from workspace.exports.core.tables import Item, get_kind

_LEVEL = 6


class ArchiveFile:
    """A zip with a member for each model and each uploaded file; lines come in the order of their members.

    Members have no date, so the same lines make the same bytes. An archive lacks the line that ends other exports.
    `read_head` gives the head of the audit log, once its lines were added.
    """

    def __init__(
        self, out: IO[bytes], *, project: str, version: str, read_head: Callable[[], members.ArchiveHead]
    ) -> None:
        self.zip = zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL)
        self.project, self.version, self.read_head = project, version, read_head
        self.members: list[members.MemberFacts] = []
        self.name, self.file = "", out

    def add(self, item: Item) -> None:
        if isinstance(item, members.ArchivedBytes):
            self._write(f"{members.BYTES}/{item.sha256}", item.data, lines=0)
        elif get_kind(item) != "end":
            self._write(members.name_rows(get_kind(item)), canonical_bytes(item) + b"\n", lines=1)

    def close(self, tick: Callable[[], None]) -> None:
        self._close_member()
        manifest = members.ArchiveManifest(
            members.FORMAT, self.version, self.project, self.read_head(), self.members
        )
        with self.zip.open(members.MANIFEST, "w", force_zip64=True) as member:
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
            self.members.append(members.MemberFacts(*facts))
            self.name = ""
