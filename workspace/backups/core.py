"""The manifest of a backup, and the allowed names of its files."""

import hmac
import re
from collections.abc import Collection, Iterable
from datetime import UTC, datetime

import msgspec
from msgspec import Struct
from packaging.version import InvalidVersion, Version

from workspace.core.audit_chain import Head
from workspace.core.canonical import keyed_hash
from workspace.core.words import say

PRODUCT = "evalsite"
FORMAT = 1
MANIFEST = "manifest.json"
# Beside the audit heads and beside backups: what to erase again after a restore.
ERASURES = "evalsite-erasures.json"
LARGEST_MANIFEST = 256 * 1024 * 1024
# Folders of a backup: files of the blob store, and the daily files of audit heads.
KEPT, HEADS = "files/", "audit/"
_NAME = re.compile(r"evalsite-\d{8}T\d{6}Z\.zip")
_HEADS_NAME = re.compile(r"audit/heads-\d{4}-\d\d-\d\d\.json")
_UNSAFE = re.compile(r"[\\:\x00-\x1f\x7f]")


class Unusable(Exception):
    """The given file or folder cannot be used; the sentence says why and what to do."""


class BackupPart(Struct, frozen=True):
    name: str
    byte_count: int
    sha256: str


class Manifest(Struct, frozen=True):
    """What a backup holds, of which product and moment. `rows` is the count by table, `heads` are the audit chains'.

    `seal` is HMAC-SHA256 by AUDIT_KEY over all else, so that any change shows.
    """

    product: str
    format: int
    version: str
    made_at: datetime
    vendor: str
    server: str
    migrations: list[str]
    rows: dict[str, int]
    heads: list[Head]
    parts: list[BackupPart]
    seal: str = ""

    def sealed(self, key: str) -> "Manifest":
        return msgspec.structs.replace(self, seal=self._compute_seal(key))

    def is_sealed(self, key: str) -> bool:
        return hmac.compare_digest(self.seal.encode(), self._compute_seal(key).encode())

    def _compute_seal(self, key: str) -> str:
        return keyed_hash(["backup", msgspec.structs.replace(self, seal="")], key)


class KeptErasure(Struct, frozen=True):
    """An erasure as it is kept outside the database: of which row, why, by whom and when."""

    kind: str
    row: int
    stamp: str
    reason: str
    by: int
    at: datetime


class KeptErasures(Struct, frozen=True):
    """The erasures of an installation; `seal` is HMAC-SHA256 by AUDIT_KEY over them."""

    erasures: list[KeptErasure]
    seal: str = ""

    def sealed(self, key: str) -> "KeptErasures":
        return KeptErasures(self.erasures, keyed_hash(["erasures", self.erasures], key))


def read_erasures(data: bytes, key: str) -> list[KeptErasure]:
    """The erasures of a list. Raises Unusable when it is none, or its seal does not fit the key."""
    try:
        kept = msgspec.json.decode(data, type=KeptErasures)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as fault:
        raise Unusable(say("It is no list of erasures: {fault}.", fault=fault)) from None
    if not hmac.compare_digest(kept.seal.encode(), kept.sealed(key).seal.encode()):
        raise Unusable(say("Its seal does not fit AUDIT_KEY. Take the list that this site wrote."))
    return kept.erasures


def name_backup(now: datetime) -> str:
    """The file name of a backup of that moment; names sort by time."""
    return f"{PRODUCT}-{now.astimezone(UTC):%Y%m%dT%H%M%SZ}.zip"


def list_backups(names: Iterable[str]) -> list[str]:
    """Those of the names that are names of backups, newest first."""
    return sorted((name for name in names if _NAME.fullmatch(name)), reverse=True)


def read_manifest(data: bytes) -> Manifest:
    """The manifest in these bytes. Raises Unusable when this version cannot read them."""
    try:
        manifest = msgspec.json.decode(data, type=Manifest)
        Version(manifest.version)
    except (msgspec.MsgspecError, InvalidVersion, RecursionError, UnicodeDecodeError) as fault:
        raise Unusable(
            say("Its {manifest} is none of evalsite: {fault}.", manifest=MANIFEST, fault=fault)
        ) from None
    if manifest.product != PRODUCT or manifest.format != FORMAT:
        raise Unusable(
            say(
                "It says that it is of {product}, format {format}; this version reads {own_product}, "
                "format {own_format}. Restore it with the version that made it.",
                product=manifest.product[:40],
                format=manifest.format,
                own_product=PRODUCT,
                own_format=FORMAT,
            )
        )
    return manifest


def find_part_fault(manifest: Manifest, names: list[str], database: str) -> str:
    """Why these files of an archive do not fit the manifest; "" when they do."""
    listed = [part.name for part in manifest.parts]
    if sorted(names) != sorted([*listed, MANIFEST]) or len(set(names)) != len(names):
        return say("It does not hold the files that its manifest lists")
    if database not in listed:
        return say("It holds no {database}", database=database)
    for name in listed:
        parts = name.split("/")
        is_kept = name.startswith(KEPT) and not _UNSAFE.search(name) and not {"", ".", ".."} & set(parts)
        if name != database and not _HEADS_NAME.fullmatch(name) and not is_kept:
            return say("It holds a file that no backup has, {name!r}", name=name[:80])
    return ""


def find_version_fault(
    manifest: Manifest, *, version: str, vendor: str, apps: Collection[str], migrations: Collection[str]
) -> str:
    """Why this version of the product cannot restore the backup, with what to do; "" when it can.

    `migrations` are those that the code knows ("workspace.0001_initial"), `apps` those that are installed.
    """
    if manifest.vendor != vendor:
        return say(
            "The backup is of {vendor}, and DATABASE_URL names {own_vendor}. Name an empty "
            "database of {vendor}; a backup does not change the kind of database.",
            vendor=manifest.vendor,
            own_vendor=vendor,
        )
    unknown = [
        name for name in manifest.migrations if name.partition(".")[0] in apps and name not in migrations
    ]
    if Version(manifest.version) > Version(version) or unknown:
        more = (
            say(" It knows migrations that are not here, such as {unknown}.", unknown=unknown[0][:80])
            if unknown
            else ""
        )
        return say(
            "The backup was made by version {version}, which is newer than this one "
            "({own_version}).{more} Install the version that made it, then restore.",
            version=manifest.version,
            own_version=version,
            more=more,
        )
    return ""
