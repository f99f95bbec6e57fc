"""A backup is one file: database, kept files, audit heads. Made while people work, restored into an empty place.

The order matters. Bytes are stored before the row that names them is committed, and only erasures, which a restore
repeats, delete uploads. So the database goes first and the bytes second: each row in the copy then has its bytes.
Restoring uses the reverse order. The heads go before both, so that none of them is ahead of the audit log in the copy.
"""

import hashlib
import os
import struct
import time
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from shutil import copyfileobj, rmtree
from tempfile import TemporaryDirectory
from typing import IO

import msgspec
from django.apps import apps
from django.conf import settings
from django.core.files.storage import FileSystemStorage, Storage, default_storage
from django.db import connection, transaction
from django.db.migrations.recorder import MigrationRecorder

from workspace.audit.actions import record_event
from workspace.backups import core
from workspace.backups.core import BackupPart, Manifest, Unusable
from workspace.blob_store import audit_heads, is_local, keep_file, list_files, new_file, open_file
from workspace.checks.actions import list_heads
from workspace.core.audit_chain import Head
from workspace.database import dumps
from workspace.database.squashed import OLDER, is_before_squash
from workspace.database.startup_checks import known_migrations
from workspace.database.transactions import snapshot
from workspace.exports.actions import FOLDER as EXPORTS
from workspace.jobs.actions import queue_again
from workspace.models import Chain, Erasure, Person, SignIn
from workspace.outbox.actions.send import end_all_waiting

UNFINISHED = ".evalsite-unfinished-"
ABANDONED = 24 * 3600  # seconds
CHUNK = 1024 * 1024
_BROKEN = (
    *(zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError, OverflowError, IndexError),
    struct.error,
)
DAMAGED = (
    "The file {name} is no whole backup: {why}. Take another backup, or copy this one from its place again."
)


class Damaged(Exception):
    pass


def make_backup(folder: Path, now: datetime) -> tuple[Path, Manifest]:
    """Write a backup into the folder and read it back; it gets its name only when it is complete.

    Raises Unusable before anything is written, Damaged, DumpFailed, BytesLost or OSError when it failed; then nothing
    is left behind. Exports are left out: they last a day and can be made again.
    """
    if not folder.is_dir():
        raise Unusable(f"There is no folder {folder}. Make it, or mount its disk, then run this again.")
    if not connection.introspection.table_names():
        raise Unusable(
            "The database has no tables, so there is nothing to back up. Name the right one by DATABASE_URL or VAR_DIR."
        )
    for left in folder.glob(f"{UNFINISHED}*"):  # by a backup that was killed
        if left.stat().st_mtime < time.time() - ABANDONED:
            rmtree(left, ignore_errors=True)
    path = folder / core.name_backup(now)
    with TemporaryDirectory(dir=folder, prefix=UNFINISHED) as made_in:
        part = Path(made_in) / path.name
        part.touch(mode=0o600)
        with part.open("wb") as file:
            manifest = _write(file, Path(made_in), now)
            file.flush()
            os.fsync(file.fileno())
        with open_backup(part) as (archive, found):
            check_parts(archive, found)
        part.replace(path)
    return path, manifest


def keep_erasures(folder: Path | None = None) -> None:
    """Add all erasures to the list beside the audit heads, or to that in a folder of backups: a restore repeats them.

    What is in the list stays there: after a restore, erasures may be missing in the database. Raises Unusable for a
    list of another site.
    """
    storage = audit_heads() if folder is None else FileSystemStorage(folder, file_permissions_mode=0o600)
    rows = Erasure.objects.exclude(done_at=None).order_by("pk")
    columns = ("kind", "row", "stamp", "reason", "created_by", "created_at")
    there = load_erasures(storage)
    kept = [
        *there,
        *(one for row in rows.values_list(*columns) if (one := core.KeptErasure(*row)) not in there),
    ]
    if len(kept) > len(there):
        body = msgspec.json.encode(core.KeptErasures(kept).sealed(settings.AUDIT_KEY))
        with new_file(storage) as part:
            part.write(msgspec.json.format(body, indent=1))
            keep_file(part, core.ERASURES, storage)


def load_erasures(storage: Storage, name: str = core.ERASURES) -> list[core.KeptErasure]:
    """The list of erasures there; empty when there is none. Raises Unusable for one that this site did not write."""
    if not storage.exists(name):
        return []
    with storage.open(name) as file:
        return core.read_erasures(file.read(), settings.AUDIT_KEY)


def _write(file: IO[bytes], folder: Path, now: datetime) -> Manifest:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        parts = [_add(archive, f"{core.HEADS}{name}", audit_heads().open(name)) for name in list_heads()]
        dump = folder / dumps.FILES[connection.vendor]
        with snapshot():
            rows, heads = dumps.count_rows(), _read_heads()
            applied = MigrationRecorder(connection).applied_migrations()
            dumps.write_dump(dump)
        dumps.check_dump(dump)
        parts.append(_add(archive, dump.name, dump.open("rb")))
        dump.unlink()
        parts += [
            _add(archive, f"{core.KEPT}{name}", open_file(name))
            for name in list_files()
            if not name.startswith(f"{EXPORTS}/")
        ]
        manifest = Manifest(
            product=core.PRODUCT,
            format=core.FORMAT,
            version=settings.VERSION,
            made_at=now,
            vendor=connection.vendor,
            server=dumps.name_server(),
            migrations=sorted(".".join(key) for key in applied),
            rows=rows,
            heads=heads,
            parts=parts,
        ).sealed(settings.AUDIT_KEY)
        archive.writestr(core.MANIFEST, msgspec.json.format(msgspec.json.encode(manifest), indent=1))
    return manifest


def _add(archive: zipfile.ZipFile, name: str, source: IO[bytes]) -> BackupPart:
    digest, count = hashlib.sha256(), 0
    with source as file, archive.open(name, "w", force_zip64=True) as target:
        while piece := file.read(CHUNK):
            digest.update(piece)
            count += len(piece)
            target.write(piece)
    return BackupPart(name, count, digest.hexdigest())


def delete_old_backups(folder: Path, keep: int) -> list[str]:
    own = [
        name for name in core.list_backups(path.name for path in folder.iterdir()) if _is_own(folder / name)
    ]
    for name in own[keep:]:
        (folder / name).unlink()
    return own[keep:]


def _is_own(path: Path) -> bool:
    try:
        with open_backup(path):
            return True
    except (Unusable, OSError):
        return False


@contextmanager
def open_backup(path: Path, *, is_sealed: bool = True) -> Iterator[tuple[zipfile.ZipFile, Manifest]]:
    """A backup's archive and its manifest, whose seal is checked unless `is_sealed` is false. Raises Unusable."""
    try:
        archive = zipfile.ZipFile(path)
    except FileNotFoundError:
        raise Unusable(f"There is no file {path}. Name a backup, or a folder with backups.") from None
    except _BROKEN as fault:
        raise Unusable(DAMAGED.format(name=path.name, why=fault)) from None
    with archive:
        yield archive, _read_manifest(archive, path.name, is_sealed=is_sealed)


def _read_manifest(archive: zipfile.ZipFile, name: str, *, is_sealed: bool) -> Manifest:
    try:
        with archive.open(core.MANIFEST) as file:
            data = file.read(core.LARGEST_MANIFEST)
        manifest = core.read_manifest(data)
    except KeyError:
        raise Unusable(DAMAGED.format(name=name, why=f"it holds no {core.MANIFEST}")) from None
    except Unusable as fault:
        raise Unusable(f"The file {name} is no backup. {fault}") from None
    except _BROKEN as fault:
        raise Unusable(DAMAGED.format(name=name, why=fault)) from None
    if is_sealed and not manifest.is_sealed(settings.AUDIT_KEY):
        raise Unusable(
            f"The seal of {name} does not fit AUDIT_KEY: the backup was made with another key, or was changed since. "
            "Set AUDIT_KEY to that of the site that was backed up. If that key is lost, add --unsealed."
        )
    return manifest


def check_parts(archive: zipfile.ZipFile, manifest: Manifest) -> None:
    """Read every file of an archive and compare size and SHA-256 with the manifest. Raises Damaged."""
    fault = core.find_part_fault(manifest, archive.namelist(), dumps.FILES[manifest.vendor])
    if fault:
        raise Damaged(f"{fault}.")
    for part in manifest.parts:
        digest, count = hashlib.sha256(), 0
        try:
            with archive.open(part.name) as file:
                while count <= part.byte_count and (piece := file.read(CHUNK)):
                    digest.update(piece)
                    count += len(piece)
        except _BROKEN as fault:
            raise Damaged(f"{part.name} cannot be read: {fault}.") from None
        if (count, digest.hexdigest()) != (part.byte_count, part.sha256):
            raise Damaged(f"{part.name} is not what was backed up.")


def choose_backup(path: Path) -> Path:
    """The file itself, or the newest backup of a folder. Raises Unusable for a folder without one."""
    if not path.is_dir():
        return path
    names = core.list_backups(inside.name for inside in path.iterdir())
    if not names:
        raise Unusable(
            f"The folder {path} holds no backup. Their names are like evalsite-20260131T023000Z.zip."
        )
    return path / names[0]


def check_restorable(archive: zipfile.ZipFile, manifest: Manifest, name: str) -> None:
    """Check that this code can restore the backup, and that the installation is empty. Raises Unusable."""
    known = {".".join(key) for key in known_migrations()}
    installed = {app.label for app in apps.get_app_configs()}
    fault = core.find_version_fault(
        manifest, version=settings.VERSION, vendor=connection.vendor, apps=installed, migrations=known
    )
    if fault:
        raise Unusable(fault)
    if is_before_squash(
        {(app, made) for app, _dot, made in (key.partition(".") for key in manifest.migrations)}
    ):
        raise Unusable(f"The backup {name} cannot be restored here. {OLDER}")
    tables = connection.introspection.table_names()
    if tables:
        raise Unusable(
            f"The database {connection.settings_dict['NAME']} has {len(tables)} tables already, and a backup is "
            "restored into an empty one only; a restore that was cut off late leaves tables, too. Make a new database "
            "and name it in DATABASE_URL, or move the file away."
        )
    listed = {part.name for part in manifest.parts}
    here = [f"{core.KEPT}{kept}" for kept in list_files()]
    here += [f"{core.HEADS}{kept}" for kept in list_heads()]
    strange = [kept for kept in here if kept not in listed]
    if strange:
        where = f"VAR_DIR {settings.VAR_DIR}" if is_local() else "STORAGE_URL"
        raise Unusable(
            f"{where} holds {len(strange)} files that are not of this backup, such as {strange[0]}. Name an empty "
            f"place in {where.partition(' ')[0]}, or move these away."
        )
    try:
        check_parts(archive, manifest)
    except Damaged as damage:
        raise Unusable(DAMAGED.format(name=name, why=str(damage).rstrip("."))) from None


def put_back(archive: zipfile.ZipFile, manifest: Manifest) -> None:
    """Write files, heads and database into an empty installation. Raises DumpFailed, Damaged or OSError.

    A restore that was interrupted can be run again, if the database is still empty: it is filled last. After a later
    failure, use a new database.
    """
    var = Path(settings.VAR_DIR)
    var.mkdir(parents=True, exist_ok=True)
    for part in manifest.parts:
        for folder, storage in ((core.KEPT, default_storage), (core.HEADS, audit_heads())):
            if part.name.startswith(folder):
                with archive.open(part.name) as source, new_file(storage) as target:
                    copyfileobj(source, target, CHUNK)
                    keep_file(target, part.name.removeprefix(folder), storage)
    with TemporaryDirectory(dir=var, prefix=UNFINISHED) as folder:
        dump = Path(archive.extract(dumps.FILES[connection.vendor], folder))
        dumps.check_dump(dump)
        dumps.load_dump(dump)
    if (rows := dumps.count_rows()) != manifest.rows or _read_heads() != manifest.heads:
        differs = sorted(
            table for table in {*rows, *manifest.rows} if rows.get(table) != manifest.rows.get(table)
        )
        raise Damaged(
            f"The restored database differs from the backup in {', '.join(differs) or 'audit heads'}."
        )


def note_made(*, manifest: Manifest, by: Person, now: datetime) -> None:
    """Record that a backup was made: the audit log then shows when everything was copied."""
    with transaction.atomic():
        _record_backup("backup:made", manifest, by, now)


def note_restored(*, manifest: Manifest, by: Person, now: datetime) -> tuple[int, int]:
    """Queue again the jobs that were running when the backup was made, and record the restore.

    End every sign-in: the backup also has those that ended after it, perhaps by a new password. Waiting deliveries of
    webhooks are not sent: they were sent since, or this is a copy of a running site. Return how many sign-ins and
    deliveries.
    """
    with transaction.atomic():
        queue_again(by=by, now=now)
        ended = {"sign_ins": SignIn.objects.all().delete()[0], "deliveries": end_all_waiting(by=by, now=now)}
        _record_backup("backup:restored", manifest, by, now, **ended)
    return ended["sign_ins"], ended["deliveries"]


def _record_backup(verb: str, manifest: Manifest, by: Person, now: datetime, **more: int) -> None:
    detail = more | {
        "made_at": manifest.made_at.isoformat(timespec="seconds"),
        "version": manifest.version,
        "rows": sum(manifest.rows.values()),
        "files": len(manifest.parts),
    }
    name = core.name_backup(manifest.made_at)
    record_event(verb, ("backup", name), by=by, now=now, project=None, detail=detail)


def _read_heads() -> list[Head]:
    """The heads of all audit chains; reads only columns that every version has."""
    return [Head(*row) for row in Chain.objects.order_by("pk").values_list("pk", "seq", "mac")]
