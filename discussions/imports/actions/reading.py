"""Jobs read the games of a file, measure them in the same pass and store them, in the order of the file.

A large list or file of lines is cut into parts. The import's own job and one helping job for each idle worker each
claim the next part, read and measure it outside of any transaction, and store it when all parts before it are stored.
So numbers, faults and sums are the same as from one worker. Other files are read by the import's own job alone.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import msgspec
from django.db import transaction
from django.db.models import Max, QuerySet
from django.utils.translation import gettext as _

from discussions.core.limits import ONE_PASS_MESSAGES
from discussions.core.records import Fault
from discussions.imports.actions import storing
from discussions.imports.core import FilePart, Intake, cut, plan_part
from discussions.metrics.actions import ask_to_measure
from discussions.models import Game, ImportRun, Iteration, Transcript
from discussions.queries import rubric_record
from discussions.transcripts.actions import IMPORT, queue_reading
from discussions.transcripts.core.archives import is_archive
from discussions.transcripts.core.layouts import ReadOptions
from discussions.transcripts.core.notes import ReadOutcome
from discussions.transcripts.core.reader import ReadPlan, ReadTally, plan_reading, read_games
from discussions.transcripts.core.readers.columns import UNKNOWN_COLUMNS, UNKNOWN_TEXT
from discussions.transcripts.queries import load_mappings, load_read_options
from rubric.core.records import RubricRecord
from workspace.audit.actions import record_event
from workspace.blob_store import BytesLost, load_bytes, load_range
from workspace.core.words import for_storage
from workspace.jobs import actions as jobs
from workspace.models import Job, Person, Project
from workspace.models.jobs import QUEUED, RUNNING

IMPORT_PART = "import_part"
BATCH, BATCH_CHARACTERS = 100, 2_000_000
BYTES_A_SECOND = 2_000_000
# After this many games of a project, waiting jobs come first, however many of its files are being read.
GAMES_A_TURN = 1_000
# How many parts are read ahead of the stored ones, and how many jobs help with one file at most.
PARTS_AHEAD, MOST_HELPERS = 64, 64
# Seconds: how often a worker checks whether the one that should tell it died, and when it turns to other work: by then
# the lease of a dead worker has ended.
CLAIM_EVERY, LONGEST_WAIT = 1.0, 60.0
# The job that reads a part, and its fence.
Claim = tuple[int, int]


class _WaitedTooLong(Exception):
    """Other workers hold the parts before for too long."""


def import_games(*, job: Job, clock: jobs.Clock) -> None:
    """Read the job's transcript and store its games, measured, in fenced transactions of many games each.

    Run again after a kill, it finds the games that are stored, and ends with the same rows. Raises JobLost when the job
    was cancelled or taken over: what was committed stays.
    """
    transcript = _transcript(job=job)
    run = ImportRun.objects.filter(transcript=transcript).first()
    try:
        if run is None:
            data, plan, lease = _look_through(job, transcript, clock)
            found = cut(plan, data)
            if found is None:
                _import_in_order(job, transcript, plan, lease, clock)
                return
            run = _begin(job, transcript, plan, *found, clock())
            del data, plan
        _PartReader(job, transcript, run, clock).work()
    except BytesLost:
        _fail_without_bytes(job, clock)
    except jobs.JobOver as over:
        raise jobs.JobLost(str(over)) from over


def help_import(*, job: Job, clock: jobs.Clock) -> None:
    """Read parts of a file that another job imports, as long as there are any. Raises JobLost when it was taken over.

    A helper that was killed does not try again: the import's own job continues its work.
    """
    key = int(job.subject.split(":")[1])
    run = ImportRun.objects.filter(transcript=key).first()
    if run is not None and job.attempt < 2:
        transcript = _transcript(pk=key)
        with suppress(jobs.JobOver, BytesLost):
            _PartReader(job, transcript, run, clock).work()
        if Job.objects.filter(pk=job.pk, state=QUEUED).exists():
            return
    jobs.finish(job=job, now=clock())


def keep_private(*, job: Job, clock: jobs.Clock) -> None:
    """Read the job's file, and keep what is private of stored games that have none of it. Raises JobLost.

    Versions before 2026-11 left that out. Games stay as they are, whoever rates them.
    """
    transcript = _transcript(pk=int(job.subject.partition(":")[2]))
    try:
        _data, plan, lease = _look_through(job, transcript, clock)
    except BytesLost:
        _fail_without_bytes(job, clock)
        return
    for batch in _batches(_outcomes(plan), transcript.name, None):
        with transaction.atomic():
            jobs.renew(job=job, now=clock(), lease=lease)
            Project.objects.select_for_update(no_key=True).get(pk=transcript.project_id)
            with for_storage():
                added = storing.add_missing_tracks(transcript.project_id, batch)
            if not added:
                continue
            row = Transcript.objects.select_for_update(no_key=True).get(pk=transcript.pk)
            known = msgspec.json.decode(row.faults, type=list[Fault])
            row.faults = _text([*known, *added][: plan.options.limits.faults])
            row.save(update_fields=["faults"])
            detail = {"games": len(added)}
            record_event("transcript:private_added", row, by=job.created_by, now=clock(), detail=detail)
    jobs.finish(job=job, now=clock())


def measure_imported_games(*, job: Job, now: datetime) -> None:
    """Measure the games of a failed import all the same, and look at the file once more."""
    if job.kind == IMPORT:
        iterations = Iteration.objects.filter(transcripts__job=job, games__isnull=False)
        for iteration in iterations.select_related("project", "rubric_version").distinct():
            ask_to_measure(iteration=iteration, by=job.created_by, now=now)


def _transcript(**which: object) -> Transcript:
    return Transcript.objects.select_related("project", "iteration__rubric_version").get(**which)


def _fail_without_bytes(job: Job, clock: jobs.Clock) -> None:
    reason = _("The uploaded file is damaged or gone from the server's disk. Upload it again.")
    jobs.fail(job=job, code="bytes_lost", reason=reason, now=clock())


def _look_through(job: Job, transcript: Transcript, clock: jobs.Clock) -> tuple[bytes, ReadPlan, timedelta]:
    """The bytes of the file, its content, and the lease that is needed to read it in one go. Raises BytesLost."""
    data, options = load_bytes(transcript.sha256), load_read_options(transcript)
    # A small archive may unpack to the largest size allowed.
    size = options.limits.unpacked_bytes if is_archive(data) else len(data)
    lease = _lease_for(size)
    jobs.renew(job=job, now=clock(), lease=lease, total_bytes=len(data))
    # Faults and warnings are read later, in any language.
    with for_storage():
        return data, plan_reading(data, transcript.name, options), lease


def _lease_for(size: int) -> timedelta:
    return jobs.LEASE + timedelta(seconds=size / BYTES_A_SECOND)


def _rubric_for_one_pass(job: Job, iteration: Iteration) -> RubricRecord | None:
    """The version to measure under while reading; None after a worker died: separate measuring finds the cause."""
    if job.attempt > 1:
        return None
    return rubric_record(iteration.rubric_version_id, iteration.rubric_version.sha256)


def _import_in_order(
    job: Job, transcript: Transcript, plan: ReadPlan, lease: timedelta, clock: jobs.Clock
) -> None:
    """Read a file from its beginning to its end, in batches."""
    tally, store = ReadTally.of(plan), storing.Store(transcript=transcript, by=job.created_by)
    rubric = _rubric_for_one_pass(job, transcript.iteration)
    for batch in _batches(tally.counting(_outcomes(plan)), transcript.name, rubric):
        with transaction.atomic():
            store.lock()
            done = tally.read_count
            total = max(done, plan.game_count)
            # After a kill the first batches are only checked again: the progress bar does not go back for that.
            jobs.renew(
                job=job,
                now=clock(),
                lease=lease,
                done_count=max(done, job.done_count),
                total_count=total,
                done_bytes=max(job.total_bytes * done // total, job.done_bytes),
            )
            store.put(batch, tally, now=clock())
    with transaction.atomic():
        jobs.renew(job=job, now=clock())
        _close(transcript, job.pk, tally, plan.options, by=job.created_by, now=clock())


def _batches(
    outcomes: Iterable[ReadOutcome], name: str, rubric: RubricRecord | None
) -> Iterator[list[storing.PreparedGame]]:
    """The games that may be imported, as many at once as fit into memory."""
    batch: list[storing.PreparedGame] = []
    size = 0
    for ready in _prepare(outcomes, name, rubric):
        batch.append(ready)
        size += len(ready.body) + len(ready.private)
        if len(batch) == BATCH or size > BATCH_CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _prepare(
    outcomes: Iterable[ReadOutcome], name: str, rubric: RubricRecord | None
) -> Iterator[storing.PreparedGame]:
    """The games that may be imported, measured if there is a version; very long ones are left to a job of their own."""
    for outcome in outcomes:
        if outcome.game is not None:
            is_short = len(outcome.game.record.messages) <= ONE_PASS_MESSAGES
            yield storing.prepare(outcome.game, name, rubric if is_short else None)


def _outcomes(plan: ReadPlan) -> Iterator[ReadOutcome]:
    """The outcomes of reading, with sentences to be stored; the caller may word others."""
    outcomes = read_games(plan)
    while True:
        with for_storage():
            outcome = next(outcomes, None)
        if outcome is None:
            return
        yield outcome


def _begin(
    job: Job,
    transcript: Transcript,
    plan: ReadPlan,
    layout: dict[str, Any],
    parts: list[FilePart],
    now: datetime,
) -> ImportRun:
    """Store where the parts are, so that every worker finds them."""
    there = Game.objects.filter(transcript=transcript).aggregate(newest=Max("pk"))["newest"] or 0
    with transaction.atomic():
        jobs.renew(job=job, now=now, total_count=sum(part.count for part in parts))
        return ImportRun.objects.create(
            transcript=transcript,
            layout=_text(layout),
            parts=_text(parts),
            sums=_text(ReadTally.of(plan)),
            newest_before=there,
        )


class _PartReader:
    def __init__(self, job: Job, transcript: Transcript, run: ImportRun, clock: jobs.Clock) -> None:
        self.job = job
        self.transcript = transcript
        self.run = run.pk
        self.clock = clock
        self.main = transcript.job_id or 0
        self.options = load_read_options(transcript)
        self.layout = msgspec.json.decode(run.layout)
        self.parts = msgspec.json.decode(run.parts, type=list[FilePart])
        self.rubric = _rubric_for_one_pass(job, transcript.iteration)
        self.wait_until = time.monotonic() + LONGEST_WAIT

    @property
    def is_main(self) -> bool:
        return self.job.pk == self.main

    def work(self) -> None:
        """Read parts until none is left, or until it is the turn of others. Raises JobLost, JobOver, BytesLost."""
        # Each project has the same share, however many jobs it has.
        live = Job.objects.filter(project=self.transcript.project, kind__in=(IMPORT, IMPORT_PART))
        most = GAMES_A_TURN // max(1, live.filter(state__in=(QUEUED, RUNNING)).count())
        turn = 0
        with suppress(_WaitedTooLong):
            while turn < most:
                number = self._claim(len(self.parts))
                if number is not None:
                    self._read_and_store(number)
                    turn += self.parts[number].count
                elif self.is_main:
                    self._wait_for(lambda: not self._is_open(), len(self.parts))
                else:
                    return
                if not self._is_open():
                    return
        if self.is_main or not self._waiting_jobs():
            jobs.hand_back(job=self.job, now=self.clock())

    def _read_and_store(self, number: int) -> None:
        """Read a part and store it in its turn. Meanwhile read earlier parts, too, if their worker died."""
        part = self.parts[number]
        data = load_range(self.transcript.sha256, part.start, part.end, part.checksum)
        # Reading all games before measuring the first takes less time: neither step evicts the other's data from the
        # caches.
        outcomes = list(_outcomes(plan_part(data, part, self.layout, self.options)))
        games = list(_prepare(outcomes, self.transcript.name, self.rubric))
        self.wait_until = time.monotonic() + LONGEST_WAIT
        earlier = ImportRun.objects.filter(pk=self.run, next_part__lt=number)
        while not self._wait_for(lambda: not earlier.exists(), number):
            before = self._claim(number)
            if before is not None:
                self._read_and_store(before)
        self._store(number, outcomes, games)

    def _wait_for(self, happens: Callable[[], bool], number: int) -> bool:
        """Wait until a condition holds, which is told with the number of the part whose turn it is then.

        False after so long that a worker may have died. Raises _WaitedTooLong.
        """
        until = time.monotonic() + CLAIM_EVERY
        while not happens():
            if time.monotonic() > self.wait_until:
                raise _WaitedTooLong
            if time.monotonic() > until:
                return False
            jobs.wait_until_told(self._turn(number), CLAIM_EVERY)
        return True

    def _turn(self, number: int) -> str:
        return f"evalsite:import:{self.run}:{number}"

    def _is_open(self) -> bool:
        return ImportRun.objects.filter(pk=self.run).exists()

    def _lock_run(self) -> ImportRun:
        run = ImportRun.objects.select_for_update().defer("parts", "layout").filter(pk=self.run).first()
        if run is None:
            raise jobs.JobOver(f"the import {self.main} is over")
        return run

    def _claim(self, before: int) -> int | None:
        """Claim the first part before that number that nobody reads, and call a helper when there are more."""
        with transaction.atomic():
            run, now = self._lock_run(), self.clock()
            if not Job.objects.filter(pk=self.main, state__in=(QUEUED, RUNNING)).exists():
                raise jobs.JobOver(f"the import {self.main} was cancelled, or has failed")
            claims = msgspec.json.decode(run.claims, type=dict[int, Claim])
            most = min(before, run.next_part + PARTS_AHEAD)
            # This job's own parts are done or wait to be stored.
            rows = Job.objects.in_bulk({job for job, _fence in claims.values()})
            held = {
                part: (job, fence)
                for part, (job, fence) in claims.items()
                if job in rows and jobs.is_held(rows[job], fence, now)
            }
            free = [number for number in range(run.next_part, most) if number not in held]
            number = free[0] if free else None
            size = 0 if number is None else self.parts[number].end - self.parts[number].start
            jobs.renew(job=self.job, now=now, lease=_lease_for(size))
            if number is None:
                return None
            mine = {number: (self.job.pk, self.job.fence)}
            ImportRun.objects.filter(pk=run.pk).update(claims=_text(held | mine))
            if len(free) > 1 and self.job.attempt < 2:
                self._call_helper(now)
            return number

    def _helping(self) -> QuerySet[Job]:
        return Job.objects.filter(kind=IMPORT_PART, subject__startswith=f"transcript:{self.transcript.pk}:")

    def _waiting_jobs(self) -> bool:
        """Whether some other job of this import waits for a worker."""
        others = (self._helping() | Job.objects.filter(pk=self.main)).exclude(pk=self.job.pk)
        return others.filter(state=QUEUED).exists()

    def _call_helper(self, now: datetime) -> None:
        """Queue one more job for this import, unless one waits already: an idle worker takes it."""
        if self._waiting_jobs():
            return
        running = set(self._helping().filter(state=RUNNING).values_list("subject", flat=True))
        subjects = (f"transcript:{self.transcript.pk}:{number}" for number in range(1, MOST_HELPERS + 1))
        subject = next((subject for subject in subjects if subject not in running), None)
        if subject is not None:
            jobs.enqueue(
                project=self.transcript.project,
                kind=IMPORT_PART,
                subject=subject,
                input_hash=self.transcript.sha256,
                by=self.job.created_by,
                now=now,
            )

    def _store(self, number: int, outcomes: list[ReadOutcome], games: list[storing.PreparedGame]) -> None:
        """Store a part in its turn, unless another worker took it over and stored it. Raises JobLost, JobOver."""
        store = storing.Store(transcript=self.transcript, by=self.job.created_by)
        with transaction.atomic():
            store.lock()
            run, now = self._lock_run(), self.clock()
            if run.next_part != number:
                return
            transaction.on_commit(partial(jobs.tell, self._turn(number + 1)))
            tally, part = msgspec.json.decode(run.sums, type=ReadTally), self.parts[number]
            met = self._meet(store.intake, run, games)
            if self.is_main:
                jobs.renew(job=self.job, now=now)
            else:
                jobs.renew(job=self.job, now=now, done_count=self.job.done_count + part.count)
            done = part.begin.index + part.count
            jobs.note_progress(job=self.main, done_count=done, done_bytes=part.end)
            store.put(games, tally, now=now)
            for outcome in outcomes:
                tally.add(outcome)
            if number + 1 < len(self.parts):
                kept = {"next_part": number + 1, "sums": _text(tally), "met": _text(met)}
                ImportRun.objects.filter(pk=run.pk).update(**kept)
                return
            run.delete()
            _close(self.transcript, self.main, tally, self.options, by=self.job.created_by, now=now)

    def _meet(self, intake: Intake, run: ImportRun, games: list[storing.PreparedGame]) -> list[int]:
        """Tell which games earlier parts brought; returns those of an earlier reading that were met by now."""
        met = msgspec.json.decode(run.met, type=list[int])
        hashes = {game.sha256 for game in games}
        rows = Game.objects.filter(transcript=self.transcript, project=self.transcript.project_id)
        own = rows.filter(source_id__in=[game.game_id for game in games])
        newly = []
        for key, source_id, sha256 in own.values_list("pk", "source_id", "content_sha256"):
            if key > run.newest_before or key in met:
                intake.know(source_id, sha256)
            elif sha256 in hashes:
                newly.append(key)
        return met + newly


def _close(
    transcript: Transcript, main: int, tally: ReadTally, options: ReadOptions, *, by: Person, now: datetime
) -> None:
    """Store the report and end the import. A file that waits while its columns were mapped is queued again."""
    count = tally.read_count
    jobs.note_progress(job=main, done_count=count, total_count=count, done_bytes=transcript.byte_count)
    transcript.faults = _text([*tally.faults, *tally.not_taken][: tally.most])
    transcript.fault_count = tally.fault_count + tally.not_taken_count
    codes = {fault.code for fault in tally.faults}
    # Beside games in an archive, a text of no form is only left out.
    transcript.waits_for_columns = UNKNOWN_COLUMNS in codes or (
        UNKNOWN_TEXT in codes and not tally.taken_count
    )
    transcript.format = tally.format
    if transcript.waits_for_columns:
        # Whoever maps columns locks the project: their mapping is seen here, or they see that this file waits.
        Project.objects.select_for_update(no_key=True).get(pk=transcript.project_id)
    transcript.save(update_fields=["format", "faults", "fault_count", "waits_for_columns"])
    if not transcript.fault_count and not transcript.waits_for_columns:
        storing.dismiss_replaced(transcript=transcript, by=by, now=now)
    detail = {"games": tally.taken_count, "faults": transcript.fault_count}
    record_event("transcript:imported", transcript, by=by, now=now, detail=detail)
    jobs.finish_whole(job=main, now=now)
    if tally.game_count:
        ask_to_measure(iteration=transcript.iteration, by=by, now=now)
    if transcript.waits_for_columns and load_mappings(transcript.project) != options.columns:
        queue_reading(transcript=transcript, by=by, now=now)


def _text(value: object) -> str:
    return msgspec.json.encode(value).decode()
