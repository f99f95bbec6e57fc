"""Cached loaders that every package shares: a game, its measurements, and the rubric version that it is judged by."""

from collections.abc import Collection, Iterator
from functools import lru_cache

from django.db.models import OuterRef, QuerySet
from msgspec.structs import replace

from discussions.core.limits import BATCH_GAMES, BATCH_MESSAGES
from discussions.core.records import GameRecord, Measurement
from discussions.core.unsaid import Unsaid, list_unsaid
from discussions.models import (
    Game,
    GameText,
    Iteration,
    Measured,
    MeasuredFindings,
    PrivateTrack,
    RoundOffset,
)
from rubric.core.records import RubricRecord
from rubric.models import RubricVersion
from workspace.database.prepared_queries import Prepared, prepared
from workspace.models import Job
from workspace.models.jobs import FAILED, QUEUED, RUNNING

MEASURE = "measure"
# The kind as it is stored in rows of jobs.
DIAGNOSTICS = "companions"


# Imported games and measurements never change, so they are kept decoded; the hash guards against another database.
@lru_cache(maxsize=32)
def game_record(game: int, content_sha256: str, round_offset: int = 0) -> GameRecord:
    return replace(GameText.objects.get(game=game).to_record(), round_offset=round_offset)


def load_unsaid(game: int, content_sha256: str) -> dict[int, Unsaid]:
    """Position -> what was not said at each message; empty without a private track.

    Only pages that follow a reveal may show it.
    """
    try:
        return _read_unsaid(game, content_sha256)
    except PrivateTrack.DoesNotExist:
        return {}


# A game may get a track later, so that it has none is not kept.
@lru_cache(maxsize=16)
def _read_unsaid(game: int, content_sha256: str) -> dict[int, Unsaid]:
    return list_unsaid(game_record(game, content_sha256), PrivateTrack.objects.get(pk=game).to_entries())


@lru_cache(maxsize=32)
def load_measurements(measured: int, findings_sha256: str) -> dict[str, Measurement]:
    return MeasuredFindings.objects.get(measured=measured).to_records()


@lru_cache(maxsize=32)
def rubric_record(version: int, sha256: str) -> RubricRecord:
    return RubricVersion.objects.get(pk=version).to_record()


def list_batches(games: "QuerySet[Game]") -> Iterator[list[int]]:
    """The keys of the games in order, in batches that fit into memory, including games imported meanwhile."""
    last = 0
    while True:
        rows = games.filter(pk__gt=last).order_by("pk").values_list("pk", "message_count")[:BATCH_GAMES]
        keys: list[int] = []
        messages = 0
        for key, count in rows:
            if keys and messages + count > BATCH_MESSAGES:
                break
            keys.append(key)
            messages += count
        if not keys:
            return
        yield keys
        last = keys[-1]


def find_stopped_jobs(iterations: Collection[int]) -> dict[int, Job]:
    """The newest job that measures each of these iterations, if it failed; one query."""
    subjects = {f"iteration:{iteration}": iteration for iteration in iterations}
    jobs = Job.objects.filter(kind=MEASURE, subject__in=subjects).order_by("pk")
    newest = {subjects[job.subject]: job for job in jobs}
    return {iteration: job for iteration, job in newest.items() if job.state == FAILED}


def diagnostics_subject(measured: int) -> str:
    return f"measured:{measured}"


def find_diagnostics_job(measured: int) -> Job | None:
    """The job that computes the diagnostics of this measurement, in any state; None if nobody asked for them."""
    return next(iter(_find_job(DIAGNOSTICS, diagnostics_subject(measured))), None)


@prepared
def _find_job(kind: str, subject: str) -> "QuerySet[Job]":
    return Job.objects.filter(kind=kind, subject=subject).order_by("pk")[:1]


def is_computing_diagnostics(game: Game) -> bool:
    """Whether a job that computes diagnostics of the game waits or runs; two queries."""
    subjects = map(diagnostics_subject, Measured.objects.filter(game=game).values_list("pk", flat=True))
    jobs = Job.objects.filter(kind=DIAGNOSTICS, subject__in=list(subjects), state__in=(QUEUED, RUNNING))
    return jobs.exists()


def find_game(slug: str, number: int) -> Game | None:
    """The game of that number with its project, transcript, iteration, rubric and draw; None if there is none."""
    found: Game | None = _GAME.first(slug, number)
    return found


_GAME = Prepared(
    lambda slug, number: Game.objects.filter(project__slug=slug, number=number).select_related(
        "iteration__rubric_version__rubric", "transcript", "project", "queue_draw"
    ),
    str,
    int,
)


def newest_measured(game: Game) -> Measured | None:
    """The newest measurement of the game under its iteration's rubric version, if it was measured."""
    found: Measured | None = _MEASURED.first(game.pk, game.iteration.rubric_version_id)
    if found is not None:
        found.game = game
    return found


_MEASURED = Prepared(
    lambda game, version: Measured.objects.filter(game=game, rubric_version=version).order_by("-pk")[:1],
    int,
    int,
)


def measured_for(iteration: Iteration | None = None) -> "QuerySet[Measured]":
    """The measurements of the outer query's game that count in that iteration, or in its own."""
    version = iteration.rubric_version_id if iteration else OuterRef("iteration__rubric_version")
    return Measured.objects.filter(game=OuterRef("pk"), rubric_version=version)


def load_round_offsets(games: Collection[int]) -> dict[int, RoundOffset]:
    """The newest round offset of each of these games that has one, in one query."""
    rows = RoundOffset.objects.filter(game__in=games).order_by("number")
    return {row.game_id: row for row in rows}


def add_round_offset(record: GameRecord, row: RoundOffset | None) -> GameRecord:
    return replace(record, round_offset=row.offset) if row else record


def load_measured_record(game: Game, measured: Measured) -> GameRecord:
    """The game as it was read for that measurement: with the round offset of that time."""
    return game_record(game.pk, game.content_sha256, load_measured_offset(measured))


def load_measured_offset(measured: Measured) -> int:
    """The round offset under which the game was measured; queries only if somebody set one."""
    if not measured.round_offset_number:
        return 0
    rows = RoundOffset.objects.filter(game=measured.game_id, number=measured.round_offset_number)
    return rows.values_list("offset", flat=True).get()
