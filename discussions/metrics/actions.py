"""Games are measured by jobs of many games each; diagnostics of a game are computed when its page is first opened.

A measurement is written once per (game, rubric version, code version), under the fence of its job. Running a job again,
or two at once, leaves the same rows. Games that another version of the code measured are measured again only when
somebody asks for that. A game that cannot be measured is noted and left out: the job measures all others,
then fails with a sentence that names the game.
"""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import partial

import msgspec
from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from discussions.core.records import GameRecord, Measurement
from discussions.metrics.core.registry import (
    CODE_VERSION,
    build_diagnostics,
    list_measured,
    measure_game,
    uses_round_offset,
)
from discussions.models import Companions, Game, Iteration, Measured, MeasuredFindings, RoundOffset
from discussions.queries import (
    DIAGNOSTICS,
    MEASURE,
    add_round_offset,
    diagnostics_subject,
    list_batches,
    load_round_offsets,
    rubric_record,
)
from discussions.slots.actions import open_slots
from rubric.core.records import RubricRecord
from workspace.core.canonical import bytes_hash, canonical_hash
from workspace.database.bulk_rows import insert_rows, reserve_keys
from workspace.database.transactions import database_now
from workspace.exports.core.score_events import Score as ScoreOut
from workspace.jobs.actions import (
    MOST_ATTEMPTS,
    Clock,
    TooSlow,
    enqueue,
    fail,
    finish,
    hand_back,
    limit_time,
    note_cause,
    note_fault,
    renew,
    suspect,
)
from workspace.models import Job, Person
from workspace.outbox.actions.queue import queue_deliveries
from workspace.outbox.core import GAME_MEASURED

# After this many games, or this much time, a long job goes to the end of the queue, so that no team waits for all games
# of another. Even with one very slow game more, a turn ends before Celery's time limit.
GAMES_A_TURN = 2_000
TURN = timedelta(minutes=1)
# Processor time of one game that is measured while its file is read.
PASSING_SECONDS = 5
SLOW, LARGE, BROKEN = "slow", "large", "broken"
logger = logging.getLogger("evalsite.jobs")


class EncodedResult(msgspec.Struct, frozen=True):
    figures: str
    findings: str
    sha256: str


class GameResult(msgspec.Struct, frozen=True):
    game: int
    game_number: int
    round_offset_number: int
    input_hash: str
    result: EncodedResult


def ask_to_measure(*, iteration: Iteration, by: Person, now: datetime, again: bool = False) -> Job:
    """Queue the measuring of every game of the iteration without a measurement, in the current transaction.

    With `again` also of those that only another version of the code measured.
    """
    return enqueue(
        project=iteration.project,
        kind=MEASURE,
        subject=f"iteration:{iteration.pk}",
        input_hash=_hash_job(iteration, again=again),
        by=by,
        now=now,
    )


def _hash_job(iteration: Iteration, *, again: bool) -> str:
    asked = [iteration.rubric_version.sha256, CODE_VERSION]
    return canonical_hash([*asked, "again"] if again else asked)


def measure_at_once(*, iteration: Iteration, by: Person, now: datetime) -> None:
    """Measure every game of the iteration without a measurement by today's code, in this transaction; for few."""
    games = list(_unmeasured(iteration, again=True).select_related("text").order_by("pk"))
    rubric = _rubric(iteration)
    offsets = _offsets(games, rubric)
    rows = [_measured(game, offsets, rubric, iteration) for game in games]
    _store_measurements(rows, iteration, None, by, now)


def measure_games(*, job: Job, clock: Clock) -> None:
    """Measure the job's iteration: all its unmeasured games, in fenced transactions of many games.

    Ends only when a last look, under the lock of the job's row, finds no game left: a game imported meanwhile is either
    seen here or queues the job again. Raises JobLost when the job was taken over.
    """
    key = int(job.subject.partition(":")[2])
    iteration = Iteration.objects.select_related("project", "rubric_version").get(pk=key)
    rubric = _rubric(iteration)
    left = _unmeasured(iteration, again=job.input_hash == _hash_job(iteration, again=True))
    total = job.done_count + _possible(left, job).count()
    turn, until = 0, clock() + TURN
    for keys in _batches(_possible(left, job), job):
        games = list(Game.objects.filter(pk__in=keys).select_related("text", "iteration").order_by("pk"))
        measure = partial(_measured, offsets=_offsets(games, rubric), rubric=rubric, iteration=iteration)
        rows = list(_each(games, measure, job=job))
        with transaction.atomic():
            now = clock()
            done = job.done_count + len(rows)
            renew(job=job, now=now, done_count=done, total_count=max(total, done))
            _store_measurements(rows, iteration, job, job.created_by, now)
            done_keys = {row.game for row in rows}
            measured = [game for game in games if game.pk in done_keys]
            open_slots(games=measured, by=job.created_by, now=now)
        turn += len(games)
        if turn >= GAMES_A_TURN or now >= until:
            hand_back(job=job, now=clock())
            return
    _end(job, left, clock)


def ask_for_diagnostics(*, game: Game, measured: int, by: Person, now: datetime) -> None:
    """Queue the diagnostics of one measurement of the game; a job that waits or runs stays as it is."""
    with transaction.atomic():
        subject = diagnostics_subject(measured)
        enqueue(project=game.project, kind=DIAGNOSTICS, subject=subject, input_hash="", by=by, now=now)


def add_diagnostics(*, job: Job, clock: Clock) -> None:
    """Compute the diagnostics of the job's measurement and store them under its fence, unless there are some.

    Fails with a sentence that names the game if they cannot be computed. Raises JobLost when the job was taken over.
    """
    rows = Measured.objects.filter(companions=None).select_related("game__text", "findings", "rubric_version")
    key = int(job.subject.partition(":")[2])
    # Versions before 2026-11 queued one job for the games of an iteration; what it left is computed when asked for.
    measured = rows.filter(pk=key).first() if job.subject == diagnostics_subject(key) else None
    if measured is None:
        finish(job=job, now=clock())
        return
    try:
        with _limited(measured.game_id, job):
            figures = build_diagnostics(
                measured.game.text.to_record(),
                measured.rubric_version.to_record(),
                measured.findings.to_records(),
            )
            diagnostics = Companions(measured=measured, body=msgspec.json.encode(figures).decode())
    except Unmeasurable as fault:
        reason = _say_no_diagnostics(fault.code, measured.game.number)
        fail(job=job, code="games_failed", reason=reason, now=clock())
        return
    with transaction.atomic():
        renew(job=job, now=clock())
        Companions.objects.bulk_create([diagnostics], ignore_conflicts=True)
        finish(job=job, now=clock())


def _each(games: Iterable[Game], measure: Callable[[Game], GameResult], *, job: Job) -> Iterator[GameResult]:
    for game in games:
        try:
            with _limited(game.pk, job):
                found = measure(game)
        except Unmeasurable as fault:
            note_fault(job=job, key=game.pk, code=fault.code)
        else:
            yield found


class Unmeasurable(Exception):
    """A game takes too long, too much memory, or meets a fault; `code` says which."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@contextmanager
def _limited(game: int, job: Job) -> Iterator[None]:
    """Limit the time of what is computed for the game in that row; log what stops it, and raise Unmeasurable."""
    try:
        with limit_time(settings.MEASURE_SECONDS):
            yield
    except SoftTimeLimitExceeded:
        raise
    except Exception as fault:
        logger.exception("the game in row %s cannot be measured (%s)", game, job.kind)
        note_cause(job=job, fault=fault, clock=database_now)
        raise Unmeasurable({TooSlow: SLOW, MemoryError: LARGE}.get(type(fault), BROKEN)) from fault


def _possible(games: "QuerySet[Game]", job: Job) -> "QuerySet[Game]":
    return games.exclude(pk__in=[int(key) for key in job.faults])


def _end(job: Job, left: "QuerySet[Game]", clock: Clock) -> None:
    with transaction.atomic():
        renew(job=job, now=clock())
        is_more = _possible(left, job).exists()
        if not is_more:
            if job.faults:
                fail(job=job, code="games_failed", reason=_say_faults(job), now=clock())
            else:
                finish(job=job, now=clock())
    if is_more:
        hand_back(job=job, now=clock())


def _say_faults(job: Job) -> str:
    numbers = dict(Game.objects.filter(pk__in=[int(key) for key in job.faults]).values_list("pk", "number"))
    said = []
    for code, reason in FAULTS.items():
        games = sorted(numbers[int(key)] for key, noted in job.faults.items() if noted == code)
        if games:
            said.append(reason(", ".join(map(str, games)), len(games)))
    return " ".join([*said, _("All other games are done. Start it again when this is fixed.")])


def _say_slow(games: str, count: int) -> str:
    says = ngettext(
        "Game %(games)s takes longer than %(seconds)s seconds to measure. Import it in parts, withdraw it, or ask an "
        "admin to raise MEASURE_SECONDS and to look for a slow pattern in the rubric version.",
        "Games %(games)s take longer than %(seconds)s seconds each to measure. Import them in parts, withdraw them, or "
        "ask an admin to raise MEASURE_SECONDS and to look for a slow pattern in the rubric version.",
        count,
    )
    return says % {"games": games, "seconds": settings.MEASURE_SECONDS}


def _say_large(games: str, count: int) -> str:
    says = ngettext(
        "Game %(games)s needs more memory than a worker may use. Import it in parts, withdraw it, or ask an admin to "
        "raise WORKER_MEMORY_MB.",
        "Games %(games)s need more memory than a worker may use. Import them in parts, withdraw them, or ask an admin "
        "to raise WORKER_MEMORY_MB.",
        count,
    )
    return says % {"games": games}


def _say_broken(games: str, count: int) -> str:
    says = ngettext(
        "Game %(games)s cannot be measured because of a fault in evalsite. An admin finds it in the worker's log.",
        "Games %(games)s cannot be measured because of a fault in evalsite. An admin finds it in the worker's log.",
        count,
    )
    return says % {"games": games}


def _say_no_diagnostics(code: str, game: int) -> str:
    reasons = {
        SLOW: _(
            "The diagnostics of game %(game)d take longer than %(seconds)d seconds; an admin can raise MEASURE_SECONDS."
        ),
        LARGE: _(
            "The diagnostics of game %(game)d need more memory than a worker may use; an admin can raise "
            "WORKER_MEMORY_MB."
        ),
        BROKEN: _(
            "The diagnostics of game %(game)d cannot be computed because of a fault in evalsite; an admin finds it in "
            "the worker's log."
        ),
    }
    said = reasons[code] % {"game": game, "seconds": settings.MEASURE_SECONDS}
    return f"{said} {_('Its scores and its verdict do not need them.')}"


FAULTS: dict[str, Callable[[str, int], str]] = {SLOW: _say_slow, LARGE: _say_large, BROKEN: _say_broken}


def _rubric(iteration: Iteration) -> RubricRecord:
    return rubric_record(iteration.rubric_version_id, iteration.rubric_version.sha256)


def _present(iteration: Iteration) -> "QuerySet[Measured]":
    """Measurements of any game by any code, under the iteration's version and the game's current round offset."""
    present = Measured.objects.filter(rubric_version=iteration.rubric_version_id)
    if not uses_round_offset(_rubric(iteration)):
        return present
    said = RoundOffset.objects.filter(game=OuterRef("game")).order_by("-number").values("number")[:1]
    return present.filter(round_offset_number=Coalesce(Subquery(said), 0))


def _unmeasured(iteration: Iteration, *, again: bool) -> "QuerySet[Game]":
    """Games without a measurement; with `again`, without one by today's code."""
    measured = _present(iteration).filter(game=OuterRef("pk"))
    if again:
        measured = measured.filter(code_version=CODE_VERSION)
    return Game.objects.filter(~Exists(measured), iteration=iteration)


def _batches(games: "QuerySet[Game]", job: Job) -> Iterator[list[int]]:
    """The keys of the games in order, in batches that each finish well within a lease.

    If a worker died while it measured them, they come one by one, and each is noted beforehand. Games during which a
    worker died come last, so games that kill their worker never hold up other games.
    """
    known = list(job.suspects)
    if job.attempt < 2:
        yield from list_batches(games.exclude(pk__in=known))
    else:
        left = games.exclude(pk__in=known).order_by("pk").values_list("pk", flat=True)
        key = 0
        while key := left.filter(pk__gt=key).first() or 0:
            suspect(job=job, keys=[*known, key])
            yield [key]
    last = sorted(
        games.filter(pk__in=known).values_list("pk", flat=True), reverse=job.attempt >= MOST_ATTEMPTS
    )
    yield from ([key] for key in last)


def encoded_figures(measurements: dict[str, Measurement]) -> str:
    """What lists read: metric -> (numerator, denominator, is_applicable, is_pending), as JSON."""
    figures = {
        key: (
            measurement.numerator,
            measurement.denominator,
            measurement.is_applicable,
            measurement.is_pending,
        )
        for key, measurement in measurements.items()
    }
    return msgspec.json.encode(figures).decode()


def compute_input_hash(game: Game, rubric_sha256: str, code_version: str, row: RoundOffset | None) -> str:
    return hash_input(game.content_sha256, rubric_sha256, code_version, *([row.offset] if row else []))


def hash_input(content_sha256: str, rubric_sha256: str, code_version: str, *offset: int) -> str:
    """The same from the hashes alone; `offset` is the round offset that a lead set, empty without one."""
    return canonical_hash([content_sha256, rubric_sha256, code_version, *offset])


def compute_result(record: GameRecord, rubric: RubricRecord) -> EncodedResult:
    """Measure a game. The same game and version give the same bytes."""
    measurements = measure_game(record, rubric)
    body = msgspec.json.encode(measurements)
    return EncodedResult(encoded_figures(measurements), body.decode(), bytes_hash(body))


def compute_in_passing(record: GameRecord, rubric: RubricRecord) -> EncodedResult | None:
    """Measure a game while its file is read; None if that fails or takes long: then the measuring job does it."""
    try:
        with limit_time(min(PASSING_SECONDS, settings.MEASURE_SECONDS)):
            return compute_result(record, rubric)
    except SoftTimeLimitExceeded:
        raise
    except Exception:
        logger.warning("a game is left to the job that measures", exc_info=True)
        return None


def _offsets(games: list[Game], rubric: RubricRecord) -> dict[int, RoundOffset]:
    return load_round_offsets([game.pk for game in games]) if uses_round_offset(rubric) else {}


def _measured(
    game: Game, offsets: Mapping[int, RoundOffset], rubric: RubricRecord, iteration: Iteration
) -> GameResult:
    offset = offsets.get(game.pk)
    return GameResult(
        game=game.pk,
        game_number=game.number,
        round_offset_number=offset.number if offset else 0,
        input_hash=compute_input_hash(game, iteration.rubric_version.sha256, CODE_VERSION, offset),
        result=compute_result(add_round_offset(game.text.to_record(), offset), rubric),
    )


def _store_measurements(
    rows: list[GameResult], iteration: Iteration, job: Job | None, by: Person, now: datetime
) -> None:
    """Write the rows, except those of games that another job of the same iteration measured meanwhile."""
    done = Measured.objects.filter(
        game__in=[row.game for row in rows],
        rubric_version=iteration.rubric_version_id,
        code_version=CODE_VERSION,
    )
    there = set(done.values_list("game_id", "round_offset_number"))
    new = [row for row in rows if (row.game, row.round_offset_number) not in there]
    store_results(rows=new, iteration=iteration, job=job.pk if job else None, by=by, now=now)


def store_results(
    *, rows: list[GameResult], iteration: Iteration, job: int | None, by: Person, now: datetime
) -> None:
    version = iteration.rubric_version_id
    keys = reserve_keys(Measured, len(rows))
    insert_rows(
        Measured,
        (
            "id",
            "game_id",
            "rubric_version_id",
            "code_version",
            "round_offset_number",
            "input_hash",
            "findings_sha256",
            "figures",
            "created_at",
            "job_id",
        ),
        [
            (
                key,
                row.game,
                version,
                CODE_VERSION,
                row.round_offset_number,
                row.input_hash,
                row.result.sha256,
                row.result.figures,
                now,
                job,
            )
            for key, row in zip(keys, rows, strict=True)
        ],
    )
    findings = [(key, row.result.findings) for key, row in zip(keys, rows, strict=True)]
    insert_rows(MeasuredFindings, ("measured_id", "body"), findings)
    things = [{"game": row.game_number} for row in rows]
    tell = partial(queue_deliveries, event=GAME_MEASURED, read_scores=partial(_read_scores, rows))
    tell(project=iteration.project, things=things, by=by, now=now)


def _read_scores(rows: list[GameResult], thing: Mapping[str, int]) -> tuple[str, list[ScoreOut]]:
    row = next(row for row in rows if row.game_number == thing["game"])
    return Game.objects.only("source_id").get(pk=row.game).source_id, list_measured(row.result.figures)
