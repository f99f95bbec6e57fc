"""Import transcripts: stored and queued at once, then a job stores each game once, completely, with a number."""

from datetime import datetime

import msgspec
from django.db import transaction
from django.utils.translation import gettext as _

from discussions.metrics.actions import ask_to_measure
from discussions.models import ImportDismissal, ImportRun, Iteration, Transcript
from discussions.transcripts import permissions
from discussions.transcripts.core.archives import gunzip_start, is_archive
from discussions.transcripts.core.file_names import shown_name
from discussions.transcripts.queries import count_new_bytes
from workspace.audit.actions import record_event
from workspace.blob_store import BytesLost, load_start, store_bytes
from workspace.core.refusals import Conflict, Unacceptable
from workspace.jobs.actions import cancel_job, enqueue
from workspace.models import Job, Person, Project
from workspace.models.jobs import CANCELLED, DONE, FAILED
from workspace.people.permissions import check_room

IMPORT, IMPORT_PRIVATE = "import", "import_private"
NEW, RESUMED, ALREADY = "new", "resumed", "already"
# How many bytes show that a file is an archive.
ARCHIVE_HEAD = 512


class Upload(msgspec.Struct, frozen=True):
    name: str
    data: bytes


class Imported(msgspec.Struct, frozen=True):
    """The result of an upload. `outcome` is new, resumed (it was cancelled or had failed) or already."""

    transcript: Transcript
    outcome: str


class Received(msgspec.Struct, frozen=True):
    """The outcome of several files: those that were accepted, and why each of the others was refused."""

    imported: list[Imported]
    refused: list[Unacceptable]


def is_packed(transcript: Transcript) -> bool:
    """Whether the file is an archive, also within gzip; False if its bytes are gone. One file in gzip is none."""
    try:
        return is_archive(gunzip_start(load_start(transcript.sha256, ARCHIVE_HEAD), ARCHIVE_HEAD)[0])
    except BytesLost:
        return False


def dismiss_faults(*, transcript: Transcript, by: Person, now: datetime) -> None:
    """Mark the faults of an import as seen, so that no notice shows them. Idempotent. Raises NotAllowed."""
    permissions.check_import_transcripts(by, transcript.project)
    with transaction.atomic():
        _row, is_new = ImportDismissal.objects.get_or_create(
            transcript=transcript, defaults={"dismissed_at": now, "dismissed_by": by}
        )
        if is_new:
            detail = {"faults": transcript.fault_count}
            record_event("transcript:faults_seen", transcript, by=by, now=now, detail=detail)


def import_files(
    *,
    project: Project,
    files: list[Upload],
    by: Person,
    now: datetime,
    iteration: Iteration | None = None,
    format_name: str = "",
    encoding: str = "",
) -> Received:
    """Store the files and queue a job for each; the same bytes uploaded again return the first report.

    An empty or oversized file does not cause the others to be refused. If no iteration is given, the games go to the
    project's unsorted one. If no format is named, it is detected. If no game was imported, the same bytes can be read
    again in another way, and into another iteration. Raises NotAllowed (also if the iteration's list of games is
    frozen). Raises Unacceptable, with all reasons, if every file is empty or over the limit, or if the project has no
    room for them; the call then stores nothing.
    """
    permissions.check_import_transcripts(by, project)
    to = iteration or Iteration.objects.get(project=project, stage=None)
    taken, refused = _sort_out(files)
    permissions.check_takes_games(to)
    named = permissions.check_reading(format_name, encoding)
    if new_bytes := count_new_bytes(project, [file.data for file in taken]):
        check_room(project, new_bytes, field="transcripts")
    kept = [(file, store_bytes(file.data)) for file in taken]
    with transaction.atomic():
        _hold_open(to)
        # Rows first, in a fixed order, then audit lines: two simultaneous uploads of the same files wait for each other
        # without a deadlock.
        first = {sha256: file for file, sha256 in reversed(kept)}
        rows = {
            sha256: _insert(project, to, file.name, len(file.data), sha256, named, by=by, now=now)
            for sha256, file in sorted(first.items())
        }
        imported = [_queue(*rows[sha256], by, now, named, iteration) for _file, sha256 in kept]
        if any(upload.outcome == NEW for upload in imported):
            check_room(project, field="transcripts")
        return Received(imported, refused)


def _sort_out(files: list[Upload]) -> tuple[list[Upload], list[Unacceptable]]:
    """The files that are taken, and why others are not. Raises Unacceptable when none is."""
    taken, refused = [], []
    for file in files:
        try:
            permissions.check_upload(file.name, len(file.data))
        except Unacceptable as why:
            refused.append(why)
        else:
            taken.append(file)
    if refused and not taken:
        sentence = " ".join(why.sentence for why in refused)
        raise Unacceptable(sentence, field="transcripts", code=refused[0].code)
    return taken, refused


def import_separately(*, transcript: Transcript, by: Person, now: datetime) -> Imported:
    """Import games as separate games if others have their ids. Raises NotAllowed; Conflict if they are separate."""
    permissions.check_import_transcripts(by, transcript.project)
    if transcript.is_separate:
        raise Conflict(_("These games were already imported as separate games."), code="already_separate")
    with transaction.atomic():
        _hold_open(transcript.iteration)
        file = (transcript.name, transcript.byte_count, transcript.sha256, transcript.named_format)
        row, is_new = _insert(
            transcript.project, transcript.iteration, *file, is_separate=True, by=by, now=now
        )
        return _queue(row, is_new, by, now)


def resume_import(*, transcript: Transcript, by: Person, now: datetime) -> Imported:
    """Resume an import that was cancelled or failed; finished games stay. Raises NotAllowed, also for frozen games."""
    permissions.check_import_transcripts(by, transcript.project)
    with transaction.atomic():
        return _queue(transcript, False, by, now)


def cancel_import(*, transcript: Transcript, by: Person, now: datetime) -> Transcript:
    """Stop an import; the games imported so far stay. Raises NotAllowed; Conflict when it has ended."""
    permissions.check_import_transcripts(by, transcript.project)
    if transcript.job is None:
        raise Conflict(_("This import has no work to cancel."), code="job_is_over")
    with transaction.atomic():
        transcript.job = cancel_job(job=transcript.job, by=by, now=now)
        ask_to_measure(iteration=transcript.iteration, by=by, now=now)
    return transcript


def _hold_open(iteration: Iteration) -> None:
    """Refuse when the iteration's list of games is frozen; else lock it until this transaction ends."""
    if not iteration.is_unsorted:
        permissions.check_takes_games(Iteration.objects.select_for_update(no_key=True).get(pk=iteration.pk))


def _insert(
    project: Project,
    iteration: Iteration,
    name: str,
    byte_count: int,
    sha256: str,
    format_name: str,
    *,
    by: Person,
    now: datetime,
    is_separate: bool = False,
) -> tuple[Transcript, bool]:
    """The row of these bytes, locked, and whether it is new. Raises Conflict if they were erased in this project."""
    erased = Transcript.with_erased.filter(project=project, sha256=sha256).exclude(erased_at=None).first()
    if erased is not None:
        says = _(
            "“%(name)s” was erased here, so it is not imported again. Import a file without what was erased."
        )
        raise Conflict(says % {"name": shown_name(name)}, code="erased")
    rows = Transcript.objects.select_related("job").select_for_update(of=("self",), no_key=True)
    return rows.get_or_create(
        project=project,
        sha256=sha256,
        is_separate=is_separate,
        defaults={
            "iteration": iteration,
            "name": shown_name(name),
            "byte_count": byte_count,
            "named_format": format_name,
            "created_at": now,
            "created_by": by,
        },
    )


def _queue(
    transcript: Transcript,
    is_new: bool,
    by: Person,
    now: datetime,
    format_name: str | None = None,
    iteration: Iteration | None = None,
) -> Imported:
    """Read a new file; another again if there is a reason, without `format_name` in the format of the last reading.

    Games that it brought stay where they are, and so do those that are still to come.
    """
    if is_new and transcript.job_id is None:
        queue_reading(transcript=transcript, by=by, now=now)
        told = {"sha256": transcript.sha256, "is_separate": transcript.is_separate}
        record_event("transcript:uploaded", transcript, by=by, now=now, detail=told)
        return Imported(transcript, NEW)
    job = Job.objects.filter(pk=transcript.job_id).first() if transcript.job_id else None
    has_games = transcript.games.exists()
    is_renamed = format_name not in (None, transcript.named_format) and not has_games
    is_asked = is_renamed or transcript.waits_for_columns
    if job is not None and job.state not in (CANCELLED, FAILED) and not (is_asked and job.state == DONE):
        if job.state == DONE and transcript.games.filter(private_track=None).exists():
            # Earlier versions did not keep what not everybody could hear: the file is looked at once more.
            _enqueue(transcript, IMPORT_PRIVATE, by, now)
        return Imported(transcript, ALREADY)
    if iteration is not None and not has_games:
        transcript.iteration = iteration
        transcript.save(update_fields=["iteration"])
    _hold_open(transcript.iteration)
    ImportDismissal.objects.filter(transcript=transcript).delete()
    if is_renamed:
        transcript.named_format, transcript.format = format_name or "", ""
        transcript.faults, transcript.fault_count = "[]", 0
        transcript.save(update_fields=["named_format", "format", "faults", "fault_count"])
    queue_reading(transcript=transcript, by=by, now=now)
    detail = {"format": format_name} if is_renamed else {}
    record_event("transcript:resumed", transcript, by=by, now=now, detail=detail)
    return Imported(transcript, RESUMED)


def _enqueue(transcript: Transcript, kind: str, by: Person, now: datetime) -> Job:
    return enqueue(
        project=transcript.project,
        kind=kind,
        subject=f"transcript:{transcript.pk}",
        input_hash=transcript.sha256,
        by=by,
        now=now,
        total_bytes=transcript.byte_count,
    )


def queue_reading(*, transcript: Transcript, by: Person, now: datetime) -> None:
    """Queue the file for a reading from its beginning, in the caller's transaction; games already stored stay."""
    ImportRun.objects.filter(transcript=transcript).delete()
    transcript.job = _enqueue(transcript, IMPORT, by, now)
    transcript.save(update_fields=["job"])
