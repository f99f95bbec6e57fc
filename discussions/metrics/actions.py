"""Games are measured by jobs of many games each; the second look (companions) follows in a job of its own.

A measurement is written once per (game, rubric version, code version), under the fence of its job. Running a job
again, or two at once, leaves the same rows.
"""

from collections.abc import Iterator
from datetime import datetime

import msgspec
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from discussions.core.limits import BATCH_GAMES, BATCH_MESSAGES
from discussions.core.records import Measurement
from discussions.metrics.core.registry import (
    CODE_VERSION,
    build_companions,
    measure_game,
    uses_round_offset,
)
from discussions.models import Companions, Game, Iteration, Measured, MeasuredFindings, RoundOffset
from discussions.queries import add_round_offset, load_round_offsets, rubric_record
from discussions.slots.actions import open_slots
from rubric.core.records import RubricRecord
from workspace.core.canonical import bytes_hash, canonical_hash
from workspace.jobs.actions import MOST_ATTEMPTS, Clock, enqueue, finish, hand_back, renew, suspect
from workspace.models import Job, Person
from workspace.webhooks.actions.deliveries import queue_deliveries
from workspace.webhooks.core import GAME_MEASURED

MEASURE = "measure"
COMPANIONS = "companions"

# A long job goes behind what is waiting after so many games, so that nobody waits for all of another team's.
GAMES_A_TURN = 2_000
COMPANIONS_A_TURN = 250


def ask_to_measure(*, iteration: Iteration, by: Person, now: datetime) -> Job:
    """Queue the measuring of every game of the iteration that has no measurement yet, in the present transaction."""
    return _enqueue(MEASURE, iteration, by, now)


def measure_at_once(*, iteration: Iteration, by: Person, now: datetime) -> None:
    """Measure every game of the iteration that has no measurement yet, in the present transaction; for few games.

    The second look follows by a job.
    """
    games = list(_unmeasured(iteration).select_related("text").order_by("pk"))
    rows = _measure(games, _rubric(iteration), iteration)
    _store_measurements(rows, iteration, None, by, now)
    _enqueue(COMPANIONS, iteration, by, now)


def measure_games(*, job: Job, clock: Clock) -> None:
    """Measure the job's iteration: all its unmeasured games, in fenced transactions of many games.

    Ends only when none is left that was there when it looked last, under the lock of its row: a game that comes in
    meanwhile is either seen here or queues the job anew. Raises JobLost when the job was taken over.
    """
    iteration = _iteration(job)
    rubric = _rubric(iteration)
    total = job.done_count + _unmeasured(iteration).count()
    turn = 0
    for keys in _batches(_unmeasured(iteration), job):
        games = list(Game.objects.filter(pk__in=keys).select_related("text", "iteration").order_by("pk"))
        rows = _measure(games, rubric, iteration)
        with transaction.atomic():
            now = clock()
            done = job.done_count + len(games)
            renew(job=job, now=now, done_count=done, total_count=max(total, done))
            _store_measurements(rows, iteration, job, job.created_by, now)
            open_slots(games=games)
        turn += len(games)
        if turn >= GAMES_A_TURN:
            hand_back(job=job, now=clock())
            return
    with transaction.atomic():
        renew(job=job, now=clock())
        is_more = _unmeasured(iteration).exists()
        if not is_more:
            _enqueue(COMPANIONS, iteration, job.created_by, clock())
            finish(job=job, now=clock())
    if is_more:
        hand_back(job=job, now=clock())


def add_companions(*, job: Job, clock: Clock) -> None:
    """Take the second look at every measurement of the job's iteration that has none yet, in fenced transactions."""
    iteration = _iteration(job)
    rubric = iteration.rubric_version.to_record()
    total = job.done_count + _unaccompanied(iteration).count()
    turn = 0
    for keys in _batches(_unaccompanied(iteration), job):
        rows = [_companions(measured, rubric) for measured in _bare(iteration).filter(game__in=keys)]
        with transaction.atomic():
            done = job.done_count + len(keys)
            renew(job=job, now=clock(), done_count=done, total_count=max(total, done))
            Companions.objects.bulk_create(rows, ignore_conflicts=True)
        turn += len(keys)
        if turn >= COMPANIONS_A_TURN:
            break
    with transaction.atomic():
        renew(job=job, now=clock())
        is_more = _unaccompanied(iteration).exists()
        if not is_more:
            finish(job=job, now=clock())
    if is_more:
        hand_back(job=job, now=clock())


def _enqueue(kind: str, iteration: Iteration, by: Person, now: datetime) -> Job:
    return enqueue(
        project=iteration.project,
        kind=kind,
        subject=f"iteration:{iteration.pk}",
        input_hash=canonical_hash([iteration.rubric_version.sha256, CODE_VERSION]),
        by=by,
        now=now,
    )


def _iteration(job: Job) -> Iteration:
    key = int(job.subject.partition(":")[2])
    return Iteration.objects.select_related("project", "rubric_version").get(pk=key)


def _rubric(iteration: Iteration) -> RubricRecord:
    return rubric_record(iteration.rubric_version_id, iteration.rubric_version.sha256)


def _present(iteration: Iteration) -> "QuerySet[Measured]":
    """Measurements by today's code under the iteration's version, of whatever game, by what is said of its rounds."""
    present = Measured.objects.filter(rubric_version=iteration.rubric_version_id, code_version=CODE_VERSION)
    if not uses_round_offset(_rubric(iteration)):
        return present
    said = RoundOffset.objects.filter(game=OuterRef("game")).order_by("-number").values("number")[:1]
    return present.filter(round_offset_number=Coalesce(Subquery(said), 0))


def _bare(iteration: Iteration) -> "QuerySet[Measured]":
    """Those without companions, with what these are made from."""
    return (
        _present(iteration).filter(companions=None).select_related("game__text", "findings").order_by("game")
    )


def _unmeasured(iteration: Iteration) -> "QuerySet[Game]":
    measured = _present(iteration).filter(game=OuterRef("pk"))
    return Game.objects.filter(~Exists(measured), iteration=iteration)


def _unaccompanied(iteration: Iteration) -> "QuerySet[Game]":
    bare = _present(iteration).filter(game=OuterRef("pk"), companions=None)
    return Game.objects.filter(Exists(bare), iteration=iteration)


def _batches(games: "QuerySet[Game]", job: Job) -> Iterator[list[int]]:
    """The keys of the games in order, so many at a time that a batch is done well within a lease.

    When a worker died over them they come one by one, each noted down before; those that a worker died over come last.
    So games that kill whoever measures them hold up no other, however many they are and wherever they stand.
    """
    known = list(job.suspects)
    if job.attempt < 2:
        yield from _runs(games.exclude(pk__in=known))
    else:
        for key in _one_by_one(games.exclude(pk__in=known)):
            suspect(job=job, keys=[*known, key])
            yield [key]
    last = sorted(
        games.filter(pk__in=known).values_list("pk", flat=True), reverse=job.attempt >= MOST_ATTEMPTS
    )
    yield from ([key] for key in last)


def _one_by_one(games: "QuerySet[Game]") -> Iterator[int]:
    last = 0
    while key := games.filter(pk__gt=last).order_by("pk").values_list("pk", flat=True).first():
        yield key
        last = key


def _runs(games: "QuerySet[Game]") -> Iterator[list[int]]:
    left = games
    while True:
        found = left.order_by("pk").values_list("pk", "message_count")[:BATCH_GAMES]
        keys: list[int] = []
        messages = 0
        for key, count in found:
            if keys and messages + count > BATCH_MESSAGES:
                break
            keys.append(key)
            messages += count
        if not keys:
            return
        yield keys
        left = games.filter(pk__gt=keys[-1])


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
    """The hash of everything that a measurement is made from."""
    offset = [row.offset] if row else []
    return canonical_hash([game.content_sha256, rubric_sha256, code_version, *offset])


def _measure(games: list[Game], rubric: RubricRecord, iteration: Iteration) -> list[tuple[Measured, str]]:
    offsets = load_round_offsets([game.pk for game in games]) if uses_round_offset(rubric) else {}
    return [_measured(game, offsets.get(game.pk), rubric, iteration) for game in games]


def _measured(
    game: Game, offset: RoundOffset | None, rubric: RubricRecord, iteration: Iteration
) -> tuple[Measured, str]:
    measurements = measure_game(add_round_offset(game.text.to_record(), offset), rubric)
    body = msgspec.json.encode(measurements)
    measured = Measured(
        game=game,
        code_version=CODE_VERSION,
        round_offset_number=offset.number if offset else 0,
        input_hash=compute_input_hash(game, iteration.rubric_version.sha256, CODE_VERSION, offset),
        findings_sha256=bytes_hash(body),
        figures=encoded_figures(measurements),
    )
    return measured, body.decode()


def _store_measurements(
    rows: list[tuple[Measured, str]], iteration: Iteration, job: Job | None, by: Person, now: datetime
) -> None:
    """Write the rows, except of games that another job of the same iteration measured meanwhile."""
    version = iteration.rubric_version_id
    games = [measured.game_id for measured, _ in rows]
    done = Measured.objects.filter(game__in=games, rubric_version=version, code_version=CODE_VERSION)
    there = set(done.values_list("game_id", "round_offset_number"))
    new = [
        (measured, body)
        for measured, body in rows
        if (measured.game_id, measured.round_offset_number) not in there
    ]
    for measured, _ in new:
        measured.rubric_version_id, measured.job, measured.created_at = version, job, now
    Measured.objects.bulk_create([measured for measured, _ in new])
    MeasuredFindings.objects.bulk_create(
        [MeasuredFindings(measured=measured, body=body) for measured, body in new]
    )
    things = [{"game": measured.game.number} for measured, _ in new]
    queue_deliveries(project=iteration.project, event=GAME_MEASURED, things=things, by=by, now=now)


def _companions(measured: Measured, rubric: RubricRecord) -> Companions:
    game, findings = measured.game.text.to_record(), measured.findings.to_records()
    body = msgspec.json.encode(build_companions(game, rubric, findings)).decode()
    return Companions(measured=measured, body=body)
