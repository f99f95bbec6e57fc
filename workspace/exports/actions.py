"""Exports are requested, built by a job into a stored file, downloaded by their owner, and removed when they expire."""

import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from functools import partial
from secrets import token_hex
from typing import IO, Any

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _
from msgspec import Struct

from workspace.audit.actions import record_event
from workspace.blob_store import BytesLost, drop_file, keep_file, new_file, open_file, open_spool
from workspace.core.refusals import Conflict
from workspace.database.transactions import do_each, snapshot_and_writes
from workspace.exports import permissions
from workspace.exports.core import choices
from workspace.exports.core.files import CsvFile, ExportFile, HuggingFaceFile, JsonLinesFile, ParquetFile
from workspace.exports.core.tables import ExportTable, Item, RowsOf, get_kind
from workspace.jobs.actions import Clock, cancel_job, enqueue, finish, renew
from workspace.models import Export, Job, Person, Project

EXPORT = "export"
FOLDER = "exports"
# Reading a batch, or writing a piece of a zip, takes much less; the lease is renewed every few seconds.
LEASE = timedelta(seconds=60)
RENEW_EVERY = 2.0


class Source(Struct):
    """The source of an export: its items in order, about how many there are, and how they become tables.

    `open_own` opens the file of a format that only the last app has.
    """

    items: Iterable[Item]
    total: int
    tables: Sequence[ExportTable]
    rows_of: RowsOf
    open_own: Callable[[IO[bytes]], ExportFile]
    title: str


def request_export(
    *, project: Project, is_queued: bool = True, by: Person, now: datetime, **asked: Any
) -> Export:
    """Insert the row of an export and its audit line, and queue its job unless it is written at once.

    `asked` are its columns `subject`, `format`, `is_unblinded`, `has_pseudonyms` and `has_byte_order_mark`. Raises
    NotAllowed, and Unacceptable for a format that this installation cannot write.
    """
    (permissions.check_export_everything if asked["is_unblinded"] else permissions.check_export)(by, project)
    permissions.check_format(asked["format"])
    with transaction.atomic():
        export = Export.objects.create(
            project=project, seed=token_hex(16), created_at=now, created_by=by, **asked
        )
        _record_export("export:made", export, by, now)
        if is_queued:
            export.job = enqueue(
                project=project, kind=EXPORT, subject=f"export:{export.pk}", input_hash="", by=by, now=now
            )
            export.save(update_fields=["job"])
    return export


def build_export(*, job: Job, clock: Clock, read: Callable[[Export], Source]) -> None:
    """Write the job's export into a stored file, from one snapshot of the database.

    Raises JobLost when the job was cancelled or taken over, NotAllowed when its owner may no longer see what it holds;
    then nothing is stored. A worker that dies leaves nothing; the next one starts again.
    """
    export = Export.objects.select_related("project", "created_by").get(job=job)
    check = permissions.check_export_everything if export.is_unblinded else permissions.check_export
    check(export.created_by, export.project)
    permissions.check_format(export.format)
    with new_file() as part:
        with snapshot_and_writes() as write:
            pace = _Pace(job, clock, write)
            source = read(export)
            pace.total = source.total
            write_export(part, export, source, count=pace.count, tick=pace.tick)
        os.fsync(part.fileno())
        _keep(part, export, job, clock)
    # The leftovers of a worker that died between the two lines that store a file.
    for fence in range(1, job.fence):
        drop_file(_get_place(export, fence))


def _keep(part: IO[bytes], export: Export, job: Job, clock: Clock) -> None:
    with transaction.atomic():
        now = clock()
        done = max(job.total_count, 1)
        renew(job=job, now=now, done_count=done, total_count=done)
        Export.objects.filter(pk=export.pk).update(
            stored_as=_get_place(export, job.fence),
            byte_count=part.seek(0, os.SEEK_END),
            ready_at=now,
            expires_at=now + timedelta(hours=settings.EXPORT_HOURS),
        )
        finish(job=job, now=now)
        keep_file(part, _get_place(export, job.fence))


def _get_place(export: Export, fence: int) -> str:
    return f"{FOLDER}/{export.pk}-{fence}"


class _Pace:
    """Holds the job while a snapshot is read: writes its progress every few seconds, on another connection."""

    def __init__(self, job: Job, clock: Clock, write: Callable[[Callable[[], None]], None]) -> None:
        self.job, self.clock, self.write = job, clock, write
        self.done = self.total = 0
        self.renewed = 0.0

    def count(self, _item: Item) -> None:
        self.done += 1
        self.tick()

    def tick(self) -> None:
        """Renew the lease when it is time. Raises JobLost when the job is no longer ours."""
        if time.monotonic() - self.renewed >= RENEW_EVERY:
            self.renewed = time.monotonic()
            self.write(self._renew)

    def _renew(self) -> None:
        done = min(self.done, self.total)
        renew(job=self.job, now=self.clock(), lease=LEASE, done_count=done, total_count=self.total)


def write_export(
    out: IO[bytes], export: Export, source: Source, *, count: Callable[[Item], None], tick: Callable[[], None]
) -> dict[str, int]:
    """Write every item of the source into the file, and its last line; return how many lines of each kind."""
    file = _open_export_file(out, export, source)
    lines: Counter[str] = Counter()
    for item in source.items:
        lines[get_kind(item)] += 1
        file.add(item)
        count(item)
    file.add({"kind": "end", "lines": dict(lines)})
    file.close(tick)
    out.flush()
    return dict(lines)


def _open_export_file(out: IO[bytes], export: Export, source: Source) -> ExportFile:
    tables = (out, source.tables, source.rows_of, open_spool)
    opens: dict[str, Callable[[], ExportFile]] = {
        choices.JSONL: lambda: JsonLinesFile(out),
        choices.CSV: lambda: CsvFile(*tables, has_byte_order_mark=export.has_byte_order_mark),
        choices.HUGGING_FACE: lambda: HuggingFaceFile(*tables, title=source.title),
        choices.PARQUET: lambda: ParquetFile(*tables),
    }
    return opens.get(export.format, lambda: source.open_own(out))()


def take_file(*, export: Export, by: Person, now: datetime) -> tuple[IO[bytes], str]:
    """The opened file and its name. Raises Conflict when it does not exist (any more)."""
    permissions.check_take_file(by, export)
    if export.ready_at is None:
        raise Conflict(
            _("This export is not ready yet. Wait until it is, then download it."), code="not_ready"
        )
    is_over = export.removed_at is not None or (export.expires_at is not None and export.expires_at <= now)
    if is_over:
        raise Conflict(
            _("This file was removed, as its time was over. Create the export again."), code="expired"
        )
    try:
        file = open_file(export.stored_as)
    except BytesLost:
        raise Conflict(_("This file is gone. Create the export again."), code="gone") from None
    with transaction.atomic():
        _record_export("export:downloaded", export, by, now)
    return file, choices.get_file_name(export.project.slug, export.subject, export.format)


def cancel_export(*, export: Export, by: Person, now: datetime) -> None:
    """Stop an export that is not ready. Raises Conflict when it has ended already."""
    permissions.check_own_export(by, export)
    if export.job is None:
        raise Conflict(_("This export was made on the command line; there is nothing to cancel."))
    cancel_job(job=export.job, by=by, now=now)


def remove_file(*, export: Export, by: Person, now: datetime) -> None:
    """Remove the file before it expires. The export stays in the list. Raises Conflict when there is no file."""
    permissions.check_own_export(by, export)
    with transaction.atomic():
        held = Export.objects.filter(pk=export.pk, removed_at=None, ready_at__isnull=False)
        if not held.update(removed_at=now):
            raise Conflict(_("There is no file to remove any more."), code="no_file")
        _record_export("export:removed", export, by, now)
        transaction.on_commit(partial(drop_file, export.stored_as))


def remove_expired_files(*, by: Person, now: datetime) -> int:
    """Remove the expired files; return how many. A file that is gone already counts, too."""
    over = Export.objects.filter(expires_at__lte=now, removed_at=None).order_by("pk")
    exports = list(over.values_list("pk", "stored_as")[:500])
    return do_each(_remove_expired, exports, now)


def drop_files(*, exports: "QuerySet[Export]", now: datetime) -> None:
    """Delete the files of these exports, whoever made them; the exports stay in their lists."""
    for export in exports.filter(removed_at=None, ready_at__isnull=False).values_list("pk", "stored_as"):
        _remove_expired(export, now)


def _remove_expired(export: tuple[int, str], now: datetime) -> int:
    key, stored_as = export
    drop_file(stored_as)
    Export.objects.filter(pk=key, removed_at=None).update(removed_at=now)
    return 1


def _record_export(verb: str, export: Export, by: Person, now: datetime) -> None:
    detail = {
        "subject": export.subject,
        "format": export.format,
        "holds": "everything" if export.is_unblinded else "own work",
        "pseudonyms": export.has_pseudonyms,
    }
    record_event(verb, export, by=by, now=now, detail=detail)
