"""Background work: a row says what is to be done; a message only tells a worker to look.

A worker holds a job by a lease and a fence. Every change of a job is one conditional update on its state and fence, so
a worker whose lease ended, or whose job was cancelled, finds no row to write to and gets `JobLost`. While an action
works, a thread renews the lease, so that a step may take longer than the lease.
"""

import logging
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from types import FrameType
from typing import TYPE_CHECKING

from celery import current_app
from django.conf import settings
from django.core.cache import cache as kept
from django.db import Error, connection, transaction
from django.db.models import Exists, F, ForeignObjectRel, OuterRef, Q
from django.db.models.functions import Coalesce
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _
from kombu.exceptions import OperationalError

from workspace.audit.actions import record_event
from workspace.core.causes import describe_cause
from workspace.core.refusals import Conflict, Refusal
from workspace.database.transactions import RowLocked, waiting_at_most
from workspace.models import Heartbeat, Job, Person, Project
from workspace.models.jobs import CANCELLED, DONE, FAILED, QUEUED, RUNNING

if TYPE_CHECKING:
    from redis import Redis

# Each kind has a Celery task of its own, by which CELERY_TASK_ROUTES finds its queue.
LOOK_AT_JOB = "workspace.look_at_job."
LEASE = timedelta(seconds=15)
KEPT_EVERY = timedelta(seconds=5)
# A row is locked for milliseconds, unless its worker is frozen.
LONGEST_WAIT = timedelta(seconds=2)
MOST_ATTEMPTS = 3
NOTIFY_AGAIN = timedelta(seconds=20)
MOST_NOTIFIED = 500
# What is over is shown, and can be looked into, for this long.
JOBS_STAY = timedelta(days=90)
MOST_FORGOTTEN, FORGOTTEN_ON = 500, "jobs_forgotten_on"
# Seconds for which somebody may still come to wait for what was told.
TOLD_FOR = 60
Clock = Callable[[], datetime]
# What a row that is used again forgets of its first life.
_OF_ONE_LIFE = (
    *("state", "attempt", "done_count", "total_count", "done_bytes", "queued_at", "rung_at", "started_at"),
    *("finished_at", "cancelled_at", "cancelled_by", "error_code", "error", "cause", "faults"),
)
_AFRESH = {name: Job._meta.get_field(name).get_default() for name in _OF_ONE_LIFE}  # type: ignore[union-attr]
logger = logging.getLogger("evalsite.jobs")


class JobLost(Exception):
    """The job is no longer this worker's: it was cancelled, or another worker took it when the lease had ended."""


class TooSlow(Exception):
    """The work took more processor time than allowed."""


class JobOver(Exception):
    """The job that this one does a part of was cancelled, has failed or is done."""


def enqueue(
    *,
    project: Project | None,
    kind: str,
    subject: str,
    input_hash: str,
    by: Person,
    now: datetime,
    total_bytes: int = 0,
) -> Job:
    """Write the job in the present transaction; message the workers after the commit; the same job is queued once.

    A job of that kind, subject and input that is over is queued again, now for `by`; one that waits or runs stays as
    it is (its row is locked, so that what this transaction adds is seen by the job before it ends). Raises RuntimeError
    outside a transaction. Never raises when the broker is unavailable: the sweep sends the message later.
    """
    if not transaction.get_connection().in_atomic_block:
        raise RuntimeError(
            f'The job "{kind}" was queued outside of a transaction; open one around act and job.'
        )
    key = {"kind": kind, "subject": subject, "input_hash": input_hash}
    made = {"project": project, "created_at": now, "created_by": by, "total_bytes": total_bytes}
    job, _is_new = Job.objects.select_for_update().get_or_create(**key, defaults=made)
    if job.state not in (QUEUED, RUNNING):
        Job.objects.filter(pk=job.pk).update(**_AFRESH, **made)
        job.refresh_from_db()
    if job.state == QUEUED and job.rung_at is None:
        notify_after_commit(job, now)
    return job


def take_job(*, job: int, now: datetime) -> Job | None:
    """Take a waiting job, or one whose worker let its lease end; None when there is nothing to take.

    None also when another transaction holds its row for seconds: the sweep sends the message again. A job that was
    taken more than 3 times without progress fails here instead.
    """
    row = Job.objects.filter(pk=job).first()
    if row is None or not (row.state == QUEUED or is_dropped(row, now)):
        return None
    try:
        with waiting_at_most(LONGEST_WAIT):
            return _take(row, now)
    except RowLocked:
        return None


def _take(row: Job, now: datetime) -> Job | None:
    mine = Job.objects.filter(pk=row.pk, state=row.state, fence=row.fence, lease_until=row.lease_until)
    if row.attempt >= MOST_ATTEMPTS:
        reason = _(
            "The work stopped %(count)d times without getting any further, so it was given up. What was finished is "
            "kept. Start it again; if it stops again, ask an admin to look into the worker's log."
        ) % {"count": row.attempt}
        over = {"state": FAILED, "finished_at": now, "lease_until": None}
        if mine.update(**over, error_code="gave_up", error=reason):
            _tell_failed(row, now)
        return None
    taken = mine.update(
        state=RUNNING,
        attempt=row.attempt + 1,
        fence=row.fence + 1,
        lease_until=now + LEASE,
        started_at=Coalesce("started_at", now),
    )
    return Job.objects.select_related("created_by", "project").get(pk=row.pk) if taken else None


def renew(*, job: Job, now: datetime, lease: timedelta = LEASE, **progress: int) -> None:
    """Renew the lease and store the progress. It is the first statement of every transaction that writes results.

    `progress` are the columns done_count, total_count, done_bytes, total_bytes. More done than before clears the
    count of attempts. Raises JobLost when the job is no longer ours; the caller's transaction then rolls back.
    """
    done = ("done_count", "done_bytes")
    is_further = any(progress.get(column, 0) > getattr(job, column) for column in done)
    _write(job, {"lease_until": now + lease, **progress} | ({"attempt": 0} if is_further else {}))
    for column, value in progress.items():
        setattr(job, column, value)


def suspect(*, job: Job, keys: list[int]) -> None:
    """Store what is about to be done, if a worker died before: if this worker dies, too, that is the cause."""
    # Each new suspect counts as progress: the remaining attempts are for items that are already known.
    _write(job, {"suspects": keys, "attempt": 1})
    job.suspects = keys


def note_fault(*, job: Job, key: int, code: str) -> None:
    """Store that one item of the job cannot be done, and why; the job continues without it.

    If the job is started again, this item comes last.
    """
    faults = job.faults | {str(key): code}
    suspects = list(dict.fromkeys([*job.suspects, key]))
    _write(job, {"faults": faults, "suspects": suspects, "attempt": 1})
    job.faults, job.suspects = faults, suspects


def finish(*, job: Job, now: datetime) -> None:
    _write(job, {"state": DONE, "attempt": 0, "finished_at": now, "lease_until": None})


def note_progress(*, job: int, **progress: int) -> None:
    """Store the progress of a job of which another job did a part, whoever holds it. That part writes this first.

    Raises JobOver when it does not wait or run any more: what was to be written rolls back.
    """
    if not Job.objects.filter(pk=job, state__in=(QUEUED, RUNNING)).update(attempt=0, **progress):
        raise JobOver(f"job {job} is over")


def finish_whole(*, job: int, now: datetime) -> None:
    """Finish a job of which another job did the last part, whoever holds it. Raises JobOver like `note_progress`."""
    done = {"state": DONE, "attempt": 0, "finished_at": now, "lease_until": None, "fence": F("fence") + 1}
    if not Job.objects.filter(pk=job, state__in=(QUEUED, RUNNING)).update(**done):
        raise JobOver(f"job {job} is over")


def fail(*, job: Job, code: str, reason: str, now: datetime) -> None:
    """The job cannot be done; the reason is a sentence."""
    over = {"state": FAILED, "finished_at": now, "lease_until": None}
    with transaction.atomic():
        _write(job, over | {"error_code": code, "error": reason})
        _tell_failed(job, now)


def hand_back(*, job: Job, now: datetime, is_later: bool = False) -> None:
    """Queue the rest of a long job behind what waits; message the workers, or with `is_later` let the sweep do it."""
    with transaction.atomic():
        rung_at = now if is_later else None
        _write(
            job, {"state": QUEUED, "attempt": 0, "lease_until": None, "queued_at": now, "rung_at": rung_at}
        )
        if not is_later:
            notify_after_commit(job, now)


def cancel_job(*, job: Job, by: Person, now: datetime) -> Job:
    """Stop a job that waits or runs; the caller has checked the permission. Its worker stops at its next write.

    Raises Conflict when the job is over already.
    """
    with transaction.atomic():
        stopped = Job.objects.filter(pk=job.pk, state__in=(QUEUED, RUNNING)).update(
            state=CANCELLED,
            fence=F("fence") + 1,
            finished_at=now,
            lease_until=None,
            cancelled_at=now,
            cancelled_by=by,
        )
        if not stopped:
            raise Conflict(_("This work is over already, so there is nothing to cancel."), code="job_is_over")
        record_event("job:cancelled", job, by=by, now=now, detail={"kind": job.kind, "subject": job.subject})
    job.refresh_from_db()
    return job


def retry_job(*, job: Job, by: Person, now: datetime) -> Job:
    """Queue a job that failed once more, now for `by`; the caller has checked the permission. What it finished is kept.

    Raises Conflict when it is not failed any more.
    """
    afresh = _AFRESH | {"created_at": now, "created_by": by}
    with transaction.atomic():
        if not Job.objects.filter(pk=job.pk, state=FAILED).update(**afresh):
            raise Conflict(_("This job was started again meanwhile, or is over."), code="job_is_over")
        record_event("job:retried", job, by=by, now=now, detail={"kind": job.kind, "subject": job.subject})
        notify_after_commit(job, now)
    job.refresh_from_db()
    return job


def run_job(*, job: int, clock: Clock) -> bool:
    """Take a job and run what settings.JOB_ACTIONS names for its kind; return whether it could be taken.

    An unforeseen error is stored with the job and raised. It is tried again when its lease ends, like that of a worker
    that died.
    """
    held = take_job(job=job, now=clock())
    if held is None:
        return False
    for jobs, _moment in _messages_to_come():
        jobs.pop(job, None)  # queued in this transaction: it is done when the message would be sent
    try:
        act = import_string(settings.JOB_ACTIONS[held.kind])
        with _kept(held, clock):
            act(job=held, clock=clock)
    except JobLost:
        logger.info("job %s (%s) was taken over or cancelled", held.pk, held.kind)
    except Exception as fault:
        if isinstance(fault, Refusal) and not isinstance(fault, OSError):
            fail(job=held, code=fault.code, reason=fault.sentence, now=clock())
            return True
        note_cause(job=held, fault=fault, clock=clock)
        raise
    return True


def note_cause(*, job: Job, fault: Exception, clock: Clock) -> None:
    """Store an unforeseen error of a job for admins, with its time; the caller raises or logs it, too.

    Nothing is stored when the job is no longer ours, or when the database is away.
    """
    try:
        cause = f"{clock().astimezone(UTC):%Y-%m-%d %H:%M} UTC, {describe_cause(fault)}"
        Job.objects.filter(pk=job.pk, state=RUNNING, fence=job.fence).update(cause=cause)
    except Error as reason:
        logger.warning("the error of job %s could not be stored: %s", job.pk, reason)


@contextmanager
def limit_time(seconds: int) -> Iterator[None]:
    """Raise TooSlow in the caller's block after so many seconds of processor time, also within a regular expression.

    Only the main thread can be interrupted, in which workers and commands run; elsewhere nothing is limited.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGVTALRM, interrupt)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@contextmanager
def _kept(job: Job, clock: Clock) -> Iterator[None]:
    """Hold the job during the caller's block. A killed or stopped worker renews nothing: its lease ends as usual."""
    is_over = threading.Event()
    thread = threading.Thread(target=_keep, args=(job.pk, job.fence, clock, is_over), daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join(LEASE.total_seconds())


def _keep(job: int, fence: int, clock: Clock, is_over: threading.Event) -> None:
    """Renew the lease on its own connection until the work ends; a lease that ends later stays as it is."""
    mine = Job.objects.filter(pk=job, state=RUNNING, fence=fence)
    is_started = False
    while not is_over.wait(KEPT_EVERY.total_seconds()):
        is_started = True
        try:
            until = clock() + LEASE
            mine.filter(lease_until__lt=until).update(lease_until=until)
        except Error as reason:
            logger.warning("the lease of job %s could not be renewed just now: %s", job, reason)
    if is_started:
        connection.close()


def queue_again(*, by: Person, now: datetime) -> int:
    """Queue the running jobs, and let the sweep send messages for all; return how many ran. For a restored database:
    the workers that held these jobs, and the messages that were sent, were of another installation.
    """
    held = Job.objects.filter(state=RUNNING).update(state=QUEUED, fence=F("fence") + 1, lease_until=None)
    Job.objects.filter(state=QUEUED).update(queued_at=now, rung_at=None)
    return held


def sweep_jobs(*, by: Person, now: datetime, notify_again: timedelta = NOTIFY_AGAIN) -> int:
    """Send messages for waiting jobs and for jobs with a lapsed lease, oldest first; return how many."""
    long_ago = now - notify_again
    waiting = Q(state=QUEUED) & (Q(rung_at=None) | Q(rung_at__lte=long_ago))
    dropped = Q(state=RUNNING, lease_until__lte=now) & (Q(rung_at=None) | Q(rung_at__lte=now - LEASE))
    keys = Job.objects.filter(waiting | dropped).order_by("pk").values_list("pk", "kind")[:MOST_NOTIFIED]
    return notify_workers(dict(keys), now)


def forget_jobs(*, by: Person, now: datetime) -> int:
    """Delete jobs past their retention, and workers that were stopped before then; return how many jobs. Once a day.

    Jobs stay that something refers to (uploads, measurements, exports), and failed jobs that measure: they say which
    games have no measurements.
    """
    day = f"{now:%Y-%m-%d}"
    if kept.get(FORGOTTEN_ON) == day:
        return 0
    Heartbeat.objects.filter(beat_at__lte=now - JOBS_STAY).delete()
    over = Job.objects.filter(state__in=(DONE, FAILED, CANCELLED), finished_at__lte=now - JOBS_STAY)
    over = over.exclude(kind="measure", state=FAILED)
    for relation in Job._meta.get_fields(include_hidden=True):
        if isinstance(relation, ForeignObjectRel):
            naming = {relation.field.name: OuterRef("pk")}
            over = over.exclude(Exists(relation.related_model._default_manager.filter(**naming)))
    count = 0
    while True:
        with transaction.atomic():
            # Locked: a job that is asked for again at this moment stays.
            free = over.select_for_update(skip_locked=True).order_by("pk")
            keys = list(free.values_list("pk", flat=True)[:MOST_FORGOTTEN])
            Job.objects.filter(pk__in=keys).delete()
        count += len(keys)
        if len(keys) < MOST_FORGOTTEN:
            kept.set(FORGOTTEN_ON, day, timeout=None)
            return count


def beat(*, worker: str, by: Person, now: datetime) -> None:
    Heartbeat.objects.update_or_create(worker=worker[:120], defaults={"beat_at": now})


def is_held(job: Job, fence: int, now: datetime) -> bool:
    """Whether the worker that took a job under this fence still holds it."""
    return job.state == RUNNING and job.fence == fence and not is_dropped(job, now)


def is_dropped(job: Job, now: datetime) -> bool:
    return job.state == RUNNING and job.lease_until is not None and job.lease_until <= now


def notify_after_commit(job: Job, moment: datetime) -> None:
    """Message the workers after the commit, for all jobs of the transaction: one try finds a broker that is away."""
    for jobs, waiting in _messages_to_come():
        if waiting == moment:
            jobs[job.pk] = job.kind
            return
    transaction.on_commit(partial(notify_workers, {job.pk: job.kind}, moment))


def _messages_to_come() -> Iterator[tuple[dict[int, str], datetime]]:
    """The jobs that workers are told of after this transaction, for each moment."""
    for _savepoints, waiting, _is_robust in transaction.get_connection().run_on_commit:
        if isinstance(waiting, partial) and waiting.func is notify_workers:
            yield waiting.args


def notify_workers(jobs: dict[int, str], moment: datetime) -> int:
    """Message the workers about these jobs, each with its kind; return how many it sent, until one is refused."""
    if not jobs:
        return 0
    sent = []
    for job, kind in jobs.items():
        try:
            send(f"{LOOK_AT_JOB}{kind}", job)
        except OperationalError as reason:
            logger.warning(
                "the broker is away, the sweep will send the message again for job %s: %s", job, reason
            )
            break
        sent.append(job)
    with transaction.atomic():
        # A job whose row another transaction holds is messaged about again by the sweep: do not wait for it.
        free = Job.objects.select_for_update(skip_locked=True, no_key=True).filter(pk__in=sent)
        Job.objects.filter(pk__in=free.values("pk")).update(rung_at=moment)
    return len(sent)


def tell(name: str) -> None:
    """Wake the worker that waits for this name, or comes to. A word that is lost is made up for when its wait ends."""
    from redis import RedisError

    try:
        with _redis().pipeline() as both:
            both.rpush(name, 1)
            both.expire(name, TOLD_FOR)
            both.execute()
    except RedisError as reason:
        logger.warning("nobody could be told of %s: %s", name, reason)


def wait_until_told(name: str, seconds: float) -> None:
    """Wait until `tell` is called with this name, at most so long."""
    from redis import RedisError

    began = time.monotonic()
    try:
        _redis().blpop([name], timeout=seconds)
    except RedisError:
        threading.Event().wait(max(0.0, began + seconds - time.monotonic()))


@cache
def _redis() -> "Redis":
    # Imports cryptography: only workers that read a file together pay for it.
    from redis import Redis

    return Redis.from_url(settings.REDIS_URL, socket_connect_timeout=1, socket_timeout=5)


def send(task: str, *arguments: int, **options: float) -> None:
    """One message to the workers. Raises kombu's OperationalError within about a second if the broker is away."""
    current_app.send_task(task, args=arguments, **options)


def _tell_failed(job: Job, now: datetime) -> None:
    for action in settings.FAILED_JOB_ACTIONS:
        import_string(action)(job=job, now=now)


def _write(job: Job, changes: dict[str, object]) -> None:
    if not Job.objects.filter(pk=job.pk, state=RUNNING, fence=job.fence).update(**changes):
        raise JobLost(f"job {job.pk} is held by somebody else, or is over")
