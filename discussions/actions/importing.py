"""Transcripts come in: uploads are kept and queued at once, games are stored by a job, batch by batch."""

from collections.abc import Mapping
from datetime import datetime, timedelta

import msgspec
from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _

from discussions.actions.measuring import ask_to_measure
from discussions.actions.storing import Store
from discussions.core.readers.reading import Limits, Transcripts, read_transcripts, shown_name
from discussions.models import Iteration, Transcript
from discussions.permissions import check_import_transcripts, check_takes_games
from workspace.actions.events import record_event
from workspace.actions.jobs import LEASE, Clock, cancel_job, enqueue, fail, finish, renew
from workspace.actions.keeping import BytesLost, keep_bytes, kept_bytes
from workspace.core.refusals import Conflict, Unacceptable
from workspace.models import Job, Person, Project
from workspace.models.jobs import CANCELLED, FAILED

IMPORT = "import"
BATCH = 100
BYTES_A_SECOND = 2_000_000
NEW, RESUMED, ALREADY = "new", "resumed", "already"


class Upload(msgspec.Struct, frozen=True):
    """One file as it was given: its name for people, its bytes."""

    name: str
    data: bytes


class Imported(msgspec.Struct, frozen=True):
    """What became of one upload. `outcome` is new, resumed (it had been cancelled or had failed) or already."""

    transcript: Transcript
    outcome: str


def import_transcripts(
    *, project: Project, files: list[Upload], by: Person, now: datetime, iteration: Iteration | None = None
) -> list[Imported]:
    """Keep the files and queue one job for each; the same bytes a second time give the first report again.

    Without an iteration the games go to the project's unsorted one. Raises NotAllowed (also for an iteration whose list
    of games is frozen), and Unacceptable for a file that is empty or over the limit: then nothing of the whole call is
    stored.
    """
    check_import_transcripts(by, project)
    for file in files:
        _check_size(file)
    if iteration is None:
        iteration = Iteration.objects.get(project=project, stage=None)
    check_takes_games(iteration)
    kept = [(file, keep_bytes(file.data)) for file in files]
    with transaction.atomic():
        _hold_open(iteration)
        # Rows first, in an order that all share, audit lines after them: two uploads of the same files at the same
        # moment then wait for one another, never in a circle.
        first = {sha256: file for file, sha256 in reversed(kept)}
        rows = {
            sha256: _insert(project, iteration, file.name, len(file.data), sha256, by=by, now=now)
            for sha256, file in sorted(first.items())
        }
        return [_queue(*rows[sha256], by=by, now=now) for _file, sha256 in kept]


def import_separately(*, transcript: Transcript, by: Person, now: datetime) -> Imported:
    """Bring in the games of a file whose ids are taken by other games, as games of their own.

    Raises NotAllowed; Conflict when the file is itself such an import.
    """
    check_import_transcripts(by, transcript.project)
    if transcript.is_separate:
        raise Conflict(_("These games were already imported as separate games."), code="already_separate")
    with transaction.atomic():
        _hold_open(transcript.iteration)
        row, is_new = _insert(
            transcript.project,
            transcript.iteration,
            transcript.name,
            transcript.byte_count,
            transcript.sha256,
            is_separate=True,
            by=by,
            now=now,
        )
        return _queue(row, is_new, by=by, now=now)


def resume_import(*, transcript: Transcript, by: Person, now: datetime) -> Imported:
    """Go on with an import that was cancelled or failed; finished games stay as they are.

    Raises NotAllowed, also when the list of games of its iteration was frozen since.
    """
    check_import_transcripts(by, transcript.project)
    with transaction.atomic():
        return _again(transcript, by, now)


def cancel_import(*, transcript: Transcript, by: Person, now: datetime) -> Transcript:
    """Stop an import; the games that are in stay. Raises NotAllowed, Conflict when it is over."""
    check_import_transcripts(by, transcript.project)
    if transcript.job is None:
        raise Conflict(_("This import has no work to cancel."), code="job_is_over")
    transcript.job = cancel_job(job=transcript.job, by=by, now=now)
    return transcript


def import_games(*, job: Job, clock: Clock) -> None:
    """Read the job's transcript and store its games, in batches of one fenced transaction each.

    Run again after a kill it finds the games that are in, and ends with the same rows. Raises JobLost when the job was
    cancelled or taken over: what was committed stays.
    """
    transcript = Transcript.objects.select_related("project", "iteration__rubric_version").get(job=job)
    seconds = transcript.byte_count / BYTES_A_SECOND
    renew(job=job, now=clock(), lease=LEASE + timedelta(seconds=seconds), total_bytes=transcript.byte_count)
    try:
        data = kept_bytes(transcript.sha256)
    except BytesLost:
        reason = _("The uploaded file is damaged or gone from the server's disk. Upload it again.")
        fail(job=job, code="bytes_lost", reason=reason, now=clock())
        return
    read = _read(transcript, data)
    store = Store(transcript=transcript, by=job.created_by)
    for start in range(0, len(read.games), BATCH):
        batch = read.games[start : start + BATCH]
        with transaction.atomic():
            _renew_at(job, clock(), start + len(batch), len(read.games))
            store.put(batch, now=clock())
            ask_to_measure(iteration=transcript.iteration, by=job.created_by, now=clock())
    _close(job, transcript, read, store, clock())


def _check_size(file: Upload) -> None:
    most = settings.TRANSCRIPT_LIMITS["file_bytes"]
    values = {"name": shown_name(file.name), "most": most // (1024 * 1024)}
    if len(file.data) > most:
        sentence = _(
            "“%(name)s” is larger than %(most)d MiB, the most that is read. Split it into several files."
        )
        raise Unacceptable(sentence % values, field="transcripts", code="too_large")
    if not file.data:
        sentence = _("“%(name)s” is empty. Export it again and look at its size first.")
        raise Unacceptable(sentence % values, field="transcripts", code="empty")


def _hold_open(iteration: Iteration) -> None:
    """Refuse when the iteration's list of games is frozen; else nobody freezes it before this transaction ends."""
    if not iteration.is_unsorted:
        check_takes_games(Iteration.objects.select_for_update(no_key=True).get(pk=iteration.pk))


def _insert(
    project: Project,
    iteration: Iteration,
    name: str,
    byte_count: int,
    sha256: str,
    *,
    by: Person,
    now: datetime,
    is_separate: bool = False,
) -> tuple[Transcript, bool]:
    """The row of these bytes, locked, and whether it is new."""
    rows = Transcript.objects.select_related("job").select_for_update(of=("self",), no_key=True)
    return rows.get_or_create(
        project=project,
        sha256=sha256,
        is_separate=is_separate,
        defaults={
            "iteration": iteration,
            "name": shown_name(name),
            "byte_count": byte_count,
            "created_at": now,
            "created_by": by,
        },
    )


def _queue(transcript: Transcript, is_new: bool, *, by: Person, now: datetime) -> Imported:
    if not is_new or transcript.job_id is not None:
        return _again(transcript, by, now)
    _enqueue(transcript, by, now)
    detail = {"sha256": transcript.sha256, "is_separate": transcript.is_separate}
    _record("transcript:uploaded", transcript, by, now, detail)
    return Imported(transcript, NEW)


def _again(transcript: Transcript, by: Person, now: datetime) -> Imported:
    job = Job.objects.filter(pk=transcript.job_id).first() if transcript.job_id else None
    if job is not None and job.state not in (CANCELLED, FAILED):
        return Imported(transcript, ALREADY)
    _hold_open(transcript.iteration)
    _enqueue(transcript, by, now)
    _record("transcript:resumed", transcript, by, now, {})
    return Imported(transcript, RESUMED)


def _enqueue(transcript: Transcript, by: Person, now: datetime) -> None:
    transcript.job = enqueue(
        project=transcript.project,
        kind=IMPORT,
        subject=f"transcript:{transcript.pk}",
        input_hash=transcript.sha256,
        by=by,
        now=now,
        total_bytes=transcript.byte_count,
    )
    transcript.save(update_fields=["job"])


def _read(transcript: Transcript, data: bytes) -> Transcripts:
    rubric = transcript.iteration.rubric_version.to_record()
    limits = Limits(**settings.TRANSCRIPT_LIMITS)
    return read_transcripts(data, transcript.name, limits, role_map=rubric.lists.get("role_map"))


def _renew_at(job: Job, now: datetime, done: int, total: int) -> None:
    # After a kill the first batches are only looked at again: the bar does not go back for that.
    share = job.total_bytes * done // total
    renew(
        job=job,
        now=now,
        done_count=max(done, job.done_count),
        total_count=total,
        done_bytes=max(share, job.done_bytes),
    )


def _close(job: Job, transcript: Transcript, read: Transcripts, store: Store, now: datetime) -> None:
    faults = [*read.faults, *store.faults]
    most = Limits(**settings.TRANSCRIPT_LIMITS).faults
    with transaction.atomic():
        renew(job=job, now=now, total_count=len(read.games), done_bytes=transcript.byte_count)
        transcript.format = read.format
        transcript.faults = msgspec.json.encode(faults[:most]).decode()
        transcript.fault_count = read.fault_count + sum(not fault.is_warning for fault in store.faults)
        transcript.save(update_fields=["format", "faults", "fault_count"])
        detail = {"games": store.game_count, "faults": transcript.fault_count}
        _record("transcript:imported", transcript, job.created_by, now, detail)
        finish(job=job, now=now)


def _record(
    verb: str, transcript: Transcript, by: Person, now: datetime, detail: Mapping[str, object]
) -> None:
    record_event(
        by=by,
        now=now,
        project=transcript.project,
        verb=verb,
        object_kind="transcript",
        object_id=transcript.pk,
        detail=detail,
    )
