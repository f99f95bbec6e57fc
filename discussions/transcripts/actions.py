"""Import transcripts: uploads are stored and queued at once; a job stores their games in batches.

A game is stored completely or not at all, only once, with a number in its project.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

import msgspec
from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from discussions.core.iteration_states import why_frozen
from discussions.core.records import Fault
from discussions.metrics.actions import ask_to_measure
from discussions.models import Game, GameText, ImportDismissal, Iteration, Transcript
from discussions.transcripts.core.archives import is_archive
from discussions.transcripts.core.file_names import shown_name
from discussions.transcripts.core.formats import find_format
from discussions.transcripts.core.intake import Intake
from discussions.transcripts.core.layouts import ReadOptions
from discussions.transcripts.core.notes import REPEATS_DROPPED, Limits, Notes, ReadGame
from discussions.transcripts.core.oddities import ODDITY_CODES, oddity_warnings, without_repeated
from discussions.transcripts.core.plans import ReadPlan, plan_reading
from discussions.transcripts.core.reader import ReadTally, read_games
from discussions.transcripts.core.readers.columns import UNKNOWN_COLUMNS
from discussions.transcripts.permissions import check_import_transcripts, check_takes_games, check_upload
from discussions.transcripts.queries import load_known_games, load_mappings, load_read_options
from workspace.audit.actions import record_event
from workspace.blob_store import BytesLost, load_bytes, store_bytes
from workspace.core.canonical import bytes_hash
from workspace.core.refusals import Conflict, Unacceptable
from workspace.core.words import for_storage
from workspace.jobs.actions import LEASE, Clock, cancel_job, enqueue, fail, finish, renew
from workspace.models import Job, Person, Project
from workspace.models.jobs import CANCELLED, DONE, FAILED

IMPORT = "import"
BATCH, BATCH_CHARACTERS = 100, 2_000_000
BYTES_A_SECOND = 2_000_000
NEW, RESUMED, ALREADY = "new", "resumed", "already"


class Upload(msgspec.Struct, frozen=True):
    """An uploaded file."""

    name: str
    data: bytes


class Imported(msgspec.Struct, frozen=True):
    """The result of an upload. `outcome` is new, resumed (it was cancelled or had failed) or already."""

    transcript: Transcript
    outcome: str


class Received(msgspec.Struct, frozen=True):
    """What became of several files: those that were taken in, and for each other one why it was refused."""

    imported: list[Imported]
    refused: list[Unacceptable]


def import_files(
    *,
    project: Project,
    files: list[Upload],
    by: Person,
    now: datetime,
    iteration: Iteration | None = None,
    format_name: str = "",
) -> Received:
    """Like `import_transcripts`, but a file that is empty or over the limit does not refuse the others.

    Raises what that raises, and Unacceptable with all reasons when every file is refused.
    """
    taken, refused = [], []
    for file in files:
        try:
            check_upload(file.name, len(file.data))
        except Unacceptable as why:
            refused.append(why)
        else:
            taken.append(file)
    if refused and not taken:
        sentence = " ".join(why.sentence for why in refused)
        raise Unacceptable(sentence, field="transcripts", code=refused[0].code)
    imported = import_transcripts(
        project=project, files=taken, by=by, now=now, iteration=iteration, format_name=format_name
    )
    return Received(imported, refused)


def dismiss_faults(*, transcript: Transcript, by: Person, now: datetime) -> None:
    """Take the faults of an import as seen: they are no notice any more. Again is nothing new. Raises NotAllowed."""
    check_import_transcripts(by, transcript.project)
    with transaction.atomic():
        _row, is_new = ImportDismissal.objects.get_or_create(
            transcript=transcript, defaults={"dismissed_at": now, "dismissed_by": by}
        )
        if is_new:
            _record("transcript:faults_seen", transcript, by, now, {"faults": transcript.fault_count})


def import_transcripts(
    *,
    project: Project,
    files: list[Upload],
    by: Person,
    now: datetime,
    iteration: Iteration | None = None,
    format_name: str = "",
) -> list[Imported]:
    """Store the files and queue a job for each; the same bytes again give the first report.

    Without an iteration the games go to the project's unsorted one; the format is detect automatically unless it is
    named. Where no game came in, the same bytes are read again when another format is named, or none any more.
    Raises NotAllowed (also for an iteration whose list of games is frozen), and Unacceptable for a file that is empty
    or over the limit: then nothing of the whole call is stored.
    """
    check_import_transcripts(by, project)
    for file in files:
        check_upload(file.name, len(file.data))
    if iteration is None:
        iteration = Iteration.objects.get(project=project, stage=None)
    check_takes_games(iteration)
    if format_name and find_format(format_name) is None:
        sentence = _("There is no transcript format “%(name)s”. Choose one of the list, or none.")
        raise Unacceptable(sentence % {"name": format_name}, field="format", code="unknown_format")
    kept = [(file, store_bytes(file.data)) for file in files]
    with transaction.atomic():
        _hold_open(iteration)
        # Rows first, in a fixed order, then audit lines: two uploads of the same files at the same time then wait for
        # each other without a deadlock.
        first = {sha256: file for file, sha256 in reversed(kept)}
        rows = {
            sha256: _insert(
                project, iteration, file.name, len(file.data), sha256, format_name, by=by, now=now
            )
            for sha256, file in sorted(first.items())
        }
        return [_queue(*rows[sha256], format_name, by=by, now=now) for _file, sha256 in kept]


def import_separately(*, transcript: Transcript, by: Person, now: datetime) -> Imported:
    """Import games whose ids are taken by other games as separate games.

    Raises NotAllowed; Conflict when the file is itself such an import.
    """
    check_import_transcripts(by, transcript.project)
    if transcript.is_separate:
        raise Conflict(_("These games were already imported as separate games."), code="already_separate")
    with transaction.atomic():
        _hold_open(transcript.iteration)
        file = (transcript.name, transcript.byte_count, transcript.sha256, transcript.named_format)
        row, is_new = _insert(
            transcript.project, transcript.iteration, *file, is_separate=True, by=by, now=now
        )
        return _queue(row, is_new, None, by=by, now=now)


def resume_import(*, transcript: Transcript, by: Person, now: datetime) -> Imported:
    """Resume an import that was cancelled or failed; finished games stay as they are.

    Raises NotAllowed, also when the list of games of its iteration was frozen since.
    """
    check_import_transcripts(by, transcript.project)
    with transaction.atomic():
        return _again(transcript, None, by, now)


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
    try:
        data = load_bytes(transcript.sha256)
    except BytesLost:
        reason = _("The uploaded file is damaged or gone from the server's disk. Upload it again.")
        fail(job=job, code="bytes_lost", reason=reason, now=clock())
        return
    options = load_read_options(transcript)
    # A small archive may hold as much as may be unpacked.
    size = options.limits.unpacked_bytes if is_archive(data) else len(data)
    lease = LEASE + timedelta(seconds=size / BYTES_A_SECOND)
    renew(job=job, now=clock(), lease=lease, total_bytes=len(data))
    # Faults and warnings are read later, in any language.
    with for_storage():
        plan = plan_reading(data, transcript.name, options)
        tally = ReadTally(plan)
        store = Store(transcript=transcript, by=job.created_by)
        for batch in _batches(plan, tally):
            with transaction.atomic():
                done = tally.game_count + tally.refused_count
                _renew_at(job, clock(), lease, done, max(done, plan.game_count))
                store.put(batch, now=clock())
                ask_to_measure(iteration=transcript.iteration, by=job.created_by, now=clock())
        _close(job, tally, store, options, clock())


def _batches(plan: ReadPlan, tally: ReadTally) -> Iterator[list[ReadGame]]:
    """The games of the plan, so many at once as fit into memory; what becomes of each is counted."""
    batch: list[ReadGame] = []
    size = 0
    for outcome in read_games(plan):
        tally.add(outcome)
        if outcome.game is None:
            continue
        batch.append(outcome.game)
        size += sum(len(message.text) for message in outcome.game.record.messages)
        if len(batch) == BATCH or size > BATCH_CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def store_without_repeats(*, game: Game, by: Person, now: datetime) -> Game:
    """Store a game once more without its repeated messages, marked, and ask to measure it; in the caller's transaction.

    It goes into the iteration of the first game, or into the unsorted one when that takes no more games. The caller
    records the event. Raises Conflict when there is nothing to drop or it was done before.
    """
    transcript = game.transcript
    record = game.text.to_record()
    shorter = without_repeated(record)
    count = len(record.messages) - len(shorter.messages)
    if not count:
        raise Conflict(_("This game has no repeated messages to drop."), code="no_repeats")
    notes = Notes(transcript.name, "", Limits(**settings.TRANSCRIPT_LIMITS))
    notes.warn(REPEATS_DROPPED, what=game.number, count=count)
    known = msgspec.json.decode(game.warnings, type=list[Fault])
    kept = [warning for warning in known if warning.code not in ODDITY_CODES]
    with for_storage():
        warnings = [*notes.warnings(), *kept, *oddity_warnings(shorter, transcript.name)]
    content = _ready(ReadGame(record=shorter, warnings=warnings, place=transcript.name))
    store = Store(transcript=transcript, by=by)
    iteration = _open_iteration(game)
    # As in an import: two acts at once go one after the other, so that the second finds the game of the first.
    Project.objects.select_for_update(no_key=True).get(pk=game.project_id)
    if Game.objects.filter(transcript=transcript, content_sha256=content.sha256).exists():
        raise Conflict(_("The repeated messages of this game were dropped before."), code="dropped_before")
    made = store.add(content, iteration, now=now)
    ask_to_measure(iteration=iteration, by=by, now=now)
    return made


def _open_iteration(game: Game) -> Iteration:
    """The game's iteration, locked, if it takes games, else the unsorted one."""
    own = Iteration.objects.select_for_update(no_key=True).get(pk=game.iteration_id)
    if own.is_unsorted or not why_frozen(own.state):
        return own
    return Iteration.objects.get(project=game.project_id, stage=None)


def _hold_open(iteration: Iteration) -> None:
    """Refuse when the iteration's list of games is frozen; else lock it until this transaction ends."""
    if not iteration.is_unsorted:
        check_takes_games(Iteration.objects.select_for_update(no_key=True).get(pk=iteration.pk))


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
            "named_format": format_name,
            "created_at": now,
            "created_by": by,
        },
    )


def _queue(
    transcript: Transcript, is_new: bool, format_name: str | None, *, by: Person, now: datetime
) -> Imported:
    if not is_new or transcript.job_id is not None:
        return _again(transcript, format_name, by, now)
    _enqueue(transcript, by, now)
    detail = {"sha256": transcript.sha256, "is_separate": transcript.is_separate}
    _record("transcript:uploaded", transcript, by, now, detail)
    return Imported(transcript, NEW)


def _again(transcript: Transcript, format_name: str | None, by: Person, now: datetime) -> Imported:
    """Read the file again if there is a reason; without `format_name` in the format of the last time."""
    job = Job.objects.filter(pk=transcript.job_id).first() if transcript.job_id else None
    is_renamed = format_name not in (None, transcript.named_format) and not transcript.games.exists()
    is_new = is_renamed or transcript.waits_for_columns
    if job is not None and job.state not in (CANCELLED, FAILED) and not (is_new and job.state == DONE):
        return Imported(transcript, ALREADY)
    _hold_open(transcript.iteration)
    ImportDismissal.objects.filter(transcript=transcript).delete()
    if is_renamed:
        transcript.named_format, transcript.format = format_name or "", ""
        transcript.faults, transcript.fault_count = "[]", 0
        transcript.save(update_fields=["named_format", "format", "faults", "fault_count"])
    _enqueue(transcript, by, now)
    _record("transcript:resumed", transcript, by, now, {"format": format_name} if is_renamed else {})
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


def _renew_at(job: Job, now: datetime, lease: timedelta, done: int, total: int) -> None:
    # After a kill the first batches are only looked at again: the bar does not go back for that.
    share = job.total_bytes * done // total
    renew(
        job=job,
        now=now,
        lease=lease,
        done_count=max(done, job.done_count),
        total_count=total,
        done_bytes=max(share, job.done_bytes),
    )


class _Ready(msgspec.Struct):
    """A game with its stored body and the hash of the body."""

    read: ReadGame
    body: bytes
    sha256: str


class Store:
    """Stores the games of a transcript; `intake` says what was refused. A second run gives the same."""

    def __init__(self, *, transcript: Transcript, by: Person) -> None:
        self.transcript = transcript
        self.by = by
        self.intake = Intake(transcript=transcript.pk, is_separate=transcript.is_separate)

    def put(self, games: list[ReadGame], *, now: datetime) -> None:
        """Store these games, except those that are in already. Must run inside the caller's transaction."""
        ready = [_ready(read) for read in games]
        # Two imports of one project go one after the other from here on: neither misses the other's games. Rows that
        # only refer to the project (an upload, a job, a verdict) do not wait for a whole batch.
        Project.objects.select_for_update(no_key=True).get(pk=self.transcript.project_id)
        known = load_known_games(
            self.transcript.project_id, [content.read.record.game_id for content in ready]
        )
        new = [
            content
            for content in ready
            if self.intake.takes(content.read.record.game_id, content.sha256, content.read.place, known)
        ]
        if not new:
            return
        number = self._take_numbers(len(new))
        rows = [self._row(content, number + offset, now) for offset, content in enumerate(new)]
        Game.objects.bulk_create(rows)
        # By key: rows that hold each other would keep a batch in memory until the collector comes.
        bodies = [(row.pk, content.body.decode()) for row, content in zip(rows, new, strict=True)]
        GameText.objects.bulk_create([GameText(game_id=key, body=body) for key, body in bodies])

    def add(self, content: "_Ready", iteration: Iteration, *, now: datetime) -> Game:
        """Store a game that was made from one of the transcript. Must run inside the caller's transaction."""
        row = self._row(content, self._take_numbers(1), now)
        row.iteration = iteration
        row.save(force_insert=True)
        GameText.objects.create(game=row, body=content.body.decode())
        return row

    def _take_numbers(self, count: int) -> int:
        """Reserve so many numbers; returns the first."""
        project = Project.objects.filter(pk=self.transcript.project_id)
        project.update(next_game_number=F("next_game_number") + count)
        return project.values_list("next_game_number", flat=True)[0] - count

    def _row(self, content: _Ready, number: int, now: datetime) -> Game:
        record = content.read.record
        return Game(
            project_id=self.transcript.project_id,
            iteration_id=self.transcript.iteration_id,
            transcript=self.transcript,
            number=number,
            source_id=record.game_id,
            search_text=record.build_search_text(self.transcript.name),
            content_sha256=content.sha256,
            player_count=len(record.players),
            message_count=len(record.messages),
            word_count=record.word_count,
            round_count=record.rounds,
            vote_count=len(record.votes),
            cost_usd=record.cost.total_usd,
            paid_usd=record.cost.total_usd,
            cache_hit_rate=record.cost.cache_hit_rate,
            input_tokens=record.cost.input_tokens,
            warnings=msgspec.json.encode(content.read.warnings).decode(),
            warning_count=len(content.read.warnings),
            created_at=now,
            created_by=self.by,
        )


def _close(job: Job, tally: ReadTally, store: Store, options: ReadOptions, now: datetime) -> None:
    """Store the report and end the job. A file that waits while its columns were mapped is queued again."""
    transcript = store.transcript
    faults = [*tally.faults, *store.intake.faults]
    most = Limits(**settings.TRANSCRIPT_LIMITS).faults
    with transaction.atomic():
        count = tally.game_count + tally.refused_count
        renew(job=job, now=now, done_count=count, total_count=count, done_bytes=transcript.byte_count)
        transcript.faults = msgspec.json.encode(faults[:most]).decode()
        transcript.fault_count = tally.fault_count + store.intake.refused_count
        transcript.waits_for_columns = any(fault.code == UNKNOWN_COLUMNS for fault in tally.faults)
        transcript.format = tally.format
        if transcript.waits_for_columns:
            # Who maps columns holds the project: their mapping is seen here, or they see that this file waits.
            Project.objects.select_for_update(no_key=True).get(pk=transcript.project_id)
        transcript.save(update_fields=["format", "faults", "fault_count", "waits_for_columns"])
        if not transcript.fault_count and not transcript.waits_for_columns:
            _dismiss_replaced(transcript, by=job.created_by, now=now)
        detail = {"games": store.intake.game_count, "faults": transcript.fault_count}
        _record("transcript:imported", transcript, job.created_by, now, detail)
        finish(job=job, now=now)
        if transcript.waits_for_columns and load_mappings(transcript.project) != options.columns:
            _enqueue(transcript, job.created_by, now)


def _dismiss_replaced(transcript: Transcript, *, by: Person, now: datetime) -> None:
    """The earlier uploads of this name into this iteration: their faults are put right by this one, which has none."""
    faulty = Transcript.objects.filter(
        project=transcript.project,
        iteration=transcript.iteration,
        name=transcript.name,
        created_at__lt=transcript.created_at,
        fault_count__gt=0,
    )
    ImportDismissal.objects.bulk_create(
        [
            ImportDismissal(transcript=old, replaced_by=transcript, dismissed_at=now, dismissed_by=by)
            for old in faulty.defer("faults")
        ],
        ignore_conflicts=True,
    )


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


def _ready(read: ReadGame) -> _Ready:
    body = msgspec.json.encode(read.record)
    return _Ready(read=read, body=body, sha256=bytes_hash(body))
